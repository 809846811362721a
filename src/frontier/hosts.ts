import type { Clock } from '../base/clock.js';
import type { HostRow, HostSnapshot, OriginRow, StorePort, StoreSnapshot } from '../store/transaction.js';
import { UNANSWERED_ROBOTS } from '../store/url-state.js';
import { isServer } from '../url/host.js';
import type { Draft } from './draft.js';
import { Host, Origin } from './host.js';
import { longestRobotsPauseMs, type SchedulerOptions } from './options.js';
import type { RobotsState } from './origin-robots.js';
import { UrlQueue } from './url-queue.js';

/** Hosts are evicted in groups, because each eviction looks through all of them. */
const EVICT_SHARE = 0.05;

/**
 * The hosts in memory (layer 10), and when those that are parked on disk are due. A host enters as it stands in the store and leaves when there
 * are too many: its next allowed time goes to the store with it, so no delay and no backoff is ever forgotten. A host at work never leaves.
 */
export class Hosts {
  readonly #options: SchedulerOptions;
  /** Its wall time does not jump: rows go to the store by it and come back in the same run. */
  readonly #clock: Clock;
  readonly #byOrigin = new Map<string, Origin>();
  readonly #byId = new Map<number, Host>();
  /** After an unclean stop it is unknown when the last request went out, so a host waits its whole delay. */
  readonly #unclean: boolean;
  readonly #isCovered: (origin: string) => boolean;
  #uses = 0;
  #parked: number;
  #parkedDue: number;
  /** Hosts for which there was no room: with the next transaction they join those that wait on disk. */
  readonly #toPark = new Map<number, HostRow>();
  /** Whether all hosts in memory are at work, so that none can make room for one that is due. */
  #evictionFutile = false;
  /** The highest id so far. */
  #highestId: number;
  /** Delays that the user has set since the run began: for a host, or (null) for all. */
  readonly #delays = new Map<string | null, number>();

  /** @param isCovered whether the origin is in the scope of a seed */
  constructor(
    options: SchedulerOptions,
    clock: Clock,
    { unclean, parkedHosts, knownHosts = 0 }: Pick<StoreSnapshot, 'unclean' | 'parkedHosts' | 'knownHosts'>,
    isCovered: (origin: string) => boolean = () => false,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#unclean = unclean;
    this.#isCovered = isCovered;
    this.#highestId = knownHosts;
    this.#parked = parkedHosts;
    this.#parkedDue = parkedHosts > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Hosts in memory. */
  get size(): number {
    return this.#byId.size;
  }

  /** Hosts on disk that come back when they are due. */
  get parked(): number {
    return this.#parked;
  }

  /** Hosts that the store has. */
  get known(): number {
    return this.#highestId;
  }

  /** The host of this name, if it is in memory. Looks through all of them. */
  named(name: string): Host | undefined {
    for (const host of this.#byId.values()) {
      if (host.name === name) {
        return host;
      }
    }
    return undefined;
  }

  /** Changes the delay of a host, or (null) of all without their own. Returns the hosts in memory that this changes. */
  setDelay(name: string | null, delayMs: number): Host[] {
    this.#delays.set(name, delayMs);
    const now = this.#clock.now();
    const meant = name === null ? [...this.#byId.values()].filter((host) => !this.#hasOwnDelay(host.name)) : [];
    const host = name === null ? undefined : this.named(name);
    return (host === undefined ? meant : [host]).filter((each) => each.setBaseDelay(delayMs, now));
  }

  /** Whether the user has set the delay of this very host, before the run or since. */
  #hasOwnDelay(name: string): boolean {
    return this.#delays.has(name) || this.#options.limitsOf?.(name).delayMs !== undefined;
  }

  #delayOf(name: string): number {
    const ofAll = this.#hasOwnDelay(name) ? undefined : this.#delays.get(null);
    return this.#delays.get(name) ?? ofAll ?? this.#options.delayMsFor(name);
  }

  get hasRoom(): boolean {
    return this.#surplus < 0;
  }

