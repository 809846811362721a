import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import type { Fetcher, FetchRequest, FetchResponse } from '../../src/fetch/fetcher.js';
import { always, FakeClock, failureOf, get, newFetcher, nextTurn, rawServer, response, tunnelTo } from './support.js';

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    await nextTurn();
  }
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) {
    await nextTurn();
  }
};

/** Fetches with a pause after every piece, for as long as it takes until all that was sent has arrived. */
async function fetchHaltingly(
  fetcher: Fetcher,
  url: string,
  more: Partial<FetchRequest> = {},
  turnsPaused = 2,
): Promise<FetchResponse> {
  let isPaused = false;
  let isOver = false;
  const pending = fetcher.fetch(get(url, more), {
    onBytes: () => {
      pending.pause();
      isPaused = true;
    },
  });
  const over = pending.promise.finally(() => {
    isOver = true;
  });
  void over.catch(() => {});
  while (!isOver) {
    await turns(turnsPaused);
    if (isPaused) {
      isPaused = false;
      pending.resume();
    }
  }
  return await over;
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const UNTIL_CLOSE = 'HTTP/1.0 200 OK\r\n\r\n';

describe.each([
  ['plain', false],
  ['TLS', true],
])('%s', (_name, tls) => {
  const options = { insecure: true };

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789'],
    ['chunks', `${CHUNKED}3\r\n012\r\n4;x=y\r\n3456\r\n3\r\n789\r\n0\r\nA: b\r\n\r\n`],
    ['the end of the connection', `${UNTIL_CLOSE}0123456789`],
  ])('a pause after every piece loses nothing of a body with %s, wherever its bytes are split', async (_name, text) => {
    const bytes = Buffer.from(text);
    let splitAt = 0;
    const server = await rawServer(
      (socket) => {
        socket.write(bytes.subarray(0, splitAt), async () => {
          await turns(2);
          socket.end(bytes.subarray(splitAt));
        });
      },
      { tls },
    );
    const fetcher = newFetcher(options);
    for (splitAt = 1; splitAt < bytes.length; splitAt += tls ? 5 : 1) {
      const { body, truncated } = await fetchHaltingly(fetcher, server.url);
      expect([body?.toString(), truncated], `split at ${splitAt}`).toEqual(['0123456789', false]);
    }
  });

  test('a server that ends the connection while its answer is paused has given all of it', async () => {
    for (const head of [UNTIL_CLOSE, `HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n`]) {
      const server = await rawServer(
        (socket) => {
          socket.write(`${head}${'a'.repeat(20_000)}`, () => socket.end('b'.repeat(20_000)));
        },
        { tls },
      );
      const { body, truncated } = await fetchHaltingly(newFetcher(options), server.url, {}, 40);
      expect([body?.length, truncated]).toEqual([40_000, false]);
    }
  });

  test('a server that resets the connection while its answer is paused leaves what had come', async () => {
    const server = await rawServer(
      (socket) => {
        socket.write(`${CHUNKED}5\r\nfirst\r\n6\r\nsecond\r\n`, async () => {
          await turns(10);
          if (tls) {
            socket.destroy();
          } else {
            socket.resetAndDestroy();
          }
        });
      },
      { tls },
    );
    const { body, truncated } = await fetchHaltingly(newFetcher(options), server.url, {}, 40);
    expect([body?.toString(), truncated]).toEqual(['firstsecond', true]);
  });

  test('an abort while paused closes the connection, and the next request has another one', async () => {
    const server = await rawServer(
      (socket, _head, number) => {
        socket.write(number === 1 ? `${CHUNKED}5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n` : response('other'));
      },
      { tls },
    );
    const fetcher = newFetcher(options);
    const isPaused = { yes: false };
    const pending = fetcher.fetch(get(server.url, { singleConnection: true }), {
      onBytes: () => {
        pending.pause();
        isPaused.yes = true;
      },
    });
    await until(() => isPaused.yes);
    pending.abort(new FetchError('timeout', 'enough'));
    pending.resume();
    expect((await failureOf(pending)).message).toBe('enough');
    const next = await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
    expect([next.body?.toString(), server.connections]).toEqual(['other', 2]);
  });

  test('sockets that read at the same time never mix their bytes', async () => {
    const PIECES = 40;
    const server = await rawServer(
      async (socket, head) => {
        const letter = head.split(' ')[1]!.slice(1);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${PIECES * 3_000}\r\nX-Letter: ${letter}\r\n\r\n`);
        for (let n = 0; n < PIECES; n++) {
          socket.write(letter.repeat(3_000));
          await nextTurn();
        }
      },
      { tls },
    );
    const fetcher = newFetcher(options);
    const all = [...'abcdefgh'].map(async (letter, n) => {
      const url = `${server.url}/${letter}`;
      const taken: Buffer[] = [];
      const sink = async (piece: Buffer): Promise<void> => {
        taken.push(piece);
        await nextTurn();
      };
      const answer = n % 2 === 0 ? await fetchHaltingly(fetcher, url) : await fetcher.fetch(get(url, { sink })).promise;
      const text = answer.body?.toString() ?? Buffer.concat(taken).toString();
      expect(answer.headers.get('x-letter')).toBe(letter);
      expect(text === letter.repeat(PIECES * 3_000), letter).toBe(true);
    });
    await Promise.all(all);
  });

  test('a slow sink of a gzipped body holds the socket up and gets all of it', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `${(i * 7919) % 10_007}`).join(' ');
    const packed = gzipSync(text);
    const server = await rawServer(always(response(packed, ['Content-Encoding: gzip'])), { tls });
    const taken: Buffer[] = [];
    const sink = async (piece: Buffer): Promise<void> => {
      await nextTurn();
      taken.push(piece);
    };
    const answer = await newFetcher(options).fetch(get(server.url, { sink })).promise;
    expect(answer.truncated).toBe(false);
    expect(Buffer.concat(taken).toString() === text).toBe(true);
  });
});

describe('nothing is taken for the answer to another request', () => {
  const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
  const again: Partial<FetchRequest> = { singleConnection: true };

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood', 'GET'],
    ['a length of zero', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 'GET'],
    ['chunks', `${CHUNKED}4\r\ngood\r\n0\r\n\r\n`, 'GET'],
    ['chunks with trailers', `${CHUNKED}4\r\ngood\r\n0\r\nA: b\r\n\r\n`, 'GET'],
    ['the head alone, asked for by HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n', 'HEAD'],
    ['a body, though asked for by HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood', 'HEAD'],
    ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n', 'GET'],
    ['a 204 with chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'GET'],
    ['a 304', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n', 'GET'],
    ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 4\r\n\r\ngood', 'GET'],
    ['an early hint', 'HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood', 'GET'],
  ] as const)('bytes behind %s', async (_name, good, method) => {
    for (const where of ['same read', 'while idle', 'behind a pause']) {
      const server = await rawServer(async (socket, _head, number) => {
        if (number > 1) {
          socket.write(response('fresh'));
        } else if (where === 'while idle') {
          socket.write(good);
          await turns(20);
          socket.write(POISON);
        } else {
          socket.write(good + POISON);
        }
      });
      const fetcher = newFetcher();
      const request = { ...again, method };
      if (where === 'behind a pause') {
        await fetchHaltingly(fetcher, server.url, request);
      } else {
        await fetcher.fetch(get(server.url, request)).promise;
      }
      if (where === 'while idle') {
        await turns(60);
      }
      const second = await fetcher.fetch(get(server.url, again)).promise;
      expect([second.body?.toString(), server.connections], where).toEqual(['fresh', 2]);
    }
  });

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'],
    ['HEAD', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n'],
    ['GET', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ] as const)('a body that is sent after all, when the next request to %s %j has gone out', async (method, head) => {
    let first: Socket | null = null;
    const server = await rawServer((socket, _head, number) => {
      if (number === 1) {
        first = socket;
        socket.write(head);
      } else {
        // Now, and before the answer: on the same connection it would come first.
        first!.write(POISON, () => socket.write(response('fresh')));
      }
    });
    const fetcher = newFetcher();
    await fetcher.fetch(get(server.url, { ...again, method })).promise;
    const second = await fetcher.fetch(get(server.url, again)).promise;
    expect([second.body?.toString(), server.connections]).toEqual(['fresh', 2]);
  });

  test('line breaks between two answers mean nothing', async () => {
    const server = await rawServer(always(Buffer.concat([response('page'), Buffer.from('\r\n\n')])));
    const fetcher = newFetcher();
    for (let n = 0; n < 5; n++) {
      expect((await fetcher.fetch(get(server.url, again)).promise).body?.toString()).toBe('page');
    }
    expect(server.connections).toBe(1);
  });

  test('the rest of an answer that was aborted', async () => {
    const held: (() => void)[] = [];
    const server = await rawServer((socket, _head, number) => {
      if (number > 1) {
        socket.write(response('fresh'));
      } else {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngo');
        held.push(() => socket.write(`od${POISON}`));
      }
    });
    const fetcher = newFetcher();
    const first = fetcher.fetch(get(server.url, again));
    await until(() => held.length > 0);
    await turns(5);
    const failure = failureOf(first);
    first.abort(new FetchError('timeout', 'enough'));
    held[0]!();
    const second = await fetcher.fetch(get(server.url, again)).promise;
    expect(second.body?.toString()).toBe('fresh');
    await failure;
  });
});

describe('whether a connection is used again', () => {
  const head = (lines: string[], version = '1.1'): string =>
    [`HTTP/${version} 200 OK`, 'Content-Length: 2', ...lines, '', 'ok'].join('\r\n');

  test.each([
    [1, head([])],
    [2, head(['Connection: close'])],
    [2, head(['connection: CLOSE'])],
    [2, head(['Connection: foo , Close,\tbar'])],
    [2, head(['Connection: foo', 'Connection: close'])],
    [2, head(['Connection: keep-alive, close'])],
    [1, head(['Connection: closed'])],
    [1, head(['Connection: x-close'])],
    [2, head([], '1.0')],
    [1, head(['Connection: Keep-Alive'], '1.0')],
    [1, head(['Connection: foo, keep-alive'], '1.0')],
    [2, head(['Connection: keep-alive-not'], '1.0')],
    [
      2,
      head(['Connection: keep-alive'], '1.0')
        .replace('Content-Length: 2', 'Transfer-Encoding: chunked')
        .replace('\r\nok', '\r\n2\r\nok\r\n0\r\n\r\n'),
    ],
    [2, head(['Keep-Alive: timeout=0'])],
    [2, head(['Keep-Alive: timeout=1'])],
    [1, head(['Keep-Alive: timeout=2'])],
    [1, head(['Keep-Alive: max=5, TIMEOUT=20'])],
    [1, head(['Keep-Alive: timeout=999999999999'])],
    [1, head([`Keep-Alive: timeout=${'9'.repeat(400)}`])],
    [1, head(['Keep-Alive: timeout=soon'])],
  ])('%i connections after two answers %j', async (connections, text) => {
    const server = await rawServer(always(text));
    const fetcher = newFetcher({}, new FakeClock());
    for (let n = 0; n < 2; n++) {
      expect((await fetcher.fetch(get(server.url)).promise).body?.toString()).toBe('ok');
    }
    expect(server.connections).toBe(connections);
  });

  /** So many connections idle, each for as long as its answer says. */
  async function idling(clock: FakeClock, timeouts: number[]) {
    const server = await rawServer((socket, _head, number) => {
      const seconds = timeouts[number - 1] ?? 60;
      // Answers wait for each other, so each has a connection of its own.
      waiting.push(() => socket.write(response('page', [`Keep-Alive: timeout=${seconds}`])));
      if (waiting.length >= timeouts.length) {
        for (const answer of waiting.splice(0)) {
          answer();
        }
      }
    });
    const waiting: (() => void)[] = [];
    const fetcher = newFetcher({}, clock);
    await Promise.all(timeouts.map((_, n) => fetcher.fetch(get(`${server.url}/${n}`)).promise));
    return { server, fetcher };
  }

  test.each([[[60, 3]], [[3, 60]]])(
    'an idle connection is closed at its own time, whatever the others of it say (%j)',
    async (timeouts) => {
      const clock = new FakeClock();
      const { server } = await idling(clock, timeouts);
      expect(server.open.size).toBe(2);
      clock.advance(1_999);
      await turns(10);
      expect(server.open.size).toBe(2);
      clock.advance(1);
      await until(() => server.open.size === 1);
    },
  );

  test('no request is sent on a connection that has idled for its time', async () => {
    class LateClock extends FakeClock {
      /** The timers of a busy process ring late. */
      pass(ms: number): void {
        const passed = this.now() + ms;
        this.now = () => passed;
      }
    }
    const clock = new LateClock();
    const server = await rawServer(always(response('page', ['Keep-Alive: timeout=3'])));
    const fetcher = newFetcher({}, clock);
    await fetcher.fetch(get(server.url)).promise;
    clock.pass(2_000);
    await fetcher.fetch(get(server.url)).promise;
    expect(server.connections).toBe(2);
  });
});

test('a server that closes a connection as the next request is sent on it costs that request, and no other', async () => {
  const server = await rawServer((socket, _head, number) => {
    if (number % 2 === 1) {
      socket.end(response('page'));
    } else {
      socket.write(response('page'));
    }
  });
  const fetcher = newFetcher({ maxSockets: 1 });
  for (let n = 0; n < 20; n++) {
    const outcome = await fetcher.fetch(get(server.url)).promise.catch((error: FetchError) => error.errorClass);
    expect(typeof outcome === 'string' ? outcome : outcome.body?.toString()).toMatch(/^(?:page|connection_reset)$/);
  }
  expect(fetcher.stats().sockets).toBeLessThanOrEqual(1);
});

test('a connection whose server closes only its own side is not used again', async () => {
  let half: Socket | null = null;
  const server = await rawServer((socket, _head, number) => {
    socket.write(response('page'));
    if (number === 1) {
      half = socket;
    }
  });
  const fetcher = newFetcher();
  await fetcher.fetch(get(server.url)).promise;
  half!.end();
  await until(() => fetcher.stats().sockets === 0);
  await fetcher.fetch(get(server.url)).promise;
  expect(server.connections).toBe(2);
});

test('a header that would end its line, or be another one on the wire, is not sent', async () => {
  const server = await rawServer(always(response('page')));
  const fetcher = newFetcher();
  for (const cookie of ['a=b\r\nX-Evil: 1', 'a=b\nX-Evil: 1', 'a=b\u010d\u010aX-Evil: 1', 'a=\0', 'a=€']) {
    const error = await failureOf(fetcher.fetch(get(server.url, { cookie })));
    expect(error.message).toMatch(/header/);
  }
  expect(server.requests).toEqual([]);
  expect((await fetcher.fetch(get(server.url, { cookie: 'a=\xfc' })).promise).status).toBe(200);
});

test.each([
  ['asked by whole URLs', false],
  ['by a tunnel', true],
])('through a proxy, %s, pauses lose nothing, and bytes behind an answer are no other', async (_name, tls) => {
  const text = 'a'.repeat(30_000);
  const poison = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
  const server = await rawServer(
    (socket, head) => {
      if (head.includes('/until-close')) {
        socket.end(UNTIL_CLOSE + text);
      } else if (head.includes('/spoilt')) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood${poison}`);
      } else {
        socket.write(response('page'));
      }
    },
    { tls },
  );
  const proxy = tls ? await tunnelTo(server) : server;
  const fetcher = newFetcher({ insecure: true, proxies: [`http://127.0.0.1:${proxy.port}`] });
  const origin = tls ? 'https://a.test' : 'http://a.test';
  const { body, truncated } = await fetchHaltingly(fetcher, `${origin}/until-close`, {}, 20);
  expect([body?.toString() === text, truncated]).toEqual([true, false]);
  for (const [path, answer] of [
    ['/spoilt', 'good'],
    ['/next', 'page'],
    ['/again', 'page'],
  ]) {
    const one = await fetcher.fetch(get(origin + path, { singleConnection: true })).promise;
    expect(one.body?.toString()).toBe(answer);
  }
  expect(server.connections).toBe(3);
});
