import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedirectChains } from '../../src/store/redirect-chains.js';
import { openStoreFile, TEMPORARY } from '../../src/store/store-file.js';

function chains(
  hops: [from: number, to: number][],
  maxRedirects: number,
  read: (chains: RedirectChains) => void,
): void {
  const database = openStoreFile(TEMPORARY, { create: true });
  const insert = database.prepare('INSERT INTO pages (id, seq, redirect_to) VALUES (?, ?, ?)');
  for (const [seq, [from, to]] of hops.entries()) {
    insert.run(from, seq + 1, to);
  }
  read(new RedirectChains(database, maxRedirects));
  database.close();
}

const ends = (hops: [number, number][], maxRedirects: number, ids: number[]) => {
  let result: unknown[] = [];
  chains(hops, maxRedirects, (each) => {
    result = ids.map((id) => each.endOf(id)).map(({ id, problem }) => problem ?? id);
  });
  return result;
};

describe('chains of redirects', () => {
  it('end where the last hop points, for every member', () => {
    expect(
      ends(
        [
          [1, 2],
          [2, 3],
          [3, 4],
        ],
        0,
        [2, 1, 3, 4],
      ),
    ).toEqual([4, 4, 4, 4]);
  });

  it('that come back to themselves are loops, and so is the way into one', () => {
    expect(
      ends(
        [
          [1, 2],
          [2, 3],
          [3, 2],
          [9, 9],
        ],
        0,
        [1, 2, 3, 9],
      ),
    ).toEqual(Array(4).fill('redirect_loop'));
  });

  it('are too long beyond the limit, counted from each member, and a loop is a loop all the same', () => {
    expect(
      ends(
        [
          [1, 2],
          [2, 3],
          [3, 4],
        ],
        2,
        [1, 2, 3],
      ),
    ).toEqual(['redirect_limit', 4, 4]);
    expect(
      ends(
        [
          [1, 2],
          [2, 3],
          [3, 1],
        ],
        2,
        [1],
      ),
    ).toEqual(['redirect_loop']);
  });

  it('give the same answer as walking each one, whoever is asked first', () => {
    const hops = fc.uniqueArray(fc.tuple(fc.nat(9), fc.nat(9)), { selector: ([from]) => from, maxLength: 10 });
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 10 });
    fc.assert(
      fc.property(hops, order, fc.nat(4), (list, ids, limit) => {
        const next = new Map(list);
        const walk = (start: number) => {
          const passed = new Set<number>();
          let at = start;
          for (; next.has(at); at = next.get(at)!) {
            if (passed.has(at)) {
              return 'redirect_loop';
            }
            passed.add(at);
          }
          return limit > 0 && passed.size > limit ? 'redirect_limit' : at;
        };
        expect(ends(list, limit, ids)).toEqual(ids.map(walk));
      }),
      { numRuns: 60 },
    );
  });
});
