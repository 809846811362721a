import { createGzip, gzipSync } from 'node:zlib';
import { html, linkPage, pathSite, type RawAnswer, type Site, text } from './site.js';

/** Sites that misbehave, each in one way. Home pages always work and link to what does not. */

const PAGE = linkPage('A page', ['/', '/other']);
const HTML_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n';

/** `/` links to every path; robots.txt and sitemaps are 404. */
export function faultSite(answers: Parameters<typeof pathSite>[0]): Site {
  return pathSite({
    '/': html(linkPage('Home', Object.keys(answers))),
    '/other': html(linkPage('Other', ['/'])),
    ...answers,
  });
}

/** The values of Retry-After by what they mean; `date` and `past` are made when asked, around now. */
export const RETRY_AFTER = {
  seconds: () => '2',
  date: () => new Date(Date.now() + 3000).toUTCString(),
  past: () => new Date(Date.now() - 86_400_000).toUTCString(),
  huge: () => '99999999999',
  garbage: () => 'soon, please',
  none: () => null,
} as const;

/** /page refuses the first `times` requests with a Retry-After, then works. */
export function retryAfter(status: 429 | 503, kind: keyof typeof RETRY_AFTER, times = 1): Site {
  let asked = 0;
  return faultSite({
    '/page': () => {
      if (asked++ >= times) {
        return html(PAGE);
      }
      const value = RETRY_AFTER[kind]();
      return { ...text('Later.', status), headers: value === null ? {} : { 'retry-after': value } };
    },
  });
}

/** The whole response comes late. */
export const slowStart = (afterMs: number): Site => faultSite({ '/slow': { ...html(PAGE), afterMs } });

/** The header section comes one byte at a time. */
export const slowHeaders = (everyMs: number): Site => {
  const response = `${HTML_HEAD}Content-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
  return faultSite({ '/slow': { raw: (n) => response[n] ?? null, everyMs, end: 'close', status: 200 } });
};

/** The body comes one byte at a time. */
export const slowBody = (everyMs: number): Site =>
  faultSite({
    '/slow': {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': String(PAGE.length) },
      pieces: (n) => PAGE[n] ?? null,
      everyMs,
      end: 'finish',
    },
  });

/** The body starts well and stops half way, the connection stays open. */
export const stalledBody = (): Site =>
  faultSite({
    '/stalled': {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': String(PAGE.length) },
      pieces: (n) => (n === 0 ? PAGE.slice(0, 60) : null),
      everyMs: 0,
      end: 'open',
    },
  });

/** HTML without end, as fast as it is read. */
export function endlessBody(): Site {
  const piece = Buffer.from('<p>and on it goes <a href="/other">other</a></p>\n'.repeat(1000));
  return faultSite({
    '/endless': { headers: { 'content-type': 'text/html' }, pieces: () => piece, everyMs: 0, end: 'finish' },
  });
}

/** A small gzip that unpacks to `unpackedBytes` of HTML; made at once, since who asks for it may not wait for long. */
export function gzipBomb(unpackedBytes: number): Site {
  const bomb = packSpaces(unpackedBytes);
  const fixed = faultSite({ '/bomb': text('') });
  return {
    async handle(request) {
      if (request.path !== '/bomb') {
        return fixed.handle(request);
      }
      return { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body: await bomb };
    },
  };
}

async function packSpaces(bytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const packed: Buffer[] = [];
  gzip.on('data', (piece: Buffer) => packed.push(piece));
  const ended = new Promise((resolve) => gzip.once('end', resolve));
  const block = Buffer.alloc(1024 * 1024, ' ');
  for (let left = bytes; left > 0; left -= block.length) {
    if (!gzip.write(left < block.length ? block.subarray(0, left) : block)) {
      await new Promise((resolve) => gzip.once('drain', resolve));
    }
  }
  gzip.end();
  await ended;
  return Buffer.concat(packed);
}

/** The same page compressed `layers` times, and said so. */
export function stackedEncodings(layers: number): Site {
  let body: Buffer = Buffer.from(PAGE);
  for (let i = 0; i < layers; i++) {
    body = gzipSync(body);
  }
  const encoding = Array.from({ length: layers }, () => 'gzip').join(', ');
  return faultSite({ '/stacked': { headers: { 'content-type': 'text/html', 'content-encoding': encoding }, body } });
}

const raw = (response: string, end: RawAnswer['end']): RawAnswer => ({ raw: response, end, status: 200 });

/** Framing that does not hold what it says. */
export function badFraming(): Site {
  const half = PAGE.slice(0, PAGE.length / 2);
  const chunk = `${half.length.toString(16)}\r\n${half}\r\n`;
  return faultSite({
    '/content-length-too-long': raw(`${HTML_HEAD}Content-Length: ${PAGE.length + 100}\r\n\r\n${PAGE}`, 'close'),
    '/content-length-too-short': raw(`${HTML_HEAD}Content-Length: 40\r\n\r\n${PAGE}`, 'close'),
    '/truncated-chunk': raw(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk}ff\r\nhalf of it`, 'close'),
    '/no-last-chunk': raw(`${HTML_HEAD}Transfer-Encoding: chunked\r\n\r\n${chunk}`, 'close'),
    '/not-http': raw('SSH-2.0-OpenSSH_9.6\r\n', 'close'),
    '/no-headers': raw('HTTP/1.1 200', 'close'),
    '/truncated-gzip': {
      headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
      body: gzipSync(PAGE).subarray(0, 60),
    },
    '/not-gzip': { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body: PAGE },
    // A second response that nobody asked for: a client that keeps the connection takes it for the next answer.
    '/keep-alive-poison': raw(
      `${HTML_HEAD}Content-Length: ${PAGE.length}\r\n\r\n${PAGE}${HTML_HEAD}Content-Length: 6\r\n\r\npoison`,
      'open',
    ),
  });
}

