import type { Clock } from '../base/clock.js';
import type { HostSnapshot, QueuedUrl, StorePort } from '../store/transaction.js';
import { UrlKind } from '../store/url-state.js';
import { Addresses } from './addresses.js';
import type { Budget } from './budget.js';
import { Deferrals } from './deferrals.js';
import { Eligibility, isSecondLook } from './eligibility.js';
import type { Host, Origin } from './host.js';
import { HostFigures } from './host-figures.js';
import type { Hosts } from './hosts.js';
import type { SchedulerOptions } from './options.js';
import type { Queues } from './queues.js';
import { type RobotsEnd, RobotsPlaces } from './robots-places.js';
import { Turns } from './turns.js';

export interface SchedulerParts {
  options: SchedulerOptions;
  clock: Clock;
  hosts: Hosts;
  queues: Queues;
  budget: Budget;
  /** Whether this run resumes another. */
  resumed: boolean;
  resolveAddress(hostName: string): Promise<string | null>;
  /** Something may be ready earlier than was said. */
  wake(): void;
}

/** Decides at the last moment that a URL is not fetched: null lets it go. */
export type Cut = (item: QueuedUrl, host: Host) => { reason: string; pattern: string | null } | null;

export interface Picks {
  /** What goes out: a waiting URL, or (null) the robots.txt of its origin. */
  picks: { origin: Origin; item: QueuedUrl | null }[];
  cut: { item: QueuedUrl; origin: Origin; reason: string; pattern: string | null }[];
  /** Hosts that were put off and whose time has come. */
  probes: Host[];
}

/** How much lanes may take in stock. */
export interface StockRoom {
  /** Leases at most, those that go out at once included. */
  most: number;
  /** Only where so many more requests could go out, and no host waits for a place among them. */
  leaving: number;
}

export const NO_STOCK: StockRoom = { most: 0, leaving: Number.POSITIVE_INFINITY };

/** The most URLs that are cut before another host gets its turn. */
const CUTS_A_TURN = 1_000;

