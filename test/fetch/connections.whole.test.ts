import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { Attempt } from '../../src/fetch/attempt.js';
import { Connector } from '../../src/fetch/connector.js';
import { orShortage, Shortage } from '../../src/fetch/shortage.js';
import { always, FakeClock, failureOf, get, newFetcher, nextTurn, rawServer, response } from './support.js';

test('requests one after the other share a connection', async () => {
  const server = await rawServer(always(response('page')));
  const fetcher = newFetcher();
  for (let n = 0; n < 5; n++) {
    await fetcher.fetch(get(`${server.url}/${n}`)).promise;
  }
  expect(server.connections).toBe(1);
  expect(fetcher.stats().sockets).toBe(1);
});

test('requests at the same time have a connection each, which are used again', async () => {
  const server = await rawServer(always(response('page')));
  const fetcher = newFetcher();
  const batch = () => Promise.all([1, 2, 3, 4].map((n) => fetcher.fetch(get(`${server.url}/${n}`)).promise));
  await batch();
  await batch();
  expect(server.requests).toHaveLength(8);
  expect(server.connections).toBe(4);
});

test('with one connection a host the next request waits for the end of the one before', async () => {
  const waiting: (() => void)[] = [];
  const server = await rawServer((socket) => void waiting.push(() => socket.write(response('page'))));
  const fetcher = newFetcher();
  const all = [1, 2, 3].map((n) => fetcher.fetch(get(`${server.url}/${n}`, { singleConnection: true })).promise);
  for (let n = 1; n <= 3; n++) {
    while (server.requests.length < n) {
      await nextTurn();
    }
    expect(server.requests).toHaveLength(n);
    waiting.shift()!();
  }
  await Promise.all(all);
  expect(server.connections).toBe(1);
});

test('a request that waits for the one connection can be taken back, and those behind it go on', async () => {
  const server = await rawServer((socket, _head, number) => {
    if (number > 1) {
      socket.write(response('page'));
    }
  });
  const fetcher = newFetcher();
  const [first, second, third] = [1, 2, 3].map((n) =>
    fetcher.fetch(get(`${server.url}/${n}`, { singleConnection: true })),
  );
  while (server.requests.length === 0) {
    await nextTurn();
  }
  const reason = new FetchError('timeout', 'stop');
  second!.abort(reason);
  expect(await failureOf(second!)).toBe(reason);
  first!.abort(reason);
  await failureOf(first!);
  expect((await third!.promise).status).toBe(200);
  expect(server.requests.map((head) => head.split(' ')[1])).toEqual(['/1', '/3']);
});

test('a failed connection does not hold up those that wait for it', async () => {
  const fetcher = newFetcher();
  const errors = await Promise.all(
    [1, 2, 3].map((n) => failureOf(fetcher.fetch(get(`http://127.0.0.1:1/${n}`, { singleConnection: true })))),
  );
  expect(errors.map((error) => error.errorClass)).toEqual(new Array(3).fill('connection_refused'));
});

test('idle connections are bounded over all hosts, and the one not used for longest goes first', async () => {
  const servers = await Promise.all([1, 2, 3, 4].map(() => rawServer(always(response('page')))));
  const fetcher = newFetcher({ maxSockets: 2 });
  for (const server of servers) {
    await fetcher.fetch(get(server.url)).promise;
  }
  while (fetcher.stats().sockets > 2) {
    await nextTurn();
  }
  while (servers.slice(0, 2).some((server) => server.open.size > 0)) {
    await nextTurn();
  }
  expect(servers.map((server) => server.open.size)).toEqual([0, 0, 1, 1]);
  await fetcher.fetch(get(servers[2]!.url)).promise;
  expect(servers[2]!.connections).toBe(1);
});

