import { expect, test } from 'vitest';
import {
  always,
  dnsServer,
  FakeClock,
  failureOf,
  get,
  newFetcher,
  nextTurn,
  type RawServer,
  rawServer,
  response,
} from './support.js';

const LIMITS = {
  connectTimeoutMs: 3000,
  idleTimeoutMs: 5000,
  timeoutMs: 20_000,
  minSpeedBytesPerSecond: 100,
  minSpeedWindowMs: 4000,
};
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n';

const write = (server: RawServer, text: string): void => {
  for (const socket of server.open) {
    socket.write(text);
  }
};

/** A fetch whose server has sent `text`, all of which has been read. */
async function started(text: string, limits: Partial<typeof LIMITS> = {}) {
  const clock = new FakeClock();
  const server = await rawServer(always(text));
  let read = 0;
  let hasHeaders = false;
  const fetcher = newFetcher({ ...LIMITS, ...limits }, clock);
  const pending = fetcher.fetch(get(server.url), {
    onHeaders: () => {
      hasHeaders = true;
    },
    onBytes: (count) => {
      read += count;
    },
  });
  const failure = failureOf(pending);
  failure.catch(() => {});
  const until = async (bytes: number): Promise<void> => {
    while (read < bytes || hasHeaders !== text.includes('\r\n\r\n') || server.requests.length === 0) {
      await nextTurn();
    }
  };
  await until(text.length - Math.min(text.length, HEAD.length));
  return { clock, server, fetcher, pending, failure, until };
}

test('a server that accepts and says nothing is a timeout after the longest silence', async () => {
  const { clock, failure } = await started('');
  clock.advance(5500);
  expect(await failure).toMatchObject({ errorClass: 'timeout', message: 'No headers came for 5000 ms.' });
});

test('headers that trickle in do not prolong the wait for them', async () => {
  const { clock, server, failure } = await started('HTTP/1.1 200 OK\r\n', { minSpeedBytesPerSecond: 0 });
  for (let second = 0; second < 6; second++) {
    write(server, `X-${second}: y\r\n`);
    for (let turn = 0; turn < 5; turn++) {
      await nextTurn();
    }
    clock.advance(1000);
  }
  expect(await failure).toMatchObject({ errorClass: 'timeout', message: 'No headers came for 5000 ms.' });
});

test('a body that falls silent is a timeout', async () => {
  const { clock, failure } = await started(`${HEAD}first`, { minSpeedBytesPerSecond: 0 });
  clock.advance(5500);
  expect(await failure).toMatchObject({ errorClass: 'timeout', message: 'Nothing of the body came for 5000 ms.' });
});

test('a body of one byte a second is too_slow', async () => {
  const { clock, server, failure, until } = await started(HEAD);
  for (let second = 1; second <= 4; second++) {
    write(server, 'x');
    await until(second);
    clock.advance(1000);
  }
  expect((await failure).errorClass).toBe('too_slow');
});

test('a body that is fast enough in each window is not too_slow, but has to end within the whole time', async () => {
  const { clock, server, failure, until, fetcher } = await started(HEAD);
  for (let second = 1; second <= 19; second++) {
    write(server, 'x'.repeat(150));
    await until(second * 150);
    clock.advance(1000);
  }
  expect(fetcher.stats().sockets).toBe(1);
  clock.advance(1000);
  expect(await failure).toMatchObject({
    errorClass: 'timeout',
    message: 'The response was not complete within 20000 ms.',
  });
});

test('time in which the body is paused does not count', async () => {
  const { clock, server, pending } = await started(`${HEAD}first`);
  pending.pause();
  clock.advance(3_600_000);
  pending.resume();
  write(server, 'x'.repeat(100_000 - 5));
  expect((await pending.promise).bodyBytes).toBe(100_000);
});

test('the limit fires and the connection is gone, so that its host is free again', async () => {
  const { clock, server, failure, fetcher } = await started('');
  clock.advance(5500);
  await failure;
  while (server.open.size > 0 || fetcher.stats().sockets > 0) {
    await nextTurn();
  }
});

test('a name server that never answers is a timeout of the connection', async () => {
  const clock = new FakeClock();
  const { servers, questions } = await dnsServer(() => null);
  const fetcher = newFetcher({ ...LIMITS, dnsServers: servers }, clock);
  const failure = failureOf(fetcher.fetch(get('http://silent.test/')));
  while (questions.length === 0) {
    await nextTurn();
  }
  clock.advance(3500);
  expect(await failure).toMatchObject({
    errorClass: 'timeout',
    message: 'No connection to silent.test within 3000 ms.',
  });
});

test('a TLS handshake that never ends is a timeout of the connection', async () => {
  const clock = new FakeClock();
  const server = await rawServer(() => {});
  const fetcher = newFetcher(LIMITS, clock);
  const failure = failureOf(fetcher.fetch(get(`https://127.0.0.1:${server.port}/`)));
  while (server.connections === 0) {
    await nextTurn();
  }
  clock.advance(3500);
  expect(await failure).toMatchObject({ errorClass: 'timeout', message: 'No connection to 127.0.0.1 within 3000 ms.' });
  while (server.open.size > 0) {
    await nextTurn();
  }
});

test('nothing ticks while nothing is in flight', async () => {
  const clock = new FakeClock();
  const server = await rawServer(always(response('page')));
  const fetcher = newFetcher(LIMITS, clock);
  expect(clock.armed).toBe(0);
  await fetcher.fetch(get(server.url)).promise;
  clock.advance(1000);
  // The one that closes the idle connection.
  expect(clock.armed).toBe(1);
  clock.advance(9500);
  expect(clock.armed).toBe(0);
  while (server.open.size > 0) {
    await nextTurn();
  }
});
