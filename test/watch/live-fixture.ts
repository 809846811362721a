import type { LiveSnapshot } from '../../src/watch/live.js';
import { RunWatch } from '../../src/watch/run-watch.js';

/** A moment of a run in which something of everything has happened. */
export function eventfulMoment(fields: Partial<LiveSnapshot> = {}): LiveSnapshot {
  const clock = { now: () => 1_000, wall: () => 1_700_000_000_000, at: () => () => {} };
  const watch = new RunWatch({ command: 'crawl', directory: '/kept', clock, maxUrls: null, stop: () => {} });
  for (const status of [200, 200, 301, 404, 503, null]) {
    watch.answered(status, status === null ? null : 35);
    watch.kept(2_048);
  }
  watch.failed('http://a.test/<b>', 'http_4xx', 404, 'gone "away"\n');
  watch.failed('http://a.test/slow', 'timeout', null, null);
  watch.works('pages as Markdown', 3, 9);
  const layer = (name: string, limit: number | null) => ({
    ...{ name, title: name, option: `--${name}`, unit: 'requests', use: 2, limit, waiting: 1 },
  });
  return {
    ...watch.live(),
    urls: { done: 4, failed: 2, skipped: 1, deferred: 0, queued: 12, queuedOnDisk: 5 },
    leftMs: 61_500,
    hosts: { known: 7, busy: 2, delayed: 3, backingOff: 1, deferred: 0 },
    layers: [layer('workers', 8), layer('delay', null)],
    tightest: 'delay',
    memory: { bytes: 100, peakBytes: 200, limitBytes: 1_000 },
    commitMs: 4.5,
    ...fields,
  };
}
