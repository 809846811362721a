import { hash } from 'node:crypto';

/** Words of 32 bits in a key. */
export const KEY_WORDS = 4;

/**
 * Writes the first 128 bits of SHA-256 of the URL's UTF-8 bytes to out[offset…offset+3], as big-endian words.
 * Equal keys are taken as equal URLs, so this must stay a cryptographic hash.
 *
 * A URL of 80 characters on Node 20: 'binary' (latin1) 0.4 µs, 'hex' 0.45, 'buffer' 0.8, createHash 1.2.
 */
export function urlKey(url: string, out: Uint32Array, offset: number): void {
  const digest = hash('sha256', url, 'binary');
  for (let word = 0; word < KEY_WORDS; word++) {
    const at = word * 4;
    out[offset + word] =
      (digest.charCodeAt(at) << 24) |
      (digest.charCodeAt(at + 1) << 16) |
      (digest.charCodeAt(at + 2) << 8) |
      digest.charCodeAt(at + 3);
  }
}

/** The key at out[offset…offset+3] as 32 hex digits. */
export function keyToHex(key: Uint32Array, offset = 0): string {
  let hex = '';
  for (let word = 0; word < KEY_WORDS; word++) hex += key[offset + word]!.toString(16).padStart(8, '0');
  return hex;
}
