import { describe, expect, it } from 'vitest';
import type { Lease } from '../../src/frontier/outcome.js';
import { Standing } from '../../src/store/standing.js';
import { TrapReader } from '../../src/store/traps.js';
import { QueueClass, UrlKind, UrlState } from '../../src/store/url-state.js';
import { TestScope } from '../store/support.js';
import { FrontierOnStore, offer } from './on-store.js';

const page = (n: number) => `http://a.test/${n}`;
const HUB = 'http://a.test/hub';
const CUT = { state: UrlState.skipped, reason: 'depth', depth: 9 } as const;
const pagesFrom = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => page(first + i));

const DEAD = { status: null, headersAt: null, robots: { standing: 'failed', errorClass: 'dns' } } as const;
const OPEN = {
  robots: { standing: 'rules', rules: null, crawlDelayMs: null, sitemaps: [] as string[], maxAgeMs: null } as const,
};

/** Its links lead to the URLs with these ids, one level down. */
const leadsTo = (first: number, last: number) => ({
  found: Array.from({ length: last - first + 1 }, (_, i) => [first + i, 1, Standing.followed]).flat(),
});

describe('a thousand URLs that are found again at once', () => {
  it.each(['bfs', 'dfs', 'priority'] as const)(
    'are all fetched, each once, and no counter is off (%s)',
    async (order) => {
      const box = new FrontierOnStore({ order }, new TestScope(['a.test'], 4));
      await box.frontier.admit(pagesFrom(1, 1_000).map((url) => offer(url, CUT)));
      await box.frontier.admit([
        offer(HUB, { class: QueueClass.seed }),
        ...pagesFrom(1_002, 1_050).map((url) => offer(url)),
      ]);
      const fetched = await box.fetchAll(({ url }) => (url === HUB ? leadsTo(1, 1_000) : {}), 1);
      expect(fetched).toHaveLength(1_050);
      expect(new Set(fetched).size).toBe(1_050);
      expect(box.frontier.counts()).toMatchObject({ outstanding: 0, skipped: 0, done: 1_050 });
      if (order === 'bfs') {
        // One was leased while nobody knew of them yet.
        expect(fetched.slice(0, 2)).toEqual([HUB, page(1_002)]);
        expect(fetched.slice(2, 102), 'the first of them go before what waited').toEqual(pagesFrom(1, 100));
        expect(fetched.slice(102), 'the others in their place').toEqual([
          ...pagesFrom(101, 1_000),
          ...pagesFrom(1_003, 1_050),
        ]);
      }
    },
  );

  it('wait on disk: a hundred of them are in memory', async () => {
    const box = new FrontierOnStore({}, new TestScope(['a.test'], 4));
    await box.frontier.admit([...pagesFrom(1, 1_000).map((url) => offer(url, CUT)), offer(HUB)]);
    const [hub] = (await box.frontier.settle([], 1)) as [Lease];
    await box.frontier.settle([box.outcome(hub, leadsTo(1, 1_000))], 0);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 1_000, queuedInMemory: 100, queuedOnDisk: 900 });
  });

  it('are all fetched where a host has left memory meanwhile', async () => {
    const box = new FrontierOnStore({ readyHeapLimit: 2 }, new TestScope(['a.test', 'b.test', 'c.test', 'd.test'], 4));
    const outside = Array.from({ length: 300 }, (_, n) => `http://${'bcd'[n % 3]}.test/${n}`);
    await box.frontier.admit([...outside.map((url) => offer(url, CUT)), offer(HUB)]);
    const fetched = await box.fetchAll(({ url }) => (url === HUB ? leadsTo(1, 300) : {}), 7);
    expect(fetched.sort()).toEqual([HUB, ...outside].sort());
  });
});

