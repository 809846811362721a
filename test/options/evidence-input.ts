import { expect } from 'vitest';
import { line } from '../web/plain.js';
import { html, linkPage, pathSite, type Site, text, urlset, xml } from '../web/site.js';
import { DATA, type Row, type Stage } from './harness.js';
import { asked, askedPages, fateOf, timesAsked } from './questions.js';
import { crawlOf, here } from './stages.js';

const page = (title: string, ...hrefs: string[]) => html(linkPage(title, hrefs));

/** One page of everything that the options about input and identity decide on. */
const gardenSite = (): Site =>
  pathSite({
    '/robots.txt': text('User-agent: *\nDisallow: /closed\nUser-agent: mybot\nDisallow: /not-for-mybot\n'),
    '/sitemap.xml': xml(urlset(['http://www.garden.test/docs/only-in-sitemap'])),
    '/docs/only-in-sitemap': page('Only in the sitemap'),
    '/docs/': html(
      `${linkPage('Garden', [
        '/docs/deep/1',
        '/beside',
        '/closed/1',
        '/not-for-mybot',
        '/query?b=2&a=1&utm_source=mail',
        '/marked-by-meta',
        '/marked-by-header',
        'http://sub.www.garden.test/',
        'http://shop.garden.test/',
        'http://elsewhere.test/page',
        `/${'long'.repeat(20)}`,
        '/s/e/g/m/n/t',
        '/r/x/r/y/r',
      ])}<a rel=nofollow href="/marked-by-rel">x</a><img src="/picture.png">`,
    ),
    '/docs/deep/1': page('Deep', '/docs/deep/2'),
    '/docs/deep/2': page('Deeper'),
    '/beside': page('Beside'),
    '/closed/1': page('Closed'),
    '/not-for-mybot': page('Not for mybot'),
    '/query?b=2&a=1&utm_source=mail': page('Query'),
    '/marked-by-rel': page('Marked'),
    '/marked-by-meta': html('<!doctype html><title>Meta</title><meta name=robots content=nofollow><a href="/behind-meta">x</a>'),
    '/marked-by-header': {
      ...page('Header', '/behind-header'),
      headers: { 'content-type': 'text/html', 'x-robots-tag': 'nofollow' },
    },
    '/behind-meta': page('Behind'),
    '/behind-header': page('Behind'),
    '/picture.png': { headers: { 'content-type': 'image/png' }, body: 'no real picture' },
  });

const GARDEN = 'http://www.garden.test';
export const gardenSites = (): Record<string, Site> => ({
  'www.garden.test': gardenSite(),
  'sub.www.garden.test': pathSite({ '/': page('Below') }),
  'shop.garden.test': pathSite({ '/': page('Next door') }),
  'elsewhere.test': pathSite({ '/page': page('Elsewhere', '/further'), '/further': page('Further') }),
  'second.test': pathSite({ '/': page('Second') }),
});

/** The crawl that most rows look at: with no value it is the same for all of them, and played once. */
export const garden = crawlOf({ name: 'garden', sites: gardenSites, seeds: [`${GARDEN}/docs/`] });

