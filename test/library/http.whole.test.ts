import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  crawl,
  crawlStatus,
  deleteCrawl,
  exportCrawl,
  type LibraryOptions,
  listCorpora,
  listCrawls,
  matchRobots,
  readCrawl,
  resumeCrawl,
  robotsVerdict,
} from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines, temporaryFolder } from '../crawl/support.js';
import { makeGraph } from '../web/graph.js';
import { EXTERNAL_HOST } from '../web/graph-page.js';
import { star } from '../web/plain.js';
import { html, text as plainText } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { collect, sorted } from './support.js';

const folder = temporaryFolder();
let web: WebInABox;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

const inTheBox = (): LibraryOptions => ({ connectTo: web.connectTo, delayMs: 0, retryDelayMs: 0 });
const pathsOf = (host: string): string[] => web.log.filter((request) => request.host === host).map(({ path }) => path);

describe('a crawl of the net', () => {
  it('gives the pages and the edges of a seeded web, as they are in it and as they are kept', async () => {
    const graph = makeGraph({ seed: 11, hosts: 4, urls: 250, failures: false, transient: false });
    graph.install(web);
    const directory = join(folder.path, 'graph');
    const edges: string[] = [];
    const run = crawl({
      ...inTheBox(),
      seeds: graph.seeds,
      scope: 'any',
      dataDir: directory,
      exclude: [`*://${EXTERNAL_HOST}/**`],
      onEdge: (from, to, { kind, rel }) => {
        edges.push(JSON.stringify([from, to, kind, rel]));
      },
    });
    const pages = await collect(run);
    const { summary } = await run.finished;
    const kept = readCrawl(directory);
    const keptPages = [...kept.pages()];
    // What the iteration gave is what was kept, each URL once.
    expect(sorted(pages.map(({ url }) => url))).toEqual(sorted(keptPages.map(({ url }) => url)));
    expect(pages).toHaveLength(summary.total);
    const given = new Map(pages.map((page) => [page.url, page]));
    for (const page of keptPages.filter(({ reason }) => reason !== 'redirect_loop')) {
      const { status, title, hash, depth, links, state } = page;
      expect(given.get(page.url)).toMatchObject({ status, title, hash, links, state });
      expect(given.get(page.url)!.depth).toBeGreaterThanOrEqual(depth);
    }
    // Every edge that is kept was told, once per occurrence, and those of the truth.
    expect(sorted(edges)).toEqual(
      sorted([...kept.edges()].map(({ from, to, kind, rel }) => JSON.stringify([from, to, kind, rel]))),
    );
    for (const { url, state } of keptPages) {
      if (state === 'done') {
        const told = edges.map((edge) => JSON.parse(edge) as string[]).filter(([from]) => from === url);
        expect(told.map(([, to, kind, rel]) => ({ to, kind, rel }))).toEqual(graph.edges(url));
      }
    }
    kept.close();
  });

  it('obeys robots.txt, as the log of the server shows', async () => {
    web.site('polite.test', {
      handle: ({ path }) =>
        path === '/robots.txt'
          ? plainText('User-agent: *\nDisallow: /private\n')
          : html('<a href="/private/x">x</a><a href="/open">o</a>'),
    });
    web.clearLog();
    const pages = await collect(crawl({ ...inTheBox(), seeds: ['http://polite.test/'] }));
    expect(pathsOf('polite.test')[0]).toBe('/robots.txt');
    expect(pathsOf('polite.test')).not.toContain('/private/x');
    expect(pages.find(({ url }) => url.endsWith('/private/x'))).toMatchObject({ state: 'skipped', reason: 'robots' });
  });

  it('gives a result for a seed that cannot be reached, and does not throw', async () => {
    const run = crawl({ seeds: ['http://127.0.0.1:1/'], retries: 0 });
    expect(await collect(run)).toMatchObject([
      { url: 'http://127.0.0.1:1/', state: 'failed', reason: 'connection_refused' },
    ]);
    expect((await run.finished).seeds).toMatchObject([{ fate: 'failed' }]);
  });

  it('uses threads from some pages on, and ends them', async () => {
    web.site('big.test', star(400));
    web.clearLog();
    const run = crawl({ ...inTheBox(), seeds: ['http://big.test/'], parsers: 2, seedingStrategy: 'none' });
    const pages = await collect(run);
    expect(pages.filter(({ state }) => state === 'done')).toHaveLength(400);
    expect((await run.finished).summary.layers).toMatchObject({ lanes: { limit: 2 } });
    expect(new Set(pathsOf('big.test')).size).toBe(pathsOf('big.test').length);
  });

  it('lets resolve replace the identity of URLs on the net too, also after the first pages', async () => {
    web.site('session.test', {
      handle: ({ path }) => {
        if (path === '/robots.txt') {
          return plainText('', 404);
        }
        const page = Number(/p(\d+)/.exec(path)?.[1] ?? 0);
        return html([1, 2, 3].map((step) => `<a href="/p${(page * 3 + step) % 200}?sid=${page}-${step}">`).join(''));
      },
    });
    web.clearLog();
    const pages = await collect(
      crawl({
        ...inTheBox(),
        seeds: ['http://session.test/p0'],
        seedingStrategy: 'none',
        resolve: (href, from) => new URL(href.replace(/\?sid=.*/, ''), from).href,
      }),
    );
    expect(pages).toHaveLength(200);
    expect(pathsOf('session.test').filter((path) => path.includes('sid'))).toEqual([]);
  });
});

