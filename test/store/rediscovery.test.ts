import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrawlScope } from '../../src/lane/crawl-scope.js';
import { edgeWord, FOLLOWED, HELD_BACK } from '../../src/store/page-row.js';
import type { StoreScope } from '../../src/store/standing.js';
import { Standing } from '../../src/store/standing.js';
import { Store } from '../../src/store/store.js';
import { openStoreFile, TEMPORARY } from '../../src/store/store-file.js';
import type { NewUrl } from '../../src/store/transaction.js';
import { TrapReader } from '../../src/store/traps.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { newUrl, openStore, settled, TestScope, transaction, urlRow } from './support.js';

const edge = (to: number, follow: boolean) => [to, edgeWord(0, follow ? FOLLOWED : HELD_BACK, 0)];

/** Settles URL `id`, which is queued, with edges to known URLs. */
function settle(
  store: Store,
  id: number,
  depth: number,
  edges: [to: number, follow: boolean][] = [],
  redirectTo: number | null = null,
) {
  store.writer.commit(transaction({ leased: [id] }));
  const packed = Uint32Array.from(edges.flatMap(([to, follow]) => edge(to, follow)));
  return store.writer.commit(transaction({ settled: [settled(id, { depth, edges: packed, redirectTo })] }));
}

const find = (store: Store, id: number, depth: number, standing: Standing = Standing.followed) =>
  store.writer.commit(transaction({ found: [{ id, depth, standing, parent: null }] }));

const url = (id: number, host = 'a') => `http://${host}.test/${id}`;

function storeOf(urls: NewUrl[], scope: StoreScope = new TestScope()): Store {
  const store = openStore(scope);
  store.writer.commit(transaction({ newUrls: urls }));
  return store;
}

