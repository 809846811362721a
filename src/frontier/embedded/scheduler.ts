import type { Clock } from '../../base/clock.js';
import { QueueClass, UrlFlag, UrlKind } from '../../store/url-state.js';
import { AddressGroups } from './address-groups.js';
import { type Host, mayGo, type Origin } from './host.js';
import type { SchedulerOptions } from './options.js';
import type { Waiting } from './queue-window.js';
import type { Registry } from './registry.js';
import { type RobotsEnd, RobotsPlaces } from './robots-places.js';
import { Turns } from './turns.js';

/** What is handed out next: a URL that waits, or the robots.txt of its origin. */
export type Pick = { what: 'url'; item: Waiting; origin: Origin } | { what: 'robots'; origin: Origin };

/** Decides at the last moment that a URL is not fetched: null lets it go. */
export type Cut = (item: Waiting, host: Host) => { reason: string; pattern: string | null } | null;

export interface Picks {
  picks: Pick[];
  cut: { item: Waiting; origin: Origin; reason: string; pattern: string | null }[];
  /** Hosts that were put off and whose time has come. */
  probes: Host[];
}

/** So many URLs are cut at most before another host gets its turn. */
const CUTS_A_TURN = 1_000;
const MOST_LOADED = 1_000;

/** No limit on pages holds it back: a page that was fetched needs it. */
const isSecondLook = ({ flags }: Waiting): boolean => (flags & UrlFlag.secondLook) !== 0;
const isAsset = ({ kind }: Waiting): boolean => kind === UrlKind.asset;

