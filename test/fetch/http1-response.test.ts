import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../src/fetch/classify.js';
import { Http1Reader } from '../../src/fetch/http1-response.js';
import type { Receiver } from '../../src/fetch/wire.js';

interface Heard {
  /** Status and headers of each head, interim ones included. */
  heads: string[];
  body: string;
  end: 'complete' | 'open' | string;
  /** Another request may follow. */
  isKept: boolean;
}

interface Feeding {
  isHead?: boolean;
  /** Wants no more after each piece, and goes on when the reader has come back. */
  pauses?: boolean;
  /** The connection ends behind the bytes. */
  closes?: boolean;
}

/** What a reader reports of pieces that come one after the other, each in a buffer that is overwritten after the call. */
function hear(pieces: readonly Buffer[], { isHead = false, pauses = false, closes = true }: Feeding = {}): Heard {
  const heard: Heard = { heads: [], body: '', end: 'open', isKept: false };
  const body: string[] = [];
  const receiver: Receiver = {
    onSend: () => {},
    onHeaders: (status, headers) => {
      heard.heads.push([status, ...headers.list().map(([name, value]) => `${name}=${value}`)].join('|'));
      return !pauses;
    },
    onData: (piece) => {
      body.push(piece.toString('latin1'));
      return !pauses;
    },
    onComplete: () => {
      heard.end = 'complete';
    },
    onError: () => {},
  };
  const reader = new Http1Reader();
  reader.begin(receiver, isHead, () => {});
  try {
    for (const piece of pieces) {
      for (let rest = Buffer.from(piece), taken = 0; ; rest = Buffer.from(rest.subarray(taken))) {
        taken = reader.read(rest, rest.length);
        rest.fill('#', 0, taken);
        if (!reader.isPaused) {
          if (taken !== rest.length) {
            throw new Error('bytes were left over without a pause');
          }
          break;
        }
        reader.isPaused = false;
      }
    }
    heard.isKept = reader.keepAliveMs > 0;
    if (closes && reader.isBusy) {
      reader.end();
    }
  } catch (error) {
    heard.end = codeOf(error);
    expect(heard.end, String(error)).not.toBe('');
  }
  heard.body = body.join('');
  return heard;
}

const bytesOf = (bytes: Buffer): Buffer[] => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));

function split(bytes: Buffer, at: readonly number[]): Buffer[] {
  const marks = [0, ...at.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return marks.slice(1).map((mark, i) => bytes.subarray(marks[i], mark));
}

/** The same, however the bytes come: whole, one by one, split anywhere, with pauses or without. */
function hearAlways(text: string | Buffer, feeding: Feeding = {}, at: readonly number[] = [7, 30, 61]): Heard {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text, 'latin1');
  const whole = hear([bytes], feeding);
  for (const pauses of [false, true]) {
    for (const pieces of [[bytes], bytesOf(bytes), split(bytes, at)]) {
      expect(hear(pieces, { ...feeding, pauses })).toEqual(whole);
    }
  }
  return whole;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/);
const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,40}$/).map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''));
/** Those that say where the response ends, and what becomes of its connection, are put there by the tests. */
const FRAMING = /^(?:content-length|transfer-encoding|connection|keep-alive)$/i;
const header = fc.tuple(token, value).filter(([name]) => !FRAMING.test(name));
const eol = fc.constantFrom('\r\n', '\n');
const latin1 = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const splits = fc.array(fc.nat(400), { maxLength: 6 });

interface WellFormed {
  text: string;
  heads: string[];
  body: string;
  isHead: boolean;
  isKept: boolean;
  endsWithConnection: boolean;
}

const chunk = fc.record({
  data: latin1(1, 20),
  zeros: fc.constantFrom('', '0', '00000000000000000000'),
  extension: fc.constantFrom('', ';a', ';a=b', '; a="b;c"', ' ', '\t ;x=y'),
  isUpper: fc.boolean(),
});

