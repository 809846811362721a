const CHUNK_BYTES = 1 << 24;

/** Very many texts in few bytes: as UTF-8, one behind the other. A string each would take three times as much, and the collector's time. */
export class TextTable {
  readonly #chunks: Buffer[] = [];
  /** Of each text: its chunk, and where it begins and ends there. */
  readonly #chunkOf: Uint16Array;
  readonly #begins: Uint32Array;
  readonly #ends: Uint32Array;
  #used = CHUNK_BYTES;
  #count = 0;

  constructor(capacity: number) {
    this.#chunkOf = new Uint16Array(capacity);
    this.#begins = new Uint32Array(capacity);
    this.#ends = new Uint32Array(capacity);
  }

  add(text: string): void {
    const bytes = Buffer.byteLength(text);
    if (this.#used + bytes > (this.#chunks.at(-1)?.length ?? 0)) {
      this.#chunks.push(Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes)));
      this.#used = 0;
    }
    const at = this.#count++;
    this.#chunkOf[at] = this.#chunks.length - 1;
    this.#begins[at] = this.#used;
    this.#used += this.#chunks.at(-1)!.write(text, this.#used);
    this.#ends[at] = this.#used;
  }

  at(place: number): string {
    return this.#chunks[this.#chunkOf[place]!]!.toString('utf8', this.#begins[place], this.#ends[place]);
  }
}
