import { expect } from 'vitest';
import type { Row } from './harness.js';
import {
  atOnce,
  busy,
  governed,
  heavy,
  LEAKY,
  manyHosts,
  manyKeys,
  needlessLookUps,
  oneHost,
  SEVERAL,
  sixHosts,
  TINY,
  unhurried,
} from './layer-stages.js';
import { askedPages, layer } from './questions.js';

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
    check: [
      [1, 25],
      [SEVERAL, 25],
    ],
    docs: [
      [1, 25],
      [SEVERAL, 25],
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
    check: 'same',
    docs: 'same',
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
    ],
    sees: (seen) => [layer(seen, 'lanes').peak, askedPages(seen).length],
    gives: [
      [1, 240],
      [2, 240],
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
    key: 'fpCheckLimit',
    stage: manyKeys,
    values: [LEAKY, [...LEAKY, '--fp-check-limit', '1']],
    // A piece of a page has at most a thousand URLs, and some of them are not in memory.
    sees: (seen) => [
      layer(seen, 'lookups').peak > 200,
      layer(seen, 'lookups').peakWaiting > 200,
      askedPages(seen).length,
    ],
    gives: [
      [true, expect.any(Boolean), 2],
      [false, true, 2],
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
    check: 'same',
    docs: 'same',
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
    sees: governed,
    gives: [true, false],
    check: 'same',
    docs: 'same',
  },
];
