import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.js';
import { data, head, rawHttp2, reset } from './raw-http2.js';
import { always, FakeClock, failureOf, GUARDED, get, newFetcher, nextTurn, rawServer, response } from './support.js';

const PAGE = always(response('page'));

test('a certificate that nobody vouches for is tls, and no request is sent', async () => {
  const server = await rawServer(PAGE, { tls: true });
  expect((await failureOf(newFetcher().fetch(get(server.url)))).errorClass).toBe('tls');
  expect(server.requests).toHaveLength(0);
});

test('--cacert vouches for it, and -k asks for nothing', async () => {
  const server = await rawServer(PAGE, { tls: true });
  expect((await newFetcher({ cacert: CERTIFICATE }).fetch(get(server.url)).promise).status).toBe(200);
  expect((await newFetcher({ insecure: true }).fetch(get(server.url)).promise).status).toBe(200);
});

test('the certificate has to be one for the host of the URL, not for the address connected to', async () => {
  const server = await rawServer(PAGE, { tls: true });
  const connectTo = [`:443:127.0.0.1:${server.port}`];
  const fetcher = newFetcher({ ...GUARDED, cacert: CERTIFICATE, connectTo });
  expect((await fetcher.fetch(get('https://a.test/')).promise).status).toBe(200);
  for (const host of ['b.test', 'sub.a.test', '192.0.2.1']) {
    expect((await failureOf(fetcher.fetch(get(`https://${host}/`)))).errorClass).toBe('tls');
  }
  expect(server.requests).toHaveLength(1);
});

test('what does not speak TLS is tls, what hangs up in the handshake is connection_reset', async () => {
  const plain = await rawServer(() => {});
  const pending = failureOf(newFetcher().fetch(get(`https://127.0.0.1:${plain.port}/`)));
  while (plain.open.size === 0) {
    await nextTurn();
  }
  for (const socket of plain.open) {
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
  }
  expect((await pending).errorClass).toBe('tls');

  const closed = await rawServer(() => {});
  const closing = failureOf(newFetcher().fetch(get(`https://127.0.0.1:${closed.port}/`)));
  while (closed.open.size === 0) {
    await nextTurn();
  }
  for (const socket of closed.open) {
    socket.destroy();
  }
  expect((await closing).errorClass).toBe('connection_reset');
});

async function http2Server(answer: (stream: ServerHttp2Stream, path: string, headers: IncomingHttpHeaders) => void) {
  const server = createSecureServer({ cert: CERTIFICATE, key: PRIVATE_KEY, allowHTTP1: true });
  const sessions = new Set<Http2Session>();
  const paths: string[] = [];
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    paths.push(String(headers[':path']));
    answer(stream, String(headers[':path']), headers);
  });
  server.on('request', (request, reply) => {
    if (request.httpVersionMajor === 1) {
      reply.end('old');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const session of sessions) {
      session.destroy();
    }
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, sessions, paths };
}

test('HTTP/2 is spoken where it is wanted, and requests share its one connection', async () => {
  const server = await http2Server((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/html' });
    stream.end('new');
  });
  const fetcher = newFetcher({ http2: true, insecure: true });
  const all = await Promise.all(
    [1, 2, 3, 4].map((n) => fetcher.fetch(get(`${server.url}/${n}`, { singleConnection: true })).promise),
  );
  expect(all.map((answer) => answer.body?.toString())).toEqual(['new', 'new', 'new', 'new']);
  expect(all[0]?.headers.get('content-type')).toBe('text/html');
  const bare = await fetcher.fetch(get(`${server.url}/head`, { method: 'HEAD' })).promise;
  expect(bare).toMatchObject({ status: 200, body: null });
  expect(server.sessions.size).toBe(1);
  expect((await newFetcher({ insecure: true }).fetch(get(server.url)).promise).body?.toString()).toBe('old');
});

test('over HTTP/2 an unwanted body is cut off and the connection stays', async () => {
  let reset = 0;
  const server = await http2Server((stream, path) => {
    stream.respond({ ':status': 200 });
    stream.on('close', () => {
      reset++;
    });
    if (path === '/big') {
      stream.write('x'.repeat(100));
    } else {
      stream.end('page');
    }
  });
  const fetcher = newFetcher({ http2: true, insecure: true });
  const cut = await fetcher.fetch(get(`${server.url}/big`, { wantBody: () => false })).promise;
  expect(cut).toMatchObject({ status: 200, body: null, cut: true });
  while (reset === 0) {
    await nextTurn();
  }
  expect((await fetcher.fetch(get(`${server.url}/small`)).promise).body?.toString()).toBe('page');
  expect(server.sessions.size).toBe(1);
});

