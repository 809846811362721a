import { onTestFinished } from 'vitest';
import { Frontier } from '../../src/frontier/frontier.js';
import { KeyTable } from '../../src/frontier/key-table.js';
import type { SchedulerOptions } from '../../src/frontier/options.js';
import { failure, keyOf, type Lease, type Offer, type Outcome } from '../../src/frontier/outcome.js';
import { SeedBook } from '../../src/frontier/seed-book.js';
import type { Statement } from '../../src/store/sqlite.js';
import type { Store } from '../../src/store/store.js';
import { QueueClass, UNANSWERED, UrlKind, UrlState } from '../../src/store/url-state.js';
import { TrapWatch } from '../../src/url/traps.js';
import { begin, openStore, TestScope } from '../store/support.js';

const OPTIONS: SchedulerOptions = {
  ...{ maxBackoffMs: 3_600_000, quarantineAfter: 10, maxRetryAfterMs: 3_600_000, delayMsFor: () => 0 },
  ...{ maxInflightPerHost: 1_000, autoTune: false, frontierLimit: 250_000, readyHeapLimit: 1_000, robotsWorkers: 64 },
  ...{
    obeyRobots: false,
    robotsUnreachable: 'defer',
    maxWaitMs: 600_000,
    maxCrawlDelayMs: 60_000,
    retries: 2,
    retryDelayMs: 1_000,
  },
  ...{
    order: 'bfs',
    choose: null,
    surveyOnly: false,
    maxUrls: 0,
    maxUrlsPerHost: 0,
    maxUrlsOfSeeds: new Map(),
    maxInflightPerIp: 0,
  },
  ...{ delayPerIpMs: 0, seekSitemaps: false, maxRedirects: 100 },
};

export function offer(url: string, fields: Partial<Offer> = {}): Offer {
  return {
    ...{ url, key: keyOf(url), kind: UrlKind.page, state: UrlState.queued, reason: null, depth: 0 },
    ...{ class: QueueClass.rest, seed: 0, hops: 0, flags: 0, pattern: null },
    ...fields,
  };
}

const pagesThatAre = (state: UrlState): string =>
  `count(*) FILTER (WHERE kind = 0 AND state = ${state} AND NOT ${UNANSWERED})`;
/** One look at the table: it is asked for after every step of every test. */
const COUNTS = `SELECT count(*) FILTER (WHERE state IN (0, 1)) AS outstanding, ${pagesThatAre(UrlState.done)} AS done,
  ${pagesThatAre(UrlState.failed)} AS failed, ${pagesThatAre(UrlState.skipped)} AS skipped, ${pagesThatAre(UrlState.deferred)} AS deferred FROM urls`;

/** The frontier over a real store, without lanes: the test says what comes of each lease. */
export class FrontierOnStore {
  readonly store: Store;
  readonly frontier: Frontier;
  readonly trapsCut: string[] = [];
  readonly told: string[] = [];
  readonly sitemapsCut: [host: string, files: number | null][] = [];
  now: number;
  /** Its process is gone: the store may say something else by now. */
  isKilled = false;
  #countOnDisk: Statement | null = null;

  constructor(
    options: Partial<SchedulerOptions> = {},
    scope = new TestScope(),
    store = openStore(scope),
    now = 1_000,
    traps = new TrapWatch({ maxQueryVariants: 0, maxShapeVariants: 0, allow: [] }),
    seeds = new SeedBook([]),
  ) {
    this.store = store;
    this.now = now;
    const unused = () => {};
    this.frontier = new Frontier({
      options: { ...OPTIONS, ...options },
      clock: { now: () => this.now, wall: () => this.now, at: () => unused },
      random: () => 0.5,
      store: {
        commit: async (transaction) => structuredClone(this.store.writer.commit(transaction)),
        loadQueue: async (loads) => this.store.loadQueue(loads),
        loadDue: async (wall, limit) => this.store.loadDue(wall, limit),
      },
      snapshot: begin(this.store),
      keys: new KeyTable(Number.POSITIVE_INFINITY),
      traps,
      seeds,
      resolveAddress: async () => null,
      seedOf: (url) => (scope.admits(url) ? 0 : -1),
      events: {
        ...{
          scopeGrew: unused,
          hostDeferred: unused,
          crawlDelayTooLong: unused,
          robotsUnanswered: unused,
          sitemapRead: unused,
          retryLater: unused,
        },
        ...{ originsLeft: unused, wake: unused },
        sitemapsCut: (host, files) => this.sitemapsCut.push([host, files]),
        settled: (pages) => this.told.push(...pages.map(({ url }) => url)),
        trapCut: (pattern) => this.trapsCut.push(pattern),
      },
    });
    onTestFinished(() => (this.isKilled ? undefined : this.checkCounts()));
  }

  /** What came of a lease: a page without links, unless the fields say otherwise. */
  outcome(lease: Lease, fields: Partial<Outcome> = {}): Outcome {
    return { ...failure(lease, this.now, null, null), status: 200, headersAt: this.now, ttfbMs: 1, ...fields };
  }

  /** Fetches until nothing can go out any more. Returns the URLs in the order they were leased. */
  async fetchAll(fieldsOf: (lease: Lease) => Partial<Outcome> = () => ({}), want = 50): Promise<string[]> {
    const urls: string[] = [];
    let outcomes: Outcome[] = [];
    do {
      const leases = await this.frontier.settle(outcomes, want);
      urls.push(...leases.map(({ url }) => url));
      outcomes = leases.map((lease) => this.outcome(lease, fieldsOf(lease)));
      this.checkCounts();
    } while (outcomes.length > 0 || this.frontier.wakeAt() <= this.now);
    return urls;
  }

  /** The counters in memory, against the rows in the store. */
  checkCounts(): void {
    const { outstanding, done, failed, skipped, deferred } = this.frontier.counts();
    const inMemory = { outstanding, done, failed, skipped, deferred };
    this.#countOnDisk ??= this.store.database.prepare(COUNTS);
    const onDisk = { ...this.#countOnDisk.get() };
    if (JSON.stringify(inMemory) !== JSON.stringify(onDisk)) {
      throw new Error(`memory counts ${JSON.stringify(inMemory)}, and the store ${JSON.stringify(onDisk)}`);
    }
  }
}
