import { gzipSync } from 'node:zlib';
import { type Answer, APART, answer, type Case, document, group, HERE, notFound, page, to } from './case.js';

const scheme = group('scheme');
const robots = group('robots');
const charset = group('charset');
const type = group('type');
const wall = group('wall');
const source = group('source');

/** Nothing that can be asked for by HTTP, so nothing that HTTP could find broken. */
const other = (rest: string, href: string): Case =>
  scheme(rest, 'no link', 'WHATWG URL 4.4; HTML 7.4.2.2', `<a href="${href}">a link</a>`);

export const SCHEME_CASES: readonly Case[] = [
  other('mailto', 'mailto:{name}@example.org?subject=a%20b'),
  other('mailto-upper-case', 'MAILTO:{name}@example.org'),
  other('tel', 'tel:+1-555-0100;ext={name}'),
  other('javascript', "javascript:void('{name}')"),
  other('javascript-newline', " java\nscript:void('{name}')"),
  other('data', 'data:text/plain,{name}'),
  other('blob', 'blob:http://127.0.0.1/{name}'),
  other('urn', 'urn:example:{name}'),
  other('about', 'about:blank?{name}'),
  other('unknown', 'x-editor://open?file={name}'),
];

const RULES = 'RFC 9309 2.2.2';
const rules = (text: string): Answer => answer(200, { 'Content-Type': 'text/plain' }, `User-agent: *\n${text}\n`);
const forbidden = (rest: string, standard: string, robotsTxt: Answer): Case =>
  robots(rest, 'cannot tell', standard, APART, page(), { robots: robotsTxt, never: ['{t}'] });
const allowed = (rest: string, standard: string, robotsTxt: Answer): Case =>
  robots(rest, 'fine', standard, APART, page(), { robots: robotsTxt });

export const ROBOTS_CASES: readonly Case[] = [
  forbidden('forbidden', RULES, rules('Disallow: /t/')),
  forbidden('star', 'RFC 9309 2.2.3', rules('Disallow: /*/{name}$')),
  forbidden('crlf-and-mark', 'RFC 9309 2.3', answer(200, {}, '\ufeffUser-agent: *\r\nDisallow: /t/ # all\r\n')),
  forbidden(
    'groups-merged',
    'RFC 9309 2.2.1',
    rules('Disallow: /x\n\nUser-agent: other\nDisallow: /y\n\nUser-agent: *\nDisallow: /t/'),
  ),
  forbidden('redirected', 'RFC 9309 2.3.1.2', (asked) =>
    (asked.query === '' ? to('/robots.txt?2', 301) : rules('Disallow: /t/'))(asked),
  ),
  forbidden('server-error', 'RFC 9309 2.3.1.4', answer(500)),
  allowed('longer-allow', RULES, rules('Disallow: /t/\nAllow: /t/{name}')),
  allowed('end-sign', 'RFC 9309 2.2.3', rules('Disallow: /t/$')),
  allowed('other-agent', 'RFC 9309 2.2.1', answer(200, {}, 'User-agent: nobody-else\nDisallow: /\n')),
  allowed('empty-disallow', RULES, rules('Disallow:')),
  allowed('not-found', 'RFC 9309 2.3.1.3', notFound),
  allowed('refused', 'RFC 9309 2.3.1.3', answer(403)),
  robots('allowed-and-gone', 'broken', 'RFC 9309 2.3.1.3', APART, null, { robots: answer(410) }),
  robots('redirect-to-forbidden', 'cannot tell', RULES, APART, to('/forbidden/{name}'), {
    robots: rules('Disallow: /forbidden/'),
    routes: { '/forbidden/{name}': page() },
    never: ['/forbidden/{name}'],
  }),
];