test('over HTTP/2 bodies are capped, paused and timed as over HTTP/1.1', async () => {
  const clock = new FakeClock();
  const server = await http2Server((stream, path) => {
    stream.respond({ ':status': 200 });
    if (path === '/large') {
      stream.end(Buffer.alloc(300_000));
    } else if (path === '/fitting') {
      stream.end(Buffer.alloc(100_000));
    }
  });
  const fetcher = newFetcher({ http2: true, insecure: true, maxBodyBytes: 200_000, minSpeedBytesPerSecond: 0 }, clock);
  expect((await failureOf(fetcher.fetch(get(`${server.url}/large`)))).errorClass).toBe('too_large');
  const paused = fetcher.fetch(get(`${server.url}/fitting`), {
    onHeaders: () => paused.pause(),
    onBytes: () => paused.resume(),
  });
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
  }
  paused.resume();
  expect((await paused.promise).bodyBytes).toBe(100_000);
  const silent = failureOf(fetcher.fetch(get(`${server.url}/silent`)));
  while (server.paths.length < 3) {
    await nextTurn();
  }
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
  }
  clock.advance(11_000);
  expect((await silent).errorClass).toBe('timeout');
});

test('requests of an HTTP/2 connection that is lost fail and are not sent again', async () => {
  for (const lose of [(session: Http2Session) => session.goaway(), (session: Http2Session) => session.destroy()]) {
    const server = await http2Server(() => {});
    const fetcher = newFetcher({ http2: true, insecure: true });
    const pending = [1, 2, 3].map((n) =>
      failureOf(fetcher.fetch(get(`${server.url}/${n}`, { singleConnection: true }))),
    );
    while (server.paths.length < 3) {
      await nextTurn();
    }
    for (const session of server.sessions) {
      lose(session);
    }
    expect((await Promise.all(pending)).map((error) => error.errorClass)).toEqual(
      new Array(3).fill('connection_reset'),
    );
    expect(server.paths).toEqual(['/1', '/2', '/3']);
  }
});

test('an idle HTTP/2 connection is closed after a while', async () => {
  const clock = new FakeClock();
  const server = await http2Server((stream) => {
    stream.respond({ ':status': 200 });
    stream.end('page');
  });
  const fetcher = newFetcher({ http2: true, insecure: true }, clock);
  await fetcher.fetch(get(server.url)).promise;
  clock.advance(60_000);
  while (fetcher.stats().sockets > 0) {
    await nextTurn();
  }
  expect(clock.armed).toBe(0);
});

test('over HTTP/2 a response that is reset before its end is not whole, whatever reason the server gives', async () => {
  const ok = head({ ':status': '200' });
  const long = head({ ':status': '200', 'content-length': '5000' });
  for (const code of [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR]) {
    const url = await rawHttp2([
      [ok, data('half'), reset(code)],
      [long, data('half'), reset(code)],
      [ok, reset(code)],
      [ok, reset(code)],
      [ok, data('whole', true), reset(code)],
      [ok, data('whole'), head({ 'x-trailer': '1' }, true)],
      [long, data('short', true)],
    ]);
    const fetcher = newFetcher({ http2: true, insecure: true });
    const answer = async (more = {}) => {
      const { body, endedEarly } = await fetcher.fetch(get(url, more)).promise;
      return [code, body?.toString(), endedEarly];
    };
    expect(await answer()).toEqual([code, 'half', true]);
    expect(await answer()).toEqual([code, 'half', true]);
    expect((await failureOf(fetcher.fetch(get(url)))).errorClass).toBe('connection_reset');
    // That a server has failed may be said of the headers too.
    if (code === constants.NGHTTP2_INTERNAL_ERROR) {
      await failureOf(fetcher.fetch(get(url)));
    } else {
      expect(await answer({ method: 'HEAD' })).toEqual([code, undefined, false]);
    }
    expect(await answer()).toEqual([code, 'whole', false]);
    expect(await answer()).toEqual([code, 'whole', false]);
    expect(await answer()).toEqual([code, 'short', true]);
  }
});

test('over HTTP/2 headers are the bytes that came, and cookies go back as such', async () => {
  const url = await rawHttp2([
    [head({ ':status': '302', location: '/\xc3\xa9', 'set-cookie': 'a=\xc3\xa9' }, true)],
    [head({ ':status': '302', location: '/\xe9' }, true)],
  ]);
  const fetcher = newFetcher({ http2: true, insecure: true });
  const { headers } = await fetcher.fetch(get(url)).promise;
  expect([headers.url('location'), headers.all('set-cookie')]).toEqual(['/%C3%A9', ['a=\xc3\xa9']]);
  expect((await fetcher.fetch(get(url)).promise).headers.url('location')).toBe('/%E9');
  const cookies: unknown[] = [];
  const server = await http2Server((stream, _path, asked) => {
    cookies.push(asked.cookie);
    stream.respond({ ':status': 200 }, { endStream: true });
  });
  await fetcher.fetch(get(server.url, { cookie: 'a=\xc3\xa9' })).promise;
  expect(cookies).toEqual(['a=\xc3\xa9']);
});
