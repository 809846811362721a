import type { Gift } from '../store/transaction.js';

/** Of a limit on URLs that all machines of a crawl share, what a machine may still ask for, and how many URLs it misses a grant for. */
export interface Purse {
  slot: number;
  unused: number;
  wants: number;
}

/**
 * What a machine gives up of its own, so that others go on that have used up theirs. One that has URLs of its own gives until all have about as
 * many; one that has none gives all of it. An equal share, rounded up, stays
 * where it is, or the last of it would travel for ever.
 * @param own `waiting`: URLs that it could ask for itself
 */
export function giftsOf(own: { unused: number; waiting: number }, others: readonly Purse[]): Gift[] {
  const wanting = others.filter(({ wants }) => wants > 0).sort((a, b) => a.unused - b.unused);
  const takers = wanting.length + (own.waiting > 0 ? 1 : 0);
  if (wanting.length === 0 || own.unused <= 0) {
    return [];
  }
  const level = Math.ceil(wanting.reduce((sum, { unused }) => sum + unused, own.unused) / takers);
  const gifts: Gift[] = [];
  let left = own.unused - Math.min(own.waiting, level);
  for (const { slot, unused, wants } of wanting) {
    const urls = Math.min(wants, left, Math.max(0, level - unused));
    if (urls > 0) {
      gifts.push({ slot, urls });
      left -= urls;
    }
  }
  return gifts;
}
