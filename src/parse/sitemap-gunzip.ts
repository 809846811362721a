import { constants } from 'node:zlib';
import { gunzip } from '../base/gunzip.js';

export interface Gunzipped {
  bytes: Uint8Array;
  /** Whether there was more than the cap. */
  isCut: boolean;
  problem: string | null;
}

/** Deflate cannot expand further than 1,032 to 1. */
const MAX_EXPANSION = 1_040;

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Never allocates much more than `maxBytes`. What is larger gives its beginning, what ends too early gives what there
 * is, and what is damaged gives nothing.
 */
export function gunzipCapped(bytes: Uint8Array, maxBytes: number): Gunzipped {
  const whole = inflate(bytes, maxBytes, constants.Z_FINISH);
  if (whole instanceof Uint8Array) return { bytes: whole, isCut: false, problem: null };
  if (whole === 'too_large') {
    // zlib keeps nothing of what it inflated when it runs into the cap, so part of the input is inflated instead.
    const expected = (bytes.length * maxBytes) / Math.max(1, statedLength(bytes));
    const sure = Math.max(1, Math.floor(maxBytes / MAX_EXPANSION));
    for (const inputLength of [Math.floor(expected * 0.95), sure]) {
      const start = inflate(bytes.subarray(0, inputLength), maxBytes, constants.Z_SYNC_FLUSH);
      if (start instanceof Uint8Array) return { bytes: start, isCut: true, problem: 'gzip: larger than the cap' };
    }
    return { bytes: new Uint8Array(), isCut: true, problem: 'gzip: larger than the cap' };
  }
  const partial = inflate(bytes, maxBytes, constants.Z_SYNC_FLUSH);
  return partial instanceof Uint8Array
    ? { bytes: partial, isCut: false, problem: 'gzip: unexpected end' }
    : { bytes: new Uint8Array(), isCut: false, problem: 'gzip: damaged' };
}

function inflate(
  bytes: Uint8Array,
  maxOutputLength: number,
  finishFlush: number,
): Uint8Array | 'too_large' | 'damaged' {
  try {
    return gunzip(bytes, { maxOutputLength, finishFlush });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged';
  }
}

/** The length modulo 2^32 that a gzip file states at its end: a hint, not to be trusted. */
function statedLength(bytes: Uint8Array): number {
  if (bytes.length < 4) return 0;
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 4, true);
}
