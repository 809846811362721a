import { describe, expect, it } from 'vitest';
import { candidateOffer, type Lease, type Outcome, QueuePlaces } from '../../src/frontier/outcome.js';
import { Reader } from '../../src/store/reader.js';
import { Standing } from '../../src/store/standing.js';
import { QueueClass, UrlFlag, UrlState } from '../../src/store/url-state.js';
import { TestScope } from '../store/support.js';
import { FrontierOnStore, offer } from './on-store.js';

const HUB = 'http://a.test/hub';
const NAMED = 'http://a.test/named';
const named = (url: string) => candidateOffer(url, 0, UrlFlag.fromCommonCrawl, new QueuePlaces('bfs'));
const GONE = { status: 404 } as const;
const OPEN = {
  robots: { standing: 'rules', rules: null, crawlDelayMs: null, sitemaps: [] as string[], maxAgeMs: null } as const,
};
/** A page leads to the URL with this id, by a link that may be followed. */
const leadsTo = (id: number, standing: Standing = Standing.followed) => ({ found: [id, 1, standing] });

/** Fetches all there is; what failed backs off, so time has to pass. */
async function fetchOverTime(
  box: FrontierOnStore,
  fieldsOf: (lease: Lease) => Partial<Outcome>,
  want = 50,
): Promise<string[]> {
  const first = await box.fetchAll(fieldsOf, want);
  box.now += 60_000;
  return [...first, ...(await box.fetchAll(fieldsOf, want))];
}

async function leaseBoth(box: FrontierOnStore): Promise<Record<string, Lease>> {
  const leases: Lease[] = [];
  while (leases.length < 2) {
    leases.push(...(await box.frontier.settle([], 1)));
  }
  return Object.fromEntries(leases.map((lease) => [lease.url, lease]));
}

const listed = (box: FrontierOnStore): Record<string, string> =>
  Object.fromEntries([...new Reader(box.store.database).pages()].map(({ url, state }) => [url, state]));
const unasked = (box: FrontierOnStore): string[] =>
  new Reader(box.store.database).unasked(0, 100).pages.map(({ url }) => url);

describe('what only a third party names', () => {
  it('is a page when it answers', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([named(NAMED)]);
    expect(await box.fetchAll()).toEqual([NAMED]);
    expect(box.frontier.counts()).toMatchObject({ done: 1, failed: 0 });
    expect(listed(box)).toEqual({ [NAMED]: 'done' });
    expect(box.told).toEqual([NAMED]);
  });

  it.each([
    ['is gone', GONE],
    ['fails', { status: null, errorClass: 'connection_refused', headersAt: null } as const],
    ['is forbidden by robots.txt', { status: null, unsent: 'robots', headersAt: null } as const],
  ])('is in no list and no count when it %s', async (_how, outcome) => {
    const box = new FrontierOnStore({ retries: 0 });
    await box.frontier.admit([named(NAMED)]);
    expect(await box.fetchAll(() => outcome)).toEqual([NAMED]);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, done: 0, failed: 0, skipped: 0 });
    expect(listed(box)).toEqual({});
    expect(box.told).toEqual([]);
    expect(box.store.counts()).toMatchObject({ done: 0, failed: 0, skipped: 0 });
  });

  it('is a page when what answers is broken', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([named(NAMED)]);
    await box.fetchAll(() => ({ errorClass: 'malformed_html' }));
    expect(listed(box)).toEqual({ [NAMED]: 'failed' });
    expect(box.frontier.counts()).toMatchObject({ failed: 1 });
  });

  it('is in no count when its host cannot be had or is put off', async () => {
    const box = new FrontierOnStore({ obeyRobots: true, retries: 0 }, new TestScope(['a.test', 'b.test']));
    await box.frontier.admit([named(NAMED), named('http://b.test/'), offer('http://b.test/linked'), offer(HUB)]);
    await box.fetchAll(({ url, kind }) => {
      if (url.startsWith('http://b.test')) {
        return { status: null, headersAt: null, robots: { standing: 'failed', errorClass: 'dns' } };
      }
      return kind === 1 ? OPEN : url === NAMED ? GONE : {};
    });
    expect(listed(box)).toEqual({ [HUB]: 'done', 'http://b.test/linked': 'failed' });
    // Whatever comes later shares the fate of its host.
    await box.frontier.admit([named('http://b.test/later'), offer('http://b.test/linked-later')]);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, done: 1, failed: 2 });
  });

  it('is in no count when a limit keeps it from being asked for', async () => {
    const box = new FrontierOnStore({ maxUrlsPerHost: 1 });
    await box.frontier.admit([offer(HUB), named(NAMED)]);
    expect(await box.fetchAll()).toEqual([HUB]);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, skipped: 0 });
    expect(listed(box)).toEqual({ [HUB]: 'done' });
  });

  it('is put off with its host, unseen, and asked for when that comes back', async () => {
    const box = new FrontierOnStore({ maxWaitMs: 1_000 });
    await box.frontier.admit([offer(HUB), named(NAMED)]);
    await box.fetchAll(() => ({ status: 503, retryAfterMs: 60_000 }), 1);
    expect(box.frontier.counts()).toMatchObject({ outstanding: 0, deferred: 1 });
    expect(listed(box)).toEqual({ [HUB]: 'deferred' });
    box.now += 61_000;
    expect((await box.fetchAll()).sort()).toEqual([HUB, NAMED]);
    expect(listed(box)).toEqual({ [HUB]: 'done', [NAMED]: 'done' });
  });
});

