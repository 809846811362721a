import { ResponseHeaders } from './response-headers.js';
import { KEEP_ALIVE_MS, WireError } from './wire.js';

const MAX_KEEP_ALIVE_MS = 60_000;
/** A request that is sent when the server is about to close would be lost. */
const KEEP_ALIVE_MARGIN_MS = 1000;

const CR = 13;
const SPACE = 32;
const TAB = 9;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Bytes that no head may contain: control characters, and a CR that ends no line. */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/;
const FOLDED = /\r?\n[ \t]+/g;

/** What the head of a response says. */
export interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly isChunked: boolean;
  /** Null if no header gives the length of the body. */
  readonly length: number | null;
  /** 0 if the server closes the connection after this response. */
  readonly keepAliveMs: number;
}

const STATUS_LINE = /^(\d)\.(\d) (\d{3})(?:\r?\n| [^\n]*\n)/;

/** @param text all of it behind `HTTP/`, with its empty line */
export function parseHead(text: string): Head {
  const status = STATUS_LINE.exec(text);
  if (status === null) {
    throw badStatusLine(text);
  }
  if (FORBIDDEN.test(text)) {
    throw noHttp('INVALID_HEADER_TOKEN', 'Invalid header value char');
  }
  const [statusLine, major, minor, code] = status as unknown as [string, string, string, string];
  if (!VERSIONS.has(`${major}.${minor}`)) {
    throw noHttp('INVALID_VERSION', 'Invalid HTTP version');
  }
  const lines = text.slice(statusLine.length);
  const headers = readHeaders(FOLD_BEGIN.test(text) ? unfolded(lines) : lines);
  const framing = readFraming(headers);
  return {
    status: Number(code),
    headers: new ResponseHeaders(headers, `HTTP/${text}`),
    isChunked: framing.isChunked,
    length: framing.length,
    keepAliveMs: keepAliveOf(framing, major === '1' && minor === '1'),
  };
}

const VERSIONS: ReadonlySet<string> = new Set(['0.9', '1.0', '1.1', '2.0']);
const FOLD_BEGIN = /\n[ \t]/;

/** A line that begins with a blank goes on with the one before; those before the first header belong to the status. */
const unfolded = (lines: string): string => lines.replace(/^(?:[ \t][^\n]*\n)+/, '').replace(FOLDED, ' ');

function badStatusLine(text: string): Error {
  const [line = ''] = text.split('\n', 1);
  if (!/^\d\.\d /.test(line)) {
    return noHttp('INVALID_VERSION', 'Invalid HTTP version');
  }
  return /^\d\.\d \d{3}/.test(line)
    ? noHttp('INVALID_STATUS', 'Invalid response status')
    : noHttp('INVALID_STATUS', 'Invalid status code');
}

/** Names, in lower case, and values in turn. */
function readHeaders(lines: string): string[] {
  const headers: string[] = [];
  for (let from = 0; ; ) {
    const end = lines.indexOf('\n', from);
    const last = lines.charCodeAt(end - 1) === CR ? end - 1 : end;
    if (last <= from) {
      return headers;
    }
    const colon = lines.indexOf(':', from);
    const name = colon < 0 || colon > last ? '' : lines.slice(from, colon);
    if (!NAME.test(name)) {
      throw noHttp('INVALID_HEADER_TOKEN', 'Invalid header token');
    }
    headers.push(name.toLowerCase(), trimmed(lines, colon + 1, last));
    from = end + 1;
  }
}

/** Without the spaces and tabs around it. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) {
    start++;
  }
  while (end > start && isBlank(text.charCodeAt(end - 1))) {
    end--;
  }
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

interface Framing {
  isChunked: boolean;
  /** Null if no header gives it. */
  length: number | null;
  connection: string;
  keepAlive: string;
}

function readFraming(headers: readonly string[]): Framing {
  const framing: Framing = { isChunked: false, length: null, connection: '', keepAlive: '' };
  let coding: string | null = null;
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1]!;
    switch (headers[i]) {
      case 'content-length':
        framing.length = readLength(value, framing.length);
        break;
      case 'transfer-encoding':
        coding = coding === null ? value : `${coding},${value}`;
        break;
      case 'connection':
        framing.connection = `${framing.connection},${value.toLowerCase()}`;
        break;
      case 'keep-alive':
        framing.keepAlive = value;
        break;
    }
  }
  if (coding !== null) {
    if (framing.length !== null) {
      throw contradictingLengths();
    }
    framing.isChunked = /(?:^|,)[ \t]*chunked[ \t]*$/i.test(coding);
  }
  return framing;
}

/** Several that say the same, in one line or in more, are taken for one (RFC 9110, 8.6). */
function readLength(value: string, known: number | null): number {
  if (!LENGTHS.test(value)) {
    throw noHttp('INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length');
  }
  const lengths = value.split(',').map(Number);
  const length = known ?? lengths[0]!;
  if (lengths.some((each) => each !== length)) {
    throw contradictingLengths();
  }
  if (value.includes('.') || !Number.isSafeInteger(length)) {
    throw new WireError('ERR_IMPOSSIBLE_LENGTH', 'The Content-Length is a number that no body can have.');
  }
  return length;
}

const LENGTHS = /^\d+(?:\.\d+)?(?:[ \t]*,[ \t]*\d+(?:\.\d+)?)*$/;

const contradictingLengths = (): WireError =>
  new WireError('ERR_CONTRADICTING_LENGTHS', 'The headers contradict each other about the length of the body.');

/** HTTP/1.0 has no chunks: who sends them all the same may mean something else by them, so nothing is asked behind them (RFC 9112, 6.1). */
function keepAliveOf({ isChunked, connection, keepAlive }: Framing, isHttp11: boolean): number {
  const isClosed = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/.test(connection);
  const isKept = isHttp11 || (!isChunked && /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/.test(connection));
  if (isClosed || !isKept) {
    return 0;
  }
  const seconds = /\btimeout=(\d+)/i.exec(keepAlive)?.[1];
  if (seconds === undefined) {
    return KEEP_ALIVE_MS;
  }
  return Math.max(0, Math.min(MAX_KEEP_ALIVE_MS, Number(seconds) * 1000 - KEEP_ALIVE_MARGIN_MS));
}

/** The bytes are not an HTTP response; the detail says why. */
export const noHttp = (code: string, detail: string): WireError => new WireError(`HPE_${code}`, detail);