test('a connection with a request in flight is never closed for another', async () => {
  const held: (() => void)[] = [];
  const busy = await rawServer((socket, _head, number) => {
    if (number === 1) {
      socket.write(response('first'));
    } else {
      held.push(() => socket.write(response('late')));
    }
  });
  const others = await Promise.all([1, 2, 3].map(() => rawServer(always(response('page')))));
  const fetcher = newFetcher({ maxSockets: 1 });
  await fetcher.fetch(get(busy.url)).promise;
  const late = fetcher.fetch(get(busy.url)).promise;
  while (held.length === 0) {
    await nextTurn();
  }
  const waiting = others.map((server) => fetcher.fetch(get(server.url)).promise);
  await nextTurn();
  expect(others.map((server) => server.connections)).toEqual([0, 0, 0]);
  held[0]!();
  expect((await late).body?.toString()).toBe('late');
  await Promise.all(waiting);
  expect(busy.connections).toBe(1);
});

test('at the limit requests wait, the server never sees more connections, and every host gets its turn', async () => {
  let peak = 0;
  const order: string[] = [];
  const server = await rawServer((socket, head) => {
    peak = Math.max(peak, server.open.size);
    order.push(/^Host: (\w+)/im.exec(head)![1]!);
    setImmediate(() => socket.write(response('page')));
  });
  const fetcher = newFetcher({ maxSockets: 2, connectTo: [`::127.0.0.1:${server.port}`] });
  const ask = (host: string, n: number) => fetcher.fetch(get(`http://${host}.test/${n}`)).promise;
  const many = Array.from({ length: 60 }, (_, n) => ask('big', n));
  const few = ['a', 'b', 'c', 'd'].flatMap((host) => [1, 2].map((n) => ask(host, n)));
  const single = [1, 2].map((n) => fetcher.fetch(get(`http://single.test/${n}`, { singleConnection: true })).promise);
  const all = await Promise.all([...many, ...few, ...single]);
  expect(all.every(({ status }) => status === 200)).toBe(true);
  expect(peak).toBe(2);
  // All of the small ones are through before half of the big one.
  const lastSmall = Math.max(...['a', 'b', 'c', 'd', 'single'].map((host) => order.lastIndexOf(host)));
  expect(order.slice(0, lastSmall).filter((host) => host === 'big').length).toBeLessThan(50);
  expect(server.connections).toBeLessThan(30);
});

test('a request that waits for a socket can be taken back, and its waiting is no part of its time', async () => {
  const clock = new FakeClock();
  const held: Socket[] = [];
  const server = await rawServer((socket) => void held.push(socket));
  const fetcher = newFetcher({ maxSockets: 1, timeoutMs: 1000, idleTimeoutMs: 60_000 }, clock);
  const first = fetcher.fetch(get(`${server.url}/1`, { timeoutMs: 60_000 }));
  while (held.length === 0) {
    await nextTurn();
  }
  const [second, third] = [2, 3].map((n) => fetcher.fetch(get(`${server.url}/${n}`)));
  const reason = new FetchError('internal', 'stop');
  second!.abort(reason);
  expect(await failureOf(second!)).toBe(reason);
  clock.advance(5000);
  held[0]!.write(response('page'));
  await first.promise;
  while (held.length < 2) {
    await nextTurn();
  }
  held[1]!.write(response('page'));
  expect((await third!.promise).status).toBe(200);
  expect(server.requests.map((head) => head.split(' ')[1])).toEqual(['/1', '/3']);
  expect(server.connections).toBe(1);
});

test('a retired fetcher closes what is not in use, and ends what it has', async () => {
  const held: Socket[] = [];
  const server = await rawServer(
    (socket, head) => void (head.includes('/held') ? held.push(socket) : socket.write(response('page'))),
  );
  const fetcher = newFetcher();
  await Promise.all([1, 2, 3].map((n) => fetcher.fetch(get(`${server.url}/${n}`)).promise));
  const last = fetcher.fetch(get(`${server.url}/held`)).promise;
  while (held.length === 0) {
    await nextTurn();
  }
  expect(fetcher.retire()).toBe(3);
  while (server.open.size > 1) {
    await nextTurn();
  }
  held[0]!.write(response('page'));
  await last;
  while (server.open.size > 0) {
    await nextTurn();
  }
});

