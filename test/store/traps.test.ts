import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Standing } from '../../src/store/standing.js';
import { Store } from '../../src/store/store.js';
import { openStoreFile } from '../../src/store/store-file.js';
import type { Transaction } from '../../src/store/transaction.js';
import { TrapReader } from '../../src/store/traps.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import {
  begin,
  newUrl,
  openStore,
  reopen,
  settled,
  TestScope,
  temporaryFolder,
  transaction,
  urlRow,
} from './support.js';

const WRITER = { expectedUrls: 1_000, falsePositiveRate: 0.01, lookupBatch: 512 };
const url = (id: number) => `http://a.test/${id}`;
const cut = (id: number, fields = {}) => newUrl(id, url(id), { state: UrlState.skipped, reason: 'trap', ...fields });
const commit = (store: Store, fields: Partial<Transaction>) => store.writer.commit(transaction(fields));
const traps = (store: Store) => new TrapReader(store.database).largest(10).traps;

describe('URLs that are cut as a trap', () => {
  it('are counted with the commit that cuts them, whichever way they are cut, and after a kill too', () => {
    const path = join(temporaryFolder(), 'crawl.sqlite');
    const store = new Store(openStoreFile(path, { create: true }), { ...WRITER, scope: new TestScope() });
    begin(store);
    const first = commit(store, {
      newUrls: [
        cut(1),
        newUrl(2, url(2)),
        newUrl(3, 'http://a.test/trap/3', { state: UrlState.skipped, reason: 'nofollow' }),
      ],
      trapped: [{ id: 1, pattern: 'p' }],
    });
    const second = commit(store, {
      skipped: [{ id: 2, reason: 'trap', pattern: 'p' }],
      found: [{ id: 3, depth: 1, standing: Standing.followed, parent: null }],
    });
    expect([first.trapped, second.trapped]).toEqual([['p'], ['a trap']]);
    const expected = [
      { pattern: 'p', cause: 'it is p', count: 2, examples: [url(1), url(2)] },
      { pattern: 'a trap', cause: 'it is a trap', count: 1, examples: ['http://a.test/trap/3'] },
    ];
    expect(traps(store)).toEqual(expected);
    // Nobody ends it: as a kill leaves it.
    store.close();
    const again = reopen(path);
    onTestFinished(() => again.close());
    begin(again);
    expect(traps(again)).toEqual(expected);
    expect(commit(again, { newUrls: [cut(9)], trapped: [{ id: 9, pattern: 'p' }] }).trapped).toEqual([]);
    expect(traps(again)[0]).toMatchObject({ pattern: 'p', count: 3 });
  });

  it('are not counted again where the URL was known on disk', () => {
    const store = openStore();
    const known = cut(1);
    commit(store, { newUrls: [known], trapped: [{ id: 1, pattern: 'p' }] });
    const packed = Uint32Array.of(...known.key, 1);
    commit(store, { spilledKeys: [{ segment: 0, packed }] });
    commit(store, {
      newUrls: [{ ...cut(2), url: known.url, key: known.key, unsure: true }],
      trapped: [{ id: 2, pattern: 'p' }],
    });
    expect(traps(store)).toMatchObject([{ pattern: 'p', count: 1, examples: [known.url] }]);
  });

  it('are not counted where the commit is rolled back, and their pattern is told with the next one', () => {
    const store = openStore();
    const fields = { newUrls: [cut(1)], trapped: [{ id: 1, pattern: 'p' }] };
    expect(() => commit(store, { ...fields, leased: [77] })).toThrow('URL 77');
    expect(traps(store)).toEqual([]);
    expect(commit(store, fields).trapped).toEqual(['p']);
    expect(traps(store)).toMatchObject([{ pattern: 'p', count: 1 }]);
  });
});

/** Deeper than this nothing is fetched; the patterns that are allowed. */
class Allowing extends TestScope {
  readonly allowed: readonly string[];

  constructor(limit: number, allowed: readonly string[]) {
    super(['a.test'], limit);
    this.allowed = allowed;
  }

  override allowsTrap(pattern = ''): boolean {
    return this.allowed.includes(pattern);
  }
}

