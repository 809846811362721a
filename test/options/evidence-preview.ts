import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Preview } from '../../src/preview/preview.js';
import { html, linkPage, notFound, pathSite, type Site, text, urlset, xml } from '../web/site.js';
import type { Row, Seen, Stage } from './harness.js';
import { says, timesAsked } from './questions.js';
import { here } from './stages.js';

const HOME = 'http://list.test/';
const at = (path: string): string => `http://list.test${path}`;

/** A sitemap with one URL of everything that the options decide on, and pages that a sample finds. */
const listed = (): Site =>
  pathSite({
    '/robots.txt': text('User-agent: *\nDisallow: /closed\n\nUser-agent: mybot\nDisallow: /docs\n'),
    '/sitemap.xml': xml(
      urlset([
        ...['/docs/a', '/docs/b', '/beside', '/closed/1'].map(at),
        ...['/q?b=2&a=1', '/q?a=1&b=2', '/q?a=1&b=2&utm_source=mail'].map(at),
        'http://sub.list.test/x',
        'http://elsewhere.test/y',
      ]),
    ),
    '/': html(`${linkPage('Home', ['/docs/a'])}<a rel=nofollow href="/marked">x</a><img src="/picture.png">`),
  });

const previewOf = (name: string, sites: () => Record<string, Site>, ...args: string[]): Stage => ({
  name: `preview of ${name}`,
  async play(values, trial) {
    const web = await trial.web();
    for (const [host, site] of Object.entries(sites())) {
      web.site(host, site);
    }
    writeFileSync(join(trial.folder, 'seeds.txt'), 'http://second.test/\n');
    return trial.run(['preview', ...here(web), '--json', ...args, ...values]);
  },
});

const list = previewOf('a list', () => ({ 'list.test': listed() }), HOME, '--delay', '0');
const slowList = previewOf('a list with a delay', () => ({ 'list.test': listed() }), HOME, '--scope', 'host');
const sampled = previewOf('a list, sampled', () => ({ 'list.test': listed() }), HOME, '--delay', '0', '--sample', '10');
/** In a process of its own: how long it would take is reckoned from how long answers took. */
const longList: Stage = {
  name: 'preview of a long list',
  async play(values, trial) {
    const web = await trial.web();
    web.site('long.test', pathSite({ '/sitemap.xml': { ...xml(urlset(numbered(300))), afterMs: 20 } }));
    return trial.start(['preview', ...here(web), '--json', 'http://long.test/', '--delay', '0', ...values]).ended;
  },
};
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `http://long.test/p${i}`);

/** What is slow is slow once. */
const slowOnce = (path: string) =>
  previewOf(
    `a slow ${path}`,
    () => {
      let asks = 0;
      const answer = path === '/robots.txt' ? notFound : xml(urlset(['http://sleepy.test/a']));
      return { 'sleepy.test': pathSite({ [path]: () => ({ ...answer, afterMs: asks++ === 0 ? 5000 : 0 }) }) };
    },
    ...['http://sleepy.test/', '--delay', '0'],
  );
const patient = previewOf(
  'a Crawl-delay',
  () => ({ 'patient.test': pathSite({ '/robots.txt': text('User-agent: *\nCrawl-delay: 2\n') }) }),
  ...['http://patient.test/', '--delay', '0'],
);

/** Chains of three pages below each of thirty: there is something to draw. */
const drawn = previewOf(
  'a site to draw from',
  () => ({
    'drawn.test': {
      handle: ({ path }) =>
        html(
          linkPage(path, path === '/' ? Array.from({ length: 30 }, (_, i) => `/${i}/`) : [`${path}x`].filter(isShort)),
        ),
    },
  }),
  ...['http://drawn.test/', '--delay', '0', '--workers', '1'],
);
const isShort = (path: string): boolean => path.length < 7;

