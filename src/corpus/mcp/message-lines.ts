const LINE_FEED = 0x0a;

/** A line that was longer than allowed; what it held is gone. */
export const TOO_LONG = Symbol('too long');

/** Lines of a stream of bytes, blank ones left out. Never more than `maxBytes` of one are held. */
export async function* messageLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | typeof TOO_LONG> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of input) {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); ; end = bytes.indexOf(LINE_FEED, start)) {
      const piece = bytes.subarray(start, end < 0 ? bytes.length : end);
      length += piece.length;
      if (length <= maxBytes) pieces.push(piece);
      else pieces = [];
      if (end < 0) break;
      const line = length > maxBytes ? TOO_LONG : Buffer.concat(pieces).toString().trim();
      if (line !== '') yield line;
      pieces = [];
      length = 0;
      start = end + 1;
    }
  }
}
