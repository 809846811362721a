import { type Clock, steadyClock } from '../base/clock.js';
import type { CommitAnswer, Gift, RenderedPage } from '../store/transaction.js';
import { UrlKind } from '../store/url-state.js';
import { Admission } from './admission.js';
import { Budget } from './budget.js';
import { CommitEffects } from './commit-effects.js';
import { Draft } from './draft.js';
import type { Host } from './host.js';
import { Hosts } from './hosts.js';
import { Leases } from './leases.js';
import type { FrontierParts } from './options.js';
import type { Lease, Offer, Outcome, PagePiece, RenderedOutcome } from './outcome.js';
import { Queues } from './queues.js';
import { RobotsAnswers } from './robots-answers.js';
import { NO_STOCK, Scheduler, type StockRoom } from './scheduler.js';
import { Settlement } from './settlement.js';
import { SharedFate } from './shared-fate.js';

export interface FrontierCounts {
  /** Queued, leased or being settled: the one number that says whether there is work. Never negative. */
  outstanding: number;
  queuedInMemory: number;
  queuedOnDisk: number;
  hostsInMemory: number;
  hostsParked: number;
  hostsDelayed: number;
  leased: number;
  /** Second looks among the outstanding URLs, without those that wait on disk. */
  secondLooks: number;
  dispatched: number;
  done: number;
  failed: number;
  skipped: number;
  deferred: number;
  retries: number;
  refetched: number;
  robotsInFlight: number;
  robotsWaiting: number;
}

/** Hosts, by their state. */
export interface HostCounts {
  /** Hosts that the store has. */
  known: number;
  busy: number;
  delayed: number;
  backingOff: number;
  deferred: number;
}

/** The highest figures of a run. */
export interface FrontierPeaks {
  /** Requests to one host at once, and URLs that waited for their turn there while it had no place. */
  host: number;
  hostWaiting: number;
  queuedInMemory: number;
  queuedOnDisk: number;
  hostsInMemory: number;
  hostsParked: number;
  hostsDelayed: number;
  /** Requests that showed trouble with their host. */
  troubles: number;
  robotsInFlight: number;
  robotsWaiting: number;
}

/**
 * What is to be fetched and what has been. The schedule is in memory; everything that must not be lost is in the store.
 *
 *   admit, admitFrom, widen, rendered   what comes in from outside a lease
 *   settle, takesMore, leasing          settles outcomes and leases, in one transaction
 *   headers, ended                      what a response does to its host at once
 *   wakeAt, waitingFor, isLookingUp, spent   what can happen next, and what keeps it from happening
 *   counts, hostFigures, peaks, commitMs, scopeVersion    how far it is
 *   quarantine, release, setDelay, letTrapIn   what a user says while it runs
 *   holdPages                           the browser cannot keep up
 *   give, unusedGrant                   of a limit that several machines share
 *   close
 *
 * The result of an asynchronous call is durable when it resolves. One such call is under way at a time; a second `settle` is allowed when
 * `takesMore` says so. `headers` and `ended` may come at any time.
 *
 * The parts, each with state of its own: `Admission` (seen set, ids), `Queues` (what waits), `Hosts` and `Scheduler` (whose turn it is),
 * `Leases` (what is out), `Settlement` and `SharedFate` (what becomes of it), `Budget`, and `CommitEffects` (what memory does once it is durable).
 */
export class Frontier {
  readonly #parts: FrontierParts;
  readonly #hosts: Hosts;
  readonly #queues: Queues;
  readonly #scheduler: Scheduler;
  readonly #budget: Budget;
  readonly #admission: Admission;
  readonly #leases: Leases;
  readonly #fate: SharedFate;
  readonly #settlement: Settlement;
  readonly #effects: CommitEffects;
  #commitMs = 0;
  /** Commits that the store has not answered. */
  #unanswered = 0;
  #isLastPlain = false;
  #leasing = 0;
  #lookups = 0;

