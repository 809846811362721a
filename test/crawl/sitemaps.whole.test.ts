import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { explanationText } from '../../src/cli/explain-command.js';
import { explain } from '../../src/explain/explain.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, redirect, sitemapIndex, text, urlset, xml } from '../web/site.js';
import { box, type Crawled, fates } from './box.js';

const page = (title: string, hrefs: string[] = []) => html(linkPage(title, hrefs));

describe('sitemaps', () => {
  const own = box();

  /** GETs of a host, by path. */
  const hits = (host: string, path: string) => requestsTo(own.web.log, host, path).length;

  describe('of all kinds of places', () => {
    let crawled: Crawled;
    const at = (path: string) => `http://maps.test${path}`;

    beforeAll(async () => {
      own.web.site(
        'maps.test',
        pathSite({
          '/robots.txt': text(
            [
              'User-agent: *',
              'Disallow: /closed',
              `Sitemap: ${at('/named.xml')}`,
              `Sitemap: ${at('/sitemap.xml')}`,
              'Sitemap: http://keeper.test/for-maps.xml',
              `Sitemap: ${at('/closed/hidden.xml')}`,
              `Sitemap: ${at('/moved.xml')}`,
              `Sitemap: ${at('/missing.xml')}`,
            ].join('\n'),
          ),
          '/': page('Home', ['/linked', '/named.xml']),
          '/linked': page('Linked'),
          '/named.xml': xml(urlset([at('/orphan-named'), at('/linked'), at('/closed/page'), 'http://outside.test/x'])),
          '/sitemap.xml': xml(sitemapIndex([at('/packed.xml.gz'), at('/level-1.xml')])),
          '/sitemap_index.xml': xml(sitemapIndex([at('/packed.xml.gz'), at('/named.xml')])),
          '/packed.xml.gz': {
            headers: { 'content-type': 'application/gzip' },
            body: gzipSync(urlset([at('/orphan-packed'), at('/orphan-named')])),
          },
          '/level-1.xml': xml(sitemapIndex([at('/level-2.xml')])),
          '/level-2.xml': xml(sitemapIndex([at('/level-3.xml')])),
          '/level-3.xml': xml(urlset([at('/orphan-deep')])),
          '/moved.xml': redirect('/moved-here.xml'),
          '/moved-here.xml': text(`${at('/orphan-listed')}\n`),
          ...Object.fromEntries(
            ['named', 'packed', 'deep', 'listed', 'kept'].map((name) => [`/orphan-${name}`, page(name, ['/below'])]),
          ),
          '/below': page('Below'),
          '/closed/hidden.xml': xml(urlset([at('/orphan-hidden')])),
          '/closed/page': page('Closed'),
        }),
      );
      own.web.site('keeper.test', pathSite({ '/for-maps.xml': xml(urlset([at('/orphan-kept')])) }));
      own.web.site('outside.test', pathSite({ '/x': page('Outside') }));
      crawled = await own.crawl(['http://maps.test/']);
    }, 60_000);

    it('give their pages a depth of one, whether robots.txt, a usual place, an index or another host names them', () => {
      for (const name of ['named', 'packed', 'deep', 'listed', 'kept']) {
        expect(crawled.pages.get(at(`/orphan-${name}`)), name).toMatchObject({ state: 'done', depth: 1 });
      }
      expect(crawled.pages.get(at('/below'))).toMatchObject({ state: 'done', depth: 2 });
    });

    it('are fetched once each however often they are named, and so are the pages in them', () => {
      const files = [
        '/sitemap.xml',
        '/sitemap_index.xml',
        '/packed.xml.gz',
        '/level-1.xml',
        '/level-2.xml',
        '/level-3.xml',
      ];
      for (const path of [...files, '/moved.xml', '/moved-here.xml', '/orphan-named', '/orphan-packed', '/linked']) {
        expect(hits('maps.test', path), path).toBe(1);
      }
      expect(requestsTo(own.web.log, 'keeper.test').map(({ path }) => path)).toEqual(['/robots.txt', '/for-maps.xml']);
    });

    it('are not fetched where robots.txt forbids them, and neither are forbidden pages in them', () => {
      expect(own.web.log.filter(({ path }) => path.startsWith('/closed'))).toEqual([]);
      expect(crawled.pages.get(at('/closed/page'))).toMatchObject({ state: 'skipped', reason: 'robots' });
    });

    it('add no URL that is out of scope, and are no pages themselves unless a page links to them', () => {
      expect(requestsTo(own.web.log, 'outside.test')).toEqual([]);
      const maps = [...crawled.pages.keys()].filter((url) => /\.xml/.test(url));
      expect(maps).toEqual([at('/named.xml')]);
    });
  });

  it('nest no deeper than three', async () => {
    const level = (n: number) => `http://deep.test/level-${n}.xml`;
    const levels = Array.from({ length: 6 }, (_, n) => [`/level-${n}.xml`, xml(sitemapIndex([level(n + 1)]))] as const);
    own.web.site(
      'deep.test',
      pathSite({ '/robots.txt': text(`Sitemap: ${level(0)}\n`), '/': page('Home'), ...Object.fromEntries(levels) }),
    );
    await own.crawl(['http://deep.test/']);
    const asked = requestsTo(own.web.log, 'deep.test').map(({ path }) => path);
    expect(asked.filter((path) => path.startsWith('/level')).sort()).toEqual(
      [0, 1, 2, 3].map((n) => `/level-${n}.xml`),
    );
  });

  it('are 1,000 files of a host, and what was not read is told, summed up and explained', async () => {
    const file = (n: number) => `http://many.test/map-${n}.xml`;
    const one = xml(urlset(['http://many.test/orphan']));
    own.web.site(
      'many.test',
      pathSite({
        '/robots.txt': text('Sitemap: http://many.test/all.xml\n'),
        '/': page('Home'),
        '/orphan': page('Orphan'),
        '/all.xml': xml(sitemapIndex(Array.from({ length: 1_100 }, (_, n) => file(n)))),
        ...Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`/map-${n}.xml`, one])),
      }),
    );
    const { run, directory, summary } = await own.crawl(['http://many.test/']);
    const files = requestsTo(own.web.log, 'many.test').filter(({ path }) => path.endsWith('.xml'));
    expect(files).toHaveLength(1_000);
    // Two of the thousand are the usual places, where there is none.
    const counted = { read: 998, failed: 2, notRead: { limit: 103 } };
    expect(summary.sitemapFiles).toEqual({ ...counted, cutHosts: [{ host: 'many.test', files: 103 }] });
    expect(run.stderr).toContain('many.test: 103 sitemap files were not read: 1,000 of a host are');
    expect(run.stderr).toMatch(/sitemap files +998 read, not read: 103 limit; most at many\.test: 103/);
    const asked = new Set(files.map(({ path }) => path));
    const left = Array.from({ length: 1_100 }, (_, n) => file(n)).find((url) => !asked.has(new URL(url).pathname))!;
    expect(explain(directory, left)).toMatchObject({
      ...{ kind: 'sitemap', state: 'skipped', reason: 'limit' },
      what: 'not read: 1,000 sitemap files of a host are read, no more',
      sitemaps: { host: 'many.test', ...counted },
    });
    expect(explanationText(explain(directory, 'http://many.test/nobody-names-it'))).toContain(
      '998 files of many.test read, not read: 103 limit',
    );
  });

  it('are sought for every host in scope, also one that only links lead to', async () => {
    for (const [name, links] of [
      ['top.test', ['http://sub.top.test/']],
      ['sub.top.test', []],
    ] as const) {
      own.web.site(
        name,
        pathSite({
          '/': page(name, [...links]),
          '/sitemap.xml': xml(urlset([`http://${name}/orphan`])),
          '/orphan': page('Orphan'),
        }),
      );
    }
    const { pages } = await own.crawl(['http://top.test/']);
    expect(pages.get('http://sub.top.test/orphan')).toMatchObject({ state: 'done', depth: 1 });
  });

  it('are not asked for with --seeding-strategy none', async () => {
    own.web.site(
      'plain.test',
      pathSite({ '/': page('Home'), '/sitemap.xml': xml(urlset(['http://plain.test/orphan'])) }),
    );
    const { pages } = await own.crawl(['http://plain.test/'], ['--seeding-strategy', 'none']);
    expect([...pages.keys()]).toEqual(['http://plain.test/']);
    expect(requestsTo(own.web.log, 'plain.test').map(({ path }) => path)).toEqual(['/robots.txt', '/']);
  });

  it('that are hostile cost their own URLs and nothing else', async () => {
    const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const dtd = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY l0 "ha">${laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>`;
    const spaces = Buffer.alloc(64 * 1024 * 1024, ' ');
    const names = ['dtd', 'entity', 'bomb', 'broken', 'nonsense', 'circle'];
    own.web.site(
      'hostile.test',
      pathSite({
        '/robots.txt': text(names.map((name) => `Sitemap: http://hostile.test/${name}.xml`).join('\n')),
        '/': page('Home', ['/linked']),
        '/linked': page('Linked'),
        '/dtd.xml': xml(`${dtd}<urlset><url><loc>http://hostile.test/&l9;</loc></url></urlset>`),
        '/entity.xml': xml(`${dtd}<urlset><url><loc>http://hostile.test/&file;</loc></url></urlset>`),
        '/bomb.xml': { headers: { 'content-type': 'application/x-gzip' }, body: gzipSync(spaces) },
        '/broken.xml': xml('<urlset><url><loc>http://hostile.test/before-the-end</loc></url><url><loc>http://hos'),
        '/nonsense.xml': xml(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 89) % 256))),
        '/circle.xml': xml(sitemapIndex(['http://hostile.test/circle.xml', 'http://hostile.test/circle.xml?again'])),
        '/circle.xml?again': xml(sitemapIndex(['http://hostile.test/circle.xml'])),
        '/before-the-end': page('Before the end'),
      }),
    );
    const { pages, run } = await own.crawl(['http://hostile.test/']);
    expect(pages.get('http://hostile.test/linked')).toMatchObject({ state: 'done' });
    expect(pages.get('http://hostile.test/before-the-end')).toMatchObject({ state: 'done', depth: 1 });
    expect(Object.keys(fates(pages)).filter((url) => /ha|root|passwd/.test(url))).toEqual([]);
    expect(run.stderr).not.toContain('root:');
    expect(requestsTo(own.web.log, 'hostile.test', '/circle.xml')).toHaveLength(1);
  });

  it('are found where robots.txt names them by path, and with --ignore-robots too', async () => {
    const long = `/${'x'.repeat(5_000)}.xml`;
    for (const host of ['obeys.test', 'ignores.test']) {
      own.web.site(
        host,
        pathSite({
          '/robots.txt': text(`User-agent: *\nDisallow: /closed\nSitemap: /maps/by-path.xml\nSitemap: ${long}\n`),
          '/': page('Home', ['/closed']),
          '/closed': page('Closed'),
          '/maps/by-path.xml': xml(urlset([`http://${host}/orphan`])),
          '/orphan': page('Orphan'),
        }),
      );
    }
    await Promise.all([
      own.crawl(['http://obeys.test/'], []),
      own.crawl(['http://ignores.test/'], ['--ignore-robots']),
    ]);
    const asked = (host: string) => [
      hits(host, '/robots.txt'),
      hits(host, '/orphan'),
      hits(host, '/closed'),
      hits(host, long),
    ];
    expect(asked('obeys.test')).toEqual([1, 1, 0, 0]);
    expect(asked('ignores.test')).toEqual([1, 1, 1, 0]);
  });
});
