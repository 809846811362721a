import { gzipSync } from 'node:zlib';
import {
  html,
  linkPage,
  notFound,
  redirect,
  type Site,
  type SiteAnswer,
  sitemapIndex,
  text,
  urlset,
  xml,
} from './site.js';

/** One thing that sitemaps of the real web do, and what has to come of it. */
export interface SitemapQuirk {
  name: string;
  /** What stands in robots.txt; the first file unless it says otherwise. */
  named?: string[];
  files: Record<string, SiteAnswer>;
  /** Pages that are fetched for it, and URLs that never are. */
  fetched: string[];
  never?: string[];
}

const HOST = 'http://quirks.test';
const at = (path: string): string => HOST + path;
const XMLNS =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
const raw = (inner: string): string => `<?xml version="1.0" encoding="UTF-8"?><urlset ${XMLNS}>${inner}</urlset>`;
const loc = (path: string, more = ''): string => `<url><loc>${at(path)}</loc>${more}</url>`;
const bytes = (body: Buffer | string, contentType: string, headers: Record<string, string> = {}): SiteAnswer => ({
  headers: { 'content-type': contentType, ...headers },
  body,
});
const utf16 = (written: string, bigEndian: boolean): Buffer => {
  const little = Buffer.from(`\ufeff${written}`, 'utf16le');
  return bigEndian ? little.swap16() : little;
};
const packed = (path: string): Buffer => gzipSync(urlset([at(path)]));

