import type { Pieces, ScannablePage } from './scan-page.js';

const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Turns places in the bytes into lines and columns, both from 1, a column being a UTF-16 unit as editors count them. It
 * only moves forward, so all the positions of a page cost one pass.
 */
export class PositionCounter {
  line = 1;
  column = 1;
  #at: number;
  #nextLineFeed = -1;
  #nextReturn = -1;
  readonly #page: ScannablePage;
  readonly #pieces: Pieces;
  readonly #isSingleByte: boolean;

  constructor(page: ScannablePage, pieces: Pieces) {
    this.#page = page;
    this.#at = page.start;
    this.#pieces = pieces;
    this.#isSingleByte = page.isAscii || SINGLE_BYTE.test(page.encoding);
  }

  moveTo(at: number): void {
    let from = this.#at;
    for (let end = this.#endOfLine(from); end < at; end = this.#endOfLine(from)) {
      this.line++;
      this.column = 1;
      from = end + 1;
    }
    this.column += this.#width(from, at);
    this.#at = at;
  }

  /** Where the line ends that goes on at `from`: at a line feed, or a carriage return that has none behind it. */
  #endOfLine(from: number): number {
    this.#nextLineFeed = this.#next(LINE_FEED, this.#nextLineFeed, from);
    for (let after = from; ; after = this.#nextReturn + 1) {
      this.#nextReturn = this.#next(CARRIAGE_RETURN, this.#nextReturn, after);
      if (this.#nextReturn >= this.#nextLineFeed) {
        return this.#nextLineFeed;
      }
      if (this.#page.bytes[this.#nextReturn + 1] !== LINE_FEED) {
        return this.#nextReturn;
      }
    }
  }

  #next(byte: number, known: number, from: number): number {
    if (known >= from) {
      return known;
    }
    const found = this.#page.find(byte, from);
    return found === -1 ? this.#page.bytes.length : found;
  }

  #width(start: number, end: number): number {
    if (this.#isSingleByte) {
      return end - start;
    }
    if (this.#page.encoding !== 'utf-8') {
      return this.#pieces.raw(start, end).length;
    }
    let units = 0;
    for (let i = start; i < end; i++) {
      const byte = this.#page.bytes[i]!;
      // A continuation byte adds nothing; the lead byte of four stands for a surrogate pair.
      if (byte < 0x80 || byte >= 0xc0) {
        units += byte >= 0xf0 ? 2 : 1;
      }
    }
    return units;
  }
}

/** The same for places in a text that begins at a line and a column of its own. */
export class TextPlaces {
  line: number;
  column: number;
  readonly #text: string;
  #at = 0;

  constructor(text: string, line = 1, column = 1) {
    this.#text = text;
    this.line = line;
    this.column = column;
  }

  moveTo(at: number): void {
    for (; this.#at < at; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === LINE_FEED || (unit === CARRIAGE_RETURN && this.#text.charCodeAt(this.#at + 1) !== LINE_FEED)) {
        this.line++;
        this.column = 1;
      } else {
        this.column++;
      }
    }
  }
}
