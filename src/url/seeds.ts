import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { hostnameOf, isIpHost, isLoopbackHost, pathOf } from './host.js';
import { AS_WRITTEN, type Credentials, type IdentityOptions, type NormalUrl, normaliseUrl } from './identity.js';
import { SCOPE_KINDS, type ScopeKind } from './scope.js';

/** Where a crawl begins. */
export interface Seed {
  /** In normal form. */
  url: string;
  /** What to try in turn if `url` cannot be reached: a bare domain leaves scheme and `www.` open. */
  fallbacks: string[];
  scope?: ScopeKind;
  depth?: number;
  maxUrls?: number;
  /** Credentials for the origin of `url` only; never shown or stored with it. */
  credentials?: Credentials;
  /** The name by which the user knows the seed: the argument without credentials, or file and line. */
  label: string;
}

export type SeedArgument =
  | { kind: 'stdin' }
  | { kind: 'url'; seed: Seed }
  | { kind: 'file'; path: string }
  | { kind: 'folder'; path: string };

/** What stands at a path of the file system, if anything. */
export type PathProbe = (path: string) => 'file' | 'folder' | null;

export interface BadSeedLine {
  /** From 1. */
  line: number;
  text: string;
  problem: string;
}

/** More than one letter, since `C:` is a drive; a number after the colon is the port of a bare domain. */
const SCHEME = /^([a-z][a-z0-9+.-]+:)(?!\d+(?:[/?#]|$))/i;
/** Paths and mistyped options, some of which the URL parser would take for a host. */
const NO_DOMAIN = /^(?:[/\\~.-]|[a-z]:[/\\])/i;
const PORT = /:\d+$/;
const CREDENTIALS = /^([a-z][a-z0-9+.-]+:[/\\]*)[^/\\?#]*@/i;

/** An argument is, in this order: stdin, a URL with a scheme, an existing folder or file, a bare domain. */
export function parseSeedArgument(
  argument: string,
  probe: PathProbe,
  options: IdentityOptions = AS_WRITTEN,
): SeedArgument {
  const text = argument.trim();
  if (text === '-') {
    return { kind: 'stdin' };
  }
  if (!SCHEME.test(text)) {
    const found = text === '' ? null : probe(argument);
    if (found !== null) {
      return { kind: found, path: argument };
    }
  }
  return { kind: 'url', seed: parseSeed(text, shown(text), options) };
}

/**
 * One seed a line, with its own ` scope=host depth=2 max-urls=100` if need be. Blank lines and what follows a `#` at the
 * start of a line or after a space are left out.
 */
export function parseSeedLines(
  text: string,
  sourceName: string,
  options: IdentityOptions = AS_WRITTEN,
): { seeds: Seed[]; bad: BadSeedLine[] } {
  const seeds: Seed[] = [];
  const bad: BadSeedLine[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const [index, whole] of lines.entries()) {
    const content = whole.replace(/(?:^|\s)#.*$/, '').trim();
    if (content === '') {
      continue;
    }
    const line = index + 1;
    try {
      const [url, ...settings] = content.split(/\s+/);
      const seed = parseSeed(url!, `${printable(sourceName)}:${line}`, options);
      for (const setting of settings) {
        applySetting(seed, setting);
      }
      seeds.push(seed);
    } catch (error) {
      if (!(error instanceof UsageError)) {
        throw error;
      }
      bad.push({ line, text: shown(content), problem: error.message });
    }
  }
  return { seeds, bad };
}

function parseSeed(text: string, label: string, options: IdentityOptions): Seed {
  if (text === '') {
    throw new UsageError('A seed is empty; give a URL such as https://example.com/');
  }
  if (/\s/.test(text)) {
    throw new UsageError(`${shown(text)}: a URL has no spaces in it; write them as %20`);
  }
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme === undefined) {
    return parseBareDomain(text, label, options);
  }
  if (!/^https?:$/i.test(scheme)) {
    throw new UsageError(
      `${shown(text)}: "${printable(scheme)}" is not a scheme Gossamer can crawl; use http:// or https://`,
    );
  }
  const normal = normaliseUrl(text, options);
  if (normal === null) {
    throw new UsageError(`${shown(text)}: this is not a valid URL`);
  }
  return { url: normal.url, fallbacks: [], label, ...credentialsOf(normal) };
}

function parseBareDomain(text: string, label: string, options: IdentityOptions): Seed {
  const normal = NO_DOMAIN.test(text) ? null : normaliseUrl(`https://${text}`, options);
  if (normal === null) {
    throw new UsageError(`${shown(text)}: this is neither a URL nor a domain, nor an existing file or folder`);
  }
  const hostname = hostnameOf(normal.url);
  // The port is read from the text, because the normal form has lost a :443.
  const port = PORT.exec(/^[^/?#\\]*/.exec(text)![0])?.[0] ?? '';
  const isLoopback = isLoopbackHost(hostname);
  const isOneHost = port !== '' || hostname.startsWith('www.') || isIpHost(hostname) || isLoopback;
  const [url, ...fallbacks] = (isOneHost ? [hostname] : [hostname, `www.${hostname}`])
    .flatMap((host) => (isLoopback ? [`http://${host}`, `https://${host}`] : [`https://${host}`, `http://${host}`]))
    .map((origin) => normaliseUrl(origin + port + pathOf(normal.url))!.url);
  return { url: url!, fallbacks, label, ...credentialsOf(normal) };
}

function credentialsOf({ credentials }: NormalUrl): { credentials?: Credentials } {
  return credentials === null ? {} : { credentials };
}

function applySetting(seed: Seed, setting: string): void {
  const [name, value = ''] = setting.split('=', 2);
  if (name === 'scope') {
    seed.scope = scopeKind(value);
  } else if (name === 'depth') {
    seed.depth = wholeNumber('depth', value, 0);
  } else if (name === 'max-urls') {
    seed.maxUrls = wholeNumber('max-urls', value, 1);
  } else {
    throw new UsageError(`"${shown(setting)}" is not a setting of a seed; there are scope=, depth= and max-urls=`);
  }
}

function scopeKind(value: string): ScopeKind {
  const kind = SCOPE_KINDS.find((known) => known === value);
  if (kind === undefined) {
    throw new UsageError(`scope is one of ${SCOPE_KINDS.join(', ')}, not "${shown(value)}"`);
  }
  return kind;
}

function wholeNumber(name: string, value: string, least: number): number {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least)) {
    throw new UsageError(`${name} must be a whole number from ${least}, got "${shown(value)}"`);
  }
  return number;
}

/** Fit for a message: no control characters, no credentials. */
function shown(text: string): string {
  return printable(text.replace(CREDENTIALS, '$1'));
}