const seedless: Stage = {
  name: 'seeds from elsewhere',
  async play(values, trial) {
    const web = await trial.web();
    for (const [host, site] of Object.entries(gardenSites())) web.site(host, site);
    return trial.run(['crawl', ...here(web), '--delay', '0', '--data-dir', DATA, ...values], {
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

const slowly = crawlOf({
  name: 'a line of pages with a delay',
  seeds: ['http://line.test/'],
  args: ['--delay', '600', '--seeding-strategy', 'none'],
  sites: () => ({ 'line.test': line(3) }),
});

const has = (seen: Parameters<Row['sees']>[0], ...urls: string[]): boolean[] => urls.map((url) => asked(seen).includes(url));
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
  },
  {
    key: 'scope',
    stage: garden,
    values: ['page', 'prefix', 'host', 'subdomains', 'domain', 'any'].map((kind) => ['--scope', kind]),
    sees: (seen) => has(seen, ...SCOPE_MARKS).filter(Boolean).length,
    gives: [0, 1, 2, 3, 4, 5],
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
  },
  {
    key: 'exclude',
    stage: garden,
    values: [[], ['--exclude', '**/docs/deep/**'], ['--exclude', 're:/beside$', '--include', '**']],
    sees: (seen) => has(seen, 'www.garden.test/docs/deep/1', 'www.garden.test/beside'),
    gives: [
      [true, true],
      [false, true],
      [true, false],
    ],
  },
  {
    key: 'nofollow',
    stage: garden,
    values: [
      ['--nofollow', 'obey'],
      ['--nofollow', 'ignore'],
    ],
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
    sees: (seen) => seen.log.filter(({ host }) => host === 'elsewhere.test').map(({ method, path }) => `${method} ${path}`),
    gives: [[], ['GET /robots.txt', 'HEAD /page']],
  },
  {
    key: 'seedingStrategy',
    stage: garden,
    values: [
      ['--seeding-strategy', 'none'],
      ['--seeding-strategy', 'sitemap'],
    ],
    sees: (seen) => has(seen, 'www.garden.test/sitemap.xml', 'www.garden.test/docs/only-in-sitemap'),
    gives: [
      [false, false],
      [true, true],
    ],
  },
  {
    key: 'order',
    stage: branches,
    values: [
      ['--order', 'bfs'],
      ['--order', 'dfs'],
    ],
    sees: (seen) => askedPages(seen).map((url) => url.replace('tree.test', '')),
    gives: [
      ['/', '/a', '/b', '/a/1', '/b/1'],
      ['/', '/b', '/b/1', '/a', '/a/1'],
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
  },
  {
    key: 'maxUrls',
    stage: branches,
    values: [
      ['--max-urls', '2'],
      ['--max-urls', '4'],
    ],
    sees: (seen) => [seen.code, askedPages(seen).length, seen.summary?.truncated],
    gives: [
      [0, 2, 'max_urls'],
      [0, 4, 'max_urls'],
    ],
  },
  {
    key: 'maxUrlsPerHost',
    stage: garden,
    values: [[], ['--max-urls-per-host', '2']],
    sees: (seen) => ['www.garden.test', 'sub.www.garden.test'].map((host) => askedPages(seen).filter((url) => url.startsWith(`${host}/`)).length),
    gives: [
      [expect.closeTo(11, -1), 1],
      [2, 1],
    ],
  },
  {
    key: 'durationMs',
    stage: slowly,
    values: [[], ['--duration', '1s']],
    sees: (seen) => [seen.code, seen.summary?.reason, seen.summary?.truncated, askedPages(seen).includes('line.test/p2')],
    gives: [
      [0, 'complete', null, true],
      [0, 'duration', 'duration', false],
    ],
  },
  {
    key: 'maxBytes',
    stage: branches,
    values: [[], ['--max-bytes', '1'], ['--max-bytes', '1MiB']],
    sees: (seen) => [seen.summary?.reason, seen.summary?.truncated, askedPages(seen).length],
    gives: [
      ['complete', null, 5],
      ['max_bytes', 'max_bytes', 1],
      ['complete', null, 5],
    ],
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
    }),
  ),
  {
    key: 'userAgent',
    stage: garden,
    values: [[], ['--user-agent', 'mybot/2.0 (a test)']],
    sees: (seen) => [
      [...new Set(seen.log.map(({ userAgent }) => userAgent))],
      ...has(seen, 'www.garden.test/not-for-mybot', 'www.garden.test/closed/1'),
    ],
    gives: [
      [[expect.stringMatching(/^gossamer\/\S+ \(\+https:.*\)$/)], true, false],
      [['mybot/2.0 (a test)'], false, true],
    ],
  },
  {
    key: 'contact',
    stage: garden,
    values: [[], ['--contact', 'crawl@garden.test']],
    sees: (seen) => [...new Set(seen.log.map(({ userAgent }) => userAgent.endsWith(' crawl@garden.test')))],
    gives: [[false], [true]],
  },
  {
    key: 'ignoreRobots',
    stage: garden,
    values: [[], ['--ignore-robots']],
    sees: (seen) => [
      timesAsked(seen, 'www.garden.test/robots.txt'),
      timesAsked(seen, 'www.garden.test/closed/1'),
      seen.summary?.ignoredRobots,
      seen.stderr.includes('warning: robots.txt is not obeyed'),
    ],
    gives: [
      [1, 0, false, false],
      [0, 1, true, true],
    ],
  },
];
