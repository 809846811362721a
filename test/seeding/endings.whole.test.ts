import { join } from 'node:path';
import { crawl, UsageError } from 'gossamer';
import { describe, expect, it } from 'vitest';
import { fates } from '../crawl/box.js';
import { gossamer, readPages, readSummary, start } from '../crawl/support.js';
import { COLLECTION, commonCrawlServer } from '../web/commoncrawl-server.js';
import { ctServer } from '../web/ct-server.js';
import { requestsTo } from '../web/judge.js';
import { hang, html, linkPage, pathSite, text, urlset, xml } from '../web/site.js';
import { seedingBox } from './seeding-box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const CT = ['--seeding-strategy', 'ct', '--ct-url', 'http://ct.test'];

describe('while a third party is asked', () => {
  const own = seedingBox();
  const asked = (host: string) => requestsTo(own.web.log, host).length;
  let folders = 0;
  const folder = () => join(own.folder, `own-${folders++}`);

  /** Resolves when the request is there. */
  const isAsked = async (host: string, times = 1): Promise<void> => {
    while (asked(host) < times) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  const options = () => ({
    delayMs: 0,
    insecure: true,
    connectTo: own.mappings.filter((mapping) => mapping.startsWith(':')),
    seedingStrategy: 'ct',
    ctUrl: 'http://ct.test',
  });

  it('the crawl is not over, and goes on with what comes', async () => {
    let letGo = (): void => {};
    const names = ctServer({ certificates: ['late.slow.test'] });
    own.web.site('ct.test', {
      handle: async (request) => {
        await new Promise<void>((resolve) => {
          letGo = resolve;
        });
        return names.handle(request);
      },
    });
    own.web.site('slow.test', pathSite({ '/': page('Home') }));
    own.web.site('late.slow.test', pathSite({ '/': page('Late') }));
    const seen: string[] = [];
    let ticks = 0;
    const run = crawl({ seeds: ['http://slow.test/'], ...options() });
    // Long after the last page was settled.
    run.on('tick', () => seen.length > 0 && ++ticks === 2 && letGo());
    for await (const { url } of run) {
      seen.push(url);
    }
    expect(seen).toEqual(['http://slow.test/', 'https://late.slow.test/']);
  });

  it.each([
    ['max_urls', ['--max-urls', '1']],
    ['duration', ['--duration', '2s']],
    ['max_bytes', ['--max-bytes', '100']],
  ])('a limit ends the run: %s', async (reason, args) => {
    own.web.site('ct.test', { handle: () => hang });
    own.web.site('limited.test', pathSite({ '/': page('Home') }));
    const { summary } = await own.crawl(['http://limited.test/'], [...CT, ...args, '--seeding-strategy', 'ct']);
    expect(summary).toMatchObject({ reason, truncated: reason, done: 1 });
  });

  it('an interrupt ends the run at once, and resume asks again, once', async () => {
    own.web.site('ct.test', { handle: () => hang });
    own.web.site('again.test', pathSite({ '/': page('Home') }));
    own.web.site('sub.again.test', pathSite({ '/': page('Sub') }));
    own.web.clearLog();
    const directory = folder();
    const program = start([
      ...['crawl', 'http://again.test/', '--data-dir', directory, '--delay', '0', '--grace', '60s'],
      ...own.mappings,
      ...CT,
    ]);
    await isAsked('ct.test');
    await isAsked('again.test', 2);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(130);
    expect(readSummary(directory)).toMatchObject({ reason: 'interrupted' });

    own.web.site('ct.test', ctServer({ certificates: ['sub.again.test'] }));
    own.web.clearLog();
    expect((await gossamer(['resume', directory])).code).toBe(0);
    expect(asked('ct.test')).toBe(1);
    expect(readPages(directory).map(({ url }) => url)).toEqual(['http://again.test/', 'https://sub.again.test/']);

    own.web.clearLog();
    const third = await gossamer(['resume', directory]);
    expect(third.code).toBe(0);
    expect(own.web.log).toEqual([]);
    expect(readSummary(directory).seeding).toMatchObject([{ host: 'ct.test', asked: 1, found: 1, answered: 1 }]);
  });

  it('a kill loses nothing and fetches nothing twice: what was not finished is asked again', async () => {
    const urls = Array.from({ length: 30 }, (_, n) => `http://killed.test/${n}`);
    const honest = commonCrawlServer({ pages: [urls.slice(0, 20), urls.slice(20)] });
    const stuck = {
      handle: (request: Parameters<typeof honest.handle>[0]) =>
        request.path.endsWith('page=1') ? hang : honest.handle(request),
    };
    own.web.site('cc.test', stuck);
    own.web.site('killed.test', {
      handle: ({ path }) =>
        path === '/robots.txt' ? text('', 404) : path === '/7' ? text('', 404) : page(path, ['/7']),
    });
    own.web.clearLog();
    const directory = folder();
    const program = start([
      ...['crawl', 'http://killed.test/', '--data-dir', directory, '--delay', '0', ...own.mappings],
      ...['--seeding-strategy', 'commoncrawl', '--commoncrawl-url', 'http://cc.test'],
    ]);
    // All that the first page of the index names.
    await isAsked('killed.test', 22);
    await isAsked('cc.test', 4);
    program.child.kill('SIGKILL');
    await program.ended;
    own.web.site('cc.test', honest);
    expect((await gossamer(['resume', directory])).code).toBe(0);
    const index = requestsTo(own.web.log, 'cc.test').map(({ path }) =>
      path.replace(/.*(page=\d|showNum|collinfo).*/, '$1'),
    );
    expect(index).toEqual(['collinfo', 'showNum', 'page=0', 'page=1', 'collinfo', 'showNum', 'page=0', 'page=1']);
    const pages = new Map(readPages(directory).map((each) => [each.url, each]));
    expect([...pages.keys()].sort()).toEqual(['http://killed.test/', ...urls].sort());
    expect(pages.get('http://killed.test/7')).toMatchObject({ state: 'failed', depth: 1 });
    const fetched = requestsTo(own.web.log, 'killed.test').map(({ path }) => path);
    const twice = fetched.filter((path, place) => path !== '/robots.txt' && fetched.indexOf(path) !== place);
    expect(twice.length, 'what was under way at the kill').toBeLessThanOrEqual(readSummary(directory).refetched);
  });

  it('all of them may be asked, beside sitemaps, and one that fails takes nothing from the others', async () => {
    own.web.site('ct.test', { handle: () => text('', 403) });
    own.web.site('cc.test', commonCrawlServer({ pages: [['http://all.test/captured']] }));
    own.web.site(
      'all.test',
      pathSite({
        '/': page('Home'),
        '/sitemap.xml': xml(urlset(['http://all.test/mapped'])),
        '/mapped': page('Mapped'),
        '/captured': page('Captured'),
      }),
    );
    own.web.clearLog();
    const { pages, run, summary } = await own.crawl(
      ['http://all.test/'],
      ['--seeding-strategy', 'all', '--ct-url', 'http://ct.test', '--commoncrawl-url', 'http://cc.test/'],
    );
    expect(run.stderr).toContain('asks ct.test and cc.test about all.test');
    expect(fates(pages)).toEqual(
      Object.fromEntries(['/', '/captured', '/mapped'].map((path) => [`http://all.test${path}`, 'done'])),
    );
    expect(summary.seeding.map(({ problem }) => problem)).toEqual(['it answered 403', null]);
    expect(run.stderr).toMatch(/ct\.test .*given up: it answered 403/);
    expect(run.stderr).toMatch(/cc\.test .*1 captures, 1 in scope; 1 answered/);
  });

  it('a mirror below a path is asked there', async () => {
    own.web.site('mirror.test', commonCrawlServer({ pages: [[]] }));
    own.web.site('small.test', pathSite({ '/': page('Home') }));
    own.web.clearLog();
    await own.crawl(
      ['http://small.test/'],
      ['--seeding-strategy', 'commoncrawl', '--commoncrawl-url', 'http://mirror.test/cc/'],
    );
    const paths = requestsTo(own.web.log, 'mirror.test').map(({ path }) => new URL(path, 'http://x').pathname);
    expect([...new Set(paths)]).toEqual(['/cc/collinfo.json', `/cc/${COLLECTION}-index`]);
  });

  describe('by a program', () => {
    it('gives each page once, also one that was gone before a page led to it', async () => {
      let letGo = (): void => {};
      own.web.site('ct.test', ctServer({ certificates: ['gone.lib.test', 'there.lib.test', 'never.lib.test'] }));
      own.web.site('lib.test', {
        handle: async ({ path }) => {
          if (path === '/robots.txt') {
            return text('', 404);
          }
          if (path === '/') {
            return page('Home', ['/late']);
          }
          // Its link comes when the candidate is long settled.
          await new Promise<void>((resolve) => {
            letGo = resolve;
          });
          return page('Late', ['https://gone.lib.test/']);
        },
      });
      own.web.site('there.lib.test', pathSite({ '/': page('There') }));
      own.web.clearLog();
      const seen: string[] = [];
      const run = crawl({ seeds: ['http://lib.test/'], ...options() });
      run.on('tick', () => {
        const settled = requestsTo(own.web.log, 'gone.lib.test', '/').every(({ endedAt }) => endedAt !== null);
        if (asked('gone.lib.test') > 1 && settled) {
          letGo();
        }
      });
      for await (const { url, state } of run) {
        seen.push(`${state} ${url}`);
      }
      expect(seen.sort()).toEqual([
        'done http://lib.test/',
        'done http://lib.test/late',
        'done https://there.lib.test/',
        'failed https://gone.lib.test/',
      ]);
      expect(requestsTo(own.web.log, 'gone.lib.test', '/')).toHaveLength(1);
      expect((await run.finished).summary).toMatchObject({ done: 3, failed: 1 });
    });

    it('means nothing beside a fetch of its own', () => {
      expect(() => crawl({ seeds: ['http://a.test/'], fetch: () => null, seedingStrategy: 'sitemap,ct' })).toThrow(
        UsageError,
      );
    });
  });
});
