import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import type { PageAssets } from '../../src/crawl/page-assets.js';
import type { Visit } from '../../src/crawl/render/asset.js';
import type { Browser } from '../../src/crawl/render/browser.js';
import { RenderShapes } from '../../src/crawl/render-shapes.js';
import { Renderer } from '../../src/crawl/renderer.js';
import { failure, type RenderedOutcome, type SettledPage } from '../../src/frontier/outcome.js';
import type { PageToRender } from '../../src/store/rendering-reader.js';
import { UrlState } from '../../src/store/url-state.js';

/** A renderer over pages in memory; the test says what the browser makes of each. */
class Box {
  readonly waiting = new Map<number, PageToRender>();
  readonly done: RenderedOutcome[] = [];
  readonly holds: boolean[] = [];
  assetsDropped = 0;
  readonly renderer: Renderer;

  constructor(mode: 'auto' | 'always', visit: () => Promise<Visit>, keepsBodies = false) {
    this.renderer = new Renderer({
      manners: { renderFor: () => mode, needsBrowser: mode === 'always' },
      ...{ keepsBodies, waitingAtStart: 0 },
      browser: { visit, close: async () => {} } as unknown as Browser,
      assets: { settled: () => {}, stop: () => {} } as unknown as PageAssets,
      shapes: new RenderShapes(),
      waiting: async (beyond, limit) =>
        [...this.waiting.values()]
          .filter(({ id }) => id > beyond)
          .sort((a, b) => a.id - b.id)
          .slice(0, limit),
      kept: async (id) => ({
        ...{ url: this.waiting.get(id)!.url, state: UrlState.done, status: 200, redirectTo: null, type: null },
        packed: deflateRawSync('<p>'),
      }),
      showsAll: false,
      read: async ({ id }) => ({ ...failure({ id }, 0, null, null), measured: { text: 1_000, needsBrowser: false } }),
      rendered: async (pages) => {
        this.done.push(...pages);
        for (const { page } of pages) {
          this.waiting.delete(page.id);
        }
      },
      dropAssets: async () => {
        this.assetsDropped++;
      },
      hold: (holds) => this.holds.push(holds),
      notice: () => {},
      changed: () => {},
    });
  }

  /** Pages were fetched; these need a browser, or look so. */
  came(ids: readonly number[], needsBrowser = true): void {
    const pages = ids.map((id): SettledPage => {
      const url = `http://a.test/${id}`;
      if (needsBrowser) {
        this.waiting.set(id, { id, url, depth: 1, seed: 0, flags: 0, text: 5, robots: null });
      }
      const outcome = { ...failure({ id }, 0, null, null), measured: { text: 5, needsBrowser } };
      return { url, depth: 1, attempts: 1, state: 'done', reason: null, external: false, outcome };
    });
    this.renderer.settled(pages);
  }

  /** Nothing else is left to do. */
  async toTheEnd(): Promise<void> {
    while (this.renderer.goesOn()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const drawn = async (): Promise<Visit> => ({ html: '<p>', drawsByRoutes: false, route: null });

describe('pages that are not kept', () => {
  it('hold further pages back where too many wait, until few do', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const box = new Box('always', () => opened.then(drawn));
    box.came(numbers(1, 999));
    expect(box.holds).toEqual([]);
    box.came([1_000]);
    expect(box.holds).toEqual([true]);
    open();
    await box.toTheEnd();
    expect(box.holds).toEqual([true, false]);
    expect(box.done).toHaveLength(1_000);
  });

  it('that nothing speaks for are left when nothing else is to be done, and then what pages loaded goes', async () => {
    const box = new Box('auto', drawn);
    box.came(numbers(1, 9), false);
    box.came([10, 11]);
    await box.toTheEnd();
    expect(box.done.map(({ page, outcome, isUntried }) => [page.id, outcome, isUntried])).toEqual([
      [10, null, true],
      [11, null, true],
    ]);
    expect(box.assetsDropped).toBe(1);
  });

  it('are left where there is no browser', async () => {
    const box = new Box('auto', () => Promise.reject(new StateError('no_browser', 'there is none')));
    box.came([1, 2]);
    await box.toTheEnd();
    expect(box.done.map(({ page, isUntried }) => [page.id, isUntried])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(box.renderer.missed).toContain('2 pages are nearly empty');
  });
});

it('pages that are kept wait for another run, and hold nothing back', async () => {
  const box = new Box('auto', () => Promise.reject(new StateError('no_browser', 'there is none')), true);
  box.came(numbers(1, 1_100));
  await box.toTheEnd();
  expect([box.done, box.holds, box.assetsDropped]).toEqual([[], [], 0]);
  expect(box.waiting.size).toBe(1_100);
});
