import { beforeAll, describe, expect, it } from 'vitest';
import { check, HASTY } from '../check/checking.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, text, xml } from '../web/site.js';
import { box, type Crawled } from './box.js';
import { inProcess } from './in-process.js';

const feed = (type: string, href: string, rel = 'alternate') => `<link rel="${rel}" type="${type}" href="${href}">`;
const RSS = 'application/rss+xml';
const page = (title: string) => html(linkPage(title, []));

describe('feeds that a page names', () => {
  const own = box();
  let crawled: Crawled;
  const hits = (host: string, path: string) => requestsTo(own.web.log, host, path).length;

  beforeAll(async () => {
    own.web.site(
      'blog.test',
      pathSite({
        '/robots.txt': text('User-agent: *\nDisallow: /closed'),
        '/': html(
          [
            ...[feed(RSS, '/rss.xml'), feed('application/atom+xml; charset=utf-8', 'atom'), feed(RSS, '/rdf.xml')],
            ...[feed(RSS, '/closed/rss.xml'), feed(RSS, 'http://elsewhere.test/rss.xml'), feed(RSS, '/broken.xml')],
            '<a href="/followed.rss">x</a>',
            ...[feed(RSS, '/no.xml', 'alternate nofollow'), feed('text/css', '/no.css'), feed(RSS, '/bomb.xml')],
          ].join(''),
        ),
        '/rss.xml': xml(
          `<rss version="2.0"><channel><link>http://blog.test/</link>
           <item><link>/by-rss?a=1&amp;b=2</link></item><item><guid>http://blog.test/by-guid</guid></item>
           <item><guid isPermaLink="false">http://blog.test/no-guid</guid></item><item><link>http://elsewhere.test/x</link></item>
           <item><link>/closed/page</link></item></channel></rss>`,
        ),
        '/atom': xml(
          '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="self" href="/no-self"/><link href="by-atom"/></entry></feed>',
        ),
        '/rdf.xml': xml(
          '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><item><link>/by-rdf</link></item></rdf:RDF>',
        ),
        '/followed.rss': {
          headers: { 'content-type': 'application/rss+xml' },
          body: '<rss><channel><item><link>/by-followed</link></item></channel></rss>',
        },
        '/by-followed': page('Followed'),
        '/broken.xml': xml('<rss><channel><item><link>/by-broken</link></item><item><link>/x</li'),
        '/bomb.xml': xml(
          '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><rss><channel><item><link>/&b;</link></item></channel></rss>',
        ),
        ...Object.fromEntries(
          ['/by-rss?a=1&b=2', '/by-guid', '/by-atom', '/by-rdf', '/by-broken', '/closed/page'].map((path) => [
            path,
            page(path),
          ]),
        ),
      }),
    );
    own.web.site('elsewhere.test', pathSite({ '/rss.xml': xml('<rss/>'), '/x': page('X') }));
    crawled = await own.crawl(['http://blog.test/'], []);
  });

  it.each(['/by-rss?a=1&b=2', '/by-guid', '/by-atom', '/by-rdf', '/by-broken'])(
    'lead to %s, one click away',
    (path) => {
      expect(hits('blog.test', path)).toBe(1);
      expect(crawled.pages.get(`http://blog.test${path}`)).toMatchObject({ state: 'done', depth: 1 });
    },
  );

  it('are asked for in scope only, once, as robots.txt allows, and not where a link says nofollow', () => {
    expect(['/rss.xml', '/atom', '/rdf.xml', '/broken.xml'].map((path) => hits('blog.test', path))).toEqual([
      1, 1, 1, 1,
    ]);
    expect(
      ['/closed/rss.xml', '/closed/page', '/no.xml', '/no.css', '/no-self', '/no-guid'].map((path) =>
        hits('blog.test', path),
      ),
    ).toEqual([0, 0, 0, 0, 0, 0]);
    expect(requestsTo(own.web.log, 'elsewhere.test')).toEqual([]);
  });

  it('a feed that a link leads to is a page, and its entries are one click from it', () => {
    expect(crawled.pages.get('http://blog.test/followed.rss')).toMatchObject({ state: 'done', depth: 1, links: 1 });
    expect(crawled.pages.get('http://blog.test/by-followed')).toMatchObject({ state: 'done', depth: 2 });
  });

  it('are no pages', () => {
    expect([...crawled.pages.keys()].filter((url) => /\.xml$|\/atom$/.test(url))).toEqual([]);
  });
});

