import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import { Http2 } from '../../src/fetch/http2.js';
import { always, FakeClock, failureOf, get, newFetcher, nextTurn, rawServer, response } from './support.js';

test('a page comes with its status, headers, body, bytes and address', async () => {
  const server = await rawServer(always(response('<p>hello', ['ETag: "1"'])));
  const answer = await newFetcher().fetch(get(`${server.url}/a?b=%20c`)).promise;
  expect(answer).toMatchObject({ status: 200, wireBytes: 8, bodyBytes: 8, cut: false, truncated: false });
  expect(answer.body?.toString()).toBe('<p>hello');
  expect(answer.headers.get('etag')).toBe('"1"');
  expect(answer.remoteAddress).toBe('127.0.0.1');
  expect(server.requests[0]?.split('\r\n')).toEqual([
    'GET /a?b=%20c HTTP/1.1',
    `host: 127.0.0.1:${server.port}`,
    'connection: keep-alive',
    'user-agent: gossamer-test/1',
    expect.stringMatching(/^accept-encoding: gzip, deflate, br/),
    'accept: text/html',
  ]);
});

test('an encoded page is decoded, and both sizes are known', async () => {
  const page = 'x'.repeat(10_000);
  const encoded = gzipSync(page);
  const server = await rawServer(always(response(encoded, ['Content-Encoding: gzip'])));
  const counts: number[] = [];
  const pending = newFetcher().fetch(get(server.url), { onBytes: (count) => counts.push(count) });
  const answer = await pending.promise;
  expect(answer.body?.toString()).toBe(page);
  expect(answer).toMatchObject({ wireBytes: encoded.length, bodyBytes: 10_000 });
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(encoded.length + 10_000);
});

test('a redirect is given back and not followed', async () => {
  const server = await rawServer(always(response('moved', ['Location: /next'], '302 Found')));
  const answer = await newFetcher().fetch(get(`${server.url}/first`)).promise;
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('/next');
  expect(server.requests).toHaveLength(1);
});

test('a failing server is asked once, whatever it answers', async () => {
  const server = await rawServer((socket) => void socket.end(response('', ['Retry-After: 0'], '503 Unavailable')));
  expect((await newFetcher().fetch(get(server.url)).promise).status).toBe(503);
  expect(server.requests).toHaveLength(1);
});

test('HEAD gives headers and no body, and wantBody is not asked', async () => {
  const server = await rawServer(always('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'));
  const wantBody = () => {
    throw new Error('asked');
  };
  const answer = await newFetcher().fetch(get(server.url, { method: 'HEAD', wantBody })).promise;
  expect(answer).toMatchObject({ status: 200, body: null, cut: false, truncated: false, wireBytes: 0 });
});

test('a body that nobody wants is cut off after the headers, and that is a success', async () => {
  let closed: () => void;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = await rawServer((socket) => {
    socket.on('close', () => closed());
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999999\r\n\r\nfirst');
  });
  const asked: unknown[] = [];
  const wantBody = (...args: unknown[]) => {
    asked.push(args);
    return false;
  };
  const answer = await newFetcher().fetch(get(server.url, { wantBody })).promise;
  expect(answer).toMatchObject({ status: 200, body: null, cut: true, truncated: false });
  expect(asked).toEqual([[200, 'video/mp4']]);
  await gone;
});

test('a small body that nobody wants is passed over, and the connection lives on', async () => {
  const server = await rawServer((socket, head) => {
    if (head.startsWith('GET /chunked')) {
      socket.write('HTTP/1.1 301 Moved\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nmoved\r\n0\r\n\r\n');
    } else if (head.startsWith('GET /none')) {
      socket.write('HTTP/1.1 304 Not Modified\r\n\r\n');
    } else {
      socket.write('HTTP/1.1 301 Moved\r\nContent-Length: 5\r\n\r\n');
      setImmediate(() => socket.write('moved'));
    }
  });
  const fetcher = newFetcher();
  for (const path of ['chunked', 'none', 'later', 'later']) {
    const answer = await fetcher.fetch(get(`${server.url}/${path}`, { wantBody: () => false })).promise;
    expect(answer).toMatchObject({ body: null, cut: true });
  }
  expect(server.connections).toBe(1);
});

test('an unwanted body that breaks off is still a success', async () => {
  const server = await rawServer((socket) => void socket.end('HTTP/1.1 301 Moved\r\nContent-Length: 5\r\n\r\nmo'));
  const answer = await newFetcher().fetch(get(server.url, { wantBody: () => false })).promise;
  expect(answer).toMatchObject({ status: 301, cut: true, body: null });
});

test.each([
  'ftp://a.test/',
  'file:///etc/passwd',
  'data:text/html,x',
  'javascript:1',
  'not a url',
  'http://',
  'http://a b/',
])('%s is invalid_url and nothing is sent', async (url) => {
  expect((await failureOf(newFetcher().fetch(get(url)))).errorClass).toBe('invalid_url');
});

test('userinfo in a URL is never sent', async () => {
  const server = await rawServer(always(response('')));
  await newFetcher().fetch(get(`http://me:secret@127.0.0.1:${server.port}/`)).promise;
  expect(server.requests[0]).not.toMatch(/secret|authorization|me:/i);
});