describe('a URL that is found again', () => {
  it('by a shorter path gets the smaller depth, and the table in memory is told', () => {
    const store = storeOf([newUrl(1, url(1), { depth: 5 })]);
    expect(find(store, 1, 7).lowered).toEqual([]);
    expect(find(store, 1, 3).lowered).toMatchObject([{ id: 1, depth: 3, standing: Standing.followed }]);
    expect(urlRow(store.database, 1)).toMatchObject({ state: 'queued', depth: 3 });
  });

  it('and was cut for its depth is queued, once it is near enough', () => {
    const cut = newUrl(1, url(1), { depth: 9, state: UrlState.skipped, reason: 'depth' });
    const store = storeOf([cut], new TestScope(['a.test'], 4));
    expect(find(store, 1, 5).queued).toEqual([]);
    expect(urlRow(store.database, 1)).toMatchObject({ state: 'skipped', reason: 'depth', depth: 5 });
    expect(find(store, 1, 4)).toMatchObject({ queued: [{ id: 1, depth: 4 }], change: { queued: 1, skipped: -1 } });
    expect(urlRow(store.database, 1)).toMatchObject({ state: 'queued', reason: null, class: 0 });
  });

  it('together with many others goes first in line only as one of a hundred; the others wait in their place on disk', () => {
    const hosts = ['a', 'b', 'c'];
    const rows = Array.from({ length: 250 }, (_, n) =>
      newUrl(n + 1, url(n + 1, n < 100 ? 'a' : hosts[n % 3]), { depth: 9, state: UrlState.skipped, reason: 'depth' }),
    );
    const store = storeOf(rows, new TestScope(['a.test', 'b.test', 'c.test'], 4));
    const found = rows.map(({ id }) => ({ id, depth: 2, standing: Standing.followed, parent: null }));
    const answer = store.writer.commit(transaction({ found }));
    expect(answer.queued.map(({ id }) => id)).toEqual(rows.slice(0, 100).map(({ id }) => id));
    expect(answer.change).toMatchObject({ queued: 250, skipped: -250 });
    expect([...answer.reloaded].sort()).toEqual(hosts.map((host) => `http://${host}.test`));
    expect(rows.map(({ id }) => urlRow(store.database, id).class)).toEqual(rows.map((_, n) => (n < 100 ? 0 : 2)));
    const counts = answer.hosts.flatMap(({ origins }) => origins.map(({ queued }) => queued.slice(0, 3)));
    expect([...counts].sort()).toEqual([
      [0, 0, 50],
      [0, 0, 50],
      [100, 0, 50],
    ]);
  });

  it('and looks like a trap is cut, where it was no more than linked before; what was cut for another reason stays cut', () => {
    const trap = (id: number) => `http://a.test/trap/${id}`;
    const store = storeOf([
      newUrl(1, trap(1), { state: UrlState.skipped, reason: 'nofollow' }),
      newUrl(2, 'http://b.test/trap/2', { state: UrlState.unlisted, reason: 'scope' }),
      newUrl(3, trap(3), { depth: 9, state: UrlState.skipped, reason: 'trap' }),
      newUrl(4, url(4), { depth: 0 }),
    ]);
    expect(find(store, 1, 1)).toMatchObject({ queued: [], trapped: ['a trap'], change: { queued: 0, skipped: 0 } });
    expect(find(store, 1, 0)).toMatchObject({ queued: [], trapped: [] });
    expect(find(store, 3, 1)).toMatchObject({ queued: [], trapped: [] });
    settle(store, 4, 0, [[2, true]]);
    const widened = store.writer.commit(transaction({ widened: [{ seed: 0, scopeUrls: ['http://b.test/'] }] }));
    expect(widened).toMatchObject({ queued: [], trapped: [], change: { queued: 0, skipped: 1 } });
    expect(new TrapReader(store.database).largest(5).traps).toMatchObject([{ pattern: 'a trap', count: 2 }]);
    expect([1, 2, 3].map((id) => urlRow(store.database, id))).toEqual(
      [0, 1, 1].map((depth) => expect.objectContaining({ state: 'skipped', reason: 'trap', depth })),
    );
  });

  it('and looks like a trap, or is too deep, is only checked where a check asks for such too', () => {
    const seed = {
      seed: 0,
      url: 'http://a.test/',
      label: '',
      scope: 'host',
      depth: null,
      maxUrls: null,
      fallbacks: [],
    };
    const scope = new CrawlScope({
      seeds: [{ ...seed, scopeUrls: ['http://a.test/'] }],
      patterns: { include: [], exclude: [] },
      maxDepth: 4,
      traps: {
        ...{ maxUrlLength: 100, maxPathSegments: 5, maxSegmentRepeats: 0 },
        ...{ maxQueryVariants: 0, maxShapeVariants: 0, allow: [] },
      },
      ...{ ownKeys: false, external: true, checksBeyond: true, ignore: [] },
    });
    const { external, trap, beyond } = UrlFlag;
    const deep = 'http://a.test/a/b/c/d/e/f';
    const nofollow = { state: UrlState.skipped, reason: 'nofollow' };
    const store = storeOf(
      [
        newUrl(1, deep, nofollow),
        newUrl(2, url(2), nofollow),
        newUrl(3, 'http://b.test/a/b/c/d/e/f', { ...nofollow, flags: external }),
        newUrl(4, `http://a.test/${'x'.repeat(200)}`, nofollow),
        newUrl(5, `${deep}/g`, { depth: 9, flags: external | trap | beyond }),
      ],
      scope,
    );
    for (const id of [1, 2, 3, 4]) {
      find(store, id, 6);
    }
    find(store, 5, 2);
    const fates = store.database.prepare('SELECT state, reason, flags FROM urls ORDER BY id').all();
    expect(fates.map(({ state, reason, flags }) => [state, reason, flags])).toEqual([
      [UrlState.queued, null, external | trap],
      [UrlState.queued, null, external | beyond],
      [UrlState.queued, null, external],
      [UrlState.skipped, 'trap', 0],
      [UrlState.queued, null, external | trap],
    ]);
    expect(new TrapReader(store.database).largest(5).traps.map(({ pattern, count }) => [pattern, count])).toEqual([
      ['segments>5', 1],
      ['length>100', 1],
    ]);
  });

  it('by a link that may be followed is queued, though the first could not be, even at a greater depth', () => {
    const store = storeOf([newUrl(1, url(1), { depth: 2, state: UrlState.skipped, reason: 'nofollow' })]);
    expect(find(store, 1, 1, Standing.heldBack).queued).toEqual([]);
    expect(urlRow(store.database, 1)).toMatchObject({ state: 'skipped', reason: 'nofollow', depth: 1 });
    expect(find(store, 1, 6).queued).toMatchObject([{ id: 1, depth: 6 }]);
    expect(find(store, 1, 2, Standing.heldBack).queued).toEqual([]);
    expect(urlRow(store.database, 1)).toMatchObject({ state: 'queued', depth: 6 });
  });

  it('and is done brings its own links nearer without a fetch, through circles and redirects', () => {
    const store = storeOf([1, 2, 3, 4].map((id) => newUrl(id, url(id), { depth: 5 + id })));
    settle(store, 1, 6, [[2, true]]);
    settle(store, 2, 7, [], 3);
    settle(store, 3, 8, [
      [1, true],
      [4, true],
    ]);
    const { lowered, queued } = find(store, 1, 1);
    expect(lowered.map(({ id, depth }) => [id, depth])).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 3],
    ]);
    expect(queued).toEqual([]);
    expect(urlRow(store.database, 4)).toMatchObject({ state: 'queued', depth: 3 });
  });

  it('while it is being fetched is nearer when it is settled: its links are offered from the smaller depth', () => {
    const store = storeOf([newUrl(1, url(1), { depth: 5 }), newUrl(2, url(2), { depth: 6 })]);
    store.writer.commit(transaction({ leased: [1] }));
    find(store, 1, 2);
    const edges = Uint32Array.from(edge(2, true));
    store.writer.commit(transaction({ settled: [settled(1, { depth: 5, edges })] }));
    expect(urlRow(store.database, 2).depth).toBe(3);
  });

  it('stays what it is where it is out of scope, not http, or an asset', () => {
    const outside = newUrl(1, url(1, 'b'), { state: UrlState.unlisted, reason: 'scope' });
    const mail = newUrl(2, 'mailto:x@a.test', { state: UrlState.unlisted, reason: 'scheme', origin: '' });
    const store = storeOf([outside, mail]);
    for (const id of [1, 2]) {
      expect(find(store, id, 0).queued).toEqual([]);
    }
    expect([1, 2].map((id) => urlRow(store.database, id).state)).toEqual(['unlisted', 'unlisted']);
  });
});

