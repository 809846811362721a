import { expect } from 'vitest';
import { line } from '../web/plain.js';
import { pathSite, xml } from '../web/site.js';
import { GARDEN, garden, gardenSites, has, page } from './garden.js';
import { DATA, type Row, type Stage } from './harness.js';
import { askedPages, fateOf } from './questions.js';
import { crawlOf, here } from './stages.js';

const seedless: Stage = {
  name: 'seeds from elsewhere',
  async play(values, trial) {
    const web = await trial.web();
    for (const [host, site] of Object.entries(gardenSites())) {
      web.site(host, site);
    }
    return trial.run([...trial.walk, ...here(web), '--delay', '0', '--data-dir', DATA, ...values], {
      input: '# one seed\nhttp://second.test/\n',
    });
  },
};

/** Three levels, two branches: the order of the requests tells how it is walked. */
const branches = crawlOf({
  name: 'branches',
  seeds: ['http://tree.test/'],
  args: ['--workers', '1', '--seeding-strategy', 'none'],
  sites: () => ({
    'tree.test': pathSite({
      '/': page('Root', '/a', '/b'),
      '/a': page('A', '/a/1'),
      '/b': page('B', '/b/1'),
      '/a/1': page('A1'),
      '/b/1': page('B1'),
    }),
  }),
});

/** The first page leads away from the home page, the sitemap names the least important page first. */
const ranks = crawlOf({
  name: 'ranks',
  seeds: ['http://tree.test/start'],
  args: ['--workers', '1'],
  sites: () => ({
    'tree.test': pathSite({
      '/start': page('Start', '/x', '/'),
      '/': page('Root', '/a', '/b'),
      '/a': page('A', '/a/1'),
      '/b': page('B'),
      '/a/1': page('A1'),
      '/x': page('X'),
      '/low': page('Low'),
      '/high': page('High'),
      '/sitemap.xml': xml(
        '<urlset><url><loc>http://tree.test/low</loc><priority>0</priority></url><url><loc>http://tree.test/high</loc><priority>1</priority></url></urlset>',
      ),
    }),
  }),
});

const slowly = crawlOf({
  name: 'a line of pages with a delay',
  seeds: ['http://line.test/'],
  args: ['--delay', '600', '--seeding-strategy', 'none'],
  sites: () => ({ 'line.test': line(3) }),
});

const SCOPE_MARKS = [
  'www.garden.test/docs/deep/1',
  'www.garden.test/beside',
  'sub.www.garden.test/',
  'shop.garden.test/',
  'elsewhere.test/page',
];

