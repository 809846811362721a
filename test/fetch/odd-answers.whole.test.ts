import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { always, FakeClock, failureOf, get, newFetcher, nextTurn, rawServer, response } from './support.js';

const PLACE = 'HTTP/1.1 302 Found\r\nLocation: /next\r\n';

test('bytes of a Location beyond ASCII are escaped as they came', async () => {
  for (const [raw, escaped] of [
    [Buffer.from('/größe?q=ü'), '/gr%C3%B6%C3%9Fe?q=%C3%BC'],
    [Buffer.from('/caf\xe9', 'latin1'), '/caf%E9'],
    [Buffer.from('/%C3%A9/é'), '/%C3%A9/%C3%A9'],
  ] as const) {
    const head = Buffer.from('HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ');
    const server = await rawServer(always(Buffer.concat([head, raw, Buffer.from('\r\n\r\n')])));
    const { headers } = await newFetcher().fetch(get(server.url)).promise;
    expect(headers.url('location')).toBe(escaped);
  }
});

test('the body of a redirect is not waited for, and not read', async () => {
  const endless = 'a'.repeat(64 * 1024);
  for (const rest of ['\r\n', 'Content-Length: 100\r\n\r\nonly', `Content-Length: 10000000\r\n\r\n${endless}`]) {
    const server = await rawServer(always(PLACE + rest));
    // A clock that stands still: nothing here can run into a time-out.
    const fetcher = newFetcher({}, new FakeClock());
    const { body, cut, status } = await fetcher.fetch(get(server.url)).promise;
    expect({ body, cut, status }).toEqual({ body: null, cut: true, status: 302 });
  }
});

test('a redirect with a small body leaves its connection to the next request', async () => {
  const server = await rawServer(always(`${PLACE}Content-Length: 5\r\n\r\nmoved`));
  const fetcher = newFetcher();
  for (let i = 0; i < 25; i++) {
    await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
  }
  expect(server.connections).toBe(1);
});

test('a connection on which the rest of a redirect does not come is given up after a second', async () => {
  const server = await rawServer((socket, _head, number) => {
    socket.write(number === 1 ? `${PLACE}Content-Length: 100\r\n\r\n` : response('next'));
  });
  const clock = new FakeClock();
  const fetcher = newFetcher({}, clock);
  await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
  const second = fetcher.fetch(get(server.url, { singleConnection: true }));
  clock.advance(1_300);
  expect((await second.promise).body?.toString()).toBe('next');
  expect(server.connections).toBe(2);
});

test.each([204, 205, 304])('a %i has no body, whatever length it announces', async (status) => {
  const server = await rawServer(always(`HTTP/1.1 ${status} Odd\r\nContent-Length: 20\r\n\r\n`));
  const answer = await newFetcher({}, new FakeClock()).fetch(get(server.url)).promise;
  expect(answer).toMatchObject({ status, truncated: false, bodyBytes: 0 });
});

test('bytes behind a gzip stream are passed over, of one member and of several', async () => {
  const [one, two] = [gzipSync('first '), gzipSync('second', { level: 1 })];
  const named = Buffer.concat([
    one.subarray(0, 3),
    Buffer.from([8]),
    one.subarray(4, 10),
    Buffer.from('name\0'),
    one.subarray(10),
  ]);
  for (const [stream, text] of [
    [[one], 'first '],
    [[one, two], 'first second'],
    [[named, two], 'first second'],
  ] as const) {
    for (const behind of ['', '\r\n', '<!-- cached -->', '\0\0\0', '\x1f', 'x'.repeat(20_000)]) {
      const body = Buffer.concat([...stream, Buffer.from(behind, 'latin1')]);
      const server = await rawServer(always(response(body, ['Content-Encoding: gzip'])));
      const answer = await newFetcher().fetch(get(server.url)).promise;
      expect([answer.body?.toString(), answer.truncated], `${text} ${behind.slice(0, 9)}`).toEqual([text, false]);
    }
  }
});

test('a second gzip member that breaks off, or a first, is damage', async () => {
  const whole = gzipSync('first of all');
  for (const body of [Buffer.concat([whole, gzipSync('second').subarray(0, 15)]), whole.subarray(0, -6)]) {
    const server = await rawServer(always(response(body, ['Content-Encoding: gzip'])));
    const answer = await newFetcher().fetch(get(server.url)).promise;
    expect(answer).toMatchObject({ truncated: true, endedEarly: false });
    expect(answer.body?.toString()).toMatch(/^first/);
  }
});

test('bytes behind a zlib stream are passed over', async () => {
  const body = Buffer.concat([deflateSync('all of it'), Buffer.from('\r\n')]);
  const server = await rawServer(always(response(body, ['Content-Encoding: deflate'])));
  const answer = await newFetcher().fetch(get(server.url)).promise;
  expect([answer.body?.toString(), answer.truncated]).toEqual(['all of it', false]);
});

