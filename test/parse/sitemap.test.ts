import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSitemap } from '../../src/parse/sitemap.js';
import type { SitemapLimits } from '../../src/parse/sitemap-entries.js';

const LIMITS: SitemapLimits = { maxUrls: 50_000, maxBytes: 50_000_000, baseUrl: 'https://example.org/sitemap.xml' };
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

const readBytes = (bytes: Uint8Array, limits: Partial<SitemapLimits> = {}) =>
  readSitemap(bytes, { ...LIMITS, ...limits });
const read = (text: string, limits?: Partial<SitemapLimits>) => readBytes(new TextEncoder().encode(text), limits);
const urls = (text: string): string[] => read(text).entries.map(({ url }) => url);
const urlset = (inner: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>${inner}</urlset>\n`;
const url = (loc: string): string => `<url><loc>${loc}</loc></url>`;
const manyUrls = (count: number): string =>
  urlset(Array.from({ length: count }, (_, n) => url(`https://example.org/page/${n}`)).join('\n'));

describe('a sitemap', () => {
  test('gives its URLs, dates and priorities', () => {
    const inner = `
      <url><loc> https://example.org/a </loc><lastmod>2024-05-01T10:00:00+02:00</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>
      <url><lastmod>
        2024-05-02
      </lastmod><loc>https://example.org/b?x=1&amp;y=&#50;&#x33;</loc></url>`;
    expect(read(urlset(inner))).toEqual({
      kind: 'urlset',
      entries: [
        { url: 'https://example.org/a', lastmod: '2024-05-01T10:00:00+02:00', priority: 0.8 },
        { url: 'https://example.org/b?x=1&y=23', lastmod: '2024-05-02', priority: null },
      ],
      truncated: null,
      problem: null,
    });
  });

  test.each([
    ['1', 1],
    ['0.0', 0],
    ['.5', 0.5],
    ['1.', 1],
    ['1.1', null],
    ['-0.5', null],
    ['high', null],
    ['', null],
    ['1e-1', null],
  ])('the priority %j is %s', (written, expected) => {
    const { entries } = read(urlset(`<url><loc>https://example.org/</loc><priority>${written}</priority></url>`));
    expect(entries[0]?.priority).toBe(expected);
  });

  test('is read by local names, whatever the prefixes', () => {
    const text = `<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://example.org/a</sm:loc></sm:url><q:url><q:loc>https://example.org/b</q:loc></q:url></sm:urlset>`;
    expect(urls(text)).toEqual(['https://example.org/a', 'https://example.org/b']);
  });

  test('the addresses of its images and videos are not its URLs', () => {
    const inner = `<url>
      <image:image><image:loc>https://example.org/i.png</image:loc></image:image>
      <loc>https://example.org/a</loc>
      <video:video><video:content_loc>https://example.org/v.mp4</video:content_loc></video:video></url>`;
    expect(urls(urlset(inner))).toEqual(['https://example.org/a']);
  });

  test('its pages in other languages are, each once, and do not count for the limit', () => {
    const alternate = (language: string, attributes = 'rel="alternate"') =>
      `<xhtml:link ${attributes} hreflang="${language}" href="https://example.org/${language}"/>`;
    const entry = (language: string) =>
      `<url><loc>https://example.org/${language}</loc>${alternate('en')}${alternate('de')}${alternate('fr')}</url>`;
    const two = read(urlset(entry('en') + entry('de')), { maxUrls: 2 });
    expect(two.entries.map(({ url }) => url)).toEqual(['en', 'de', 'fr'].map((name) => `https://example.org/${name}`));
    expect(two.truncated).toBe(null);
    const feed = `${alternate('xx', 'rel="next"')}<xhtml:link rel="alternate" href="https://example.org/amp"/>`;
    expect(urls(urlset(`<url><loc>https://example.org/a</loc>${feed}</url>`))).toEqual(['https://example.org/a']);
  });

  test('alternates have a limit of their own', () => {
    const entries = Array.from({ length: 9 }, (_, n) => {
      const link = `<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/${n}"/>`;
      return `<url><loc>https://example.org/${n}</loc>${link}</url>`;
    });
    const { entries: found, truncated } = read(urlset(entries.join('')), { maxUrls: 5 });
    expect(found).toHaveLength(10);
    expect(truncated).toBe('urls');
  });

  test('CDATA is text, and ampersands in it are themselves', () => {
    const inner = url('<![CDATA[https://example.org/a?x=1&y=2&amp;z]]>') + url('https://example.org/b<![CDATA[c]]>d');
    expect(read(urlset(inner))).toMatchObject({
      entries: [{ url: 'https://example.org/a?x=1&y=2&amp;z' }, { url: 'https://example.org/bcd' }],
      problem: null,
    });
  });

  test('comments and processing instructions are passed over', () => {
    const text = `<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><!-- <!DOCTYPE x> -->${urlset(`<!-- ${url('https://example.org/no')} -->${url('https://example.org/<!-- x -->a')}`).slice(39)}`;
    expect(read(text)).toMatchObject({ entries: [{ url: 'https://example.org/a' }], problem: null });
  });

  test('relative URLs are resolved', () => {
    expect(urls(urlset(url('/a') + url('b') + url('//other.org/c')))).toEqual([
      'https://example.org/a',
      'https://example.org/b',
      'https://other.org/c',
    ]);
  });

  test('what is no URL of the web is left out and named', () => {
    const inner = ['', 'https://', 'mailto:a@example.org', 'javascript:alert(1)', 'file:///etc/passwd']
      .map(url)
      .join('');
    expect(read(urlset(`${inner}<url/>${url('https://example.org/a')}`))).toMatchObject({
      entries: [{ url: 'https://example.org/a' }],
      problem: 'not a URL: https://',
    });
  });

  test('entries without bounds are left out', () => {
    const inner = url(`https://example.org/${'a'.repeat(9_000)}`) + url(`https://example.org/${'a'.repeat(5_000)}`);
    const { entries, problem } = read(urlset(inner));
    expect(entries.map((entry) => entry.url.length)).toEqual([5_020]);
    expect(problem).toMatch(/^not a URL: https:\/\/example.org\/aaa/);
    expect(problem?.length).toBeLessThan(200);
  });

  test('an empty one is fine', () => {
    expect(read(urlset(''))).toEqual({ kind: 'urlset', entries: [], truncated: null, problem: null });
    expect(read('<urlset/>')).toEqual({ kind: 'urlset', entries: [], truncated: null, problem: null });
  });
});

test('an index gives the sitemaps it names', () => {
  const text = `<sitemapindex ${NAMESPACE}><sitemap><loc>https://example.org/1.xml.gz</loc><lastmod>2024-01-01</lastmod></sitemap><sitemap><loc>https://example.org/2.xml</loc></sitemap></sitemapindex>`;
  expect(read(text)).toEqual({
    kind: 'index',
    entries: [
      { url: 'https://example.org/1.xml.gz', lastmod: '2024-01-01', priority: null },
      { url: 'https://example.org/2.xml', lastmod: null, priority: null },
    ],
    truncated: null,
    problem: null,
  });
});

describe('a list of URLs', () => {
  test.each(['\n', '\r\n', '\r'])('has one a line: %j', (end) => {
    expect(read(`\ufeffhttps://example.org/a${end}${end}  HTTP://example.org/b  ${end}https://example.org/c`)).toEqual({
      kind: 'text',
      entries: ['https://example.org/a', 'http://example.org/b', 'https://example.org/c'].map((url) => ({
        url,
        lastmod: null,
        priority: null,
      })),
      truncated: null,
      problem: null,
    });
  });

  test('keeps its good lines', () => {
    expect(read('https://example.org/a\n/relative\n\u001b[2J\nhttps://example.org/b')).toMatchObject({
      kind: 'text',
      entries: [{ url: 'https://example.org/a' }, { url: 'https://example.org/b' }],
      problem: 'not a URL: /relative',
    });
  });

  test('the line that the cap cuts is not used', () => {
    expect(read('https://example.org/a\nhttps://example.org/b', { maxBytes: 42 })).toMatchObject({
      entries: [{ url: 'https://example.org/a' }],
      truncated: 'bytes',
      problem: null,
    });
  });
});

describe('a sitemap with faults', () => {
  test('says what is no absolute URL of the web, and reads what it can', () => {
    const { entries, faults, unread } = read(
      urlset(['/a', 'ftp://x/', 'http://[', 'HTTPS://example.org/b'].map(url).join('')),
    );
    expect(entries.map((entry) => entry.url)).toEqual(['https://example.org/a', 'https://example.org/b']);
    expect([faults, unread]).toEqual([['/a', 'ftp://x/', 'http://['], undefined]);
    expect(read('<rss><channel><item><link>/a</link></item></channel></rss>').faults).toBeUndefined();
  });

  test('keeps a thousand of them, and says how many more there are', () => {
    const { faults, unread } = read(urlset(Array.from({ length: 1_005 }, (_, n) => url(`x${n}:`)).join('')));
    expect([faults?.length, unread]).toEqual([1_000, '5 more of its entries are no URLs']);
  });

  test.each([
    ['<urlset><url></urlset>', 'xml: 1:22: unexpected close tag.'],
    ['<!DOCTYPE html><p>', 'it has a DTD, and what follows is not read'],
    ['<html/>', 'not a sitemap: <html>'],
    ['', 'empty'],
    [urlset(url('https://example.org/?a&b')), undefined],
    [manyUrls(4), 'it has more than 3 URLs'],
  ])('says why not all of it is read: %#', (text, unread) => {
    expect(read(text, { maxUrls: 3 }).unread).toBe(unread);
  });
});

describe('a feed', () => {
  test('of RSS gives the links of its items', () => {
    const text = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://example.org/</link>
      <atom:link href="https://example.org/rss" rel="self"/>
      <item><title>A &amp; B</title><link>https://example.org/a</link><pubDate>Tue, 10 Jun 2003 04:00:00 GMT</pubDate>
        <atom:link href="https://example.org/self" rel="self"/></item>
      <item><link><![CDATA[ https://example.org/b ]]></link><pubDate>one day</pubDate></item><item><title>none</title></item></channel></rss>`;
    expect(read(text)).toEqual({
      kind: 'feed',
      entries: [
        { url: 'https://example.org/a', lastmod: '2003-06-10T04:00:00.000Z', priority: null },
        { url: 'https://example.org/b', lastmod: null, priority: null },
      ],
      truncated: null,
      problem: null,
    });
  });

  test('of Atom gives all alternates of an entry', () => {
    const text = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/en"/><link rel="alternate" hreflang="de"
      href="https://example.org/de"/><link rel="edit" href="https://example.org/edit"/><updated>2024-01-02</updated></entry>
      <entry><link rel="alternate" href="https://example.org/next"/></entry></feed>`;
    expect(urls(text)).toEqual(['https://example.org/en', 'https://example.org/de', 'https://example.org/next']);
  });

  test('of Atom gives the pages of its entries', () => {
    const text = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><link rel="self" href="/feed"/>
      <entry><link rel="edit" href="/edit"/><link rel="alternate" href="/a?x=1&amp;y=2"/><updated>2024-01-01T00:00:00Z</updated></entry>
      <entry><link href="https://other.org/b"/><source><link href="/no"/></source></entry></feed>`;
    expect(read(text)).toMatchObject({
      kind: 'feed',
      entries: [
        { url: 'https://example.org/a?x=1&y=2', lastmod: '2024-01-01T00:00:00Z' },
        { url: 'https://other.org/b', lastmod: null },
      ],
      problem: null,
    });
  });

  test('of RSS 1.0 gives the links of its items', () => {
    const text = `<rdf:RDF xmlns:rdf="x"><channel><link>https://example.org/</link></channel><item rdf:about="x"><link>https://example.org/a</link><dc:date>2024-01-01</dc:date></item></rdf:RDF>`;
    expect(read(text)).toMatchObject({
      kind: 'feed',
      entries: [{ url: 'https://example.org/a', lastmod: '2024-01-01' }],
    });
  });

  test('resolves its links by xml:base, each by the nearest element that has one', () => {
    const text = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://base.org/a/">
      <entry><link href="1"/></entry>
      <entry xml:base="b/"><link xml:base="c/" href="2"/></entry>
      <entry xml:base="mailto:x"><link href="3"/></entry>
      <entry><content><div xml:base="/inner/">x</div></content><link href="4"/></entry></feed>`;
    expect(urls(text)).toEqual([
      'https://base.org/a/1',
      'https://base.org/a/b/c/2',
      'https://base.org/a/3',
      'https://base.org/a/4',
    ]);
    expect(urls('<rss xml:base="/r/"><channel><item xml:base="s/"><link>5</link></item></channel></rss>')).toEqual([
      'https://example.org/r/s/5',
    ]);
  });

  test('tells what comes with an entry apart from its page', () => {
    const rss = `<rss><channel><item><enclosure url="/a.mp3" length="1" type="audio/mpeg"/><link>/a</link></item>
      <item><link>/a.mp3</link><enclosure url="/a.mp3"/><enclosure url="x:no"/></item><item><enclosure url="/b.mp3"/></item></channel></rss>`;
    expect(read(rss)).toMatchObject({
      entries: [
        { url: 'https://example.org/a' },
        { url: 'https://example.org/a.mp3', isEnclosure: true },
        { url: 'https://example.org/a.mp3' },
        { url: 'https://example.org/b.mp3', isEnclosure: true },
      ],
      problem: 'not a URL: x:no',
    });
    const atom = '<feed><entry xml:base="/in/"><link rel="enclosure" href="c.pdf"/><link href="c"/></entry></feed>';
    expect(read(atom).entries).toEqual([
      { url: 'https://example.org/in/c', lastmod: null, priority: null },
      { url: 'https://example.org/in/c.pdf', lastmod: null, priority: null, isEnclosure: true },
    ]);
  });

  test('gives no more enclosures than the limit, and they take no place of a page', () => {
    const item = (n: number) => `<item><enclosure url="/e${n}"/><enclosure url="/f${n}"/><link>/p${n}</link></item>`;
    const { entries } = read(`<rss>${[1, 2, 3].map(item).join('')}</rss>`, { maxUrls: 3 });
    expect(entries.filter(({ isEnclosure }) => isEnclosure).length).toBe(3);
    expect(entries.filter(({ isEnclosure }) => !isEnclosure).length).toBe(3);
  });
});

describe('what is not a sitemap', () => {
  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['hello', 'not a sitemap'],
    ['<html><body><url><loc>https://example.org/</loc></url></body></html>', 'not a sitemap: <html>'],
    ['<!DOCTYPE html><html></html>', 'dtd'],
    ['<', 'xml'],
  ])('%j: %s', (text, problem) => {
    const contents = read(text);
    expect(contents).toMatchObject({ kind: 'unknown', entries: [], truncated: null });
    expect(contents.problem).toContain(problem);
  });
});

describe('encodings', () => {
  const text = `<urlset>${url('https://example.org/\u00e9')}</urlset>`;
  const expected = { kind: 'urlset', entries: [{ url: 'https://example.org/%C3%A9' }], problem: null };
  const bigEndian = (words: string): Buffer => Buffer.from(words, 'utf16le').swap16();

  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16, little end first, with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, little end first', Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${text}`, 'utf16le')],
    ['UTF-16, big end first, with a mark', bigEndian(`\ufeff${text}`)],
    ['UTF-16, big end first', bigEndian(`<?xml version="1.0" encoding="utf-16"?>${text}`)],
    ['Latin 1', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, 'latin1')],
    ['UTF-8 that says it is UTF-16', Buffer.from(`<?xml version="1.0" encoding="utf-16"?>${text}`)],
    ['UTF-8 that says it is something else', Buffer.from(`<?xml version="1.0" encoding="x-nonsense"?>${text}`)],
    ['white space before the declaration', Buffer.from(`\n\n <?xml version="1.0" encoding="utf-8"?>${text}`)],
  ])('%s', (_, bytes) => {
    expect(readBytes(bytes)).toMatchObject(expected);
  });
});