const ENCODING = 'HTML 13.2.3, Encoding 4';
const accented = '<!doctype html><title>A page</title><p>Some text on a page.</p><p id="caf\u00e9">A place</p>';
const inBytes = (contentType: string, bytes: Buffer): Answer => answer(200, { 'Content-Type': contentType }, bytes);
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
/** The place has an accent in its name: it is found only by who reads the bytes in the right encoding. */
const read = (rest: string, standard: string, target: Answer): Case =>
  charset(rest, 'fine', standard, '<a href="{t}#caf%C3%A9">a link</a>', target);
/** A page with such bytes, and a dead link that is found only by who reads on; the page itself is fine. */
const goesOn = (rest: string, standard: string, contentType: string, before: Buffer): Case =>
  charset(rest, 'broken', standard, null, null, {
    routes: {
      '/page/of-{name}.html': (asked) =>
        inBytes(
          contentType,
          Buffer.concat([before, Buffer.from(asked.fill('<p>A page with text. <a href="{t}">a link</a>'))]),
        )(asked),
    },
  });
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

export const CHARSET_CASES: readonly Case[] = [
  read('windows-1252', ENCODING, inBytes('text/html; charset=windows-1252', latin1(accented))),
  read(
    'latin1-is-windows-1252',
    'Encoding 4.2',
    inBytes('text/html; charset=latin1', latin1(accented.replace('Some', 'Some \x93so\x94'))),
  ),
  read(
    'meta',
    ENCODING,
    inBytes('text/html', latin1(accented.replace('<title>', '<meta charset="iso-8859-1"><title>'))),
  ),
  read(
    'meta-http-equiv',
    ENCODING,
    inBytes(
      'text/html',
      latin1(
        accented.replace('<title>', '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><title>'),
      ),
    ),
  ),
  read(
    'meta-late',
    'HTML 13.2.3.4, changing the encoding',
    inBytes(
      'text/html',
      latin1(accented.replace('<title>', `<!-- ${'x'.repeat(2000)} --><meta charset="iso-8859-1"><title>`)),
    ),
  ),
  read(
    'meta-utf-16-is-utf-8',
    'HTML 13.2.3.2',
    inBytes('text/html', Buffer.from(accented.replace('<title>', '<meta charset="utf-16"><title>'))),
  ),
  read(
    'header-before-meta',
    ENCODING,
    inBytes('text/html; charset=utf-8', Buffer.from(accented.replace('<title>', '<meta charset="iso-8859-1"><title>'))),
  ),
  read(
    'mark-before-header',
    'HTML 13.2.3.2',
    inBytes('text/html; charset=iso-8859-1', Buffer.from(`\ufeff${accented}`)),
  ),
  read('utf-16-le', 'HTML 13.2.3.2', inBytes('text/html', Buffer.from(`\ufeff${accented}`, 'utf16le'))),
  read('utf-16-be', 'HTML 13.2.3.2', inBytes('text/html', swapped(Buffer.from(`\ufeff${accented}`, 'utf16le')))),
  read('label-quoted', 'RFC 9110 8.3.1', inBytes('text/html; Charset="UTF-8"', Buffer.from(accented))),
  read(
    'label-unknown',
    'Encoding 4.2',
    inBytes('text/html; charset=nonsense', Buffer.from(accented.replace('<title>', '<meta charset="utf-8"><title>'))),
  ),
  charset(
    'shift-jis',
    'fine',
    ENCODING,
    '<a href="{t}#%E3%82%A2">a link</a>',
    inBytes(
      'text/html; charset=shift_jis',
      Buffer.concat([
        Buffer.from('<!doctype html><title>x</title><p>Some text.</p><p id="'),
        Buffer.from([0x83, 0x41]),
        Buffer.from('">A place'),
      ]),
    ),
  ),
  goesOn(
    'one-bad-byte',
    'Encoding 4.1: decoded with replacement',
    'text/html; charset=utf-8',
    latin1('<!doctype html><title>Caf\xe9</title>'),
  ),
  goesOn(
    'wrong-label',
    'Encoding 4.1: decoded with replacement',
    'text/html; charset=utf-8',
    latin1(`<!doctype html><title>x</title><p>${'\xe9\xe8\xfc '.repeat(30)}</p>`),
  ),
  goesOn(
    'text-as-html',
    'HTML 13.2.6.4.1: text alone is a document',
    'text/html',
    Buffer.from('Just text, and no markup at all up to here.\n'),
  ),
];

