import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { calendar, facets, pagination, recursion, sessionIds, shop } from '../web/traps.js';
import { box, type Crawled } from './box.js';
import { inProcess } from './in-process.js';
import { readPages, readSummary } from './support.js';

/** The limits are lowered so that a trap is a matter of seconds; what they are measured by stays the same. */
const LOW = ['--max-query-variants', '60', '--max-shape-variants', '60'];

describe('a site without end', () => {
  const own = box();
  const traps = {
    calendar: { site: calendar(), pattern: /\/calendar\// },
    facets: { site: facets(), pattern: /\/goods\?/ },
    'session ids in the path': { site: sessionIds('path'), pattern: /\/s\/.*page/ },
    'session ids in the query': { site: sessionIds('query'), pattern: /\/page.*sid/ },
    'a/b/a/b': { site: recursion(), pattern: /./ },
    pagination: { site: pagination(), pattern: /\/list\?/ },
  };
  const names = Object.keys(traps) as (keyof typeof traps)[];
  const hostOf = (name: string) => `${name.replace(/[^a-z]/g, '-')}.trap.test`;
  let crawled: Crawled;

  beforeAll(async () => {
    for (const name of names) {
      own.web.site(hostOf(name), traps[name].site);
    }
    crawled = await own.crawl(
      names.map((name) => `http://${hostOf(name)}/`),
      LOW,
    );
  }, 120_000);

  it.each(names)('ends by itself: %s', (name) => {
    const log = requestsTo(own.web.log, hostOf(name));
    expect(log.length).toBeLessThan(500);
    const skipped = [...crawled.pages.values()].filter(
      ({ url, state, reason }) => url.includes(hostOf(name)) && state === 'skipped' && reason === 'trap',
    );
    expect(skipped.length).toBeGreaterThan(0);
    for (const path of ['/', '/about', '/contact']) {
      expect(crawled.pages.get(`http://${hostOf(name)}${path}`), path).toMatchObject({ state: 'done' });
    }
  });

  it.each(names)('is named in the summary, with how many were cut and what lets them through: %s', (name) => {
    const [trap] = crawled.summary.traps.filter(({ pattern }) => pattern.includes(hostOf(name)));
    expect(trap, JSON.stringify(crawled.summary.traps)).toBeDefined();
    expect(trap!.pattern).toMatch(traps[name].pattern);
    expect(trap!.count).toBeGreaterThan(0);
    expect(trap!.allow).toBe(`--allow-trap '${trap!.pattern}'`);
    expect(crawled.run.stderr).toContain(trap!.pattern);
  });

  it.each(names)('goes on with --allow-trap, up to --max-urls: %s', async (name) => {
    const host = hostOf(name);
    const [trap] = crawled.summary.traps.filter(({ pattern }) => pattern.includes(host));
    const before = requestsTo(own.web.log, host).length;
    own.web.clearLog();
    const most = before + 60;
    const args = [...LOW, '--allow-trap', trap!.pattern, '--max-urls', String(most), '--seeding-strategy', 'none'];
    const { summary } = await own.crawl([`http://${host}/`], args);
    // A path of a/b/a/b ends at the next limit, the number of segments; all others never do.
    const asked = requestsTo(own.web.log, host).filter(({ path }) => path !== '/robots.txt').length;
    if (name === 'a/b/a/b') {
      expect(asked).toBeGreaterThan(requestsTo(own.web.log, host, '/a/b/a/b/').length + 4);
    } else {
      expect(asked).toBe(most);
      expect(summary).toMatchObject({ reason: 'max_urls', truncated: 'max_urls' });
    }
  });
});

describe('resume --allow-trap', () => {
  const own = box();
  const here = () => own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
  const asked = (host: string) => requestsTo(own.web.log, host).map(({ path }) => path);

  it('crawls what was cut for its looks, and what that leads to', async () => {
    const cut = '/a/a/a/a/';
    own.web.site(
      'looks.test',
      pathSite({
        '/': html(linkPage('Home', [cut, '/b/b/b/b/'])),
        [cut]: html(linkPage('A trap?', ['/found'])),
        '/b/b/b/b/': html(linkPage('Another', [])),
        '/found': html(linkPage('Found', [])),
      }),
    );
    const { directory, summary } = await own.crawl(['http://looks.test/'], ['--seeding-strategy', 'none']);
    expect(summary.traps.map(({ count, examples }) => [count, examples])).toEqual([
      [1, [`http://looks.test${cut}`]],
      [1, ['http://looks.test/b/b/b/b/']],
    ]);
    own.web.clearLog();
    const run = await inProcess(['resume', directory, '--allow-trap', summary.traps[0]!.pattern, ...here()]);
    expect(run.code, run.stderr).toBe(0);
    expect(asked('looks.test')).toEqual([cut, '/found']);
    const pages = new Map(readPages(directory).map((page) => [page.url, page]));
    expect(pages.get(`http://looks.test${cut}`)).toMatchObject({ state: 'done' });
    expect(pages.get('http://looks.test/b/b/b/b/')).toMatchObject({ state: 'skipped', reason: 'trap' });
    expect(readSummary(directory).traps).toMatchObject([{ pattern: 'http://looks.test/b/… repeats "b"', count: 1 }]);
  });

  it('goes on with a pattern that had brought nothing new', async () => {
    own.web.site('endless.test', pagination());
    const args = ['--seeding-strategy', 'none', '--max-query-variants', '12'];
    const { directory, summary } = await own.crawl(['http://endless.test/'], args);
    const [trap] = summary.traps;
    const before = asked('endless.test').filter((path) => path.startsWith('/list?'));
    own.web.clearLog();
    const more = ['--allow-trap', trap!.pattern, '--max-urls', String(before.length + 3 + 20)];
    const run = await inProcess(['resume', directory, ...more, ...here()]);
    expect(run.code, run.stderr).toBe(0);
    const next = Array.from({ length: 20 }, (_, n) => `/list?page=${before.length + 1 + n}`);
    expect(asked('endless.test')).toEqual(next);
    expect(readSummary(directory)).toMatchObject({ truncated: 'max_urls', traps: [] });
  });

  it('leaves everything as it is where nothing is allowed that was not before', async () => {
    own.web.site('same.test', recursion());
    const { directory, summary } = await own.crawl(['http://same.test/'], ['--seeding-strategy', 'none']);
    own.web.clearLog();
    const run = await inProcess(['resume', directory, '--allow-trap', 'http://other.test/**', ...here()]);
    expect(run.code, run.stderr).toBe(0);
    expect(asked('same.test')).toEqual([]);
    expect(readSummary(directory).traps).toEqual(summary.traps);
  });
});

/** Ten times as many as a pattern may have without bringing anything new. */
const PRODUCTS = 5_000;

describe('what only looks like a trap', () => {
  const own = box();

  it('a shop of 5,000 products under ?id= loses none of them', async () => {
    own.web.site('shop.test', shop(PRODUCTS));
    const { pages, summary } = await own.crawl(
      ['http://shop.test/'],
      ['--max-inflight-per-host', '64', '--no-auto-tune'],
    );
    const products = [...pages.values()].filter(({ url, state }) => url.includes('/item?id=') && state === 'done');
    expect(products).toHaveLength(PRODUCTS);
    expect(summary.traps).toEqual([]);
    expect(new Set(own.web.log.filter(({ path }) => path.startsWith('/item')).map(({ path }) => path)).size).toBe(
      PRODUCTS,
    );
  }, 120_000);
});

describe('limits of the looks of a URL', () => {
  const own = box();

  it('hold for one that is first linked with nofollow and then without', async () => {
    const deep = '/a/a/a/a/end';
    own.web.site(
      'later.test',
      pathSite({
        '/': html(
          `<a rel="nofollow" href="${deep}">not yet</a> <a rel="nofollow" href="/fine">nor this</a> <a href="/next">next</a>`,
        ),
        '/next': html(linkPage('Next', [deep, '/fine'])),
        '/fine': html(linkPage('Fine', [])),
        [deep]: html(linkPage('A trap', [])),
      }),
    );
    const { pages, summary } = await own.crawl(['http://later.test/'], ['--seeding-strategy', 'none']);
    expect(pages.get(`http://later.test${deep}`)).toMatchObject({ state: 'skipped', reason: 'trap', depth: 2 });
    expect(pages.get('http://later.test/fine')).toMatchObject({ state: 'done' });
    expect(requestsTo(own.web.log, 'later.test', deep)).toEqual([]);
    expect(summary.traps).toMatchObject([{ pattern: 'http://later.test/a/… repeats "a"', count: 1 }]);
    expect(summary.bySkipReason).toEqual({ trap: 1 });
  });

  it('0 switches each of them off', async () => {
    own.web.site('deep.test', recursion());
    const off = [
      '--max-segment-repeats',
      '0',
      '--max-path-segments',
      '0',
      '--max-shape-variants',
      '0',
      '--max-query-variants',
      '0',
    ];
    const { summary } = await own.crawl(['http://deep.test/'], [...off, '--max-urls', '80']);
    expect(summary.reason).toBe('max_urls');
    expect(requestsTo(own.web.log, 'deep.test', `/${'a/b/'.repeat(70)}`)).toHaveLength(1);
  });
});
