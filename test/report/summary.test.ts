import { describe, expect, it } from 'vitest';
import { type RunFacts, summarise, summaryJson } from '../../src/report/summary.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { StoreFixture } from './store-fixture.js';

const RUN: RunFacts = {
  reason: 'complete',
  truncated: null,
  settled: 5,
  refetched: 2,
  requests: 9,
  cached: 2,
  carriedOver: 0,
  retries: 1,
  parseMs: 12,
  peakMemoryBytes: 1000,
  durationMs: 2000,
  layers: { workers: { limit: 512, peak: 4, peakWaiting: 0 } },
  ignoredRobots: false,
  robotsUnreachable: 'defer',
  seeding: [],
  sitemap: null,
  notices: [],
};

const failed = (reason: string, status: number | null) => ({
  state: UrlState.failed,
  reason,
  page: { status, bytes: 0 },
});

describe('summary', () => {
  it('counts every URL once, by state, status and cause', () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/' },
      { url: 'https://a.test/1', ...failed('http_4xx', 404) },
      { url: 'https://a.test/2', ...failed('http_4xx', 410) },
      { url: 'https://a.test/3', ...failed('timeout', null) },
      { url: 'https://a.test/4', state: UrlState.skipped, reason: 'robots', page: null },
      { url: 'https://b.test/5', state: UrlState.deferred, reason: 'backoff', page: null },
      { url: 'https://c.test/', flags: UrlFlag.external },
      { url: 'https://a.test/6', state: UrlState.queued, page: null },
      { url: 'https://d.test/', state: UrlState.unlisted, reason: 'scope', page: null },
    ]);
    expect(summarise(reader, RUN)).toEqual({
      reason: 'complete',
      truncated: null,
      total: 7,
      done: 2,
      failed: 3,
      skipped: 1,
      deferred: 1,
      unfinished: 1,
      external: 1,
      refetched: 2,
      timeouts: 1,
      bytes: 20,
      requests: 9,
      cached: 2,
      carriedOver: 0,
      retries: 1,
      byStatus: { 200: 2, 404: 1, 410: 1 },
      byClass: { http_4xx: 2, timeout: 1 },
      bySkipReason: { robots: 1 },
      byDeferReason: { backoff: 1 },
      parseMs: 12,
      pagesPerSecond: 2.5,
      peakMemoryBytes: 1000,
      durationMs: 2000,
      deferredHosts: [{ host: 'b.test', reason: 'backoff', urls: 1, until: null, detail: null }],
      settled: 5,
      failures: [
        ['https://a.test/1', 'http_4xx', 404],
        ['https://a.test/2', 'http_4xx', 410],
        ['https://a.test/3', 'timeout', null],
      ].map(([url, reason, status]) => ({ url, reason, status, message: null, parent: null })),
      traps: [],
      linksCut: { pages: 0, links: 0 },
      found: [],
      trapPatterns: 0,
      ignoredRobots: false,
      robotsUnreachable: { policy: 'defer', crawledHosts: 0 },
      seeding: [],
      sitemap: null,
      sitemapFiles: { read: 0, failed: 0, notRead: {}, cutHosts: [] },
      layers: RUN.layers,
      notices: [],
    });
  });

  it('counts redirects that never end as failed', () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/1', page: { status: 301, redirect_to: 2 } },
      { url: 'https://a.test/2', page: { status: 301, redirect_to: 1 } },
    ]);
    expect(summarise(reader, RUN)).toMatchObject({ done: 0, failed: 2, byClass: { redirect_loop: 2 } });
  });

  it('counts what a limit left in the queue as skipped, not as unfinished', () => {
    const store = new StoreFixture([{ url: 'https://a.test/', state: UrlState.queued, page: null }]);
    store.setMeta('ended', JSON.stringify({ reason: 'max_urls', truncated: 'max_urls' }));
    const summary = summarise(store.reader, { ...RUN, truncated: 'max_urls' });
    expect(summary).toMatchObject({
      total: 1,
      skipped: 1,
      unfinished: 0,
      bySkipReason: { limit: 1 },
      truncated: 'max_urls',
    });
  });

  it('names each trap with its cause, three examples, and the flag that allows it, as a shell takes it', () => {
    const store = new StoreFixture();
    const [small, large] = ['length>4096', "https://a.test/it's/$(rm)/*"];
    store.addTrap(small, 'longer than 4,096 characters', ['https://a.test/long']);
    const urls = [1, 2, 3, 4, 5].map((n) => `https://a.test/it's/${n}/x`);
    store.addTrap(large, 'nothing new', urls);
    expect(summarise(store.reader, RUN)).toMatchObject({
      traps: [
        {
          ...{ pattern: large, cause: 'nothing new', count: 5, examples: urls.slice(0, 3) },
          allow: `--allow-trap 'https://a.test/it'\\''s/$(rm)/*'`,
        },
        { pattern: small, count: 1, examples: ['https://a.test/long'] },
      ],
      linksCut: { pages: 0, links: 0 },
      found: [],
      trapPatterns: 2,
    });
  });

  it('names the thousand largest traps where a site makes them without end, and says how many there are', () => {
    const store = new StoreFixture();
    for (let n = 0; n < 1_001; n++) {
      store.addTrap(`pattern ${n}`, 'endless', [`https://a.test/${n}`]);
    }
    store.addTrap('the largest', 'endless', ['https://a.test/x', 'https://a.test/y']);
    const { traps, trapPatterns } = summarise(store.reader, RUN);
    expect(traps).toHaveLength(1_000);
    expect(traps[0]).toMatchObject({ pattern: 'the largest', count: 2 });
    expect(trapPatterns).toBe(1_002);
  });

  it('passes on what the sitemap left out', () => {
    const sitemap = { records: 3, files: 1, leftOut: { noindex: 2 } };
    const { reader } = new StoreFixture();
    expect(summarise(reader, { ...RUN, sitemap }).sitemap).toEqual({ urls: 3, files: 1, leftOut: { noindex: 2 } });
  });

  it('has no rate where no time has passed, and is JSON', () => {
    const summary = summarise(new StoreFixture().reader, { ...RUN, durationMs: 0 });
    expect(JSON.parse(summaryJson(summary))).toEqual(summary);
    expect(summary.pagesPerSecond).toBe(0);
  });
});
