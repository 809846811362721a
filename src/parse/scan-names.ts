const KEYS = 1024;
const LONGEST_NAME = 31;
const NONE = 255;

/** First letter and length: enough to rule out most names at once. */
const keyOf = (firstByte: number, length: number): number => ((firstByte & 31) << 5) | length;

/** Finds a name of a fixed list in the bytes, whatever its case, without making a string. */
export class NameTable {
  readonly #names: Uint8Array[];
  /** By key, the first name that has it. */
  readonly #first = new Uint8Array(KEYS).fill(NONE);
  /** By name, the next one with the same key. */
  readonly #next: Uint8Array;

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => new Uint8Array(Buffer.from(name, 'latin1')));
    this.#next = new Uint8Array(names.length).fill(NONE);
    this.#names.forEach((name, index) => {
      if (name.length > LONGEST_NAME) throw new RangeError(`name too long for the table: ${names[index]}`);
      const key = keyOf(name[0]!, name.length);
      this.#next[index] = this.#first[key]!;
      this.#first[key] = index;
    });
  }

  /** The place in the list of the name at [start, end), or -1. */
  find(bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    if (length > LONGEST_NAME) return -1;
    let index = this.#first[keyOf(bytes[start]!, length)]!;
    while (index !== NONE) {
      const name = this.#names[index]!;
      let i = 0;
      while (i < length && name[i] === lowerCase(bytes[start + i]!)) i++;
      if (i === length) return index;
      index = this.#next[index]!;
    }
    return -1;
  }
}

const lowerCase = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);
