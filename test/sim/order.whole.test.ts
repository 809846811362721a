import { describe, expect, test } from 'vitest';
import { TURNS_UNTIL_AGED } from '../../src/frontier/url-queue.js';
import { RANKS, UrlKind } from '../../src/store/url-state.js';
import { pathOf } from '../../src/url/host.js';
import type { SimulationPlan } from './plan.js';
import { Simulation } from './simulation.js';
import { hashOf, plainHost, VirtualWeb } from './virtual-web.js';

type Links = (url: string) => string[];

/** 0 ≤ whole number < limit, by the URL alone. */
const numberOf = (url: string, limit: number, seed = 7): number => hashOf(url, seed) % limit;
const isHomePage = (url: string): boolean => pathOf(url) === '/';

function webOf(hosts: readonly string[], links: Links): VirtualWeb {
  const web = new VirtualWeb(3);
  for (const host of hosts) {
    web.add(host, plainHost({ headersMs: [5, 20], links: (path) => links(`http://${host}${path}`) }));
  }
  return web;
}

async function run(plan: SimulationPlan, reason: string): Promise<Simulation> {
  const simulation = new Simulation(plan);
  expect((await simulation.run(36_000_000))?.reason).toBe(reason);
  return simulation;
}

const pagesAsked = ({ log }: Simulation): string[] =>
  log.filter(({ kind }) => kind === UrlKind.page).map(({ url }) => url);

describe('depth first', () => {
  const links: Links = (url) => {
    const children = url.length > 30 ? [] : Array.from({ length: numberOf(url, 4) + 1 }, (_, i) => `${url}${i}/`);
    return numberOf(url, 3, 8) === 0 ? ['http://a.test/0/1/', ...children, 'http://a.test/2/'] : children;
  };

  /** A stack onto which a page's new links are laid, the first of them last. */
  function expectedOrder(seed: string): string[] {
    const order: string[] = [];
    const stack = [seed];
    const seen = new Set(stack);
    for (let url = stack.pop(); url !== undefined; url = stack.pop()) {
      order.push(url);
      const news = links(url).filter((to) => !seen.has(to) && seen.add(to));
      stack.push(...news.reverse());
    }
    return order;
  }

  test.each([250_000, 3])(
    'is just that: the links of a page at once and in their order (%i URLs in memory)',
    async (frontierLimit) => {
      const expected = expectedOrder('http://a.test/');
      expect(expected.length).toBeGreaterThan(300);
      const options = { order: 'dfs', workers: 1, delayMs: 0, maxShapeVariants: 0 } as const;
      const web = webOf(['a.test'], links);
      const simulation = await run(
        { web, urls: ['http://a.test/'], options, scheduler: { frontierLimit } },
        'complete',
      );
      expect(pagesAsked(simulation)).toEqual(expected);
    },
  );
});

