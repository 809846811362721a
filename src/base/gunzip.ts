import { constants, gunzipSync, inflateRawSync } from 'node:zlib';

export interface GunzipOptions {
  maxOutputLength: number;
  finishFlush?: number;
}

const MAGIC = Buffer.from([0x1f, 0x8b, 8]);
const TRAILER_BYTES = 8;

/** Ignores bytes behind the last member, as browsers do; zlib alone would take them for a broken member. */
export function gunzip(data: Uint8Array, options: GunzipOptions): Buffer {
  try {
    return gunzipSync(data, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw error;
    }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const end = endOfMembers(bytes, options);
    // There is nothing behind the members, so the members themselves are broken.
    if (end === 0 || end >= data.length) {
      throw error;
    }
    return gunzipSync(data.subarray(0, end), options);
  }
}

/** Inflates the first member of a stream whose checksum is wrong, as browsers do. */
export function gunzipUnchecked(data: Uint8Array, options: GunzipOptions): Buffer {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return inflateRawSync(bytes.subarray(headerLength(bytes, 0)), options);
}

/**
 * Where the last whole member of a gzip stream ends; 0 where there is none, or where the next one is cut off. Bytes that only begin like a
 * member are no member. All that stands before the damage has been inflated once under the cap, so this cannot grow beyond it.
 */
function endOfMembers(data: Buffer, { maxOutputLength }: GunzipOptions): number {
  let at = 0;
  while (data.subarray(at, at + MAGIC.length).equals(MAGIC)) {
    try {
      const deflated = at + headerLength(data, at);
      // The types of Node leave out what `info: true` returns.
      const { engine } = inflateRawSync(data.subarray(deflated), { maxOutputLength, info: true }) as unknown as {
        engine: { bytesWritten: number };
      };
      const end = deflated + engine.bytesWritten + TRAILER_BYTES;
      gunzipSync(data.subarray(at, end), { maxOutputLength });
      at = end;
    } catch (error) {
      const isCut = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' && givesAnything(data, at, maxOutputLength);
      return isCut ? 0 : at;
    }
  }
  return at;
}

/** Whether anything can be inflated from data that ends too early. */
function givesAnything(data: Buffer, at: number, maxOutputLength: number): boolean {
  try {
    const deflated = data.subarray(at + headerLength(data, at));
    return inflateRawSync(deflated, { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }).length > 0;
  } catch {
    return false;
  }
}

/** RFC 1952, 2.3: ten bytes, then what its flags announce. */
function headerLength(data: Buffer, start: number): number {
  const flags = data[start + 3] ?? 0;
  let at = start + 10;
  if ((flags & 4) !== 0) {
    at += 2 + data.readUInt16LE(at);
  }
  for (const text of [8, 16]) {
    if ((flags & text) !== 0) {
      at = data.indexOf(0, at) + 1 || data.length;
    }
  }
  return at + ((flags & 2) !== 0 ? 2 : 0) - start;
}