describe('broken XML keeps what came before the fault', () => {
  const good = url('https://example.org/a');

  test.each([
    ['the end is missing', `<urlset>${good}<url><loc>https://example.org/b`],
    ['a tag is cut', `<urlset>${good}<url><lo`],
    ['tags cross', `<urlset>${good}<url><priority></url></priority>${url('https://example.org/b')}</urlset>`],
    ['an attribute is not quoted', `<urlset>${good}<url x=1>${url('https://example.org/b')}</urlset>`],
    ['a control character', `<urlset>${good}\u0001${url('https://example.org/b')}</urlset>`],
    ['a character that does not exist', `<urlset>${good}&#0;${url('https://example.org/b')}</urlset>`],
    ['two roots', `<urlset>${good}</urlset><urlset>${url('https://example.org/b')}</urlset>`],
    ['text after the end', `<urlset>${good}</urlset>x`],
  ])('%s', (_, text) => {
    const contents = read(text);
    expect(contents).toMatchObject({ kind: 'urlset', entries: [{ url: 'https://example.org/a' }], truncated: null });
    expect(contents.entries).toHaveLength(1);
    expect(contents.problem).toMatch(/^xml: \d+:\d+: /);
  });

  test('an entry whose address is complete counts, though it is not closed', () => {
    const contents = read('<urlset><url><loc>https://example.org/a</loc><lastmod>2024-0');
    expect(contents.entries).toEqual([{ url: 'https://example.org/a', lastmod: null, priority: null }]);
  });

  test('a bare ampersand is read as it was meant, and named', () => {
    const inner = url('https://example.org/a?x=1&y=2&nbsp;&copy=3&') + url('https://example.org/b?x=1&amp;y=2');
    expect(read(urlset(inner))).toMatchObject({
      entries: [{ url: 'https://example.org/a?x=1&y=2&nbsp;&copy=3&' }, { url: 'https://example.org/b?x=1&y=2' }],
      problem: 'xml: bare ampersand',
    });
  });

  test('names from the file cannot paint on a terminal or fill it', () => {
    expect(read(`<${'a'.repeat(10_000)}>`).problem?.length).toBeLessThan(100);
    expect(read(`<urlset><${'a'.repeat(10_000)}>`).problem?.length).toBeLessThan(200);
  });
});

