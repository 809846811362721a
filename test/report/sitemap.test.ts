import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { LINK_KINDS } from '../../src/parse/links.js';
import { exportFormat } from '../../src/report/index.js';
import { fileNamePart, xmlComment, xmlUrl } from '../../src/report/output.js';
import { sitemapOutput, w3cDate } from '../../src/report/sitemap.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';
import { written } from './memory-files.js';
import { type FixtureUrl, StoreFixture, temporaryFolder } from './store-fixture.js';

const pagesOf = (origin: string, count: number): FixtureUrl[] =>
  Array.from({ length: count }, (_, i) => ({ url: `${origin}/${i}` }));

/** The texts of all elements of a name; throws where the document is not well-formed. */
function textsOf(xml: string, element: string): string[] {
  const texts: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  let inside = false;
  parser.on('opentag', ({ name }) => {
    inside = name === element;
    if (inside) {
      texts.push('');
    }
  });
  parser.on('text', (text) => {
    if (inside) {
      texts[texts.length - 1] += text;
    }
  });
  parser.on('closetag', () => {
    inside = false;
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return texts;
}
const locs = (xml: string): string[] => textsOf(xml, 'loc');

describe('sitemap', () => {
  it('names images and other languages of pages where that is asked for, and nothing that would make it invalid', async () => {
    const store = new StoreFixture([
      {
        url: 'https://a.test/',
        page: {
          hreflang: JSON.stringify({
            de: 'https://a.test/de?a=1&b="2"',
            'x-default': 'https://a.test/',
            'e" n': 'https://a.test/x',
            fr: 'mailto:a',
          }),
        },
      },
      { url: 'https://a.test/pic.png', page: { content_type: 'image/png' } },
      { url: 'https://a.test/b' },
    ]);
    const img = { kind: LINK_KINDS.indexOf('img'), to: 2 };
    store.addEdges(1, [img, img, { kind: LINK_KINDS.indexOf('a'), to: 3 }], [], null);
    const path = join(temporaryFolder(), 'sitemap.xml.gz');
    await exportFormat(store.freshReader(), 'sitemap', { path }, { sitemapExtras: true });
    const xml = gunzipSync(readFileSync(path)).toString();
    expect(locs(xml)).toEqual(['https://a.test/', 'https://a.test/b']);
    expect(textsOf(xml, 'image:loc')).toEqual(['https://a.test/pic.png']);
    expect(xml.match(/<xhtml:link [^>]*>/g)).toEqual([
      '<xhtml:link rel="alternate" hreflang="de" href="https://a.test/de?a=1&amp;b=&quot;2&quot;"/>',
      '<xhtml:link rel="alternate" hreflang="x-default" href="https://a.test/"/>',
    ]);
    expect((await written(sitemapOutput(), store.freshReader())).text).not.toMatch(/image|xhtml/);
  });

  it('says in its index when the newest page of each part has changed, where a page says so', async () => {
    const at = (day: number) => ({ last_modified: `Tue, 0${day} Jan 2024 03:04:05 GMT` });
    const { reader } = new StoreFixture([
      { url: 'https://a.test/1', page: at(2) },
      { url: 'https://a.test/2', page: { last_modified: 'Wed, 03 Jan 2024 03:04:05 GMT' } },
      { url: 'https://a.test/3' },
    ]);
    const { text } = await written(sitemapOutput({ maxUrls: 2, maxBytes: 1e6 }), reader);
    expect(text).toContain('out-1.xml</loc><lastmod>2024-01-03T03:04:05Z</lastmod></sitemap>');
    expect(text).toContain('out-2.xml</loc></sitemap>');
  });

  it('lists pages that are found, HTML, indexable, canonical and in scope, and counts the others by cause', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/' },
      { url: 'https://a.test/xhtml', page: { content_type: 'Application/XHTML+XML' } },
      {
        url: 'https://a.test/self',
        page: { canonical: 'https://a.test/self', robots_meta: 'index,max-image-preview:none' },
      },
      { url: 'https://a.test/hidden', page: { robots_meta: 'nofollow, noindex' } },
      { url: 'https://a.test/none', page: { robots_meta: 'none' } },
      { url: 'https://a.test/?sort=1', page: { canonical: 'https://a.test/' } },
      { url: 'https://a.test/old', page: { status: 301, redirect_to: 1, content_type: 'text/html' } },
      { url: 'https://a.test/loop', page: { status: 302, redirect_to: 8, content_type: 'text/html' } },
      { url: 'https://a.test/empty', page: { status: 204 } },
      { url: 'https://a.test/gone', state: UrlState.failed, reason: 'http_4xx', page: { status: 404 } },
      { url: 'https://a.test/a.pdf', page: { content_type: 'application/pdf' } },
      { url: 'https://a.test/deep', state: UrlState.skipped, reason: 'depth', page: null },
      { url: 'https://a.test/later', state: UrlState.deferred, reason: 'backoff', page: null },
      { url: 'https://b.test/', flags: UrlFlag.external },
      { url: 'db:42' },
      { url: `https://a.test/${'x'.repeat(2048)}` },
    ]);
    const { notes, text } = await written(sitemapOutput(), reader);
    expect(locs(text)).toEqual(['https://a.test/', 'https://a.test/xhtml', 'https://a.test/self']);
    expect(notes).toEqual({
      records: 3,
      files: 1,
      leftOut: {
        external: 1,
        notFetched: 2,
        redirect: 1,
        notOk: 3,
        notHtml: 1,
        noindex: 2,
        canonical: 1,
        notHttp: 1,
        route: 0,
        tooLong: 1,
      },
    });
  });

  it('takes lastmod from Last-Modified only and makes nothing up', async () => {
    const { reader } = new StoreFixture([
      { url: 'https://a.test/1', page: { last_modified: 'Sun, 06 Nov 1994 08:49:37 GMT' } },
      { url: 'https://a.test/2', page: { last_modified: 'yesterday' } },
      { url: 'https://a.test/3' },
    ]);
    const { text } = await written(sitemapOutput(), reader);
    expect(text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' +
        '<url><loc>https://a.test/1</loc><lastmod>1994-11-06T08:49:37Z</lastmod></url>\n' +
        '<url><loc>https://a.test/2</loc></url>\n' +
        '<url><loc>https://a.test/3</loc></url>\n' +
        '</urlset>\n',
    );
  });

  it('is well-formed and exact for URLs that hold what XML gives a meaning to', async () => {
    const urls = [`https://a.test/?a=1&b=2&amp;c`, `https://a.test/'"<>]]>`, 'https://a.test/é%20'];
    const { reader } = new StoreFixture(urls.map((url) => ({ url })));
    expect(locs((await written(sitemapOutput(), reader)).text)).toEqual(urls);
  });

  it('is not written where no page belongs there', async () => {
    const { notes, text } = await written(sitemapOutput(), new StoreFixture().reader);
    expect([notes.records, notes.files, text]).toEqual([0, 0, '']);
  });

  it('says that the crawl was cut short and that robots.txt was ignored', async () => {
    const store = new StoreFixture([{ url: 'https://a.test/' }]);
    store.setMeta('ended', JSON.stringify({ reason: 'max-urls', truncated: 'a --> <b>' }));
    store.setMeta('ignoredRobots', 'true');
    const { text } = await written(sitemapOutput(), store.reader);
    expect(locs(text)).toEqual(['https://a.test/']);
    expect(text).toContain('<!-- robots.txt was ignored -->');
    expect(text).toContain('<!-- truncated: a');
  });
});

