import { Sketch } from './sketch.js';

/** On fewer pages anything may be there by chance. */
const FEWEST_PAGES = 5;
/** A site's frame is on half of its pages; where a frame is all that would tell text from furniture, on nearly all of them. */
const OFTEN = 0.5;
const NEARLY_ALWAYS = 0.8;
/** A page with more blocks counts with its first ones. */
const MOST_BLOCKS = 8192;

/**
 * What pages of one site have said so far, block by block: what is said on many of them is no page's own. Learning pages in another order,
 * or in several memories that are merged, comes to the same.
 */
export class SiteMemory {
  readonly #sketch = new Sketch();
  #pages = 0;

  get pages(): number {
    return this.#pages;
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
    this.#pages++;
  }

  merge(other: SiteMemory): void {
    this.#sketch.merge(other.#sketch);
    this.#pages += other.#pages;
  }

  isFrequent(fingerprint: number): boolean {
    return this.#isOn(fingerprint, OFTEN);
  }

  isNearlyEverywhere(fingerprint: number): boolean {
    return this.#isOn(fingerprint, NEARLY_ALWAYS);
  }

  #isOn(fingerprint: number, share: number): boolean {
    const count = this.#sketch.count(fingerprint);
    return count >= FEWEST_PAGES && count >= this.#pages * share;
  }
}