describe('caps', () => {
  test('60,000 URLs give the first 50,000', () => {
    const { entries, truncated, problem } = read(manyUrls(60_000));
    expect(entries).toHaveLength(50_000);
    expect(entries.at(-1)?.url).toBe('https://example.org/page/49999');
    expect({ truncated, problem }).toEqual({ truncated: 'urls', problem: null });
  });

  test('as many URLs as the cap are all of them', () => {
    expect(read(manyUrls(10), { maxUrls: 10 }).truncated).toBeNull();
    expect(read(manyUrls(11), { maxUrls: 10 })).toMatchObject({ truncated: 'urls', entries: { length: 10 } });
    expect(read('https://example.org/a\nhttps://example.org/b', { maxUrls: 1 })).toMatchObject({ truncated: 'urls' });
  });

  test('nothing is read after the last URL that fits', () => {
    const text = `<urlset>${url('/a')}${url('/b')}<url></broken>`;
    expect(read(text, { maxUrls: 1 })).toMatchObject({ entries: { length: 1 }, truncated: 'urls', problem: null });
  });

  test('a file over the cap gives what lies before it', () => {
    const text = manyUrls(100);
    const contents = read(text, { maxBytes: text.length / 2 });
    expect(contents).toMatchObject({ kind: 'urlset', truncated: 'bytes', problem: null });
    expect(contents.entries.length).toBeGreaterThan(40);
    expect(contents.entries.length).toBeLessThan(60);
    expect(contents.entries.at(-1)?.url).toBe(`https://example.org/page/${contents.entries.length - 1}`);
  });
});