describe('without sitemaps there are no feeds', () => {
  const own = box();

  it('--seeding-strategy none does not ask for them', async () => {
    own.web.site(
      'quiet.test',
      pathSite({
        '/': html(feed(RSS, '/rss.xml')),
        '/rss.xml': xml('<rss><channel><item><link>/x</link></item></channel></rss>'),
      }),
    );
    await own.crawl(['http://quiet.test/'], ['--seeding-strategy', 'none']);
    expect(requestsTo(own.web.log, 'quiet.test').map(({ path }) => path)).toEqual(['/robots.txt', '/']);
  });
});

describe('a feed about one page', () => {
  const own = box();

  it('is not asked for: comments of a post, of a section only that which its posts name', async () => {
    const post = (path: string) =>
      html(`${feed(RSS, `${path}feed/`)}${feed(RSS, '/blog/feed/')}${feed(RSS, '/comments/feed/')}`);
    own.web.site(
      'wordpress.test',
      pathSite({
        '/': html(`${feed(RSS, '/feed/')}${linkPage('Home', ['/blog/', '/?p=7', '/t/1', '/alone/'])}`),
        '/feed/': xml('<rss/>'),
        '/comments/feed/': xml('<rss/>'),
        '/blog/': html(`${feed(RSS, '/blog/feed/')}${linkPage('Blog', ['/blog/a/', '/blog/b'])}`),
        '/blog/feed/': xml('<rss><channel><item><link>/blog/old/</link></item></channel></rss>'),
        '/blog/a/': post('/blog/a/'),
        '/blog/b': post('/blog/b/'),
        '/blog/old/': post('/blog/old/'),
        '/?p=7': html(feed(RSS, '/?feed=rss2&amp;p=7')),
        '/t/1': html(`${feed(RSS, '/t/1.rss')}${feed(RSS, '/t/10')}`),
        '/t/10': xml('<rss/>'),
        '/alone/': html(feed(RSS, '/alone/feed/')),
      }),
    );
    await own.crawl(['http://wordpress.test/']);
    const asked = requestsTo(own.web.log, 'wordpress.test').map(({ path }) => path);
    expect(asked.filter((path) => /feed|rss|10$/.test(path)).sort()).toEqual([
      '/blog/feed/',
      '/comments/feed/',
      '/feed/',
      '/t/10',
    ]);
    expect(asked.filter((path) => path === '/blog/old/').length).toBe(1);
  });
});

