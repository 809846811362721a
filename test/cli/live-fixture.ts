import type { ClusterSnapshot, LayerFigures, LiveSnapshot, SlotSnapshot } from '../../src/watch/live.js';

const layer = (
  [name, title, option, unit]: readonly [string, string, string, string],
  [use, limit, waiting]: readonly [number, number | null, number],
): LayerFigures => ({ name, title, option, unit, use, limit, waiting });

const LAYERS: readonly LayerFigures[] = [
  layer(['workers', 'requests in flight', '--workers', 'requests'], [20, 512, 0]),
  layer(['inflightPerHost', 'requests per host', '--max-inflight-per-host', 'requests'], [20, 20, 35]),
  layer(['delay', 'hosts that keep their delay', '--delay', 'hosts'], [3, null, 3]),
  layer(['bytes', 'bytes fetched and not yet kept', '--parse-buffer', 'bytes'], [2048, 1_048_576, 0]),
];

/** A moment of a crawl in the middle of its work. */
export const MOMENT: LiveSnapshot = {
  at: 1_700_000_000_000,
  command: 'crawl',
  directory: '/data/a.test',
  state: 'running',
  endReason: null,
  elapsedMs: 100_000,
  urls: { done: 1200, failed: 34, skipped: 12, deferred: 0, queued: 3766, queuedOnDisk: 0 },
  requests: 1300,
  cached: 0,
  retries: 5,
  refetched: 0,
  bytes: 59_034_828,
  inFlight: 20,
  statusClasses: { '1xx': 0, '2xx': 1200, '3xx': 20, '4xx': 30, '5xx': 4, none: 0 },
  failures: { http_4xx: 30 },
  latency: { count: 0, sumMs: 0, p50Ms: null, p90Ms: null, p99Ms: null, buckets: [] },
  pagesPerSecond: 12.34,
  bytesPerSecond: 1_258_291,
  leftMs: 305_000,
  hosts: { known: 16, busy: 3, delayed: 12, backingOff: 1, deferred: 0 },
  layers: LAYERS,
  tightest: 'inflightPerHost',
  waitingFor: null,
  memory: { bytes: 1, peakBytes: 1, limitBytes: 1 },
  commitMs: 3,
  decisions: [],
  problems: [
    { at: 3, url: 'http://a.test/gone', reason: 'http_4xx', status: 404, message: null },
    { at: 2, url: 'http://b.test/slow', reason: 'timeout', status: null, message: 'no answer in 10 s' },
    { at: 1, url: 'http://a.test/first', reason: 'http_4xx', status: 410, message: null },
    { at: 0, url: 'http://a.test/older', reason: 'http_4xx', status: 404, message: null },
  ],
  notices: [],
  work: null,
  cluster: null,
};

const slot = (parts: Partial<SlotSnapshot>): SlotSnapshot => ({
  ...{ slot: 0, state: 'active', host: 'host-a', pid: 7, leaseLeftMs: 14_200, missingForMs: 0, done: 600, failed: 4 },
  ...{ outstanding: 2_000, inFlight: 3, pagesPerSecond: 40.25, unusedGrant: 0, mailFrom: 12, mailTo: 3, mailIn: 90 },
  ...{ mailOut: 80, mailBytes: 9_000, entriesInRedis: null },
  ...parts,
});

/** Three machines, one of which is gone, and one slot that nobody has had. */
export const CLUSTER: ClusterSnapshot = {
  ...{ crawlId: 'web', own: 0, nodes: 4, phase: 'running', reason: null, leftMs: null, redisBytes: null },
  slots: [
    slot({}),
    slot({ slot: 1, host: 'host-b\u001b[2J', pagesPerSecond: 20 }),
    slot({ slot: 2, state: 'missing', host: 'host-c', leaseLeftMs: 0, missingForMs: 90_000, mailTo: 12_345 }),
    slot({
      slot: 3,
      state: 'free',
      host: '',
      pid: 0,
      leaseLeftMs: 0,
      done: 0,
      outstanding: 0,
      mailFrom: 0,
      mailTo: 70,
    }),
  ],
};
