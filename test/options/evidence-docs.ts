import { readLines } from '../crawl/support.js';
import { html, linkPage, pathSite, type Site, type SiteAnswer, urlset, xml } from '../web/site.js';
import { GARDEN, gardenSites, has } from './garden.js';
import { handedOn } from './handed-on.js';
import type { Row, Seen, Stage } from './harness.js';
import { atOnce, oneHost } from './layer-stages.js';
import { askedPages, says, timesAsked } from './questions.js';
import { again } from './small-stages.js';
import { here } from './stages.js';

const MAPPED = 'http://mapped.test/docs/';
const UNMAPPED = 'http://unmapped.test/';

/** One site whose sitemap names a page, one that has none; the home page of each leads to another. */
const twoSites = (): Record<string, Site> => ({
  'mapped.test': pathSite({
    '/sitemap.xml': xml(urlset([MAPPED, `${MAPPED}named`])),
    '/docs/': html(linkPage('Mapped', ['linked'], 'A site that names its pages.')),
    '/docs/named': html(linkPage('Named', [], 'It is in the sitemap.')),
    '/docs/linked': html(linkPage('Linked', [], 'Only a link leads here.')),
  }),
  'unmapped.test': pathSite({
    '/': html(linkPage('Unmapped', ['/linked'], 'A site that names nothing.')),
    '/linked': html(linkPage('Linked', [], 'There is no other way to it.')),
  }),
});

/** A page of three parts, and one that is for nobody's index. */
const oneSite = (): Record<string, Site> => ({
  'parts.test': pathSite({
    '/': html(
      `<!doctype html><title>Parts</title><main><h1>Parts</h1>${['One', 'Two', 'Three'].map((part) => `<h2>${part}</h2><p>${`${part} has words of its own. `.repeat(10)}</p>`).join('')}</main>`,
    ),
  }),
});

/** As its user starts it: with the defaults of a corpus. */
const docs = (name: string, sites: () => Record<string, Site>, ...args: string[]): Stage => ({
  name,
  async play(values, trial) {
    const web = await trial.web();
    for (const [host, site] of Object.entries(sites())) {
      web.site(host, site);
    }
    return trial.run(['docs', ...here(web), '--delay', '0', ...args, ...values]);
  },
});

const parts = docs('a page of three parts', oneSite, 'http://parts.test/');
const garden = docs('the garden, as a corpus', gardenSites, `${GARDEN}/docs/`, '--seeding-strategy', 'none');

/** A page that only says where things are. */
const listing = docs(
  'a page and an index of it',
  () => ({
    'listing.test': pathSite({
      '/': html(linkPage('Home', ['/genindex.html'], 'The way into the site, and some words of its own.')),
      '/genindex.html': html(
        `<!doctype html><title>Index</title><main><h1>Index</h1><ul>${Array.from({ length: 40 }, (_, n) => `<li><a href="/#e${n}">Entry number ${n}</a></li>`).join('')}</ul></main>`,
      ),
    }),
  }),
  'http://listing.test/',
);

const chosen = (title: string, lang: string, body = ''): SiteAnswer =>
  html(
    `<!doctype html><html lang="${lang}"><title>${title}</title><main><h1>${title}</h1><p>${`${title} has words of its own. `.repeat(8)}</p>${body}</main></html>`,
  );
/** Two versions of two pages, one page of them in another language, with a picture. */
const choosing = docs(
  'two versions, two languages and a picture',
  () => ({
    'chosen.test': pathSite({
      '/': chosen(
        'Home',
        'en',
        '<img src="/p.png" alt="A picture"><a href="/1.0/a">a</a> <a href="/1.0/b">b</a> <a href="/2.0/a">c</a> <a href="/2.0/b">d</a> <a href="/de">e</a>',
      ),
      '/1.0/a': chosen('Old A', 'en'),
      '/1.0/b': chosen('Old B', 'en'),
      '/2.0/a': chosen('New A', 'en'),
      '/2.0/b': chosen('New B', 'en'),
      '/de': chosen('Deutsch', 'de'),
      '/p.png': { status: 200, headers: { 'content-type': 'image/png' }, body: 'GIF89a' },
    }),
  }),
  'http://chosen.test/',
);

/** Two pages that are given, of which one leads to a third. */
const given = docs(
  'two pages that are given',
  () => ({
    'given.test': pathSite({
      '/a': html(linkPage('A', ['/c'], 'The first of two pages that are given.')),
      '/b': html(linkPage('B', [], 'The second of two pages that are given.')),
      '/c': html(linkPage('C', [], 'Nobody has given this one.')),
    }),
  }),
  'http://given.test/a',
  'http://given.test/b',
);

