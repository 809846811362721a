import { beforeAll, describe, expect, it } from 'vitest';
import type { LayerFacts } from '../../src/report/summary.js';
import { makeGraph } from '../web/graph.js';
import { peakConcurrency } from '../web/judge.js';
import { star, tree } from '../web/plain.js';
import { QueueServer } from '../web/queue-server.js';
import { html, linkPage, notFound, pathSite, type Site } from '../web/site.js';
import type { WebInABox } from '../web/web.js';
import { box, type Crawled, fates } from './box.js';

/** The layer was used up to its limit, and somebody waited for it. */
function expectFull(layer: LayerFacts | undefined, limit: number): void {
  expect(layer).toMatchObject({ limit, peak: limit });
  expect(layer!.peakWaiting).toBeGreaterThan(0);
}

/** The same web, but answers take a moment: requests that could be open together are. */
function slowly(web: WebInABox, afterMs: number): WebInABox {
  const site = (host: string, answers: Site): void =>
    web.site(host, {
      async handle(request) {
        return { afterMs, ...(await answers.handle(request)) };
      },
    });
  return Object.assign(Object.create(web) as WebInABox, { site });
}

describe('each layer of concurrency at its lowest bound', () => {
  const own = box();
  const graph = makeGraph({
    seed: 11,
    hosts: 10,
    urls: 200,
    hostName: (i) => `h${i}.layers.test`,
    transient: false,
    failures: false,
  });
  const truth = [...graph.closure({ inScope: (url) => !url.includes('out.example') })].map(
    ([url, { state, reason }]) => [url, reason === null ? state : `${state} ${reason}`],
  );
  const expected = Object.fromEntries(truth.sort(([a], [b]) => (a! < b! ? -1 : 1)));

  async function crawlGraph(args: string[]): Promise<Crawled> {
    own.web.clearLog();
    const crawled = await own.crawl(graph.seeds, ['--scope', 'any', '--exclude', '*://out.example/**', ...args]);
    expect(fates(crawled.pages)).toEqual(expected);
    return crawled;
  }

  beforeAll(() => {
    graph.install(slowly(own.web, 5));
  });

  it('1: one request in flight over all hosts', async () => {
    const { summary } = await crawlGraph(['--workers', '1']);
    expectFull(summary.layers.workers, 1);
    expect(own.web.peakInFlight()).toBe(1);
  });

  it('2: one request in flight per host', async () => {
    const { summary } = await crawlGraph(['--max-inflight-per-host', '1']);
    expectFull(summary.layers.inflightPerHost, 1);
    for (const { name } of graph.hosts) {
      expect(own.web.peakInFlight(name), name).toBe(1);
    }
    expect(own.web.peakInFlight()).toBeGreaterThan(1);
  });

  it('3: one queued URL in memory', async () => {
    await crawlGraph(['--frontier-limit', '1']);
    // Where nothing redirects and nothing is found again: such URLs are in memory whatever the limit says.
    slowly(own.web, 5).site('tree.test', tree({ pages: 300, arity: 5, links: 5 }));
    const { summary, pages } = await own.crawl(['http://tree.test/'], ['--frontier-limit', '1']);
    expectFull(summary.layers.frontier, 1);
    expect(pages.size).toBe(300);
  });

  it('7: one lane', async () => {
    const { summary } = await crawlGraph(['--parse-workers', '1']);
    expectFull(summary.layers.lanes, 1);
  });

  it('8: one fetch of robots.txt at a time', async () => {
    // All hosts at once, so that there is somebody to wait.
    own.web.clearLog();
    const { summary, pages } = await own.crawl(
      graph.hosts.map(({ origin }) => `${origin}/`),
      ['--scope', 'host', '--robots-workers', '1'],
    );
    expectFull(summary.layers.robots, 1);
    expect(peakConcurrency(own.web.log.filter(({ path }) => path === '/robots.txt'))).toBe(1);
    const everything = await own.crawl(
      graph.hosts.map(({ origin }) => `${origin}/`),
      ['--scope', 'host'],
    );
    expect(fates(pages)).toEqual(fates(everything.pages));
  });

  it('all of them together', async () => {
    await crawlGraph([
      ...['--workers', '1', '--max-inflight-per-host', '1', '--frontier-limit', '1', '--parse-workers', '1'],
      ...['--robots-workers', '1', '--fp-check-limit', '1', '--seen-memory', '1MiB', '--expected-urls', '1000'],
      ...['--ready-heap-limit', '1000', '--max-body', '1MiB', '--parse-buffer', '1MiB'],
    ]);
  });
});

