/** On fewer pages than this, text may repeat by chance. */
const FEWEST_PAGES = 5;
/** A site's frame is on half of its pages; where a frame is all that would tell text from furniture, on nearly all of them. */
const OFTEN = 0.5;
const NEARLY_ALWAYS = 0.8;
/** A page with more blocks counts with its first ones. */
const MOST_BLOCKS = 8192;

const PAGES_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/**
 * What pages of one site have said so far, block by block: what is said on many of them is no page's own. Learning pages in another order,
 * or in several threads over the same memory, comes to the same.
 */
export class SiteMemory {
  readonly shared: SharedArrayBuffer;
  readonly #pages: Uint32Array;
  readonly #sketch: Sketch;

  constructor(shared = new SharedArrayBuffer(PAGES_BYTES + Sketch.BYTES)) {
    this.shared = shared;
    this.#pages = new Uint32Array(shared, 0, 1);
    this.#sketch = new Sketch(shared, PAGES_BYTES);
  }

  get pages(): number {
    return this.#pages[0]!;
  }

  /** The fingerprints of one page; each counts once. */
  learn(fingerprints: Iterable<number>): void {
    const known = new Set<number>();
    for (const each of fingerprints) {
      if (known.has(each)) {
        continue;
      }
      if (known.size === MOST_BLOCKS) {
        break;
      }
      known.add(each);
      this.#sketch.add(each);
    }
    Atomics.add(this.#pages, 0, 1);
  }

  isFrequent(fingerprint: number): boolean {
    return this.#isOn(fingerprint, OFTEN);
  }

  isNearlyEverywhere(fingerprint: number): boolean {
    return this.#isOn(fingerprint, NEARLY_ALWAYS);
  }

  #isOn(fingerprint: number, share: number): boolean {
    const count = this.#sketch.count(fingerprint);
    return count >= FEWEST_PAGES && count >= this.pages * share;
  }
}

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
    for (let row = 0; row < ROWS; row++) {
      Atomics.add(this.#counters, placeOf(hash, row), 1);
    }
  }

  count(hash: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < ROWS; row++) {
      least = Math.min(least, this.#counters[placeOf(hash, row)]!);
    }
    return least;
  }
}

/** Each row uses another place, so that two things which share a counter in one row hardly ever do in the others. */
function placeOf(hash: number, row: number): number {
  let mixed = Math.imul(hash ^ Math.imul(row + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return row * WIDTH + ((mixed ^ (mixed >>> 16)) & (WIDTH - 1));
}
