import type { Clock } from '../../base/clock.js';
import type { HostRow, HostSnapshot, OriginRow } from '../../store/transaction.js';
import { UNANSWERED_ROBOTS } from '../../store/url-state.js';
import { isServer } from '../../url/place.js';
import { Host, Origin, type RobotsState } from './host.js';
import { longestRobotsPauseMs, type SchedulerOptions } from './options.js';
import { UrlQueue } from './url-queue.js';

/** Evicting one host at a time would mean looking through all of them for each. */
const EVICT_SHARE = 0.05;

/**
 * The hosts in memory (layer 10). A host enters as it stands in the store and leaves when there are too many: its next allowed time goes
 * to the store with it, so no delay and no backoff is ever forgotten.
 */
export class Registry {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #byOrigin = new Map<string, Origin>();
  readonly #byId = new Map<number, Host>();
  /** After an unclean stop nobody knows when the last request went out: a host waits its whole delay. */
  readonly #unclean: boolean;
  #uses = 0;
  #urlsLeft = 0;
  #left: number[] = [];
  readonly #isCovered: (origin: string) => boolean;

  /** @param isCovered whether the origin is in the scope of a seed */
  constructor(
    options: SchedulerOptions,
    clock: Clock,
    unclean: boolean,
    isCovered: (origin: string) => boolean = () => false,
  ) {
    this.#isCovered = isCovered;
    this.#options = options;
    this.#clock = clock;
    this.#unclean = unclean;
  }

  get size(): number {
    return this.#byId.size;
  }

  get surplus(): number {
    return this.#byId.size - this.#options.readyHeapLimit;
  }

