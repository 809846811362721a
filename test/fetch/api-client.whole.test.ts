import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type AnswerEnd, ApiClient, type ApiOptions, ApiTrouble } from '../../src/fetch/api-client.js';
import { type Answer, FakeClock, newFetcher, nextTurn, type RawServer, rawServer, response } from './support.js';

interface Asking {
  server: RawServer;
  clock: FakeClock;
  client: ApiClient;
  stop: AbortController;
  ask(path?: string): Promise<AnswerEnd>;
  text(): string;
}

async function asking(answer: Answer, options: Partial<ApiOptions> = {}): Promise<Asking> {
  const clock = new FakeClock();
  const server = await rawServer(answer);
  const stop = new AbortController();
  const fetcher = newFetcher({}, clock);
  const client = new ApiClient({
    ...{ fetcher, clock, delayMs: 0, maxWaitMs: 600_000, idleTimeoutMs: 60_000, signal: stop.signal },
    ...options,
  });
  const pieces: Buffer[] = [];
  const ask = (path = '/') => client.ask(`${server.url}${path}`, (piece) => pieces.push(Buffer.from(piece)) > 0);
  return { server, clock, client, stop, ask, text: () => Buffer.concat(pieces).toString() };
}

const status = (line: string, headers: string[] = []) => response('', headers, line);

/** Lets events come and time go by, a little at a time, until the promise is settled; gives how long that took. */
async function settle<T>(
  clock: FakeClock,
  promise: Promise<T>,
  stepMs = 500,
): Promise<{ value?: T; error?: unknown; ms: number }> {
  let result: { value?: T; error?: unknown } | null = null;
  promise.then(
    (value) => {
      result = { value };
    },
    (error) => {
      result = { error };
    },
  );
  const startedAt = clock.now();
  for (let turns = 0; result === null; turns++) {
    await nextTurn();
    // Sockets need real turns; time stands still meanwhile.
    if (turns % 200 === 199) {
      clock.advance(stepMs);
    }
  }
  return { ...(result as { value?: T; error?: unknown }), ms: clock.now() - startedAt };
}

test('an answer is taken as it comes, also in gzip', async () => {
  const { ask, text } = await asking((socket) =>
    socket.write(response(gzipSync('[1,2,3]'), ['Content-Encoding: gzip'])),
  );
  expect(await ask()).toBe('complete');
  expect(text()).toBe('[1,2,3]');
});

test('a 404 is nothing, and no trouble', async () => {
  const { ask } = await asking((socket) => socket.write(status('404 Not Found')));
  expect(await ask()).toBe('nothing');
});

test('who is busy is asked again after 2, 4, 8 and 16 seconds, five times in all', async () => {
  const { ask, server, clock } = await asking((socket) => socket.write(status('503 Busy')));
  const { error, ms } = await settle(clock, ask());
  expect(error).toBeInstanceOf(ApiTrouble);
  expect((error as Error).message).toBe('it answered 503, 5 times');
  expect(server.requests).toHaveLength(5);
  expect(ms).toBeGreaterThanOrEqual(30_000);
  expect(ms).toBeLessThan(40_000);
});

test.each(['429 Too Many', '503 Busy'])('Retry-After of a %s is obeyed', async (line) => {
  const { ask, server, clock, text } = await asking((socket, _head, number) =>
    socket.write(number === 1 ? status(line, ['Retry-After: 100']) : response('[]')),
  );
  const { value, ms } = await settle(clock, ask());
  expect([value, text(), server.requests.length]).toEqual(['complete', '[]', 2]);
  expect(ms).toBeGreaterThanOrEqual(100_000);
});

test.each([
  ['one wait', 700, 1],
  ['all waits together', 250, 3],
])('who asks for more time than there is (%s) is left alone at once', async (_how, seconds, requests) => {
  const { ask, server, clock } = await asking((socket) =>
    socket.write(status('429 Too Many', [`Retry-After: ${seconds}`])),
  );
  const { error } = await settle(clock, ask(), 5_000);
  expect((error as Error).message).toMatch(/longer than --max-wait/);
  expect(server.requests).toHaveLength(requests);
});

test('silence is tried again', async () => {
  const { ask, server, clock } = await asking((socket, _head, number) => number === 3 && socket.write(response('[]')));
  const { value } = await settle(clock, ask(), 5_000);
  expect([value, server.requests.length]).toEqual(['complete', 3]);
});

test('an answer that breaks off counts as far as it goes, and is not asked for again', async () => {
  const { ask, server, text } = await asking((socket) => socket.end(response('[1,2,3]').subarray(0, -3)));
  expect(await ask()).toBe('truncated');
  expect([text(), server.requests.length]).toEqual(['[1,2', 1]);
});

test('whoever has enough ends the download', async () => {
  let closed = 0;
  const { client, server } = await asking((socket) => {
    socket.on('close', () => closed++);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n[1,2,3');
  });
  expect(await client.ask(server.url, () => false)).toBe('enough');
  while (closed === 0) {
    await nextTurn();
  }
});

test('what the taker throws comes out', async () => {
  const { client, server } = await asking((socket) => socket.write(response('<html>')));
  const throws = (): never => {
    throw new ApiTrouble('its answer is not JSON');
  };
  await expect(client.ask(server.url, throws)).rejects.toThrow('its answer is not JSON');
});

test.each(['301 Moved', '403 Forbidden', '400 Bad'])('a %s is final', async (line) => {
  const { ask, server } = await asking((socket) => socket.write(status(line, ['Location: http://127.0.0.1:1/'])));
  await expect(ask()).rejects.toThrow(`it answered ${line.slice(0, 3)}`);
  expect(server.requests).toHaveLength(1);
});

test('one question at a time, the delay after the headers of the last answer', async () => {
  const seen: { path: string; at: number }[] = [];
  let open = 0;
  let most = 0;
  const { ask, clock } = await asking(
    (socket, head) => {
      most = Math.max(most, ++open);
      seen.push({ path: head.split(' ')[1]!, at: clock.now() });
      setImmediate(() => {
        open--;
        socket.write(response('[]'));
      });
    },
    { delayMs: 5_000 },
  );
  await settle(clock, Promise.all(['/1', '/2', '/3'].map((path) => ask(path))));
  expect(seen.map(({ path }) => path)).toEqual(['/1', '/2', '/3']);
  expect(most).toBe(1);
  expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(5_000);
  expect(seen[2]!.at - seen[1]!.at).toBeGreaterThanOrEqual(5_000);
});

test('a run that ends calls off what is under way, and what waits', async () => {
  const { ask, stop, server, clock } = await asking(() => {});
  const [first, second] = [ask('/1'), ask('/2')].map((each) => each.catch((error) => error));
  while (server.requests.length === 0) {
    await nextTurn();
  }
  stop.abort(new Error('the run ends'));
  expect((await first)!.message).toBe('the run ends');
  expect((await second)!.message).toBe('the run ends');
  expect(server.requests).toHaveLength(1);
  while (server.open.size > 0) {
    await nextTurn();
  }
  expect(clock.armed).toBeLessThanOrEqual(1);
});
