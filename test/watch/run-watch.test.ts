import { beforeEach, describe, expect, it } from 'vitest';
import type { LayerFigures } from '../../src/watch/live.js';
import { type RoundMoment, RunWatch, type WatchedRound } from '../../src/watch/run-watch.js';

let now: number;
const clock = { now: () => now, wall: () => 1_000_000 + now, at: () => () => {} };

const MOMENT: RoundMoment = {
  now: 0,
  urls: { done: 0, failed: 0, skipped: 0, deferred: 0, queued: 0, queuedOnDisk: 0 },
  retries: 0,
  refetched: 0,
  inFlight: 0,
  dispatched: 0,
  endsAt: Number.POSITIVE_INFINITY,
  isStopping: false,
  isDiskLow: false,
  isHeldUp: false,
  hostsDelayed: 0,
  waitingFor: null,
  seeding: null,
  rendering: 0,
  hosts: { known: 0, busy: 0, delayed: 0, backingOff: 0, deferred: 0 },
  layers: [],
  memory: { bytes: 0, peakBytes: 0, limitBytes: 0 },
  commitMs: null,
  cluster: null,
};

/** A round whose moments the test makes; it keeps what it is told. */
class Round implements WatchedRound {
  readonly told: unknown[][] = [];
  readonly msAPage = null;
  readonly isResumed = false;
  next: Partial<RoundMoment> = {};
  readonly controls: { -readonly [Name in keyof WatchedRound['controls']]: WatchedRound['controls'][Name] } = {
    pause: () => void this.told.push(['pause']),
    goOn: () => void this.told.push(['goOn']),
    setWorkers: (count) => void this.told.push(['setWorkers', count]),
    setDelay: (host, delayMs) => void this.told.push(['setDelay', host, delayMs]),
    quarantine: (host) => this.told.push(['quarantine', host]) > 0,
    release: (host) => this.told.push(['release', host]) > 0,
    allowTrap: async (pattern) => this.told.push(['allowTrap', pattern]) > 0,
  };

  moment(): RoundMoment {
    return { ...MOMENT, now, ...this.next };
  }
}

const settled = (done: number): Partial<RoundMoment> => ({ urls: { ...MOMENT.urls, done } });
const layer = (name: string, use: number, limit: number | null, waiting: number): LayerFigures => ({
  ...{ name, title: name, option: `--${name}`, unit: 'requests', use, limit, waiting },
});

let stops: number;
let watch: RunWatch;
let round: Round;

beforeEach(() => {
  now = 0;
  stops = 0;
  watch = new RunWatch({ command: 'crawl', directory: '/kept', clock, maxUrls: null, stop: () => void stops++ });
  round = new Round();
  watch.begins(round);
});

describe('what is seen of a run', () => {
  it('counts answers by the first digit of their status', () => {
    for (const status of [100, 200, 204, 301, 404, 404, 500, 999, null]) {
      watch.answered(status, status === null ? null : 10);
      watch.kept(7);
    }
    const { statusClasses, requests, bytes, latency } = watch.live();
    expect(statusClasses).toEqual({ none: 1, '1xx': 1, '2xx': 2, '3xx': 1, '4xx': 2, '5xx': 2 });
    expect([requests, bytes, latency.count]).toEqual([9, 63, 8]);
  });

  it('goes on counting over the rounds of a run', () => {
    watch.answered(200, 5);
    watch.kept(100);
    round.next = { retries: 2, refetched: 1 };
    const second = new Round();
    second.next = { retries: 3 };
    now = 5_000;
    watch.begins(second);
    watch.answered(200, 5);
    watch.kept(100);
    expect(watch.live()).toMatchObject({ requests: 2, bytes: 200, retries: 5, refetched: 1, elapsedMs: 5_000 });
  });

  it('keeps a bounded number of problems, the last ones first', () => {
    for (let i = 0; i < 120; i++) {
      watch.failed(`http://a.test/${i}`, i % 2 === 0 ? 'http_4xx' : 'timeout', null, 'gone');
    }
    const { problems, failures } = watch.live();
    expect(problems.map(({ url }) => url)).toEqual(Array.from({ length: 50 }, (_, i) => `http://a.test/${119 - i}`));
    expect(failures).toEqual({ http_4xx: 60, timeout: 60 });
  });

  it('shows the last problem first before the memory of them is full, too', () => {
    watch.failed('http://a.test/1', 'timeout', null, null);
    watch.failed('http://a.test/2', 'timeout', null, null);
    expect(watch.live().problems.map(({ url }) => url)).toEqual(['http://a.test/2', 'http://a.test/1']);
  });

  it('takes rates over the last half minute, whoever asks how often', () => {
    for (now = 1_000; now <= 60_000; now += 1_000) {
      const pages = now <= 30_000 ? now / 100 : 300 + (now - 30_000) / 500;
      round.next = settled(pages);
      watch.kept(now <= 30_000 ? 1_000 : 100);
      watch.tick();
    }
    now = 60_000;
    const { pagesPerSecond, bytesPerSecond } = watch.live();
    expect(pagesPerSecond).toBeCloseTo(2, 1);
    expect(bytesPerSecond).toBeCloseTo(100, -1);
  });

  it('is paused, stopping and ended, each by its name', () => {
    expect(watch.live()).toMatchObject({ state: 'running', endReason: null });
    round.next = { isPaused: true };
    expect(watch.live()).toMatchObject({ state: 'paused', waitingFor: 'paused', leftMs: null });
    round.next = { isPaused: true, isStopping: true };
    expect(watch.live().state).toBe('stopping');
    watch.ended('interrupted');
    now = 9_000;
    expect(watch.live()).toMatchObject({ state: 'ended', endReason: 'interrupted', elapsedMs: 0, tightest: null });
  });

  it('can be sent as JSON, and comes back the same', () => {
    watch.failed('http://a.test/', 'timeout', null, null);
    const live = watch.live();
    expect(JSON.parse(JSON.stringify(live))).toEqual(live);
  });
});

