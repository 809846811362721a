import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { FetchError } from '../../src/base/errors.js';
import type { FetchResponse } from '../../src/fetch/fetcher.js';
import { type Answer, always, failureOf, get, newFetcher, rawServer, response } from './support.js';

const ask = async (answer: Answer): Promise<FetchResponse> =>
  await newFetcher().fetch(get((await rawServer(answer)).url)).promise;

const fail = async (answer: Answer) => await failureOf(newFetcher().fetch(get((await rawServer(answer)).url)));

test('a body shorter than its Content-Length is truncated, with what came of it', async () => {
  for (const connection of ['keep-alive', 'close']) {
    const head = `HTTP/1.1 200 OK\r\nConnection: ${connection}\r\nContent-Length: 100\r\n\r\n`;
    const answer = await ask((socket) => void socket.end(`${head}only this`));
    expect(answer).toMatchObject({ truncated: true, wireBytes: 9 });
    expect(answer.body?.toString()).toBe('only this');
  }
});

test('a body longer than its Content-Length is cut there, and the rest never becomes another response', async () => {
  const poison = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';
  const server = await rawServer((socket, _head, number) => {
    if (number === 1) {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood${poison}`);
    } else {
      socket.write(response('fresh'));
    }
  });
  const fetcher = newFetcher();
  const first = await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
  const second = await fetcher.fetch(get(server.url, { singleConnection: true })).promise;
  expect(first.body?.toString()).toBe('good');
  expect(second.body?.toString()).toBe('fresh');
});

test('a chunked body that breaks off or goes wrong is truncated', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n';
  for (const rest of ['', '7\r\nsec', 'zz\r\n']) {
    const answer = await ask((socket) => void socket.end(head + rest));
    expect(answer.truncated).toBe(true);
    expect(answer.body?.toString()).toMatch(/^first/);
  }
});

test('a connection that closes before the body begins is connection_reset', async () => {
  const error = await fail((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'));
  expect(error.errorClass).toBe('connection_reset');
});

test('a connection lost after any number of bytes never gives a whole page, and is asked once', async () => {
  const page = '<p>some text of a page';
  const bytes = response(page, ['Connection: keep-alive']);
  for (let sent = 0; sent < bytes.length; sent += 7) {
    const server = await rawServer((socket) => {
      if (sent === 0) {
        socket.resetAndDestroy();
      } else {
        socket.write(bytes.subarray(0, sent), () => socket.resetAndDestroy());
      }
    });
    // Node sends FIN before RST: which of them is seen first decides between a part of the page and an error.
    const outcome = await newFetcher()
      .fetch(get(server.url))
      .promise.catch((error: FetchError) => error);
    if (outcome instanceof FetchError) {
      expect(outcome.errorClass, `after ${sent} bytes`).toBe('connection_reset');
    } else {
      expect([outcome.truncated, page.startsWith(outcome.body!.toString())]).toEqual([true, true]);
    }
    expect(server.requests).toHaveLength(1);
  }
});

test('a server that closes without an answer is connection_reset, and asked once', async () => {
  const server = await rawServer((socket) => void socket.end());
  expect((await failureOf(newFetcher().fetch(get(server.url)))).errorClass).toBe('connection_reset');
  expect(server.requests).toHaveLength(1);
});

test('a kept connection that is reset on the second request is not silently asked again', async () => {
  const server = await rawServer((socket, _head, number) => {
    if (number === 1) {
      socket.write(response('first'));
    } else {
      socket.resetAndDestroy();
    }
  });
  const fetcher = newFetcher();
  await fetcher.fetch(get(server.url)).promise;
  expect((await failureOf(fetcher.fetch(get(server.url)))).errorClass).toBe('connection_reset');
  expect(server.requests).toHaveLength(2);
});

test('a port where nobody listens is connection_refused', async () => {
  const error = await failureOf(newFetcher().fetch(get('http://127.0.0.1:1/')));
  expect(error.errorClass).toBe('connection_refused');
});

test('an endless body ends at the cap as too_large', async () => {
  const server = await rawServer((socket) => {
    const more = (): void => void (socket.destroyed || socket.write(Buffer.alloc(65_536, 'x'), more));
    socket.write('HTTP/1.1 200 OK\r\n\r\n', more);
  });
  let read = 0;
  const maxBodyBytes = 500_000;
  const pending = newFetcher({ maxBodyBytes }).fetch(get(server.url), {
    onBytes: (count) => {
      read += count;
    },
  });
  expect((await failureOf(pending)).errorClass).toBe('too_large');
  expect(read).toBeLessThan(maxBodyBytes + 70_000);
});

test('a body that announces more than the cap is refused at its headers', async () => {
  const server = await rawServer(always(`HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n`));
  expect((await failureOf(newFetcher().fetch(get(server.url)))).errorClass).toBe('too_large');
});

test('a body in single bytes is whole, and costs one block', async () => {
  const chunks = 'a'.repeat(5000).replace(/a/g, '1\r\na\r\n');
  const answer = await ask(always(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
  expect(answer.body?.toString()).toBe('a'.repeat(5000));
});

test('a flood of headers is too_large, in few and in many lines, and as trailers', async () => {
  const large = `X: ${'x'.repeat(100_000)}\r\n`;
  expect((await fail(always(`HTTP/1.1 200 OK\r\n${large}\r\n`))).errorClass).toBe('too_large');
  const many = 'XX: xx\r\n'.repeat(50_000);
  expect((await fail(always(`HTTP/1.1 200 OK\r\n${many}\r\n`))).errorClass).toBe('too_large');
  const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${many}\r\n`;
  expect((await fail(always(chunked))).errorClass).toBe('too_large');
});

test('a few informational responses are passed over, a flood of them ends the request', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n';
  expect((await ask(always(hint.repeat(3) + response('page').toString()))).body?.toString()).toBe('page');
  const error = await fail((socket) => {
    const more = (): void => void (socket.destroyed || socket.write(hint.repeat(10), more));
    more();
  });
  expect(error.errorClass).toBe('unknown');
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CONTRADICTION = 'The headers contradict each other about the length of the body.';
const IMPOSSIBLE = 'The Content-Length is a number that no body can have.';
const NO_NUMBER = 'What came is no response of HTTP: Invalid character in Content-Length.';

test.each([
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n', 'What came is no response of HTTP: Expected HTTP/.'],
  ['two lengths', `${OK}Content-Length: 4\r\nContent-Length: 5\r\n`, CONTRADICTION],
  ['two lengths in one line', `${OK}Content-Length: 4, 5\r\n`, CONTRADICTION],
  ['length and chunks', `${OK}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, CONTRADICTION],
  ['a length with a dot', `${OK}Content-Length: 4.0\r\n`, IMPOSSIBLE],
  ['a huge length', `${OK}Content-Length: ${'9'.repeat(30)}\r\n`, IMPOSSIBLE],
  ['a length that is no number', `${OK}Content-Length: -5\r\n`, NO_NUMBER],
])('a response with %s breaks the connection', async (_kind, head, message) => {
  const error = await fail((socket) => void socket.end(`${head}\r\nabcd`));
  expect([error.errorClass, error.message]).toEqual(['connection_reset', message]);
});

test('equal lengths in one line are one, and count for the bound of a body', async () => {
  const answer = await ask(always(`${OK}Content-Length: 4, 4\r\n\r\ngood`));
  expect([answer.body?.toString(), answer.truncated]).toEqual(['good', false]);
  const error = await fail(always(`${OK}Content-Length: 99999999999, 99999999999\r\n\r\nbad`));
  expect(error.errorClass).toBe('too_large');
});

test('a switch of protocols that nobody asked for is refused', async () => {
  const error = await fail(always('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'));
  expect(error.errorClass).toBe('connection_reset');
});

test('bad gzip is truncated with what could be decoded', async () => {
  const page = Array.from({ length: 2000 }, (_, i) => `<a href="/${(i * 7919) % 9973}">`).join('');
  const whole = gzipSync(page);
  const half = whole.subarray(0, whole.length >> 1);
  const answer = await ask(always(response(half, ['Content-Encoding: gzip'])));
  expect(answer.truncated).toBe(true);
  expect(answer.bodyBytes).toBeGreaterThan(0);
  expect(page.startsWith(answer.body!.toString())).toBe(true);
  const none = await ask(always(response('<p>plain', ['Content-Encoding: gzip'])));
  expect(none).toMatchObject({ truncated: true, bodyBytes: 0 });
});

test('a bomb is too_large, and more than two encodings are refused', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  expect((await fail(always(response(bomb, ['Content-Encoding: gzip'])))).errorClass).toBe('too_large');
  const twice = gzipSync(bomb);
  expect((await fail(always(response(twice, ['Content-Encoding: gzip, gzip'])))).errorClass).toBe('too_large');
  expect((await fail(always(response('x', ['Content-Encoding: gzip, gzip, gzip'])))).errorClass).toBe('unknown');
});

test('the causes are in the message only when they are asked for', async () => {
  const url = 'http://127.0.0.1:1/';
  const short = await failureOf(newFetcher().fetch(get(url)));
  const long = await failureOf(newFetcher({ verboseNetwork: true }).fetch(get(url)));
  expect(short.message).toBe('The connection was refused.');
  expect(long.message).toContain('ECONNREFUSED');
});