/** The connection is reset when so many bytes of the body have left; null: before any byte of the response. */
export function resetAfter(bodyBytes: number | null): Site {
  const response = `${HTML_HEAD}Content-Length: ${PAGE.length}\r\n\r\n${PAGE.slice(0, bodyBytes ?? 0)}`;
  return faultSite({ '/reset': bodyBytes === null ? { raw: '', end: 'reset' } : raw(response, 'reset') });
}

/** A header section of this size. */
export function bigHeaders(headerBytes: number): Site {
  const line = `X-Filler: ${'x'.repeat(1000)}\r\n`;
  const lines = Math.ceil(headerBytes / line.length);
  // Many at once: who reads beside much else, a turn of the event loop for each piece, has his fill well before he runs out of patience.
  const linesAPiece = 64;
  const full = Math.ceil(lines / linesAPiece);
  const tail = `Content-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
  const pieces = (n: number): string | null =>
    n === 0
      ? HTML_HEAD
      : n <= full
        ? line.repeat(Math.min(linesAPiece, lines - (n - 1) * linesAPiece))
        : n === full + 1
          ? tail
          : null;
  return faultSite({ '/big-headers': { raw: pieces, end: 'close', status: 200 } });
}

/** Interim responses, so many before the real one; Infinity for ever. */
export function interimFlood(times: number): Site {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </other>\r\n\r\n';
  const tail = `${HTML_HEAD}Content-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
  return faultSite({
    '/interim': { raw: (n) => (n < times ? interim : n === times ? tail : null), end: 'close', status: 200 },
  });
}

/** The request is taken and never answered. */
export const silent = (): Site => faultSite({ '/silent': { raw: '', end: 'open' } });

/** Content that is not what its type or name says. */
export function mislabelled(): Site {
  const binary = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 73) % 256));
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), binary]);
  return faultSite({
    '/binary-as-html': { headers: { 'content-type': 'text/html' }, body: png },
    '/json-as-html': { headers: { 'content-type': 'text/html' }, body: '{"links":["/other"]}' },
    '/binary-without-extension': { headers: { 'content-type': 'application/octet-stream' }, body: binary },
    '/binary-without-type': { headers: {}, body: binary },
    '/html-without-type': { headers: {}, body: PAGE },
    '/html-as-text': text(PAGE),
    '/page.pdf': html(PAGE),
    '/truncated-html': html(`${PAGE.slice(0, -30)}<a href="/oth`),
    '/head-refused.zip': ({ method }) =>
      method === 'HEAD'
        ? { status: 405, headers: { allow: 'GET' } }
        : { headers: { 'content-type': 'application/zip' }, body: binary },
  });
}
