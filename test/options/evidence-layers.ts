import { expect } from 'vitest';
import { peakConcurrency } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { star } from '../web/plain.js';
import { html, linkPage, pathSite, type Site } from '../web/site.js';
import type { Row, Seen } from './harness.js';
import { askedPages, layer, says } from './questions.js';
import { crawlOf } from './stages.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The same site, but every answer takes its time: what is allowed at once is then seen at once. */
const slowed = (site: Site, afterMs: number): Site => ({
  async handle(request) {
    return { ...(await site.handle(request)), afterMs };
  },
});

const SIX = range(6).map((n) => `h${n}.test`);
/** Six hosts from the start, robots.txt first: how many are asked at once is up to the options alone. */
export const sixHosts = crawlOf({
  name: 'six slow hosts',
  seeds: SIX.map((host) => `http://${host}/`),
  args: ['--seeding-strategy', 'none'],
  sites: () => Object.fromEntries(SIX.map((host) => [host, slowed(star(2), 60)])),
});

const oneHost = crawlOf({
  name: 'one slow host of 25 pages',
  seeds: ['http://one.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => ({ 'one.test': slowed(star(25), 30) }),
});

const manyLinks = (from: number, to: number): string =>
  linkPage(
    `From ${from}`,
    range(to - from).map((n) => `http://out.test/${from + n}`),
  );
/** So many ends of edges that a megabyte does not hold their keys: older ones go to disk, behind the filter. */
const manyKeys = crawlOf({
  name: 'more keys than fit in memory',
  seeds: ['http://keys.test/'],
  args: ['--seeding-strategy', 'none', '--workers', '1'],
  sites: () => ({
    'keys.test': pathSite({
      '/': html(`${linkPage('Keys', ['/1'])}${manyLinks(0, 8000)}`),
      '/1': html(manyLinks(8000, 11_000)),
    }),
  }),
});
const TINY = ['--seen-memory', '1MiB'];
const LEAKY = [...TINY, '--fp-rate', '0.5', '--expected-urls', '1000'];
/** Of the URLs that are new, but might be on disk: the share for which the filter could not save a look. */
function needlessLookUps(seen: Seen): number {
  const { peak: asked, peakWaiting: saved } = layer(seen, 'filter');
  return (asked - saved) / asked;
}

const manyHosts = crawlOf({
  name: 'eleven hundred hosts',
  seeds: ['http://start.test/'],
  args: ['--scope', 'any', '--seeding-strategy', 'none', '--max-urls', '3'],
  sites: () => ({
    'start.test': pathSite({
      '/': html(
        linkPage(
          'Start',
          range(1100).map((n) => `http://x${n}.test/`),
        ),
      ),
    }),
  }),
});

const BODY = 60 * 1024;
const heavyPage = (n: number) => {
  const filler = Buffer.from(`<!doctype html><title>Heavy ${n}</title>${' '.repeat(BODY)}`);
  const size = filler.length / 12;
  return {
    headers: { 'content-type': 'text/html', 'content-length': String(filler.length) },
    pieces: (piece: number) => (piece < 12 ? filler.subarray(piece * size, (piece + 1) * size) : null),
    everyMs: 10,
    end: 'finish' as const,
  };
};
/** Eight big bodies that come in pieces, all at once. */
const heavy = crawlOf({
  name: 'heavy bodies',
  seeds: ['http://heavy.test/'],
  args: ['--seeding-strategy', 'none', '--no-auto-tune', '--max-body', '128KiB'],
  sites: () => ({
    'heavy.test': pathSite({
      '/': html(
        linkPage(
          'Heavy',
          range(8).map((n) => `/${n}`),
        ),
      ),
      ...Object.fromEntries(range(8).map((n) => [`/${n}`, heavyPage(n)])),
    }),
  }),
});

/** Enough requests that the lanes are threads, and hosts enough for all of them. */
const busy = crawlOf({
  name: 'twelve hosts of 20 pages',
  seeds: range(12).map((n) => `http://b${n}.test/`),
  args: ['--seeding-strategy', 'none', '--no-auto-tune'],
  sites: () => Object.fromEntries(range(12).map((n) => [`b${n}.test`, slowed(star(20), 20)])),
});

/** Longer than a second, so that the governor looks. */
const unhurried = crawlOf({
  name: 'a few pages, one every half second',
  seeds: ['http://slow.test/'],
  args: ['--seeding-strategy', 'none', '--delay', '500'],
  sites: () => ({ 'slow.test': star(4) }),
});
const governed = (seen: Seen): boolean =>
  seen.summary?.notices.some((notice) => notice.startsWith('governor: 1 in flight (memory')) ?? false;

/** The most that were let out at once. Never fewer than the server has seen, and it may see fewer: a slow client spreads them. */
export function atOnce(seen: Seen, name: string, log: readonly LoggedRequest[]): number {
  const { peak } = layer(seen, name);
  return peakConcurrency(log) <= peak ? peak : Number.NaN;
}

/** Each layer narrowed to where it binds; the URLs fetched are the same. */
export const LAYER_EVIDENCE: Row[] = [
  {
    key: 'workers',
    stage: sixHosts,
    values: [[], ['--workers', '1']],
    sees: (seen) => [atOnce(seen, 'workers', seen.log), askedPages(seen).length],
    gives: [
      [6, 12],
      [1, 12],
    ],
  },
  {
    key: 'maxInflightPerHost',
    stage: oneHost,
    values: [
      ['--no-auto-tune', '--max-inflight-per-host', '1'],
      ['--no-auto-tune', '--max-inflight-per-host', '8'],
    ],
    sees: (seen) => [atOnce(seen, 'inflightPerHost', seen.log), askedPages(seen).length],
    gives: [
      [1, 25],
      [8, 25],
    ],
  },
  {
    key: 'autoTune',
    stage: oneHost,
    values: [
      ['--max-inflight-per-host', '20'],
      ['--max-inflight-per-host', '20', '--no-auto-tune'],
    ],
    sees: (seen) => [atOnce(seen, 'inflightPerHost', seen.log) < 8, askedPages(seen).length],
    gives: [
      [true, 25],
      [false, 25],
    ],
  },
  {
    key: 'frontierLimit',
    stage: oneHost,
    values: [[], ['--frontier-limit', '1']],
    // A host that is new begins with what is on disk: one URL.
    sees: (seen) => [layer(seen, 'frontier').peak, layer(seen, 'frontier').peakWaiting > 1, askedPages(seen).length],
    gives: [
      [24, false, 25],
      [1, true, 25],
    ],
  },
  {
    key: 'expectedUrls',
    stage: manyKeys,
    values: [LEAKY, [...TINY, '--fp-rate', '0.5', '--expected-urls', '1000000']],
    sees: (seen) => [needlessLookUps(seen) > 0.1, askedPages(seen).length],
    gives: [
      [true, 2],
      [false, 2],
    ],
  },
  {
    key: 'fpRate',
    stage: manyKeys,
    values: [LEAKY, [...TINY, '--fp-rate', '0.01', '--expected-urls', '1000']],
    sees: (seen) => [needlessLookUps(seen) > 0.1, needlessLookUps(seen) < 0.02, askedPages(seen).length],
    gives: [
      [true, false, 2],
      [false, true, 2],
    ],
  },
  {
    key: 'parseWorkers',
    stage: busy,
    values: [
      ['--parse-workers', '1'],
      ['--parse-workers', '2'],
      ['--parse-workers', '9999'],
    ],
    sees: (seen) => [
      layer(seen, 'lanes').limit === 1,
      says(seen, 'more than twice the cores'),
      askedPages(seen).length,
    ],
    gives: [
      [true, false, 240],
      [false, false, 240],
      [false, true, 240],
    ],
  },
  {
    key: 'robotsWorkers',
    stage: sixHosts,
    values: [[], ['--robots-workers', '1']],
    sees: (seen) => [
      atOnce(
        seen,
        'robots',
        seen.log.filter(({ path }) => path === '/robots.txt'),
      ),
      askedPages(seen).length,
    ],
    gives: [
      [6, 12],
      [1, 12],
    ],
  },
  {
    key: 'fpCheckLimit',
    stage: manyKeys,
    values: [LEAKY, [...LEAKY, '--fp-check-limit', '1']],
    sees: (seen) => [layer(seen, 'lookups').peak, layer(seen, 'lookups').peakWaiting > 500, askedPages(seen).length],
    gives: [
      [512, expect.any(Boolean), 2],
      [1, true, 2],
    ],
  },
  {
    key: 'readyHeapLimit',
    stage: manyHosts,
    values: [[], ['--ready-heap-limit', '1000']],
    sees: (seen) => [layer(seen, 'hosts').peakWaiting > 0, seen.summary?.total],
    gives: [
      [false, 1101],
      [true, 1101],
    ],
  },
  {
    key: 'parseBufferBytes',
    stage: heavy,
    values: [[], ['--parse-buffer', '128KiB']],
    sees: (seen) => [layer(seen, 'bytes').peakWaiting > 0, seen.summary?.done],
    gives: [
      [false, 9],
      [true, 9],
    ],
  },
  {
    key: 'memoryLimitBytes',
    stage: unhurried,
    values: [
      ['--memory-limit', '64GiB'],
      ['--memory-limit', '64MiB'],
    ],
    sees: (seen) => [governed(seen), askedPages(seen).length],
    gives: [
      [false, 4],
      [true, 4],
    ],
  },
  {
    key: 'seenMemoryBytes',
    stage: manyKeys,
    values: [[], TINY],
    sees: (seen) => [layer(seen, 'filter').peak > 0, askedPages(seen).length],
    gives: [
      [false, 2],
      [true, 2],
    ],
  },
  {
    key: 'governor',
    stage: unhurried,
    values: [
      ['--memory-limit', '64MiB'],
      ['--memory-limit', '64MiB', '--no-governor'],
    ],
    sees: (seen) => [governed(seen), layer(seen, 'governor').peakWaiting > 0],
    gives: [
      [true, true],
      [false, false],
    ],
  },
];
