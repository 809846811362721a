import { type BackoffOptions, type BlockReason, blockFor } from '../../hosts/backoff.js';
import { Tuner } from '../../hosts/tuning.js';
import { hostnameOfKey } from '../../url/host.js';
import { registrableDomain } from '../../url/scope.js';
import type { AddressGroup } from './address-groups.js';
import type { Waiting } from './queue-window.js';
import type { HeapItem } from './ready-heap.js';
import type { RobotsPlace } from './robots-places.js';
import type { UrlQueue } from './url-queue.js';

export type RobotsState = 'unknown' | 'fetching' | 'ready' | 'unreachable' | 'failed';

/** What robots.txt is asked for and what it says, for one scheme, host and port; and the URLs that wait there. */
export class Origin {
  readonly id: number;
  readonly origin: string;
  readonly host: Host;
  readonly queue: UrlQueue;
  robots: RobotsState = 'unknown';
  robotsId: number | null = null;
  rules: string | null = null;
  rulesVersion = 0;
  /** Wall time. */
  robotsAt: number | null = null;
  robotsExpiresAt = 0;
  /** Its robots.txt is to be asked for, but all of its URLs are under way: the next that comes back is queued again. */
  waitsForNothing = false;
  /** How often in a row it could not be had. Kept in the store, with the time of the next try: a run that goes on with another begins no new series. */
  robotsTries = 0;
  /** Monotonic: robots.txt did not answer and is asked again then. */
  robotsRetryAt = 0;
  /** Error class of `failed`, reason of `unreachable`. */
  problem: string | null = null;
  crawlDelayMs: number | null = null;
  /** Its robots.txt did not answer, and what waits here is asked for all the same. */
  isUnanswered = false;
  sitemapsSought = false;
  /** A load from disk is under way. */
  loading = false;
  deferred = 0;
  dirty = false;

  constructor(id: number, origin: string, host: Host, queue: UrlQueue) {
    this.id = id;
    this.origin = origin;
    this.host = host;
    this.queue = queue;
  }
}

export interface HostLimits {
  ceiling: number;
  tunes: boolean;
  tunedLimit: number | null;
}

/** A host that says 429 is asked at least this much apart from then on, and after each further one twice as much. */
const FIRST_LEARNED_MS = 200;
const MOST_LEARNED_MS = 10_000;

const FIRST_LIMIT = 2;

/** A request that failed, and whether what it asked for had failed before: of a URL that always fails, each second look tells nothing new. */
export interface Trouble {
  sentAt: number;
  isKnown: boolean;
}

/** What pacing goes by: a name, whatever its schemes and ports. All times are monotonic. */
export class Host implements HeapItem {
  readonly id: number;
  readonly name: string;
  readonly origins: Origin[] = [];
  readonly tuner: Tuner;
  readonly #baseDelayMs: number;
  heapAt: number | null = null;
  heapPlace = 0;
  /** It stands among those that have a seed or a home page to ask for. */
  isFirst = false;
  nextAllowedAt = 0;
  blockedUntil = 0;
  blockReason: BlockReason | null = null;
  failures = 0;
  learnedDelayMs = 0;
  /** Requests under way, and those of them that still wait for headers. */
  inFlight = 0;
  awaitingHeaders = 0;
  /** Second looks under way: one at a time. */
  secondLooks = 0;
  /** Pages that were asked for, each once. */
  dispatched = 0;
  /**
   * Of them, those under way for the first time. The store counts them when they are settled, in the same transaction: what a kill
   * loses was not counted, and what it does not lose was.
   */
  firstUnderWay = 0;
  sitemapFiles = 0;
  /** Its URLs are put off for this reason. */
  deferredReason: string | null = null;
  /** To be put off with the next transaction. */
  toDefer: string | null = null;
  /** One request only, until one succeeds. */
  probing = false;
  address: string | null = null;
  /** Its name has none: it shares its pacing with nobody. */
  addressless = false;
  /** Of its requests under way, where addresses are paced too. */
  group: AddressGroup | null = null;
  /** It is its turn at its address, from this time on. */
  called: { group: AddressGroup; at: number } | null = null;
  /** New URLs of it are in a transaction that is not committed yet, or leases of it are not settled. */
  pinned = 0;
  waitingForRobots = false;
  /** Of its requests for robots.txt that are under way. */
  readonly robotsPlaces: RobotsPlace[] = [];
  waitingForRoom = false;
  dirty = false;
  lastUsed = 0;
  /** It left memory; a copy in the ready heap is dropped when its turn comes. */
  evicted = false;