/**
 * Decides which host is asked next. Only a host that may be asked now is ever looked at: a host has its turn at the time of its next
 * request, and not at all while it has nothing to ask or no place for another request. So nobody waits for politeness, and one
 * look at the top of the heap says when something can happen.
 *
 * A host stands in one place at a time: in the ready heap, in a line for its address or for robots.txt, or nowhere. `refresh` puts it where it
 * belongs; whatever changes its clock, its places or its queue goes through a method here that ends with it.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #hosts: Hosts;
  readonly #queues: Queues;
  readonly #eligibility: Eligibility;
  readonly deferrals: Deferrals;
  readonly #turns: Turns<Host>;
  readonly #robotsPlaces: RobotsPlaces;
  readonly #addresses: Addresses;
  readonly #figures: HostFigures;
  readonly #peaks = { host: 0, hostWaiting: 0, delayed: 0 };
  /** Hosts that have as many requests out as they may, and more URLs waiting: a lane may take some of them in stock. */
  readonly #toStock = new Set<Host>();
  /** Leases of all hosts that are in stock. */
  #inStock = 0;
  /** Requests of all hosts, and second looks among them. */
  #underWay = 0;
  #secondLooks = 0;

  constructor({ options, clock, hosts, queues, budget, resumed, resolveAddress, wake }: SchedulerParts) {
    this.#options = options;
    this.#clock = clock;
    this.#hosts = hosts;
    this.#queues = queues;
    this.#eligibility = new Eligibility({ options, clock, queues, budget });
    this.deferrals = new Deferrals(hosts);
    this.#turns = new Turns(options.order, (host) => this.#addresses.pass(host));
    this.#robotsPlaces = new RobotsPlaces(options.robotsWorkers);
    this.#figures = new HostFigures(
      options.mostInflight ?? options.maxInflightPerHost,
      options.leasesInStock ?? 0,
      clock.now(),
    );
    this.#addresses = new Addresses(options, resumed, {
      clock,
      refresh: (host, now) => this.refresh(host, now),
      resolve: resolveAddress,
      wake,
    });
  }

  /** When something can be done, as far as is known. */
  get nextAt(): number {
    return this.deferrals.isDue || this.#queues.wantLoad ? 0 : this.#turns.nextAt;
  }

  /** The host whose turn comes first, for the line that says what is waited for. */
  next(): { name: string; at: number } | null {
    const host = this.#turns.peek();
    return host === undefined ? null : { name: host.name, at: host.heapAt! };
  }

  /** Hosts that wait for the time of their next request. */
  get delayedHosts(): number {
    return this.#turns.size + this.#addresses.waiting;
  }

  /** Leases that lanes hold and have not sent, because their hosts have as many requests on the wire as they may. */
  get inStock(): number {
    return this.#inStock;
  }

  /** Second looks that wait in memory, or are under way. */
  get secondLooks(): number {
    return this.#queues.secondLooks + this.#secondLooks;
  }

  get robotsUse(): { inFlight: number; waiting: number; peaks: { inFlight: number; waiting: number } } {
    return this.#robotsPlaces;
  }

  /** Most requests of one host, most that waited for their turn at one, most hosts that waited for their time. */
  get peaks(): { host: number; hostWaiting: number; delayed: number } {
    return this.#peaks;
  }

  get isLookingUp(): boolean {
    return this.#addresses.isLookingUp;
  }

  /** How many hosts are busy, left alone or put off, and how full the fullest is. */
  get hostFigures() {
    return { ...this.#figures.counts(this.#clock.now()), ...this.#figures.load };
  }

  heap(): Iterable<Host> {
    return this.#turns;
  }

  /** A host comes into memory, or the store has something to add to it. */
  enter(snapshot: HostSnapshot): void {
    const host = this.#hosts.enter(snapshot);
    this.#figures.blocked(host.name, host.blockedUntil);
    this.#figures.deferred(host.name, host.deferredReason !== null);
    this.deferrals.entered(host);
    const waitMs = host.blockedUntil - this.#clock.now();
    if (waitMs > this.#options.maxWaitMs && host.deferredReason === null && host.waiting > 0) {
      this.deferrals.defer(host);
    }
    this.refresh(host);
  }

  /** Ends the user's quarantine of the host. Returns false if it was in none. */
  release(name: string): boolean {
    const { wasHeld, host } = this.deferrals.release(name);
    if (host !== undefined) {
      this.refresh(host);
    }
    return wasHeld;
  }

  /** It is in trouble, and left alone for a while. */
  blocked(host: Host): void {
    this.#figures.blocked(host.name, host.blockedUntil);
  }

  /** All that waits for it was put off, or is queued again. */
  deferralChanged(host: Host): void {
    this.#figures.deferred(host.name, host.deferredReason !== null);
  }

  /** Puts the host where it belongs. */
  refresh(host: Host, now = this.#clock.now()): void {
    if (host.isEvicted || this.#robotsPlaces.holds(host) || this.#addresses.holds(host)) {
      return;
    }
    if (host.heapAt !== null) {
      // The host has its place because of a URL that waits for a time of its own. A URL that need not wait moves it forward.
      if (host.heapAt <= Math.max(now, host.readyAt) || this.#turnOf(host) >= host.heapAt) {
        return;
      }
      this.#turns.remove(host);
    }
    const at = this.#turnOf(host);
    if (at < Number.POSITIVE_INFINITY) {
      this.#turns.push(host, Math.max(at, now));
      this.#peaks.delayed = Math.max(this.#peaks.delayed, this.#turns.size);
    }
    if (host.hasPlaceInStock) {
      this.#toStock.add(host);
    } else {
      this.#toStock.delete(host);
    }
  }

  #turnOf(host: Host): number {
    if (host.deferredReason !== null) {
      return this.deferrals.isForGood(host) ? Number.POSITIVE_INFINITY : host.blockedUntil;
    }
    if (!host.hasPlace || host.isToBeDeferred) {
      if (host.waiting > 0 && host.inFlight >= host.tuner.limit) {
        this.#peaks.hostWaiting = Math.max(this.#peaks.hostWaiting, host.inMemory);
      }
      return Number.POSITIVE_INFINITY;
    }
    return Math.max(this.#eligibility.from(host), host.readyAt, this.#addresses.calledAt(host));
  }

  /** Up to `want` requests that may go out now, and what lanes may take in stock beside them. */
  pick(want: number, stock: StockRoom, cut: Cut): Picks {
    const now = this.#clock.now();
    const result: Picks = { picks: [], cut: [], probes: [] };
    while (result.picks.length < want && result.cut.length < CUTS_A_TURN) {
      const host = this.#turns.popDue(now);
      if (host === undefined) {
        break;
      }
      if (host.deferredReason !== null) {
        this.#addresses.pass(host);
        if (this.#turnOf(host) <= now) {
          result.probes.push(host);
        } else {
          // It has stood here since before it was put off.
          this.refresh(host);
        }
        continue;
      }
      const isDue = this.#turnOf(host) <= now;
      if (!isDue || this.#addresses.admits(host, now)) {
        const pick = isDue ? this.#pickFrom(host, now, cut, result) : null;
        if (pick === null) {
          this.#addresses.pass(host);
        } else {
          this.#start(host, pick);
          result.picks.push(pick);
        }
      }
      // At the time of this round, not a moment later: a host without a delay gets its next turn in the same round.
      this.refresh(host, now);
    }
    this.#callRobotsWaiters();
    // While a host waits for a place among all requests, no other is given a lead.
    const isContended = want - result.picks.length < stock.leaving || this.#turns.nextAt <= now;
    if (!isContended) {
      this.#pickStock(stock.most - result.picks.length, now, cut, result);
    }
    return result;
  }

  #pickStock(most: number, now: number, cut: Cut, result: Picks): void {
    let left = most;
    for (const host of this.#toStock) {
      while (left > 0 && this.#mayStock(host, now)) {
        const pick = this.#pickFrom(host, now, cut, result);
        if (pick === null) {
          break;
        }
        this.#start(host, pick);
        result.picks.push(pick);
        left--;
      }
      if (!host.hasPlaceInStock || host.isEvicted) {
        this.#toStock.delete(host);
      }
    }
  }

  #mayStock(host: Host, now: number): boolean {
    const isLeftAlone = host.deferredReason !== null || host.isToBeDeferred || host.readyAt > now;
    return host.hasPlaceInStock && !host.isEvicted && !isLeftAlone && this.#eligibility.from(host) <= now;
  }

  #pickFrom(host: Host, now: number, cut: Cut, result: Picks): Picks['picks'][number] | null {
    for (const origin of host.origins) {
      if (origin.isLoading) {
        continue;
      }
      for (let tries = 0; tries < CUTS_A_TURN; tries++) {
        const item = this.#queues.take(
          origin,
          now,
          (each) => this.#eligibility.allows(origin, each) && this.#hasRobotsPlaceFor(each, host),
        );
        if (item === undefined) {
          break;
        }
        const verdict = cut(item, host);
        if (verdict === null) {
          return { origin, item };
        }
        result.cut.push({ item, origin, ...verdict });
      }
      if (
        origin.queue.readyAt(
          (each) => this.#eligibility.allows(origin, each) && !this.#hasRobotsPlaceFor(each, host),
        ) <= now
      ) {
        this.#robotsPlaces.wait(host);
      }
      if (this.#mayAskRobots(host, origin, now)) {
        return { origin, item: null };
      }
      if (this.#eligibility.wantsMore(origin)) {
        this.#queues.want(origin);
      }
    }
    return null;
  }

  /** Whether its robots.txt is asked for now. Where there is no place for that, the host stands in line for one. */
  #mayAskRobots(host: Host, origin: Origin, now: number): boolean {
    if (!this.#eligibility.wantsRobots(origin, now)) {
      return false;
    }
    if (this.#robotsPlaces.isScarce && this.#addresses.lacksAddress(host)) {
      return false;
    }
    if (!this.#robotsPlaces.isFreeFor(host)) {
      this.#robotsPlaces.wait(host);
      return false;
    }
    return true;
  }

  /** The new place of a robots.txt is requested like a waiting URL; it takes a place as the first request did. */
  #hasRobotsPlaceFor(item: QueuedUrl, host: Host): boolean {
    return item.kind !== UrlKind.robots || this.#robotsPlaces.isFreeFor(host);
  }

  #start(host: Host, { origin, item }: Picks['picks'][number]): void {
    const looksAgain = item !== null && isSecondLook(item);
    this.#figures.started(host.inFlight);
    this.#countingStock(host, () => host.started(looksAgain));
    this.#secondLooks += looksAgain ? 1 : 0;
    this.#underWay++;
    this.#hosts.use(host);
    this.#addresses.started(host);
    this.#noteWire(host);
    // A lane's stock waits for its turn at the host too.
    this.#peaks.hostWaiting = Math.max(this.#peaks.hostWaiting, host.inFlight - host.tuner.limit);
    if (item === null) {
      origin.robots.started();
    }
    if (item === null || item.kind === UrlKind.robots) {
      this.#robotsPlaces.take(host);
    }
  }

  /** Auto-tune has found another limit for the host. */
  retuned(host: Host): void {
    this.#countingStock(host, () => host.retuned());
    this.#noteWire(host);
  }

  #countingStock(host: Host, change: () => void): void {
    const before = host.inStock;
    change();
    this.#inStock += host.inStock - before;
  }

  /** More may be on the wire. */
  #noteWire(host: Host): void {
    this.#peaks.host = Math.max(this.#peaks.host, Math.min(host.inFlight, host.tuner.limit));
  }

  /** The response's headers are there. */
  headers(host: Host, item: QueuedUrl, at: number): void {
    host.headersArrived(at, this.#delaysAfter(item));
    this.#addresses.headers(host, at);
    this.refresh(host);
  }

  /** After a second look, twice the delay passes. */
  #delaysAfter(item: QueuedUrl): number {
    return this.#options.secondLook && isSecondLook(item) ? 2 : 1;
  }

  /** The response is over. `sent` is false when no request was made: then no clock moves. */
  ended(host: Host, item: QueuedUrl, at: number, headersSeen: boolean, sent: boolean): void {
    const lookedAgain = isSecondLook(item);
    this.#secondLooks -= lookedAgain ? 1 : 0;
    this.#underWay--;
    this.#countingStock(host, () => host.ended(lookedAgain, sent));
    this.#figures.ended(host.inFlight);
    if (!headersSeen && sent) {
      host.headersArrived(at, this.#delaysAfter(item));
    } else if (!headersSeen) {
      host.neverSent();
    }
    this.#addresses.ended(host, headersSeen, sent && !headersSeen ? at : null);
    this.refresh(host);
  }

  robotsEnded(host: Host, end: RobotsEnd): void {
    this.#robotsPlaces.giveBack(host, end);
    this.#callRobotsWaiters();
  }

  #callRobotsWaiters(): void {
    for (const host of this.#robotsPlaces.called()) {
      this.refresh(host);
    }
  }

  /** Begins to look up the addresses that hosts wait for. */
  lookUp(): void {
    this.#addresses.lookUp();
  }

  /** A URL comes to wait at its origin. */
  add(origin: Origin, item: QueuedUrl): void {
    this.#queues.add(origin, item);
    this.#turns.renew(origin.host);
    this.refresh(origin.host);
  }

  /** Those of its URLs that are neither urgent nor seeds wait on disk only. */
  clearRest(origin: Origin, onDisk: readonly number[]): void {
    this.#queues.clearRest(origin, onDisk);
    this.refresh(origin.host);
  }

  /** The robots.txt is to be requested once more. */
  askRobotsAgain({ robots, host }: Origin, wantsOneBack?: boolean): void {
    robots.askAgain(wantsOneBack);
    this.refresh(host);
  }

  /** Brings URLs into memory whose turn is near. */
  async load(store: StorePort): Promise<void> {
    const isStuck = this.#underWay === 0 && this.#turns.nextAt > this.#clock.now();
    const { origins, each } = this.#queues.takeLoads(isStuck);
    if (origins.length > 0) {
      await this.#queues.load(store, origins, each, (host) => this.refresh(host));
    }
  }
}
