import { PassThrough, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { FetchError } from '../base/errors.js';
import { gunzip, gunzipUnchecked } from '../base/gunzip.js';

export interface Decoded {
  body: Buffer;
  /** What is wrong with the data, in words: `body` is what could be had of it. Null: nothing is. */
  damage: string | null;
}

interface Codec {
  decodeAll(data: Buffer, options: { maxOutputLength: number }): Buffer;
  /** The same, whatever the checksum says; left out where there is none. */
  decodeUnchecked?(data: Buffer, options: { maxOutputLength: number }): Buffer;
  createStream(data: Buffer): Transform;
}

export const ENDED_EARLY = 'the body ended early';
const MAX_ENCODINGS = 2;
const MIN_SALVAGE_SLICE_BYTES = 64;
const WRONG_CHECKSUM = /^incorrect (?:data|length) check$/;

// Node 20 has no zstd, and neither have its types.
const { zstdDecompressSync, createZstdDecompress, constants } = zlib as typeof zlib & {
  zstdDecompressSync?(data: Buffer, options: object): Buffer;
  createZstdDecompress?(options: object): Transform;
  constants: { ZSTD_d_windowLogMax?: number };
};

const GZIP: Codec = {
  decodeAll: gunzip,
  decodeUnchecked: gunzipUnchecked,
  createStream: () => zlib.createGunzip(),
};

const ZLIB_HEADER_BYTES = 2;
/** Half of the servers that say "deflate" mean zlib, as the standard has it, and half raw deflate. */
const DEFLATE: Codec = {
  decodeAll: (data, options) => (hasZlibHeader(data) ? zlib.inflateSync : zlib.inflateRawSync)(data, options),
  decodeUnchecked: (data, options) => zlib.inflateRawSync(data.subarray(ZLIB_HEADER_BYTES), options),
  createStream: (data) => (hasZlibHeader(data) ? zlib.createInflate() : zlib.createInflateRaw()),
};

const CODECS = new Map<string, Codec>([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', DEFLATE],
  ['br', { decodeAll: zlib.brotliDecompressSync, createStream: () => zlib.createBrotliDecompress() }],
]);

if (zstdDecompressSync !== undefined && createZstdDecompress !== undefined) {
  // RFC 9659: 8 MiB is the largest window on the web; the default of the library is 128.
  const params = { [constants.ZSTD_d_windowLogMax ?? 100]: 23 };
  CODECS.set('zstd', {
    decodeAll: (data, options) => zstdDecompressSync(data, { ...options, params }),
    createStream: () => createZstdDecompress({ params }),
  });
}

/** What a body that is handed on in pieces may come in. */
export const ACCEPT_ENCODING_STREAMED = 'gzip';

/** Undoes the encoding of a body as it comes; `first` is its first piece. What ends early gives all that there is. */
export function streamDecoder(encodings: readonly string[], first: Buffer): Transform {
  const [encoding] = encodings;
  if (encoding === undefined) return new PassThrough();
  const codec = CODECS.get(encoding);
  if (codec === undefined || encodings.length > 1) {
    throw new FetchError('unknown', `The body is encoded in a way that cannot be undone (${encodings.join(', ')}).`);
  }
  return codec === GZIP ? zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }) : codec.createStream(first);
}

export const ACCEPT_ENCODING = ['gzip', 'deflate', 'br', 'zstd'].filter((name) => CODECS.has(name)).join(', ');

/** Names that mean an encoding which is not to be had here, unlike `utf-8`, `none` and such, which mean nothing. */
const UNDECODABLE = new Set(['compress', 'x-compress', 'zstd', 'dcb', 'dcz', 'exi', 'pack200-gzip']);

/** The encodings of a body, outermost last. */
export function readContentEncoding(header: string | null): string[] {
  if (header === null) return [];
  const named = header.split(',').map((name) => name.trim().toLowerCase());
  const encodings = named.filter((name) => CODECS.has(name) || UNDECODABLE.has(name));
  if (encodings.length > MAX_ENCODINGS) {
    throw new FetchError(
      'unknown',
      `The body is encoded ${encodings.length} times; at most ${MAX_ENCODINGS} are undone.`,
    );
  }
  return encodings;
}

/**
 * Undoes the encodings of a whole body. In one call and not as a stream: that is five times cheaper for a page of usual size,
 * and twice for one of 10 MB. No step makes more than `maxBytes`, so a bomb is stopped where it exceeds them.
 */
export function decodeBody(data: Buffer, encodings: readonly string[], maxBytes: number): Decoded | Promise<Decoded> {
  let body = data;
  for (let left = encodings.length; left > 0 && body.length > 0; left--) {
    const codec = CODECS.get(encodings[left - 1]!);
    if (codec === undefined) {
      return {
        body: Buffer.alloc(0),
        damage: `the body is encoded in a way that cannot be undone (${encodings[left - 1]})`,
      };
    }
    try {
      body = codec.decodeAll(body, { maxOutputLength: maxBytes });
    } catch (error) {
      if (isOverflow(error)) throw tooLarge(maxBytes);
      return salvageRest(body, encodings.slice(0, left), maxBytes, error as NodeJS.ErrnoException);
    }
  }
  return { body, damage: null };
}

async function salvageRest(
  data: Buffer,
  encodings: readonly string[],
  maxBytes: number,
  error: NodeJS.ErrnoException,
): Promise<Decoded> {
  const encoding = encodings.at(-1)!;
  const codec = CODECS.get(encoding)!;
  const isWhole = WRONG_CHECKSUM.test(error.message) && codec.decodeUnchecked !== undefined;
  const inner = isWhole ? codec.decodeUnchecked!(data, { maxOutputLength: maxBytes }) : await salvage(codec, data);
  const { body } = await decodeBody(inner, encodings.slice(0, -1), maxBytes);
  return { body, damage: damageOf(error, encoding, inner.length > 0) };
}

function damageOf({ code, message }: NodeJS.ErrnoException, encoding: string, isPart: boolean): string {
  if (WRONG_CHECKSUM.test(message)) return `the checksum of its ${encoding} is wrong`;
  if (code === 'Z_BUF_ERROR') return ENDED_EARLY;
  return isPart ? `its ${encoding} is damaged` : `what came is not ${encoding}`;
}

/**
 * What can be decoded before the damage, in small slices, since the output of the slice that fails is lost. It needs no cap of its
 * own: up to the damage the data have been decoded once before, under the cap.
 */
function salvage(codec: Codec, data: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const stream = codec.createStream(data);
    const pieces: Buffer[] = [];
    let length = 0;
    const finish = () => resolve(Buffer.concat(pieces, length));
    stream.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
    });
    stream.on('error', finish);
    stream.on('end', finish);
    const sliceBytes = Math.max(MIN_SALVAGE_SLICE_BYTES, data.length >> 8);
    const feed = (from: number): void => {
      if (from >= data.length) stream.end();
      else stream.write(data.subarray(from, from + sliceBytes), (error) => error ?? feed(from + sliceBytes));
    };
    feed(0);
  });
}

const tooLarge = (maxBytes: number): FetchError =>
  new FetchError('too_large', `The decoded body is larger than ${maxBytes} bytes.`);

const isOverflow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

const hasZlibHeader = (data: Buffer): boolean =>
  data.length >= 2 && (data[0]! & 0x0f) === 8 && ((data[0]! << 8) | data[1]!) % 31 === 0;