const SNIFF = 'MIME Sniffing 7';
const linkInside = document('<a href="/inside/{name}">a link</a><p id="place">A place</p>');
/** Looks like HTML and is not: its text holds no links. */
const notHtml = (rest: string, contentType: string): Case =>
  type(rest, 'no link', 'MIME Sniffing 4.6; HTML 7.4.5', '<a href="/typed/of-{name}">a link</a>', null, {
    routes: {
      '/typed/of-{name}': answer(200, { 'Content-Type': contentType, 'X-Content-Type-Options': 'nosniff' }, linkInside),
    },
    never: ['/inside/{name}'],
  });
/** Is HTML: the dead link inside is found. */
const isHtml = (rest: string, standard: string, headers: Record<string, string>): Case =>
  type(rest, 'broken', standard, '<a href="/typed/of-{name}">a link</a>', null, {
    routes: { '/typed/of-{name}': answer(200, headers, linkInside) },
  });

export const TYPE_CASES: readonly Case[] = [
  isHtml('html', 'HTML 7.4.5', { 'Content-Type': 'text/html' }),
  isHtml('upper-case', 'RFC 9110 8.3.1', { 'Content-Type': 'TEXT/HTML;charset=utf-8' }),
  isHtml('xhtml', 'HTML 14', { 'Content-Type': 'application/xhtml+xml' }),
  isHtml('none', SNIFF, {}),
  notHtml('html-x', 'text/html-x'),
  notHtml('plain', 'text/plain'),
  notHtml('json', 'application/json'),
  type('download', 'fine', 'RFC 9110 8.3', '<a href="{t}.zip">a link</a>', null, {
    routes: { '{t}.zip': answer(200, { 'Content-Type': 'application/zip' }, 'PK') },
  }),
];

export const WALL_CASES: readonly Case[] = [
  wall('401', 'cannot tell', 'RFC 9110 15.5.2', APART, answer(401, { 'WWW-Authenticate': 'Basic realm="x"' })),
  wall('401-here', 'cannot tell', 'RFC 9110 15.5.2', HERE, answer(401, { 'WWW-Authenticate': 'Bearer' })),
  wall(
    '403-challenge',
    'cannot tell',
    'RFC 9110 15.5.4',
    APART,
    answer(
      403,
      { Server: 'cloudflare', 'cf-mitigated': 'challenge', 'Content-Type': 'text/html' },
      '<title>Just a moment...</title>Enable JavaScript and cookies to continue',
    ),
  ),
  wall(
    '503-challenge',
    'cannot tell',
    'RFC 9110 15.6.4',
    APART,
    answer(
      503,
      { Server: 'cloudflare', 'cf-mitigated': 'challenge', 'Content-Type': 'text/html' },
      '<title>Just a moment...</title>Enable JavaScript and cookies to continue',
    ),
  ),
  wall('redirect-to-401', 'cannot tell', 'RFC 9110 15.5.2', HERE, to('{t}/end'), {
    routes: { '{t}/end': answer(401, { 'WWW-Authenticate': 'Basic realm="x"' }) },
  }),
];

const SITEMAP = 'sitemaps.org, protocol';
const RSS = 'RSS 2.0';
const ATOM = 'RFC 4287 4.2.7';
/** What the sitemap of the site lists; server.ts puts them into it. */
const listed = (rest: string, truth: 'fine' | 'broken', standard: string, target: Answer | null): Case =>
  source(`sitemap-${rest}`, truth, standard, null, target);
