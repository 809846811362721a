import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import type { SchedulerOptions } from '../../src/frontier/embedded/options.js';
import { Registry } from '../../src/frontier/embedded/registry.js';
import type { HostSnapshot } from '../../src/store/transaction.js';

const WALL = 1_700_000_000_000;
const time = { now: 50_000 };
const clock: Clock = { now: () => time.now, wall: () => WALL + time.now, at: () => () => {} };

const options = (fields: Partial<SchedulerOptions> = {}): SchedulerOptions => ({
  ...{
    maxBackoffMs: 3_600_000,
    quarantineAfter: 10,
    maxRetryAfterMs: 3_600_000,
    delayMsFor: () => 1_000,
    maxInflightPerHost: 20,
  },
  ...{
    autoTune: true,
    frontierLimit: 1_000,
    readyHeapLimit: 10,
    robotsWorkers: 64,
    obeyRobots: true,
    robotsUnreachable: 'defer',
    maxWaitMs: 600_000,
  },
  ...{
    maxCrawlDelayMs: 60_000,
    retries: 2,
    retryDelayMs: 1_000,
    order: 'bfs',
    choose: null,
    surveyOnly: false,
    maxUrls: 0,
    maxUrlsPerHost: 0,
  },
  ...{ maxUrlsOfSeed: () => 0, maxInflightPerIp: 0, delayPerIpMs: 0, seekSitemaps: false, maxRedirects: 100 },
  ...fields,
});

function snapshot(id: number, queued: number, host: Partial<HostSnapshot['host']> = {}): HostSnapshot {
  const row = {
    id,
    robotsId: null,
    robotsState: 'ready',
    robotsRules: null,
    robotsAt: null,
    robotsExpiresAt: null,
    crawlDelayMs: null,
    robotsTries: 0,
    robotsRetryAt: 0,
  };
  return {
    host: {
      ...{
        id,
        name: `h${id}.test`,
        nextAllowedAt: 0,
        blockedUntil: 0,
        blockReason: null,
        failures: 0,
        tunedLimit: null,
        learnedDelayMs: 0,
        dispatched: 0,
      },
      ...{ sitemapFiles: 0, deferredReason: null, address: null, parkedUntil: null, ...host },
    },
    origins: [
      { row: { ...row, sitemapsSought: true }, origin: `http://h${id}.test`, queued: [0, 0, queued], deferred: 0 },
    ],
  };
}

const wallIn = (ms: number) => clock.wall() + ms;

describe('hosts in memory', () => {
  beforeEach(() => {
    time.now = 50_000;
  });

  it('come back with the times they left with, whatever the monotonic clock says meanwhile', () => {
    const registry = new Registry(options({ readyHeapLimit: 0 }), clock, false);
    const host = registry.enter(snapshot(1, 5));
    host.nextAllowedAt = time.now + 700;
    host.blockedUntil = time.now + 9_000;
    host.blockReason = 'backoff';
    host.failures = 3;
    const [row] = registry.evict(1, false);
    expect(registry.size).toBe(0);
    expect(row).toMatchObject({
      id: 1,
      nextAllowedAt: wallIn(700),
      blockedUntil: wallIn(9_000),
      parkedUntil: wallIn(9_000),
      failures: 3,
    });
    const back = new Registry(options(), clock, false).enter(snapshot(1, 5, row));
    expect([back.nextAllowedAt - time.now, back.blockedUntil - time.now, back.failures]).toEqual([700, 9_000, 3]);
  });

  it('leave in order: the finished ones first, then those whose turn is furthest away; never one that is at work', () => {
    const registry = new Registry(options({ readyHeapLimit: 1 }), clock, false);
    const [busy, near, far, finished] = [snapshot(1, 5), snapshot(2, 5), snapshot(3, 5), snapshot(4, 0)].map((each) =>
      registry.enter(each),
    );
    busy!.started();
    near!.nextAllowedAt = time.now + 10;
    far!.nextAllowedAt = time.now + 5_000;
    finished!.nextAllowedAt = time.now;
    expect(registry.surplus).toBe(3);
    expect(registry.evict(1, false).map(({ id }) => id)).toEqual([4]);
    expect(registry.evict(5, false).map(({ id }) => id)).toEqual([3, 2]);
    expect([...registry.hosts()].map(({ id }) => id)).toEqual([1]);
    expect(far!.evicted).toBe(true);
  });

  it('that are finished are not parked: nobody has to bring them back', () => {
    const registry = new Registry(options({ readyHeapLimit: 0 }), clock, false);
    registry.enter(snapshot(1, 0));
    expect(registry.evict(1, false)[0]!.parkedUntil).toBeNull();
  });

  it('make room for one that is due only where they have to wait themselves', () => {
    const registry = new Registry(options({ readyHeapLimit: 2 }), clock, false);
    const [ready, delayed] = [registry.enter(snapshot(1, 5)), registry.enter(snapshot(2, 5))];
    ready.nextAllowedAt = time.now;
    delayed.nextAllowedAt = time.now + 100;
    expect(registry.evict(0, true).map(({ id }) => id)).toEqual([2]);
    expect(registry.evict(0, true)).toEqual([]);
  });

  it('wait their whole delay after a kill, Crawl-delay included, and only after one', () => {
    const asked = snapshot(1, 5);
    asked.origins[0]!.row.crawlDelayMs = 7_000;
    expect(new Registry(options(), clock, true).enter(asked).nextAllowedAt - time.now).toBe(7_000);
    expect(new Registry(options(), clock, false).enter(asked).nextAllowedAt - time.now).toBe(0);
  });

  it('never wait longer than could have been asked for, when the wall clock has jumped', () => {
    const day = 24 * 3_600_000;
    const host = new Registry(options(), clock, false).enter(
      snapshot(1, 5, { nextAllowedAt: wallIn(day), blockedUntil: wallIn(day) }),
    );
    expect([host.nextAllowedAt - time.now, host.blockedUntil - time.now]).toEqual([60_000, 3_600_000]);
  });

  it('that are known keep their queue: only what the store adds is taken over', () => {
    const registry = new Registry(options(), clock, false);
    const host = registry.enter(snapshot(1, 5));
    expect(registry.enter(snapshot(1, 99))).toBe(host);
    expect(host.waiting).toBe(5);
  });
});