  get #surplus(): number {
    return this.#byId.size - this.#options.readyHeapLimit;
  }

  all(): IterableIterator<Host> {
    return this.#byId.values();
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  origin(text: string): Origin | undefined {
    return this.#byOrigin.get(text);
  }

  /** Whether its robots.txt is requested: for its rules, or, if those are not obeyed, for the sitemaps that it names. */
  asksRobots(origin: string): boolean {
    const { obeyRobots, seekSitemaps, ownOrigins } = this.#options;
    const hasReason = obeyRobots || (seekSitemaps && this.#isCovered(origin));
    return hasReason && isServer(origin) && !ownOrigins?.includes(origin);
  }

  /** The host is at work: others leave memory before it. */
  use(host: Host): void {
    host.use(++this.#uses);
  }

  /** Brings a host into memory, or adds what the store has to one that is there. */
  enter(snapshot: HostSnapshot): Host {
    this.#parked -= this.#toPark.delete(snapshot.host.id) ? 1 : 0;
    const host = this.#byId.get(snapshot.host.id) ?? this.#make(snapshot.host);
    for (const { row, origin: text, queued } of snapshot.origins) {
      if (!this.#byOrigin.has(text)) {
        this.#makeOrigin(row, text, host).queue.reset(queued);
      }
    }
    this.use(host);
    return host;
  }

  #make(row: HostSnapshot['host']): Host {
    const { maxInflightPerHost, autoTune, maxBackoffMs, maxRetryAfterMs, maxCrawlDelayMs } = this.#options;
    const { leasesInStock: stock = 0, savesHostsLate: savesLate = false } = this.#options;
    const ceiling = this.#options.limitsOf?.(row.name).maxInflight ?? maxInflightPerHost;
    const limits = {
      ...{ ceiling, tunes: autoTune, tunedLimit: row.tunedLimit, stock, savesLate },
    };
    const delayMs = this.#delayOf(row.name);
    const host = new Host(row.id, row.name, delayMs, limits);
    host.restore(
      row,
      this.#monotonic(row.nextAllowedAt, Math.max(delayMs, maxCrawlDelayMs)),
      this.#monotonic(row.blockedUntil, Math.max(maxBackoffMs, maxRetryAfterMs)),
    );
    this.#byId.set(host.id, host);
    this.#highestId = Math.max(this.#highestId, host.id);
    return host;
  }

  /** Wall clocks jump; no wait is ever longer than what could have been asked for. */
  #monotonic(wall: number, longestMs: number): number {
    return this.#clock.now() + Math.min(longestMs, Math.max(0, wall - this.#clock.wall()));
  }

  #makeOrigin(row: OriginRow, text: string, host: Host): Origin {
    const { order, choose, robotsUnreachable } = this.#options;
    const origin = new Origin(row.id, text, host, new UrlQueue(order === 'dfs', choose?.() ?? null));
    const asks = this.asksRobots(text);
    const obeys = asks && this.#options.obeyRobots;
    const isOpen = obeys || (asks && !row.sitemapsSought);
    const state = isOpen ? keptState(row.robotsState, robotsUnreachable) : 'ready';
    const retryAt = this.#monotonic(row.robotsRetryAt, longestRobotsPauseMs(this.#options));
    origin.robots.restore(row, { state, obeys, retryAt });
    host.addOrigin(origin);
    this.#byOrigin.set(text, origin);
    if (this.#unclean) {
      host.waitWholeDelay(this.#clock.now());
    }
    return origin;
  }

  /** There is no room for it in memory. */
  park(host: HostSnapshot['host']): void {
    const parkedUntil = Math.max(host.nextAllowedAt, host.blockedUntil);
    this.#parked += this.#toPark.has(host.id) ? 0 : 1;
    this.#toPark.set(host.id, { ...host, parkedUntil });
    this.#highestId = Math.max(this.#highestId, host.id);
    this.#noteDue(parkedUntil);
  }

  #noteDue(wall: number): void {
    const waitMs = Math.max(0, wall - this.#clock.wall());
    this.#parkedDue = Math.min(this.#parkedDue, this.#clock.now() + waitMs);
  }

  /** When a parked host could come in; Infinity if none could. */
  get dueAt(): number {
    const canComeIn = this.#parked > 0 && (this.hasRoom || !this.#evictionFutile);
    return canComeIn ? this.#parkedDue : Number.POSITIVE_INFINITY;
  }

  get #isDue(): boolean {
    return this.#parked > 0 && this.#parkedDue <= this.#clock.now();
  }

  /** Whether parked hosts are due and there is room for them. */
  get canLoad(): boolean {
    return this.#isDue && this.hasRoom;
  }

  /** The hosts that are due, as many as there is room for; the caller enters them. */
  async load(store: StorePort): Promise<HostSnapshot[]> {
    const now = this.#clock.now();
    const due = await store.loadDue(this.#clock.wall(), -this.#surplus);
    this.#parked = due.parked + this.#toPark.size;
    this.#parkedDue = this.#toPark.size > 0 ? now : Number.POSITIVE_INFINITY;
    if (due.nextDue !== null) {
      this.#parkedDue = Math.min(this.#parkedDue, now + Math.max(0, due.nextDue - this.#clock.wall()));
    }
    return due.hosts;
  }

  /** A request has ended, or a transaction is durable: a host that was at work may leave. */
  workEnded(): void {
    this.#evictionFutile = false;
  }

  /** Puts the rows of changed hosts into a transaction, first those that leave memory with it. Returns the latter. */
  save({ transaction, pinned }: Draft): Host[] {
    const left = this.#makeRoom();
    for (const host of left) {
      const row = host.toRow(this.#wallOffset);
      const parkedUntil = this.#isFinished(host) ? null : Math.max(row.nextAllowedAt, row.blockedUntil);
      transaction.hosts.push({ ...row, parkedUntil });
      if (parkedUntil !== null) {
        this.#parked++;
        this.#noteDue(parkedUntil);
      }
    }
    transaction.hosts.push(...this.#toPark.values());
    this.#toPark.clear();
    for (const host of pinned) {
      if (host.takeChanged(this.#clock.now())) {
        transaction.hosts.push(host.toRow(this.#wallOffset));
      }
      for (const { id, robots } of host.origins) {
        if (robots.takeChanged()) {
          transaction.origins.push(robots.toRow(id, this.#wallOffset));
        }
      }
    }
    return left;
  }

  /** The rows of all hosts for a resumed run, which goes by the wall time at that moment. */
  close({ transaction }: Draft, wall: number): void {
    const now = this.#clock.now();
    for (const host of this.#byId.values()) {
      host.cutOff(now);
      transaction.hosts.push(host.toRow(wall - now));
    }
  }

  get #wallOffset(): number {
    return this.#clock.wall() - this.#clock.now();
  }

  /**
   * Hosts leave, the finished ones first, then those whose turn is furthest away. If there are not too many and one on disk is due, hosts
   * that could be asked now are spared.
   */
  #makeRoom(): Host[] {
    const swaps = this.#surplus === 0 && this.#isDue && !this.#evictionFutile;
    if (this.#surplus <= 0 && !swaps) {
      return [];
    }
    const now = this.#clock.now();
    const idle = [...this.#byId.values()].filter((host) => host.isIdle && !host.isToBeDeferred);
    const byUse = (a: Host, b: Host) => a.lastUsed - b.lastUsed;
    const finished = idle.filter((host) => this.#isFinished(host)).sort(byUse);
    const waiting = idle
      .filter((host) => !this.#isFinished(host) && (!swaps || host.readyAt > now))
      .sort((a, b) => b.readyAt - a.readyAt || byUse(a, b));
    const count = Math.max(this.#surplus, Math.ceil(this.#byId.size * EVICT_SHARE));
    const leaving = [...finished, ...waiting].slice(0, count);
    for (const host of leaving) {
      for (const { origin } of host.origins) {
        this.#byOrigin.delete(origin);
      }
      this.#byId.delete(host.id);
      host.evict();
    }
    this.#evictionFutile = leaving.length === 0;
    return leaving;
  }

  /** It does not have to come back by itself, because it has nothing to request. */
  #isFinished(host: Host): boolean {
    const isSurveyed = ({ robots, queue }: Origin) => robots.state !== 'unknown' && queue.holdsOnlyRest;
    const isDone = host.waiting === 0 || (this.#options.surveyOnly && host.origins.every(isSurveyed));
    return isDone && host.deferredReason === null;
  }
}

/** An origin that had failed when its host left memory is asked once more if a URL comes to wait there: the cause is not kept. */
function keptState(robots: string, unreachable: SchedulerOptions['robotsUnreachable']): RobotsState {
  if (robots === UNANSWERED_ROBOTS) {
    return unreachable === 'allow' ? 'ready' : 'unknown';
  }
  return robots === 'failed' || robots === 'unreachable' ? 'unknown' : (robots as RobotsState);
}