describe('a candidate that a page leads to', () => {
  it('while it waits is a URL like any other', async () => {
    const box = new FrontierOnStore({ retries: 1, retryDelayMs: 0 });
    await box.frontier.admit([offer(HUB), named(NAMED)]);
    const fetched = await fetchOverTime(box, ({ url }) => (url === HUB ? leadsTo(2) : { status: 500 }), 1);
    expect(fetched).toEqual([HUB, NAMED, NAMED]);
    expect(listed(box)).toEqual({ [HUB]: 'done', [NAMED]: 'failed' });
    expect(box.told).toEqual([HUB, NAMED]);
    expect(unasked(box)).toEqual([]);
  });

  it('while it is under way, too', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([named(NAMED), offer(HUB)]);
    const leases = await leaseBoth(box);
    await box.frontier.settle([box.outcome(leases[HUB]!, leadsTo(1))], 0);
    await box.frontier.settle([box.outcome(leases[NAMED]!, GONE)], 0);
    expect(listed(box)).toEqual({ [NAMED]: 'failed', [HUB]: 'done' });
    expect(box.told).toEqual([HUB, NAMED]);
  });

  it('after it was gone is dead, and is not asked for again', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([named(NAMED), offer(HUB)]);
    expect(await box.fetchAll(({ url }) => (url === HUB ? leadsTo(1) : GONE), 1)).toEqual([NAMED, HUB]);
    expect(listed(box)).toEqual({ [NAMED]: 'failed', [HUB]: 'done' });
    expect(box.frontier.counts()).toMatchObject({ done: 1, failed: 1 });
    expect(box.told).toEqual([HUB]);
    expect(unasked(box), 'told at the end, since nobody was told when it was settled').toEqual([NAMED]);
  });

  it('in the very transaction in which it is settled', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([named(NAMED), offer(HUB)]);
    const leases = await leaseBoth(box);
    await box.frontier.settle([box.outcome(leases[HUB]!, leadsTo(1)), box.outcome(leases[NAMED]!, GONE)], 0);
    expect(listed(box)).toEqual({ [NAMED]: 'failed', [HUB]: 'done' });
    box.checkCounts();
  });

  it('is still a candidate where the link must not be followed, or another third party names it', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([named(NAMED), offer(HUB)]);
    await box.frontier.admit([named(NAMED)]);
    await box.fetchAll(({ url }) => (url === HUB ? leadsTo(1, 0) : GONE), 1);
    expect(listed(box)).toEqual({ [HUB]: 'done' });
  });
});

describe('a known URL that a third party names', () => {
  it('stands at depth one from then on, and is fetched where --depth had cut it', async () => {
    const box = new FrontierOnStore({}, new TestScope(['a.test'], 3));
    const cut = { state: UrlState.skipped, reason: 'depth', depth: 9 } as const;
    await box.frontier.admit([offer(NAMED, cut)]);
    await box.frontier.admit([named(NAMED)]);
    expect(await box.fetchAll(() => GONE)).toEqual([NAMED]);
    expect(listed(box), 'a page leads to it').toEqual({ [NAMED]: 'failed' });
  });

  it('is a candidate where it was only the end of an edge', async () => {
    const box = new FrontierOnStore();
    await box.frontier.admit([offer(NAMED, { state: UrlState.unlisted, reason: 'asset' })]);
    await box.frontier.admit([named(NAMED)]);
    expect(await box.fetchAll(() => GONE)).toEqual([NAMED]);
    expect(listed(box)).toEqual({});
  });
});

describe('a name from a log of certificates', () => {
  const name = candidateOffer('https://name.a.test/', 0, UrlFlag.fromCertificates, new QueuePlaces('bfs'));
  const scope = () => new TestScope(['name.a.test']);

  it.each(['connection_refused', 'tls'] as const)(
    'is tried without TLS where there is none (%s)',
    async (errorClass) => {
      const box = new FrontierOnStore({ obeyRobots: true, retries: 0 }, scope());
      await box.frontier.admit([name]);
      const asked = await fetchOverTime(box, ({ url, kind }) =>
        url.startsWith('https:')
          ? { status: null, headersAt: null, errorClass, robots: { standing: 'failed', errorClass } }
          : kind === 1
            ? OPEN
            : {},
      );
      expect(asked).toEqual(['https://name.a.test/robots.txt', 'http://name.a.test/robots.txt', 'http://name.a.test/']);
      expect(listed(box)).toEqual({ 'http://name.a.test/': 'done' });
    },
  );

  it('is tried without TLS where robots.txt is not asked for', async () => {
    const box = new FrontierOnStore({ retries: 0 }, scope());
    await box.frontier.admit([name]);
    const refused = { status: null, headersAt: null, errorClass: 'connection_refused' } as const;
    expect(await fetchOverTime(box, ({ url }) => (url.startsWith('https:') ? refused : {}))).toEqual([
      'https://name.a.test/',
      'http://name.a.test/',
    ]);
  });

  it('is not, where there is no such name, or the server answers', async () => {
    for (const outcome of [GONE, { status: null, headersAt: null, errorClass: 'dns' } as const]) {
      const box = new FrontierOnStore({ retries: 0 }, scope());
      await box.frontier.admit([name]);
      expect(await fetchOverTime(box, () => outcome)).toEqual(['https://name.a.test/']);
    }
  });
});

describe('a candidate in the order of priority', () => {
  it('waits with the home pages where it is one, else where a URL of a sitemap that says nothing waits', () => {
    const places = new QueuePlaces('priority');
    const classOf = (url: string) => candidateOffer(url, 0, UrlFlag.fromCommonCrawl, places).class;
    expect(classOf('https://name.a.test/')).toBe(QueueClass.seed);
    expect(classOf('https://a.test/page')).toBe(places.ofSitemap('https://a.test/page', null));
    expect(classOf('https://a.test/page')).toBeGreaterThan(places.ofLink('https://a.test/page', 1));
  });
});