/** Every page of a quirk lies below its name. */
export const SITEMAP_QUIRKS: SitemapQuirk[] = [
  {
    name: 'alternates',
    files: {
      '/alternates.xml': xml(
        raw(
          loc(
            '/alternates/en',
            `<xhtml:link rel="alternate" hreflang="en" href="${at('/alternates/en')}"/>
             <xhtml:link rel="alternate" hreflang="de" href="${at('/alternates/de')}"/>
             <xhtml:link rel="ALTERNATE" hreflang="x-default" href="/alternates/any"/>
             <xhtml:link rel="alternate" hreflang="fr" href="http://outside.test/fr"/>
             <xhtml:link rel="alternate" media="only screen" href="${at('/alternates/mobile')}"/>
             <xhtml:link rel="stylesheet" hreflang="en" href="${at('/alternates/style.css')}"/>`,
          ),
        ),
      ),
    },
    fetched: ['/alternates/en', '/alternates/de', '/alternates/any'],
    never: ['/alternates/mobile', '/alternates/style.css'],
  },
  {
    name: 'images',
    files: {
      '/images.xml': xml(
        raw(
          loc(
            '/images/page',
            `<image:image><image:loc>${at('/images/a.jpg')}</image:loc></image:image><video><content_loc>${at('/images/b.mp4')}</content_loc></video>`,
          ),
        ),
      ),
    },
    fetched: ['/images/page'],
    never: ['/images/a.jpg', '/images/b.mp4'],
  },
  {
    name: 'gzip-by-content',
    files: { '/gzip-by-content.txt': bytes(packed('/gzip-by-content/page'), 'text/plain') },
    fetched: ['/gzip-by-content/page'],
  },
  {
    name: 'gzip-twice',
    files: {
      '/gzip-twice.xml.gz': bytes(gzipSync(packed('/gzip-twice/page')), 'application/gzip', {
        'content-encoding': 'gzip',
      }),
    },
    fetched: ['/gzip-twice/page'],
  },
  {
    name: 'gz-that-is-none',
    files: { '/gz-that-is-none.xml.gz': bytes(urlset([at('/gz-that-is-none/page')]), 'application/gzip') },
    fetched: ['/gz-that-is-none/page'],
  },
  {
    name: 'gzip-cut',
    files: {
      '/gzip-cut.xml.gz': bytes(
        gzipSync(urlset(Array.from({ length: 2_000 }, (_, n) => at(`/gzip-cut/${n}`)))).subarray(0, 1_200),
        'application/gzip',
      ),
    },
    fetched: ['/gzip-cut/0', '/gzip-cut/1'],
  },
  {
    name: 'rss',
    files: {
      '/rss.xml': bytes(
        `<rss version="2.0"><channel><link>${at('/rss/channel')}</link><item><title>A</title><link>${at('/rss/item')}</link></item></channel></rss>`,
        'application/rss+xml',
      ),
    },
    fetched: ['/rss/item'],
    never: ['/rss/channel'],
  },
  {
    name: 'atom',
    files: {
      '/atom.xml': bytes(
        `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="${at('/atom.xml')}"/><entry><link rel="enclosure" href="${at('/atom/sound')}"/><link href="${at('/atom/entry')}"/></entry></feed>`,
        'application/atom+xml',
      ),
    },
    fetched: ['/atom/entry'],
    never: ['/atom/sound'],
  },
  {
    name: 'text',
    files: { '/text.txt': text(`\ufeff${at('/text/1')}\r\n\r\nnot a URL\r\n  ${at('/text/2')}  \r\n/text/relative`) },
    fetched: ['/text/1', '/text/2'],
    never: ['/text/relative'],
  },
  {
    name: 'relative',
    files: { '/folder/relative.xml': xml(raw('<url><loc>/relative/root</loc></url><url><loc>near</loc></url>')) },
    fetched: ['/relative/root', '/folder/near'],
  },
  {
    name: 'byte-order-mark',
    files: { '/byte-order-mark.xml': xml(`\ufeff${urlset([at('/byte-order-mark/page')])}`) },
    fetched: ['/byte-order-mark/page'],
  },
  ...[false, true].map(
    (bigEndian): SitemapQuirk => ({
      name: bigEndian ? 'utf-16-be' : 'utf-16-le',
      files: {
        [`/utf-16-${bigEndian}.xml`]: bytes(utf16(raw(loc(`/utf-16-${bigEndian}/page`)), bigEndian), 'application/xml'),
      },
      fetched: [`/utf-16-${bigEndian}/page`],
    }),
  ),
  {
    name: 'latin1',
    files: {
      '/latin1.xml': bytes(
        Buffer.from(
          `<?xml version="1.0" encoding="ISO-8859-1"?><urlset>${loc('/latin1/caf\u00e9')}</urlset>`,
          'latin1',
        ),
        'application/xml',
      ),
    },
    fetched: ['/latin1/caf%C3%A9'],
  },
  {
    name: 'escapes',
    files: {
      '/escapes.xml': xml(
        raw(
          `${loc('/escapes/a?x=1&amp;y=2')}${loc('/escapes/b?x=1&y=2')}<url><loc><![CDATA[${at('/escapes/c?x=1&y=2')}]]></loc></url>${loc('/escapes/with space')}`,
        ),
      ),
    },
    fetched: ['/escapes/a?x=1&y=2', '/escapes/b?x=1&y=2', '/escapes/c?x=1&y=2', '/escapes/with%20space'],
  },
  {
    name: 'wrong-hosts',
    files: {
      '/wrong-hosts.xml': xml(
        urlset(['http://outside.test/wrong', 'http://sub.quirks.test/wrong-hosts/sub', at('/wrong-hosts/own')]),
      ),
    },
    fetched: ['/wrong-hosts/own', '/wrong-hosts/sub'],
  },
  {
    name: 'other-schemes',
    files: {
      '/other-schemes.xml': xml(
        raw(
          `<url><loc>ftp://quirks.test/f</loc></url><url><loc>javascript:alert(1)</loc></url><url><loc></loc></url>${loc('/other-schemes/page')}`,
        ),
      ),
    },
    fetched: ['/other-schemes/page'],
  },
  {
    name: 'broken',
    files: {
      '/broken.xml': xml(
        `<urlset>${loc('/broken/before')}<url><loc>${at('/broken/open')}</loc><oops></url>${loc('/broken/after')}`,
      ),
    },
    fetched: ['/broken/before', '/broken/open'],
    never: ['/broken/after'],
  },
  {
    name: 'dtd',
    files: {
      '/dtd.xml': xml(`<!DOCTYPE urlset [<!ENTITY e "x">]><urlset>${loc('/dtd/page')}</urlset>`),
      '/dtd-late.xml': xml(
        `<urlset>${loc('/dtd-late/before')}<!DOCTYPE urlset [<!ENTITY e "x">]>${loc('/dtd-late/after')}</urlset>`,
      ),
    },
    named: ['/dtd.xml', '/dtd-late.xml'],
    fetched: ['/dtd-late/before'],
    never: ['/dtd/page', '/dtd-late/after'],
  },
  {
    name: 'duplicates',
    files: {
      '/duplicates.xml': xml(urlset(Array.from({ length: 500 }, () => at('/duplicates/page')))),
      '/duplicates-2.xml': xml(urlset([at('/duplicates/page'), at('/duplicates/page#part')])),
    },
    named: ['/duplicates.xml', '/duplicates-2.xml', '/duplicates.xml'],
    fetched: ['/duplicates/page'],
  },
  {
    name: 'index-of-indexes',
    files: {
      '/index-1.xml': xml(sitemapIndex([at('/index-2.xml'), at('/index-1.xml')])),
      '/index-2.xml': bytes(gzipSync(sitemapIndex([at('/index-3.xml')])), 'application/octet-stream'),
      '/index-3.xml': xml(sitemapIndex([at('/index-4.xml')])),
      '/index-4.xml': xml(sitemapIndex([at('/index-5.xml')])),
      '/index-5.xml': xml(urlset([at('/index/too-deep')])),
    },
    fetched: [],
    never: ['/index-5.xml', '/index/too-deep'],
  },
  {
    name: 'index-elsewhere',
    files: { '/index-elsewhere.xml': xml(sitemapIndex(['http://keeper.test/kept.xml'])) },
    fetched: ['/index-elsewhere/page'],
  },
  {
    name: 'empty-and-html',
    files: {
      '/empty.xml': xml(''),
      '/sorry.xml': html('<!doctype html><title>Not here</title><a href="/sorry/page">x</a>'),
    },
    named: ['/empty.xml', '/sorry.xml'],
    fetched: [],
    never: ['/sorry/page'],
  },
  {
    name: 'moved',
    files: { '/moved.xml': redirect('http://keeper.test/moved.xml', 302) },
    fetched: ['/moved/page'],
  },
];

