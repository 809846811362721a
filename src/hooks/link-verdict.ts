/** A rank, FOLLOW, or why the link is not followed. */
export type LinkVerdict = number | string;
export const FOLLOW = -1;

const MOST_RANK = 7;

/** @throws Error where it is none */
export function checkRank(rank: unknown): number {
  if (typeof rank !== 'number' || !Number.isInteger(rank) || rank < 0 || rank > MOST_RANK) {
    throw new Error(`a rank is a whole number from 0 to ${MOST_RANK}, got ${shown(rank)}`);
  }
  return rank;
}

/** A value that was not wanted, in a word or two. */
export const shown = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