const answerOf = (seen: Seen): Preview => JSON.parse(seen.stdout) as Preview;
const pagesOf = (seen: Seen): number => answerOf(seen).pages;
const pagesAsked = (seen: Seen): string[] =>
  seen.log.map(({ path }) => path).filter((path) => !/\.(?:txt|xml)$/.test(path));

/** What changes the answer of `gossamer preview`; what it shares with `robots` stands in evidence-network.ts. */
export const PREVIEW_EVIDENCE: Row[] = (
  [
    {
      key: 'startUrls',
      stage: list,
      values: [[], ['--start-url', 'http://second.test/']],
      sees: (seen) => answerOf(seen).seeds.map(({ label }) => label),
      gives: [[HOME], [HOME, 'http://second.test/']],
    },
    {
      key: 'seedsFiles',
      stage: list,
      values: [[], ['--seeds-file', 'seeds.txt']],
      sees: (seen) => answerOf(seen).seeds.length,
      gives: [1, 2],
    },
    {
      key: 'scope',
      stage: list,
      values: [[], ['--scope', 'host'], ['--scope', 'any']],
      sees: (seen) => [pagesOf(seen), answerOf(seen).outside.urls],
      gives: [
        [8, 1],
        [7, 2],
        [9, 0],
      ],
    },
    {
      key: 'for',
      stage: list,
      values: [[], ['--for', 'docs']],
      sees: (seen) => [pagesOf(seen), answerOf(seen).corpus?.pages?.low],
      gives: [
        [8, undefined],
        [7, 7],
      ],
    },
    {
      key: 'include',
      stage: list,
      values: [[], ['--include', '**/docs/**']],
      sees: pagesOf,
      gives: [8, 3],
    },
    {
      key: 'exclude',
      stage: list,
      values: [[], ['--exclude', '**/docs/**']],
      sees: pagesOf,
      gives: [8, 6],
    },
    {
      key: 'nofollow',
      stage: sampled,
      values: [[], ['--nofollow', 'ignore']],
      sees: (seen) => [answerOf(seen).skipped.nofollow, pagesAsked(seen).includes('/marked')],
      gives: [
        [1, false],
        [undefined, true],
      ],
    },
    {
      key: 'assets',
      stage: sampled,
      values: [[], ['--assets']],
      sees: pagesOf,
      gives: [8, 9],
    },
    {
      key: 'depth',
      stage: list,
      values: [[], ['--depth', '0']],
      sees: (seen) => [pagesOf(seen), answerOf(seen).skipped.depth],
      gives: [
        [8, undefined],
        [1, 8],
      ],
    },
    {
      key: 'maxUrls',
      stage: list,
      values: [[], ['--max-urls', '3']],
      sees: (seen) => [answerOf(seen).duration?.pages, answerOf(seen).duration?.cutBy],
      gives: [
        [8, null],
        [3, 'max_urls'],
      ],
    },
    {
      key: 'maxUrlsPerHost',
      stage: list,
      values: [[], ['--max-urls-per-host', '2']],
      sees: (seen) => answerOf(seen).duration?.pages,
      gives: [8, 3],
    },
    {
      key: 'durationMs',
      stage: slowList,
      values: [[], ['--duration', '5s']],
      sees: (seen) => [answerOf(seen).duration?.cutBy, answerOf(seen).duration?.durationMs === 5000],
      gives: [
        [null, false],
        ['duration', true],
      ],
    },
    {
      key: 'stripQuery',
      stage: list,
      values: [[], ['--strip-query']],
      sees: pagesOf,
      gives: [8, 6],
    },
    {
      key: 'stripTracking',
      stage: list,
      values: [[], ['--strip-tracking']],
      sees: pagesOf,
      gives: [8, 7],
    },
    {
      key: 'sortQuery',
      stage: list,
      values: [[], ['--sort-query']],
      sees: pagesOf,
      gives: [8, 7],
    },
    {
      key: 'workers',
      stage: longList,
      values: [[], ['--workers', '1']],
      sees: (seen) => answerOf(seen).duration?.decidedBy,
      gives: ['answers', 'workers'],
    },
    {
      key: 'maxInflightPerHost',
      stage: longList,
      values: [
        ['--workers', '1'],
        ['--workers', '1', '--max-inflight-per-host', '1'],
      ],
      // The host would take more than one worker can ask for, or no more.
      sees: (seen) => answerOf(seen).duration?.decidedBy,
      gives: ['workers', 'answers'],
    },
    {
      key: 'delayMs',
      stage: slowList,
      values: [[], ['--delay', '100']],
      sees: (seen) => [answerOf(seen).hostList[0]!.delayMs, answerOf(seen).faster.map(({ option }) => option)],
      gives: [
        [1000, ['--delay 100ms']],
        [100, []],
      ],
    },
    {
      key: 'userAgent',
      stage: list,
      values: [[], ['--user-agent', 'mybot/2']],
      sees: (seen) => [
        [...new Set(seen.log.map(({ userAgent }) => userAgent))],
        answerOf(seen).forbidden.rules.map(({ rule, pages }) => [rule, pages]),
      ],
      gives: [
        [[expect.stringContaining('gossamer/')], [['Disallow: /closed', 1]]],
        [['mybot/2'], [['Disallow: /docs', 2]]],
      ],
    },
    {
      key: 'contact',
      stage: list,
      values: [[], ['--contact', 'me@list.test']],
      sees: (seen) => [...new Set(seen.log.map(({ userAgent }) => userAgent.endsWith(' me@list.test')))],
      gives: [[false], [true]],
    },
    {
      key: 'robotsTimeoutMs',
      stage: slowOnce('/robots.txt'),
      values: [[], ['--robots-timeout', '2s']],
      sees: (seen) => timesAsked(seen, 'sleepy.test/robots.txt'),
      gives: [1, 2],
    },
    {
      key: 'timeoutMs',
      stage: slowOnce('/sitemap.xml'),
      values: [[], ['--timeout', '2s']],
      sees: (seen) => timesAsked(seen, 'sleepy.test/sitemap.xml'),
      gives: [1, 2],
    },
    {
      key: 'maxCrawlDelayMs',
      stage: patient,
      values: [[], ['--max-crawl-delay', '1s']],
      sees: (seen) => answerOf(seen).hostList.map(({ trouble }) => trouble),
      gives: [[null], ['crawl_delay']],
    },
    {
      key: 'quiet',
      stage: patient,
      values: [
        ['--max-crawl-delay', '1s'],
        ['--max-crawl-delay', '1s', '--quiet'],
      ],
      sees: (seen) => [seen.code, says(seen, 'more than --max-crawl-delay')],
      gives: [
        [0, true],
        [0, false],
      ],
    },
    {
      key: 'json',
      stage: list,
      values: [['--json'], ['--no-json']],
      sees: (seen) => [
        seen.stdout.startsWith('{'),
        seen.stdout.startsWith(`${HOME}: 8 pages, 2 hosts: what 1 sitemap names`),
      ],
      gives: [
        [true, false],
        [false, true],
      ],
    },
    {
      key: 'sample',
      stage: drawn,
      values: [[], ['--sample', '10'], ['--sample', '20']],
      sees: (seen) => [answerOf(seen).basis, pagesAsked(seen).length],
      gives: [
        ['none', 0],
        ['sample', 10],
        ['sample', 20],
      ],
    },
    {
      key: 'sampleSeed',
      stage: drawn,
      values: [
        ['--sample', '20', '--sample-seed', '1'],
        ['--sample', '20', '--sample-seed', '2'],
      ],
      // The first five are the oldest.
      sees: (seen) => pagesAsked(seen).slice(5),
      gives: [expect.arrayContaining([expect.any(String)]), expect.arrayContaining([expect.any(String)])],
    },
  ] satisfies Row[]
).map((row) => ({ ...row, command: 'preview' }));
