import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { CERTIFICATE, PRIVATE_KEY } from '../fetch/certificate.js';
import { retryAfter } from '../web/faults.js';
import { requestsTo, smallestGap } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { star } from '../web/plain.js';
import { html, linkPage, pathSite, redirect, reset, type Site, sitemapIndex, text, urlset, xml } from '../web/site.js';
import { openWeb } from '../web/web.js';
import { box, type Crawled } from './box.js';

const DELAY_MS = 150;

/** Everything that can go out to a host: robots.txt, sitemaps, pages, redirects, retries, HEADs and what comes after a refused one. */
function busySite(name: string, robots: string): Site {
  const asked = new Map<string, number>();
  const failsOnce = (path: string) => () => {
    const times = asked.get(path) ?? 0;
    asked.set(path, times + 1);
    return times === 0 ? reset : html(linkPage(path, ['/']));
  };
  const hrefs = ['/a', '/moved', '/fails', '/to-other', '/file.pdf', '/file.zip', '/missing', '/closed/x', '/b'];
  return pathSite({
    '/robots.txt': text(`User-agent: *\nDisallow: /closed\n${robots}`),
    '/sitemap.xml': xml(sitemapIndex([`http://${name}/map-1.xml`])),
    '/map-1.xml': xml(urlset([`http://${name}/orphan`])),
    '/': html(linkPage('Home', hrefs)),
    '/a': html(linkPage('A', ['/'])),
    '/b': html(linkPage('B', ['/'])),
    '/orphan': html(linkPage('Orphan', ['/'])),
    '/moved': redirect('/a'),
    '/fails': failsOnce('/fails'),
    '/to-other': redirect(`http://busy-${name.includes('busy-0') ? 1 : 0}.test/from-other`),
    '/from-other': html(linkPage('From another host', ['/'])),
    '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: 'pdf' },
    '/file.zip': ({ method }) =>
      method === 'HEAD' ? { status: 405 } : { status: 206, headers: { 'content-type': 'application/zip' }, body: 'z' },
    '/closed/x': html('forbidden'),
  });
}

/** The first request that is not for robots.txt comes after robots.txt has been answered. */
function expectRobotsFirst(log: readonly LoggedRequest[], host: string): void {
  const [first, second] = requestsTo(log, host);
  expect(first?.path, host).toBe('/robots.txt');
  expect(first?.endedAt, host).not.toBeNull();
  expect(second!.at, host).toBeGreaterThanOrEqual(first!.endedAt!);
}

describe('several hosts at once, each with all that can go out to a host', () => {
  const own = box();
  const names = Array.from({ length: 6 }, (_, i) => `busy-${i}.test`);
  const crawlDelays = new Map([
    ['busy-2.test', 300],
    ['busy-3.test', 50],
  ]);
  const delayOf = (name: string) => Math.max(DELAY_MS, crawlDelays.get(name) ?? 0);
  let log: LoggedRequest[];

  beforeAll(async () => {
    for (const name of names) {
      const seconds = crawlDelays.has(name) ? `Crawl-delay: ${crawlDelays.get(name)! / 1000}\n` : '';
      own.web.site(name, busySite(name, seconds));
    }
    const seeds = names.map((name) => `http://${name}/`);
    await own.crawl(seeds, ['--delay', String(DELAY_MS), '--retry-delay', '0']);
    log = own.web.log;
  }, 120_000);

  it('never sends two requests to a host closer than the stricter of --delay and Crawl-delay', () => {
    for (const name of names) {
      expect(requestsTo(log, name).length, name).toBeGreaterThan(12);
      expect(smallestGap(log, name), name).toBeGreaterThanOrEqual(delayOf(name));
    }
  });

  it('asks for every kind of thing that a host offers', () => {
    for (const name of names) {
      const asked = requestsTo(log, name).map(({ method, path }) => `${method} ${path}`);
      const wanted = ['/robots.txt', '/sitemap.xml', '/map-1.xml', '/', '/a', '/b', '/orphan', '/moved', '/to-other'];
      for (const path of wanted) {
        expect(
          asked.filter((each) => each === `GET ${path}`),
          `${name}${path}`,
        ).toHaveLength(1);
      }
      expect(
        asked.filter((each) => each === 'GET /fails'),
        name,
      ).toHaveLength(2);
      expect(asked, name).toEqual(expect.arrayContaining(['HEAD /file.pdf', 'HEAD /file.zip', 'GET /file.zip']));
    }
    expect(requestsTo(log, 'busy-0.test', '/from-other')).toHaveLength(1);
    expect(requestsTo(log, 'busy-1.test', '/from-other')).toHaveLength(1);
  });

  it('asks for robots.txt once, before anything else of the host, and never for what it forbids', () => {
    for (const name of names) {
      expectRobotsFirst(log, name);
      expect(requestsTo(log, name, '/robots.txt'), name).toHaveLength(1);
    }
    expect(log.filter(({ path }) => path.startsWith('/closed'))).toEqual([]);
  });

  it('does not let hosts wait for each other', () => {
    const merged = log.map((request) => ({ ...request, host: 'all' }));
    expect(smallestGap(merged, 'all')).toBeLessThan(DELAY_MS);
  });
});

