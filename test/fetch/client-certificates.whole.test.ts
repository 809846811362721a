import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { readClientCertificates } from '../../src/crawl/credential-files.js';
import { CERTIFICATE, PKCS12, PKCS12_PASSPHRASE, PRIVATE_KEY } from './certificate.js';
import { get, newFetcher } from './support.js';

/** Asks each visitor for a certificate, over HTTP/2 and HTTP/1.1; writes down the version, the host and whose certificate it was. */
async function asking(): Promise<{ port: number; visitors: string[] }> {
  const visitors: string[] = [];
  const server = createSecureServer(
    { cert: CERTIFICATE, key: PRIVATE_KEY, allowHTTP1: true, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
      const host = request.headers[':authority'] ?? request.headers.host;
      visitors.push(`${request.httpVersion} ${host} ${socket.getPeerCertificate().subject?.CN ?? 'nobody'}`);
      response.end('page');
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, visitors };
}

test.each([
  [true, '2.0'],
  [false, '1.1'],
])('a certificate goes to its own origin and to no other (HTTP/2: %s)', async (http2, version) => {
  const { port, visitors } = await asking();
  const fetcher = newFetcher({
    ...{ insecure: true, http2, connectTo: [`::127.0.0.1:${port}`] },
    clientCertificates: { 'https://a.test': { cert: CERTIFICATE, key: PRIVATE_KEY } },
  });
  for (const url of ['https://a.test/', 'https://b.test/', 'https://sub.a.test/', 'https://a.test:8443/']) {
    await fetcher.fetch(get(url)).promise;
  }
  expect(visitors).toEqual([
    `${version} a.test gossamer test`,
    `${version} b.test nobody`,
    `${version} sub.a.test nobody`,
    `${version} a.test:8443 nobody`,
  ]);
});

function files(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-cert-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const key = createPrivateKey(PRIVATE_KEY);
  const locked = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p4ss' });
  const contents = {
    'cert.pem': CERTIFICATE,
    'key.pem': PRIVATE_KEY,
    'locked.pem': locked,
    'empty.pem': '-----BEGIN X-----',
  };
  for (const [name, text] of Object.entries(contents)) {
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, 'both.p12'), Buffer.from(PKCS12, 'base64'));
  writeFileSync(join(folder, 'junk.p12'), 'no certificate');
  return folder;
}

test('files are read by origin; without one they are for the https origins of the seeds', () => {
  const folder = files();
  const options = {
    clientCerts: [join(folder, 'cert.pem'), `https://b.test|${join(folder, 'both.p12')}`],
    clientKeys: [join(folder, 'locked.pem')],
    clientPassphrase: 'env:SECRET',
  };
  const found = readClientCertificates(options, () => ['https://a.test', 'http://a.test'], {
    SECRET: PKCS12_PASSPHRASE,
  });
  expect(Object.keys(found)).toEqual(['https://a.test', 'https://b.test']);
  expect(found['https://a.test']).toMatchObject({ cert: CERTIFICATE });
  expect(found['https://b.test']).toHaveProperty('pfx');
});

test.each<[{ clientCerts?: string[]; clientKeys?: string[]; clientPassphrase?: string }, string]>([
  [{ clientCerts: ['cert.pem'] }, 'holds no private key: name the file that does with --client-key'],
  [{ clientCerts: ['cert.pem'], clientKeys: ['cert.pem'] }, 'holds no private key (PEM)'],
  [{ clientCerts: ['cert.pem'], clientKeys: ['locked.pem'] }, 'it wants a passphrase'],
  [{ clientCerts: ['both.p12'] }, 'it wants a passphrase'],
  [{ clientCerts: ['both.p12'], clientPassphrase: 'env:WRONG' }, 'the passphrase is not the right one'],
  [{ clientCerts: ['both.p12'], clientPassphrase: 'env:UNSET' }, 'names the variable UNSET, which is not set'],
  [{ clientCerts: ['both.p12'], clientKeys: ['key.pem'] }, 'is PKCS#12 and holds its key'],
  [{ clientCerts: ['junk.p12'] }, 'cannot be used: '],
  [{ clientCerts: ['empty.pem'], clientKeys: ['key.pem'] }, 'holds no certificate'],
  [{ clientCerts: ['missing.pem'] }, '--client-cert cannot be read'],
  [{ clientKeys: ['key.pem'] }, 'has no --client-cert that it belongs to'],
  [{ clientCerts: ['cert.pem', 'cert.pem'] }, '--client-cert is given twice'],
])('what cannot be used is told at the start: %o', (given, problem) => {
  const folder = files();
  const placed = (names: string[] = []) => names.map((name) => join(folder, name));
  const { clientCerts, clientKeys, clientPassphrase = null } = given;
  const options = { clientCerts: placed(clientCerts), clientKeys: placed(clientKeys), clientPassphrase };
  const read = () => readClientCertificates(options, () => ['https://a.test'], { WRONG: 's3cret' });
  expect(read).toThrow(UsageError);
  expect(read).toThrow(problem);
  expect(read).not.toThrow(/s3cret/);
});