describe('a second look at what was cut', () => {
  const storeOf = (scope: TestScope): Store => {
    const store = openStore(scope);
    commit(store, {
      newUrls: [
        ...[1, 2].map((id) => newUrl(id, url(id))),
        ...[3, 4, 5].map((id) => newUrl(id, url(id), { depth: id, state: UrlState.skipped, reason: 'depth' })),
        ...[6, 7].map((id) => newUrl(id, url(id), { depth: 9 })),
        cut(8),
        ...[9, 10].map((id) => newUrl(id, url(id))),
      ],
      trapped: [{ id: 8, pattern: 'segments>5' }],
    });
    commit(store, {
      skipped: [
        { id: 1, reason: 'trap', pattern: 'free' },
        { id: 2, reason: 'trap', pattern: 'bad' },
        { id: 6, reason: 'trap', pattern: 'free' },
        { id: 9, reason: 'limit', pattern: null },
      ],
    });
    commit(store, { leased: [10] });
    commit(store, { settled: [settled(10, { state: UrlState.skipped, reason: 'robots' })] });
    return store;
  };
  const fates = (store: Store) =>
    Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 8, 9, 10].map((id) => {
        const { state, reason } = urlRow(store.database, id);
        return [id, reason ?? state];
      }),
    );
  const BEFORE = {
    1: 'trap',
    2: 'trap',
    3: 'depth',
    4: 'depth',
    5: 'depth',
    6: 'trap',
    8: 'trap',
    9: 'limit',
    10: 'robots',
  };

  it.each([
    ['nothing, where no option changed', [], 0, BEFORE],
    ['nothing for options that cut nothing', ['delayMs', 'maxUrls'], 0, BEFORE],
    ['what is near enough now', ['depth'], 2, { ...BEFORE, 3: 'queued', 4: 'queued' }],
    ['what its host had no room for', ['maxUrlsPerHost'], 1, { ...BEFORE, 9: 'queued' }],
    [
      'traps that are allowed, and those by looks that are none now; too deep stays too deep',
      ['allowTraps'],
      2,
      { ...BEFORE, 1: 'queued', 6: 'depth', 8: 'queued' },
    ],
    [
      'all that many URLs together showed, where the limit is another',
      ['maxShapeVariants'],
      3,
      { ...BEFORE, 1: 'queued', 2: 'queued', 6: 'depth', 8: 'queued' },
    ],
  ])('queues %s', (_name, changed, queued, expected) => {
    const store = storeOf(new Allowing(4, ['free']));
    expect(store.lookAgain(new Set(changed), '{}', { pagesStream: '{"offset":0,"seq":0}' })).toBe(queued);
    expect(fates(store)).toEqual(expected);
    const left = store.database
      .prepare('SELECT count(*) AS n FROM urls JOIN pages USING (id) WHERE state = 0')
      .get()!.n;
    expect(left, 'nothing is left of what was said of them').toBe(0);
    expect(store.meta().inForce).toBe('{}');
    expect(store.meta().pagesStream).toBe(queued > 0 ? '{"offset":0,"seq":0}' : undefined);
  });

  it('has what a check only asked for read too, where it is no longer part of a trap nor too deep', () => {
    const { external, trap, beyond, secondLook } = UrlFlag;
    const store = openStore(new Allowing(4, ['free']));
    const row = (id: number, depth: number, flags: number) => newUrl(id, url(id), { depth, flags });
    commit(store, {
      newUrls: [
        row(1, 1, 0),
        row(2, 9, 0),
        row(3, 1, 0),
        row(4, 3, external | beyond),
        row(5, 9, external | beyond),
        row(6, 3, external | beyond | trap),
      ],
      trapped: [{ id: 6, pattern: 'bad' }],
    });
    const patterns = ['free', 'free', 'bad'];
    const unfollowed = patterns.map((pattern, n) => ({ id: n + 1, pattern }));
    commit(store, { leased: [1, 2, 3, 4, 5, 6], unfollowed });
    commit(store, { settled: [1, 2, 3, 4, 5, 6].map((id) => settled(id, {})) });
    store.database.exec(`UPDATE urls SET flags = flags | ${secondLook} WHERE id = 1`);
    const flagsOf = () => store.database.prepare('SELECT state, flags FROM urls ORDER BY id').all();
    const left = (flags: number) => ({ state: UrlState.done, flags: external | flags });
    const before = [trap, trap, trap, beyond, beyond, beyond | trap].map(left);
    before[0]!.flags |= secondLook;
    expect(flagsOf()).toEqual(before);
    expect(store.lookAgain(new Set(['allowTraps']), '{}')).toBe(1);
    const queued = { state: UrlState.queued, flags: 0 };
    expect(flagsOf()).toEqual([queued, left(beyond), left(trap), ...before.slice(3)]);
    expect(store.lookAgain(new Set(['depth']), '{}')).toBe(1);
    expect(flagsOf()).toEqual([queued, left(beyond), left(trap), queued, left(beyond), left(trap)]);
  });

  it('goes through more than one batch of them', () => {
    const store = openStore(new Allowing(9, ['many']));
    const ids = Array.from({ length: 2_500 }, (_, n) => n + 1);
    commit(store, {
      newUrls: ids.map((id) => cut(id)),
      trapped: ids.map((id) => ({ id, pattern: id % 5 === 0 ? 'few' : 'many' })),
    });
    expect(store.lookAgain(new Set(['allowTraps']), '{}')).toBe(2_000);
    expect(traps(store)).toMatchObject([{ pattern: 'few', count: 500 }]);
    const queued = store.database.prepare('SELECT count(*) AS n FROM urls WHERE state = 0').get()!.n;
    expect(queued).toBe(2_000);
  });
});

describe('a sitemap that brings a known URL nearer', () => {
  it('is kept beside it; a page that does so is not: its edges say it', () => {
    const store = openStore();
    commit(store, {
      newUrls: [
        newUrl(1, 'http://a.test/sitemap.xml', { kind: 2, depth: 0 }),
        newUrl(2, url(2), { depth: 7 }),
        newUrl(3, url(3), { depth: 7 }),
        newUrl(4, url(4), { depth: 0 }),
      ],
    });
    commit(store, {
      found: [
        { id: 2, depth: 1, standing: Standing.followed, parent: 1 },
        { id: 3, depth: 1, standing: Standing.followed, parent: 4 },
      ],
    });
    expect(store.database.prepare('SELECT * FROM sitemap_finds').all()).toEqual([{ url: 2, sitemap: 1 }]);
  });
});