test('headers bound to an origin are not sent to another port of the same host', async () => {
  const mine = await rawServer(always(response('')));
  const other = await rawServer(always(response('')));
  const fetcher = newFetcher({ originHeaders: { [mine.url]: [['Authorization', 'Basic c2VjcmV0']] } });
  await fetcher.fetch(get(mine.url)).promise;
  await fetcher.fetch(get(other.url)).promise;
  expect(mine.requests[0]).toContain('authorization: Basic c2VjcmV0');
  expect(other.requests[0]).not.toContain('authorization');
});

test('headers are reported at the time they came, and times follow from the clock', async () => {
  const clock = new FakeClock();
  const server = await rawServer((socket) => {
    clock.advance(70);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n');
  });
  const fetcher = newFetcher({}, clock);
  let reportedAt = 0;
  const answer = await fetcher.fetch(get(server.url), {
    onHeaders: (at) => {
      reportedAt = at;
      clock.advance(30);
      for (const socket of server.open) {
        socket.write('body');
      }
    },
  }).promise;
  expect(answer.ttfbMs).toBe(70);
  expect(answer.headersAt).toBe(reportedAt);
  expect(answer.endedAt).toBe(reportedAt + 30);
});

test('a paused body is not read, a resumed one comes whole', async () => {
  const size = 4 * 1024 * 1024;
  const server = await rawServer(always(response(Buffer.alloc(size, 'x'))));
  let read = 0;
  let isPaused = false;
  const pending = newFetcher({ maxBodyBytes: size }).fetch(get(server.url), {
    onHeaders: () => {
      pending.pause();
      isPaused = true;
    },
    onBytes: (count) => {
      read += count;
    },
  });
  while (!isPaused) {
    await nextTurn();
  }
  for (let turn = 0; turn < 50; turn++) {
    await nextTurn();
  }
  expect(read).toBe(0);
  pending.resume();
  expect((await pending.promise).bodyBytes).toBe(size);
});

test('a body that is paused in the middle stands still there', async () => {
  const size = 4 * 1024 * 1024;
  const server = await rawServer(always(response(Buffer.alloc(size, 'x'))));
  let pieces = 0;
  const pending = newFetcher({ maxBodyBytes: size }).fetch(get(server.url), {
    onBytes: () => {
      if (++pieces === 1) {
        pending.pause();
      }
    },
  });
  while (pieces === 0) {
    await nextTurn();
  }
  for (let turn = 0; turn < 50; turn++) {
    await nextTurn();
  }
  expect(pieces).toBe(1);
  pending.resume();
  expect((await pending.promise).bodyBytes).toBe(size);
});

test('a request that the HTTP client would put on a second connection is not sent twice', async () => {
  const dispatch = vi.spyOn(Client.prototype, 'dispatch').mockImplementation((_options, handler) => {
    handler.onConnect!(() => {});
    expect(() => handler.onConnect!(() => {})).toThrow('lost after the request');
    handler.onError!(new Error('lost'));
    return true;
  });
  onTestFinished(() => dispatch.mockRestore());
  const wire = await Http2.open('https://127.0.0.1:1', new Socket());
  let sent = 0;
  const failure = await new Promise<Error>((onError) => {
    const receiver = { onHeaders: () => true, onData: () => true, onComplete: () => {}, onError };
    wire.send({ method: 'GET', path: '/', headers: [] }, { ...receiver, onSend: () => void sent++ });
  });
  expect([failure.message, sent, dispatch.mock.calls.length]).toEqual(['lost', 1, 1]);
});

test('one body may be resumed while another one is being read', async () => {
  const server = await rawServer(always(response(Buffer.alloc(300_000, 'x'))));
  const fetcher = newFetcher();
  const first = fetcher.fetch(get(server.url), { onHeaders: () => first.pause() });
  const second = fetcher.fetch(get(server.url), { onBytes: () => first.resume() });
  const [one, two] = await Promise.all([first.promise, second.promise]);
  expect(one.bodyBytes).toBe(300_000);
  expect(two.bodyBytes).toBe(300_000);
});

test('an aborted fetch fails with the reason given, in every phase', async () => {
  const reason = new FetchError('timeout', 'stop');
  const server = await rawServer((socket, _head, number) => {
    if (number === 2) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst');
    }
  });
  const fetcher = newFetcher();
  const connecting = fetcher.fetch(get(server.url));
  connecting.abort(reason);
  expect(await failureOf(connecting)).toBe(reason);

  const waiting = fetcher.fetch(get(server.url));
  while (server.requests.length < 1) {
    await nextTurn();
  }
  waiting.abort(reason);
  expect(await failureOf(waiting)).toBe(reason);

  const reading = fetcher.fetch(get(server.url), { onBytes: () => reading.abort(reason) });
  expect(await failureOf(reading)).toBe(reason);
});

test('close ends what is in flight and leaves neither sockets nor timers', async () => {
  const clock = new FakeClock();
  const server = await rawServer(() => {});
  const fetcher = newFetcher({}, clock);
  const pending = [0, 1, 2].map((n) =>
    failureOf(fetcher.fetch(get(`${server.url}/${n}`, { singleConnection: n > 0 }))),
  );
  while (server.requests.length < 1) {
    await nextTurn();
  }
  await fetcher.close();
  expect((await Promise.all(pending)).map((error) => error.errorClass)).toEqual(['internal', 'internal', 'internal']);
  expect(clock.armed).toBe(0);
  while (fetcher.stats().sockets > 0) {
    await nextTurn();
  }
});