test.each([
  ['HTTP/1.1 099 Odd', 'http_5xx', /status 99, which HTTP does not have/],
  ['HTTP/1.1 000 Odd', 'http_5xx', /status 0, which HTTP does not have/],
  ['HTTP/1.1 42 Odd', 'connection_reset', /no response of HTTP: Invalid status code/],
  ['HTTP/1.1 1000 Odd', 'connection_reset', /no response of HTTP: Invalid response status/],
  ['<p>Hello', 'connection_reset', /no response of HTTP: Expected HTTP/],
  ['ICY 200 OK', 'connection_reset', /no response of HTTP/],
  [
    'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket',
    'connection_reset',
    /answers 101, and wants to speak another/,
  ],
])('%s is named as what it is', async (line, errorClass, words) => {
  const server = await rawServer(always(`${line}\r\nContent-Length: 2\r\n\r\nhi`));
  const error = await failureOf(newFetcher().fetch(get(server.url)));
  expect(error.errorClass).toBe(errorClass);
  expect(error.message).toMatch(words);
  expect(error.message).not.toMatch(/assert|expression|undefined/i);
});

test('a status above 599 is handed on as it came, and early hints are not taken for an answer', async () => {
  const odd = await rawServer(always('HTTP/1.1 799 Odd\r\nContent-Length: 2\r\n\r\nhi'));
  expect((await newFetcher().fetch(get(odd.url)).promise).status).toBe(799);
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n';
  const early = await rawServer(always(Buffer.concat([Buffer.from(hints), response('page')])));
  expect((await newFetcher().fetch(get(early.url)).promise).body?.toString()).toBe('page');
});

test('what arrived of an error page that breaks off does not hide its status', async () => {
  const server = await rawServer((socket) => void socket.end('HTTP/1.1 404 Gone\r\nContent-Length: 100\r\n\r\n'));
  expect(await newFetcher().fetch(get(server.url)).promise).toMatchObject({ status: 404, endedEarly: true });
  await nextTurn();
});

test('several gzip members share one cap, whatever stands behind them', async () => {
  const body = Buffer.concat([gzipSync(Buffer.alloc(600_000)), gzipSync(Buffer.alloc(600_000)), Buffer.from('rest')]);
  const server = await rawServer(always(response(body, ['Content-Encoding: gzip'])));
  expect((await failureOf(newFetcher().fetch(get(server.url)))).errorClass).toBe('too_large');
});

test('a cookie goes beside those that the user gave the origin, and never in their place', async () => {
  const server = await rawServer(always(response('page')));
  const fetcher = newFetcher({ originHeaders: { [server.url]: [['Cookie', 'mine=1; both=mine']] } });
  await fetcher.fetch(get(server.url, { cookie: 'both=theirs; seen=1' })).promise;
  await newFetcher().fetch(get(server.url, { cookie: 'seen=1' })).promise;
  const cookies = server.requests.map((head) => /^cookie: (.*)$/im.exec(head)?.[1]);
  expect(cookies).toEqual(['mine=1; both=mine; seen=1', 'seen=1']);
});

test.each([
  ['one unasked 100', ['HTTP/1.1 100 Continue\r\n\r\n']],
  ['several, one a packet', ['HTTP/1.1 100 Continue\r\nX: y\r\n\r\n', 'HTTP/1.1 100 \r\n\r\n']],
])('%s is no answer yet, on a connection that is used again', async (_name, interim) => {
  const server = await rawServer((socket) => {
    const send = ([first, ...rest]: readonly (string | Buffer)[]): void =>
      void socket.write(first!, () => (rest.length > 0 ? setImmediate(send, rest) : undefined));
    send([...interim, response('page')]);
  });
  const fetcher = newFetcher();
  for (let i = 0; i < 25; i++) {
    expect((await fetcher.fetch(get(server.url)).promise).body?.toString()).toBe('page');
  }
});

test('a header that goes on in the next line is one, and a body that looks so is left as it is', async () => {
  const body = 'HTTP/1.1 100 Continue\r\n\r\nX: one\r\n two';
  const server = await rawServer(always(response(body, ['X-Note: one\r\n two\r\n\tthree'])));
  const { headers, body: bytes } = await newFetcher().fetch(get(server.url)).promise;
  expect(headers.get('x-note')?.split(/\s+/)).toEqual(['one', 'two', 'three']);
  expect(bytes?.toString()).toBe(body);
});

test('a flood of them ends the request', async () => {
  const server = await rawServer((socket) => {
    const more = (): void => void (socket.destroyed || socket.write('HTTP/1.1 100 Continue\r\n\r\n', more));
    more();
  });
  expect((await failureOf(newFetcher().fetch(get(server.url)))).errorClass).toBe('unknown');
});