describe('a URL that was only linked with nofollow and is then linked without', () => {
  it('is cut where it looks like a trap, as if it had been met first, and its pattern counted', async () => {
    const box = new FrontierOnStore();
    const nofollow = { state: UrlState.skipped, reason: 'nofollow' } as const;
    const urls = ['http://a.test/trap/1', 'http://a.test/trap/2', 'http://a.test/good'];
    await box.frontier.admit([...urls.map((url) => offer(url, nofollow)), offer(HUB)]);
    expect(await box.fetchAll(({ url }) => (url === HUB ? leadsTo(1, 3) : {}))).toEqual([HUB, urls[2]]);
    expect(new TrapReader(box.store.database).largest(10)).toEqual({
      traps: [{ pattern: 'a trap', cause: 'it is a trap', count: 2, examples: [urls[1], urls[0]].sort() }],
      patterns: 1,
    });
    expect(box.trapsCut).toEqual(['a trap']);
    expect(box.frontier.counts()).toMatchObject({ skipped: 2, done: 2 });
  });

  it('shares the fate of its host where that has failed meanwhile', async () => {
    const box = new FrontierOnStore({ obeyRobots: true, retries: 0 }, new TestScope(['a.test', 'b.test']));
    const nofollow = { state: UrlState.skipped, reason: 'nofollow' } as const;
    await box.frontier.admit([offer('http://b.test/1', nofollow), offer('http://b.test/2'), offer(HUB)]);
    await box.fetchAll(({ url, kind, host }) => {
      if (kind === UrlKind.robots) {
        return host === 'b.test' ? DEAD : OPEN;
      }
      return url === HUB ? leadsTo(1, 1) : {};
    }, 1);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, failed: 2, done: 1 });
  });
});

describe('all that waits at a host that cannot be had', () => {
  it('has an end where the host had left memory and a new URL brings it back', async () => {
    const others = ['c', 'd', 'e', 'f'].map((name) => `http://${name}.test/`);
    const box = new FrontierOnStore({ obeyRobots: true, retries: 0, readyHeapLimit: 2 });
    await box.frontier.admit([offer('http://b.test/1')]);
    const answer = ({ url, kind, host }: Lease) => {
      if (host === 'b.test') {
        return DEAD;
      }
      if (kind === UrlKind.robots) {
        return OPEN;
      }
      return url === 'http://f.test/' ? { offers: [offer('http://b.test/2')] } : {};
    };
    await box.fetchAll(answer);
    await box.frontier.admit(others.map((url) => offer(url)));
    expect(await box.fetchAll(answer)).toEqual(expect.arrayContaining(['http://b.test/robots.txt']));
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, failed: 2, done: 4 });
  });

  it('counts as failed, its pages and not its sitemaps', async () => {
    const box = new FrontierOnStore({ obeyRobots: true, retries: 0 });
    const sitemap = offer('http://a.test/sitemap.xml', { kind: UrlKind.sitemap, class: QueueClass.seed });
    await box.frontier.admit([offer(page(1)), offer(page(2)), sitemap]);
    await box.fetchAll(() => DEAD);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, failed: 2, deferred: 0 });
  });

  it('counts as deferred, its pages and not its sitemaps, and as waiting when it is tried again', async () => {
    const box = new FrontierOnStore({ maxWaitMs: 1_000, retries: 0 });
    const sitemap = offer('http://a.test/sitemap.xml', { kind: UrlKind.sitemap });
    await box.frontier.admit([offer(page(1)), offer(page(2)), offer(page(3)), sitemap]);
    let busy = true;
    const answer = () => (busy ? { status: 429, retryAfterMs: 60_000 } : {});
    await box.fetchAll(answer, 1);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, failed: 1, deferred: 2 });
    busy = false;
    box.now += 61_000;
    await box.fetchAll(answer, 1);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, failed: 1, deferred: 0, done: 2 });
  });
});

it('what a seed redirects to is no trap, whatever it looks like', async () => {
  const box = new FrontierOnStore();
  const looks = { state: UrlState.skipped, reason: 'trap', pattern: 'a trap' } as const;
  await box.frontier.admit([
    offer('http://a.test/x', { ...looks, state: UrlState.queued, reason: null }),
    offer(HUB, looks),
  ]);
  expect(new TrapReader(box.store.database).largest(10).traps).toMatchObject([{ count: 1, examples: [HUB] }]);
});