/**
 * Who is asked next. Only a host that may be asked now is ever looked at: a host has its turn at the time of its next
 * request, and not at all while it has nothing to ask or no place for another request. So nobody waits for politeness, and one
 * look at the top of the heap says when something can happen.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #turns: Turns;
  readonly robotsPlaces: RobotsPlaces;
  readonly wantsLoad = new Set<Origin>();
  readonly addresses: AddressGroups;
  readonly use = {
    peakHost: 0,
    hostAtLimit: 0,
    peakHostWaiting: 0,
    inMemory: 0,
    peakInMemory: 0,
    peakDelayed: 0,
    peakBlocked: 0,
  };
  /** No further URL may be asked for the first time. */
  closed = false;
  /** That wait in memory, or are under way. */
  secondLooks = 0;
  /** Requests of all hosts. */
  #underWay = 0;
  /** There was no room for what has to be loaded; false when that may have changed. */
  #full = false;

  constructor(options: SchedulerOptions, clock: Clock, registry: Registry, resumed: boolean) {
    this.#options = options;
    this.#clock = clock;
    this.#registry = registry;
    this.#turns = new Turns(options.order, (host) => this.addresses.pass(host));
    this.robotsPlaces = new RobotsPlaces(options.robotsWorkers);
    this.addresses = new AddressGroups(options, clock, resumed, (host, now) => this.refresh(host, now));
  }

  get nextAt(): number {
    return this.wantsLoad.size > 0 && !this.#full ? 0 : this.#turns.nextAt;
  }

  get delayedHosts(): number {
    return this.#turns.size + this.addresses.waiting;
  }

  heap(): Iterable<Host> {
    return this.#turns;
  }

  /** The host whose turn comes first, for the line that says what is waited for. */
  next(): { name: string; at: number } | null {
    const host = this.#turns.peek();
    return host === undefined ? null : { name: host.name, at: host.heapAt! };
  }

  /** Puts the host where it belongs; call it after whatever changed its clock, its places or its queue. */
  refresh(host: Host, now = this.#clock.now()): void {
    if (host.evicted || host.waitingForRobots || host.waitingForRoom) {
      return;
    }
    if (host.heapAt !== null) {
      // It stands there for a URL that waits for a time of its own, and another has come that need not.
      if (host.heapAt <= Math.max(now, host.readyAt) || this.#turnOf(host) >= host.heapAt) {
        return;
      }
      this.#turns.remove(host);
    }
    const at = this.#turnOf(host);
    if (at < Number.POSITIVE_INFINITY) {
      this.#turns.push(host, Math.max(at, now));
      this.use.peakDelayed = Math.max(this.use.peakDelayed, this.#turns.size);
    }
  }

  #turnOf(host: Host): number {
    if (host.deferredReason !== null) {
      // A host that is slow by its own wish is not asked again in this run.
      return host.deferredReason === 'crawl_delay' ? Number.POSITIVE_INFINITY : host.blockedUntil;
    }
    if (!host.hasPlace || host.toDefer !== null) {
      if (host.waiting > 0 && host.inFlight >= host.tuner.limit) {
        this.use.peakHostWaiting = Math.max(this.use.peakHostWaiting, host.inMemory);
      }
      return Number.POSITIVE_INFINITY;
    }
    let workAt = Number.POSITIVE_INFINITY;
    for (const origin of host.origins) {
      workAt = Math.min(workAt, this.#workAt(origin));
    }
    return Math.max(workAt, host.readyAt, host.called?.at ?? 0);
  }

  /** When the origin has something to ask for, as far as its own state goes. */
  #workAt(origin: Origin): number {
    const { queue } = origin;
    if (origin.loading || queue.inMemory + queue.onDisk === 0) {
      return Number.POSITIVE_INFINITY;
    }
    const ownTime = queue.readyAt((item) => this.#isAllowed(origin, item));
    if (this.#wantsRobots(origin)) {
      return Math.min(ownTime, this.#keepsRobots(origin) ? Number.POSITIVE_INFINITY : origin.robotsRetryAt);
    }
    return this.#wantsMore(origin) ? 0 : ownTime;
  }

  /** Nothing new may be asked for, so no robots.txt is needed either. */
  #keepsRobots(origin: Origin): boolean {
    return this.closed && !this.#options.asksAgain && origin.queue.readyAt(isAsset) === Number.POSITIVE_INFINITY;
  }

  #wantsMore(origin: Origin): boolean {
    const wanted = origin.robots === 'ready' ? origin.queue.wanting() : null;
    const isHeld = this.#options.surveyOnly && wanted !== null && wanted.class >= QueueClass.rest;
    return wanted !== null && !isHeld && !(this.closed && origin.queue.urgentOnDisk === 0);
  }

  #isAllowed(origin: Origin, item: Waiting): boolean {
    return (
      mayGo(origin)(item) &&
      (!this.closed || item.attempts > 0 || isAsset(item)) &&
      !(isSecondLook(item) && this.#keepsSecondLooks(origin))
    );
  }

  /** One at a time; and after a failure something goes that has not failed yet, so that a few bad URLs do not put the whole host off. */
  #keepsSecondLooks({ host, queue }: Origin): boolean {
    return host.secondLooks > 0 || (host.failures > 0 && !this.closed && queue.restWaits);
  }

  #wantsRobots(origin: Origin): boolean {
    if (origin.robots === 'unknown') {
      return true;
    }
    const wall = this.#clock.wall();
    // A clock that was set back tells nothing about its age.
    const expired = wall >= origin.robotsExpiresAt || wall < (origin.robotsAt ?? 0);
    if (origin.robots === 'ready' && expired) {
      origin.robots = 'unknown';
      origin.dirty = true;
      return true;
    }
    return false;
  }

  /** Up to `want` requests that may go out now. */
  pick(want: number, cut: Cut): Picks {
    const now = this.#clock.now();
    const result: Picks = { picks: [], cut: [], probes: [] };
    while (result.picks.length < want && result.cut.length < CUTS_A_TURN) {
      const host = this.#turns.popDue(now);
      if (host === undefined) {
        break;
      }
      if (host.deferredReason !== null) {
        this.addresses.pass(host);
        if (this.#turnOf(host) <= now) {
          result.probes.push(host);
        } else {
          // It stood here from before it was put off.
          this.refresh(host);
        }
        continue;
      }
      const isDue = this.#turnOf(host) <= now;
      if (!isDue || this.addresses.admits(host, now)) {
        const pick = isDue ? this.#pickFrom(host, now, cut, result) : null;
        if (pick === null) {
          this.addresses.pass(host);
        } else {
          this.#start(host, pick);
          result.picks.push(pick);
        }
      }
      // At the time of this round, not a moment later: a host without a delay gets its next turn in the same round.
      this.refresh(host, now);
    }
    this.#callRobotsWaiters();
    return result;
  }

  #pickFrom(host: Host, now: number, cut: Cut, result: Picks): Pick | null {
    for (const origin of host.origins) {
      if (origin.loading) {
        continue;
      }
      for (let tries = 0; tries < CUTS_A_TURN; tries++) {
        const waits = origin.queue.secondLooks;
        const item = origin.queue.take(
          now,
          (each) => this.#isAllowed(origin, each) && this.#hasRobotsPlaceFor(each, host),
        );
        if (item === undefined) {
          break;
        }
        this.#leftMemory(1);
        this.secondLooks -= waits - origin.queue.secondLooks;
        const verdict = cut(item, host);
        if (verdict === null) {
          return { what: 'url', item, origin };
        }
        result.cut.push({ item, origin, ...verdict });
      }
      if (
        origin.queue.readyAt((each) => this.#isAllowed(origin, each) && !this.#hasRobotsPlaceFor(each, host)) <= now
      ) {
        this.robotsPlaces.wait(host);
      }
      const pick = this.#pickRobots(host, origin, now);
      if (pick !== null) {
        return pick;
      }
      if (this.#wantsMore(origin)) {
        this.wantsLoad.add(origin);
        this.#full = false;
        origin.loading = true;
      }
    }
    return null;
  }

  #pickRobots(host: Host, origin: Origin, now: number): Pick | null {
    const waits = origin.queue.inMemory + origin.queue.onDisk > 0 && !this.#keepsRobots(origin);
    if (!waits || !this.#wantsRobots(origin) || origin.robotsRetryAt > now) {
      return null;
    }
    if (this.robotsPlaces.isScarce && this.addresses.lacksAddress(host)) {
      return null;
    }
    if (!this.robotsPlaces.isFreeFor(host)) {
      this.robotsPlaces.wait(host);
      return null;
    }
    return { what: 'robots', origin };
  }

  /** Where a robots.txt moved to is asked for as a URL that waits; it takes a place as the first request did. */
  #hasRobotsPlaceFor(item: Waiting, host: Host): boolean {
    return item.kind !== UrlKind.robots || this.robotsPlaces.isFreeFor(host);
  }

  #start(host: Host, pick: Pick): void {
    host.started();
    if (pick.what === 'url' && isSecondLook(pick.item)) {
      host.secondLooks++;
      this.secondLooks++;
    }
    this.#underWay++;
    this.#registry.touch(host);
    this.addresses.started(host);
    this.use.peakHost = Math.max(this.use.peakHost, host.inFlight);
    if (host.inFlight >= host.tuner.limit) {
      this.use.hostAtLimit = Math.max(this.use.hostAtLimit, host.inFlight);
    }
    if (pick.what === 'robots') {
      pick.origin.robots = 'fetching';
    }
    if (pick.what === 'robots' || pick.item.kind === UrlKind.robots) {
      this.robotsPlaces.take(host);
    }
  }

  robotsEnded(host: Host, end: RobotsEnd): void {
    this.robotsPlaces.giveBack(host, end);
    this.#callRobotsWaiters();
  }

  #callRobotsWaiters(): void {
    for (const host of this.robotsPlaces.called()) {
      this.refresh(host);
    }
  }

  /** The response's headers are there. */
  headers(host: Host, item: Waiting, at: number): void {
    host.headersArrived(at, this.#delaysAfter(item));
    this.addresses.headers(host, at);
    this.refresh(host);
  }

  /** After a second look twice the delay passes. */
  #delaysAfter(item: Waiting): number {
    return this.#options.secondLook && isSecondLook(item) ? 2 : 1;
  }

  /** The response is over. `sent` is false when no request was made: then no clock moves. */
  ended(host: Host, item: Waiting, at: number, headersSeen: boolean, sent: boolean): void {
    if (isSecondLook(item)) {
      host.secondLooks--;
      this.secondLooks--;
    }
    host.inFlight--;
    this.#underWay--;
    if (!headersSeen) {
      if (sent) {
        host.headersArrived(at, this.#delaysAfter(item));
      } else {
        host.awaitingHeaders--;
      }
    }
    this.addresses.ended(host, headersSeen, sent && !headersSeen ? at : null);
    this.refresh(host);
  }

  /** A URL comes to wait at its origin. */
  add(origin: Origin, item: Waiting): void {
    // Pages of a survey stay on disk: nobody asks for them.
    const isHeld = this.#options.surveyOnly && item.class >= QueueClass.rest;
    const room = this.use.inMemory < this.#options.frontierLimit && !isHeld;
    const waits = origin.queue.secondLooks;
    this.#cameToMemory(origin.queue.add(item, room));
    this.secondLooks += origin.queue.secondLooks - waits;
    this.#turns.renew(origin.host);
    this.refresh(origin.host);
  }

  addLoaded(origin: Origin, place: Waiting['class'], items: Waiting[]): void {
    origin.loading = false;
    const waits = origin.queue.secondLooks;
    this.#cameToMemory(origin.queue.addLoaded(place, items));
    this.secondLooks += origin.queue.secondLooks - waits;
    this.refresh(origin.host);
  }

  /** Origins whose next URLs are on disk, and how many of them each may load: nobody starves because others fill the memory. */
  loads(): { origins: Origin[]; each: number } {
    if (this.wantsLoad.size > 0 && this.use.inMemory >= this.#options.frontierLimit) {
      this.#makeRoom();
    }
    const room = this.#options.frontierLimit - this.use.inMemory;
    // Retries and redirects are never on disk only. Where they alone fill the memory, and none of them may go, one URL goes past them.
    const stuck = this.#underWay === 0 && this.#turns.nextAt > this.#clock.now();
    const free = Math.max(0, room, stuck ? 1 : 0);
    this.#full = free === 0;
    const origins = [...this.wantsLoad].slice(0, free);
    for (const origin of origins) {
      this.wantsLoad.delete(origin);
    }
    return { origins, each: Math.min(MOST_LOADED, Math.floor(free / Math.max(1, origins.length))) };
  }

  /** So many URLs left memory together with their hosts. */
  left(urls: number): void {
    this.#leftMemory(urls);
  }

  /** Nothing of the origin waits in memory any more. */
  clear(origin: Origin, onDisk: readonly number[]): void {
    this.secondLooks -= origin.queue.secondLooks;
    this.#leftMemory(origin.queue.reset(onDisk));
  }

  /** The same for those of its URLs that are neither urgent nor seeds. */
  clearRest(origin: Origin, onDisk: readonly number[]): void {
    this.#leftMemory(origin.queue.resetRest(onDisk));
    this.refresh(origin.host);
  }

  /** Hosts with more than their share give back what they hold; then those whose turn is not near. */
  #makeRoom(): void {
    const holders = [...this.#registry.hosts()].filter((host) => host.inMemory > 0);
    const share = Math.max(1, Math.floor((this.#options.frontierLimit * 0.9) / Math.max(1, holders.length)));
    const now = this.#clock.now();
    for (const host of holders) {
      const keep = host.readyAt > now && this.#options.frontierLimit <= holders.length ? 0 : share;
      for (const origin of host.origins) {
        // One that waits for URLs of a class that goes first cannot use those that it holds.
        this.#leftMemory(origin.queue.trim(this.wantsLoad.has(origin) ? 0 : keep));
      }
    }
  }

  #cameToMemory(count: number): void {
    this.use.inMemory += count;
    this.use.peakInMemory = Math.max(this.use.peakInMemory, this.use.inMemory);
  }

  #leftMemory(count: number): void {
    this.use.inMemory -= count;
    this.#full &&= count === 0;
  }
}
