/** The most bytes that are read from one answer of a third party. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** The most bytes of one object or line; a certificate for hundreds of names has some 10 KiB. */
export const MAX_ENTRY_BYTES = 64 * 1024;

/** How reading ended: why there may be more than was read, or null if all was read. */
export interface SourceEnd {
  cut: 'limit' | 'too large' | 'broken off' | null;
}

/** Whether the first byte shows that an answer cannot be JSON; most often it is an HTML page with an apology. */
export const isNotJson = (piece: Buffer): boolean => /^[\s\ufeff]*[^\s\ufeff[{]/.test(piece.toString('utf8', 0, 64));

/** Null if it is not an object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