describe('splitting a sitemap', () => {
  it('makes parts of at most so many URLs, and an index of them at the root of the host', async () => {
    const { reader } = new StoreFixture(pagesOf('https://a.test:8443', 5));
    const { notes, files } = await written(sitemapOutput({ maxUrls: 2, maxBytes: 1e9 }), reader);
    expect(locs(files['out.xml']!)).toEqual([1, 2, 3].map((n) => `https://a.test:8443/out-${n}.xml`));
    expect([1, 2, 3].map((n) => locs(files[`out-${n}.xml`]!).length)).toEqual([2, 2, 1]);
    expect([1, 2, 3].flatMap((n) => locs(files[`out-${n}.xml`]!))).toEqual(
      pagesOf('https://a.test:8443', 5).map(({ url }) => url),
    );
    expect(notes).toMatchObject({ records: 5, files: 4 });
  });

  it('stays one file at exactly the cap', async () => {
    const { reader } = new StoreFixture(pagesOf('https://a.test', 2));
    expect(Object.keys((await written(sitemapOutput({ maxUrls: 2, maxBytes: 1e9 }), reader)).files)).toEqual([
      'out.xml',
    ]);
  });

  it('never makes a part larger than the cap in bytes, its frame included', async () => {
    const urls = Array.from({ length: 40 }, (_, i) => ({ url: `https://a.test/${'é&'.repeat(i % 7)}${i}` }));
    const { reader } = new StoreFixture(urls);
    const whole = (await written(sitemapOutput(), reader)).text;
    const maxBytes = 400;
    const { files } = await written(sitemapOutput({ maxUrls: 50_000, maxBytes }), reader);
    const { 'out.xml': index, ...parts } = files;
    expect(Math.max(...Object.values(parts).map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(maxBytes);
    expect(locs(index!)).toHaveLength(Object.keys(parts).length);
    expect(Object.values(parts).flatMap(locs)).toEqual(locs(whole));
    const exact = Buffer.byteLength(whole);
    expect(Object.keys((await written(sitemapOutput({ maxUrls: 50, maxBytes: exact }), reader)).files)).toHaveLength(1);
    expect(
      Object.keys((await written(sitemapOutput({ maxUrls: 50, maxBytes: exact - 1 }), reader)).files),
    ).toHaveLength(3);
  });

  it('drops no URL that is over the cap alone', async () => {
    const { reader } = new StoreFixture(pagesOf('https://a.test', 3));
    const { files } = await written(sitemapOutput({ maxUrls: 9, maxBytes: 1 }), reader);
    expect(Object.keys(files)).toHaveLength(4);
  });
});

describe('sitemaps of several hosts', () => {
  it('gives the first seed the name that was asked for and each other origin a file of its own', async () => {
    const store = new StoreFixture([
      { url: 'https://b.test/1' },
      { url: 'https://a.test/1' },
      { url: 'http://a.test/2' },
      { url: 'https://b.test:8443/1' },
      { url: 'https://b.test/2' },
      { url: 'https://a.test/3' },
    ]);
    store.addSeed({ url: 'https://a.test/' });
    const { notes, files } = await written(sitemapOutput(), store.reader);
    expect(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, locs(text)]))).toEqual({
      'out.xml': ['https://a.test/1', 'https://a.test/3'],
      'out-b.test.xml': ['https://b.test/1', 'https://b.test/2'],
      'out-a.test_http.xml': ['http://a.test/2'],
      'out-b.test_8443.xml': ['https://b.test:8443/1'],
    });
    expect(notes).toMatchObject({ records: 6, files: 4 });
  });

  it('counts where the first seed was redirected to as the first seed', async () => {
    const store = new StoreFixture([{ url: 'https://b.test/' }, { url: 'https://www.a.test/' }]);
    store.addSeed({ url: 'http://a.test/', scopeUrls: ['http://a.test/', 'https://www.a.test/'] });
    const { files } = await written(sitemapOutput(), store.reader);
    expect(locs(files['out.xml']!)).toEqual(['https://www.a.test/']);
  });

  it('gives the only host with pages the name that was asked for, whoever the seed was', async () => {
    const store = new StoreFixture([{ url: 'https://b.test/' }]);
    store.addSeed({ url: 'https://a.test/' });
    expect(Object.keys((await written(sitemapOutput(), store.reader)).files)).toEqual(['out.xml']);
  });

  it('splits each of them by itself', async () => {
    const { reader } = new StoreFixture([...pagesOf('https://a.test', 3), ...pagesOf('https://b.test', 3)]);
    const { files } = await written(sitemapOutput({ maxUrls: 2, maxBytes: 1e9 }), reader);
    expect(Object.keys(files).sort()).toEqual(
      ['out.xml', 'out-1.xml', 'out-2.xml', 'out-b.test.xml', 'out-b.test_part1.xml', 'out-b.test_part2.xml'].sort(),
    );
    expect(locs(files['out-b.test.xml']!)).toEqual([1, 2].map((n) => `https://b.test/out-b.test_part${n}.xml`));
  });
});

