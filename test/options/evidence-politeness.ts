import { expect } from 'vitest';
import { smallestGap } from '../web/judge.js';
import { star } from '../web/plain.js';
import { html, linkPage, notFound, pathSite, type Site, type SiteAnswer, text } from '../web/site.js';
import { garden, has } from './garden.js';
import type { Row, Seen } from './harness.js';
import { atOnce, SEVERAL, sixHosts } from './layer-stages.js';
import { askedPages, fateOf, keepsApart, says, timesAsked } from './questions.js';
import { crawlOf } from './stages.js';

/** `/` leads to /page and /other; /page refuses its first request. */
const refusing = (refusal: SiteAnswer): Site => {
  let asks = 0;
  return pathSite({
    '/': html(linkPage('Home', ['/page', '/other'])),
    '/page': () => (asks++ === 0 ? refusal : html(linkPage('Page', []))),
    '/other': html(linkPage('Other', [])),
  });
};
const refusal = (status: number, retryAfterSeconds: number | null): SiteAnswer => ({
  ...text('Not now.', status),
  headers: retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) },
});

const refusingStage = (name: string, answer: SiteAnswer, ...args: string[]) =>
  crawlOf({
    name,
    seeds: ['http://busy.test/'],
    args: ['--seeding-strategy', 'none', '--workers', '1', '--retry-delay', '0', ...args],
    sites: () => ({ 'busy.test': refusing(answer) }),
  });
/** How often /page was asked, what became of it and of its neighbour, and why the run ended. */
const endOfPage = (seen: Seen) => [
  timesAsked(seen, 'busy.test/page'),
  fateOf(seen, 'http://busy.test/page'),
  fateOf(seen, 'http://busy.test/other'),
  seen.kept?.reason,
];
const WAITED = [2, 'done', 'done', 'complete'];
const putOff = (reason: string) => [1, `deferred ${reason}`, `deferred ${reason}`, 'complete_with_deferred'];

const asksForTime = crawlOf({
  name: 'Crawl-delay of half a second',
  seeds: ['http://patient.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => ({
    'patient.test': {
      handle: (request) =>
        request.path === '/robots.txt' ? text('User-agent: *\nCrawl-delay: 0.5\n') : star(3).handle(request),
    },
  }),
});

/** robots.txt takes five seconds the first time, and none later. */
const sleepyRobots = crawlOf({
  name: 'a robots.txt that is slow once',
  seeds: ['http://sleepy.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => {
    let asks = 0;
    return {
      'sleepy.test': pathSite({
        '/robots.txt': () => ({ ...notFound, afterMs: asks++ === 0 ? 5000 : 0 }),
        '/': html(linkPage('Awake', [])),
      }),
    };
  },
});

const stars = crawlOf({
  name: 'three pages at the usual delay',
  seeds: ['http://star.test/'],
  args: ['--seeding-strategy', 'none'],
  delay: 'default',
  sites: () => ({ 'star.test': star(3) }),
});

const allAsOneHost = (seen: Seen) => seen.log.map((request) => ({ ...request, host: 'all' }));

