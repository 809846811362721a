import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Answer,
  connectionsBeforeMine,
  dnsServer,
  FakeClock,
  failureOf,
  get,
  HAS_IPV6,
  newFetcher,
  nextTurn,
  rawServer,
  response,
} from './support.js';

const PAGE: Answer = (socket) => void socket.write(response('page'));
const guard = (...allowNetworks: string[]) => ({ allowPrivate: false, allowNetworks, allowAddresses: [] as string[] });
const LOOPBACK = { guard: guard('127.0.0.0/8', '::1/128') };
const bothFamilies = (...addresses: string[]) => dnsServer(() => ({ addresses }));

describe.skipIf(!HAS_IPV6)('an address in brackets', () => {
  test('that is a seed may be fetched at its port; the others of the machine may not', async () => {
    const seed = await rawServer(PAGE, { host: '::1' });
    const other = await rawServer(PAGE, { host: '::1' });
    const fetcher = newFetcher({ guard: { ...guard(), allowAddresses: [`[::1]:${seed.port}`] } });
    const answer = await fetcher.fetch(get(`http://[::1]:${seed.port}/`)).promise;
    expect([answer.status, answer.remoteAddress]).toEqual([200, '::1']);
    expect(seed.requests[0]).toContain(`host: [::1]:${seed.port}\r\n`);
    for (const host of [`[::1]:${other.port}`, `[::ffff:127.0.0.1]:${seed.port}`, `127.0.0.1:${seed.port}`]) {
      const { href } = new URL(`http://${host}/`);
      expect((await failureOf(fetcher.fetch(get(href)))).errorClass, host).toBe('blocked_address');
    }
    expect(await connectionsBeforeMine(other)).toBe(0);
  });

  test.each(['[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[fe80::1]', '[fd00::1]', '[64:ff9b::7f00:1]', '[::]'])(
    '%s is blocked_address without an allowance',
    async (host) => {
      const { href } = new URL(`http://${host}/`);
      expect((await failureOf(newFetcher({ guard: guard() }).fetch(get(href)))).errorClass).toBe('blocked_address');
    },
  );

  test('is where --connect-to may lead', async () => {
    const server = await rawServer(PAGE, { host: '::1' });
    const fetcher = newFetcher({ guard: guard(), connectTo: [`six.test:80:[::1]:${server.port}`] });
    expect((await fetcher.fetch(get('http://six.test/')).promise).remoteAddress).toBe('::1');
    expect(await fetcher.resolve('six.test')).toBe('::1');
  });

  test('is what --connect-to may lead away from, however it is written', async () => {
    const server = await rawServer(PAGE);
    const fetcher = newFetcher({ guard: guard(), connectTo: [`[2001:DB8:0::1]::127.0.0.1:${server.port}`] });
    expect((await fetcher.fetch(get('http://[2001:db8::1]/')).promise).remoteAddress).toBe('127.0.0.1');
  });
});

