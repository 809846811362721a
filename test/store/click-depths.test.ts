import { describe, expect, it } from 'vitest';
import { clickDepths, UNREACHED } from '../../src/store/click-depths.js';
import type { Database } from '../../src/store/sqlite.js';
import { StoreFixture } from '../report/store-fixture.js';

const LINK = 0;
const IMAGE = 11;
const REDIRECT = 18;

/** Pages from 1 on, of which the first is the seed and the others were named by a sitemap. */
function storeOf(pages: number, edges: [from: number, to: number, kind?: number][]): StoreFixture {
  const store = new StoreFixture();
  store.database.exec('BEGIN');
  for (let page = 1; page <= pages; page++) {
    store.add({ url: `http://a.test/${page}`, depth: page === 1 ? 0 : 1 });
  }
  for (const page of new Set(edges.map(([from]) => from))) {
    const own = edges.filter(([from]) => from === page);
    store.addEdges(
      page,
      own.map(([, to, kind = LINK]) => ({ to, kind })),
      [],
      null,
    );
  }
  store.database.exec('COMMIT');
  return store;
}

const depthsOf = (store: StoreFixture): number[] | null => {
  const depths = clickDepths(store.database);
  return depths === null ? null : [...depths.subarray(1)];
};

describe('clicks from the seeds', () => {
  it('go over links for readers, and over redirects for nothing', () => {
    const store = storeOf(6, [
      [1, 2],
      [1, 3, IMAGE],
      [2, 4, REDIRECT],
      [4, 5],
    ]);
    expect(depthsOf(store)).toEqual([0, 1, UNREACHED, 1, 2, UNREACHED]);
  });

  it('are those of the nearest way, where a redirect is nearer than the link that was read before it', () => {
    const store = storeOf(5, [
      [1, 2],
      [1, 3],
      [2, 4],
      [3, 4, REDIRECT],
      [4, 5],
    ]);
    expect(depthsOf(store)).toEqual([0, 1, 1, 1, 2]);
  });

  it('are counted with one look at each page, however deep the site and in whatever order it was found', () => {
    const last = 200;
    const chain = Array.from({ length: last - 2 }, (_, i): [number, number] => [last - i, last - i - 1]);
    const { database } = storeOf(last, [[1, last], ...chain]);
    let looks = 0;
    const looked = (row: unknown) => {
      looks++;
      return row;
    };
    const counted = (sql: string) => {
      const statement = database.prepare(sql);
      return sql.includes('FROM edges')
        ? { get: (page: number) => looked(statement.get(page)), iterate: () => expect.unreachable() }
        : statement;
    };
    const depths = clickDepths({ prepare: counted } as unknown as Database)!;
    expect([depths[last], depths[2], looks]).toEqual([1, last - 1, last]);
  });

  it('are what the store says where nobody but links has named a page', () => {
    const store = new StoreFixture([
      { url: 'http://a.test/', depth: 0 },
      { url: 'http://a.test/b', depth: 1, parent: 1 },
    ]);
    expect(clickDepths(store.database)).toBeNull();
  });
});
