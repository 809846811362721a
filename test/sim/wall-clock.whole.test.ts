import { describe, expect, test } from 'vitest';
import { UrlKind } from '../../src/store/url-state.js';
import { Simulation } from './simulation.js';
import { plainHost, troubledHost, VirtualWeb } from './virtual-web.js';

const HOUR = 3_600_000;

/** Thirty hosts with a delay, some of them in trouble, room for all of them or for few; the wall clock jumps while they are crawled. */
async function withJump(jumpMs: number, hostsInMemory: number) {
  const web = new VirtualWeb();
  const urls: string[] = [];
  for (let i = 0; i < 30; i++) {
    const name = `h${i}.test`;
    const asked = new Map<string, number>();
    const flaky = troubledHost(({ path }) => {
      asked.set(path, (asked.get(path) ?? 0) + 1);
      return asked.get(path) === 1 && path === '/p3' ? { status: 503, retryAfterMs: 20_000 } : {};
    });
    web.add(name, i % 3 === 0 ? flaky : plainHost());
    for (let page = 0; page < 40; page++) {
      urls.push(`http://${name}/p${page}`);
    }
  }
  const simulation = new Simulation({ web, urls, scheduler: { readyHeapLimit: hostsInMemory } });
  simulation.after(15_000, () => {
    simulation.clock.wallOffsetMs = jumpMs;
  });
  const end = await simulation.run(10 * HOUR);
  expect(end?.reason).toBe('complete');
  expect(simulation.counts.done).toBe(1_200);
  return { simulation, lastAt: simulation.log.filter(({ kind }) => kind === UrlKind.page).at(-1)!.at };
}

describe('the wall clock', () => {
  // That no request comes early is checked at every request; here: none comes late either.
  test.each([HOUR, -HOUR, 24 * HOUR, -24 * HOUR])('jumps by %i ms: no burst and no freeze', async (jumpMs) => {
    const { lastAt: undisturbed } = await withJump(0, 100_000);
    const { lastAt } = await withJump(jumpMs, 100_000);
    // After a day forward robots.txt is asked for again: one request more a host.
    expect(lastAt).toBeLessThan(undisturbed + 2_500);
    expect(lastAt).toBeGreaterThan(undisturbed - 2_500);
  });

  test.each([HOUR, -HOUR, 24 * HOUR, -24 * HOUR])(
    'jumps by %i ms while most hosts are on disk: no burst and no freeze',
    async (jumpMs) => {
      const { lastAt: undisturbed } = await withJump(0, 8);
      const { lastAt } = await withJump(jumpMs, 8);
      expect(lastAt).toBeLessThan(undisturbed * 1.3 + 2_500);
    },
  );
});