const wellFormed: fc.Arbitrary<WellFormed> = fc
  .record({
    before: fc.constantFrom('', '\r\n', '\n\n'),
    interim: fc.array(fc.tuple(fc.constantFrom(100, 102, 103, 199), fc.array(header, { maxLength: 2 })), {
      maxLength: 3,
    }),
    status: fc.constantFrom(200, 201, 204, 206, 301, 304, 404, 500, 799),
    reason: fc.constantFrom('', ' ', ' OK', ' Not \xe4 Word'),
    headers: fc.array(header, { maxLength: 5 }),
    isFolded: fc.boolean(),
    framing: fc.constantFrom('length', 'twice', 'list', 'chunks', 'close'),
    isHead: fc.boolean(),
    body: latin1(0, 60),
    chunks: fc.array(chunk, { maxLength: 5 }),
    trailers: fc.array(header, { maxLength: 2 }),
    eol,
  })
  .map((given) => {
    const { eol: end } = given;
    const lines = (headers: readonly (readonly [string, string])[]): string =>
      headers.map(([name, text]) => `${name}: ${text}${end}`).join('');
    const shown = (status: number, headers: readonly (readonly [string, string])[]): string =>
      [status, ...headers.map(([name, text]) => `${name.toLowerCase()}=${text}`)].join('|');
    const bodiless = given.isHead || given.status === 204 || given.status === 304;
    const announces = given.framing === 'chunks' || (given.framing !== 'close' && given.body.length > 0);
    const frames: [string, string][] = {
      length: [['Content-Length', `${given.body.length}`]] as [string, string][],
      twice: [
        ['Content-Length', `${given.body.length}`],
        ['content-length', `0${given.body.length}`],
      ] as [string, string][],
      list: [['Content-Length', `${given.body.length}, ${given.body.length} ,\t0${given.body.length}`]] as [
        string,
        string,
      ][],
      chunks: [['Transfer-Encoding', 'chunked']] as [string, string][],
      close: [],
    }[given.framing]!;
    const chunked = given.chunks
      .map(({ data, zeros, extension, isUpper }) => {
        const size = data.length.toString(16);
        return `${zeros}${isUpper ? size.toUpperCase() : size}${extension}${end}${data}${end}`;
      })
      .join('');
    const body = given.framing === 'chunks' ? given.chunks.map(({ data }) => data).join('') : given.body;
    const sent = given.framing === 'chunks' ? `${chunked}0${end}${lines(given.trailers)}${end}` : given.body;
    const folded: [string, string][] = given.isFolded ? [['X-Folded', `a${end}\t b${end} c`]] : [];
    const text = [
      given.before,
      ...given.interim.map(([status, headers]) => `HTTP/1.1 ${status} Wait${end}${lines(headers)}${end}`),
      `HTTP/1.1 ${given.status}${given.reason}${end}`,
      lines([...given.headers, ...folded, ...frames]),
      end,
      bodiless ? '' : sent,
    ].join('');
    const seen: [string, string][] = given.isFolded ? [['x-folded', 'a b c']] : [];
    return {
      text,
      heads: [
        ...given.interim.map(([status, headers]) => shown(status, headers)),
        shown(given.status, [...given.headers, ...seen, ...frames]),
      ],
      body: bodiless ? '' : body,
      isHead: given.isHead,
      // A body that is announced and must not come may come all the same, later.
      isKept: bodiless ? !given.isHead && !announces : given.framing !== 'close',
      endsWithConnection: !bodiless && given.framing === 'close',
    };
  });

test('a well-formed response is read as it was meant, however its bytes come', () => {
  fc.assert(
    fc.property(wellFormed, splits, ({ text, heads, body, isHead, isKept }, at) => {
      expect(hearAlways(text, { isHead }, at)).toEqual({ heads, body, end: 'complete', isKept });
    }),
    { numRuns: 400 },
  );
});

test('a response that breaks off is never complete, unless it ends with its connection', () => {
  fc.assert(
    fc.property(wellFormed, fc.nat(), ({ text, isHead, endsWithConnection }, cut) => {
      const bytes = Buffer.from(text, 'latin1');
      const heard = hearAlways(bytes.subarray(0, cut % bytes.length), { isHead });
      expect(heard.end).toBe(heard.end === 'complete' && endsWithConnection ? 'complete' : 'ERR_CLOSED_EARLY');
    }),
    { numRuns: 300 },
  );
});

