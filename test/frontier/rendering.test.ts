import { describe, expect, it } from 'vitest';
import { assetOffer } from '../../src/frontier/outcome.js';
import { emptyPage, sealPage } from '../../src/store/page-row.js';
import { TrapWatch } from '../../src/url/traps.js';
import { TestScope } from '../store/support.js';
import { FrontierOnStore, offer } from './on-store.js';

const FRAME = { text: 1, needsBrowser: true };

describe('while the browser cannot keep up', () => {
  it('no page is asked for, and what pages load is; afterwards all of them are', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([offer('http://a.test/1'), offer('http://b.test/2')]);
    box.frontier.holdPages(true);
    expect(await box.fetchAll()).toEqual([]);
    expect(box.frontier.wakeAt()).toBe(Number.POSITIVE_INFINITY);
    await box.frontier.admit([assetOffer('http://a.test/app.js'), offer('http://a.test/3')]);
    expect(await box.fetchAll()).toEqual(['http://a.test/app.js']);
    // It is no limit: nothing of it ends the crawl.
    expect(box.frontier.spent).toBeNull();
    box.frontier.holdPages(false);
    expect((await box.fetchAll()).toSorted()).toEqual(['http://a.test/1', 'http://a.test/3', 'http://b.test/2']);
  });
});

describe('traps', () => {
  const LIMIT = 12;
  const pages = Array.from({ length: 30 }, (_, n) => `http://a.test/day/${n + 1}`);

  /** A crawl of frames that all look alike. How many are asked for, where a browser finds these texts in them. */
  async function asked(textOf: (n: number) => number | null): Promise<number> {
    const traps = new TrapWatch({ maxQueryVariants: 0, maxShapeVariants: LIMIT, allow: [] });
    const box = new FrontierOnStore({}, new TestScope(), undefined, undefined, traps);
    await box.frontier.admit(pages.map((url) => offer(url)));
    let count = 0;
    for (
      let [lease] = await box.frontier.settle([], 1);
      lease !== undefined;
      [lease] = await box.frontier.settle([], 1)
    ) {
      await box.frontier.settle([box.outcome(lease, { textHash: 1, measured: FRAME })], 0);
      const textHash = textOf(count++);
      const { id, url, depth, seed, flags } = lease;
      const outcome = textHash === null ? null : box.outcome(lease, { textHash, page: sealPage(emptyPage(200)) });
      await box.frontier.rendered([{ page: { id, url, depth, seed, flags }, text: 1, outcome, keepsBody: false }]);
    }
    return count;
  }

  it('are not taken for what frames look like before a browser has filled them', async () => {
    expect(await asked((n) => n)).toBe(pages.length);
    const traps = new TrapWatch({ maxQueryVariants: 0, maxShapeVariants: LIMIT, allow: [] });
    const box = new FrontierOnStore({}, new TestScope(), undefined, undefined, traps);
    await box.frontier.admit(pages.map((url) => offer(url)));
    expect(await box.fetchAll(() => ({ textHash: 1, measured: FRAME }), 1)).toHaveLength(pages.length);
  });

  it('are seen in what a browser makes of frames, and in frames that stay as they came', async () => {
    expect(await asked(() => 7)).toBe(LIMIT - 1);
    expect(await asked(() => null)).toBe(LIMIT - 1);
  });
});
