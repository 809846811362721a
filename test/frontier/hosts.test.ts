import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { Draft } from '../../src/frontier/draft.js';
import type { Host } from '../../src/frontier/host.js';
import { Hosts } from '../../src/frontier/hosts.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import type { HostRow, HostSnapshot, StorePort } from '../../src/store/transaction.js';

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
  ...{ maxUrlsOfSeeds: new Map(), maxInflightPerIp: 0, delayPerIpMs: 0, seekSitemaps: false, maxRedirects: 100 },
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

const START = { unclean: false, parkedHosts: 0 };

/** The rows of the hosts that leave memory with the next transaction. */
function leaving(hosts: Hosts): HostRow[] {
  const draft = new Draft(clock.wall());
  hosts.save(draft);
  return draft.transaction.hosts;
}

/** A request of the host was answered so long ago that it may be asked again in so many milliseconds. */
function answered(host: Host, nextInMs: number): void {
  host.started();
  host.headersArrived(time.now - host.delayMs + nextInMs, 1);
  host.ended();
}

describe('hosts in memory', () => {
  beforeEach(() => {
    time.now = 50_000;
  });

  it('come back with the times they left with, whatever the monotonic clock says meanwhile', () => {
    const hosts = new Hosts(options({ readyHeapLimit: 0 }), clock, START);
    const host = hosts.enter(snapshot(1, 5, { failures: 2 }));
    answered(host, 700);
    host.troubled({ sentAt: time.now, isKnown: false }, time.now, 9_000, 0.5, options());
    const [row] = leaving(hosts);
    expect(hosts.size).toBe(0);
    expect(row).toMatchObject({
      id: 1,
      nextAllowedAt: wallIn(700),
      blockedUntil: wallIn(9_000),
      blockReason: 'retry_after',
      parkedUntil: wallIn(9_000),
      failures: 3,
    });
    time.now += 200;
    const back = new Hosts(options(), clock, START).enter(snapshot(1, 5, row));
    expect([back.readyAt - time.now, back.failures]).toEqual([8_800, 3]);
    expect(back.toRow(WALL)).toMatchObject({ nextAllowedAt: row!.nextAllowedAt, blockReason: 'retry_after' });
  });

  it('leave in order: the finished ones first, then those whose turn is furthest away; never one that is at work', () => {
    const hosts = new Hosts(options({ readyHeapLimit: 1 }), clock, START);
    const [busy, near, far, finished] = [snapshot(1, 5), snapshot(2, 5), snapshot(3, 5), snapshot(4, 0)].map((each) =>
      hosts.enter(each),
    );
    busy!.started();
    answered(near!, 10);
    answered(far!, 5_000);
    answered(finished!, 0);
    expect(leaving(hosts).map(({ id }) => id)).toEqual([4, 3, 2]);
    expect([...hosts.all()].map(({ id }) => id)).toEqual([1]);
    expect([far!.isEvicted, busy!.isEvicted]).toEqual([true, false]);
  });

  it.each(['pinned', 'to be put off', 'waiting for robots.txt', 'loading its queue'] as const)(
    'stay while they are %s',
    (why) => {
      const hosts = new Hosts(options({ readyHeapLimit: 0 }), clock, START);
      const host = hosts.enter(snapshot(1, 5));
      if (why === 'pinned') {
        host.pin();
      } else if (why === 'to be put off') {
        host.deferSoon('backoff');
      } else if (why === 'waiting for robots.txt') {
        host.origins[0]!.robots.started();
      } else {
        host.origins[0]!.setLoading(true);
      }
      expect(leaving(hosts)).toEqual([]);
      expect(hosts.size).toBe(1);
    },
  );

  it('that are finished are not parked: nobody has to bring them back', () => {
    const hosts = new Hosts(options({ readyHeapLimit: 0 }), clock, START);
    hosts.enter(snapshot(1, 0));
    expect(leaving(hosts)[0]!.parkedUntil).toBeNull();
    expect([hosts.parked, hosts.dueAt]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it('make room for one that is due only where they have to wait themselves', () => {
    const hosts = new Hosts(options({ readyHeapLimit: 2 }), clock, { ...START, parkedHosts: 1 });
    const [ready, delayed] = [hosts.enter(snapshot(1, 5)), hosts.enter(snapshot(2, 5))];
    answered(ready, 0);
    answered(delayed, 100);
    expect(leaving(hosts).map(({ id }) => id)).toEqual([2]);
    hosts.enter(snapshot(3, 5));
    expect(hosts.dueAt).toBeLessThanOrEqual(time.now);
    expect(leaving(hosts)).toEqual([]);
    // Nobody could leave: that is tried again when something has ended, not before.
    expect(hosts.dueAt).toBe(Number.POSITIVE_INFINITY);
    hosts.workEnded();
    expect(hosts.dueAt).toBeLessThanOrEqual(time.now);
  });

  it('are parked with the next transaction where there is no room for them, and come back when they are due', async () => {
    const hosts = new Hosts(options({ readyHeapLimit: 1 }), clock, START);
    const first = hosts.enter(snapshot(1, 0));
    first.pin();
    hosts.park({ ...snapshot(2, 5).host, nextAllowedAt: wallIn(300) });
    expect([hosts.parked, hosts.canLoad, hosts.dueAt - time.now]).toEqual([1, false, 300]);
    expect(leaving(hosts)).toMatchObject([{ id: 2, parkedUntil: wallIn(300) }]);
    time.now += 300;
    first.unpin();
    expect(leaving(hosts).map(({ id }) => id)).toEqual([1]);
    expect(hosts.canLoad).toBe(true);
    const store = { loadDue: async () => ({ hosts: [snapshot(2, 5)], nextDue: null, parked: 0 }) };
    expect((await hosts.load(store as unknown as StorePort)).map(({ host }) => host.id)).toEqual([2]);
    expect([hosts.parked, hosts.dueAt]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it('wait their whole delay after a kill, Crawl-delay included, and only after one', () => {
    const asked = snapshot(1, 5);
    asked.origins[0]!.row.crawlDelayMs = 7_000;
    const resumed = (unclean: boolean) => new Hosts(options(), clock, { ...START, unclean }).enter(asked);
    expect([resumed(true).readyAt - time.now, resumed(false).readyAt - time.now]).toEqual([7_000, 0]);
  });

  it('never wait longer than could have been asked for, when the wall clock has jumped', () => {
    const day = 24 * 3_600_000;
    const late = { nextAllowedAt: wallIn(day), blockedUntil: wallIn(day) };
    const host = new Hosts(options(), clock, START).enter(snapshot(1, 5, late));
    const { nextAllowedAt, blockedUntil } = host.toRow(0);
    expect([nextAllowedAt - time.now, blockedUntil - time.now]).toEqual([60_000, 3_600_000]);
  });

  it('that are known keep their queue: only what the store adds is taken over', () => {
    const hosts = new Hosts(options(), clock, START);
    const host = hosts.enter(snapshot(1, 5));
    expect(hosts.enter(snapshot(1, 99))).toBe(host);
    expect(host.waiting).toBe(5);
  });

  it('are saved where they have changed, once', () => {
    const hosts = new Hosts(options(), clock, START);
    const host = hosts.enter(snapshot(1, 5));
    const saved = (): number => {
      const draft = new Draft(clock.wall());
      draft.pin(host);
      hosts.save(draft);
      return draft.transaction.hosts.length;
    };
    expect(saved()).toBe(0);
    answered(host, 10);
    expect([saved(), saved()]).toEqual([1, 0]);
  });
});