  constructor(parts: FrontierParts) {
    const { options, clock, snapshot, seeds, events } = parts;
    // Its wall time does not jump: for times that go to the store and come back in the same run.
    const steady: Clock = steadyClock(clock);
    const hosts = new Hosts(options, steady, snapshot, (origin) => seeds.covers(origin));
    const queues = new Queues(options, steady, hosts);
    const budget = new Budget(options, snapshot);
    const scheduler = new Scheduler({
      ...{ options, clock, hosts, queues, budget, resumed: snapshot.resumed },
      resolveAddress: (hostName) => parts.resolveAddress(hostName),
      wake: () => events.wake(),
    });
    const robots = new RobotsAnswers(options, clock, (origin) => seeds.hasOtherSpelling(origin));
    const admission = new Admission(parts, hosts, budget);
    const leases = new Leases(parts, { hosts, scheduler, budget, admission, robots });
    const fate = new SharedFate({ hosts, queues, scheduler, leases, robots, admission, seeds });
    this.#parts = parts;
    this.#hosts = hosts;
    this.#queues = queues;
    this.#scheduler = scheduler;
    this.#budget = budget;
    this.#admission = admission;
    this.#leases = leases;
    this.#fate = fate;
    this.#settlement = new Settlement(parts, {
      ...{ scheduler, leases, budget, admission, robots, fate },
      steadyWall: () => steady.wall(),
    });
    this.#effects = new CommitEffects(parts, { hosts, queues, scheduler, leases, budget, admission, fate });
    for (const host of snapshot.hosts) {
      scheduler.enter(host);
    }
  }

  /**
   * Admits URLs from outside a page (seeds, and what third parties name) with what is to be kept with them. Returns their ids.
   * @param granted how many more may be requested, because another machine has given them up
   */
  async admit(offers: Offer[], meta: Record<string, string> = {}, granted = 0): Promise<number[]> {
    const draft = this.#draft();
    const ids = this.#admission.admit(offers, null, draft);
    if (granted > 0) {
      this.#budget.granted(granted);
      draft.changesGrant = true;
    }
    const known = knownAs(ids, await this.#commit(draft, meta));
    if (granted > 0) {
      this.#refreshAll();
    }
    return known;
  }

  /** Gives up an unused part of the grant: durable, with the mail that says so, when it resolves. */
  async give(gifts: readonly Gift[]): Promise<void> {
    const draft = this.#draft();
    const given = this.#budget.give(gifts);
    if (given.length > 0) {
      draft.transaction.given = given;
      draft.changesGrant = true;
      await this.#commit(draft);
    }
  }

  /** What this machine may still request of `--max-urls` on several machines; null if nothing is granted. */
  get unusedGrant(): number | null {
    return this.#budget.unused;
  }

  /** Admits URLs that a page leads to before the page itself is settled. Returns their ids. */
  async admitFrom({ page, offers, found }: PagePiece): Promise<number[]> {
    const draft = this.#draft();
    const leased = this.#leases.get(page.id);
    if (leased !== undefined) {
      this.#settlement.notePiece(leased, offers);
    }
    const ids = this.#admission.admitFrom(
      { ...page, url: leased?.item.url },
      { offers, found },
      draft,
      leased?.origin.host,
    );
    return knownAs(ids, await this.#commit(draft));
  }

  /** Adds URLs whose surroundings belong to a seed: before the first request, or when other machines of the crawl report them. */
  async widen(seed: number, urls: readonly string[]): Promise<void> {
    const draft = this.#draft();
    this.#admission.widen(this.#parts.seeds.seeds[seed]!, urls, draft);
    if (!draft.isEmpty) {
      await this.#commit(draft);
    }
  }

  /** Takes the rendered versions of pages that are settled. */
  async rendered(pages: RenderedOutcome[]): Promise<void> {
    const draft = this.#draft();
    for (const { page, text, outcome, asItCame = null, keepsBody, isUntried } of pages) {
      const read = outcome ?? asItCame;
      const isRead = read !== null && read.page !== null;
      const reading = isRead ? this.#readingOf(page, read, draft) : null;
      if (!keepsBody) {
        this.#settlement.noteRendered(page.id, page.url, outcome);
      }
      draft.transaction.rendered.push({
        id: page.id,
        text,
        reading,
        keepsBody,
        ...(isUntried ? { isUntried } : {}),
        ...(outcome === null && isRead ? { isAsItCame: true as const } : {}),
        ...(read?.errorClass === 'hook' ? { hookFailed: read.message } : {}),
      });
    }
    await this.#commit(draft);
  }

  #readingOf(page: RenderedOutcome['page'], outcome: Outcome, draft: Draft): RenderedPage['reading'] {
    const newIds = this.#admission.admitFrom({ ...page, kind: UrlKind.page }, outcome, draft);
    const depth = outcome.scopeVersion === this.#admission.scopeVersion ? page.depth : -1;
    return { page: outcome.page!, newIds, depth };
  }

  /**
   * Settles what came back, and leases up to `want` URLs whose hosts may be asked now and what lanes may take in stock, in one transaction. No
   * request goes out before that is durable.
   */
  async settle(outcomes: Outcome[], want: number, stock: StockRoom = NO_STOCK): Promise<Lease[]> {
    if (this.#parts.options.order !== 'bfs' && outcomes.length > 0 && want > 0) {
      // Links of these pages may go before everything that waits, so they have to be known when the next URLs are chosen.
      await this.settle(outcomes, 0);
      return this.settle([], want);
    }
    if (!this.takesMore) {
      await this.#bringIn();
    }
    const draft = this.#draft();
    for (const outcome of outcomes) {
      this.#settlement.settle(outcome, draft);
    }
    this.#fate.compose(draft);
    const leases = this.#leases.lease(want, stock, draft);
    this.#scheduler.lookUp();
    this.#save(draft);
    if (!draft.isEmpty) {
      this.#leasing += leases.length;
      await this.#committed(draft, {}, outcomes.length);
      this.#leasing -= leases.length;
    }
    return leases;
  }

  /** Leases that lanes hold and do not send yet, including those that are being committed. */
  get inStock(): number {
    return this.#scheduler.inStock;
  }

  /** Leases that are being committed: they will go out. */
  get leasing(): number {
    return this.#leasing;
  }

  /**
   * Whether `settle` may be called although the last call has not resolved: its commit is with the store, its answer cannot matter to the
   * next call, and nothing has to come from disk first.
   */
  get takesMore(): boolean {
    const { overlaps, order } = this.#parts.options;
    return (
      overlaps === true &&
      order === 'bfs' &&
      this.#unanswered === 1 &&
      this.#isLastPlain &&
      !this.#hosts.canLoad &&
      !this.#queues.wantsLoad
    );
  }

  /** Hosts and URLs that come back from disk, before anything new is composed. */
  async #bringIn(): Promise<void> {
    const { store } = this.#parts;
    if (this.#hosts.canLoad) {
      for (const host of await this.#hosts.load(store)) {
        this.#scheduler.enter(host);
      }
    }
    await this.#scheduler.load(store);
  }

  /** What leaves memory with a transaction: hosts, with all that waits for them, and keys. */
  #save(draft: Draft): void {
    const left = this.#hosts.save(draft);
    for (const host of left) {
      this.#queues.leftWith(host);
    }
    if (left.length > 0) {
      this.#parts.events.originsLeft(left.flatMap(({ origins }) => origins.map(({ id }) => id)));
    }
    draft.transaction.spilledKeys = this.#parts.keys.spill();
  }

  /** Whether a lease that is durable now may still go out: its host may have got into trouble, or a delay, while it was committed. */
  mayGo(lease: Lease): boolean {
    return this.#leases.mayGo(lease);
  }

  /** The headers of a leased URL's response have arrived: its host's delay runs from here. */
  headers(id: number, at: number): void {
    this.#leases.headers(id, at);
  }

  /** The response ended or failed, or no request was made. */
  ended(outcome: Outcome): void {
    this.#leases.ended(outcome);
  }

  /** When `settle` could lease something, as far as is known; Infinity if only an outcome can change that. */
  wakeAt(): number {
    return this.#fate.isDue ? 0 : Math.min(this.#scheduler.nextAt, this.#hosts.dueAt);
  }

  /** What the crawl waits for, when it waits. */
  waitingFor(): { name: string; at: number } | null {
    return this.#scheduler.next();
  }

  /** Whether addresses are being looked up whose hosts wait for nothing else. */
  get isLookingUp(): boolean {
    return this.#scheduler.isLookingUp;
  }

  /** What keeps all that is queued from being fetched, or null. */
  get spent(): 'max_urls' | 'surveyed' | null {
    return this.#parts.options.surveyOnly ? 'surveyed' : this.#budget.isSpent ? 'max_urls' : null;
  }

  counts(): FrontierCounts {
    const { inFlight, waiting } = this.#scheduler.robotsUse;
    const { dispatched, retries, refetched } = this.#budget.counts;
    return {
      outstanding: this.#effects.open + this.#leases.ownRobots,
      queuedInMemory: this.#queues.inMemory,
      queuedOnDisk: this.#effects.queuedOnDisk,
      hostsInMemory: this.#hosts.size,
      hostsParked: this.#hosts.parked,
      hostsDelayed: this.#scheduler.delayedHosts,
      leased: this.#leases.size,
      secondLooks: this.#scheduler.secondLooks,
      dispatched,
      ...this.#effects.counts,
      retries,
      refetched,
      robotsInFlight: inFlight,
      robotsWaiting: waiting,
    };
  }

  /** Hosts by their state, the most requests of one of them, and what waits for a place there. No loop over the hosts is needed. */
  hostFigures(): HostCounts & { most: number; waiting: number } {
    const { delayedHosts, hostFigures } = this.#scheduler;
    // Hosts that are left alone after trouble wait for their time, too.
    const delayed = Math.max(0, delayedHosts - hostFigures.backingOff);
    return { ...hostFigures, known: this.#hosts.known, delayed };
  }

  /** Puts off all that waits for a host until `release`; nothing more is sent to it. False if it is not in memory: then this waits for it. */
  quarantine(host: string): boolean {
    const isHere = this.#scheduler.deferrals.quarantine(host);
    this.#parts.events.recall?.(host);
    this.#parts.events.wake();
    return isHere;
  }

  /** Returns false if the host was not in quarantine. */
  release(host: string): boolean {
    const wasQuarantined = this.#scheduler.release(host);
    this.#parts.events.wake();
    return wasQuarantined;
  }

  /** While this is on, no page is requested for the first time; files of pages that are being rendered are. */
  holdPages(holds: boolean): void {
    this.#budget.hold(holds);
    if (!holds) {
      this.#refreshAll();
    }
    this.#parts.events.wake();
  }

  /** More may be requested than before. */
  #refreshAll(): void {
    for (const host of this.#hosts.all()) {
      this.#scheduler.refresh(host);
    }
  }

  /** Sets the delay of a host, or (null) of all without their own. What robots.txt or a host's refusals ask for still holds. */
  setDelay(host: string | null, delayMs: number): void {
    for (const changed of this.#hosts.setDelay(host, delayMs)) {
      if (changed.delayMs > 0) {
        // What lanes keep in stock was leased when there was no delay.
        this.#parts.events.recall?.(changed.name);
      }
      this.#scheduler.refresh(changed);
    }
    this.#parts.events.wake();
  }

  /**
   * Admits the URLs of a pattern that was cut because many of them brought nothing new: those found from now on, and the first of those
   * that were cut. `isKnown` is false if there is no such pattern; `queued` says how many were queued again, 0 if none is left.
   */
  async letTrapIn(pattern: string): Promise<{ isKnown: boolean; queued: number }> {
    const isKnown = this.#parts.traps.allow(pattern);
    const draft = this.#draft();
    draft.transaction.letIn = pattern;
    const { letIn: queued = 0 } = await this.#committed(draft);
    return { isKnown: isKnown || queued > 0, queued };
  }

  get peaks(): FrontierPeaks {
    const { host, hostWaiting, delayed } = this.#scheduler.peaks;
    const { inFlight, waiting } = this.#scheduler.robotsUse.peaks;
    const { onDisk, hosts, parked } = this.#effects.peaks;
    return {
      ...{ host, hostWaiting, queuedInMemory: this.#queues.peakInMemory, queuedOnDisk: onDisk },
      ...{ hostsInMemory: hosts, hostsParked: parked, hostsDelayed: delayed, troubles: this.#leases.troubles },
      ...{ robotsInFlight: inFlight, robotsWaiting: waiting },
    };
  }

  /** URLs of the last commit that had to be looked up on disk. */
  get lookups(): number {
    return this.#lookups;
  }

  /** How long the last commit took. */
  get commitMs(): number {
    return this.#commitMs;
  }

  /** Grows with the scope: URLs judged by an older version have to be judged again. */
  get scopeVersion(): number {
    return this.#admission.scopeVersion;
  }

  /** For the simulator: every host in memory, and those in the ready heap. */
  inspect(): { heap: Iterable<Host>; hosts: Iterable<Host> } {
    return { heap: this.#scheduler.heap(), hosts: this.#hosts.all() };
  }

  /** The run is over: saves what a resumed run has to know. */
  async close(): Promise<void> {
    const { clock, store, traps } = this.#parts;
    const draft = this.#draft();
    this.#hosts.close(draft, clock.wall());
    draft.transaction.meta = { ...this.#budget.meta, traps: JSON.stringify(traps) };
    await store.commit(draft.transaction);
    this.#effects.close();
  }

  #draft(): Draft {
    return new Draft(this.#parts.clock.wall());
  }

  /** Returns the new ids whose URLs turned out to be known, each with the id that counts. */
  async #commit(draft: Draft, meta: Record<string, string> = {}): Promise<CommitAnswer['known']> {
    return (await this.#committed(draft, meta)).known;
  }

  /** @param outcomes that the transaction settles */
  async #committed(draft: Draft, meta: Record<string, string> = {}, outcomes = 0): Promise<CommitAnswer> {
    this.#effects.composed(outcomes);
    draft.transaction.meta = { ...this.#budget.meta, ...meta };
    this.#isLastPlain = draft.isPlain;
    this.#unanswered++;
    const answer = await this.#parts.store.commit(draft.transaction);
    this.#unanswered--;
    this.#commitMs = answer.commitMs;
    this.#lookups = draft.transaction.newUrls.reduce((count, { unsure }) => count + (unsure ? 1 : 0), 0);
    this.#effects.apply(draft, answer, outcomes);
    return answer;
  }
}

function knownAs(ids: number[], others: CommitAnswer['known']): number[] {
  const known = new Map(others);
  return ids.map((id) => known.get(id) ?? id);
}
