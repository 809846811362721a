/**
 * Which word of a page each word of an extract is.
 *
 * The longest run of words that both have is matched first, then the next longest of what is left, down to runs of three: greedy string
 * tiling. A word is matched once on either side. So a word counts where it stands among its neighbours; words in another order match
 * nothing, and a word that the page has once is not there twice. Blocks may change places.
 *
 * A page is read in several orders (all of it; only what is main), since an extract that leaves out what stands between two paragraphs
 * has them side by side.
 */
export interface Alignment {
  /** For each word of the extract the page's word, or NONE. */
  readonly toPage: Int32Array;
  readonly pageUsed: Uint8Array;
}

export const NONE = -1;
/** Shorter runs come about by chance. */
export const SHORTEST_RUN = 3;

interface Run {
  readonly order: number;
  /** Where it begins in that order. */
  readonly at: number;
  /** Where it begins in the extract. */
  readonly out: number;
  readonly length: number;
}

/** `orders` hold indices of page words; among runs of one length the earlier order goes first. */
export function align(
  page: readonly string[],
  extract: readonly string[],
  orders: readonly (readonly number[])[],
): Alignment {
  const toPage = new Int32Array(extract.length).fill(NONE);
  const pageUsed = new Uint8Array(page.length);
  const byLength: Run[][] = [];
  const keep = (run: Run): void => {
    byLength[run.length] ??= [];
    byLength[run.length]!.push(run);
  };
  orders.forEach((indices, order) => {
    findRuns(
      indices.map((index) => page[index]!),
      extract,
      (at, out, length) => keep({ order, at, out, length }),
    );
  });
  for (let length = byLength.length - 1; length >= SHORTEST_RUN; length -= 1) {
    for (const run of (byLength[length] ?? []).sort(firstOf)) {
      const indices = orders[run.order]!;
      const isFree = (i: number): boolean => toPage[run.out + i] === NONE && pageUsed[indices[run.at + i]!] === 0;
      const pieces = freePieces(length, isFree);
      if (pieces[0]?.length === length) {
        for (let i = 0; i < length; i += 1) {
          const index = indices[run.at + i]!;
          toPage[run.out + i] = index;
          pageUsed[index] = 1;
        }
      } else {
        for (const { from, length: rest } of pieces) {
          keep({ ...run, at: run.at + from, out: run.out + from, length: rest });
        }
      }
    }
  }
  return { toPage, pageUsed };
}

const firstOf = (a: Run, b: Run): number => a.order - b.order || a.out - b.out || a.at - b.at;

/** Every run of both that can be made longer at neither end. */
function findRuns(
  page: readonly string[],
  extract: readonly string[],
  found: (at: number, out: number, length: number) => void,
): void {
  const places = new Map<string, number[]>();
  for (let at = 0; at + SHORTEST_RUN <= page.length; at += 1) {
    const key = keyAt(page, at);
    const known = places.get(key);
    if (known === undefined) {
      places.set(key, [at]);
    } else {
      known.push(at);
    }
  }
  for (let out = 0; out + SHORTEST_RUN <= extract.length; out += 1) {
    for (const at of places.get(keyAt(extract, out)) ?? []) {
      if (at > 0 && out > 0 && page[at - 1] === extract[out - 1]) {
        continue;
      }
      let length = SHORTEST_RUN;
      while (at + length < page.length && page[at + length] === extract[out + length]) {
        length += 1;
      }
      found(at, out, length);
    }
  }
}

const keyAt = (words: readonly string[], at: number): string => words.slice(at, at + SHORTEST_RUN).join(' ');

/** What is left of a run when others have taken words of it. */
function freePieces(length: number, isFree: (i: number) => boolean): { from: number; length: number }[] {
  const pieces = [];
  let from = 0;
  for (let i = 0; i <= length; i += 1) {
    if (i < length && isFree(i)) {
      continue;
    }
    if (i - from >= SHORTEST_RUN) {
      pieces.push({ from, length: i - from });
    }
    from = i + 1;
  }
  return pieces;
}