describe('layers 6 and 9: known URLs that are on disk', () => {
  const own = box();
  const PAGES = 40;
  const LINKS = 2_000;

  beforeAll(() => {
    // Each page names 2,000 URLs of its own and all that the page before named: most of what is looked up is known, and old.
    const outside = (page: number) => Array.from({ length: LINKS }, (_, i) => `http://out.test/${page}/${i}`);
    own.web.site('many.test', {
      handle({ path }) {
        const page = path === '/' ? 0 : Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN);
        if (!(page < PAGES)) {
          return notFound;
        }
        return html(
          linkPage(`Page ${page}`, [
            `/p${page + 1}`,
            ...outside(page),
            ...outside(Math.max(0, page - 1)),
            ...outside(0),
          ]),
        );
      },
    });
  });

  it('one look-up a batch behind the filter finds them all, and the filter saves look-ups', async () => {
    const args = ['--seen-memory', '1MiB', '--fp-check-limit', '1'];
    const { summary, directory } = await own.crawl(['http://many.test/'], args);
    expectFull(summary.layers.lookups, 1);
    const { peak: asked, peakWaiting: saved } = summary.layers.filter!;
    expect(asked).toBeGreaterThan(0);
    expect(saved).toBeGreaterThan(asked / 4);
    expect(saved).toBeLessThan(asked);
    const edges = await own.edgeTargets(directory);
    expect(edges.size).toBe(PAGES * LINKS + PAGES);
  });
});

describe('layer 10: more hosts than may be held in memory', () => {
  const own = box();

  it('all get their turn', async () => {
    const names = Array.from({ length: 1_300 }, (_, i) => `s${i}.hosts.test`);
    own.web.site(
      'hosts.test',
      pathSite({
        '/': html(
          linkPage(
            'Hub',
            names.map((name) => `http://${name}/`),
          ),
        ),
      }),
    );
    own.web.site(
      '*',
      pathSite({ '/': html(linkPage('One page', ['/second'])), '/second': html(linkPage('Another', ['/'])) }),
    );
    const { summary, pages } = await own.crawl(
      ['http://hosts.test/'],
      ['--ready-heap-limit', '1000', '--seeding-strategy', 'none'],
    );
    expectFull(summary.layers.hosts, 1_000);
    expect(pages.size).toBe(1 + 2 * names.length);
    expect(new Set(Object.values(fates(pages)))).toEqual(new Set(['done']));
    expect(own.web.log).toHaveLength(2 + 3 * names.length);
  });
});

describe('layer 11: bytes that are fetched and not yet settled', () => {
  const own = box();

  it('over the limit nothing new goes out, bodies pause, and all are read in the end', async () => {
    const body = linkPage('Big', ['/'], 'x'.repeat(60 * 1024));
    const paths = Array.from({ length: 60 }, (_, i) => `/b${i}`);
    // Piece by piece, so that many bodies are under way at once.
    const pieces = (n: number) => (n < 16 ? body.slice(n * 4096, n === 15 ? undefined : (n + 1) * 4096) : null);
    const big = { headers: { 'content-type': 'text/html' }, pieces, everyMs: 2, end: 'finish' as const };
    own.web.site(
      'big.test',
      pathSite({ '/': html(linkPage('Home', paths)), ...Object.fromEntries(paths.map((path) => [path, big])) }),
    );
    const { summary, pages } = await own.crawl(
      ['http://big.test/'],
      ['--max-body', '64KiB', '--parse-buffer', '64KiB', '--max-inflight-per-host', '64', '--no-auto-tune'],
    );
    const { limit, peak, peakWaiting } = summary.layers.bytes!;
    expect(limit).toBe(64 * 1024);
    expect(peak).toBeGreaterThanOrEqual(limit!);
    expect(peakWaiting).toBeGreaterThan(0);
    expect(pages.size).toBe(61);
    expect([...pages.values()].every(({ state, bytes }) => state === 'done' && bytes > 0)).toBe(true);
    expect(summary.bytes).toBeGreaterThan(50 * limit!);
  });
});

describe('auto-tune', () => {
  const own = box();

  // How the limit finds a server's capacity is shown in virtual time (test/sim/tuning.whole.test.ts): here it would depend on this machine's load.
  it('ends with --no-auto-tune: a given number is then what is used', async () => {
    own.web.site('fixed.test', new QueueServer({ slots: 2, serviceMs: 20, pages: 60 }));
    await own.crawl(
      ['http://fixed.test/'],
      ['--no-auto-tune', '--max-inflight-per-host', '9', '--seeding-strategy', 'none'],
    );
    expect(own.web.peakInFlight('fixed.test')).toBe(9);
  });

  it('never goes beyond the ceiling that is given', async () => {
    slowly(own.web, 10).site('quick.test', star(200));
    await own.crawl(['http://quick.test/'], ['--max-inflight-per-host', '3']);
    expect(own.web.peakInFlight('quick.test')).toBe(3);
  });
});
