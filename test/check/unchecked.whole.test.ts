import { type CheckLibraryOptions, checkLinks } from 'gossamer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { html, linkPage, pathSite, type Site, text, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Checked, check, HASTY, pathsOf } from './checking.js';
import { ok, status } from './planted.js';

const HOME = 'http://site.test/';
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);
/** Above this number each is gone. */
const ALIVE = 30;
const LAST = 40;

const PRODUCTS = numbers(1, LAST).map((n) => `/product/${n}`);
const LIST = numbers(1, LAST).map((n) => `/list?page=${n}`);
const ISSUES = numbers(1, LAST).map((n) => `http://tracker.test/issues/${n}`);
const DEEP = `/deep${'/d1/d2'.repeat(20)}`;
const AGAIN = '/again/again/again/again';
const LONG = `/${'x'.repeat(5_000)}`;
const GONE = [
  ...[PRODUCTS, LIST].flatMap((paths) => paths.slice(ALIVE).map((path) => `http://site.test${path}`)),
  ...ISSUES.slice(ALIVE),
  `http://site.test${DEEP}/gone`,
  `http://site.test${AGAIN}/gone`,
  `http://site.test${AGAIN}/named`,
];
const ASKED = [...PRODUCTS, ...LIST, `${DEEP}/ok`, `${DEEP}/gone`, `${AGAIN}/ok`, `${AGAIN}/gone`];

/** All its numbered pages say the same; those of /next/ go on for ever. */
const site: Site = {
  handle({ path }) {
    const [, kind, number] = /^\/(product|list|next|issues)[/?](?:page=)?(\d+)$/.exec(path) ?? [];
    if (path === '/robots.txt') {
      return text('User-agent: *\nDisallow: /private/\n');
    }
    if (path === '/sitemap.xml') {
      return xml(urlset([`http://site.test${AGAIN}/named`]));
    }
    if (path === '/') {
      return html(linkPage('Home', HREFS));
    }
    if (path.endsWith('/ok')) {
      return ok;
    }
    if (kind === 'next') {
      return html(linkPage('On and on', [`/next/${Number(number) + 1}`]));
    }
    if (kind !== undefined && Number(number) <= ALIVE) {
      return html(`${linkPage('One of many', ['/'])}<p id="part">`);
    }
    return status(404);
  },
};
const HREFS = [
  ...PRODUCTS,
  '/product/29#part',
  '/product/30#nowhere',
  ...LIST,
  ...ISSUES,
  ...[`${DEEP}/ok`, `${DEEP}/gone`, `${AGAIN}/ok`, `${AGAIN}/gone`],
  ...[LONG, '/private/a', '/next/1'],
];

describe('a site that looks like a trap in many ways', () => {
  let web: WebInABox;
  let checked: Checked;
  beforeAll(async () => {
    web = await openWeb();
    web.site('site.test', site);
    web.site('tracker.test', site);
    const early = ['--max-shape-variants', '10', '--max-query-variants', '10', '--max-inflight-per-ip', '1'];
    const through = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    checked = await check([HOME, ...HASTY, ...early, ...through], { code: 1 });
  }, 60_000);
  afterAll(() => web.close());

  const asked = (host = 'site.test') => pathsOf(web.log, host);
  /** By HEAD, and where that is to be confirmed by the first byte of a GET. */
  const onlyHead = (path: string) =>
    asked().includes(`HEAD ${path}`) &&
    web.log.every(
      (request) => request.method === 'HEAD' || request.path !== path || request.headers.range !== undefined,
    );

  it('has every link of its pages asked for, and each that is gone found', () => {
    const paths = new Set(asked().map((each) => each.replace(/^\S+ /, '')));
    expect(ASKED.filter((path) => !paths.has(path))).toEqual([]);
    const dead = checked.links.filter(({ verdict }) => verdict === 'dead').map(({ url }) => url);
    expect(dead.sort()).toEqual([...GONE].sort());
  });

  it('has no link elsewhere taken for a trap', () => {
    expect(new Set(asked('tracker.test').map((each) => each.replace(/^\S+ /, ''))).size).toBe(LAST + 1);
    const fine = ISSUES.slice(0, ALIVE).map((url) => checked.byUrl.get(url)!.verdict);
    expect(new Set(fine)).toEqual(new Set(['ok']));
  });

  it('is not followed into what it makes without end', () => {
    // Of the host and its type the first by name is confirmed by a GET: that is the one below AGAIN.
    expect(onlyHead(`${DEEP}/ok`)).toBe(true);
    expect(PRODUCTS.slice(0, ALIVE).filter(onlyHead).length).toBeGreaterThan(10);
    const furthest = Math.max(...asked().map((each) => Number(/\/next\/(\d+)/.exec(each)?.[1] ?? 0)));
    expect(furthest).toBeGreaterThan(9);
    expect(furthest).toBeLessThan(20);
  });

  it('has the fragments on its unread pages looked for', () => {
    expect(checked.byUrl.get('http://site.test/product/30#nowhere')).toMatchObject({ verdict: 'missing_fragment' });
    expect(checked.byUrl.has('http://site.test/product/29#part')).toBe(false);
  });

  it('says what was not looked at, by cause', () => {
    const unread = checked.links.filter(({ unchecked }) => unchecked === 'trap');
    const { summary, run } = checked;
    expect(unread.length).toBeGreaterThan(20);
    expect(unread.map(({ status: code }) => code)).toEqual(unread.map(() => 200));
    expect(summary.unchecked).toEqual({ too_long: 1, robots: 1, trap: unread.length });
    expect(summary.verdicts.unchecked).toBe(unread.length + 2);
    expect(run.stderr).toContain(
      ` links, ${unread.length + 2} not looked at: 1 too long, 1 robots.txt, ${unread.length} page of a trap unread (`,
    );
  });
});

describe('a check in which nothing is broken', () => {
  let web: WebInABox;
  beforeAll(async () => {
    web = await openWeb();
    web.site(
      'site.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nDisallow: /private/\n'),
        '/': html(linkPage('Home', ['/a', '/private/a', 'mailto:a@site.test'])),
        '/a': html(linkPage('A', ['/b', '/'])),
        '/b': ok,
      }),
    );
  });
  afterAll(() => web.close());

  async function summaryOf(options: CheckLibraryOptions = {}) {
    const checked = await checkLinks(HOME, { connectTo: web.connectTo, delayMs: 0, ...options });
    checked.close();
    return checked.summary;
  }

  it('does not fail for what it did not look at, unless it is told to', async () => {
    expect(await summaryOf()).toMatchObject({ exitCode: 0, failing: 0, unchecked: { robots: 1 } });
    expect(await summaryOf({ failOn: 'unchecked' })).toMatchObject({ exitCode: 1, failing: 1 });
    expect(await summaryOf({ failOn: 'unchecked', exclude: ['**/private/**'] })).toMatchObject({
      exitCode: 0,
      unchecked: {},
    });
  });

  it.each([
    [{ maxUrls: 1 }, { limit: 2 }, 'max_urls'],
    [{ maxUrlsPerHost: 2 }, { limit: 2 }, null],
  ])('%o leaves links unchecked', async (limit, unchecked, truncated) => {
    expect(await summaryOf({ ...limit, failOn: 'unchecked' })).toMatchObject({ unchecked, truncated, exitCode: 1 });
  });

  it('--depth says which pages are read, and leaves no link on them unchecked', async () => {
    expect(await summaryOf({ depth: 0 })).toMatchObject({ links: 4, unchecked: { robots: 1 }, pages: 1 });
  });
});