describe('by priority', () => {
  const hosts = Array.from({ length: 150 }, (_, i) => `h${i}.test`);
  /** Each page leads deeper, and to a page or the home page of another host. */
  const links: Links = (url) => {
    const deeper = url.length > 30 ? [] : Array.from({ length: 3 }, (_, i) => `${url}p${i}/`);
    const other = `http://h${numberOf(url, hosts.length)}.test/`;
    return [...deeper, numberOf(url, 2, 9) === 0 ? `${other}p1/` : other];
  };
  const plan = (order: 'bfs' | 'priority', workers = 1): SimulationPlan => ({
    web: webOf(hosts, links),
    urls: ['http://h0.test/p0/', 'http://h1.test/p0/'],
    options: { order, workers, delayMs: 0, ignoreRobots: true, maxUrls: 4_000, maxShapeVariants: 0 },
  });

  /** Pages that went while a home page was known and had not gone. */
  function pagesBeforeHomePages(order: readonly string[]): number {
    const waiting = new Set<string>();
    const asked = new Set<string>();
    let before = 0;
    for (const url of order) {
      before += waiting.size > 0 && !isHomePage(url) ? 1 : 0;
      waiting.delete(url);
      asked.add(url);
      for (const to of links(url)) {
        if (isHomePage(to) && !asked.has(to)) {
          waiting.add(to);
        }
      }
    }
    return before;
  }

  test('every home page that is known goes before all other pages, of whatever host', async () => {
    const asked = pagesAsked(await run(plan('priority'), 'max_urls'));
    expect(asked.filter(isHomePage)).toHaveLength(hosts.length);
    // Of the two seeds the second goes before the home pages that the first leads to.
    expect(pagesBeforeHomePages(asked)).toBeLessThanOrEqual(1);
    expect(pagesBeforeHomePages(pagesAsked(await run(plan('bfs'), 'max_urls')))).toBeGreaterThan(100);
  });

  /** The hub leads to thousands of pages of the first rank, and to one from which all other ranks come. */
  const deep: Links = (url) => {
    if (url === 'http://a.test/') {
      return ['http://a.test/d/', ...Array.from({ length: 6_000 }, (_, i) => `http://a.test/first${i}`)];
    }
    return url.startsWith('http://a.test/d/') && url.length < 40 ? [`${url}1/`, `${url}2/`] : [];
  };
  const rankOf = (url: string): number =>
    url.startsWith('http://a.test/d/') ? Math.min(RANKS - 1, url.split('/').length - 5) : 0;

  test.each([250_000, 20])(
    'no rank waits for its next turn beyond its age bound, though the first goes on and on (%i URLs in memory)',
    async (frontierLimit) => {
      const web = webOf(['a.test'], deep);
      const options = { order: 'priority', workers: 1, delayMs: 0, maxUrls: 6_000, maxShapeVariants: 0 } as const;
      const asked = pagesAsked(
        await run({ web, urls: ['http://a.test/'], options, scheduler: { frontierLimit } }, 'max_urls'),
      );
      const waitingSince: (number | null)[] = new Array(RANKS).fill(null);
      const waiting: number[] = new Array(RANKS).fill(0);
      let longest = 0;
      asked.forEach((url, turn) => {
        const rank = rankOf(url);
        if (turn > 0) {
          longest = Math.max(longest, turn - waitingSince[rank]!);
          waiting[rank]!--;
          waitingSince[rank] = waiting[rank] === 0 ? null : turn;
        }
        for (const to of deep(url)) {
          waiting[rankOf(to)]!++;
          waitingSince[rankOf(to)] ??= turn;
        }
      });
      expect(new Set(asked.map(rankOf)).size).toBe(RANKS);
      expect(longest).toBeLessThanOrEqual(TURNS_UNTIL_AGED + RANKS);
      const neglected = Math.max(...waitingSince.map((since) => asked.length - (since ?? asked.length)));
      expect(neglected, 'what still waits at the end').toBeLessThanOrEqual(TURNS_UNTIL_AGED + RANKS);
    },
  );

  test.each(['bfs', 'dfs', 'priority'] as const)('the same seed gives the same schedule (%s)', async (order) => {
    const hashes = [];
    for (let i = 0; i < 2; i++) {
      const simulation = await run({ ...plan('bfs', 16), options: { ...plan('bfs', 16).options, order } }, 'max_urls');
      hashes.push(simulation.scheduleHash);
    }
    expect(hashes[0]).toBe(hashes[1]);
  });
});

describe('budgets under 4,096 workers', () => {
  const hosts = Array.from({ length: 500 }, (_, i) => `h${i}.test`);
  const links: Links = (url) => [
    ...Array.from({ length: 20 }, (_, i) => `${url}p${i}/`),
    `http://h${numberOf(url, hosts.length)}.test/`,
  ];
  const plan: SimulationPlan = {
    web: webOf(hosts, links),
    urls: hosts.slice(0, 50).map((host) => `http://${host}/`),
    options: { workers: 4_096, delayMs: 0, maxInflightPerHost: 1_000, autoTune: false, maxShapeVariants: 0 },
  };
  const most = (urls: readonly string[]): number => {
    const counts = new Map<string, number>();
    for (const url of urls) {
      const { host } = new URL(url);
      counts.set(host, (counts.get(host) ?? 0) + 1);
    }
    return Math.max(...counts.values());
  };

  test.each(['bfs', 'dfs', 'priority'] as const)('--max-urls is met to the URL (%s)', async (order) => {
    const asked = pagesAsked(await run({ ...plan, options: { ...plan.options, order, maxUrls: 2_999 } }, 'max_urls'));
    expect(asked).toHaveLength(2_999);
  });

  test.each(['bfs', 'dfs', 'priority'] as const)('--max-urls-per-host is met at every host (%s)', async (order) => {
    const options = { ...plan.options, order, maxUrlsPerHost: 13 };
    const asked = pagesAsked(await run({ ...plan, options }, 'complete'));
    expect(most(asked)).toBe(13);
    expect(asked.length).toBe(13 * new Set(asked.map((url) => new URL(url).host)).size);
  });

  test("a seed's own budget is met to the URL", async () => {
    const simulation = await run({ ...plan, scheduler: { maxUrlsOfSeeds: new Map([[0, 4_321]]) } }, 'complete');
    expect(pagesAsked(simulation)).toHaveLength(4_321);
  });
});