  hosts(): IterableIterator<Host> {
    return this.#byId.values();
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  origin(text: string): Origin | undefined {
    return this.#byOrigin.get(text);
  }

  /** Its robots.txt is asked for: for its rules, or, where those are not obeyed, for the sitemaps that it names. */
  asksRobots(origin: string): boolean {
    const { obeyRobots, seekSitemaps, ownOrigins } = this.#options;
    const hasReason = obeyRobots || (seekSitemaps && this.#isCovered(origin));
    return hasReason && isServer(origin) && !ownOrigins?.includes(origin);
  }

  touch(host: Host): void {
    host.lastUsed = ++this.#uses;
  }

  /** Brings a host into memory, or corrects the queue of one that is there. */
  enter(snapshot: HostSnapshot): Host {
    const known = this.#byId.get(snapshot.host.id);
    const host = known ?? this.#make(snapshot.host);
    for (const { row, origin: text, queued, deferred } of snapshot.origins) {
      let origin = this.#byOrigin.get(text);
      if (origin === undefined) {
        origin = this.#makeOrigin(row, text, host);
        origin.queue.reset(queued);
      }
      origin.deferred = deferred;
    }
    this.touch(host);
    return host;
  }

  #make(row: HostSnapshot['host']): Host {
    const { maxInflightPerHost, autoTune, delayMsFor, maxBackoffMs, maxRetryAfterMs } = this.#options;
    const host = new Host(row.id, row.name, delayMsFor(row.name), {
      ceiling: maxInflightPerHost,
      tunes: autoTune,
      tunedLimit: row.tunedLimit,
    });
    const now = this.#clock.now();
    // Wall clocks jump; no wait is ever longer than what could have been asked for.
    host.nextAllowedAt =
      now + clamp(row.nextAllowedAt - this.#clock.wall(), 0, Math.max(host.delayMs, this.#options.maxCrawlDelayMs));
    host.blockedUntil = now + clamp(row.blockedUntil - this.#clock.wall(), 0, Math.max(maxBackoffMs, maxRetryAfterMs));
    host.blockReason = row.blockReason as Host['blockReason'];
    host.failures = row.failures;
    host.learnedDelayMs = row.learnedDelayMs;
    host.dispatched = row.dispatched;
    host.sitemapFiles = row.sitemapFiles;
    host.deferredReason = row.deferredReason;
    host.address = row.address;
    this.#byId.set(host.id, host);
    return host;
  }

  #makeOrigin(row: OriginRow, text: string, host: Host): Origin {
    const { order, choose } = this.#options;
    const origin = new Origin(row.id, text, host, new UrlQueue(order === 'dfs', choose?.() ?? null));
    const asks = this.asksRobots(text);
    const obeys = asks && this.#options.obeyRobots;
    const isOpen = obeys || (asks && !row.sitemapsSought);
    origin.robots = isOpen ? keptStanding(row.robotsState, this.#options.robotsUnreachable) : 'ready';
    origin.robotsId = row.robotsId;
    origin.rules = obeys ? row.robotsRules : null;
    origin.rulesVersion = row.robotsAt ?? 0;
    origin.robotsAt = obeys ? row.robotsAt : null;
    origin.robotsExpiresAt = obeys ? (row.robotsExpiresAt ?? 0) : Number.MAX_SAFE_INTEGER;
    origin.crawlDelayMs = obeys ? row.crawlDelayMs : null;
    origin.isUnanswered = obeys && row.robotsState === UNANSWERED_ROBOTS;
    origin.sitemapsSought = row.sitemapsSought;
    origin.robotsTries = row.robotsTries;
    origin.robotsRetryAt =
      this.#clock.now() + clamp(row.robotsRetryAt - this.#clock.wall(), 0, longestRobotsPauseMs(this.#options));
    host.origins.push(origin);
    this.#byOrigin.set(text, origin);
    if (this.#unclean) {
      host.nextAllowedAt = Math.max(host.nextAllowedAt, this.#clock.now() + host.delayMs);
    }
    return origin;
  }

  /**
   * Hosts that leave now, the finished ones first, then those whose turn is furthest away. Their rows say when they are due.
   * `delayedOnly` spares those that could be asked now.
   */
  evict(atLeast: number, delayedOnly: boolean): HostRow[] {
    const idle = [...this.#byId.values()].filter((host) => host.idle && host.toDefer === null);
    const byUse = (a: Host, b: Host) => a.lastUsed - b.lastUsed;
    const now = this.#clock.now();
    const finished = idle.filter((host) => this.#isFinished(host)).sort(byUse);
    const waiting = idle
      .filter((host) => !this.#isFinished(host) && (!delayedOnly || host.readyAt > now))
      .sort((a, b) => b.readyAt - a.readyAt || byUse(a, b));
    const count = Math.max(atLeast, Math.ceil(this.#byId.size * EVICT_SHARE));
    return [...finished, ...waiting].slice(0, count).map((host) => this.#leave(host));
  }

  /** It does not have to come back by itself: nothing of it is to be asked for. */
  #isFinished(host: Host): boolean {
    const isSurveyed = ({ robots, queue }: Origin) => robots !== 'unknown' && queue.holdsOnlyRest;
    const isDone = host.waiting === 0 || (this.#options.surveyOnly && host.origins.every(isSurveyed));
    return isDone && host.deferredReason === null;
  }

  #leave(host: Host): HostRow {
    for (const origin of host.origins) {
      this.#byOrigin.delete(origin.origin);
      this.#left.push(origin.id);
    }
    this.#byId.delete(host.id);
    host.evicted = true;
    this.#urlsLeft += host.inMemory;
    const row = this.row(host);
    return this.#isFinished(host) ? row : { ...row, parkedUntil: Math.max(row.nextAllowedAt, row.blockedUntil) };
  }

  /** How many waiting URLs left memory with their hosts since this was last asked. */
  takeUrlsLeft(): number {
    const left = this.#urlsLeft;
    this.#urlsLeft = 0;
    return left;
  }

  /** Origins that left since this was last asked. */
  takeLeft(): number[] {
    const left = this.#left;
    this.#left = [];
    return left;
  }

  row(host: Host): HostRow {
    const offset = this.#clock.wall() - this.#clock.now();
    return {
      id: host.id,
      nextAllowedAt: host.nextAllowedAt + offset,
      blockedUntil: host.blockedUntil + offset,
      blockReason: host.blockReason,
      failures: host.failures,
      tunedLimit: host.tuner.exact,
      learnedDelayMs: host.learnedDelayMs,
      dispatched: host.dispatched - host.firstUnderWay,
      sitemapFiles: host.sitemapFiles,
      deferredReason: host.deferredReason,
      address: host.address,
      parkedUntil: null,
    };
  }

  originRow(origin: Origin): OriginRow {
    return {
      id: origin.id,
      robotsId: origin.robotsId,
      robotsState: origin.robots === 'ready' && origin.isUnanswered ? UNANSWERED_ROBOTS : origin.robots,
      robotsRules: origin.rules,
      robotsAt: origin.robotsAt,
      robotsExpiresAt: origin.robotsExpiresAt,
      crawlDelayMs: origin.crawlDelayMs,
      sitemapsSought: origin.sitemapsSought,
      robotsTries: origin.robotsTries,
      robotsRetryAt: origin.robotsRetryAt + this.#clock.wall() - this.#clock.now(),
    };
  }
}

/** What had failed when the host left memory is asked once more, should a URL come to wait there: why it failed is not kept. */
function keptStanding(robots: string, unreachable: SchedulerOptions['robotsUnreachable']): RobotsState {
  if (robots === UNANSWERED_ROBOTS) {
    return unreachable === 'allow' ? 'ready' : 'unknown';
  }
  return robots === 'failed' || robots === 'unreachable' ? 'unknown' : (robots as RobotsState);
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
