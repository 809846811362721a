import { describe, expect, it } from 'vitest';
import { LinkPass } from '../../src/store/link-pass.js';
import { edgeWord, FOLLOWED, HELD_BACK } from '../../src/store/page-row.js';
import { UrlFacts } from '../../src/store/url-facts.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { type FixtureUrl, StoreFixture } from '../report/store-fixture.js';

let made = 1;
const page = (depth: number, fields: Partial<FixtureUrl> = {}): FixtureUrl => ({
  url: `http://a.test/${made++}`,
  depth,
  parent: 1,
  ...fields,
});
const SEED: FixtureUrl = { url: 'http://a.test/', depth: 0 };

/** URLs with ids from 1, and links as `from: [to…]`; one below 0 is marked nofollow. */
function storeOf(urls: FixtureUrl[], links: Record<number, number[]> = {}): StoreFixture {
  const store = new StoreFixture(urls);
  const insert = store.database.prepare('INSERT INTO edges (page, packed) VALUES (?, ?)');
  for (const [from, targets] of Object.entries(links)) {
    const words = targets.flatMap((to) => [Math.abs(to), edgeWord(0, to < 0 ? HELD_BACK : FOLLOWED, 0)]);
    insert.run(Number(from), new Uint8Array(Uint32Array.from(words).buffer));
  }
  return store;
}

const pass = (store: StoreFixture, id: number, most = 10) =>
  new LinkPass(store.database, new UrlFacts(store.database).byId(id)!, most).take();
const path = (store: StoreFixture, id: number) => pass(store, id).path.map((hop) => `${hop.id} ${hop.by}`);

describe('the shortest path to a URL', () => {
  it('goes over the nearest pages, not over the first parent', () => {
    const store = storeOf([SEED, page(1), page(2), page(1), page(2, { parent: 3 })], {
      1: [2, 4],
      2: [3],
      3: [5],
      4: [5],
    });
    expect(path(store, 5)).toEqual(['1 seed', '4 link', '5 link']);
  });

  it('does not go over links that may not be followed, but where nothing else leads there', () => {
    const urls = [
      SEED,
      page(1),
      page(1),
      page(2),
      page(2, { state: UrlState.skipped, reason: 'nofollow', page: null }),
    ];
    const store = storeOf(urls, { 1: [2, 3], 2: [-4, -5], 3: [4] });
    expect(path(store, 4)).toEqual(['1 seed', '3 link', '4 link']);
    expect(path(store, 5)).toEqual(['1 seed', '2 link', '5 link']);
    expect(pass(store, 5)).toMatchObject({ heldBack: 1, depth: 2 });
  });

  it('finds its way into a circle of redirects from outside, whatever was found first', () => {
    const to = (id: number): Partial<FixtureUrl> => ({ page: { status: 301, redirect_to: id } });
    const store = storeOf([SEED, page(1, to(3)), page(1, to(2)), page(1, to(3))], { 1: [4] });
    expect(path(store, 2)).toEqual(['1 seed', '4 link', '3 redirect', '2 redirect']);
    expect(path(store, 3)).toEqual(['1 seed', '4 link', '3 redirect']);
  });

  it('starts at a sitemap where no page is as near', () => {
    const store = storeOf([SEED, { url: 'http://a.test/map', depth: 0 }, page(1, { parent: 2 }), page(1), page(2)], {
      3: [5],
    });
    store.database.exec('UPDATE urls SET kind = 2 WHERE id = 2; INSERT INTO sitemap_finds VALUES (4, 2)');
    expect(path(store, 3)).toEqual(['2 sitemap', '3 sitemap']);
    expect(path(store, 4)).toEqual(['2 sitemap', '4 sitemap']);
    expect(path(store, 5)).toEqual(['2 sitemap', '3 sitemap', '5 link']);
  });

  it('starts at the third party that named a page, and only where no page is as near', () => {
    const named: FixtureUrl = { url: 'http://a.test/named', depth: 1, flags: UrlFlag.fromCommonCrawl };
    const store = storeOf([SEED, named, page(2, { parent: 2 })], { 2: [3] });
    expect(path(store, 2)).toEqual(['2 commoncrawl']);
    expect(path(store, 3)).toEqual(['2 commoncrawl', '3 link']);
    const linked = storeOf([SEED, named, page(2, { parent: 2 })], { 1: [2], 2: [3] });
    expect(path(linked, 2)).toEqual(['1 seed', '2 link']);
    expect(path(linked, 3)).toEqual(['1 seed', '2 link', '3 link']);
  });

  it('ends at the nearest page with a link, for a URL that is no page of the crawl', () => {
    const outside = page(9, { state: UrlState.unlisted, reason: 'scope', page: null });
    const store = storeOf([SEED, page(1), page(2), outside], { 1: [2], 2: [3, 4], 3: [4, 4] });
    expect(path(store, 4)).toEqual(['1 seed', '2 link', '4 link']);
    expect(pass(store, 4)).toMatchObject({ depth: 2, pages: 2, links: { total: 3 } });
  });

  it('comes to an end in a store that is damaged', () => {
    const store = storeOf([page(1, { parent: 2 }), page(1, { parent: 1 })]);
    expect(path(store, 1)).toEqual(['2 unknown', '1 unknown']);
  });
});

it('links are counted exactly, and named up to a number', () => {
  const store = storeOf([SEED, page(1)], { 1: Array.from({ length: 50 }, () => 2) });
  const { links, pages } = pass(store, 2, 7);
  expect([links.total, links.first.length, pages]).toEqual([50, 7, 1]);
});
