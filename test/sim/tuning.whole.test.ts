import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import { Simulation } from './simulation.js';
import { SlotHost, VirtualWeb } from './virtual-web.js';

const SERVICE_MS = 100;

describe('auto-tune', () => {
  test.each([
    [2, 5],
    [2, 12],
    [5, 2],
    [5, 12],
    [12, 2],
    [12, 5],
  ])('finds out that a host serves %i at once, and again when it is %i', async (before, after) => {
    const host = new SlotHost(before, SERVICE_MS);
    let pages = 0;
    const web = new VirtualWeb().add('queue.test', (request) => {
      if (request.kind === UrlKind.page && ++pages === 301) {
        host.slots = after;
      }
      return host.answer(request);
    });
    const urls = Array.from({ length: 600 }, (_, i) => `http://queue.test/p${i}`);
    const simulation = new Simulation({ web, urls, options: { delayMs: 0 } });
    await simulation.run();
    const sent = simulation.log.filter(({ kind }) => kind === UrlKind.page);
    const levels = new Map<number, number>();
    for (const { at, inFlight } of sent) {
      levels.set(at, Math.max(inFlight, levels.get(at) ?? 0));
    }
    // Of places that came free at one time, what counts is the level they are refilled to.
    const inFlight = sent.map(({ at }) => levels.get(at)!);
    for (const [first, slots] of [
      [150, before],
      [450, after],
    ] as const) {
      const seen = inFlight.slice(first, first + 50);
      expect(Math.max(...seen), `${slots} slots`).toBeLessThanOrEqual(1.3 * slots + 2);
      expect(seen.filter((count) => count >= slots).length, `${slots} slots`).toBeGreaterThan(25);
    }
  });

  test('a host that says it has enough gets half, and more again when it does not', async () => {
    let pages = 0;
    const web = new VirtualWeb().add('busy.test', ({ kind }) => {
      const isPage = kind === UrlKind.page;
      const status = isPage && ++pages === 200 ? 429 : 200;
      const robots = { standing: 'rules', rules: null, crawlDelayMs: null, sitemaps: [], maxAgeMs: null } as const;
      return { headersMs: 50, endMs: 50, status, ...(isPage ? {} : { robots: { ...robots, sitemaps: [] } }) };
    });
    const urls = Array.from({ length: 400 }, (_, i) => `http://busy.test/p${i}`);
    const simulation = new Simulation({ web, urls, options: { delayMs: 0 } });
    await simulation.run();
    const pageLog = simulation.log.filter(({ kind }) => kind === UrlKind.page);
    const pause = pageLog.findIndex(({ at }, i) => i > 0 && at - pageLog[i - 1]!.at > 1_000);
    const peak = (from: number, to: number) => Math.max(...pageLog.slice(from, to).map(({ inFlight }) => inFlight));
    const fullLevel = peak(pause - 40, pause);
    expect(fullLevel).toBe(20);
    expect(peak(pause, pause + 10)).toBeLessThanOrEqual(fullLevel / 2 + 1);
    expect(peak(pause + 100, pageLog.length)).toBe(20);
  });

  test('--no-auto-tune ends it: the given number is in flight from the start', async () => {
    const web = new VirtualWeb().add('queue.test', new SlotHost(2, SERVICE_MS).answer);
    const urls = Array.from({ length: 100 }, (_, i) => `http://queue.test/p${i}`);
    const simulation = new Simulation({ web, urls, options: { delayMs: 0, autoTune: false, maxInflightPerHost: 7 } });
    await simulation.run();
    expect(Math.max(...simulation.log.map(({ inFlight }) => inFlight))).toBe(7);
  });
});
