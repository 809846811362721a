const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const CLOSE_LIST = 0x5d;

/**
 * Reads the objects of a JSON list out of bytes as they come, without ever holding the list: counts braces outside of strings. All of these
 * signs are single bytes in UTF-8. What is broken off gives every object before the break.
 */
export class JsonObjects {
  readonly #maxBytes: number;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Of the object that is open: what came of it in earlier pieces. */
  #earlier: Buffer[] = [];
  #earlierBytes = 0;
  /** Objects larger than the cap. */
  oversized = 0;
  /** The list was closed: nothing is missing. */
  isComplete = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(piece: Buffer): IterableIterator<string> {
    let start = 0;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OPEN) {
        if (this.#depth++ === 0) start = i;
      } else if (byte === CLOSE && this.#depth > 0) {
        if (--this.#depth === 0) {
          const text = this.#take(piece.subarray(start, i + 1));
          if (text !== null) yield text;
        }
      } else if (byte === CLOSE_LIST && this.#depth === 0) {
        this.isComplete = true;
      }
    }
    if (this.#depth > 0) this.#keep(piece.subarray(start));
  }

  #keep(bytes: Buffer): void {
    this.#earlierBytes += bytes.length;
    // Beyond the cap only the braces are counted.
    if (this.#earlierBytes > this.#maxBytes) this.#earlier = [];
    else this.#earlier.push(Buffer.from(bytes));
  }

  #take(bytes: Buffer): string | null {
    const length = this.#earlierBytes + bytes.length;
    const text = length > this.#maxBytes ? null : Buffer.concat([...this.#earlier, bytes], length).toString('utf8');
    this.#earlier = [];
    this.#earlierBytes = 0;
    if (text === null) this.oversized++;
    return text;
  }
}
