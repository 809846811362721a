import { describe, expect, it } from 'vitest';
import type { CrawlOptions } from '../../src/config/options.js';
import { completeOptions } from '../../src/config/resolve.js';
import { type CrawlLimits, forecast, type HostLoad } from '../../src/crawl/survey/duration.js';
import { Simulation } from '../sim/simulation.js';
import { ALLOWED, crawlDelay, plainHost, VirtualWeb } from '../sim/virtual-web.js';

interface PlannedHost {
  pages: number;
  headersMs: readonly [low: number, high: number];
  bodyMs?: number;
  crawlDelayMs?: number;
}

const limitsOf = (options: Partial<CrawlOptions>): CrawlLimits => completeOptions(options).options;

const loadOf = (host: PlannedHost, delayMs: number): HostLoad => {
  const headersMs = (host.headersMs[0] + host.headersMs[1]) / 2;
  const asked = host.crawlDelayMs ?? 0;
  return {
    pages: host.pages,
    others: 1,
    delayMs: Math.max(delayMs, asked),
    headersMs,
    answerMs: headersMs + (host.bodyMs ?? 0),
    asksForDelay: asked > delayMs,
    putOff: asked > 60_000,
  };
};

/** The real coordinator, in virtual time. */
async function crawled(hosts: readonly PlannedHost[], options: Partial<CrawlOptions>) {
  const web = new VirtualWeb();
  hosts.forEach(({ headersMs, bodyMs = 0, crawlDelayMs }, n) => {
    web.add(
      `h${n}.test`,
      plainHost({ headersMs, bodyMs, robots: crawlDelayMs === undefined ? ALLOWED : crawlDelay(crawlDelayMs) }),
    );
  });
  // Seeds that stand beside each other are asked in turn, as sitemaps of several hosts are.
  const urls: string[] = [];
  for (let page = 0; hosts.some(({ pages }) => page < pages); page++) {
    hosts.forEach(({ pages }, n) => {
      if (page < pages) {
        urls.push(`http://h${n}.test/p${page}`);
      }
    });
  }
  const simulation = new Simulation({ web, urls, options, keepLog: false });
  await simulation.run();
  return { ms: simulation.clock.elapsedMs, pages: simulation.counts.done };
}

const many = (count: number, host: (n: number) => PlannedHost): PlannedHost[] =>
  Array.from({ length: count }, (_, n) => host(n));

const PLANS: [name: string, hosts: PlannedHost[], options: Partial<CrawlOptions>][] = [
  ['one host at a second', [{ pages: 300, headersMs: [20, 80] }], { delayMs: 1000 }],
  ['one host at 100 ms, slow answers', [{ pages: 400, headersMs: [200, 800], bodyMs: 100 }], { delayMs: 100 }],
  ['answers that take longer than the delay', [{ pages: 100, headersMs: [3000, 5000] }], { delayMs: 1000 }],
  ['a Crawl-delay that decides', [{ pages: 60, headersMs: [50, 50], crawlDelayMs: 5000 }], { delayMs: 1000 }],
  ['a Crawl-delay that does not', [{ pages: 60, headersMs: [50, 50], crawlDelayMs: 200 }], { delayMs: 1000 }],
  ['a Crawl-delay that is too long', [{ pages: 60, headersMs: [50, 50], crawlDelayMs: 120_000 }], { delayMs: 1000 }],
  ['200 hosts alike', many(200, () => ({ pages: 30, headersMs: [50, 150] })), { delayMs: 1000 }],
  ['hosts of very different sizes', many(40, (n) => ({ pages: 5 + n * n, headersMs: [30, 90] })), { delayMs: 500 }],
  [
    'hosts of different paces',
    [
      { pages: 50, headersMs: [50, 50], crawlDelayMs: 10_000 },
      { pages: 400, headersMs: [100, 100] },
      { pages: 100, headersMs: [2000, 4000] },
    ],
    { delayMs: 1000 },
  ],
  ['fewer workers than hosts', many(100, () => ({ pages: 20, headersMs: [900, 1100] })), { delayMs: 100, workers: 10 }],
  ['no delay', [{ pages: 1500, headersMs: [100, 100] }], { delayMs: 0 }],
  ['no delay, one in flight', [{ pages: 300, headersMs: [40, 60] }], { delayMs: 0, maxInflightPerHost: 1 }],
  ['no delay, fifty in flight', [{ pages: 3000, headersMs: [200, 200] }], { delayMs: 0, maxInflightPerHost: 50 }],
  [
    '--max-urls on hosts of different sizes',
    many(5, (n) => ({ pages: 20 + 100 * n, headersMs: [50, 50] })),
    { delayMs: 1000, maxUrls: 300 },
  ],
  [
    '--max-urls-per-host',
    many(5, (n) => ({ pages: 20 + 100 * n, headersMs: [50, 50] })),
    { delayMs: 1000, maxUrlsPerHost: 50 },
  ],
  [
    '--duration',
    many(5, (n) => ({ pages: 20 + 100 * n, headersMs: [50, 50] })),
    { delayMs: 1000, durationMs: 120_000 },
  ],
];

describe('how long a crawl takes is foretold within a fifth', () => {
  it.each(PLANS)('%s', async (_name, hosts, options) => {
    const { delayMs = 1000 } = options;
    const foretold = forecast(
      hosts.map((host) => loadOf(host, delayMs)),
      limitsOf(options),
    );
    const real = await crawled(hosts, options);
    expect(foretold.durationMs / real.ms, `${foretold.durationMs} ms foretold, ${real.ms} ms`).toBeGreaterThan(0.8);
    expect(foretold.durationMs / real.ms, `${foretold.durationMs} ms foretold, ${real.ms} ms`).toBeLessThan(1.2);
    expect(foretold.pages / real.pages, `${foretold.pages} pages foretold, ${real.pages} done`).toBeGreaterThan(0.9);
    expect(foretold.pages / real.pages, `${foretold.pages} pages foretold, ${real.pages} done`).toBeLessThan(1.1);
  });
});

describe('what decides how long it takes', () => {
  const limits = limitsOf({});
  const host: HostLoad = {
    ...{ pages: 100, others: 1, delayMs: 1000, headersMs: 50, answerMs: 60 },
    ...{ asksForDelay: false, putOff: false },
  };

  it.each([
    ['--delay', [host], limits, { decidedBy: 'delay', cutBy: null }],
    ['Crawl-delay', [{ ...host, delayMs: 5000, asksForDelay: true }, host], limits, { decidedBy: 'crawl_delay' }],
    ['the answers', [{ ...host, delayMs: 0 }], limits, { decidedBy: 'answers' }],
    ['--workers', Array.from({ length: 50 }, () => host), { ...limits, workers: 1 }, { decidedBy: 'workers' }],
    ['--max-urls', [host], { ...limits, maxUrls: 10 }, { cutBy: 'max_urls', pages: 10 }],
    ['--duration', [host], { ...limits, durationMs: 10_500 }, { cutBy: 'duration', durationMs: 10_500, pages: 9 }],
    ['nothing: there is nothing to do', [], limits, { durationMs: 0, pages: 0, cutBy: null }],
  ])('%s', (_name, hosts, given, expected) => {
    expect(forecast(hosts, given)).toMatchObject(expected);
  });
});
