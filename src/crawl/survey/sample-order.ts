import type { Choose } from '../../frontier/options.js';

/** The first quarter of a sample goes out as a crawl does, oldest first: home, navigation and index pages stand there. */
const FIRST_SHARE = 4;
/** URLs found since are taken more often than their share (by its cube root), so that the sample sees what lies deeper. */
const FAVOUR = 1 / 3;

export const firstPartOf = (sample: number): number => Math.floor(sample / FIRST_SHARE);

/**
 * The order of a sample: first oldest first, then by lot among the URLs that were known when that part was over and those found since. The same seed gives
 * the same order of the same URLs.
 */
export function sampleOrder(sample: number, seed: number): () => Choose {
  const fraction = seededFractions(seed);
  let left = firstPartOf(sample);
  return () => {
    /** URLs of this origin that were known when the first part was over and are not taken yet. */
    let base: number | null = null;
    return (waiting) => {
      if (left > 0) {
        left--;
        return 0;
      }
      base = Math.min(base ?? waiting, waiting);
      const since = waiting - base;
      if (base === 0 || (since > 0 && fraction() < (since / waiting) ** FAVOUR)) {
        return base + Math.floor(fraction() * since);
      }
      return Math.floor(fraction() * base--);
    };
  };
}

/** mulberry32: 0 ≤ x < 1. */
export function seededFractions(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