const headingsIn = (seen: Seen): string[] => seen.files.get('parts.test-docs/index.md')?.match(/^#+ .*$/gm) ?? [];

const namesOf = (seen: Seen, end: string): string[] => [...seen.files.keys()].filter((name) => name.endsWith(end));

/** What a corpus does otherwise than a crawl, and what only it takes. */
const OWN: Omit<Row, 'command'>[] = [
  {
    key: 'scope',
    stage: garden,
    values: [[], ['--scope', 'host'], ['--scope', 'page']],
    sees: (seen) => [
      ...has(seen, 'www.garden.test/docs/deep/1', 'www.garden.test/beside'),
      namesOf(seen, 'deep/1.md').length,
    ],
    gives: [
      [true, false, 1],
      [true, true, 1],
      [false, false, 0],
    ],
  },
  {
    key: 'nofollow',
    stage: garden,
    values: [
      ['--scope', 'host'],
      ['--scope', 'host', '--nofollow', 'ignore'],
    ],
    sees: (seen) => [
      ...has(seen, 'www.garden.test/marked-by-rel', 'www.garden.test/behind-meta'),
      namesOf(seen, '/marked-by-rel.md').length,
    ],
    gives: [
      [false, false, 0],
      [true, true, 1],
    ],
  },
  {
    key: 'seedingStrategy',
    stage: docs('a site with a sitemap, and one without', twoSites, MAPPED, UNMAPPED),
    values: [
      [],
      ['--seeding-strategy', 'sitemap'],
      ['--seeding-strategy', 'none'],
      ['--seeding-strategy', 'sitemap-only'],
    ],
    sees: (seen) => [
      timesAsked(seen, 'mapped.test/sitemap.xml') > 0,
      ...has(seen, 'mapped.test/docs/named', 'mapped.test/docs/linked', 'unmapped.test/linked'),
    ],
    gives: [
      [true, true, false, true],
      [true, true, true, true],
      [false, false, true, true],
      [true, true, false, false],
    ],
  },
  {
    key: 'output',
    stage: parts,
    values: [[], ['--output', 'elsewhere']],
    sees: (seen) => [seen.code, namesOf(seen, 'llms.txt')],
    gives: [
      [0, ['parts.test-docs/llms.txt']],
      [0, ['elsewhere/llms.txt']],
    ],
  },
  {
    key: 'dataDir',
    stage: parts,
    values: [[], ['--data-dir', 'kept']],
    sees: (seen) => [seen.code, namesOf(seen, 'crawl.sqlite')],
    gives: [
      [0, ['gossamer-data/parts.test/crawl.sqlite']],
      [0, ['kept/crawl.sqlite']],
    ],
  },
  {
    key: 'chunkTokens',
    stage: parts,
    values: [[], ['--chunk-tokens', '64']],
    sees: (seen) => {
      const chunks = readLines<{ headings: string[] }>(seen.files.get('parts.test-docs/chunks.jsonl') ?? '');
      return [...new Set(chunks.map(({ headings }) => headings.at(-1) ?? 'all of it'))];
    },
    gives: [['all of it'], ['One', 'Two', 'Three']],
  },
  {
    key: 'content',
    stage: parts,
    values: [[], ['--content', 'h2:first-of-type + p']],
    sees: (seen) => headingsIn(seen),
    gives: [['# Parts', '## One', '## Two', '## Three'], []],
  },
  {
    key: 'remove',
    stage: parts,
    values: [[], ['--remove', 'h2']],
    sees: (seen) => headingsIn(seen),
    gives: [['# Parts', '## One', '## Two', '## Three'], ['# Parts']],
  },
  {
    key: 'indexPages',
    stage: listing,
    values: [[], ['--index-pages']],
    sees: (seen) => (seen.files.get('listing.test-docs/llms-full.txt') ?? '').includes('Entry number 7'),
    gives: [false, true],
  },
  {
    key: 'one',
    stage: given,
    values: [[], ['--one']],
    sees: (seen) => [namesOf(seen, 'llms.txt').length, ...has(seen, 'given.test/b', 'given.test/c')],
    gives: [
      [2, true, true],
      [1, true, false],
    ],
  },
  {
    key: 'images',
    stage: choosing,
    values: [[], ['--images', 'drop'], ['--images', 'download']],
    sees: (seen) => {
      const text = seen.files.get('chosen.test-docs/index.md') ?? '';
      return [text.includes('](http://chosen.test/p.png)'), text.includes('A picture'), namesOf(seen, '.gif').length];
    },
    gives: [
      [true, true, 0],
      [false, true, 0],
      [false, true, 1],
    ],
  },
  {
    key: 'lang',
    stage: choosing,
    values: [[], ['--lang', 'en'], ['--lang', 'de']],
    sees: (seen) => namesOf(seen, '.md').length,
    gives: [6, 5, 1],
  },
  {
    key: 'versionPaths',
    stage: choosing,
    values: [[], ['--version-paths', 'latest']],
    sees: (seen) => [namesOf(seen, '.md').length, says(seen, '2 pages of older versions left out')],
    gives: [
      [6, false],
      [4, true],
    ],
  },
  {
    key: 'fresh',
    stage: again,
    values: [[], ['--fresh']],
    sees: (seen) => [seen.code, askedPages(seen).length, namesOf(seen, 'crawl.sqlite').sort()],
    gives: [
      [0, 2, ['data/crawl.sqlite']],
      [0, 2, ['data.old-1/crawl.sqlite', 'data/crawl.sqlite']],
    ],
  },
  {
    key: 'resume',
    stage: again,
    values: [[], ['--resume']],
    sees: (seen) => [seen.code, askedPages(seen).length, says(seen, 'is finished; nothing to do')],
    gives: [
      [0, 2, false],
      [0, 0, true],
    ],
  },
  {
    key: 'preset',
    stage: oneHost,
    values: [['--no-auto-tune'], ['--no-auto-tune', '--preset', 'many-hosts']],
    sees: (seen) => [atOnce(seen, 'inflightPerHost', seen.log) > 2, askedPages(seen).length],
    gives: [
      [true, 25],
      [false, 25],
    ],
  },
];

export const DOCS_EVIDENCE: Row[] = [...OWN.map((row): Row => ({ ...row, command: 'docs' })), ...handedOn('docs')];