const feed = (
  rest: string,
  truth: 'fine' | 'broken' | 'no link',
  standard: string,
  kind: 'rss' | 'atom',
  inner: string,
  target: Answer | null = null,
): Case =>
  source(
    rest,
    truth,
    standard,
    `<link rel="alternate" type="application/${kind}+xml" href="/feed/of-{name}.xml">`,
    target,
    {
      alone: true,
      never: truth === 'no link' ? ['{t}'] : [],
      routes: {
        '/feed/of-{name}.xml': answer(
          200,
          { 'Content-Type': `application/${kind}+xml` },
          kind === 'rss'
            ? `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>{main}/</link><description>x</description>${inner}</channel></rss>`
            : `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:x:{name}</id><updated>2026-01-01T00:00:00Z</updated>${inner}</feed>`,
        ),
      },
    },
  );
const item = (inner: string): string => `<item><title>One</title>${inner}</item>`;
const entry = (inner: string, attributes = ''): string =>
  `<entry${attributes}><title>One</title><id>urn:x:1</id><updated>2026-01-01T00:00:00Z</updated>${inner}</entry>`;

export const SOURCE_CASES: readonly Case[] = [
  listed('loc', 'broken', SITEMAP, null),
  listed('loc-fine', 'fine', SITEMAP, page()),
  listed('loc-entity', 'fine', `${SITEMAP}, entity escaping`, (asked) =>
    (asked.query === 'a=1&b=2' ? page() : notFound)(asked),
  ),
  listed('loc-space', 'fine', 'XML Schema 2, anyURI: white space collapses', page()),
  listed('in-index', 'broken', `${SITEMAP}, index`, null),
  feed('rss-link', 'broken', RSS, 'rss', item('<link>{main}{t}</link>')),
  feed('rss-link-fine', 'fine', RSS, 'rss', item('<link><![CDATA[{main}{t}?a=1&b=2]]></link>'), (asked) =>
    (asked.query === 'a=1&b=2' ? page() : notFound)(asked),
  ),
  feed(
    'rss-enclosure',
    'broken',
    RSS,
    'rss',
    item('<link>{main}/</link><enclosure url="{main}{t}" length="1" type="audio/mpeg"/>'),
  ),
  feed(
    'rss-guid',
    'no link',
    `${RSS}, isPermaLink`,
    'rss',
    item('<link>{main}/</link><guid isPermaLink="false">{main}{t}</guid>'),
  ),
  feed('atom-link', 'broken', ATOM, 'atom', entry('<link href="{main}{t}"/>')),
  feed('atom-relative', 'fine', `${ATOM}; RFC 3986 5.1`, 'atom', entry('<link href="../t/{name}"/>'), page()),
  feed(
    'atom-base',
    'fine',
    'RFC 4287 2, xml:base',
    'atom',
    entry('<link href="{name}"/>', ' xml:base="{main}/t/deep/../"'),
    page(),
  ),
];

export const SITEMAPS: Readonly<Record<string, Answer>> = {
  '/sitemap.xml': answer(
    200,
    { 'Content-Type': 'application/xml' },
    '<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{main}/sitemap-1.xml</loc></sitemap><sitemap><loc>{main}/sitemap-2.xml.gz</loc></sitemap></sitemapindex>',
  ),
  '/sitemap-1.xml': answer(
    200,
    { 'Content-Type': 'application/xml' },
    '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{main}/t/source-sitemap-loc</loc></url><url><loc>{main}/t/source-sitemap-loc-fine</loc></url><url><loc>{main}/t/source-sitemap-loc-entity?a=1&amp;b=2</loc></url><url><loc>\n  {main}/t/source-sitemap-loc-space\n</loc></url></urlset>',
  ),
  '/sitemap-2.xml.gz': (asked) =>
    answer(
      200,
      { 'Content-Type': 'application/gzip' },
      gzipSync(
        asked.fill(
          '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{main}/t/source-sitemap-in-index</loc></url></urlset>',
        ),
      ),
    )(asked),
};
