const ROWS = 4;
const WIDTH = 1 << 16;

/**
 * How often each of very many things was counted, in a megabyte however many there are: never too few, and too many only by what
 * else fell on the same four counters. Adding is all that is done to them, so that threads may share them, and the order of what is
 * counted does not matter.
 */
export class Sketch {
  static readonly BYTES = ROWS * WIDTH * Uint32Array.BYTES_PER_ELEMENT;
  readonly #counters: Uint32Array;

  constructor(memory = new SharedArrayBuffer(Sketch.BYTES), offset = 0) {
    this.#counters = new Uint32Array(memory, offset, ROWS * WIDTH);
  }

  add(hash: number): void {
    for (let row = 0; row < ROWS; row++) Atomics.add(this.#counters, placeOf(hash, row), 1);
  }

  count(hash: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < ROWS; row++) least = Math.min(least, this.#counters[placeOf(hash, row)]!);
    return least;
  }
}

/** Another place in each row: things that meet in one do not in the others. */
function placeOf(hash: number, row: number): number {
  let mixed = Math.imul(hash ^ Math.imul(row + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return row * WIDTH + ((mixed ^ (mixed >>> 16)) & (WIDTH - 1));
}