describe('a feed that is named and linked', () => {
  const own = box();
  let site: string;

  beforeAll(() => {
    site = `http://127.0.0.1:${own.web.port}`;
    own.web.site(
      '127.0.0.1',
      pathSite({
        '/named-first': html(linkPage('Home', ['/names', '/links'])),
        '/linked-first': html(linkPage('Home', ['/links', '/names'])),
        '/names': html(feed(RSS, '/feed')),
        '/links': html(linkPage('Links', ['/feed'])),
        '/feed': {
          headers: { 'content-type': RSS },
          body: '<rss><channel><item><link>/entry</link><enclosure url="/gone.mp3"/></item></channel></rss>',
        },
        '/entry': page('Entry'),
      }),
    );
  });

  it.each(['/named-first', '/linked-first'])('is a page all the same, with its edges: %s', async (home) => {
    const { pages, directory } = await own.crawl([site + home], ['--allow-private']);
    expect(pages.get(`${site}/feed`)).toMatchObject({ state: 'done', depth: 2, links: 2 });
    expect(pages.get(`${site}/entry`)).toMatchObject({ state: 'done', depth: 1 });
    expect(pages.has(`${site}/gone.mp3`)).toBe(false);
    const targets = await own.edgeTargets(directory);
    expect(['/feed', '/entry', '/gone.mp3'].filter((path) => !targets.has(site + path))).toEqual([]);
  });

  it.each(['/named-first', '/linked-first'])('is a link of a check, and so is what it names: %s', async (home) => {
    const { byUrl } = await check([site + home, ...HASTY], { code: 1 });
    expect(byUrl.get(`${site}/feed`)).toMatchObject({ verdict: 'ok', sourceCount: 2 });
    expect(byUrl.get(`${site}/gone.mp3`)).toMatchObject({
      verdict: 'dead',
      sources: [{ page: `${site}/feed`, kind: 'link', href: `${site}/gone.mp3` }],
    });
  });
});

describe('what comes with the entries of a feed', () => {
  const own = box();

  it('is looked at by a check, wherever it is, and asked for by no crawl', async () => {
    const site = `http://127.0.0.1:${own.web.port}`;
    const elsewhere = `http://localhost:${own.web.port}`;
    own.web.site(
      '127.0.0.1',
      pathSite({
        '/': html(feed(RSS, '/feed')),
        '/feed': xml(
          `<rss><channel><item><link>/one</link><enclosure url="/fine.mp3"/><enclosure url="/gone.mp3"/>
           <enclosure url="${elsewhere}/gone.mp3"/></item></channel></rss>`,
        ),
        '/one': page('One'),
        '/fine.mp3': { headers: { 'content-type': 'audio/mpeg' }, body: 'ID3' },
      }),
    );
    own.web.site('localhost', pathSite({}));
    await own.crawl([`${site}/`], ['--allow-private']);
    expect(own.web.log.filter(({ path }) => path.endsWith('.mp3'))).toEqual([]);
    const { byUrl } = await check([`${site}/`, '--allow-private', ...HASTY], { code: 1 });
    expect(byUrl.get(`${site}/fine.mp3`)).toMatchObject({ verdict: 'ok' });
    for (const url of [`${site}/gone.mp3`, `${elsewhere}/gone.mp3`]) {
      expect(byUrl.get(url)).toMatchObject({
        verdict: 'dead',
        sources: [{ page: `${site}/feed`, kind: 'sitemap', href: url }],
      });
    }
  });
});

describe('feeds and sitemaps', () => {
  const own = box();

  it('are not asked for where depth forbids all that they and sitemaps could name, but once it does not', async () => {
    const site = 'http://small.test';
    own.web.site(
      'small.test',
      pathSite({
        '/': html(feed(RSS, '/rss.xml')),
        '/rss.xml': xml(`<rss><channel><item><link>${site}/by-rss</link></item></channel></rss>`),
        '/sitemap.xml': xml(`<urlset><url><loc>${site}/by-sitemap</loc></url></urlset>`),
        '/by-rss': page('A'),
        '/by-sitemap': page('B'),
      }),
    );
    const paths = () => own.web.log.filter(({ host }) => host.startsWith('small.test')).map(({ path }) => path);
    const { directory, summary } = await own.crawl([`${site}/`], ['--depth', '0']);
    expect(paths()).toEqual(['/robots.txt', '/']);
    expect(summary.sitemapFiles.notRead).toEqual({ depth: 3 });
    const connectTo = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    expect((await inProcess(['resume', directory, '--depth', '1', ...connectTo])).code).toBe(0);
    expect(paths().slice(2).sort()).toEqual([
      '/by-rss',
      '/by-sitemap',
      '/rss.xml',
      '/sitemap.xml',
      '/sitemap_index.xml',
    ]);
  });
});
