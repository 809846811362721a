import type { Pieces, ScannablePage } from './scan-pieces.js';

const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/;

/**
 * Turns places in the bytes into lines and columns, both from 1, a column being a UTF-16 unit as editors count them. It
 * only moves forward, so all the positions of a page cost one pass.
 */
export class PositionCounter {
  line = 1;
  column = 1;
  #at: number;
  readonly #bytes: Buffer;
  readonly #pieces: Pieces;
  readonly #isUtf8: boolean;
  readonly #isSingleByte: boolean;

  constructor(page: ScannablePage, pieces: Pieces) {
    this.#bytes = page.bytes;
    this.#at = page.start;
    this.#pieces = pieces;
    this.#isUtf8 = page.encoding === 'utf-8';
    this.#isSingleByte = SINGLE_BYTE.test(page.encoding);
  }

  moveTo(at: number): void {
    const bytes = this.#bytes;
    let lineStart = this.#at;
    for (let i = this.#at; i < at; i++) {
      if (bytes[i] === 0x0a || (bytes[i] === 0x0d && bytes[i + 1] !== 0x0a)) {
        this.line++;
        this.column = 1;
        lineStart = i + 1;
      }
    }
    this.column += this.#width(lineStart, at);
    this.#at = at;
  }

  #width(start: number, end: number): number {
    if (this.#isSingleByte) return end - start;
    if (!this.#isUtf8) return this.#pieces.raw(start, end).length;
    let units = 0;
    for (let i = start; i < end; i++) {
      const byte = this.#bytes[i]!;
      // A continuation byte adds nothing; the lead byte of four stands for a surrogate pair.
      if (byte < 0x80 || byte >= 0xc0) units += byte >= 0xf0 ? 2 : 1;
    }
    return units;
  }
}
