import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import { noLatency } from './model-store.js';
import { Simulation } from './simulation.js';
import { crawlDelay, plainHost, VirtualWeb } from './virtual-web.js';

const pagesOf = (host: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `http://${host}/p${i}`);

describe('no head-of-line blocking', () => {
  /** When the last request to a fast host goes out. */
  async function lastFastDispatch(
    withSlow: boolean,
    { delayMs, headersMs }: { delayMs: number; headersMs: [number, number] },
  ): Promise<number> {
    const fast = Array.from({ length: 9 }, (_, i) => `fast${i}.test`);
    const web = new VirtualWeb();
    for (const name of fast) {
      web.add(name, plainHost({ headersMs }));
    }
    web.add('slow.test', plainHost({ robots: crawlDelay(5_000) }));
    const slowUrls = withSlow ? pagesOf('slow.test', 100) : [];
    const simulation = new Simulation({
      web,
      urls: [...slowUrls, ...fast.flatMap((name) => pagesOf(name, 40))],
      options: { workers: 20, delayMs, maxInflightPerHost: 2 },
      // What a commit takes would shift others by that; this is about the schedule.
      storeLatency: noLatency,
    });
    const end = await simulation.run();
    expect(end?.reason).toBe('complete');
    expect(simulation.counts.done).toBe(9 * 40 + slowUrls.length);
    return Math.max(...simulation.log.filter(({ host }) => host !== 'slow.test').map(({ at }) => at));
  }

  // Without a delay, business may wait some milliseconds for company: answers that come together need none.
  test.each([
    { delayMs: 0, headersMs: [50, 50] as [number, number] },
    { delayMs: 1_000, headersMs: [20, 200] as [number, number] },
  ])(
    '100 URLs of a host with Crawl-delay 5, first in the queue, do not move the last request of nine fast ones (delay $delayMs ms)',
    async (fast) => {
      expect(await lastFastDispatch(true, fast)).toBe(await lastFastDispatch(false, fast));
    },
  );
});

describe('fair at delay 0', () => {
  test.each([
    { workers: 512, frontierLimit: 250_000 },
    { workers: 1, frontierLimit: 250_000 },
    { workers: 20, frontierLimit: 1_000 },
  ])(
    'beside one host of 100,000 URLs, 50 of 10 are done within the first 2 % of requests ($workers workers, $frontierLimit URLs in memory)',
    { timeout: 300_000 },
    async ({ workers, frontierLimit }) => {
      const small = Array.from({ length: 50 }, (_, i) => `small${i}.test`);
      const web = new VirtualWeb().add('big.test', plainHost({ headersMs: [5, 15] }));
      for (const name of small) {
        web.add(name, plainHost({ headersMs: [5, 15] }));
      }
      const simulation = new Simulation({
        web,
        urls: [...pagesOf('big.test', 100_000), ...small.flatMap((name) => pagesOf(name, 10))],
        options: { workers, delayMs: 0 },
        scheduler: { frontierLimit },
        storeLatency: noLatency,
      });
      const enough = 5_000;
      await simulation.run(workers === 1 ? enough * 15 : 4_000);
      const ofSmall = simulation.log.flatMap(({ host, kind }, place) =>
        host !== 'big.test' && kind === UrlKind.page ? [place] : [],
      );
      expect(ofSmall).toHaveLength(500);
      expect(Math.max(...ofSmall)).toBeLessThan(0.02 * 100_500);
      expect(simulation.log.length).toBeGreaterThan(0.02 * 100_500);
    },
  );
});