describe('the tightest layer', () => {
  const tightest = (next: Partial<RoundMoment>): string | null => {
    round.next = next;
    return watch.live().tightest;
  };

  it('is one that is full while something waits for it', () => {
    const workers = layer('workers', 8, 8, 40);
    expect(tightest({ layers: [workers, layer('governor', 8, 8, 0)], isHeldUp: true })).toBe('workers');
    expect(tightest({ layers: [layer('workers', 8, 8, 0)] })).toBeNull();
    expect(tightest({ layers: [layer('workers', 7, 8, 40)] })).toBeNull();
  });

  it('is the delay where all that is asked for waits for its time', () => {
    const hosts = { ...MOMENT.hosts, delayed: 3, backingOff: 1 };
    expect(tightest({ hosts })).toBe('delay');
    expect(tightest({ hosts: { ...hosts, delayed: 0 } })).toBe('backoff');
    expect(tightest({ hosts, isHeldUp: true })).toBeNull();
  });

  it('is not the memory of the queue while hosts are waited for', () => {
    const layers = [layer('frontier', 10, 10, 1_000)];
    expect(tightest({ layers, hosts: { ...MOMENT.hosts, delayed: 1 } })).toBe('delay');
    expect(tightest({ layers })).toBe('frontier');
  });
});

describe('what a run is told', () => {
  it('reaches the round under way', async () => {
    const { controls } = watch;
    controls.pause();
    controls.goOn();
    controls.setWorkers(3);
    controls.setDelay(null, 50);
    expect(controls.quarantine('a.test')).toBe(true);
    expect(controls.release('a.test')).toBe(true);
    expect(await controls.allowTrap('http://a.test/?*')).toBe(true);
    expect(round.told).toEqual([
      ['pause'],
      ['goOn'],
      ['setWorkers', 3],
      ['setDelay', null, 50],
      ['quarantine', 'a.test'],
      ['release', 'a.test'],
      ['allowTrap', 'http://a.test/?*'],
    ]);
  });

  it('holds for the rounds that follow, and what was taken back does not', async () => {
    const { controls } = watch;
    controls.setWorkers(3);
    controls.setDelay('a.test', 50);
    controls.quarantine('b.test');
    controls.quarantine('c.test');
    controls.release('c.test');
    await controls.allowTrap('http://a.test/?*');
    controls.pause();
    const second = new Round();
    watch.begins(second);
    expect(second.told).toEqual([
      ['setWorkers', 3],
      ['setDelay', 'a.test', 50],
      ['quarantine', 'b.test'],
      ['allowTrap', 'http://a.test/?*'],
      ['pause'],
    ]);
    controls.goOn();
    const third = new Round();
    watch.begins(third);
    expect(third.told).not.toContainEqual(['pause']);
  });

  it('is refused as a whole where a round refuses it', () => {
    const second = new Round();
    round.controls.setWorkers = () => {
      throw new Error('no number');
    };
    expect(() => watch.controls.setWorkers(Number.NaN)).toThrow('no number');
    watch.begins(second);
    expect(second.told).toEqual([]);
  });

  it('is logged with what came of it', async () => {
    const heard: unknown[] = [];
    watch.events.on('info', ({ code, message, fields }) => {
      if (code === 'told') {
        heard.push([message, fields.isDone]);
      }
    });
    round.controls.release = () => false;
    round.controls.quarantine = () => false;
    round.controls.allowTrap = async () => false;
    watch.controls.setDelay(null, 50);
    watch.controls.quarantine('a.test');
    watch.controls.release('b.test');
    await watch.controls.allowTrap('/x/*');
    expect(heard).toEqual([
      ['told: setDelay all hosts 50', true],
      // It holds as soon as the host comes in.
      ['told: quarantine a.test', true],
      ['refused: release b.test', false],
      ['refused: allowTrap /x/*', false],
    ]);
  });

  it('stops by whoever runs it', () => {
    watch.controls.stop();
    expect(stops).toBe(1);
  });
});
