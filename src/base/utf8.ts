import { isUtf8 } from 'node:buffer';

/** A line of a file that is not text. */
export interface BadLine {
  /** From 1. */
  line: number;
  /** The end of a sentence that begins with the line number. */
  problem: string;
}

/** Lines that are not UTF-8, or hold a NUL: read as text they would say something else than what was written. */
export function* badLines(bytes: Uint8Array): Iterable<BadLine> {
  if (isUtf8(bytes) && !bytes.includes(0)) {
    return;
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    yield { line: 1, problem: 'is UTF-16; the file must be UTF-8' };
    return;
  }
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(0x0a, start);
    const end = found < 0 ? bytes.length : found;
    const content = bytes.subarray(start, end);
    if (!isUtf8(content)) {
      yield { line, problem: 'is not UTF-8' };
    } else if (content.includes(0)) {
      yield { line, problem: 'holds a NUL character' };
    }
    start = end + 1;
  }
}

/** The first of them, or null. */
export function firstBadLine(bytes: Uint8Array): BadLine | null {
  for (const bad of badLines(bytes)) {
    return bad;
  }
  return null;
}
