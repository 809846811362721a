import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PageAssets } from '../../src/crawl/page-assets.js';
import { keyOf, type Offer } from '../../src/frontier/outcome.js';
import type { KeptAnswer } from '../../src/store/rendering-reader.js';
import { UrlState } from '../../src/store/url-state.js';

const URL_OF_IT = 'http://a.test/app.js';
const PAGE = 'http://a.test/';

/** A store in which each key has its own answer. */
class Store {
  readonly offers: Offer[] = [];
  readonly answers: Partial<KeptAnswer>[] = [];
  readonly assets = new PageAssets({
    admit: async (offers) => offers.map((offer) => this.#idOf(offer)),
    kept: async (id) => ({
      ...{ url: this.offers[id]!.url, state: UrlState.done, status: 200, redirectTo: null, type: null, packed: null },
      ...this.answers[id],
    }),
    isTrap: () => false,
    isGuarded: () => false,
  });

  #idOf(offer: Offer): number {
    const known = this.offers.findIndex(({ key }) => key.join() === offer.key.join());
    return known >= 0 ? known : this.offers.push(offer) - 1;
  }
}

const packed = (text: string): Uint8Array => deflateRawSync(text);
const DROPPED = new Uint8Array();
const textOf = async (store: Store): Promise<string | null> => {
  const asset = await store.assets.get(URL_OF_IT, PAGE);
  return asset === null ? null : Buffer.from(asset.body).toString();
};

describe('what the store has dropped', () => {
  it('is asked for once more, under a key of its own, and found there afterwards', async () => {
    const store = new Store();
    store.answers.push({ packed: packed('first') });
    expect(await textOf(store)).toBe('first');
    store.answers[0] = { packed: DROPPED };
    store.answers.push({ packed: packed('second') });
    expect(await textOf(store)).toBe('second');
    expect(await textOf(store)).toBe('second');
    expect(store.offers.map(({ key, url }) => [key.join(), url])).toEqual([
      [keyOf(`asset ${URL_OF_IT}`).join(), URL_OF_IT],
      [keyOf(`asset 1 ${URL_OF_IT}`).join(), URL_OF_IT],
    ]);
    store.answers[1] = { packed: DROPPED };
    store.answers.push({ packed: packed('third') });
    expect(await textOf(store)).toBe('third');
  });

  it('is asked for where its redirects ended', async () => {
    const store = new Store();
    store.answers.push({ redirectTo: 1 }, { packed: DROPPED, url: 'http://a.test/new.js' }, { packed: packed('new') });
    store.offers.push(
      { ...offerOf(URL_OF_IT), key: keyOf(`asset ${URL_OF_IT}`) },
      { ...offerOf('http://a.test/new.js'), key: keyOf('asset http://a.test/new.js') },
    );
    expect(await textOf(store)).toBe('new');
    expect(store.offers[2]).toMatchObject({ url: 'http://a.test/new.js', key: keyOf('asset 1 http://a.test/new.js') });
  });
});

const offerOf = (url: string): Offer => ({ url }) as Offer;
