import { hash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/**
 * Records of WARC 1.1 (ISO 28500:2017), each in a gzip member of its own, so that one can be read without those before it. What is written
 * here is read by the programs of others: it is as plain as the standard allows.
 */

/** Names and values, in the order in which they are written. */
export type WarcFields = readonly (readonly [name: string, value: string])[];

/** Of members: fast, and within a few percent of the smallest. */
const LEVEL = 5;
/** For what is packed already, such as a body with a content encoding, or an image. */
const LEVEL_OF_PACKED = 1;

export type WarcType = 'warcinfo' | 'request' | 'response' | 'metadata' | 'revisit';

export interface WarcRecord {
  type: WarcType;
  id: string;
  /** In milliseconds since 1970. */
  at: number;
  /** Fields beside type, id, date and length. */
  fields: WarcFields;
  /** The type of the block. */
  contentType: string;
  /** Pieces that follow each other. */
  block: readonly Uint8Array[];
  isPacked?: boolean;
}

export const newRecordId = (): string => `<urn:uuid:${randomUUID()}>`;

/** With the name of its algorithm, as readers of WARC compare it. */
export const digestOf = (bytes: Uint8Array): string => labelled(hash('sha256', bytes, 'hex'));

/** Of a hash that is known already, in hexadecimal digits. */
export const labelled = (sha256: string): string => `sha256:${sha256}`;

/** A record as a gzip member. */
export function packRecord({ type, id, at, fields, contentType, block, isPacked }: WarcRecord): Buffer {
  const length = block.reduce((sum, { length: each }) => sum + each, 0);
  const lines = [
    ['WARC-Type', type],
    ['WARC-Record-ID', id],
    ['WARC-Date', new Date(at).toISOString()],
    ...fields,
    ['Content-Type', contentType],
    ['Content-Length', String(length)],
  ];
  const head = `WARC/1.1\r\n${lines.map(([name, value]) => `${name}: ${oneLine(value!)}\r\n`).join('')}\r\n`;
  const whole = Buffer.concat([Buffer.from(head), ...block, END]);
  return gzipSync(whole, { level: isPacked === true ? LEVEL_OF_PACKED : LEVEL });
}

const END = Buffer.from('\r\n\r\n');

/** Whatever a server or a page has put into it, it begins no line of its own. */
const oneLine = (value: string): string => value.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();

/** A block of `name: value` lines (application/warc-fields). */
export const fieldsBlock = (fields: WarcFields): Buffer =>
  Buffer.from(fields.map(([name, value]) => `${name}: ${oneLine(value)}\r\n`).join(''));

export const WARC_FIELDS = 'application/warc-fields';
