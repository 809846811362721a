import { beforeAll, describe, expect, it } from 'vitest';
import { type Crawled, fates } from '../crawl/box.js';
import { COLLECTION, commonCrawlServer } from '../web/commoncrawl-server.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, text } from '../web/site.js';
import { seedingBox } from './seeding-box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const CC = ['--seeding-strategy', 'commoncrawl', '--commoncrawl-url', 'http://cc.test', '--retries', '0'];
const INDEX = `/${COLLECTION}-index`;

describe('URLs from Common Crawl', () => {
  const own = seedingBox();
  const questions = () => requestsTo(own.web.log, 'cc.test').map(({ path }) => path);
  const patterns = () => new Set(questions().map((path) => new URL(path, 'http://cc.test').searchParams.get('url')));

  describe('of a site with all that is in such an index', () => {
    let crawled: Crawled;

    beforeAll(async () => {
      own.web.site(
        'cc.test',
        commonCrawlServer({
          cdxApi: `http://elsewhere.test/other/${COLLECTION}-index`,
          lineEnd: '\r\n',
          pages: [
            ['http://site.test/', 'http://site.test/kept', 'http://site.test:80/kept', 'http://site.test/gone'],
            ['http://site.test/kept', 'http://sub.site.test/', 'http://other.example/', 'http://site.test/linked-gone'],
            ['not a URL', 'ftp://site.test/x', 'http://site.test/a/a/a/a/a/a', 'http://site.test/moved'],
          ],
        }),
      );
      own.web.site(
        'site.test',
        pathSite({
          '/': page('Home', ['/linked-gone']),
          '/kept': page('Kept', ['/found']),
          '/found': page('Found'),
          '/moved': redirect('/kept'),
        }),
      );
      own.web.site('sub.site.test', pathSite({ '/': page('Sub') }));
      own.web.site('elsewhere.test', pathSite({}));
      crawled = await own.crawl(['http://site.test/'], CC);
    }, 60_000);

    it('are asked of the newest collection, page by page, at the address that was given and no other', () => {
      const query = '?url=*.site.test%2F*&output=json&fl=url,status&filter==status:200&';
      expect(questions()).toEqual([
        '/collinfo.json',
        `${INDEX}${query}showNumPages=true`,
        ...[0, 1, 2].map((n) => `${INDEX}${query}page=${n}`),
      ]);
      expect(requestsTo(own.web.log, 'elsewhere.test')).toEqual([]);
      expect(requestsTo(own.web.log, 'cc.test')[0]!.userAgent).toMatch(/^gossamer\//);
    });

    it('are pages where they still answer, fetched once each, and nowhere where they do not', () => {
      expect(fates(crawled.pages)).toEqual({
        'http://site.test/': 'done',
        'http://site.test/found': 'done',
        'http://site.test/kept': 'done',
        'http://site.test/linked-gone': 'failed http_4xx',
        'http://site.test/moved': 'done',
        'http://sub.site.test/': 'done',
      });
      expect(crawled.pages.get('http://site.test/kept')).toMatchObject({ depth: 1 });
      for (const path of ['/kept', '/gone', '/linked-gone']) {
        expect(requestsTo(own.web.log, 'site.test', path), path).toHaveLength(1);
      }
    });

    it('are never asked for where they are out of scope or look like a trap, and the trap is named', () => {
      expect(requestsTo(own.web.log, 'other.example')).toEqual([]);
      expect(own.web.log.filter(({ path }) => path.startsWith('/a/'))).toEqual([]);
      expect(crawled.summary.traps).toHaveLength(1);
    });

    it('are told of', () => {
      expect(crawled.run.stderr).toContain('asks cc.test about site.test');
      expect(crawled.run.stderr).toContain('cc.test about site.test: 12 captures, 7 in scope');
      expect(crawled.summary.seeding).toEqual([
        {
          ...{ source: 'commoncrawl', host: 'cc.test', asked: 1, found: 12, inScope: 7, withAddress: null },
          // kept, sub and moved; what a page named first is no candidate.
          ...{ problem: null, answered: expect.any(Number) },
        },
      ]);
      expect([3, 2]).toContain(crawled.summary.seeding[0]!.answered);
    });
  });

  it.each([
    ['says its number of pages without an object', { plainNumber: true }, 0],
    ['packs its answers', { gzip: true }, 0],
    ['is busy at first', { first: [{ ...text('', 503), headers: { 'retry-after': '0' } }] }, 0],
    ['wants fewer questions at first', { first: [{ ...text('', 429), headers: { 'retry-after': '0' } }] }, 0],
    ['cuts the last line of each page', { cutsLastLine: true }, 1],
  ])('come from one that %s', async (_how, quirk, missing) => {
    const urls = ['/1', '/2', '/3'].map((path) => `http://q.test${path}`);
    own.web.site('cc.test', commonCrawlServer({ pages: [urls], ...quirk }));
    own.web.site('q.test', { handle: ({ path }) => (path === '/robots.txt' ? text('', 404) : page(path)) });
    own.web.clearLog();
    const { pages } = await own.crawl(['http://q.test/'], CC);
    expect([...pages.keys()].sort()).toEqual(['http://q.test/', ...urls.slice(0, 3 - missing)]);
  });

  it('are none where nothing was captured, and that is no trouble', async () => {
    own.web.site('cc.test', commonCrawlServer({ pages: [] }));
    own.web.site('fresh.test', pathSite({ '/': page('Home') }));
    own.web.clearLog();
    const { summary, run } = await own.crawl(['http://fresh.test/'], CC);
    expect(questions()).toHaveLength(2);
    expect(run.stderr).toContain('0 captures, 0 in scope');
    expect(summary.seeding).toMatchObject([{ asked: 1, problem: null }]);
  });

  it.each([
    ['has no list of collections', { handle: () => text('no', 404) }, 'does not say which collections'],
    ['has a list of nonsense', { handle: () => text('[{"cdx-api": "x/../.."}]') }, 'does not say which collections'],
    ['gives no number of pages', nonsense('"many"'), 'does not say how many pages'],
    ['gives an endless number', nonsense('9'.repeat(3_000_000)), 'much larger than it can be'],
  ])('do not come from one that %s, and the crawl goes on', async (_how, site, problem) => {
    own.web.site('cc.test', site);
    own.web.site('alone.test', pathSite({ '/': page('Home') }));
    const { pages, summary } = await own.crawl(['http://alone.test/'], CC);
    expect([...pages.keys()]).toEqual(['http://alone.test/']);
    expect(summary.seeding[0]!.problem).toContain(problem);
  });

  it('are as many as --max-commoncrawl-urls allows, and no more pages of the index are asked for', async () => {
    const urls = Array.from({ length: 30 }, (_, n) => `http://full.test/${n}`);
    own.web.site('cc.test', commonCrawlServer({ pages: [urls.slice(0, 10), urls.slice(10, 20), urls.slice(20)] }));
    own.web.site('full.test', { handle: ({ path }) => (path === '/robots.txt' ? text('', 404) : page(path)) });
    own.web.clearLog();
    const { pages, run } = await own.crawl(['http://full.test/'], [...CC, '--max-commoncrawl-urls', '12']);
    expect([...pages.keys()].sort()).toEqual(['http://full.test/', ...urls.slice(0, 12)].sort());
    expect(run.stderr).toContain('--max-commoncrawl-urls is reached');
    expect(questions().filter((path) => /&page=/.test(path))).toHaveLength(2);
  });

  it('are asked for by what is in scope', async () => {
    own.web.site('cc.test', commonCrawlServer({ pages: [] }));
    own.web.site('www.part.test', { handle: ({ path }) => (path === '/robots.txt' ? text('', 404) : page(path)) });
    const asked = async (url: string, scope: string) => {
      own.web.clearLog();
      await own.crawl([url], [...CC, '--scope', scope]);
      return [...patterns()].filter((pattern) => pattern !== null);
    };
    expect(await asked('http://www.part.test/docs/intro.html', 'prefix')).toEqual(['www.part.test/docs/*']);
    expect(await asked('http://www.part.test/docs', 'prefix')).toEqual(['www.part.test/docs*']);
    expect(await asked('http://www.part.test/docs', 'host')).toEqual(['www.part.test/*']);
    expect(await asked('http://www.part.test/docs', 'domain')).toEqual(['*.part.test/*']);
    expect(await asked('http://www.part.test/docs', 'any')).toEqual(['*.www.part.test/*']);
    expect(await asked('http://www.part.test/docs', 'page')).toEqual([]);
  });
});

function nonsense(pages: string) {
  const honest = commonCrawlServer({ pages: [[]] });
  return {
    handle: (request: Parameters<typeof honest.handle>[0]) =>
      request.path.includes('showNumPages') ? text(pages) : honest.handle(request),
  };
}
