import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { UsageError } from '../base/errors.js';
import { originOf, readAddressed, readHeaderLine, TO_SEEDS } from '../base/header-line.js';
import { printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import { asSecureContext } from '../fetch/connector.js';
import type { ClientCertificate, Header } from '../fetch/contract.js';
import { basicAuthorization, checkedHeader } from '../fetch/headers.js';

/** Files with the user's credentials. An error message names the line, never what it says. */

const LINE = /^(\S+)\s+(basic|bearer|header)\s+(.+)$/i;
const FORMS = "'ORIGIN basic USER:PASSWORD', 'ORIGIN bearer TOKEN' or 'ORIGIN header Name: value'";
const TOKEN = /^[\x21-\x7e]+$/;
const MOST_BYTES = 1024 * 1024;

/** Reads `--auth-file`: headers by origin. */
export function readAuthFile(path: string, env: NodeJS.ProcessEnv = process.env): Map<string, Header[]> {
  const name = `--auth-file ${printable(path)}`;
  const headers = new Map<string, Header[]>();
  const places = new Map<string, number>();
  for (const [index, line] of readPrivate(path).split(/\r?\n/).entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) {
      continue;
    }
    const fail = (problem: string): never => {
      throw new UsageError(`${name}, line ${index + 1}: ${problem}`);
    };
    const [origin, header] = readAuthLine(text, env, fail);
    const key = `${origin} ${header[0].toLowerCase()}`;
    if (places.has(key)) {
      fail(`line ${places.get(key)} has the header ${header[0]} for this origin already`);
    }
    places.set(key, index + 1);
    headers.set(origin, [...(headers.get(origin) ?? []), header]);
  }
  return headers;
}

