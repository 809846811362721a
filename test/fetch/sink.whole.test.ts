import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { always, FakeClock, failureOf, get, newFetcher, nextTurn, rawServer, response } from './support.js';

/** Takes a body in pieces. */
function collector(): { sink(piece: Buffer): void; text(): string; pieces: number } {
  const pieces: Buffer[] = [];
  return {
    sink: (piece) => void pieces.push(Buffer.from(piece)),
    text: () => Buffer.concat(pieces).toString(),
    get pieces() {
      return pieces.length;
    },
  };
}

const LARGE = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `line ${n}\n`).join(''));

test.each([
  ['as it is', LARGE, []],
  ['in gzip', gzipSync(LARGE), ['Content-Encoding: gzip']],
])('a sink gets the whole body, %s, beyond the limit for bodies', async (_how, body, headers) => {
  const server = await rawServer(always(response(body, headers)));
  const { sink, text } = collector();
  const answer = await newFetcher({ maxBodyBytes: 1000 }).fetch(get(server.url, { sink })).promise;
  expect(answer).toMatchObject({ status: 200, body: null, truncated: false, wireBytes: body.length });
  expect(text()).toBe(LARGE.toString());
  expect(server.requests[0]).toMatch(/accept-encoding: gzip\r\n/i);
});

test.each([
  ['as it is', LARGE, []],
  ['in gzip', gzipSync(LARGE), ['Content-Encoding: gzip']],
])('a body that breaks off (%s) gives what came before', async (_how, body, headers) => {
  const half = response(body, headers).subarray(0, body.length >> 1);
  const server = await rawServer((socket) => socket.end(half));
  const { sink, text } = collector();
  const answer = await newFetcher().fetch(get(server.url, { sink })).promise;
  expect(answer.truncated).toBe(true);
  expect(LARGE.toString().startsWith(text())).toBe(true);
  expect(text().length).toBeGreaterThan(LARGE.length / 3);
});

test('nothing more is read while the last piece was not taken', async () => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  const server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
    const more = (): void => {
      while (!socket.destroyed) {
        sent += piece.length;
        if (!socket.write(piece)) {
          socket.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  let taken = 0;
  let letGo = (): void => {};
  const pending = newFetcher().fetch(
    get(server.url, {
      sink: (bytes) => {
        taken += bytes.length;
        return new Promise((resolve) => {
          letGo = resolve;
        });
      },
    }),
  );
  while (taken === 0) {
    await nextTurn();
  }
  // What a kernel and two streams hold between two processes: the server comes to rest long before it has sent so much.
  let before = -1;
  for (let calm = 0; calm < 200; calm = sent === before ? calm + 1 : 0) {
    before = sent;
    await nextTurn();
  }
  expect(taken).toBeLessThanOrEqual(piece.length);
  const atRest = sent;
  letGo();
  while (sent === atRest) {
    letGo();
    await nextTurn();
  }
  pending.abort(new FetchError('internal', 'enough'));
  expect((await failureOf(pending)).message).toBe('enough');
  while (server.open.size > 0) {
    await nextTurn();
  }
});

test('the body of an answer that is not wanted never reaches the sink', async () => {
  const server = await rawServer(always(response('Later.', [], '503 Busy')));
  const { sink, text } = collector();
  const answer = await newFetcher().fetch(get(server.url, { sink, wantBody: (status) => status === 200 })).promise;
  expect([answer.status, text()]).toEqual([503, '']);
});

test('a body in an encoding that cannot be undone as it comes fails', async () => {
  const server = await rawServer(always(response(gzipSync(gzipSync('x')), ['Content-Encoding: gzip, gzip'])));
  const error = await failureOf(newFetcher().fetch(get(server.url, { sink: () => {} })));
  expect(error.message).toMatch(/cannot be decoded/);
});

test('silence has a limit of its own, and slowness none', async () => {
  const clock = new FakeClock();
  const server = await rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'));
  const { sink, text } = collector();
  const fetcher = newFetcher({ idleTimeoutMs: 1000 }, clock);
  const pending = fetcher.fetch(get(server.url, { sink, idleTimeoutMs: 30_000, timeoutMs: 3_600_000 }));
  while (text() === '') {
    await nextTurn();
  }
  clock.advance(29_000);
  for (const socket of server.open) {
    socket.write('c');
  }
  while (text() === 'ab') {
    await nextTurn();
  }
  clock.advance(29_000);
  await nextTurn();
  clock.advance(2000);
  expect((await failureOf(pending)).message).toMatch(/for 30000 ms/);
});

test('the last piece has been taken when the response is there', async () => {
  const server = await rawServer(always(response('all of it')));
  let isTaken = false;
  const sink = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) {
      await nextTurn();
    }
    isTaken = true;
  };
  await newFetcher().fetch(get(server.url, { sink })).promise;
  expect(isTaken).toBe(true);
});
