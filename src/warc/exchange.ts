import type { Shape } from '../base/parcel.js';
import {
  digestOf,
  fieldsBlock,
  newRecordId,
  packRecord,
  WARC_FIELDS,
  type WarcFields,
  type WarcRecord,
} from './record.js';

/** A request and its answer as they were on the wire. */
export interface WireExchange {
  url: string;
  method: string;
  /** Path and query as they were asked for. */
  path: string;
  /** Names and values that were sent; those that may be secret are left out by whoever makes the record. */
  requestHeaders: readonly (readonly [string, string])[];
  /** Status line and headers, each character a byte, with the empty line at the end; null if they did not come as text (HTTP/2). */
  head: string | null;
  status: number;
  responseHeaders: readonly (readonly [string, string])[];
  /** As it came but for the chunks: still in its content encoding. */
  body: Uint8Array;
  /** Why the body is not whole; null if it is. */
  truncated: 'length' | 'time' | 'disconnect' | 'unspecified' | null;
  ip: string | null;
  isHttp2: boolean;
}

/** What a crawl knows of an exchange beside what was on the wire. */
export interface ExchangeNotes {
  at: number;
  depth: number;
  ttfbMs: number;
  totalMs: number;
}

/** An exchange on its way from the lane that had it to the store that writes it down. */
export interface ArchivedExchange {
  url: string;
  method: string;
  at: number;
  status: number;
  /** Its media type alone, in lower case. */
  mime: string | null;
  digest: string;
  payloadBytes: number;
  isTruncated: boolean;
  ip: string | null;
  isHttp2: boolean;
  /** Of the response; a revisit that is written in its place has it too. */
  id: string;
  /** The head of the response as it is written. */
  head: string;
  /** The response, packed. */
  response: Uint8Array;
  /** Request and metadata, packed. */
  others: Uint8Array;
}

export const ARCHIVED: Shape<ArchivedExchange> = { response: 'bytes', others: 'bytes', head: 'text' };

/** All that an archive has of a request. Whatever else was sent may be somebody's secret: cookies, passwords, keys in headers of the user's. */
const SHOWN_OF_REQUEST: ReadonlySet<string> = new Set([
  ...['user-agent', 'accept', 'accept-encoding', 'accept-language', 'range', 'if-none-match', 'if-modified-since'],
]);

const PACKED_TYPE =
  /^(?:image\/(?!svg|bmp)|video\/|audio\/|font\/woff|application\/(?:zip|gzip|x-gzip|pdf|zstd|x-7z|java-archive))/;

/** The records of an exchange: response, request, and what the crawl knows of both. */
export function archive(wire: WireExchange, notes: ExchangeNotes): ArchivedExchange {
  const { url, method, status, body, truncated, ip, isHttp2 } = wire;
  const { at } = notes;
  const id = newRecordId();
  const head = wire.head === null ? headOf(status, wire.responseHeaders) : withoutChunks(wire.head, body.length);
  const headBytes = Buffer.from(head, 'latin1');
  const digest = digestOf(body);
  const mime = mimeOf(headerOf(wire.responseHeaders, 'content-type'));
  const about = [
    ['WARC-Target-URI', url],
    ...(ip === null ? [] : ([['WARC-IP-Address', ip]] as const)),
    ...(isHttp2 ? ([['WARC-Protocol', 'h2']] as const) : []),
  ] satisfies WarcFields;
  const isPacked = headerOf(wire.responseHeaders, 'content-encoding') !== null || PACKED_TYPE.test(mime ?? '');
  const response = packRecord({
    ...{ type: 'response', id, at, isPacked, contentType: 'application/http; msgtype=response' },
    fields: [
      ...about,
      ['WARC-Payload-Digest', digest],
      ['WARC-Block-Digest', digestOf(Buffer.concat([headBytes, body]))],
      ...(truncated === null ? [] : ([['WARC-Truncated', truncated]] as const)),
    ],
    block: [headBytes, body],
  });
  const request = packRecord({
    ...{ type: 'request', id: newRecordId(), at, contentType: 'application/http; msgtype=request' },
    fields: [...about, ['WARC-Concurrent-To', id]],
    block: [Buffer.from(requestHead(wire), 'latin1')],
  });
  const metadata = packRecord(metadataOf(url, at, metadataFields(notes), id));
  return {
    ...{ url, method, at, status, mime, digest, payloadBytes: body.length, isTruncated: truncated !== null, ip },
    ...{ isHttp2, id, head, response, others: Buffer.concat([request, metadata]) },
  };
}