/** Warns when other users can read the file. Windows has no such rights. */
function readPrivate(path: string): string {
  try {
    const { mode, size } = statSync(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(
        `--auth-file ${printable(path)} can be read or written by others (${(mode & 0o777).toString(8).padStart(4, '0')}): chmod 600 it`,
      );
    }
    if (size > MOST_BYTES) {
      throw new UsageError(`--auth-file ${printable(path)} is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
    }
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    throw new UsageError(`--auth-file cannot be read: ${(error as Error).message}`);
  }
}

function readAuthLine(text: string, env: NodeJS.ProcessEnv, fail: (problem: string) => never): [string, Header] {
  const [, address, kind, rest] = LINE.exec(text) ?? [];
  if (address === undefined || kind === undefined || rest === undefined) {
    return fail(`a line is ${FORMS}`);
  }
  const origin = originOf(address) ?? fail('it begins with no origin such as https://example.com, without a path');
  const filledIn = (given: string): string => {
    const variable = /^env:([A-Za-z_]\w*)$/.exec(given)?.[1];
    if (variable === undefined) {
      return given;
    }
    const value = env[variable] ?? '';
    return value === '' ? fail(`the variable ${variable} is not set`) : value;
  };
  try {
    switch (kind.toLowerCase()) {
      case 'basic': {
        const pair = filledIn(rest);
        const colon = pair.indexOf(':');
        return colon < 1
          ? fail('basic wants USER:PASSWORD')
          : [origin, basicAuthorization(pair.slice(0, colon), filledIn(pair.slice(colon + 1)))];
      }
      case 'bearer': {
        const token = filledIn(rest);
        return TOKEN.test(token)
          ? [origin, ['authorization', `Bearer ${token}`]]
          : fail('a token has no spaces and nothing beyond ASCII');
      }
      default: {
        const header = readHeaderLine(rest);
        return header === null || header.to !== TO_SEEDS
          ? fail("header wants 'Name: value'")
          : [origin, checkedHeader(header.name, filledIn(header.value))];
      }
    }
  } catch (error) {
    if (error instanceof UsageError && !error.message.startsWith('--auth-file')) {
      return fail(error.message.replace(/\.$/, ''));
    }
    throw error;
  }
}

const PEM = '-----BEGIN ';
const PEM_CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const PEM_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

type CertificateOptions = Pick<CrawlOptions, 'clientCerts' | 'clientKeys' | 'clientPassphrase'>;

/**
 * Reads `--client-cert` and `--client-key`, by origin. Without an origin they are for the https origins of the seeds, as headers are. They are
 * tried here, so that a wrong passphrase is reported at the start and not by every request.
 */
export function readClientCertificates(
  options: CertificateOptions,
  seedOrigins: () => Iterable<string>,
  env: NodeJS.ProcessEnv = process.env,
): Record<string, ClientCertificate> {
  const certs = byAddress(options.clientCerts, '--client-cert');
  const keys = byAddress(options.clientKeys, '--client-key');
  for (const to of keys.keys()) {
    if (!certs.has(to)) {
      throw new UsageError(`--client-key${to === TO_SEEDS ? '' : ` ${to}|…`} has no --client-cert that it belongs to`);
    }
  }
  const passphrase = certs.size === 0 ? null : passphraseOf(options.clientPassphrase, env);
  const found: Record<string, ClientCertificate> = {};
  const put = (to: string, certificate: ClientCertificate): void => {
    const origins = to === TO_SEEDS ? [...seedOrigins()].filter((origin) => origin.startsWith('https:')) : [to];
    for (const origin of origins) {
      found[origin] = certificate;
    }
  };
  // Those for one origin win over those for all seeds.
  const order = [...certs.keys()].sort((a, b) => Number(b === TO_SEEDS) - Number(a === TO_SEEDS));
  for (const to of order) {
    put(to, readCertificate(certs.get(to)!, keys.get(to) ?? null, passphrase));
  }
  return found;
}

function byAddress(texts: readonly string[], flag: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const text of texts) {
    const addressed = readAddressed(text);
    if (addressed === null) {
      throw new UsageError(`${flag} must be a file, or 'https://HOST|FILE'`);
    }
    if (files.has(addressed.to)) {
      throw new UsageError(
        `${flag} is given twice ${addressed.to === TO_SEEDS ? 'for the seeds' : `for ${addressed.to}`}`,
      );
    }
    files.set(addressed.to, addressed.file);
  }
  return files;
}

function passphraseOf(given: string | null, env: NodeJS.ProcessEnv): string | null {
  if (given === null) {
    return null;
  }
  const variable = given.slice('env:'.length);
  const value = env[variable] ?? '';
  if (value === '') {
    throw new UsageError(`--client-passphrase names the variable ${variable}, which is not set`);
  }
  return value;
}

function readCertificate(file: string, keyFile: string | null, passphrase: string | null): ClientCertificate {
  const bytes = readBytes(file, '--client-cert');
  const secret = passphrase === null ? {} : { passphrase };
  const isPem = bytes.includes(PEM);
  if (!isPem && keyFile !== null) {
    throw new UsageError(`--client-cert ${printable(file)} is PKCS#12 and holds its key: leave out --client-key`);
  }
  const certificate = isPem ? { ...readPem(file, bytes, keyFile), ...secret } : { pfx: bytes, ...secret };
  try {
    createSecureContext(asSecureContext(certificate));
  } catch (error) {
    throw new UsageError(`--client-cert ${printable(file)} cannot be used: ${whyNot(error, passphrase !== null)}`);
  }
  return certificate;
}

function readPem(file: string, bytes: Buffer, keyFile: string | null): { cert: string; key: string } {
  const cert = bytes.toString('utf8');
  if (!cert.includes(PEM_CERTIFICATE)) {
    throw new UsageError(`--client-cert ${printable(file)} holds no certificate ("${PEM_CERTIFICATE}")`);
  }
  const key = keyFile === null ? cert : readBytes(keyFile, '--client-key').toString('utf8');
  if (!PEM_KEY.test(key)) {
    throw new UsageError(
      keyFile === null
        ? `--client-cert ${printable(file)} holds no private key: name the file that does with --client-key`
        : `--client-key ${printable(keyFile)} holds no private key (PEM)`,
    );
  }
  return { cert, key };
}

function readBytes(file: string, flag: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${flag} cannot be read: ${(error as Error).message}`);
  }
}

/** OpenSSL's own messages help only those who know it. */
function whyNot(error: unknown, hasPassphrase: boolean): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (/PASS|DECRYPT|CIPHER|mac verify failure|INTERRUPTED_OR_CANCELLED/i.test(`${code} ${message}`)) {
    return hasPassphrase
      ? 'the passphrase is not the right one'
      : 'it wants a passphrase: put it into a variable and name that with --client-passphrase env:NAME';
  }
  if (/MISMATCH/i.test(`${code} ${message}`)) {
    return 'the key is not the one of the certificate';
  }
  if (/UNSUPPORTED/i.test(`${code} ${message}`)) {
    return 'it is packed in a way that is no longer safe: make it anew with openssl pkcs12 -export';
  }
  return message;
}
