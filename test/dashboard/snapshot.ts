import { LatencyHistogram } from '../../src/watch/latency.js';
import type { LiveSnapshot, RunControls, ShownRun } from '../../src/watch/live.js';

const NO_LATENCY: LiveSnapshot['latency'] = { count: 0, sumMs: 0, p50Ms: null, p90Ms: null, p99Ms: null, buckets: [] };

/** A moment of a run that has just begun, but for what a test says. */
export function snapshot(parts: Partial<LiveSnapshot> = {}): LiveSnapshot {
  return {
    at: 1_000,
    command: 'crawl',
    directory: '/kept',
    state: 'running',
    endReason: null,
    elapsedMs: 0,
    urls: { done: 0, failed: 0, skipped: 0, deferred: 0, queued: 0, queuedOnDisk: 0 },
    requests: 0,
    cached: 0,
    retries: 0,
    refetched: 0,
    bytes: 0,
    inFlight: 0,
    statusClasses: { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 },
    failures: {},
    latency: NO_LATENCY,
    pagesPerSecond: 0,
    bytesPerSecond: 0,
    leftMs: null,
    hosts: { known: 0, busy: 0, delayed: 0, backingOff: 0, deferred: 0 },
    layers: [],
    tightest: null,
    waitingFor: null,
    memory: { bytes: 0, peakBytes: 0, limitBytes: 0 },
    commitMs: null,
    decisions: [],
    problems: [],
    notices: [],
    work: null,
    cluster: null,
    ...parts,
  };
}

/** A run that stands still and writes down what it is told. */
export function madeRun(): { run: ShownRun; told: string[]; failures: string[] } {
  const told: string[] = [];
  const failures: string[] = [];
  const controls: RunControls = {
    pause: () => void told.push('pause'),
    goOn: () => void told.push('go on'),
    stop: () => void told.push('stop'),
    setWorkers: (count) => void told.push(`workers ${count}`),
    setDelay: (host, delayMs) => void told.push(`delay ${host} ${delayMs}`),
    quarantine: (host) => told.push(`quarantine ${host}`) > 0,
    release: (host) => host === 'a.test' && told.push(`release ${host}`) > 0,
    allowTrap: async (pattern) => pattern === 'known' && told.push(`allow ${pattern}`) > 0,
  };
  const run: ShownRun = {
    live: () => snapshot(),
    controls,
    latencies: () => new LatencyHistogram().counts(),
    delays: () =>
      new Map([
        [null, 300],
        ['a.test', 250],
      ]),
    dashboardFailed: ({ message }) => void failures.push(message),
  };
  return { run, told, failures };
}
