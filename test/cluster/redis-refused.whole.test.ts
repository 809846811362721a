import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectBus } from '../../src/cluster/connect.js';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import { freePort, RedisServer } from './redis-server.js';

const CRAWLER = '~{gossamer:* +eval +evalsha +get +set +del +expire +xadd +xdel +xlen +xread +time +info +memory|usage';

/** A Redis with TLS at one port and none at another, and with users that may do more and less. */
describe('a Redis that wants to know who comes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-tls-'));
  const [ca, key] = [join(folder, 'ca.pem'), join(folder, 'key.pem')];
  let server: RedisServer;
  let tlsPort: number;

  beforeAll(async () => {
    writeFileSync(ca, CERTIFICATE);
    writeFileSync(key, PRIVATE_KEY);
    tlsPort = await freePort();
    server = await RedisServer.start(
      ...['--tls-port', String(tlsPort), '--tls-cert-file', ca, '--tls-key-file', key, '--tls-ca-cert-file', ca],
      ...['--tls-auth-clients', 'no', '--requirepass', 'secret'],
      ...['--user', ...`crawler on >p@ss ${CRAWLER}`.split(' ')],
      ...['--user', ...'reader on >p@ss ~* +get +info +eval +evalsha +time'.split(' ')],
    );
  });

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const plain = (user: string): string => `redis://${user}127.0.0.1:${server.port}`;
  const encrypted = (user: string, ending = `?ca=${ca}`): string => `rediss://${user}127.0.0.1:${tlsPort}${ending}`;

  it('is used over TLS, with a password, by a user with the rights that are documented', async () => {
    for (const url of [encrypted(':secret@'), encrypted('crawler:p%40ss@'), plain('crawler:p%40ss@')]) {
      const bus = await connectBus(url, 'c');
      const founding = {
        id: 'id',
        hash: 'h',
        nodes: 2,
        generation: 1,
        config: '{}',
        durationMs: 0,
        maxBytes: 0,
        ranMs: 0,
        isSure: false,
      };
      expect((await bus.found(founding)).id).toBe('id');
      expect(await bus.read(0, '0', 1)).toEqual([]);
      expect((await bus.use(2)).bytes).toBeGreaterThan(0);
      await bus.close();
    }
  });

  it.each<[string, () => string, RegExp]>([
    ['no password', () => plain(''), /wants a password/],
    ['a wrong password', () => plain(':wrong@'), /user name or the password is wrong/],
    ['an unknown user', () => encrypted('nobody:p@'), /user name or the password is wrong/],
    ['a right that is missing', () => plain('reader:p%40ss@'), /lacks a right .* it needs ~\{gossamer:\* \+eval/],
    [
      'TLS where there is none',
      () => `rediss://:secret@127.0.0.1:${server.port}?ca=${ca}`,
      /does not speak TLS .* begin --redis-url with redis:/,
    ],
    ['no TLS where there is', () => `redis://:secret@127.0.0.1:${tlsPort}`, /begin --redis-url with rediss:/],
    ['a certificate that nobody trusts', () => encrypted(':secret@', ''), /not trusted .* add \?ca=FILE/],
    [
      'a file that is missing',
      () => encrypted(':secret@', '?ca=/nowhere/ca.pem'),
      /ca=\/nowhere\/ca.pem .* cannot be read/,
    ],
    ['a port where nobody listens', () => 'redis://127.0.0.1:1', /ECONNREFUSED/],
    ['a Redis Cluster that is none', () => `${plain(':secret@')}?cluster`, /Cluster/],
  ])('says in one sentence what is wrong: %s', async (_name, url, words) => {
    const refused = await connectBus(url(), 'c').then(
      () => null,
      (error: Error & { exitCode?: number }) => error,
    );
    expect(refused?.message).toMatch(words);
    expect(refused?.message).toMatch(/^(?:Redis at rediss?:\/\/127\.0\.0\.1:\d+ cannot be used: |ca=)[^\n]+$/);
    expect([refused?.message.includes('secret'), refused?.exitCode]).toEqual([false, 3]);
  });
});
