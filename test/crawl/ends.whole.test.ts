import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as faults from '../web/faults.js';
import { installRobotsCases, robotsCases } from '../web/robots-sites.js';
import { hang, html, linkPage, pathSite, redirect, type Site, text } from '../web/site.js';
import * as traps from '../web/traps.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { inProcess } from './in-process.js';
import { readPages, readSummary, temporaryFolder } from './support.js';

const folder = temporaryFolder();
let web: WebInABox;
let crawls = 0;

beforeAll(async () => {
  web = await openWeb();
});

afterAll(async () => {
  await web.close();
  folder.remove();
});

/** Patience of seconds instead of minutes; the scenarios themselves are as they are. */
const IMPATIENT = [
  '--timeout',
  '2s',
  '--idle-timeout',
  '1s',
  '--robots-timeout',
  '1s',
  '--max-wait',
  '3s',
  '--retries',
  '1',
  '--retry-delay',
  '100ms',
];

async function crawl(seeds: string[], ...more: string[]) {
  const directory = `${folder.path}/crawl-${crawls++}`;
  const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
  const run = await inProcess([
    'crawl',
    ...seeds,
    '--delay',
    '0',
    '--data-dir',
    directory,
    ...IMPATIENT,
    ...connectTo,
    ...more,
  ]);
  return { run, directory, summary: readSummary(directory), pages: readPages(directory) };
}

const FAULTS: Record<string, Site> = {
  ...Object.fromEntries(
    Object.keys(faults.RETRY_AFTER).map((kind) => [
      `retry-${kind}`,
      faults.retryAfter(429, kind as keyof typeof faults.RETRY_AFTER),
    ]),
  ),
  'slow-start': faults.slowStart(60_000),
  'slow-headers': faults.slowHeaders(200),
  'slow-body': faults.slowBody(200),
  stalled: faults.stalledBody(),
  endless: faults.endlessBody(),
  bomb: faults.gzipBomb(50 * 1024 * 1024),
  stacked: faults.stackedEncodings(8),
  framing: faults.badFraming(),
  reset: faults.resetAfter(null),
  'reset-body': faults.resetAfter(20),
  headers: faults.bigHeaders(2 * 1024 * 1024),
  interim: faults.interimFlood(Number.POSITIVE_INFINITY),
  silent: faults.silent(),
  mislabelled: faults.mislabelled(),
};

describe('a crawl of servers that misbehave', () => {
  let result: Awaited<ReturnType<typeof crawl>>;

  beforeAll(async () => {
    for (const [name, site] of Object.entries(FAULTS)) {
      web.site(`${name}.fault.test`, site);
    }
    result = await crawl(
      Object.keys(FAULTS).map((name) => `http://${name}.fault.test/`),
      '--max-body',
      '1MiB',
    );
  }, 120_000);

  it('ends by itself with exit code 0 and says whether something was put off', () => {
    expect(result.run.code, result.run.stderr).toBe(0);
    const { deferred, reason, unfinished } = result.summary;
    expect(reason).toBe(deferred > 0 ? 'complete_with_deferred' : 'complete');
    expect(unfinished).toBe(0);
  });

  it.each(Object.keys(FAULTS))(
    'has fetched the pages of %s that work, and knows what became of each that does not',
    (name) => {
      const pages = result.pages.filter(({ url }) => url.startsWith(`http://${name}.fault.test/`));
      expect(pages.find(({ url }) => url.endsWith('.test/'))?.state).toBe('done');
      expect(pages.length).toBeGreaterThan(1);
      for (const { url, state, reason } of pages) {
        expect(['done', 'failed', 'deferred'], url).toContain(state);
        expect(reason === null, `${url}: ${reason}`).toBe(state === 'done');
        expect(reason, url).not.toBe('internal');
      }
    },
  );
});

describe('a crawl of hosts with robots.txt of every kind', () => {
  it('ends by itself with exit code 0, and names the hosts whose robots.txt could not be had', async () => {
    installRobotsCases(web);
    const cases = robotsCases.filter(({ crawlDelayMs }) => crawlDelayMs === undefined || crawlDelayMs <= 1_000);
    const { run, summary } = await crawl(
      cases.map(({ host }) => `http://${host}/`),
      '--max-wait',
      '600s',
    );
    expect(run.code, run.stderr).toBe(0);
    expect(summary.reason).toBe('complete_with_deferred');
    const unreachable = cases.filter((each) => each.expect === 'unreachable').map(({ host }) => host);
    const named = summary.deferredHosts.map(({ host }: { host: string }) => host);
    expect(unreachable.filter((host) => host !== 'reset.robots.test' && !named.includes(host))).toEqual([]);
  }, 120_000);
});

describe('a crawl of sites without end', () => {
  const TRAPS: Record<string, Site> = {
    calendar: traps.calendar(),
    facets: traps.facets(),
    'ids-in-path': traps.sessionIds('path'),
    'ids-in-query': traps.sessionIds('query'),
    recursion: traps.recursion(),
    pagination: traps.pagination(),
  };

  it('ends by itself with exit code 0, names each pattern that it cut, and has the honest pages', async () => {
    for (const [name, site] of Object.entries(TRAPS)) {
      web.site(`${name}.trap.test`, site);
    }
    const { run, summary, pages } = await crawl(Object.keys(TRAPS).map((name) => `http://${name}.trap.test/`));
    expect(run.code, run.stderr).toBe(0);
    expect(summary.reason).toBe('complete');
    const patterns = summary.traps.map(({ pattern }: { pattern: string }) => pattern).join('\n');
    for (const name of Object.keys(TRAPS)) {
      expect(patterns, name).toContain(name);
      const honest = pages.filter(
        ({ url, state }) => state === 'done' && /\/(about|contact)$/.test(url) && url.includes(`${name}.`),
      );
      expect(honest, name).toHaveLength(2);
    }
  }, 120_000);
});

describe('a crawl whose only seed', () => {
  const status = (code: number) => text('', code);
  const robots = (body: string) => ({ '/robots.txt': text(body) });
  it.each<[string, Site, number, string]>([
    ['never answers', pathSite({ '/': hang }), 4, 'complete'],
    ['is not there', pathSite({}), 4, 'complete'],
    ['answers 500', pathSite({ '/': status(500) }), 4, 'complete'],
    [
      'is forbidden by robots.txt',
      pathSite({ '/': html(''), ...robots('User-agent: *\nDisallow: /\n') }),
      4,
      'complete',
    ],
    ['redirects to itself', pathSite({ '/': redirect('/') }), 4, 'complete'],
    [
      'has a robots.txt that cannot be read',
      pathSite({ '/': html(''), '/robots.txt': status(503) }),
      0,
      'complete_with_deferred',
    ],
    [
      'says Retry-After for longer than --max-wait',
      pathSite({ '/': { ...status(503), headers: { 'retry-after': '60' } } }),
      0,
      'complete_with_deferred',
    ],
    ['is empty', pathSite({ '/': html('') }), 0, 'complete'],
    [
      'leads only out of its scope',
      pathSite({ '/': html(linkPage('Out', ['http://elsewhere.test/'])) }),
      0,
      'complete',
    ],
  ])('%s ends by itself with the documented exit code and reason', async (_name, site, code, reason) => {
    const host = `seed${crawls}.test`;
    web.site(host, site);
    const { run, summary } = await crawl([`http://${host}/`], '--seeding-strategy', 'none');
    expect([run.code, summary.reason], run.stderr).toEqual([code, reason]);
    expect(run.stderr.split('\n').filter((line) => line.startsWith('error:'))).toHaveLength(code === 0 ? 0 : 1);
  });
});
