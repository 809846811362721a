import { describe, expect, it, onTestFinished } from 'vitest';
import { packAnchors } from '../../src/parse/anchors.js';
import { edgesFromBlob, emptyPage, IGNORED_LINK, type LinkFacts, sealPage } from '../../src/store/page-row.js';
import { Reader } from '../../src/store/reader.js';
import { RenderingReader } from '../../src/store/rendering-reader.js';
import { Store } from '../../src/store/store.js';
import { openStoreFile, TEMPORARY } from '../../src/store/store-file.js';
import type { RenderedPage, Transaction } from '../../src/store/transaction.js';
import { Rendering, UrlKind, UrlState } from '../../src/store/url-state.js';
import { newUrl, settled, TestScope, transaction } from './support.js';

const BODY = Uint8Array.of(1, 2, 3);
const NOTHING = { hrefs: null, places: null, anchors: null, headers: null, textHash: null };

/** A store of a crawl that keeps no pages, with a page for each id that waits for a browser or, below 0, needs none. */
function storeWith(ids: readonly number[], mostAssetBytes = 1_000) {
  const options = { expectedUrls: 1_000, falsePositiveRate: 0.01, lookupBatch: 512, scope: new TestScope() };
  const store = new Store(openStoreFile(TEMPORARY, { create: true }), { ...options, mostAssetBytes });
  onTestFinished(() => store.close());
  const commit = (fields: Partial<Transaction>): void => void store.writer.commit(transaction(fields));
  for (const id of ids) {
    const needsBrowser = id > 0;
    const body = {
      type: 'text/html',
      packed: needsBrowser ? BODY : new Uint8Array(),
      measured: { text: 5, needsBrowser },
    };
    const facts: LinkFacts = { ...NOTHING, hrefs: ['/a', '/b', '/a'], places: Uint32Array.of(1, 2, 3, 4, 5, 6) };
    commit({ newUrls: [newUrl(Math.abs(id), `http://a.test/${id}`, { state: UrlState.leased })] });
    commit({ settled: [settled(Math.abs(id), { page: sealPage({ ...emptyPage(200), body, facts, title: 'Came' }) })] });
  }
  const bodies = (): unknown[] =>
    store.database
      .prepare(
        'SELECT page, coalesce(length(packed), 0) AS bytes, rendering FROM bodies LEFT JOIN contents ON contents.id = content ORDER BY page',
      )
      .all()
      .map((row) => ({ ...row }));
  return { store, commit, bodies, reader: new Reader(store.database) };
}

const rendered = (id: number, fields: Partial<RenderedPage> = {}): RenderedPage => ({
  ...{ id, text: 100, reading: null, keepsBody: false },
  ...fields,
});

describe('pages that wait for a browser', () => {
  it('are told of when it has seen them, or will not, and not before', () => {
    const { commit, reader } = storeWith([1, -2, 3, 4]);
    expect(reader.settledAfter(0)).toEqual([2]);
    expect([...reader.waiting([1, 2, 3])]).toEqual([1, 3]);
    commit({ rendered: [rendered(3), rendered(1, { isUntried: true })] });
    // With numbers of that moment: whoever has come to the last one of before is given both.
    expect(reader.settledAfter(4)).toEqual([3, 1]);
    expect(reader.settledAfter(0)).toEqual([2, 3, 1]);
  });

  it('lose their body then, and no later run can wait for it', () => {
    const { commit, bodies, store } = storeWith([1, -2, 3]);
    const reading = { page: sealPage({ ...emptyPage(200), title: 'Drawn' }), newIds: [], depth: 1 };
    commit({ rendered: [rendered(1, { reading }), rendered(3, { isUntried: true })] });
    expect(bodies()).toEqual([
      { page: 1, bytes: 0, rendering: Rendering.rendered },
      { page: 2, bytes: 0, rendering: Rendering.none },
      { page: 3, bytes: 0, rendering: Rendering.untried },
    ]);
    expect([...new Reader(store.database).pagesById([1, 3])].map(({ title }) => title)).toEqual(['Drawn', 'Came']);
    store.renderAll();
    expect(new RenderingReader(store.database).waiting(0, 10)).toEqual([]);
  });

  it('keep the places of links that stood in them, and have none for those that were drawn', () => {
    const { commit, store } = storeWith([1]);
    const places = Uint32Array.of(9, 9, 9, (9 | IGNORED_LINK) >>> 0, 9, 9);
    const facts = { ...NOTHING, hrefs: ['/new', '/b', '/a'], places, anchors: packAnchors(['drawn']) };
    const reading = { page: sealPage({ ...emptyPage(200), facts }), newIds: [], depth: 1 };
    commit({ rendered: [rendered(1, { reading })] });
    const row = store.database.prepare('SELECT hrefs, places FROM link_facts').get()!;
    expect(JSON.parse(row.hrefs)).toEqual(['/new', '/b', '/a']);
    expect([...edgesFromBlob(row.places)]).toEqual([0, 0, 3, (4 | IGNORED_LINK) >>> 0, 1, 2]);
  });
});

it('pages that wait are told of as they came, once, where the next run has no browser', () => {
  const { store, bodies, reader } = storeWith([1, -2, 3]);
  store.writer.leaveUnrendered();
  expect(bodies()).toMatchObject([{ bytes: 0, rendering: Rendering.untried }, {}, { rendering: Rendering.untried }]);
  expect(reader.settledAfter(3)).toEqual([1, 3]);
  expect(reader.unasked(0, 10).pages.map(({ url }) => url)).toEqual(['http://a.test/1', 'http://a.test/3']);
});

describe('what pages load', () => {
  it('is dropped, the oldest first, when it is too much; bodies that pages wait with are not', () => {
    const { commit, bodies } = storeWith([1], 10);
    for (const id of [2, 3, 4]) {
      const asset = newUrl(id, `http://a.test/${id}.js`, { kind: UrlKind.asset, state: UrlState.leased });
      const body = { type: null, packed: new Uint8Array(4) };
      commit({ newUrls: [asset] });
      commit({ settled: [settled(id, { page: sealPage({ ...emptyPage(200), body }) })] });
    }
    expect(bodies()).toEqual([
      { page: 1, bytes: 3, rendering: Rendering.wanted },
      { page: 2, bytes: 0, rendering: Rendering.none },
      { page: 3, bytes: 0, rendering: Rendering.none },
      { page: 4, bytes: 4, rendering: Rendering.none },
    ]);
  });

  it('is dropped altogether when nobody waits any more', () => {
    const { commit, bodies, store } = storeWith([1]);
    const asset = newUrl(2, 'http://a.test/x.js', { kind: UrlKind.asset, state: UrlState.leased });
    commit({ newUrls: [asset] });
    const body = { type: null, packed: new Uint8Array(4) };
    commit({ settled: [settled(2, { page: sealPage({ ...emptyPage(200), body }) })] });
    store.writer.dropAssets();
    expect(bodies()).toEqual([
      { page: 1, bytes: 3, rendering: Rendering.wanted },
      { page: 2, bytes: 0, rendering: Rendering.none },
    ]);
  });
});