describe('a scope that grows', () => {
  it('queues what pages lead to and was out of scope, at the depth of the nearest link; assets stay what they are', () => {
    const outside = { state: UrlState.unlisted, reason: 'scope' } as const;
    const store = storeOf([
      ...[newUrl(1, url(1), { depth: 0 }), newUrl(2, url(2), { depth: 3 })],
      ...[newUrl(3, url(3, 'b'), outside), newUrl(4, url(4, 'b'), outside), newUrl(5, url(5, 'c'), outside)],
      newUrl(6, url(6, 'b'), outside),
    ]);
    settle(store, 2, 3, [
      [3, true],
      [4, false],
      [5, true],
    ]);
    settle(store, 1, 0, [[3, true]]);
    const asset = Uint32Array.of(6, edgeWord(3, 0, 0));
    store.database.prepare('INSERT INTO edges (page, packed) VALUES (6, ?)').run(new Uint8Array(asset.buffer));
    const answer = store.writer.commit(transaction({ widened: [{ seed: 0, scopeUrls: ['http://b.test/'] }] }));
    expect(answer.queued.map(({ id }) => id)).toEqual([3]);
    expect(urlRow(store.database, 3)).toMatchObject({ state: 'queued', depth: 1 });
    expect(urlRow(store.database, 4)).toMatchObject({ state: 'skipped', reason: 'nofollow', depth: 4 });
    expect([5, 6].map((id) => urlRow(store.database, id).state)).toEqual(['unlisted', 'unlisted']);
  });
});