describe.skipIf(!HAS_IPV6)('a name', () => {
  test('with IPv6 only is reached there', async () => {
    const server = await rawServer(PAGE, { host: '::1' });
    const { servers, questions } = await bothFamilies('::1');
    const fetcher = newFetcher({ ...LOOPBACK, dnsServers: servers });
    expect((await fetcher.fetch(get(`http://six.test:${server.port}/`)).promise).remoteAddress).toBe('::1');
    expect(await fetcher.resolve('six.test')).toBe('::1');
    expect(questions).toEqual(['A six.test', 'AAAA six.test']);
  });

  test('with both is reached by IPv4, and nobody asks for more', async () => {
    const server = await rawServer(PAGE);
    const { servers, questions } = await bothFamilies('127.0.0.1', '::1');
    const fetcher = newFetcher({ ...LOOPBACK, dnsServers: servers });
    expect((await fetcher.fetch(get(`http://both.test:${server.port}/`)).promise).remoteAddress).toBe('127.0.0.1');
    expect(questions).toEqual(['A both.test']);
  });

  test('whose IPv4 address refuses is reached by IPv6', async () => {
    const server = await rawServer(PAGE, { host: '::1' });
    const { servers } = await bothFamilies('127.0.0.2', '127.0.0.3', '::1');
    const fetcher = newFetcher({ ...LOOPBACK, dnsServers: servers });
    expect((await fetcher.fetch(get(`http://both.test:${server.port}/`)).promise).remoteAddress).toBe('::1');
  });

  test('that refuses by both has the error of the first', async () => {
    const { servers } = await bothFamilies('127.0.0.1', '::1');
    const fetcher = newFetcher({ ...LOOPBACK, dnsServers: servers });
    expect((await failureOf(fetcher.fetch(get('http://both.test:2/')))).errorClass).toBe('connection_refused');
  });

  test('whose IPv4 address refuses is not asked by an IPv6 address that is not public', async () => {
    const canary = await rawServer(PAGE, { host: '::1' });
    const { servers } = await bothFamilies('127.0.0.2', '::1');
    const fetcher = newFetcher({ guard: guard('127.0.0.0/8'), dnsServers: servers });
    const error = await failureOf(fetcher.fetch(get(`http://both.test:${canary.port}/`)));
    expect(error.errorClass).toBe('connection_refused');
    expect(await connectionsBeforeMine(canary)).toBe(0);
  });

  test('whose IPv4 address is not public is not asked by any', async () => {
    const canary = await rawServer(PAGE, { host: '::1' });
    const { servers, questions } = await bothFamilies('10.0.0.1', '::1');
    const fetcher = newFetcher({ guard: guard('::1/128'), dnsServers: servers });
    const error = await failureOf(fetcher.fetch(get(`http://both.test:${canary.port}/`)));
    expect(error.errorClass).toBe('blocked_address');
    expect(questions).toEqual(['A both.test']);
  });
});

/** Takes no connection and refuses none: its process stands still, and its queue is full. */
async function deafPort(host: string): Promise<number> {
  const script = `require('node:net').createServer().listen({ port: 0, host: '${host}', backlog: 1 }, function () { console.log(this.address().port); })`;
  const child: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const port = Number(line.toString());
  child.kill('SIGSTOP');
  for (let i = 0; i < 4; i++) {
    const filler = connect({ port, host }).on('error', () => {});
    onTestFinished(() => void filler.destroy());
    if (i < 2) {
      await once(filler, 'connect');
    }
  }
  return port;
}

describe.skipIf(!HAS_IPV6 || process.platform !== 'linux')('an IPv4 address that never answers', () => {
  const LIMITS = { ...LOOPBACK, connectTimeoutMs: 3000, timeoutMs: 60_000, idleTimeoutMs: 60_000 };
  /** Lets time pass once a socket is on its way. */
  async function wait(fetcher: ReturnType<typeof newFetcher>, clock: FakeClock, ms: number): Promise<void> {
    while (fetcher.stats().sockets === 0) {
      await nextTurn();
    }
    clock.advance(ms);
  }

  test('leaves half of the time to IPv6', async () => {
    const port = await deafPort('127.0.0.1');
    // The other family of the same port has a server that listens.
    const server = createServer((socket) => socket.once('data', () => socket.write(response('page'))));
    server.listen(port, '::1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { servers } = await bothFamilies('127.0.0.1', '::1');
    const clock = new FakeClock();
    const fetcher = newFetcher({ ...LIMITS, dnsServers: servers }, clock);
    const pending = fetcher.fetch(get(`http://both.test:${port}/`));
    await wait(fetcher, clock, 1600);
    expect((await pending.promise).remoteAddress).toBe('::1');
  });

  test('gets all of the time where there is no other', async () => {
    const port = await deafPort('127.0.0.1');
    const { servers, questions } = await bothFamilies('127.0.0.1');
    const clock = new FakeClock();
    const fetcher = newFetcher({ ...LIMITS, dnsServers: servers }, clock);
    let ended = false;
    const failure = failureOf(fetcher.fetch(get(`http://four.test:${port}/`))).finally(() => {
      ended = true;
    });
    await wait(fetcher, clock, 1600);
    while (questions.length < 2) {
      await nextTurn();
    }
    await wait(fetcher, clock, 1000);
    await nextTurn();
    expect(ended).toBe(false);
    clock.advance(1000);
    expect(await failure).toMatchObject({
      errorClass: 'timeout',
      message: 'No connection to four.test within 3000 ms.',
    });
  });
});
