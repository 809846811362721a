import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import { edgesFromBlob, edgeWord, FOLLOWED, PENDING } from '../../src/store/page-row.js';
import { Reader } from '../../src/store/reader.js';
import type { Store } from '../../src/store/store.js';
import type { Transaction } from '../../src/store/transaction.js';
import { LEGAL_MOVES, STATE_NAMES, UrlKind, UrlState } from '../../src/store/url-state.js';
import { ATTEMPT, newUrl, openStore, settled, transaction, urlRow } from './support.js';

const commit = (store: Store, fields: Partial<Transaction>) => store.writer.commit(transaction(fields));
const URL_1 = 'http://a.test/1';
const URL_2 = 'http://a.test/2';

/** A store in which URL 1 is in the given state, put there past the writer. */
function storeWith(state: UrlState, kind: UrlKind = UrlKind.page): Store {
  const store = openStore();
  commit(store, { newUrls: [newUrl(1, URL_1, { kind })] });
  store.database.prepare('UPDATE urls SET state = ? WHERE id = 1').run(state);
  return store;
}

/** What the writer is asked for when a URL is to make one step. */
const STEPS: Record<string, Partial<Transaction>> = {
  lease: { leased: [1] },
  settle: { settled: [settled(1)] },
  retry: { settled: [settled(1, { retry: { notBefore: 5, flags: 0, attempt: ATTEMPT } })] },
  'give back': { returned: [1] },
  cut: { skipped: [{ id: 1, reason: 'limit', pattern: null }] },
};
const FROM: Record<string, UrlState> = {
  ...{ lease: UrlState.queued, settle: UrlState.leased, retry: UrlState.leased },
  ...{ 'give back': UrlState.leased, cut: UrlState.queued },
};

describe('the one writer of the store', () => {
  for (const [step, fields] of Object.entries(STEPS)) {
    for (const state of Object.values(UrlState)) {
      const legal = state === FROM[step];
      it(`${legal ? 'lets' : 'does not let'} a URL that is ${STATE_NAMES[state]} make the step "${step}"`, () => {
        const store = storeWith(state);
        if (legal) {
          commit(store, fields);
          expect(LEGAL_MOVES[state].anytime.map((to) => STATE_NAMES[to])).toContain(urlRow(store.database, 1).state);
        } else {
          expect(() => commit(store, fields)).toThrow(StateError);
          expect(urlRow(store.database, 1).state).toBe(STATE_NAMES[state]);
        }
      });
    }
  }

  it('leases robots.txt again when its time is over, and only robots.txt', () => {
    for (const state of [UrlState.done, UrlState.failed]) {
      const store = storeWith(state, UrlKind.robots);
      commit(store, { leased: [1] });
      expect(urlRow(store.database, 1).state).toBe('leased');
    }
  });

  it('makes all of a transaction or nothing of it', () => {
    const store = storeWith(UrlState.leased);
    const before = store.database.prepare('SELECT count(*) AS n FROM keys').get();
    const illegal = { newUrls: [newUrl(2, URL_2)], settled: [settled(1)], leased: [1], meta: { dispatched: '9' } };
    expect(() => commit(store, illegal)).toThrow('URL 1 should go from queued to leased but is done');
    expect(urlRow(store.database, 1).state).toBe('leased');
    expect(store.database.prepare('SELECT count(*) AS n FROM urls').get()).toEqual({ n: 1 });
    expect(store.database.prepare('SELECT count(*) AS n FROM pages').get()).toEqual({ n: 0 });
    expect(store.database.prepare('SELECT count(*) AS n FROM keys').get()).toEqual(before);
    expect(store.meta().dispatched).toBeUndefined();
    // And goes on as if nothing had been asked.
    expect(commit(store, { newUrls: [newUrl(2, URL_2)], settled: [settled(1)] }).hosts).toHaveLength(1);
  });

  it('refuses a bulk move that no URL may make', () => {
    const move = { host: null, origin: 1, from: UrlState.done, to: UrlState.skipped, reason: null };
    expect(() => commit(storeWith(UrlState.done), { bulk: [move] })).toThrow('a URL cannot go from done to skipped');
  });

  it('moves all that waits at an origin, but not its robots.txt', () => {
    const store = openStore();
    commit(store, {
      newUrls: [newUrl(1, URL_1), newUrl(2, URL_2), newUrl(3, 'http://a.test/robots.txt', { kind: UrlKind.robots })],
    });
    const move = { host: null, origin: 1, from: UrlState.queued, to: UrlState.deferred, reason: 'robots_unreachable' };
    commit(store, { newUrls: [newUrl(4, 'http://a.test/sitemap.xml', { kind: UrlKind.sitemap })] });
    expect(commit(store, { bulk: [move] }).moved).toEqual([{ urls: 3, pages: 2 }]);
    expect([1, 2, 3].map((id) => urlRow(store.database, id).state)).toEqual(['deferred', 'deferred', 'queued']);
  });

  it('counts an attempt when it leases, and takes it back when the lease was never sent', () => {
    const store = storeWith(UrlState.queued);
    commit(store, { leased: [1] });
    expect(urlRow(store.database, 1).attempts).toBe(1);
    commit(store, { returned: [1] });
    expect(urlRow(store.database, 1)).toMatchObject({ state: 'queued', attempts: 0, class: 0 });
  });

  it('takes a URL whose key is on disk for the one that is known, in edges and redirects too', () => {
    const store = openStore();
    commit(store, { newUrls: [newUrl(1, URL_1, { unsure: true }), newUrl(2, URL_2)] });
    commit(store, { leased: [2] });
    const edges = Uint32Array.of(PENDING, edgeWord(0, FOLLOWED, 0), PENDING + 1, edgeWord(0, FOLLOWED, 0));
    const answer = commit(store, {
      newUrls: [
        newUrl(3, URL_1, { unsure: true }),
        newUrl(4, 'http://a.test/4', { unsure: true }),
        newUrl(5, 'http://a.test/4', { unsure: true }),
      ],
      settled: [settled(2, { edges, newIds: [3, 5], redirectTo: 3 })],
    });
    expect(answer.known).toEqual([
      [3, 1],
      [5, 4],
    ]);
    const { packed } = store.database.prepare('SELECT packed FROM edges WHERE page = 2').get();
    expect([...edgesFromBlob(packed)].filter((_, place) => place % 2 === 0)).toEqual([1, 4]);
    expect(store.database.prepare('SELECT redirect_to AS to_ FROM pages WHERE id = 2').get()).toEqual({ to_: 1 });
    expect(store.database.prepare('SELECT count(*) AS n FROM urls').get()).toEqual({ n: 3 });
  });

  it('numbers pages in the order in which they were settled, without gaps', () => {
    const store = openStore();
    commit(store, { newUrls: [newUrl(1, URL_1), newUrl(2, URL_2)] });
    commit(store, { leased: [1, 2] });
    commit(store, { settled: [settled(2)] });
    commit(store, { settled: [settled(1)] });
    expect(new Reader(store.database).settledAfter(0)).toEqual([2, 1]);
    expect(store.writer.lastSeq).toBe(2);
  });
});