interface Link {
  from: number;
  to: number;
  follow: boolean;
}

/** Depths over links that may be followed, as far as the limit lets pages be fetched. */
function truth(pages: number, links: Link[], limit: number): string[] {
  const depths = new Map([[0, 0]]);
  const refused = new Set<number>();
  for (const [page, depth] of depths) {
    for (const { from, to, follow } of links) {
      if (from !== page || depth > limit) {
        continue;
      }
      if (!follow) {
        refused.add(to);
      } else if (!depths.has(to)) {
        depths.set(to, depth + 1);
      }
    }
  }
  return Array.from({ length: pages }, (_, page) => {
    const depth = depths.get(page);
    if (depth === undefined) {
      return refused.has(page) ? `${page}: skipped nofollow` : `${page}: unknown`;
    }
    return `${page}: ${depth > limit ? 'skipped depth' : 'done'} at ${depth}`;
  });
}

/** Fetches in the order that `choose` says, and tells the store of every link, as a frontier does. */
function crawl(links: Link[], pages: number, limit: number, choose: (waiting: number) => number): string[] {
  const store = new Store(openStoreFile(TEMPORARY, { create: true }), {
    ...{ expectedUrls: 100, falsePositiveRate: 0.01, lookupBatch: 10, scope: new TestScope(['a.test'], limit) },
  });
  const known = new Set([0]);
  const add = (page: number, depth: number, follow: boolean): NewUrl => {
    known.add(page);
    const reason = !follow ? 'nofollow' : depth > limit ? 'depth' : null;
    return newUrl(page + 1, url(page), { depth, reason, state: reason === null ? UrlState.queued : UrlState.skipped });
  };
  store.writer.commit(transaction({ newUrls: [add(0, 0, true)] }));
  for (;;) {
    const rows = store.database.prepare('SELECT id, depth FROM urls WHERE state = 0 ORDER BY id').all();
    if (rows.length === 0) {
      break;
    }
    const { id, depth } = rows[choose(rows.length)];
    const own = links.filter(({ from }) => from === id - 1);
    const newUrls: NewUrl[] = [];
    const found = [];
    for (const { to, follow } of own) {
      if (known.has(to)) {
        found.push({
          id: to + 1,
          depth: depth + 1,
          standing: follow ? Standing.followed : Standing.heldBack,
          parent: id,
        });
      } else {
        newUrls.push(add(to, depth + 1, follow));
      }
    }
    store.writer.commit(transaction({ leased: [id] }));
    const edges = Uint32Array.from(own.flatMap(({ to, follow }) => edge(to + 1, follow)));
    store.writer.commit(transaction({ newUrls, found, settled: [settled(id, { depth, edges })] }));
  }
  const states = Array.from({ length: pages }, (_, page) => {
    if (!known.has(page)) {
      return `${page}: unknown`;
    }
    const { state, reason, depth } = urlRow(store.database, page + 1);
    return `${page}: ${state}${reason === null ? '' : ` ${reason}`}${reason === 'nofollow' ? '' : ` at ${depth}`}`;
  });
  store.close();
  return states;
}

describe('depth', () => {
  it('is the shortest path and decides what is fetched, in whatever order pages are fetched', () => {
    const pages = 8;
    const page = fc.nat(pages - 1);
    const link = fc.record({
      from: page,
      to: page,
      follow: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
    });
    fc.assert(
      fc.property(
        fc.array(link, { maxLength: 12 }),
        fc.integer({ min: 2, max: 7 }),
        fc.infiniteStream(fc.nat()),
        (more, limit, lots) => {
          // One long path through all of them, and shortcuts that are found late.
          const path = Array.from({ length: pages - 1 }, (_, from) => ({ from, to: from + 1, follow: true }));
          const links = [...path, ...more];
          const choose = (waiting: number) => lots.next().value! % waiting;
          expect(crawl(links, pages, limit, choose)).toEqual(truth(pages, links, limit));
        },
      ),
      { numRuns: 500 },
    );
  });
});
