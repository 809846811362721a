const LINE_FEED = 0x0a;

/** Lines out of bytes as they come. One that is longer than the cap is passed over; the last counts only where it is ended. */
export class Lines {
  readonly #maxBytes: number;
  #earlier: Buffer[] = [];
  #earlierBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(piece: Buffer): IterableIterator<string> {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      const line = this.#take(piece.subarray(start, end));
      if (line !== null) yield line;
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
  }

  /** What stands behind the last line break: where nothing is missing, a line too. */
  rest(): string {
    return this.#take(Buffer.alloc(0)) ?? '';
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#earlierBytes += bytes.length;
    if (this.#earlierBytes > this.#maxBytes) this.#earlier = [];
    else this.#earlier.push(Buffer.from(bytes));
  }

  #take(bytes: Buffer): string | null {
    const length = this.#earlierBytes + bytes.length;
    const line = length > this.#maxBytes ? null : Buffer.concat([...this.#earlier, bytes], length).toString('utf8');
    this.#earlier = [];
    this.#earlierBytes = 0;
    return line?.trimEnd() ?? null;
  }
}