test('bytes behind a response spoil its connection and change nothing else', () => {
  fc.assert(
    fc.property(wellFormed, fc.constantFrom('x', '\0', 'HTTP/1.1 200 OK\r\n\r\n', '\r\n x'), (response, behind) => {
      fc.pre(response.isKept);
      const { text, heads, body, isHead } = response;
      expect(hearAlways(text + behind, { isHead })).toEqual({ heads, body, end: 'complete', isKept: false });
    }),
    { numRuns: 200 },
  );
});

test('damaged bytes give the same, however they come', () => {
  const damage = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('set', 'insert', 'delete', 'repeat'),
    byte: fc.oneof(fc.constantFrom(0, 9, 10, 13, 32, 44, 48, 58, 59, 127, 255), fc.nat(255)),
  });
  fc.assert(
    fc.property(wellFormed, fc.array(damage, { minLength: 1, maxLength: 4 }), splits, ({ text, isHead }, hits, at) => {
      let bytes = [...Buffer.from(text, 'latin1')];
      for (const { at: place, kind, byte } of hits) {
        const i = place % (bytes.length + 1);
        const [removed, added] = {
          set: [1, [byte]],
          insert: [0, [byte]],
          delete: [1, []],
          repeat: [0, bytes.slice(i, i + 9)],
        }[kind] as [number, number[]];
        bytes = [...bytes.slice(0, i), ...added, ...bytes.slice(i + removed)];
      }
      hearAlways(Buffer.from(bytes), { isHead }, at);
    }),
    { numRuns: 800 },
  );
});

describe('what is refused', () => {
  test.each([
    ['ERR_CONTRADICTING_LENGTHS', `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['ERR_CONTRADICTING_LENGTHS', `${OK}Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok`],
    ['ERR_CONTRADICTING_LENGTHS', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`],
    ['ERR_CONTRADICTING_LENGTHS', `${OK}Content-Length: 2\r\nContent-Length: 2, 3\r\n\r\nok`],
    ['ERR_CONTRADICTING_LENGTHS', `${OK}Content-Length: 2, 2\r\nContent-Length: 3\r\n\r\nok`],
    ...['2, 3', '2,2,3', '2.5, 2', `2, ${'9'.repeat(400)}`].map((length) => [
      'ERR_CONTRADICTING_LENGTHS',
      `${OK}Content-Length: ${length}\r\n\r\nok`,
    ]),
    ...['2.0', '2, 2.0', '9007199254740993', '9'.repeat(400)].map((length) => [
      'ERR_IMPOSSIBLE_LENGTH',
      `${OK}Content-Length: ${length}\r\n\r\nok`,
    ]),
    ...['+2', '-2', '0x2', '2.', '.2', '2 2', '2;', '', ',', '2,', ',2', '2,,2', '2, x', '1e1', '\u00b2'].map(
      (length) => ['HPE_INVALID_CONTENT_LENGTH', `${OK}Content-Length: ${length}\r\n\r\nok`],
    ),
    ...['', ' 2', '+2', '-2', '0x2', 'g', ';a', '2 2', '2 x', '2x', '20000000000000', 'f'.repeat(17)].map((size) => [
      'HPE_INVALID_CHUNK_SIZE',
      `${CHUNKED}${size}\r\nok\r\n0\r\n\r\n`,
    ]),
    ...['2\rX\nok\r\n', '2;a\rb\r\nok\r\n', '2;a\0\r\nok\r\n', '2;\x7f\r\nok\r\n', '2\r\nokx\r\n', '2\r\nok\r\r\n'].map(
      (chunks) => ['HPE_STRICT', `${CHUNKED}${chunks}0\r\n\r\n`],
    ),
    ...['A: b\rc\r\n\r\n', 'A: \0\r\n\r\n', '\r\r\n'].map((trailers) => ['HPE_STRICT', `${CHUNKED}0\r\n${trailers}`]),
    ...['A: b\0c', 'A: b\rc', 'A: \x01', 'A: \x7f', ': b', 'A b', 'A : b', 'A\u00e4: b', '(A): b', 'A'].map((line) => [
      'HPE_INVALID_HEADER_TOKEN',
      `${OK}${line}\r\nContent-Length: 0\r\n\r\n`,
    ]),
    ['HPE_INVALID_HEADER_TOKEN', 'HTTP/1.1 200 O\rK\r\n\r\n'],
    ['HPE_INVALID_HEADER_TOKEN', 'HTTP/1.1 200 O\0K\r\n\r\n'],
    ...['HTP/1.1 200 OK', 'http/1.1 200 OK', ' HTTP/1.1 200 OK', 'RTSP/1.1 200 OK', 'ICY 200 OK', '\0'].map((line) => [
      'HPE_INVALID_CONSTANT',
      `${line}\r\n\r\n`,
    ]),
    ...['01.1 200', '11.1 200', '1.01 200', '1.1\t200', '5.6 200', '1.2 200', '1 200', '', '/1.1 200'].map((line) => [
      'HPE_INVALID_VERSION',
      `HTTP/${line} OK\r\n\r\n`,
    ]),
    ...['', ' 200', '2', '20', '2000', '20x', '200OK', '-20', '200\t'].map((status) => [
      'HPE_INVALID_STATUS',
      `HTTP/1.1 ${status}\r\n\r\n`,
    ]),
    ['ERR_UPGRADE', 'HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n'],
  ])('%s: %j', (code, text) => {
    expect(hearAlways(text!).end).toBe(code);
  });
});