describe('a kept crawl', () => {
  it('is resumed where it was left, with changed limits and nothing asked for twice', async () => {
    web.site('half.test', star(60));
    web.clearLog();
    const directory = join(folder.path, 'half');
    const first = crawl({
      ...inTheBox(),
      seeds: ['http://half.test/'],
      dataDir: directory,
      maxUrls: 20,
      seedingStrategy: 'none',
    });
    await collect(first);
    expect(await first.finished).toMatchObject({ reason: 'max_urls', truncated: 'max_urls' });
    expect(pathsOf('half.test').filter((path) => path !== '/robots.txt')).toHaveLength(20);
    expect(() => resumeCrawl(directory, { scope: 'any' })).toThrow(
      /scope cannot be changed on resume: the crawl was started with subdomains/,
    );
    const second = resumeCrawl(directory, { maxUrls: null });
    const pages = await collect(second);
    expect(await second.finished).toMatchObject({ reason: 'complete', summary: { total: 60, done: 60 } });
    expect(pages).toHaveLength(40);
    const asked = pathsOf('half.test').filter((path) => path !== '/robots.txt');
    expect(new Set(asked).size).toBe(60);
    expect(asked).toHaveLength(60);
  });

  it('can be exported, looked at, listed and deleted', async () => {
    web.site('kept.test', star(5));
    const root = join(folder.path, 'root');
    const directory = join(root, 'kept.test');
    await crawl({
      ...inTheBox(),
      seeds: ['http://kept.test/'],
      dataDir: directory,
      reports: [{ format: 'csv', path: join(root, 'pages.csv') }],
    }).finished;
    expect(readFileSync(join(root, 'pages.csv'), 'utf8').split('\r\n')).toHaveLength(7);
    const stream = new PassThrough();
    const whole = text(stream);
    const notes = await exportCrawl(directory, 'edges', stream);
    stream.end();
    expect(readLines(await whole)).toHaveLength(notes.records);
    await exportCrawl(directory, 'sitemap', join(root, 'map.xml'));
    expect(readFileSync(join(root, 'map.xml'), 'utf8')).toContain('<loc>http://kept.test/p4</loc>');
    await expect(exportCrawl(directory, 'pdf' as never, join(root, 'x'))).rejects.toThrow(/must be one of jsonl/);
    expect(crawlStatus(directory)).toMatchObject({ state: 'finished', reason: 'complete', counts: { done: 5 } });
    expect(listCrawls(root)).toMatchObject([{ directory }]);
    expect(deleteCrawl(directory)).toBe(0);
    expect(listCrawls(root)).toEqual([]);
    const file = join(root, 'map.xml');
    const refusal = { name: 'StateError', code: 'no_folder', message: `${file} is no folder` };
    expect(() => listCrawls(file)).toThrow(expect.objectContaining(refusal));
    await expect(listCorpora(file)).rejects.toMatchObject(refusal);
  });
});

describe('robots.txt', () => {
  it('says which line decides, from a text and from the server', async () => {
    const robots = 'User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2\nSitemap: http://r.test/map.xml\n';
    expect(matchRobots(robots, 'http://r.test/a/c')).toMatchObject({
      allowed: false,
      line: 2,
      rule: 'Disallow: /a',
      agent: 'gossamer',
    });
    expect(matchRobots(robots, 'http://r.test/a/b/c', 'Other/2')).toMatchObject({
      allowed: true,
      line: 3,
      agent: 'other',
      crawlDelayMs: 2_000,
    });
    web.site('r.test', { handle: ({ path }) => (path === '/robots.txt' ? plainText(robots) : html('')) });
    web.clearLog();
    expect(await robotsVerdict('http://r.test/a', { connectTo: web.connectTo })).toMatchObject({
      allowed: false,
      line: 2,
      sitemaps: ['http://r.test/map.xml'],
    });
    expect(pathsOf('r.test')).toEqual(['/robots.txt']);
    web.site('none.test', { handle: () => plainText('', 404) });
    expect(await robotsVerdict('http://none.test/a', { connectTo: web.connectTo })).toMatchObject({
      allowed: true,
      line: null,
      why: 'there is no robots.txt',
    });
    web.site('busy.test', { handle: () => plainText('', 503) });
    expect(await robotsVerdict('http://busy.test/a', { connectTo: web.connectTo })).toMatchObject({
      allowed: false,
      why: expect.stringContaining('in trouble'),
    });
  });
});
