/** The block of a response: a head, each character a byte, with its empty line; and what follows. */
export function splitHttp(block: Buffer): { head: string; body: Buffer } {
  const crlf = block.indexOf('\r\n\r\n');
  const lf = block.indexOf('\n\n');
  const end = crlf >= 0 && (lf < 0 || crlf < lf) ? crlf + 4 : lf >= 0 ? lf + 2 : -1;
  return end < 0
    ? { head: `${block.toString('latin1').replace(/[\r\n]+$/, '')}\r\n\r\n`, body: Buffer.alloc(0) }
    : { head: block.toString('latin1', 0, end), body: block.subarray(end) };
}

/**
 * Some programs keep the chunks of a body, others remove them and leave the header as it was. A body that is not in whole chunks to its end is taken
 * as it is.
 */
export function dechunked(body: Buffer, transferEncoding: string | null): Buffer {
  if (transferEncoding === null || !/\bchunked\b/i.test(transferEncoding)) {
    return body;
  }
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\n', at);
    const size =
      end < 0 || end - at > 200 ? null : /^([0-9a-f]{1,8})[ \t]*(?:;.*)?\r?$/i.exec(body.toString('latin1', at, end));
    if (size === null) {
      return body;
    }
    const length = Number.parseInt(size![1]!, 16);
    if (length === 0) {
      return Buffer.concat(pieces);
    }
    const from = end + 1;
    if (from + length > body.length) {
      return body;
    }
    pieces.push(body.subarray(from, from + length));
    at = from + length + (body[from + length] === 13 ? 2 : 1);
  }
}
