import { Alarm, type Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { Frontier } from '../frontier/frontier.js';
import {
  failure,
  type Lease,
  type Offer,
  type Outcome,
  type PagePiece,
  type RenderedOutcome,
  takeLight,
} from '../frontier/outcome.js';
import { NO_STOCK, type StockRoom } from '../frontier/scheduler.js';
import type { ByteBudget } from '../lane/byte-budget.js';
import type { LaneDeath, LanePool } from '../lane/lane-pool.js';
import { type CrawlEnd, Ending, type EndReason, type Limits } from './ending.js';
import { type Governor, type GovernorDecision, Heartbeat } from './governor.js';
import { Batching, WaitingWork } from './waiting-work.js';

export interface CrawlEvents {
  /** Once a second while the crawl runs. */
  tick(): void;
  governed(decision: GovernorDecision): void;
  /** A request has come to an end. */
  answered?(outcome: Outcome): void;
  /** The cache has answered, or has no answer; no request was made. */
  cached?(outcome: Outcome): void;
  laneDied(lane: number, error: Error): void;
}

/** What the loop asks of the frontier. */
type LoopFrontier = Pick<
  Frontier,
  | 'admit'
  | 'admitFrom'
  | 'rendered'
  | 'letTrapIn'
  | 'settle'
  | 'takesMore'
  | 'leasing'
  | 'inStock'
  | 'headers'
  | 'mayGo'
  | 'ended'
  | 'wakeAt'
  | 'counts'
  | 'commitMs'
  | 'isLookingUp'
  | 'spent'
>;

/** What may be leased. */
interface Room {
  requests: number;
  stock: StockRoom;
}

const NO_ROOM: Room = { requests: 0, stock: NO_STOCK };

export interface CrawlParts {
  clock: Clock;
  frontier: LoopFrontier;
  lanes: LanePool;
  budget: ByteBudget;
  governor: Governor;
  limits: Limits;
  /** So long after its deadline what is under way may still finish. */
  graceMs: number;
  events: CrawlEvents;
  rssBytes(): number;
  /** Where it is nearly full, nothing new goes out for now. */
  disk: { readonly isLow: boolean };
  /** How many more results there is a place for; left out where there is no end to them. Where there is none, nothing new goes out for now. */
  placesLeft?(): number;
  /** So many of the first requests go out one at a time: one of them may be what took the last process down. */
  suspects?: number;
  /** Third parties are asked for URLs: it is not over before they have been. */
  seeding?: { readonly isActive: boolean; stop(): void };
  /** What the user adds is being read: it is not over before that is in the store. */
  adding?: { readonly isActive: boolean };
  /** Pages are seen by a browser: it is not over before they have been. `goesOn` is asked when there is nothing else left to do. */
  rendering?: { goesOn(): boolean; stop(): void };
  /** Sees what came back before anyone else, and may make something else of it. */
  review?(outcomes: Outcome[]): Outcome[];
  /** Results of a commit are handed on, awaited, before the next one; when the run has to end, without waiting for the one before. */
  handOn(): Promise<void>;
}

/**
 * The loop of a crawl. It settles what came back, leases what there is room for, and hands it to the lanes; everything that happens is an
 * event that leads back here. What arrives during an exchange with the frontier is in the next one, so commits follow each other without a
 * timer and an idle store commits at once. A second exchange begins before the first is answered where the frontier takes it.
 */
export class Crawl {
  readonly #parts: CrawlParts;
  readonly #ending: Ending;
  readonly #batching = new Batching();
  readonly #waiting: WaitingWork;
  readonly #heartbeat: Heartbeat;
  readonly #alarm: Alarm;
  #outcomes: Outcome[] = [];
  #inFlight = 0;
  /** Nothing may go out, and the lanes know. */
  #isRecalled = false;
  /** The user has said so. */
  #isPaused = false;
  #suspects: number;
  /** Exchanges that are under way. */
  #exchanges = 0;
  /** Ids of what is with the frontier now. */
  readonly #settling = new Set<number>();
  #end: ((end: CrawlEnd) => void) | null = null;
  /** Goes on without whoever is being handed the results. */
  #leaveHandingOn: (() => void) | null = null;
  readonly use = {
    requests: 0,
    /** Answers of the cache, without a request. */
    cached: 0,
    /** Pages of an earlier crawl that were carried over, with a request that said so or without one. */
    carriedOver: 0,
    peakInFlight: 0,
    peakWaiting: 0,
    parseMs: 0,
    bytes: 0,
    peakHeldBytes: 0,
    peakPaused: 0,
    skippedLinks: 0,
  };

  constructor(parts: CrawlParts) {
    const { clock, governor, limits, graceMs, lanes } = parts;
    this.#parts = parts;
    this.#suspects = parts.suspects ?? 0;
    this.#ending = new Ending(clock, limits, graceMs);
    this.#waiting = new WaitingWork(() => governor.slowsPiecemeal);
    this.#heartbeat = new Heartbeat(governor, clock.now(), parts.rssBytes);
    this.#alarm = new Alarm(clock, () => this.#rang());
    lanes.onDeath = (death) => this.#laneDied(death);
  }

  /** Requests that are out. What lanes have in stock is not among them. */
  get inFlight(): number {
    const { leasing, inStock } = this.#parts.frontier;
    return Math.max(0, this.#inFlight + leasing - inStock);
  }

  get isStopping(): boolean {
    return this.#ending.isStopping;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** As it was at the last beat. */
  get memory(): { bytes: number; peakBytes: number } {
    return { bytes: this.#heartbeat.rssBytes, peakBytes: this.#heartbeat.peakRssBytes };
  }

  /** Mean of the last commits; null where there was none. */
  get commitMs(): number | null {
    return this.#heartbeat.commitMs;
  }

  /** Something may be asked for now, and only a place is missing. */
  get isHeldUp(): boolean {
    return this.#room().requests === 0 && this.#parts.frontier.wakeAt() <= this.#parts.clock.now();
  }

  /** Nothing new goes out until `goOn`; what is under way ends as it would have, and what came back is settled. Limits and stops still end the run. */
  pause(): void {
    this.#isPaused = true;
    this.#recallStock();
    this.wake();
  }

  goOn(): void {
    this.#isPaused = false;
    this.#recallStock();
    this.wake();
  }

  /** In flight at most, from now on. What is on the wire beyond that ends as it would have. */
  setWorkers(count: number): void {
    const { governor } = this.#parts;
    governor.setCeiling(count);
    if (governor.limit < this.inFlight) {
      this.#recallAll();
    }
    this.wake();
  }

  /** Runs until there is nothing left to do, a limit is reached, or it is stopped. */
  run(): Promise<CrawlEnd> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.wake();
    });
  }

  /** Nothing new goes out; what is under way may finish until `graceMs` are over. */
  stop(reason: EndReason, graceMs: number, error: Error | null = null): void {
    this.#ending.stop(reason, graceMs, error);
    this.#parts.seeding?.stop();
    this.#parts.rendering?.stop();
    this.#recallStock();
    this.wake();
    if (this.#exchanges > 0) {
      // Its end may now come before what the timer was set for.
      this.#setAlarm();
    }
  }

  /** Hands URLs from outside a page to the frontier, between two exchanges; resolves when they are durable. */
  admit(offers: Offer[], meta: Record<string, string> = {}): Promise<number[]> {
    return this.#woken(this.#waiting.add(() => this.#parts.frontier.admit(offers, meta)));
  }

  /** The same for a part of what a page leads to; `answer` takes the ids. A run that is over answers nobody. */
  piece(piece: PagePiece, answer: (ids: readonly number[]) => void): void {
    const admitted = this.#waiting.addPiece(() => {
      this.#settling.add(piece.page.id);
      return this.#parts.frontier.admitFrom(piece).then((ids) => {
        this.#settling.delete(piece.page.id);
        return ids;
      });
    });
    this.#woken(admitted).then(answer, () => {});
  }

  /** So many requests of the host may be on the wire from now on. It gets no more than are left of all that may be out. */
  retuned(host: string, limit: number): void {
    const { governor, lanes } = this.#parts;
    lanes.retune(host, limit, this.inFlight <= governor.limit);
  }

  /** The same for what a browser made of pages. `whenDurable` is run before results are handed on. */
  rendered(pages: RenderedOutcome[], whenDurable: () => Promise<void>): Promise<void> {
    return this.#woken(this.#waiting.add(() => this.#parts.frontier.rendered(pages).then(whenDurable)));
  }

  /** URLs of a pattern are no trap any longer. False where no such pattern was ever seen. */
  async letTrapIn(pattern: string): Promise<boolean> {
    const { frontier } = this.#parts;
    for (let isKnown = false; ; ) {
      const step = await this.#woken(this.#waiting.add(() => frontier.letTrapIn(pattern)));
      isKnown ||= step.isKnown;
      if (step.queued === 0) {
        return isKnown;
      }
    }
  }

  #woken<T>(work: Promise<T>): Promise<T> {
    this.wake();
    return work;
  }

  /** Something happened that may let something go out. */
  wake(): void {
    void this.#exchange();
  }

  headers(ids: number[], ats: number[]): void {
    ids.forEach((id, i) => {
      this.#parts.frontier.headers(id, ats[i]!);
    });
    this.wake();
  }

  /** These leases have come to an end. */
  arrived(given: Outcome[]): void {
    const { budget, frontier, lanes, limits } = this.#parts;
    const outcomes = this.#parts.review?.(given) ?? given;
    this.#suspects -= outcomes.length;
    for (const outcome of outcomes) {
      const lane = lanes.returned(outcome.id);
      if (lane !== null) {
        budget.returned(lane, outcome.heldBytes);
      }
      frontier.ended(outcome);
      this.#inFlight--;
      limits.addBytes(outcome.page?.bytes ?? 0);
      this.#account(outcome);
      this.#outcomes.push(outcome);
    }
    this.#recallStock();
    this.wake();
  }

  /** Where nothing new may go out, what lanes have not sent yet may not either; nor where a host waits for a place that it could have. */
  #recallStock(): void {
    const mayNotGo = this.#mayNotGo || (this.#parts.frontier.inStock > 0 && this.isHeldUp);
    const isNew = mayNotGo && !this.#isRecalled;
    this.#isRecalled = mayNotGo;
    if (isNew) {
      this.#recallAll();
    }
  }

  #recallAll(): void {
    this.#giveBack(this.#parts.lanes.recallAll());
  }

  /** They have not been sent. */
  #giveBack(leases: readonly Lease[]): void {
    if (leases.length > 0) {
      const at = this.#parts.clock.now();
      this.arrived(leases.map((lease) => ({ ...failure(lease, at, null, null), unsent: 'returned' as const })));
    }
  }

  /** Nothing new goes out, of any host. */
  get #mayNotGo(): boolean {
    return this.#ending.isClosing || this.#isHeldBack || this.#isPaused;
  }

  #account(outcome: Outcome): void {
    const { use } = this;
    use.carriedOver += outcome.isCarriedOver === undefined ? 0 : 1;
    if (outcome.fromCache !== undefined) {
      use.cached += outcome.status === null || outcome.isCarriedOver !== undefined ? 0 : 1;
      this.#parts.events.cached?.(outcome);
    } else if (outcome.unsent === null && outcome.isShared === undefined) {
      use.requests++;
      this.#parts.events.answered?.(outcome);
    }
    use.parseMs += outcome.parseMs;
    use.bytes += outcome.page?.bytes ?? 0;
    use.skippedLinks += outcome.skippedLinks;
  }

  async #exchange(): Promise<void> {
    if (this.#end === null || !this.#mayExchange) {
      if (this.#ending.isTimeUp) {
        this.#leaveHandingOn?.();
      }
      return;
    }
    this.#exchanges++;
    let goesOn = false;
    try {
      do {
        goesOn = this.#hasBusiness() && (await this.#exchangeOnce());
      } while (goesOn && this.#exchanges === 1);
    } catch (error) {
      this.#finish('error', error as Error);
    } finally {
      this.#exchanges--;
    }
    if (this.#exchanges === 0) {
      this.#rest();
    } else if (goesOn) {
      this.wake();
    } else {
      this.#setAlarm();
    }
  }

  /** What else waits for the frontier has it for itself. */
  get #mayExchange(): boolean {
    return this.#exchanges === 0 || (this.#exchanges === 1 && this.#waiting.isEmpty && this.#parts.frontier.takesMore);
  }

  /** Returns false where nothing came of it: whatever is ready now gets its next chance from the timer, not from the loop. */
  async #exchangeOnce(): Promise<boolean> {
    if (this.#takesWork && this.#exchanges === 1) {
      await this.#waiting.runNext();
    }
    const outcomes = takeLight(this.#outcomes);
    const leases = await this.#settle(outcomes);
    this.#dispatch(leases);
    await this.#handOn();
    return outcomes.length + leases.length + this.#outcomes.length > 0 || !this.#waiting.isEmpty;
  }

  #hasBusiness(): boolean {
    if (this.#end === null) {
      return false;
    }
    if (this.#waiting.isReady && this.#takesWork) {
      return true;
    }
    const now = this.#parts.clock.now();
    const some = this.#outcomes.length > 0 || (this.#room().requests > 0 && this.#parts.frontier.wakeAt() <= now);
    return this.#batching.isRipe(some, now, this.#load());
  }

  /** However much more there is: when the time is over, none of it is run. */
  get #takesWork(): boolean {
    return !this.#isHeldBack && !this.#ending.isTimeUp;
  }

  /** Whoever takes the results cannot keep up, or the disk is nearly full. */
  get #isHeldBack(): boolean {
    return this.#parts.disk.isLow || (this.#parts.placesLeft?.() ?? 1) <= 0;
  }

  #load() {
    return { inFlight: this.#inFlight, unsettled: this.#outcomes.length, isStopping: this.#ending.isStopping };
  }

  /**
   * How many requests may go out now, and what lanes may take in stock beside them. What came back and is not settled yet needs a place among the
   * results too. Stock is for what is left of `--workers`, where an
   * eighth of them is to spare: else hosts would wait for what others only keep.
   */
  #room(unsettled = this.#outcomes.length): Room {
    const { budget, frontier, governor } = this.#parts;
    if (this.#mayNotGo || budget.isOver) {
      return NO_ROOM;
    }
    const places = (this.#parts.placesLeft?.() ?? Number.POSITIVE_INFINITY) - unsettled;
    const leased = this.#inFlight + frontier.leasing;
    const limit = this.#suspects > 0 ? 1 : governor.limit;
    return {
      requests: Math.max(0, Math.min(limit - this.inFlight, places - leased)),
      stock: { most: Math.max(0, Math.min(limit, places) - leased), leaving: Math.ceil(limit / 8) },
    };
  }

  async #settle(outcomes: Outcome[]): Promise<Lease[]> {
    const { budget, clock, frontier, lanes } = this.#parts;
    const { use } = this;
    for (const { id } of outcomes) {
      this.#settling.add(id);
    }
    const { requests, stock } = this.#room(outcomes.length);
    const leases = await frontier.settle(outcomes, requests, stock);
    for (const { id } of outcomes) {
      this.#settling.delete(id);
    }
    use.peakHeldBytes = Math.max(use.peakHeldBytes, budget.held);
    use.peakPaused = Math.max(use.peakPaused, budget.pausedBodies);
    for (const outcome of outcomes) {
      budget.settled(outcome.heldBytes);
    }
    if (budget.somePaused) {
      if (!budget.isOver) {
        budget.allResumed();
      }
      lanes.flow();
    }
    this.#heartbeat.committed(clock.now(), frontier.commitMs);
    return leases;
  }

  #dispatch(leases: Lease[]): void {
    if (leases.length === 0) {
      return;
    }
    this.#inFlight += leases.length;
    this.use.peakInFlight = Math.max(this.use.peakInFlight, this.inFlight);
    if (this.#room().requests === 0) {
      this.use.peakWaiting = Math.max(this.use.peakWaiting, this.#parts.frontier.counts().queuedInMemory);
    }
    const mayNone = this.#mayNotGo;
    const mayGo = (lease: Lease): boolean => !mayNone && this.#parts.frontier.mayGo(lease);
    const unsent = leases.filter((lease) => !mayGo(lease));
    this.#parts.lanes.dispatch(unsent.length === 0 ? leases : leases.filter(mayGo));
    // While they were committed the stop came, a limit was reached, or their host got into trouble.
    this.#giveBack(unsent);
  }

  /** A function of the user's may never come back: the end of the run does not wait for it. */
  async #handOn(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#leaveHandingOn = resolve;
    });
    this.#setAlarm();
    await Promise.race([this.#parts.handOn(), left]);
    this.#leaveHandingOn = null;
  }

  /** Nothing to exchange now: is it over, or when does something happen by itself? */
  #rest(): void {
    if (this.#end === null) {
      return;
    }
    const { frontier, seeding, adding, rendering } = this.#parts;
    const { outstanding, deferred, secondLooks } = frontier.counts();
    const reason = this.#ending.reason({
      inFlight: this.#inFlight,
      unsettled: this.#outcomes.length,
      hasWaitingWork: !this.#waiting.isEmpty,
      outstanding,
      deferred,
      secondLooks,
      isSeeding: seeding?.isActive === true || adding?.isActive === true,
      canGoOn: frontier.wakeAt() !== Number.POSITIVE_INFINITY || frontier.isLookingUp || this.#isHeldBack,
      spent: frontier.spent,
      goesOnRendering: () => rendering?.goesOn() ?? false,
    });
    if (reason !== null) {
      this.#finish(reason, this.#ending.error);
      return;
    }
    this.#setAlarm();
  }

  /** One timer, for whatever comes first. */
  #setAlarm(): void {
    const { clock, frontier } = this.#parts;
    const ripeAt = this.#batching.ripeAt(this.#load());
    const canLease = (this.#exchanges === 0 || this.#parts.frontier.takesMore) && this.#room().requests > 0;
    const nextAt = ripeAt ?? (canLease ? frontier.wakeAt() : Number.POSITIVE_INFINITY);
    this.#alarm.set(Math.min(nextAt, this.#heartbeat.at, ...this.#ending.timesAhead(clock.now())));
  }

  #rang(): void {
    const now = this.#parts.clock.now();
    this.#recallStock();
    if (now >= this.#heartbeat.at) {
      this.#beat(now);
    }
    this.wake();
    if (this.#exchanges > 0) {
      // However long it takes, and however many follow each other: the governor has to see it.
      this.#setAlarm();
    }
  }

  #beat(now: number): void {
    const { events, governor } = this.#parts;
    const { decision, isExhausted } = this.#heartbeat.beat(now, this.#waiting.tick());
    if (decision !== null) {
      if (governor.limit < this.inFlight) {
        this.#recallAll();
      }
      events.governed(decision);
    }
    if (isExhausted) {
      const words = 'memory stayed above 90 % of its limit for a minute; the state is kept';
      this.stop('memory', 0, new StateError('memory', words));
    }
    events.tick();
  }

  #laneDied({ lane, error, held }: LaneDeath): void {
    this.#parts.events.laneDied(lane, error);
    this.#parts.budget.laneGone(lane);
    const at = this.#parts.clock.now();
    for (const { lease } of held) {
      // It may have been sent: the delay of its host runs from here.
      this.#parts.frontier.headers(lease.id, at);
    }
    this.arrived(
      held.map(({ lease, failure: cause }) =>
        cause !== null
          ? failure(lease, at, cause.errorClass, cause.message)
          : { ...failure(lease, at, null, null), unsent: 'lost' as const },
      ),
    );
  }

  #finish(reason: EndReason, error: Error | null): void {
    const end = this.#end;
    if (end === null) {
      return;
    }
    this.#end = null;
    this.#parts.seeding?.stop();
    this.#parts.rendering?.stop();
    this.#waiting.close();
    this.#alarm.clear();
    end(this.#ending.end(reason, error, [...this.#settling]));
  }
}