describe('the name of a host in a file name', () => {
  it.each([
    'https://../../etc',
    'https://a/../b',
    'https://a\\b',
    'https://a\u0000b',
    `https://${'a'.repeat(5000)}.test`,
    'https://[::1]:80',
    'https://1',
    'https://%2e%2e%2f',
    'https://',
    'nonsense',
  ])('is harmless for %j', (origin) => {
    const part = fileNamePart(origin, 'https');
    expect(part).toMatch(/^[\w.-]{1,120}$/);
    expect(part).not.toMatch(/^\d+$/);
  });

  it('is never the same for two origins', () => {
    const label = fc.string({ unit: fc.constantFrom('a', '1', '.', '-', '_', '[', ':', '8', 'é') });
    const origin = fc
      .tuple(fc.constantFrom('http', 'https'), label, fc.constantFrom('', ':8', ':80', ':443'))
      .filter(([, host]) => !/:\d*$/.test(host))
      .map(([scheme, host, port]) => `${scheme}://${host}${port}`);
    fc.assert(
      fc.property(fc.uniqueArray(origin, { maxLength: 50 }), (origins) => {
        expect(new Set(origins.map((each) => fileNamePart(each, 'https'))).size).toBe(origins.length);
      }),
    );
  });
});

describe('dates and text in XML', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z'],
    ['Fri, 30 Feb 2024 00:00:00 GMT', null],
    ['2024', null],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['', null],
    ['0', null],
    ['now GMT', null],
  ])('reads %j as %j', (text, expected) => {
    expect(w3cDate(text)).toBe(expected);
  });

  it('is well-formed whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const xml = `<?xml version="1.0"?>\n${xmlComment(xmlUrl(text))}<r><loc>${xmlUrl(text)}</loc></r>`;
        expect(textsOf(xml, 'loc')).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
    expect(() =>
      textsOf(`${xmlComment('a--b---')}<loc>${xmlUrl('\ud800 \udc00 \u0000 \uffff')}</loc>`, 'loc'),
    ).not.toThrow();
  });
});
