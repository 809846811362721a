import { star } from '../web/plain.js';
import { html, linkPage, pathSite, text } from '../web/site.js';
import type { Row, Seen } from './harness.js';
import { atOnce, LEAKY, manyKeys, oneHost } from './layer-stages.js';
import { askedPages, fateOf, layer, timesAsked } from './questions.js';
import { crawlOf } from './stages.js';

/** Its one page takes longer than ten seconds and less than fifteen. */
const sluggish = crawlOf({
  name: 'a page that takes twelve seconds',
  seeds: ['http://sluggish.test/'],
  args: ['--seeding-strategy', 'none', '--retries', '0', '--idle-timeout', '60s'],
  sites: () => ({
    'sluggish.test': pathSite({ '/': { ...html(linkPage('At last', [])), afterMs: 12_000 } }),
  }),
});

/** More patience than `ci` has, and less than a crawl has by default; the run is too short to wait for it. */
const tired = crawlOf({
  name: 'Retry-After of 40 seconds in a run of fifteen',
  seeds: ['http://tired.test/'],
  args: ['--seeding-strategy', 'none', '--duration', '15s'],
  sites: () => ({
    'tired.test': pathSite({
      '/': html(linkPage('Home', ['/page'])),
      '/page': { ...text('Not now.', 503), headers: { 'retry-after': '40' } },
    }),
  }),
});

const untuned = (...args: string[]) => ['--no-auto-tune', ...args];
const wide = crawlOf({
  name: 'one host of 200 pages at once',
  seeds: ['http://wide.test/'],
  args: ['--seeding-strategy', 'none'],
  sites: () => ({
    'wide.test': { handle: async (request) => ({ ...(await star(200).handle(request)), afterMs: 30 }) },
  }),
});
const limits = (seen: Seen, ...names: string[]) => names.map((name) => layer(seen, name).limit);

/** Each preset where its values show; and that none of them leaves robots.txt unasked. */
export const PRESET_EVIDENCE: Row[] = [
  {
    key: 'preset',
    stage: sluggish,
    values: [[], ['--preset', 'big-site'], ['--preset', 'many-hosts'], ['--preset', 'low-memory'], ['--preset', 'ci']],
    sees: (seen) => [timesAsked(seen, 'sluggish.test/robots.txt'), fateOf(seen, 'http://sluggish.test/')],
    gives: [
      [1, 'done'],
      [1, 'failed timeout'],
      [1, 'done'],
      [1, 'done'],
      [1, 'failed timeout'],
    ],
  },
  {
    key: 'preset',
    stage: wide,
    values: [
      untuned(),
      untuned('--preset', 'big-site'),
      untuned('--preset', 'big-site', '--max-inflight-per-host', '7', '--workers', '30'),
    ],
    // How many it comes to is up to the machine too.
    sees: (seen) => [
      atOnce(seen, 'inflightPerHost', seen.log) > 20,
      ...limits(seen, 'workers', 'inflightPerHost'),
      askedPages(seen).length,
    ],
    gives: [
      [false, 512, 20, 200],
      [true, 1024, 150, 200],
      [false, 30, 7, 200],
    ],
  },
  {
    key: 'preset',
    stage: oneHost,
    values: [untuned(), untuned('--preset', 'many-hosts')],
    sees: (seen) => [
      atOnce(seen, 'inflightPerHost', seen.log) > 2,
      ...limits(seen, 'workers', 'robots', 'hosts'),
      askedPages(seen).length,
    ],
    gives: [
      [true, 512, 64, 100_000, 25],
      [false, 512, 256, 1_000_000, 25],
    ],
  },
  {
    key: 'preset',
    stage: manyKeys,
    values: [LEAKY, [...LEAKY, '--preset', 'low-memory']],
    // The filter lets half of the URLs through to be looked up.
    sees: (seen) => [
      layer(seen, 'lookups').peak > 128,
      ...limits(seen, 'frontier', 'lookups'),
      askedPages(seen).length,
    ],
    gives: [
      [true, 250_000, 512, 2],
      [false, 50_000, 128, 2],
    ],
  },
  {
    key: 'preset',
    stage: tired,
    values: [[], ['--preset', 'ci'], ['--preset', 'ci', '--max-wait', '1m']],
    sees: (seen) => [
      fateOf(seen, 'http://tired.test/page'),
      seen.summary?.reason,
      timesAsked(seen, 'tired.test/robots.txt'),
    ],
    gives: [
      ['skipped limit', 'duration', 1],
      ['deferred retry_after', 'complete_with_deferred', 1],
      ['skipped limit', 'duration', 1],
    ],
  },
];