export const INPUT_EVIDENCE: Row[] = [
  {
    key: 'startUrls',
    stage: seedless,
    values: [
      ['--start-url', 'http://second.test/'],
      ['--start-url', 'http://elsewhere.test/further'],
    ],
    sees: askedPages,
    gives: [['second.test/'], ['elsewhere.test/further']],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'seedsFiles',
    stage: seedless,
    values: [[], ['--seeds-file', '-']],
    sees: (seen) => [seen.code, askedPages(seen)],
    gives: [
      [2, []],
      [0, ['second.test/']],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'scope',
    stage: garden,
    values: [
      ...['page', 'prefix', 'host'].map((kind) => ['--scope', kind]),
      [],
      ['--scope', 'domain'],
      ['--scope', 'any'],
    ],
    sees: (seen) => has(seen, ...SCOPE_MARKS).filter(Boolean).length,
    gives: [0, 1, 2, 3, 4, 5],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'include',
    stage: garden,
    values: [[], ['--include', '**/docs/**'], ['--include', 're:/docs/$', '--include', 're:/beside$']],
    sees: (seen) => has(seen, 'www.garden.test/docs/deep/1', 'www.garden.test/beside'),
    gives: [
      [true, true],
      [true, false],
      [false, true],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'exclude',
    stage: garden,
    values: [[], ['--exclude', '**/docs/deep/**'], ['--exclude', 're:/beside$']],
    sees: (seen) => has(seen, 'www.garden.test/docs/deep/1', 'www.garden.test/beside'),
    gives: [
      [true, true],
      [false, true],
      [true, false],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'nofollow',
    stage: garden,
    values: [[], ['--nofollow', 'ignore']],
    sees: (seen) => [
      ...has(seen, 'www.garden.test/marked-by-rel', 'www.garden.test/behind-meta', 'www.garden.test/behind-header'),
      fateOf(seen, `${GARDEN}/marked-by-rel`),
    ],
    gives: [
      [false, false, false, 'skipped nofollow'],
      [true, true, true, 'done'],
    ],
  },
  {
    key: 'assets',
    stage: garden,
    values: [[], ['--assets']],
    sees: (seen) => seen.log.filter(({ path }) => path === '/picture.png').map(({ method }) => method),
    gives: [[], ['HEAD']],
  },
  {
    key: 'external',
    stage: garden,
    values: [[], ['--external']],
    sees: (seen) =>
      seen.log.filter(({ host }) => host === 'elsewhere.test').map(({ method, path }) => `${method} ${path}`),
    gives: [[], ['GET /robots.txt', 'HEAD /page']],
  },
  {
    key: 'seedingStrategy',
    stage: garden,
    values: [[], ['--seeding-strategy', 'none']],
    sees: (seen) => has(seen, 'www.garden.test/sitemap.xml', 'www.garden.test/docs/only-in-sitemap'),
    gives: [
      [true, true],
      [false, false],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'order',
    stage: ranks,
    values: [[], ['--order', 'dfs'], ['--order', 'priority']],
    sees: (seen) => askedPages(seen).map((url) => url.replace('tree.test', '')),
    gives: [
      ['/start', '/x', '/', '/low', '/high', '/a', '/b', '/a/1'],
      ['/start', '/low', '/high', '/x', '/', '/a', '/a/1', '/b'],
      ['/start', '/', '/x', '/high', '/a', '/b', '/a/1', '/low'],
    ],
    check: 'same',
    // What a sitemap names comes before links within the text; a home page waits for the end of the survey like any other.
    docs: [
      ['/start', '/low', '/high', '/x', '/', '/a', '/b', '/a/1'],
      ['/start', '/low', '/high', '/x', '/', '/a', '/a/1', '/b'],
      ['/start', '/x', '/', '/high', '/a', '/b', '/a/1', '/low'],
    ],
  },
  {
    key: 'depth',
    stage: branches,
    values: [[], ['--depth', '0'], ['--depth', '1']],
    sees: (seen) => [askedPages(seen).length, fateOf(seen, 'http://tree.test/a/1')],
    gives: [
      [5, 'done'],
      [1, null],
      [3, 'skipped depth'],
    ],
    docs: 'same',
    // What is beyond it is checked, and not read.
    check: [
      [5, 'done'],
      [3, null],
      [5, 'done'],
    ],
  },
  {
    key: 'maxUrls',
    stage: branches,
    values: [[], ['--max-urls', '2']],
    sees: (seen) => [seen.code, askedPages(seen).length, seen.kept?.truncated],
    gives: [
      [0, 5, null],
      [0, 2, 'max_urls'],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxUrlsPerHost',
    stage: garden,
    values: [[], ['--max-urls-per-host', '2']],
    sees: (seen) =>
      ['www.garden.test', 'sub.www.garden.test'].map(
        (host) => askedPages(seen).filter((url) => url.startsWith(`${host}/`)).length,
      ),
    gives: [
      [expect.closeTo(11, -1), 1],
      [2, 1],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'durationMs',
    stage: slowly,
    values: [[], ['--duration', '1s']],
    sees: (seen) => [seen.code, seen.kept?.reason, seen.kept?.truncated, askedPages(seen).includes('line.test/p2')],
    gives: [
      [0, 'complete', null, true],
      [0, 'duration', 'duration', false],
    ],
    check: 'same',
    // Before the first page has come there is nothing to write.
    docs: [
      [0, 'complete', null, true],
      [expect.any(Number), 'duration', 'duration', false],
    ],
  },
  {
    key: 'maxBytes',
    stage: branches,
    // More than the answer to robots.txt, less than that and the first page.
    values: [[], ['--max-bytes', '100']],
    sees: (seen) => [seen.kept?.reason, seen.kept?.truncated, askedPages(seen).length],
    gives: [
      ['complete', null, 5],
      ['max_bytes', 'max_bytes', 1],
    ],
    check: 'same',
    docs: 'same',
  },
  ...(
    [
      ['stripQuery', '--strip-query', '/query'],
      ['stripTracking', '--strip-tracking', '/query?b=2&a=1'],
      ['sortQuery', '--sort-query', '/query?a=1&b=2&utm_source=mail'],
    ] as const
  ).map(
    ([key, flag, path]): Row => ({
      key,
      stage: garden,
      values: [[], [flag]],
      sees: (seen) => seen.log.map((request) => request.path).filter((each) => each.startsWith('/query')),
      gives: [['/query?b=2&a=1&utm_source=mail'], [path]],
      check: 'same',
      docs: 'same',
    }),
  ),
];
