import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite.js';
import { check } from '../check/checking.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer, type SiteRequest } from '../web/site.js';
import { box, type Crawled } from './box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));
const setting = (to: string, cookie: string | string[]): SiteAnswer => ({
  status: 302,
  headers: { location: to, 'set-cookie': cookie },
});
/** Without the cookie: what it says; with it: a page. */
const gated =
  (cookie: string, otherwise: SiteAnswer, title: string, hrefs: string[] = []) =>
  (request: SiteRequest) =>
    (request.headers.cookie ?? '').split('; ').includes(cookie) ? page(title, hrefs) : otherwise;

const SECRET = 's3cret-value';
const LINKS = [
  '/self',
  '/page',
  '/start',
  '/sso',
  '/always',
  '/none',
  '/foreign',
  '/path/in',
  '/secure',
  '/gone',
  '/two-a',
];

const SITE = {
  '/': page('Home', LINKS),
  '/self': gated(`seen=${SECRET}`, setting('/self', `seen=${SECRET}; Path=/; HttpOnly`), 'Behind itself', [
    '/after-self',
  ]),
  '/after-self': page('After'),
  '/page': gated(`gate=${SECRET}`, redirect('/gate?back=/page', 302), 'Behind the gate'),
  '/gate?back=/page': setting('/page', `gate=${SECRET}`),
  '/start': gated('a=1', setting('/middle', 'a=1'), 'Start'),
  '/middle': redirect('/start', 302),
  '/sso': gated('session=9', redirect('http://sso.test/login', 302), 'Signed in'),
  '/ticket': setting('/sso', 'session=9; path=/'),
  '/always': setting('/always', 'always=1'),
  '/none': redirect('/none', 302),
  '/foreign': setting('/foreign', 'x=1; Domain=elsewhere.test'),
  '/path/in': setting('/path/in', 'x=1; Path=/other'),
  '/secure': setting('/secure', 'x=1; Secure'),
  '/gone': setting('/gone', 'x=1; Max-Age=0'),
  '/two-a': gated('b=2', setting('/two-b', 'a=1'), 'A'),
  '/two-b': gated('a=1', setting('/two-a', 'b=2'), 'B'),
};

describe('a circle of redirects that sets a cookie', () => {
  const own = box();
  let crawled: Crawled;
  const at = (path: string) => `http://gates.test${path}`;
  const entry = (path: string) => crawled.pages.get(at(path));
  const cookiesTo = (path: string, host = 'gates.test') =>
    requestsTo(own.web.log, host, path).map(({ headers }) => headers.cookie ?? null);

  beforeAll(async () => {
    own.web.site('gates.test', pathSite(SITE));
    own.web.site('sso.test', pathSite({ '/login': setting('http://gates.test/ticket', 'sso=7') }));
    crawled = await own.crawl(['http://gates.test/'], ['--scope', 'any']);
  }, 60_000);

  it('is asked once more with it, and what comes then counts', () => {
    expect(entry('/self')).toMatchObject({ state: 'done', status: 200, title: 'Behind itself', depth: 1 });
    expect(cookiesTo('/self')).toEqual([null, `seen=${SECRET}`]);
    expect(entry('/after-self')).toMatchObject({ state: 'done', title: 'After', depth: 2 });
    expect(entry('/page')).toMatchObject({ state: 'done', status: 200, title: 'Behind the gate' });
    expect(entry('/gate?back=/page')).toMatchObject({ state: 'done', status: 302, finalUrl: at('/page') });
    expect(cookiesTo('/page')).toEqual([null, `gate=${SECRET}`]);
    expect(entry('/start')).toMatchObject({ status: 200, title: 'Start' });
  });

  it('may go over other hosts: each gets its own cookies and no others', () => {
    expect(entry('/sso')).toMatchObject({ status: 200, title: 'Signed in' });
    expect(cookiesTo('/sso')).toEqual([null, 'session=9']);
    expect(cookiesTo('/login', 'sso.test')).toEqual([null, 'sso=7']);
  });

  it('opens each URL of it by all that the circle set', () => {
    expect([entry('/two-a')!.title, entry('/two-b')!.title]).toEqual(['A', 'B']);
  });

  it('is a loop where that changes nothing, and where there is nothing to send', () => {
    for (const path of ['/always', '/none', '/foreign', '/path/in', '/secure', '/gone']) {
      expect(entry(path), path).toMatchObject({ state: 'failed', reason: 'redirect_loop' });
    }
    expect(cookiesTo('/always')).toEqual([null, 'always=1']);
    for (const path of ['/none', '/foreign', '/path/in', '/secure', '/gone']) {
      expect(cookiesTo(path), path).toEqual([null]);
    }
  });

  it('is counted, and its cookies are in no file of a crawl that is over', () => {
    expect(crawled.summary.refetched).toBe(
      requestsTo(own.web.log, 'gates.test')
        .concat(requestsTo(own.web.log, 'sso.test'))
        .filter(({ headers }) => headers.cookie !== undefined).length,
    );
    for (const name of readdirSync(crawled.directory)) {
      expect(readFileSync(join(crawled.directory, name)).includes(SECRET), name).toBe(false);
    }
    const database = openDatabase(join(crawled.directory, 'crawl.sqlite'));
    const kept = database.prepare('SELECT DISTINCT set_here, sent FROM cookies').all();
    expect(kept.filter(({ set_here, sent }) => (set_here ?? '[]') !== '[]' || sent !== null)).toEqual([]);
    database.close();
  });
});

describe('a check of links that lead through gates', () => {
  const own = box();

  it('says what stands behind them', async () => {
    own.web.site(
      'links.test',
      pathSite({
        '/': page('Home', ['/self', '/always', '/lost', 'http://away.test/page', 'http://away.test/read#part']),
        '/self': SITE['/self'],
        '/after-self': page('After'),
        '/always': SITE['/always'],
        '/lost': ({ headers }) => (headers.cookie === undefined ? setting('/lost', 'x=1') : html('gone', 404)),
      }),
    );
    const away = (request: SiteRequest) =>
      request.headers.cookie === 'g=1' ? html('<p id="part">Here') : redirect(`/gate?${request.path}`, 302);
    own.web.site(
      'away.test',
      pathSite({
        '/page': away,
        '/read': away,
        '/gate?/page': setting('/page', 'g=1; Path=/'),
        '/gate?/read': setting('/read', 'g=1; Path=/'),
      }),
    );
    const to = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const { byUrl } = await check(['http://links.test/', '--delay', '0', ...to]);
    const verdict = (url: string) => byUrl.get(url)?.verdict;
    expect(verdict('http://links.test/self')).toBe('ok');
    expect(verdict('http://links.test/always')).toBe('redirect_loop');
    expect(verdict('http://links.test/lost')).toBe('dead');
    expect(verdict('http://away.test/page')).toBe('ok');
    expect(verdict('http://away.test/read')).toBe('ok');
    expect(verdict('http://away.test/read#part')).toBeUndefined();
  }, 60_000);
});
