import { expect, test } from 'vitest';
import {
  always,
  connectionsBeforeMine,
  dnsServer,
  failureOf,
  GUARDED,
  get,
  newFetcher,
  rawServer,
  response,
} from './support.js';

const PAGE = always(response('page'));

test.each([
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '017700000001',
  '127.1',
  '0',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  'localhost',
  'x.localhost',
])('no packet reaches a listener on loopback through http://%s', async (host) => {
  const canary = await rawServer(PAGE);
  const fetcher = newFetcher(GUARDED);
  for (const method of ['GET', 'HEAD'] as const) {
    const error = await failureOf(fetcher.fetch(get(`http://${host}:${canary.port}/`, { method })));
    expect(error.errorClass).toBe('blocked_address');
  }
  expect(await connectionsBeforeMine(canary)).toBe(0);
});

test.each(['169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '0.0.0.0'])(
  'http://%s is blocked_address',
  async (host) => {
    expect((await failureOf(newFetcher(GUARDED).fetch(get(`http://${host}/latest/meta-data/`)))).errorClass).toBe(
      'blocked_address',
    );
  },
);

test('a name that resolves to loopback is blocked_address', async () => {
  const canary = await rawServer(PAGE);
  const { servers } = await dnsServer(() => ({ addresses: ['127.0.0.1', '::1'] }));
  const fetcher = newFetcher({ ...GUARDED, dnsServers: servers });
  const error = await failureOf(fetcher.fetch(get(`http://evil.test:${canary.port}/`)));
  expect(error.errorClass).toBe('blocked_address');
  expect(error.message).toContain('evil.test is at 127.0.0.1');
  expect((await failureOf(fetcher.resolve('evil.test'))).errorClass).toBe('blocked_address');
  expect(await connectionsBeforeMine(canary)).toBe(0);
});

test('a name that has only a private IPv6 address is blocked_address', async () => {
  const { servers, questions } = await dnsServer(() => ({ addresses: ['fd00::1'] }));
  const fetcher = newFetcher({ ...GUARDED, dnsServers: servers });
  expect((await failureOf(fetcher.fetch(get('http://evil.test/')))).errorClass).toBe('blocked_address');
  expect(questions).toEqual(['A evil.test', 'AAAA evil.test']);
});

test('a name that changes its address after it was checked is checked again for the next connection', async () => {
  const canary = await rawServer(PAGE, { host: '127.0.0.2' });
  const allowed = await rawServer((socket) => void socket.end(response('page', ['Connection: close'])));
  // 127.0.0.1 stands for the public address here: it alone is allowed.
  const guard = { allowPrivate: false, allowNetworks: ['127.0.0.1/32'], allowAddresses: [] };
  const { servers } = await dnsServer((_name, _type, number) => ({
    addresses: [number === 1 ? '127.0.0.1' : '127.0.0.2'],
    ttl: 0,
  }));
  let now = 0;
  const clock = { now: () => now, wall: () => now, at: () => () => {} };
  const fetcher = newFetcher({ guard, dnsServers: servers }, clock);
  const url = `http://rebind.test:${allowed.port}/`;
  expect((await fetcher.fetch(get(url)).promise).remoteAddress).toBe('127.0.0.1');
  now += 2000;
  expect((await failureOf(fetcher.fetch(get(url)))).errorClass).toBe('blocked_address');
  expect(await connectionsBeforeMine(canary)).toBe(0);
});

test('of several addresses only those that are allowed are tried', async () => {
  const canary = await rawServer(PAGE, { host: '127.0.0.2' });
  const { servers } = await dnsServer(() => ({ addresses: ['127.0.0.2', '127.0.0.1'] }));
  const guard = { allowPrivate: false, allowNetworks: ['127.0.0.1/32'], allowAddresses: [] };
  const fetcher = newFetcher({ guard, dnsServers: servers });
  expect(await fetcher.resolve('mixed.test')).toBe('127.0.0.1');
  const error = await failureOf(fetcher.fetch(get(`http://mixed.test:${canary.port}/`)));
  expect(error.errorClass).toBe('connection_refused');
  expect(await connectionsBeforeMine(canary)).toBe(0);
});

test('a seed on loopback may be fetched, its neighbours may not', async () => {
  const seed = await rawServer(PAGE);
  const neighbour = await rawServer(PAGE);
  const guard = { allowPrivate: false, allowNetworks: [], allowAddresses: [`127.0.0.1:${seed.port}`] };
  const { servers } = await dnsServer(() => ({ addresses: ['127.0.0.1'] }));
  const fetcher = newFetcher({ guard, dnsServers: servers });
  expect((await fetcher.fetch(get(seed.url)).promise).status).toBe(200);
  for (const url of [neighbour.url, `http://name.test:${seed.port}/`, `http://localhost:${seed.port}/`]) {
    expect((await failureOf(fetcher.fetch(get(url)))).errorClass).toBe('blocked_address');
  }
  expect(await connectionsBeforeMine(neighbour)).toBe(0);
  expect(seed.connections).toBe(1);
});

test('a seed by name may be fetched where it is, another name for the same address may not', async () => {
  const seed = await rawServer(PAGE);
  const guard = { allowPrivate: false, allowNetworks: [], allowAddresses: ['wiki.test'] };
  const { servers } = await dnsServer(() => ({ addresses: ['127.0.0.1'] }));
  const fetcher = newFetcher({ guard, dnsServers: servers });
  expect((await fetcher.fetch(get(`http://wiki.test:${seed.port}/`)).promise).status).toBe(200);
  expect((await failureOf(fetcher.fetch(get(`http://other.test:${seed.port}/`)))).errorClass).toBe('blocked_address');
});

test('--connect-to sends a host elsewhere and opens that address for it alone', async () => {
  const server = await rawServer(PAGE);
  const connectTo = [`a.test:80:127.0.0.1:${server.port}`];
  const fetcher = newFetcher({ ...GUARDED, connectTo });
  const answer = await fetcher.fetch(get('http://a.test/x')).promise;
  expect(answer.remoteAddress).toBe('127.0.0.1');
  expect(server.requests[0]).toContain('host: a.test\r\n');
  expect(await fetcher.resolve('a.test')).toBe('127.0.0.1');
  expect((await failureOf(fetcher.fetch(get(server.url)))).errorClass).toBe('blocked_address');
  expect(server.connections).toBe(1);
});

test('--connect-to with a port alone does not open the address', async () => {
  const canary = await rawServer(PAGE);
  const fetcher = newFetcher({ ...GUARDED, connectTo: [`:::${canary.port}`] });
  expect((await failureOf(fetcher.fetch(get('http://127.0.0.1/')))).errorClass).toBe('blocked_address');
  expect(await connectionsBeforeMine(canary)).toBe(0);
});

test('an address that is refused gives way to the next one', async () => {
  const server = await rawServer(PAGE, { host: '127.0.0.3' });
  const { servers } = await dnsServer(() => ({ addresses: ['127.0.0.2', '127.0.0.3'] }));
  const answer = await newFetcher({ dnsServers: servers }).fetch(get(`http://two.test:${server.port}/`)).promise;
  expect(answer.remoteAddress).toBe('127.0.0.3');
});

test('a name that does not exist is dns', async () => {
  const { servers } = await dnsServer(() => ({ rcode: 3 }));
  const fetcher = newFetcher({ ...GUARDED, dnsServers: servers });
  expect((await failureOf(fetcher.fetch(get('http://gone.test/')))).errorClass).toBe('dns');
  expect((await failureOf(fetcher.resolve('gone.test'))).errorClass).toBe('dns');
  expect(fetcher.stats().dnsLookups).toBe(1);
});
