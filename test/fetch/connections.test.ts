import { expect, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { always, failureOf, get, newFetcher, nextTurn, rawServer, response } from './support.js';

test('requests one after the other share a connection', async () => {
  const server = await rawServer(always(response('page')));
  const fetcher = newFetcher();
  for (let n = 0; n < 5; n++) await fetcher.fetch(get(`${server.url}/${n}`)).promise;
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
    while (server.requests.length < n) await nextTurn();
    expect(server.requests).toHaveLength(n);
    waiting.shift()!();
  }
  await Promise.all(all);
  expect(server.connections).toBe(1);
});

test('a request that waits for the one connection can be taken back, and those behind it go on', async () => {
  const server = await rawServer((socket, _head, number) => {
    if (number > 1) socket.write(response('page'));
  });
  const fetcher = newFetcher();
  const [first, second, third] = [1, 2, 3].map((n) =>
    fetcher.fetch(get(`${server.url}/${n}`, { singleConnection: true })),
  );
  while (server.requests.length === 0) await nextTurn();
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
  for (const server of servers) await fetcher.fetch(get(server.url)).promise;
  while (fetcher.stats().sockets > 2) await nextTurn();
  while (servers.slice(0, 2).some((server) => server.open.size > 0)) await nextTurn();
  expect(servers.map((server) => server.open.size)).toEqual([0, 0, 1, 1]);
  await fetcher.fetch(get(servers[2]!.url)).promise;
  expect(servers[2]!.connections).toBe(1);
});

test('a connection with a request in flight is never closed for another', async () => {
  const held: (() => void)[] = [];
  const busy = await rawServer((socket, _head, number) => {
    if (number === 1) socket.write(response('first'));
    else held.push(() => socket.write(response('late')));
  });
  const others = await Promise.all([1, 2, 3].map(() => rawServer(always(response('page')))));
  const fetcher = newFetcher({ maxSockets: 1 });
  await fetcher.fetch(get(busy.url)).promise;
  const late = fetcher.fetch(get(busy.url)).promise;
  while (held.length === 0) await nextTurn();
  for (const server of others) await fetcher.fetch(get(server.url)).promise;
  held[0]!();
  expect((await late).body?.toString()).toBe('late');
  expect(busy.connections).toBe(1);
});

test('a connection that the server closes is forgotten', async () => {
  const server = await rawServer((socket) => void socket.end(response('page')));
  const fetcher = newFetcher();
  for (let n = 1; n <= 3; n++) {
    expect((await fetcher.fetch(get(server.url)).promise).status).toBe(200);
    while (fetcher.stats().sockets > 0) await nextTurn();
    expect(server.connections).toBe(n);
  }
});

test('a server that says it closes is not asked again on that connection', async () => {
  const server = await rawServer(always(response('page', ['Connection: close'])));
  const fetcher = newFetcher();
  for (let n = 0; n < 3; n++) await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
  expect(server.connections).toBe(3);
});
