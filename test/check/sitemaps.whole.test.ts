import { beforeAll, describe, expect, it } from 'vitest';
import { box } from '../crawl/box.js';
import { html, linkPage, pathSite, redirect, text, xml } from '../web/site.js';
import { type Checked, check, HASTY } from './checking.js';

const urlset = (...locs: string[]) =>
  xml(`<urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`);
const index = (...locs: string[]) =>
  xml(`<sitemapindex>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`);
const page = html(linkPage('Page', []));

describe('sitemaps that a check cannot read', () => {
  const own = box();
  let site: string;
  let checked: Checked;

  beforeAll(async () => {
    site = `http://127.0.0.1:${own.web.port}`;
    const named = ['gone', 'down', 'closed', 'broken', 'html', 'cut', 'moved', 'index', 'fine', 'locs', 'loop/1'];
    own.web.site(
      '127.0.0.1',
      pathSite({
        '/robots.txt': text(
          `User-agent: *\nDisallow: /closed\n${named.map((name) => `Sitemap: ${site}/${name}.xml\n`).join('')}`,
        ),
        '/': html('<link rel="alternate" type="application/rss+xml" href="/feed">'),
        '/feed': html('<p>no feed'),
        '/down.xml': html('', 500),
        '/broken.xml': xml(`<urlset><url><loc>${site}/before</loc></url><url></urlset>`),
        '/html.xml': html('<!DOCTYPE html><p>Not here'),
        '/cut.xml': { headers: { 'content-encoding': 'identity' }, body: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]) },
        '/moved.xml': redirect('/nowhere.xml'),
        '/index.xml': index(`${site}/i1.xml`, `${site}/missing.xml`),
        '/i1.xml': index(`${site}/i2.xml`),
        '/i2.xml': index(`${site}/i3.xml`),
        '/i3.xml': index(`${site}/i4.xml`),
        '/i4.xml': urlset(`${site}/too-deep`),
        '/fine.xml': urlset(`${site}/before`, `${site}/dead`),
        '/locs.xml': urlset('http://[bad/', '/before', 'ftp://127.0.0.1/file', `${site}/before`),
        ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`/loop/${n}.xml`, redirect(`/loop/${n + 1}.xml`)])),
        '/before': page,
      }),
    );
    checked = await check([`${site}/`, ...HASTY], { code: 1 });
  });

  it.each([
    ['/gone.xml', 'dead', null],
    ['/down.xml', 'server_error', null],
    ['/closed.xml', 'unchecked', 'robots'],
    ['/broken.xml', 'unchecked', 'sitemap'],
    ['/html.xml', 'unchecked', 'sitemap'],
    ['/cut.xml', 'unchecked', 'sitemap'],
    ['/loop/6.xml', 'unchecked', 'sitemap'],
  ])('one that robots.txt names: %s is %s', (path, verdict, unchecked) => {
    const finding = checked.byUrl.get(site + path);
    expect(finding).toMatchObject({ verdict, unchecked });
    expect([`${site}/loop/5.xml`, null]).toContain(finding!.sources[0]?.page ?? null);
  });

  it.each([
    ['/missing.xml', 'dead', '/index.xml', 'sitemap'],
    ['/i4.xml', 'unchecked', '/i3.xml', 'sitemap'],
    ['/nowhere.xml', 'dead', '/moved.xml', 'sitemap'],
    ['/feed', 'unchecked', '/', 'link'],
  ])('one that another or a page names: %s is %s, with %s as its place', (path, verdict, place, kind) => {
    const findings = checked.links.filter((link) => link.url === site + path && link.verdict === verdict);
    expect(findings).toMatchObject([{ sourceCount: 1, sources: [{ page: site + place, kind, href: site + path }] }]);
  });

  it('counts them by cause, and leaves out what is fine or only guessed', () => {
    expect(checked.summary.unchecked).toEqual({ robots: 1, sitemap: 6 });
    const quiet = ['sitemap', 'sitemap_index', 'fine', 'index', 'locs', 'moved', 'i1', 'i2', 'i3'];
    expect(quiet.filter((name) => checked.byUrl.has(`${site}/${name}.xml`))).toEqual([]);
    expect(checked.byUrl.get(`${site}/before`)).toMatchObject({ verdict: 'ok' });
  });

  it.each([
    ['http://[bad/', 'it cannot be read as a URL'],
    ['/before', 'a sitemap has to name whole URLs, and this one is relative'],
    ['ftp://127.0.0.1/file', 'a sitemap names pages by http and https alone'],
  ])('finds what is no URL of a page in one: %s', (href, why) => {
    expect(checked.links.filter(({ url }) => url === href)).toMatchObject([
      {
        ...{ verdict: 'invalid_url', fails: true, evidence: { why } },
        sources: [{ page: `${site}/locs.xml`, kind: 'sitemap', href }],
      },
    ]);
  });

  it('asks a second time for what failed, and for a guess once', () => {
    const asked = (path: string) => own.web.log.filter((request) => request.path === path).length;
    expect(['/gone.xml', '/down.xml', '/sitemap.xml', '/sitemap_index.xml'].map(asked)).toEqual([2, 2, 1, 1]);
  });
});

describe('a guess that is no sitemap', () => {
  const own = box();

  it.each([
    ['a page', html('<!DOCTYPE html><html lang=en><p>not here')],
    ['a redirect to what is not there', redirect('/nothing')],
    ['an error', html('', 500)],
  ])("is nobody's fault: %s", async (_, answer) => {
    const site = `http://127.0.0.1:${own.web.port}`;
    own.web.site('127.0.0.1', pathSite({ '/': page, '/sitemap.xml': answer }));
    const { summary } = await check([`${site}/`, ...HASTY], { code: 0 });
    expect(summary).toMatchObject({ links: 1, verdicts: { ok: 1 }, unchecked: {} });
  });

  it('but one that is a sitemap and broken is told', async () => {
    const site = `http://127.0.0.1:${own.web.port}`;
    own.web.site('127.0.0.1', pathSite({ '/': page, '/sitemap.xml': xml('<urlset><url><loc>/x</lo') }));
    const { summary } = await check([`${site}/`, ...HASTY]);
    expect(summary.unchecked).toEqual({ sitemap: 1 });
  });

  it('and one that a robots.txt elsewhere names is no guess, whichever comes first', async () => {
    const site = `http://127.0.0.1:${own.web.port}`;
    const other = `http://localhost:${own.web.port}`;
    own.web.site('127.0.0.1', pathSite({ '/': page }));
    own.web.site('localhost', pathSite({ '/robots.txt': text(`Sitemap: ${site}/sitemap.xml`), '/': page }));
    for (const seeds of [
      [site, other],
      [other, site],
    ]) {
      const { byUrl } = await check([...seeds.map((seed) => `${seed}/`), '--allow-private', ...HASTY], { code: 1 });
      expect(byUrl.get(`${site}/sitemap.xml`)).toMatchObject({ status: 404 });
      expect(byUrl.has(`${other}/sitemap.xml`)).toBe(false);
    }
  });
});