/** Written in place of a response whose payload is in the archive already (profile identical-payload-digest). */
export function revisit(exchange: ArchivedExchange, first: { url: string; at: number }): Buffer {
  const { id, at, url, digest, head, ip, isHttp2 } = exchange;
  return packRecord({
    ...{ type: 'revisit', id, at, contentType: 'application/http; msgtype=response' },
    fields: [
      ['WARC-Target-URI', url],
      ...(ip === null ? [] : ([['WARC-IP-Address', ip]] as const)),
      ...(isHttp2 ? ([['WARC-Protocol', 'h2']] as const) : []),
      ['WARC-Payload-Digest', digest],
      ['WARC-Profile', 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'],
      ['WARC-Refers-To-Target-URI', first.url],
      ['WARC-Refers-To-Date', new Date(first.at).toISOString()],
      ['WARC-Truncated', 'length'],
    ],
    block: [Buffer.from(head, 'latin1')],
  });
}

/** Of a request that had no answer: only that it was made, and what came of it. */
export const failedExchange = (url: string, at: number, reason: string, message: string | null): Buffer =>
  packRecord(
    metadataOf(
      url,
      at,
      [['error', reason], ...(message === null ? [] : ([['error-message', message]] as const))],
      null,
    ),
  );

function metadataOf(url: string, at: number, fields: WarcFields, concurrentTo: string | null): WarcRecord {
  return {
    ...{ type: 'metadata', id: newRecordId(), at, contentType: WARC_FIELDS },
    fields: [
      ['WARC-Target-URI', url],
      ...(concurrentTo === null ? [] : ([['WARC-Concurrent-To', concurrentTo]] as const)),
    ],
    block: [fieldsBlock(fields)],
  };
}

/** The names that other crawlers use, where there are such. */
const metadataFields = ({ depth, ttfbMs, totalMs }: ExchangeNotes): WarcFields => [
  ['hopsFromSeed', 'L'.repeat(Math.min(depth, 100))],
  ['fetchTimeMs', String(Math.round(totalMs))],
  ['ttfbMs', String(Math.round(ttfbMs))],
];

function requestHead({ method, path, url, requestHeaders }: WireExchange): string {
  const host = new URL(url).host;
  const lines = requestHeaders
    .filter(([name]) => SHOWN_OF_REQUEST.has(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n`;
}

/** What HTTP/2 says in numbers, in the words of HTTP/1.1, as all readers of archives know it. */
function headOf(status: number, headers: readonly (readonly [string, string])[]): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

const TRANSFER_ENCODING = /^transfer-encoding(?=[ \t]*:)/gim;

/**
 * The body is written without its chunks, so no header may announce them: half of the readers would take the first bytes of the page for the
 * size of a chunk. The line stays under the name that archives have for what is no longer so, and the length stands beside it.
 */
function withoutChunks(head: string, length: number): string {
  if (!/^transfer-encoding[ \t]*:/im.test(head)) {
    return head;
  }
  const end = /\r?\n\r?\n$/.exec(head)?.[0] ?? '';
  const before = head.slice(0, head.length - end.length);
  return `${before.replace(TRANSFER_ENCODING, 'X-Archive-Orig-Transfer-Encoding')}\r\nContent-Length: ${length}\r\n\r\n`;
}

function headerOf(headers: readonly (readonly [string, string])[], name: string): string | null {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? null;
}

export const mimeOf = (contentType: string | null): string | null => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
};