describe('Retry-After', () => {
  const own = box();
  const cases = (['seconds', 'date'] as const).flatMap((kind) =>
    ([429, 503] as const).map((status) => ({ kind, status, name: `later-${status}-${kind}.test` })),
  );
  let crawled: Crawled;

  beforeAll(async () => {
    for (const { kind, status, name } of cases) {
      own.web.site(name, retryAfter(status, kind));
    }
    for (const kind of ['past', 'huge', 'garbage', 'none'] as const) {
      own.web.site(`${kind}.test`, retryAfter(503, kind));
    }
    const hosts = [...cases.map(({ name }) => name), 'past.test', 'huge.test', 'garbage.test', 'none.test'];
    crawled = await own.crawl(
      hosts.map((name) => `http://${name}/`),
      // Backoff of its own is a second at most: what is longer than that is obedience.
      // One at a time: another request that was under way at the refusal says nothing.
      ['--retry-delay', '0', '--max-wait', '60', '--max-backoff', '1', '--max-inflight-per-host', '1'],
    );
  }, 120_000);

  /** From the refusal to the next request of any kind to that host. */
  function waitedMs(name: string): number {
    const log = requestsTo(own.web.log, name);
    const refused = log.findIndex(({ status }) => status === 429 || status === 503);
    return log[refused + 1]!.at - log[refused]!.at;
  }

  it.each(cases)(
    'of $status as $kind is waited for before the host gets any further request',
    ({ kind, status, name }) => {
      // A date has whole seconds: one that is three seconds ahead may be little more than two away.
      expect(waitedMs(name)).toBeGreaterThanOrEqual(kind === 'seconds' ? 2_000 : 1_950);
      expect(requestsTo(own.web.log, name, '/page').map((request) => request.status)).toEqual([status, 200]);
      expect(crawled.pages.get(`http://${name}/page`)).toMatchObject({ state: 'done', attempts: 2 });
    },
  );

  it('that says nothing leaves the host to its backoff', () => {
    for (const name of ['garbage.test', 'none.test']) {
      expect(waitedMs(name), name).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('that lies beyond --max-wait puts the URLs of the host off, and the run ends and says so', () => {
    expect(requestsTo(own.web.log, 'huge.test', '/page')).toHaveLength(1);
    expect(crawled.pages.get('http://huge.test/page')).toMatchObject({ state: 'deferred', reason: 'retry_after' });
    expect(crawled.summary.reason).toBe('complete_with_deferred');
    expect(crawled.summary.deferredHosts).toMatchObject([{ host: 'huge.test', reason: 'retry_after', urls: 1 }]);
    expect(crawled.run.stderr).toContain('huge.test');
  });
});

describe('a host that fails', () => {
  const own = box();

  it('is left alone for two, then four seconds, give or take a quarter, and its URLs fail only when their retries are used up', async () => {
    own.web.site('down.test', pathSite({ '/': html(linkPage('Home', ['/x'])), '/x': { status: 500 } }));
    const { pages } = await own.crawl(['http://down.test/'], ['--retry-delay', '0', '--seeding-strategy', 'none']);
    const [first, second, third] = requestsTo(own.web.log, 'down.test', '/x').map(({ at }) => at);
    expect(second! - first!).toBeGreaterThanOrEqual(1_500);
    expect(third! - second!).toBeGreaterThanOrEqual(3_000);
    expect(requestsTo(own.web.log, 'down.test', '/x')).toHaveLength(3);
    expect(pages.get('http://down.test/x')).toMatchObject({
      state: 'failed',
      reason: 'http_5xx',
      status: 500,
      attempts: 3,
    });
  });

  it('so often in a row as --quarantine-after says is quarantined: what is left of it is put off', async () => {
    const hrefs = Array.from({ length: 12 }, (_, i) => `/x${i}`);
    const failing = Object.fromEntries(hrefs.map((href) => [href, { status: 503 }]));
    own.web.site('dead.test', pathSite({ '/': html(linkPage('Home', hrefs)), ...failing }));
    const { summary } = await own.crawl(
      ['http://dead.test/'],
      // The first pause, at most 2.5 s, is waited for; quarantine lasts as long as the longest pause and is not.
      [
        ...['--retries', '0', '--max-backoff', '3', '--max-wait', '2900ms', '--quarantine-after', '2'],
        ...['--max-inflight-per-host', '1', '--seeding-strategy', 'none'],
      ],
    );
    expect(requestsTo(own.web.log, 'dead.test').filter(({ status }) => status === 503)).toHaveLength(2);
    expect(summary).toMatchObject({ reason: 'complete_with_deferred', failed: 2, deferred: 10 });
    expect(summary.deferredHosts).toMatchObject([{ host: 'dead.test', reason: 'quarantine', urls: 10 }]);
  });
});

describe('one host behind several ports and schemes', () => {
  const own = box();
  let tls: Server;
  const tlsLog: LoggedRequest[] = [];

  beforeAll(async () => {
    tls = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
      const path = request.url ?? '';
      tlsLog.push({
        at: systemClock.now(),
        host: 'a.test',
        method: 'GET',
        path,
        status: 200,
        userAgent: '',
        headers: {},
        connection: 0,
        endedAt: 0,
      });
      const body =
        path === '/robots.txt' || path.includes('sitemap') ? null : linkPage(path, ['/', '/s1', '/s2', '/s3']);
      response.writeHead(body === null ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? '');
    });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    tls.close();
    tls.closeAllConnections();
  });

  it('has one clock for all of them', async () => {
    own.web.site('a.test', star(5));
    const port = (tls.address() as AddressInfo).port;
    await own.crawl(
      ['http://a.test/', 'http://a.test:8080/', 'https://a.test/'],
      [
        '--delay',
        '100',
        '-k',
        '--connect-to',
        `a.test:443:127.0.0.1:${port}`,
        ...own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
      ],
    );
    const whole = [...own.web.log, ...tlsLog];
    const ports = new Set(own.web.log.map(({ headers }) => headers.host));
    expect(ports).toEqual(new Set(['a.test', 'a.test:8080']));
    expect(tlsLog.length).toBeGreaterThan(4);
    expect(smallestGap(whole, 'a.test')).toBeGreaterThanOrEqual(100);
  });
});

describe('loopback addresses', () => {
  const own = box();

  it('are paced port by port: each is somebody else’s site', async () => {
    const other = await openWeb();
    try {
      for (const web of [own.web, other]) {
        web.site('127.0.0.1', star(6));
      }
      await own.crawl(
        [`${own.web.origin}/`, `${other.origin}/`],
        ['--delay', '150', '--connect-to', 'nobody.test:1:127.0.0.1:1'],
      );
      expect(smallestGap(own.web.log, '127.0.0.1')).toBeGreaterThanOrEqual(150);
      expect(smallestGap(other.log, '127.0.0.1')).toBeGreaterThanOrEqual(150);
      expect(smallestGap([...own.web.log, ...other.log], '127.0.0.1')).toBeLessThan(150);
    } finally {
      await other.close();
    }
  });
});