describe('gzip', () => {
  test('is known by its first bytes', () => {
    const text = manyUrls(1_000);
    expect(readBytes(gzipSync(text))).toEqual(read(text));
    expect(readBytes(gzipSync('https://example.org/a'))).toMatchObject({ kind: 'text', problem: null });
  });

  test('that ends too early gives what there is', () => {
    const packed = gzipSync(manyUrls(1_000));
    const { entries, problem, truncated } = readBytes(packed.subarray(0, packed.length / 2));
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.length).toBeLessThan(1_000);
    expect({ problem, truncated }).toEqual({ problem: 'gzip: unexpected end', truncated: null });
  });

  test('that is damaged gives nothing', () => {
    const packed = gzipSync(manyUrls(1_000));
    packed.fill(0xff, 20, 60);
    expect(readBytes(packed)).toMatchObject({
      kind: 'unknown',
      entries: [],
      truncated: null,
      problem: 'gzip: damaged',
    });
  });

  test('that is larger than the cap gives its beginning', () => {
    const text = manyUrls(2_000);
    const contents = readBytes(gzipSync(text), { maxBytes: text.length / 2 });
    expect(contents).toMatchObject({ kind: 'urlset', truncated: 'bytes', problem: 'gzip: larger than the cap' });
    expect(contents.entries.length).toBeGreaterThan(500);
    expect(contents.entries.length).toBeLessThan(1_001);
  });

  test('a bomb is inflated to the cap and no further', () => {
    const bomb = gzipSync(`<urlset>${url('https://example.org/a')}${' '.repeat(100_000_000)}</urlset>`, { level: 9 });
    const before = process.memoryUsage().arrayBuffers;
    const contents = readBytes(bomb, { maxBytes: 1_000_000 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
    expect(contents).toMatchObject({
      entries: [{ url: 'https://example.org/a' }],
      truncated: 'bytes',
      problem: 'gzip: larger than the cap',
    });
  });

  test('a bomb that lies about its length is one, too', () => {
    const bomb = gzipSync(`<urlset>${url('https://example.org/a')}${' '.repeat(10_000_000)}</urlset>`);
    bomb.writeUInt32LE(10, bomb.length - 4);
    expect(readBytes(bomb, { maxBytes: 1_000_000 })).toMatchObject({
      entries: [{ url: 'https://example.org/a' }],
      truncated: 'bytes',
      problem: 'gzip: larger than the cap',
    });
  });

  test('in gzip is not unpacked twice', () => {
    expect(readBytes(gzipSync(gzipSync(manyUrls(1))))).toMatchObject({ kind: 'unknown', entries: [] });
  });
});

describe('hostile XML', () => {
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

  test.each([
    [
      'a billion laughs',
      `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY l0 "ha">${laughs}]>${urlset(url('&l9;')).slice(38)}`,
    ],
    ['an external entity', `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset>${url('&e;')}</urlset>`],
    [
      'a DTD after a comment',
      `<!-- x --><?pi ?>\n<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><urlset>${url('/a')}</urlset>`,
    ],
    ['a DTD in small letters', `<!doctype x><urlset>${url('/a')}</urlset>`],
    ['a DTD without end', '<!DOCTYPE x ['],
    ['an entity without a DTD', `<!ENTITY x "y"><urlset>${url('/a')}</urlset>`],
    ['a DTD after a byte order mark', `\ufeff<!DOCTYPE x><urlset>${url('/a')}</urlset>`],
  ])('%s is refused', (_, text) => {
    expect(read(text)).toMatchObject({ kind: 'unknown', entries: [], truncated: null, problem: 'dtd' });
  });

  test.each(['<!DOCTYPE x [<!ENTITY e "y">]>', '<!ENTITY e "y">', '<!doctype x>', '<!ELEMENT x ANY>'])(
    'nothing is read after %s',
    (declaration) => {
      expect(read(`<urlset>${url('/a')}${declaration}${url('/b&e;')}</urlset>`)).toMatchObject({
        kind: 'urlset',
        entries: [{ url: 'https://example.org/a', lastmod: null, priority: null }],
        truncated: null,
        problem: 'dtd',
      });
    },
  );

  test.each([
    ['elements in elements', '<a>'.repeat(100_000), 'xml: nested too deeply'],
    ['attributes', `<a ${Array.from({ length: 1_000 }, (_, n) => `a${n}=""`).join(' ')}>`, 'xml: too many attributes'],
    ['a comment', `<!--${'-a'.repeat(1_000_000)}-->`, 'xml: a text or tag without end'],
    ['a text', '\r\n'.repeat(1_000_000), 'xml: a text or tag without end'],
    ['references', '&amp;'.repeat(400_000), 'xml: a text or tag without end'],
    ['ampersands in texts', '<a>&&&&&&&&&&</a>'.repeat(110_000), 'xml: too many bare ampersands'],
    ['an attribute', `<a b="${'x'.repeat(2_000_000)}">`, 'xml: a text or tag without end'],
    ['a name', `<${'a'.repeat(2_000_000)}`, 'xml: a text or tag without end'],
    ['CDATA', `<![CDATA[${'&'.repeat(2_000_000)}`, 'xml: a text or tag without end'],
  ])('%s without end', (_, flood, problem) => {
    expect(read(`<urlset>${url('/a')}${flood}${url('/b')}</urlset>`)).toMatchObject({
      entries: { length: 1 },
      truncated: null,
      problem,
    });
  });

  test('CDATA again and again is read in linear time', () => {
    const text = `<urlset>${url('/a')}<x>${'<![CDATA[&]]>&amp;'.repeat(100_000)}</x>${url('/b')}</urlset>`;
    expect(read(text)).toMatchObject({ entries: { length: 2 }, problem: null });
  });
});

describe('any input', () => {
  const piece = fc.oneof(
    fc.constantFrom('<urlset>', '</urlset>', '<url>', '</url>', '<loc>', '</loc>', '<![CDATA[', ']]>', '<!--', '-->'),
    fc.constantFrom(
      '<?',
      '?>',
      '<!',
      '&',
      '&amp;',
      '&#x',
      '<rss>',
      '<item>',
      '<link href="',
      '">',
      '\0',
      '\ufeff',
      '/a',
    ),
    fc.string(),
  );

  test('is read without a throw', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { entries, kind } = read(pieces.join(''));
        expect(kind === 'unknown' && entries.length > 0).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('also in bytes, and in gzip', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (bytes, isPacked) => {
        const input = isPacked ? Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), bytes]) : bytes;
        expect(readBytes(input).entries).toEqual([]);
      }),
    );
  });

  test('cut anywhere gives the first of its URLs', () => {
    const text = urlset(Array.from({ length: 20 }, (_, n) => url(`/${n}`)).join(''));
    fc.assert(
      fc.property(fc.nat(text.length), (length) => {
        const found = urls(text.slice(0, length));
        expect(found).toEqual(found.map((_, n) => `https://example.org/${n}`));
      }),
    );
  });
});
