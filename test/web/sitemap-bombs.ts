import { gzipSync } from 'node:zlib';
import type { SiteAnswer } from './site.js';

/** Sitemaps of 50 MB and more that are made to cost their reader more than that. */

const MB = 1024 * 1024;
/** What a sitemap may have at most, less than the head and tail around it. */
const SIZE = 50 * MB - 4096;
const HEAD = '<?xml version="1.0" encoding="UTF-8"?><urlset>';

const repeated = (piece: string, before = HEAD): SiteAnswer => {
  const body = Buffer.alloc(SIZE, piece);
  body.write(before, 0, 'latin1');
  return { headers: { 'content-type': 'application/xml' }, body };
};

/** Gzip files may be put one behind the other: so many times 16 MiB of spaces, in 16 KiB each. */
const members = (count: number): Buffer => Buffer.alloc(count * MEMBER.length, MEMBER);
const MEMBER = gzipSync(Buffer.alloc(16 * MB, ' '), { level: 9 });

const PIECE = Buffer.alloc(MB, '<url><loc>http://bomb.test/x</loc></url>');

export const SITEMAP_BOMBS: Record<string, () => SiteAnswer> = {
  '50 MB of gzip that unpack to 50 GB': () => ({
    headers: { 'content-type': 'application/gzip' },
    body: members(Math.floor(SIZE / MEMBER.length)),
  }),
  'a body in gzip that unpacks to 1.6 GB': () => ({
    headers: { 'content-type': 'application/xml', 'content-encoding': 'gzip' },
    body: members(100),
  }),
  'a body that never ends': () => ({
    headers: { 'content-type': 'application/xml' },
    pieces: (n) => (n === 0 ? HEAD : PIECE),
    everyMs: 0,
    end: 'finish',
  }),
  'a text without end': () => repeated('a', `${HEAD}<url><loc>http://bomb.test/`),
  'a comment without end': () => repeated('-', `${HEAD}<!--`),
  'a tag without end': () => repeated('a', `${HEAD}<`),
  'an attribute without end': () => repeated('a', `${HEAD}<url a="`),
  'attributes without end': () => repeated(' a="b"', `${HEAD}<url`),
  'elements in elements': () => repeated('<a>'),
  'millions of empty entries': () => repeated('<url/>'),
  'millions of entries of one URL': () => repeated('<url><loc>http://bomb.test/x</loc></url>'),
  'millions of fields in one entry': () => repeated('<a>b</a>', `${HEAD}<url>`),
  'millions of alternates': () => repeated('<link rel="alternate" hreflang="de" href="/x"/>', `${HEAD}<url>`),
  'millions of bare ampersands': () => repeated('&', `${HEAD}<url><loc>http://bomb.test/?`),
  'a line without end': () => repeated('a', 'http://bomb.test/'),
  'millions of empty lines': () => repeated('\n', 'http://bomb.test/x\n'),
};
