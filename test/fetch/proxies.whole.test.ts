import { once } from 'node:events';
import { type AddressInfo, createServer, connect as netConnect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { CERTIFICATE } from './certificate.js';
import {
  always,
  dnsServer,
  FakeClock,
  failureOf,
  GUARDED,
  get,
  newFetcher,
  nextTurn,
  type RawServer,
  rawServer,
  response,
  tunnelTo,
} from './support.js';

interface SocksServer {
  port: number;
  /** What each connection asked for: `host:port`, with the user and password that it gave. */
  asked: string[];
}

interface SocksBehaviour {
  login?: string;
  /** In place of opening the connection. */
  reply?: number;
  /** The bytes of its answers come one by one. */
  drips?: boolean;
}

/** A SOCKS5 proxy on loopback that leads every connection to one server. */
async function socksTo(
  server: RawServer | null,
  { login, reply = 0, drips = false }: SocksBehaviour = {},
): Promise<SocksServer> {
  const found: SocksServer = { port: 0, asked: [] };
  const open = new Set<Socket>();
  const listener = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    void speak(socket).catch(() => socket.destroy());
  });
  const write = (socket: Socket, bytes: number[]): void => {
    for (const piece of drips ? bytes.map((byte) => [byte]) : [bytes]) {
      socket.write(Buffer.from(piece));
    }
  };
  const speak = async (socket: Socket): Promise<void> => {
    const read = async (count: number): Promise<Buffer> => {
      for (;;) {
        const bytes = socket.read(count) as Buffer | null;
        if (bytes !== null) {
          return bytes;
        }
        await once(socket, 'readable');
      }
    };
    const methods = await read((await read(2))[1]!);
    const method = login === undefined ? 0 : methods.includes(2) ? 2 : 0xff;
    write(socket, [5, method]);
    let who = '';
    if (method === 2) {
      const user = (await read((await read(2))[1]!)).toString();
      const password = (await read((await read(1))[0]!)).toString();
      who = `${user}:${password}@`;
      write(socket, [1, `${user}:${password}` === login ? 0 : 1]);
    }
    const kind = (await read(4))[3];
    const host =
      kind === 3 ? (await read((await read(1))[0]!)).toString() : [...(await read(kind === 1 ? 4 : 16))].join('.');
    const port = (await read(2)).readUInt16BE(0);
    found.asked.push(`${who}${host}:${port}`);
    if (reply !== 0 || server === null) {
      write(socket, [5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
      return;
    }
    const onward = netConnect(server.port, '127.0.0.1', () => {
      // Bound to a name: its length is a byte of its own.
      write(socket, [5, 0, 0, 3, 2, 0x61, 0x62, 0, 80]);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  };
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  found.port = (listener.address() as AddressInfo).port;
  onTestFinished(() => {
    for (const socket of open) {
      socket.destroy();
    }
    listener.close();
  });
  return found;
}

test('socks5h hands names on, for http and https, with a password', async () => {
  const plain = await rawServer(always(response('plain')));
  const secure = await rawServer(always(response('secure')), { tls: true });
  const toPlain = await socksTo(plain, { login: 'me:p@ss', drips: true });
  const toSecure = await socksTo(secure);
  const first = newFetcher({
    ...GUARDED,
    proxies: [`socks5h://me:p%40ss@127.0.0.1:${toPlain.port}`],
    dnsServers: ['127.0.0.1:1'],
  });
  expect((await first.fetch(get('http://name.test/a?b')).promise).body?.toString()).toBe('plain');
  expect(toPlain.asked).toEqual(['me:p@ss@name.test:80']);
  // The server is spoken to as if directly.
  expect(plain.requests[0]).toMatch(/^GET \/a\?b HTTP\/1\.1\r\nhost: name\.test\r\n/);
  expect(plain.requests[0]).not.toContain('proxy-authorization');
  expect(await first.resolve('name.test')).toBe('name.test');
  const second = newFetcher({ ...GUARDED, proxies: [`socks5h://127.0.0.1:${toSecure.port}`], cacert: CERTIFICATE });
  expect((await second.fetch(get('https://a.test/')).promise).body?.toString()).toBe('secure');
  expect(toSecure.asked).toEqual(['a.test:443']);
});

test('socks5 looks names up here: the proxy gets addresses, and none that the guard has not let through', async () => {
  const server = await rawServer(always(response('page')));
  const proxy = await socksTo(server);
  const names = await dnsServer((name) => ({ addresses: [name === 'inner.test' ? '10.0.0.7' : '93.184.216.34'] }));
  const fetcher = newFetcher({ ...GUARDED, proxies: [`socks5://127.0.0.1:${proxy.port}`], dnsServers: names.servers });
  const { remoteAddress } = await fetcher.fetch(get('http://outer.test/')).promise;
  expect(remoteAddress).toBe('93.184.216.34');
  expect(await fetcher.resolve('outer.test')).toBe('93.184.216.34');
  for (const url of ['http://inner.test/', 'http://127.0.0.1/', 'http://[::1]/', 'https://localhost/']) {
    expect((await failureOf(fetcher.fetch(get(url)))).errorClass).toBe('blocked_address');
  }
  expect(proxy.asked).toEqual(['93.184.216.34:80']);
});

test('a literal that is private is refused through socks5h too', async () => {
  const proxy = await socksTo(await rawServer(always(response('page'))));
  const fetcher = newFetcher({ ...GUARDED, proxies: [`socks5h://127.0.0.1:${proxy.port}`] });
  expect((await failureOf(fetcher.fetch(get('http://169.254.169.254/')))).errorClass).toBe('blocked_address');
  expect(proxy.asked).toEqual([]);
});

test('what a SOCKS proxy refuses is said in words', async () => {
  const locked = await socksTo(null, { login: 'me:right' });
  const wrong = newFetcher({ proxies: [`socks5h://me:wr0ng@127.0.0.1:${locked.port}`] });
  const refused = await failureOf(wrong.fetch(get('http://a.test/')));
  expect(refused.message).toBe(`The proxy 127.0.0.1:${locked.port} cannot be used: it wants other credentials.`);
  expect(refused.errorClass).toBe('auth_required');
  const bare = newFetcher({ proxies: [`socks5h://127.0.0.1:${locked.port}`] });
  expect((await failureOf(bare.fetch(get('http://a.test/')))).message).toContain('it wants');
  const closed = await socksTo(null, { reply: 5 });
  const host = newFetcher({ proxies: [`socks5h://127.0.0.1:${closed.port}`] });
  expect((await failureOf(host.fetch(get('http://a.test/')))).message).toBe(
    'The proxy says that the connection was refused: a.test:80.',
  );
  const web = await rawServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const other = newFetcher({ proxies: [`socks5h://127.0.0.1:${web.port}`], connectTimeoutMs: 300 });
  expect((await failureOf(other.fetch(get('http://a.test/')))).message).toMatch(/SOCKS5|has opened no way/);
});

const HOSTS = Array.from({ length: 24 }, (_, i) => `h${i}.test`);

test('of several proxies each host has one, or each request the next', async () => {
  const proxies = await Promise.all([1, 2, 3].map(() => rawServer(always(response('page')))));
  const urls = proxies.map(({ url }) => url);
  const perHost = newFetcher({ proxies: urls });
  for (const host of [...HOSTS, ...HOSTS]) {
    await perHost.fetch(get(`http://${host}/`)).promise;
  }
  const hostsAt = proxies.map(({ requests }) => new Set(requests.map((head) => /host: (\S+)/.exec(head)![1])));
  expect(hostsAt.map(({ size }) => size).reduce((a, b) => a + b)).toBe(HOSTS.length);
  expect(hostsAt.every(({ size }) => size > 0)).toBe(true);
  for (const proxy of proxies) {
    proxy.requests.length = 0;
  }
  const perRequest = newFetcher({ proxies: urls, proxyRotation: 'request' });
  for (let i = 0; i < 9; i++) {
    await perRequest.fetch(get('http://one.test/')).promise;
  }
  expect(proxies.map(({ requests }) => requests.length)).toEqual([3, 3, 3]);
});

test('a proxy that fails is set aside for a while, and what it had goes through the next', async () => {
  const clock = new FakeClock();
  let refusals = 0;
  const dying = await rawServer((socket) => {
    refusals++;
    socket.write(response('', [], '407 Proxy Authentication Required'));
  });
  const tunnel = await tunnelTo(await rawServer(always(response('page')), { tls: true }));
  const fetcher = newFetcher({ proxies: [dying.url, tunnel.url], proxyRotation: 'request', insecure: true }, clock);
  const ask = async (host: string): Promise<void> => {
    expect((await fetcher.fetch(get(`https://${host}/`)).promise).status).toBe(200);
  };
  for (const host of HOSTS.slice(0, 6)) {
    await ask(host);
  }
  expect(refusals).toBe(1);
  clock.advance(5_001);
  for (const host of HOSTS.slice(6, 10)) {
    await ask(host);
  }
  // It was tried once more, and is now set aside for ten seconds.
  expect(refusals).toBe(2);
  clock.advance(5_001);
  for (const host of HOSTS.slice(10, 14)) {
    await ask(host);
  }
  expect(refusals).toBe(2);
});

test('when all proxies are dead that is said, without their credentials', async () => {
  const fetcher = newFetcher({ proxies: ['http://me:secret@127.0.0.1:1', 'socks5://127.0.0.1:1'] });
  const error = await failureOf(fetcher.fetch(get('http://93.184.216.34/')));
  expect(error.message).toMatch(/^None of the 2 proxies can be used\. The proxy 127\.0\.0\.1:1 cannot be used: /);
  expect(error.message).not.toContain('secret');
  expect(error.errorClass).toBe('connection_refused');
  // They are set aside now, and one of them is tried all the same.
  expect((await failureOf(fetcher.fetch(get('http://93.184.216.34/')))).message).toMatch(/^None of the 2 proxies/);
});

/** A proxy that gives these answers to what it is told, one each, and then falls silent. */
async function silentAfter(answers: readonly (string | number[])[]) {
  const found = { port: 0, connections: 0, told: 0 };
  const open = new Set<Socket>();
  const listener = createServer((socket) => {
    found.connections++;
    open.add(socket);
    let place = 0;
    socket
      .on('error', () => {})
      .on('data', () => {
        const answer = answers[place++];
        if (answer !== undefined) {
          socket.write(typeof answer === 'string' ? answer : Buffer.from(answer));
        }
        found.told++;
      });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  found.port = (listener.address() as AddressInfo).port;
  onTestFinished(() => {
    for (const socket of open) {
      socket.destroy();
    }
    listener.close();
  });
  return found;
}

const TUNNEL_OPEN = 'HTTP/1.1 200 OK\r\n\r\n';

test.each<[string, string, (string | number[])[], number]>([
  ['in the TLS that it is spoken to by', 'https://', [], 1],
  ['when it is told to open a tunnel', 'http://', [], 1],
  ['within its answer to that', 'http://', ['HTTP/1.1 200 OK\r\nVia: x'], 1],
  ['in the TLS behind its tunnel', 'http://', [TUNNEL_OPEN], 2],
  ['at the greeting of SOCKS5', 'socks5h://', [], 1],
  ['when it has the password', 'socks5h://me:pass@', [[5, 2]], 2],
  ['when it is told where to', 'socks5h://', [[5, 0]], 2],
  [
    'within its answer to that',
    'socks5h://',
    [
      [5, 0],
      [5, 0, 0, 1],
    ],
    2,
  ],
  [
    'in the TLS behind SOCKS5',
    'socks5h://',
    [
      [5, 0],
      [5, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    ],
    3,
  ],
])(
  'a proxy that falls silent %s (%s) has its part of the time, and is then set aside',
  async (_at, scheme, answers, told) => {
    const silent = await silentAfter(answers);
    const tunnel = await tunnelTo(await rawServer(always(response('page')), { tls: true }));
    const clock = new FakeClock();
    const limits = { connectTimeoutMs: 4_000, insecure: true, proxyRotation: 'request' as const };
    const fetcher = newFetcher({ ...limits, proxies: [`${scheme}127.0.0.1:${silent.port}`, tunnel.url] }, clock);
    const first = fetcher.fetch(get('https://a.test/')).promise;
    first.catch(() => {});
    while (silent.told < told) {
      await nextTurn();
    }
    // More than half of the time: the other half is for the next one.
    clock.advance(2_100);
    expect((await first).status).toBe(200);
    for (let i = 0; i < 4; i++) {
      expect((await fetcher.fetch(get(`https://b${i}.test/`)).promise).status).toBe(200);
    }
    expect(silent.connections).toBe(1);
  },
);

test('where all proxies fall silent the last one is named, and none is set aside: it may be the host', async () => {
  const proxies = await Promise.all([silentAfter([[5, 0]]), silentAfter([])]);
  const urls = [`socks5h://127.0.0.1:${proxies[0]!.port}`, `http://127.0.0.1:${proxies[1]!.port}`];
  const clock = new FakeClock();
  const limits = { connectTimeoutMs: 4_000, proxyRotation: 'request' as const };
  const fetcher = newFetcher({ ...limits, proxies: urls }, clock);
  const failed = failureOf(fetcher.fetch(get('https://a.test/')));
  failed.catch(() => {});
  const told = async (first: number, second: number): Promise<void> => {
    while (proxies[0]!.told < first || proxies[1]!.told < second) {
      await nextTurn();
    }
  };
  await told(2, 0);
  clock.advance(2_100);
  await told(2, 1);
  clock.advance(2_000);
  const error = await failed;
  expect([error.errorClass, error.message]).toEqual([
    'timeout',
    `The proxy 127.0.0.1:${proxies[1]!.port} has opened no way to a.test:443 in time.`,
  ]);
  // The next request begins with the second one, though that was silent.
  const second = fetcher.fetch(get('https://b.test/'));
  second.promise.catch(() => {});
  await told(2, 2);
  second.abort(new FetchError('internal', 'enough'));
});