export const POLITENESS_EVIDENCE: Row[] = [
  {
    key: 'delayMs',
    stage: stars,
    values: [
      ['--delay', '0'],
      ['--delay', '250'],
    ],
    sees: (seen) => [says(seen, '1 host, no delay'), says(seen, 'delay 250 ms'), keepsApart(seen, 'star.test', 250)],
    gives: [
      [true, false, expect.any(Boolean)],
      [false, true, true],
    ],
    check: 'same',
    docs: 'same',
  },
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
    check: 'same',
    docs: 'same',
  },
  {
    key: 'contact',
    stage: garden,
    values: [[], ['--contact', 'crawl@garden.test']],
    sees: (seen) => [...new Set(seen.log.map(({ userAgent }) => userAgent.endsWith(' crawl@garden.test')))],
    gives: [[false], [true]],
    check: 'same',
    docs: 'same',
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
      [1, 1, true, true],
    ],
    check: [
      [1, 0, undefined, false],
      [1, 1, undefined, true],
    ],
    docs: [
      [1, 0, undefined, false],
      [1, 1, undefined, true],
    ],
  },
  {
    // That pages are asked for is seen in test/frontier/robots-tries.test.ts and test/crawl/robots.whole.test.ts: it takes three tries.
    key: 'robotsUnreachable',
    stage: garden,
    values: [[], ['--robots-unreachable', 'allow']],
    sees: (seen) => [
      seen.summary?.robotsUnreachable,
      seen.stderr.includes('warning: hosts whose robots.txt cannot be reached are crawled'),
    ],
    gives: [
      [{ policy: 'defer', crawledHosts: 0 }, false],
      [{ policy: 'allow', crawledHosts: 0 }, true],
    ],
    check: [
      [undefined, false],
      [undefined, true],
    ],
    docs: [
      [undefined, false],
      [undefined, true],
    ],
  },
  {
    key: 'maxWaitMs',
    stage: refusingStage('Retry-After of one second', refusal(503, 1)),
    values: [[], ['--max-wait', '500ms']],
    sees: endOfPage,
    gives: [WAITED, putOff('retry_after')],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'robotsTimeoutMs',
    stage: sleepyRobots,
    values: [[], ['--robots-timeout', '2s']],
    sees: (seen) => [timesAsked(seen, 'sleepy.test/robots.txt'), fateOf(seen, 'http://sleepy.test/')],
    gives: [
      [1, 'done'],
      [2, 'done'],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxCrawlDelayMs',
    stage: asksForTime,
    values: [[], ['--max-crawl-delay', '400ms']],
    sees: (seen) => [
      askedPages(seen).length,
      smallestGap(seen.log, 'patient.test') >= 500,
      fateOf(seen, 'http://patient.test/p1'),
      says(seen, 'more than --max-crawl-delay'),
    ],
    gives: [
      [3, true, 'done', false],
      [1, true, 'deferred crawl_delay', true],
    ],
    check: 'same',
    // The seed, and one when the pages have their turn.
    docs: [
      [3, true, 'done', false],
      [2, true, 'done', true],
    ],
  },
  {
    key: 'maxRetryAfterMs',
    stage: refusingStage('Retry-After of an hour', refusal(429, 3600)),
    values: [[], ['--max-retry-after', '1s']],
    sees: endOfPage,
    gives: [putOff('retry_after'), WAITED],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxBackoffMs',
    stage: refusingStage('one failure, little patience', refusal(500, null), '--max-wait', '1s'),
    values: [[], ['--max-backoff', '1s']],
    sees: endOfPage,
    gives: [putOff('backoff'), WAITED],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'quarantineAfter',
    stage: refusingStage('one failure, much patience', refusal(500, null)),
    values: [[], ['--quarantine-after', '1']],
    sees: endOfPage,
    gives: [WAITED, putOff('quarantine')],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxInflightPerIp',
    stage: sixHosts,
    values: [[], ['--max-inflight-per-ip', '1']],
    sees: (seen) => [atOnce(seen, 'workers', seen.log), askedPages(seen).length],
    gives: [
      [6, 12],
      [1, 12],
    ],
    check: [
      [SEVERAL, 12],
      [1, 12],
    ],
    docs: [
      [SEVERAL, 12],
      [1, 12],
    ],
  },
  {
    key: 'delayPerIpMs',
    stage: sixHosts,
    values: [[], ['--delay-per-ip', '50ms']],
    sees: (seen) => [
      atOnce(seen, 'workers', seen.log),
      smallestGap(allAsOneHost(seen), 'all') >= 50,
      askedPages(seen).length,
    ],
    gives: [
      [6, expect.any(Boolean), 12],
      [1, true, 12],
    ],
    check: [
      [SEVERAL, expect.any(Boolean), 12],
      [1, true, 12],
    ],
    docs: [
      [SEVERAL, expect.any(Boolean), 12],
      [1, true, 12],
    ],
  },
];
