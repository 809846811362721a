import { Sketch } from './sketch.js';

/** On fewer pages anything may be there by chance. */
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
      if (known.has(each)) continue;
      if (known.size === MOST_BLOCKS) break;
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