const named = (quirk: SitemapQuirk): string[] => quirk.named ?? [Object.keys(quirk.files)[0]!];

/** All quirks at one host; a host that keeps sitemaps for it; one below it, and one that is none of its business. */
export function quirkSites(): Record<string, Site> {
  const files = new Map(SITEMAP_QUIRKS.flatMap((quirk) => Object.entries(quirk.files)));
  const robots = SITEMAP_QUIRKS.flatMap(named).map((path) => `Sitemap: ${at(path)}`);
  const anything: Site = {
    handle: ({ path }) =>
      path === '/robots.txt' || path.endsWith('.xml') ? notFound : html(linkPage(`Page ${path}`, [])),
  };
  return {
    'quirks.test': {
      handle: (request) =>
        request.path === '/robots.txt'
          ? text(['User-agent: *', 'Disallow: /closed', ...robots].join('\n'))
          : (files.get(request.path) ?? anything.handle(request)),
    },
    'sub.quirks.test': anything,
    'outside.test': anything,
    'keeper.test': {
      handle: (request) =>
        request.path === '/kept.xml'
          ? xml(urlset([at('/index-elsewhere/page')]))
          : request.path === '/moved.xml'
            ? xml(urlset([at('/moved/page')]))
            : anything.handle(request),
    },
  };
}
