const LARGEST_FIRST_BYTES = 256 * 1024;

/**
 * Collects a body in one growing block: a server that sends single bytes must not cost an object for each. A body that comes in
 * one piece is not copied.
 */
export class BodyBuffer {
  #block: Buffer | null = null;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** `expectedBytes` is what the server announces; it is believed up to a bound. */
  add(piece: Buffer, expectedBytes: number): void {
    const length = this.#length + piece.length;
    if (this.#block === null) {
      this.#block = piece;
    } else {
      if (length > this.#block.length) this.#grow(length, expectedBytes);
      piece.copy(this.#block, this.#length);
    }
    this.#length = length;
  }

  take(): Buffer {
    const body = this.#block?.subarray(0, this.#length) ?? Buffer.alloc(0);
    this.#block = null;
    return body;
  }

  #grow(length: number, expectedBytes: number): void {
    const block = Buffer.allocUnsafeSlow(Math.max(2 * length, Math.min(expectedBytes, LARGEST_FIRST_BYTES)));
    this.#block!.copy(block, 0, 0, this.#length);
    this.#block = block;
  }
}
