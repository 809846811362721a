import { describe, expect, test } from 'vitest';
import { UrlKind, UrlState } from '../../src/store/url-state.js';
import { manyHosts } from './many-hosts.js';
import type { SimulationPlan } from './plan.js';
import { Simulation } from './simulation.js';
import { plainHost, VirtualWeb } from './virtual-web.js';

/** Hosts whose pages lead to each other's: every page of every host is reached. */
function woven(hosts: number, pages: number): Pick<SimulationPlan, 'web' | 'urls'> {
  const web = new VirtualWeb();
  for (let i = 0; i < hosts; i++) {
    const next = (i + 1) % hosts;
    web.add(
      `h${i}.test`,
      plainHost({
        headersMs: [20, 200],
        bodyMs: 20,
        links: (path) => {
          const page = Number(path.slice(2));
          return page + 1 < pages
            ? [`http://h${i}.test/p${page + 1}`, `http://h${next}.test/p${page}`]
            : [`http://h${next}.test/p${page}`];
        },
      }),
    );
  }
  return { web, urls: ['http://h0.test/p0'] };
}

function expectAllDoneOnce(simulation: Simulation, urls: number): void {
  const pages = [...simulation.store.tables.urls].filter(({ kind }) => kind === UrlKind.page);
  expect(pages).toHaveLength(urls);
  expect(pages.filter(({ state }) => state !== UrlState.done)).toEqual([]);
}

describe('little memory', () => {
  test.each([
    { readyHeapLimit: 3, frontierLimit: 250_000, order: 'bfs' as const, delayMs: 200 },
    { readyHeapLimit: 1_000, frontierLimit: 5, order: 'bfs' as const, delayMs: 0 },
    { readyHeapLimit: 4, frontierLimit: 7, order: 'bfs' as const, delayMs: 200 },
    { readyHeapLimit: 4, frontierLimit: 7, order: 'dfs' as const, delayMs: 0 },
    { readyHeapLimit: 4, frontierLimit: 7, order: 'priority' as const, delayMs: 0 },
    { readyHeapLimit: 3, frontierLimit: 7, order: 'priority' as const, delayMs: 200 },
  ])(
    'loses nothing and asks nothing twice ($readyHeapLimit hosts, $frontierLimit URLs, $order, delay $delayMs ms)',
    async ({ delayMs, ...scheduler }) => {
      const simulation = new Simulation({ ...woven(25, 40), scheduler, options: { delayMs } });
      const end = await simulation.run(3_600_000);
      expect(end?.reason).toBe('complete');
      expectAllDoneOnce(simulation, 1_000);
      expect(simulation.log.filter(({ kind }) => kind === UrlKind.page)).toHaveLength(1_000);
    },
  );

  test('a key table that is mostly on disk hides no URL and doubles none', async () => {
    const simulation = new Simulation({ ...woven(25, 40), keyBudgetBytes: 20_000, options: { delayMs: 0 } });
    const end = await simulation.run(3_600_000);
    expect(end?.reason).toBe('complete');
    expectAllDoneOnce(simulation, 1_000);
  });
});

describe('lanes that die', () => {
  test.each([100_000, 4])(
    'give back what they held; nothing is lost and no counter is off (%i hosts in memory)',
    async (readyHeapLimit) => {
      const simulation = new Simulation({
        ...woven(25, 40),
        lanes: 3,
        scheduler: { readyHeapLimit },
        options: { delayMs: 100 },
      });
      for (let second = 1; second <= 12; second++) {
        simulation.after(second * 700, () => simulation.killLane(1 + (second % 3)));
      }
      const end = await simulation.run(3_600_000);
      expect(end?.reason).toBe('complete');
      expectAllDoneOnce(simulation, 1_000);
      const sentAgain = simulation.log.length - new Set(simulation.log.map(({ url }) => url)).size;
      expect(sentAgain).toBeGreaterThan(0);
      expect(simulation.counts.refetched, 'what was sent again is counted').toBe(sentAgain);
    },
  );
});

describe('a stop', () => {
  test('lets what is under way finish, gives back what was only leased, and leaves nothing leased', async () => {
    const simulation = new Simulation({ ...manyHosts({ hosts: 200, seed: 3 }), options: { delayMs: 100 } });
    simulation.after(5_003, () => simulation.crawl.stop('interrupted', 5_000));
    const end = await simulation.run(60_000);
    expect(end?.reason).toBe('interrupted');
    expect(simulation.clock.elapsedMs).toBeLessThan(6_000);
    expect(simulation.counts.leased).toBe(0);
    expect([...simulation.store.tables.urls].filter(({ state }) => state === UrlState.leased)).toEqual([]);
  });

  test('ends at the end of its grace, whatever is still under way', async () => {
    const web = new VirtualWeb().add('a.test', plainHost({ bodyMs: 60_000 }));
    const simulation = new Simulation({ web, urls: ['http://a.test/p0', 'http://a.test/p1'], options: { delayMs: 0 } });
    simulation.after(70_000, () => simulation.crawl.stop('interrupted', 5_000));
    const end = await simulation.run(600_000);
    expect(end?.reason).toBe('interrupted');
    expect(simulation.clock.elapsedMs).toBeCloseTo(75_000, -1);
  });
});
