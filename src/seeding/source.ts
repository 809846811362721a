/** Of what a third party answers to one question no more than this is read. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Of one object or line; a certificate for hundreds of names has some 10 KiB. */
export const MAX_ENTRY_BYTES = 64 * 1024;

/** How reading ended: why there may be more than was read, or null where all was read. */
export interface SourceEnd {
  cut: 'limit' | 'too large' | 'broken off' | null;
}

/** Whether an answer begins as no JSON can: an HTML page that says sorry, most often. */
export const isNoJson = (piece: Buffer): boolean => /^[\s\ufeff]*[^\s\ufeff[{]/.test(piece.toString('utf8', 0, 64));

/** Null for what is no object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
