import { type Clock, steadyClock } from '../../base/clock.js';
import type { HostRow, SeedRow, StorePort, StoreSnapshot } from '../../store/transaction.js';
import { UrlFlag } from '../../store/url-state.js';
import type { TrapWatch } from '../../url/traps.js';
import type { Outcome } from '../frontier.js';
import { QueuePlaces } from '../queue-place.js';
import type { SeedBook } from '../seed-book.js';
import type { Host, Origin } from './host.js';
import type { KeyTable } from './key-table.js';
import type { SchedulerOptions } from './options.js';
import type { Waiting } from './queue-window.js';
import { Registry } from './registry.js';
import { RobotsDesk } from './robots-desk.js';
import { Scheduler } from './scheduler.js';

export interface EmbeddedFrontierParts {
  options: SchedulerOptions;
  clock: Clock;
  /** 0 ≤ x < 1 */
  random(): number;
  store: StorePort;
  snapshot: StoreSnapshot;
  keys: KeyTable;
  traps: TrapWatch;
  seeds: SeedBook;
  /** Address of a host name, for pacing by address. */
  resolveAddress(hostName: string): Promise<string | null>;
  /** The seed that lets a URL in, or -1. Left out where no names come from logs of certificates. */
  seedOf?(url: string): number;
  events: FrontierEvents;
}

export interface FrontierEvents {
  /** A seed redirected out of what its scope counted: lanes have to judge by the new one. */
  scopeGrew(seed: SeedRow): void;
  hostDeferred(host: string, reason: string, urls: number, until: number): void;
  /** A page is asked for again; `afterMs` at the earliest. */
  retryLater(url: string, status: number | null, why: string, afterMs: number): void;
  crawlDelayTooLong(host: string, delayMs: number): void;
  /** Its robots.txt does not answer, and it is crawled all the same. */
  robotsUnanswered(origin: string): void;
  /** The first URL of a pattern was cut; told once that is durable. */
  trapCut(pattern: string): void;
  sitemapRead(url: string, urls: number): void;
  /** A host has more sitemap files than are read of it: told when the first is cut (null), and at the end with how many this run has cut. */
  sitemapsCut(host: string, files: number | null): void;
  /** Pages that are settled for good, in the order they came; told once their commit is durable. */
  settled(pages: SettledPage[]): void;
  /** Assets that are settled; `others`: any may be besides, where all that waited for a host was put off or failed together. */
  assets?(ids: number[], others: boolean): void;
  /** Hosts left memory: whoever keeps something by origin may forget it. */
  originsLeft(origins: number[]): void;
  /** Something may be ready earlier than `wakeAt` said. */
  wake(): void;
}

export interface SettledPage {
  url: string;
  depth: number;
  attempts: number;
  state: 'done' | 'failed' | 'skipped';
  reason: string | null;
  external: boolean;
  outcome: Outcome;
}

/** A lease that is out, until it is settled. */
export interface Held {
  item: Waiting;
  origin: Origin;
  /** The origin whose robots.txt this is, where it is one. */
  robotsOf: Origin | null;
  sentAt: number;
  headersSeen: boolean;
  ended: boolean;
  /** Of what the page leads to, as far as it was handed on in pieces: whether it is of another shape, and whether there are pages in it. */
  pieces: { bringNews: boolean; namePages: boolean };
}

/** Everything the parts of the frontier share: the schedule in memory, what is leased, and the counters. */
export class FrontierState {
  readonly parts: EmbeddedFrontierParts;
  readonly options: SchedulerOptions;
  readonly clock: Clock;
  /** Its wall time does not jump: for times that go to the store and come back in the same run. */
  readonly steady: Clock;
  readonly registry: Registry;
  readonly scheduler: Scheduler;
  readonly robots: RobotsDesk;
  readonly places: QueuePlaces;
  readonly leased = new Map<number, Held>();
  /** URLs asked for, of seeds that have a budget. */
  readonly seedUse: Map<number, number>;
  readonly toDefer = new Set<Host>();
  /** URLs were queued again where all else is put off or has failed: they go the same way with the next transaction. */
  readonly toShareFate = new Set<Origin>();
  readonly toPark = new Map<number, HostRow>();
  /** By host: sitemap files that this run has not read because of the limit. */
  readonly sitemapsCut = new Map<string, number>();
  /** Flags of URLs that are waiting or under way, where more was learnt of them since memory has them. */
  readonly reflagged = new Map<number, number>();
  readonly counts: { done: number; failed: number; skipped: number; deferred: number };
  nextId: number;
  /** Queued or leased, robots.txt aside. */
  open: number;
  robotsLeased = 0;
  lookingUp = 0;
  parked: number;
  parkedDue: number;
  /** All hosts in memory are at work: none can make room for one that is due. */
  evictionFutile = false;
  dispatched: number;
  retries = 0;
  /** Of all runs: leases that may have been on the wire when their process or thread died. */
  refetched: number;
  scopeVersion = 0;
  commitMs = 0;
  peakOnDisk = 0;
  peakHosts = 0;
  peakParked = 0;

  constructor(parts: EmbeddedFrontierParts) {
    const { options, clock, snapshot } = parts;
    this.parts = parts;
    this.options = options;
    this.clock = clock;
    this.steady = steadyClock(clock);
    this.registry = new Registry(options, this.steady, snapshot.unclean, (origin) => parts.seeds.covers(origin));
    this.scheduler = new Scheduler(options, clock, this.registry, snapshot.resumed);
    this.robots = new RobotsDesk(options, clock, (origin) => parts.seeds.hasOtherSpelling(origin));
    this.places = new QueuePlaces(options.order);
    this.nextId = snapshot.nextId;
    this.parked = snapshot.parkedHosts;
    this.parkedDue = snapshot.parkedHosts > 0 ? 0 : Number.POSITIVE_INFINITY;
    const { counts } = snapshot;
    this.counts = {
      done: counts.done ?? 0,
      failed: counts.failed ?? 0,
      skipped: counts.skipped ?? 0,
      deferred: 0,
    };
    this.open = counts.open ?? 0;
    this.dispatched = Number(snapshot.meta.dispatched ?? 0);
    this.refetched = Number(snapshot.meta.refetched ?? 0);
    this.seedUse = new Map(snapshot.seedUse);
  }

  /** Whether a URL is no page yet: only a third party has named it. */
  isCandidate(item: Waiting): boolean {
    return (this.flagsOf(item) & UrlFlag.candidate) !== 0;
  }

  flagsOf({ id, flags }: Waiting): number {
    return this.reflagged.get(id) ?? flags;
  }

  get queuedOnDisk(): number {
    return Math.max(0, this.open - this.scheduler.use.inMemory - (this.leased.size - this.robotsLeased));
  }
}