describe('without a descriptor for a socket', () => {
  /** What the machine has: so many sockets, and none while it is down. */
  class Machine {
    left = 0;
    tries = 0;

    constructor() {
      const real = Connector.prototype.connect;
      const machine = this;
      const spy = vi.spyOn(Connector.prototype, 'connect').mockImplementation(function (
        this: Connector,
        endpoint,
        done,
      ) {
        machine.tries++;
        if (machine.left > 0) {
          machine.left--;
          return real.call(this, endpoint, (error, connected) => {
            connected?.socket.once('close', () => machine.left++);
            done(error, connected);
          });
        }
        const error = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' });
        queueMicrotask(() => done(orShortage(error, '127.0.0.1') as FetchError, null));
        return new Attempt(endpoint.host, 0, Number.POSITIVE_INFINITY);
      });
      onTestFinished(() => spy.mockRestore());
    }
  }

  test('requests wait for one of ours to be closed, and all are answered', async () => {
    const machine = new Machine();
    machine.left = 3;
    const server = await rawServer(always(response('page')));
    const fetcher = newFetcher({ connectTo: [`::127.0.0.1:${server.port}`] });
    const all = Array.from({ length: 40 }, (_, n) => fetcher.fetch(get(`http://h${n}.test/`)).promise);
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(new Array(40).fill(200));
    expect(server.requests).toHaveLength(40);
  });

  test('where we have none open it is tried again, less and less often', async () => {
    const clock = new FakeClock();
    const machine = new Machine();
    const server = await rawServer(always(response('page')));
    const fetcher = newFetcher({ timeoutMs: 1000, connectTimeoutMs: 1000 }, clock);
    const pending = fetcher.fetch(get(server.url));
    for (let second = 0; second < 60; second++) {
      await nextTurn();
      clock.advance(1000);
    }
    expect(machine.tries).toBeGreaterThan(10);
    expect(machine.tries).toBeLessThan(45);
    machine.left = 1;
    while (machine.left > 0) {
      await nextTurn();
      clock.advance(500);
    }
    expect((await pending.promise).status).toBe(200);
  });

  test('it ends: after five minutes without any the request has failed, as one that may be made again', async () => {
    const clock = new FakeClock();
    new Machine();
    const fetcher = newFetcher({}, clock);
    const failure = failureOf(fetcher.fetch(get('http://127.0.0.1:1/')));
    for (let n = 0; n < 200; n++) {
      await nextTurn();
      clock.advance(2000);
    }
    expect(await failure).toMatchObject({ errorClass: 'timeout', message: expect.stringContaining('open files') });
  });

  test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EAGAIN', 'EADDRNOTAVAIL'])('%s is one', (code) => {
    expect(orShortage(Object.assign(new Error(code), { code }), '192.0.2.1')).toBeInstanceOf(Shortage);
  });

  test('an address of IPv6 that this machine cannot have is none', () => {
    const error = Object.assign(new Error('connect'), { code: 'EADDRNOTAVAIL' });
    expect(orShortage(error, '::1')).toBe(error);
  });
});

test('a connection that the server closes is forgotten', async () => {
  const server = await rawServer((socket) => void socket.end(response('page')));
  const fetcher = newFetcher();
  for (let n = 1; n <= 3; n++) {
    expect((await fetcher.fetch(get(server.url)).promise).status).toBe(200);
    while (fetcher.stats().sockets > 0) {
      await nextTurn();
    }
    expect(server.connections).toBe(n);
  }
});

test('a server that says it closes is not asked again on that connection', async () => {
  const server = await rawServer(always(response('page', ['Connection: close'])));
  const fetcher = newFetcher();
  for (let n = 0; n < 3; n++) {
    await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
  }
  expect(server.connections).toBe(3);
});

test('a connection that idles and is closed by its server gives its socket to the next host', async () => {
  // It answers as if the connection would stay, and closes it.
  const leaving = await rawServer(
    (socket) => void socket.write(response('page'), () => setImmediate(() => socket.end())),
  );
  const staying = await rawServer(always(response('page')));
  const fetcher = newFetcher({ maxSockets: 1 });
  for (let n = 0; n < 20; n++) {
    await fetcher.fetch(get(`${leaving.url}/${n}`)).promise;
    while (fetcher.stats().sockets > 0) {
      await nextTurn();
    }
    expect((await fetcher.fetch(get(`${staying.url}/${n}`)).promise).status).toBe(200);
  }
});