  constructor(id: number, name: string, baseDelayMs: number, limits: HostLimits) {
    this.id = id;
    this.name = name;
    this.#baseDelayMs = baseDelayMs;
    this.tuner = new Tuner({ ceiling: limits.ceiling, start: limits.tunedLimit ?? FIRST_LIMIT, tunes: limits.tunes });
  }

  /** Its registrable domain. */
  get domain(): string {
    this.#domain ??= registrableDomain(hostnameOfKey(this.name));
    return this.#domain;
  }
  #domain: string | null = null;

  /** The strictest of --delay, Crawl-delay and what its refusals have taught. */
  get delayMs(): number {
    let delay = Math.max(this.#baseDelayMs, this.learnedDelayMs);
    for (const origin of this.origins) {
      delay = Math.max(delay, origin.crawlDelayMs ?? 0);
    }
    return delay;
  }

  get readyAt(): number {
    return Math.max(this.nextAllowedAt, this.blockedUntil);
  }

  /** Whether another request may be under way beside those that are. */
  get hasPlace(): boolean {
    if (this.probing) {
      return this.inFlight === 0;
    }
    return this.inFlight < this.tuner.limit && (this.delayMs === 0 || this.awaitingHeaders === 0);
  }

  get idle(): boolean {
    return (
      this.inFlight === 0 &&
      this.pinned === 0 &&
      !this.origins.some((origin) => origin.robots === 'fetching' || origin.loading)
    );
  }

  get waiting(): number {
    return this.origins.reduce((sum, origin) => sum + origin.queue.inMemory + origin.queue.onDisk, 0);
  }

  get inMemory(): number {
    return this.origins.reduce((sum, origin) => sum + origin.queue.inMemory, 0);
  }

  started(): void {
    this.inFlight++;
    this.awaitingHeaders++;
  }

  /** @param delays how many times its delay has to pass before the next request */
  headersArrived(at: number, delays: number): void {
    this.awaitingHeaders--;
    this.nextAllowedAt = Math.max(this.nextAllowedAt, at + this.delayMs * delays);
    this.dirty = true;
  }

  succeeded(): void {
    this.probing = false;
    if (this.failures > 0) {
      this.failures = 0;
      this.blockReason = null;
      this.dirty = true;
    }
  }

  /** It said that this was too fast. Requests that went out before the last refusal was known tell nothing new. */
  refused(sentAt: number, now: number): void {
    if (sentAt < this.#refusedAt) {
      return;
    }
    this.#refusedAt = now;
    this.learnedDelayMs = Math.min(MOST_LEARNED_MS, Math.max(FIRST_LEARNED_MS, 2 * this.delayMs));
    this.dirty = true;
  }
  #refusedAt = 0;

  /** Trouble of a request that was sent after the last block began; those sent before it tell nothing new. */
  troubled(
    { sentAt, isKnown }: Trouble,
    now: number,
    retryAfterMs: number | null,
    random: number,
    options: BackoffOptions,
  ): void {
    if (sentAt < this.#blockedSince && retryAfterMs === null) {
      return;
    }
    if (sentAt >= this.#blockedSince) {
      this.failures = isKnown ? Math.max(1, this.failures) : this.failures + 1;
    }
    const { ms, reason } = blockFor(this.failures, retryAfterMs, random, options);
    this.#blockedSince = now;
    if (now + ms >= this.blockedUntil) {
      this.blockedUntil = now + ms;
      this.blockReason = reason;
    }
    this.dirty = true;
  }
  #blockedSince = 0;
}

/** May this URL go, as far as its robots.txt is concerned? robots.txt itself always may. */
export const mayGo =
  (origin: Origin) =>
  (item: Waiting): boolean =>
    origin.robots === 'ready' || item.kind === 1;