test.each([
  ['chunked twice, in one line and in two', 'Transfer-Encoding: chunked, chunked', 'ok'],
  ['chunked twice, in two lines', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 'ok'],
  ['another coding below the chunks', 'Transfer-Encoding: gzip, CHUNKED', 'ok'],
  ['chunked, folded', 'Transfer-Encoding:\r\n chunked', 'ok'],
  ['chunked, and then another coding', 'Transfer-Encoding: chunked, gzip', null],
  ['chunked, and then a line with another coding', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', null],
  ['two words in one', 'Transfer-Encoding: chunkedchunked', null],
  ['a word behind it in a folded line', 'Transfer-Encoding: chunked\r\n  abc', null],
  ['a name that only begins alike', 'Transfer-Encoding-X: chunked', null],
  ['nothing', 'Transfer-Encoding:', null],
])('a body has chunks where that is the last coding, and else ends with the connection: %s', (_name, line, body) => {
  const sent = '2\r\nok\r\n0\r\n\r\n';
  const heard = hearAlways(`${OK}${line}\r\n\r\n${sent}`);
  expect([heard.body, heard.end, heard.isKept]).toEqual([body ?? sent, 'complete', body !== null]);
});

test('lines that begin with a blank before the first header are passed over, all of them', () => {
  const heard = hearAlways(`${OK} one\r\n\ttwo: 2\r\n \r\nA: b\r\nContent-Length: 0\r\n\r\n`);
  expect(heard.heads).toEqual(['200|a=b|content-length=0']);
});

test('a head may have 64 KiB and not a byte more, line breaks before it included', () => {
  for (const before of ['', '\r\n'.repeat(100)]) {
    const head = `${OK}Content-Length: 0\r\nA: `;
    const fill = 'x'.repeat(64 * 1024 - before.length - head.length - 4);
    expect(hearAlways(`${before}${head}${fill}\r\n\r\n`).end).toBe('complete');
    expect(hearAlways(`${before}${head}${fill}x\r\n\r\n`).end).toBe('ERR_HEADERS_OVERFLOW');
  }
  expect(hearAlways('\r\n'.repeat(32 * 1024 + 1)).end).toBe('ERR_HEADERS_OVERFLOW');
});

test('trailers, and what is written beside a chunk, have the same bound', () => {
  const long = 'x'.repeat(64 * 1024);
  for (const rest of [`2;${long}\r\nok\r\n`, `0\r\nA: ${long}\r\n\r\n`, `${'0'.repeat(64 * 1024)}2\r\nok\r\n`]) {
    expect(hearAlways(`${CHUNKED}${rest}`).end).toBe('ERR_HEADERS_OVERFLOW');
  }
});
