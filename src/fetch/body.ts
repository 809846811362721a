import { PassThrough, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { FetchError } from '../base/errors.js';
import { gunzip, gunzipUnchecked } from '../base/gunzip.js';

export interface Decoded {
  body: Buffer;
  /** What is wrong with the data, in words: `body` is the part that could be decoded. Null if nothing is wrong. */
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
/** Half of the servers that say "deflate" send zlib, as the standard asks, and half send raw deflate. */
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

/** The encoding that is requested when a body is handed on in pieces. */
export const ACCEPT_ENCODING_STREAMED = 'gzip';

/** Decodes a body as it arrives; `first` is its first piece. A body that ends early gives all that there is. */
export function streamDecoder(encodings: readonly string[], first: Buffer): Transform {
  const [encoding] = encodings;
  if (encoding === undefined) {
    return new PassThrough();
  }
  const codec = CODECS.get(encoding);
  if (codec === undefined || encodings.length > 1) {
    throw new FetchError('unknown', `The body is encoded in a way that cannot be decoded (${encodings.join(', ')}).`);
  }
  return codec === GZIP ? zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }) : codec.createStream(first);
}

export const ACCEPT_ENCODING = ['gzip', 'deflate', 'br', 'zstd'].filter((name) => CODECS.has(name)).join(', ');

/** Names of encodings that cannot be decoded here. Others, such as `utf-8` and `none`, mean no encoding at all. */
const UNDECODABLE = new Set(['compress', 'x-compress', 'zstd', 'dcb', 'dcz', 'exi', 'pack200-gzip']);

/** The encodings of a body, outermost last. */
export function readContentEncoding(header: string | null): string[] {
  if (header === null) {
    return [];
  }
  const named = header.split(',').map((name) => name.trim().toLowerCase());
  const encodings = named.filter((name) => CODECS.has(name) || UNDECODABLE.has(name));
  if (encodings.length > MAX_ENCODINGS) {
    throw new FetchError(
      'unknown',
      `The body is encoded ${encodings.length} times; at most ${MAX_ENCODINGS} are decoded.`,
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
        damage: `the body is encoded in a way that cannot be decoded (${encodings[left - 1]})`,
      };
    }
    try {
      body = codec.decodeAll(body, { maxOutputLength: maxBytes });
    } catch (error) {
      if (isOverflow(error)) {
        throw tooLarge(maxBytes);
      }
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
  if (WRONG_CHECKSUM.test(message)) {
    return `the checksum of its ${encoding} is wrong`;
  }
  if (code === 'Z_BUF_ERROR') {
    return ENDED_EARLY;
  }
  return isPart ? `its ${encoding} is damaged` : `what came is not ${encoding}`;
}

/**
 * Decodes what comes before the damage, in small slices, since the output of the slice that fails is lost. It needs no cap: the data before
 * the damage have been decoded once under the cap.
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
      if (from >= data.length) {
        stream.end();
      } else {
        stream.write(data.subarray(from, from + sliceBytes), (error) => error ?? feed(from + sliceBytes));
      }
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

const LARGEST_FIRST_BYTES = 256 * 1024;

/**
 * Blocks that bodies came in before: a new one for each page would be garbage of its size. Each size, a power of two, has a list; sizes beyond the
 * largest are not kept.
 */
const freeBlocks = new Map<number, Buffer[]>();
const SMALLEST_BLOCK = 8 * 1024;
const LARGEST_BLOCK = 512 * 1024;
/** How many bytes are kept of each size. */
const MOST_FREE_BYTES = 2 * 1024 * 1024;

function takeBlock(bytes: number): Buffer {
  if (bytes > LARGEST_BLOCK) {
    return Buffer.allocUnsafeSlow(bytes);
  }
  let size = SMALLEST_BLOCK;
  while (size < bytes) {
    size *= 2;
  }
  return freeBlocks.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
}

function giveBlock(block: Buffer): void {
  const size = block.length;
  if (size > LARGEST_BLOCK || (size & (size - 1)) !== 0 || size < SMALLEST_BLOCK) {
    return;
  }
  const free = freeBlocks.get(size);
  if (free === undefined) {
    freeBlocks.set(size, [block]);
  } else if (free.length * size < MOST_FREE_BYTES) {
    free.push(block);
  }
}

/** Collects a body in one growing block: a server that sends single bytes must not cost an object for each. */
export class BodyBuffer {
  #block: Buffer | null = null;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies the piece. `expectedBytes` is what the server announces; it is believed up to a bound. */
  add(piece: Buffer, expectedBytes: number): void {
    const length = this.#length + piece.length;
    if (this.#block === null) {
      this.#block = takeBlock(Math.max(length, Math.min(expectedBytes, LARGEST_FIRST_BYTES)));
    } else if (length > this.#block.length) {
      this.#grow(length, expectedBytes);
    }
    piece.copy(this.#block, this.#length);
    this.#length = length;
  }

  /** All that came. It is good until `release`. */
  take(): Buffer {
    return this.#block?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  /** The bytes are not needed any more: another body may be put in their place. */
  release(): void {
    if (this.#block !== null) {
      giveBlock(this.#block);
      this.#block = null;
    }
  }

  #grow(length: number, expectedBytes: number): void {
    const old = this.#block!;
    const block = takeBlock(Math.max(2 * length, Math.min(expectedBytes, LARGEST_FIRST_BYTES)));
    old.copy(block, 0, 0, this.#length);
    giveBlock(old);
    this.#block = block;
  }
}

/** Hands a body on as it arrives: decoded, one piece at a time, the next when the last was taken. */
export class BodySink {
  readonly #encodings: readonly string[];
  readonly #take: (piece: Buffer) => void | Promise<void>;
  #decoder: Transform | null = null;
  #isDamaged = false;
  #ended: Promise<void> | null = null;
  /** The stream may end while its last piece is still being taken. */
  #taking: void | Promise<void> = undefined;

  constructor(encodings: readonly string[], take: (piece: Buffer) => void | Promise<void>) {
    this.#encodings = encodings;
    this.#take = take;
  }

  /** If it returns false, it calls `drained` later, and no more should come before that. */
  write(piece: Buffer, drained: () => void): boolean {
    // The bytes are only there during the call, and the decoder works later.
    const kept = Buffer.from(piece);
    const decoder = this.#decoder ?? this.#open(kept);
    if (decoder.destroyed || decoder.write(kept)) {
      return true;
    }
    decoder.once('drain', drained);
    return false;
  }

  /** Resolves when everything has been taken; with true if the end was missing or damaged. */
  async end(): Promise<boolean> {
    this.#decoder?.end();
    await this.#ended;
    await this.#taking;
    return this.#isDamaged;
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  #open(first: Buffer): Transform {
    const decoder = streamDecoder(this.#encodings, first);
    this.#decoder = decoder;
    decoder.on('data', (piece: Buffer) => {
      this.#taking = this.#take(piece);
      if (this.#taking instanceof Promise) {
        decoder.pause();
        void this.#taking.then(() => decoder.resume());
      }
    });
    this.#ended = new Promise((resolve) => {
      decoder.on('error', () => {
        this.#isDamaged = true;
      });
      decoder.on('close', resolve);
    });
    return decoder;
  }
}
