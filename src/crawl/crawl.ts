import { Alarm, type Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { Frontier } from '../frontier/frontier.js';
import { failure, type Lease, type Outcome, takeLight, unsent } from '../frontier/outcome.js';
import type { ByteBudget } from '../lane/byte-budget.js';
import type { LaneDeath, LanePool } from '../lane/lane-pool.js';
import type { ClusterSeat } from './cluster-seat.js';
import { type CrawlEnd, Ending, type EndReason, type Limits } from './ending.js';
import { type Governor, type GovernorDecision, Heartbeat } from './governor.js';
import { Room, type RoomParts } from './room.js';
import { Usage } from './usage.js';
import { Batching, Intake } from './waiting-work.js';

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

/** What the loop asks of the frontier, besides what its intake and its room ask. */
type LoopFrontier = ConstructorParameters<typeof Intake>[0] &
  RoomParts['frontier'] &
  Pick<
    Frontier,
    'settle' | 'takesMore' | 'headers' | 'mayGo' | 'ended' | 'counts' | 'commitMs' | 'isLookingUp' | 'spent'
  >;

export interface CrawlParts extends Pick<RoomParts, 'disk' | 'placesLeft' | 'suspects' | 'isPaced'> {
  clock: Clock;
  frontier: LoopFrontier;
  lanes: LanePool;
  budget: ByteBudget;
  governor: Governor;
  limits: Limits;
  /** How long after the deadline requests under way may still finish. */
  graceMs: number;
  events: CrawlEvents;
  rssBytes(): number;
  /** Where URLs come from besides pages: third parties, and the user. The crawl is not over before they are done. */
  sources?: readonly { readonly isActive: boolean; stop?(): void }[];
  /** A browser renders pages, and the crawl is not over before it has. `goesOn` is asked when there is nothing else left to do. */
  rendering?: { goesOn(): boolean; stop(): void };
  /** This machine's part of a crawl on several: it may have to hold still, and it is not over before all of them have come to the end. */
  cluster?: Pick<ClusterSeat, 'mayLease' | 'isOver' | 'rests'>;
  /** Sees what came back before anyone else, and may make something else of it. */
  review?(outcomes: Outcome[]): Outcome[];
  /** Takes the results of a commit; awaited before the next commit, except when the run has to end. */
  handOn(): Promise<void>;
}

/**
 * The loop of a crawl. It settles what came back, leases what there is room for, and hands it to the lanes; everything that happens is an
 * event that leads back here. What arrives during an exchange with the frontier is in the next one, so commits follow each other without a
 * timer and an idle store commits at once. A second exchange begins before the first is answered where the frontier takes it.
 */
export class Crawl {
  readonly intake: Intake;
  readonly room: Room;
  readonly use = new Usage();
  readonly #parts: CrawlParts;
  readonly #ending: Ending;
  readonly #batching = new Batching();
  readonly #heartbeat: Heartbeat;
  readonly #alarm: Alarm;
  /** Outcomes that came back and wait to be settled. */
  #outcomes: Outcome[] = [];
  /** Exchanges that are under way. */
  #exchanges = 0;
  /** Ids of what is with the frontier now. */
  readonly #settling = new Set<number>();
  /** Null before it runs, and when it is over. */
  #end: ((end: CrawlEnd) => void) | null = null;
  /** Makes the loop go on without waiting for whoever is taking the results. */
  #leaveHandingOn: (() => void) | null = null;
  /** URLs that are being admitted while results are handed on. */
  #admitting: Promise<void> | null = null;

  constructor(parts: CrawlParts) {
    const { clock, frontier, governor, limits, graceMs, lanes } = parts;
    this.#parts = parts;
    this.#ending = new Ending(clock, limits, graceMs);
    this.room = new Room({
      ...parts,
      ending: this.#ending,
      unsent: (leases) => this.#giveBack(leases),
      changed: () => this.wake(),
    });
    this.intake = new Intake(
      frontier,
      () => governor.slowsPiecemeal,
      () => this.wake(),
    );
    this.#heartbeat = new Heartbeat(governor, clock.now(), parts.rssBytes);
    this.#alarm = new Alarm(clock, () => this.#rang());
    lanes.onDeath = (death) => this.#laneDied(death);
  }

  /** Runs until there is nothing left to do, a limit is reached, or it is stopped. */
  run(): Promise<CrawlEnd> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.wake();
    });
  }

  /** Something happened that may let something go out. */
  wake(): void {
    void this.#exchange();
  }

  async #exchange(): Promise<void> {
    if (this.#end === null || !this.#mayExchange) {
      if (this.#ending.isTimeUp) {
        this.#leaveHandingOn?.();
      } else {
        this.#admitMeanwhile();
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

  /** Work from the intake gets an exchange of its own. */
  get #mayExchange(): boolean {
    const { takesMore } = this.#parts.frontier;
    return this.#exchanges === 0 || (this.#exchanges === 1 && this.intake.waiting.isEmpty && takesMore);
  }

  #hasBusiness(): boolean {
    if (this.#end === null) {
      return false;
    }
    if (this.#takesIn && this.intake.waiting.isReady(this.room.isHeldBack)) {
      return true;
    }
    const now = this.#parts.clock.now();
    const hasSome =
      this.#outcomes.length > 0 || (this.room.left().requests > 0 && this.#parts.frontier.wakeAt() <= now);
    return this.#batching.isRipe(hasSome, now, this.#load());
  }

  /** Returns false if it had no effect: whatever is ready now gets its next chance from the timer, not from the loop. */
  async #exchangeOnce(): Promise<boolean> {
    const { waiting } = this.intake;
    if (this.#takesIn && this.#exchanges === 1) {
      await waiting.runNext(this.room.isHeldBack);
    }
    const outcomes = takeLight(this.#outcomes);
    const leases = await this.#settle(outcomes);
    this.room.leases(leases);
    this.#dispatch();
    await this.#handOn();
    return outcomes.length + leases.length + this.#outcomes.length > 0 || !waiting.isEmpty;
  }

  /** When the time is over, nothing more from the intake is run, however much waits. */
  get #takesIn(): boolean {
    return !this.#parts.disk.isLow && !this.#ending.isTimeUp;
  }

  async #settle(outcomes: Outcome[]): Promise<Lease[]> {
    const { budget, clock, frontier, lanes } = this.#parts;
    for (const { id } of outcomes) {
      this.#settling.add(id);
    }
    const { requests, stock } = this.room.left();
    const leases = await frontier.settle(outcomes, requests, stock);
    for (const { id } of outcomes) {
      this.#settling.delete(id);
    }
    this.room.settled(outcomes.length);
    this.use.sawHeld(budget);
    for (const { heldBytes } of outcomes) {
      budget.settled(heldBytes);
    }
    if (budget.letsBodiesFlow()) {
      lanes.flow();
    }
    this.#heartbeat.committed(clock.now(), frontier.commitMs);
    return leases;
  }

  /** Hands to the lanes what there is a place on the wire for. */
  #dispatch(): void {
    const { frontier, lanes } = this.#parts;
    const leases = this.room.takeReady();
    if (leases.length === 0) {
      return;
    }
    this.use.sawInFlight(this.inFlight);
    if (this.room.left().requests === 0) {
      this.use.sawWaiting(frontier.counts().queuedInMemory);
    }
    const { isClosed } = this.room;
    const going = leases.filter((lease) => !isClosed && frontier.mayGo(lease));
    lanes.dispatch(going);
    if (going.length < leases.length) {
      // Since they were leased, the run was stopped, a limit was reached, or their host got into trouble.
      const sent = new Set(going);
      this.#giveBack(leases.filter((lease) => !sent.has(lease)));
    }
  }

  /** A function of the user's may never come back: the end of the run does not wait for it. */
  async #handOn(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#leaveHandingOn = resolve;
    });
    this.#setAlarm();
    try {
      await Promise.race([this.#parts.handOn(), left]);
    } finally {
      this.#leaveHandingOn = null;
      await this.#admitting;
    }
  }

  /** The frontier is idle while results are handed on: a function of the user's that adds URLs there may wait until they are durable. */
  #admitMeanwhile(): void {
    const { waiting } = this.intake;
    const isHandingOn = this.#exchanges === 1 && this.#leaveHandingOn !== null;
    if (isHandingOn && this.#admitting === null && this.#takesIn && waiting.isReady(true)) {
      this.#admitting = waiting
        .runNext(true)
        .catch((error: Error) => this.#finish('error', error))
        .finally(() => {
          this.#admitting = null;
          this.wake();
        });
    }
  }

  headers(ids: number[], ats: number[]): void {
    ids.forEach((id, i) => {
      this.#parts.frontier.headers(id, ats[i]!);
    });
    this.wake();
  }

  /** These leases have come to an end. */
  arrived(given: Outcome[]): void {
    const { budget, events, frontier, lanes, limits } = this.#parts;
    const outcomes = this.#parts.review?.(given) ?? given;
    this.room.cameBack(outcomes.length);
    for (const outcome of outcomes) {
      const lane = lanes.returned(outcome.id);
      if (lane !== null) {
        budget.returned(lane, outcome.heldBytes);
      }
      frontier.ended(outcome);
      limits.addBytes(outcome.page?.bytes ?? 0);
      const how = this.use.ended(outcome);
      if (how !== null) {
        events[how]?.(outcome);
      }
      this.#outcomes.push(outcome);
    }
    this.room.takeStockBack();
    this.#dispatch();
    this.wake();
  }

  /** These requests have not been sent. */
  #giveBack(leases: readonly Lease[]): void {
    if (leases.length > 0) {
      const at = this.#parts.clock.now();
      this.arrived(leases.map((lease) => unsent(lease, at, 'returned')));
    }
  }

  #laneDied({ lane, error, held }: LaneDeath): void {
    const { budget, clock, events, frontier } = this.#parts;
    events.laneDied(lane, error);
    budget.laneGone(lane);
    const at = clock.now();
    for (const { lease } of held) {
      // It may have been sent: the delay of its host runs from here.
      frontier.headers(lease.id, at);
    }
    this.arrived(
      held.map(({ lease, failure: cause }) =>
        cause === null ? unsent(lease, at, 'lost') : failure(lease, at, cause.errorClass, cause.message),
      ),
    );
  }

  /** There is nothing to exchange now: the crawl is over, or a timer has to be set for what happens next. */
  #rest(): void {
    if (this.#end === null) {
      return;
    }
    const { frontier, sources = [], rendering, cluster } = this.#parts;
    const { outstanding, deferred, secondLooks } = frontier.counts();
    const isSeeding = sources.some(({ isActive }) => isActive);
    const isBusy = isSeeding || !this.intake.waiting.isEmpty || this.room.leased + this.#outcomes.length > 0;
    const isTogether = cluster !== undefined && !cluster.isOver;
    // Nothing that waits may be requested, unless another machine gives up part of its share.
    const isSpent = frontier.spent !== null && frontier.wakeAt() === Number.POSITIVE_INFINITY;
    const isStuck = isSpent && !frontier.isLookingUp && !this.#parts.disk.isLow;
    cluster?.rests((outstanding === 0 || isStuck) && !isBusy);
    const reason = this.#ending.reason({
      inFlight: this.room.leased,
      unsettled: this.#outcomes.length,
      hasWaitingWork: !this.intake.waiting.isEmpty,
      outstanding,
      deferred,
      secondLooks,
      isSeeding: isSeeding || isTogether,
      canGoOn:
        isTogether || frontier.wakeAt() !== Number.POSITIVE_INFINITY || frontier.isLookingUp || this.room.isHeldBack,
      spent: isTogether ? null : frontier.spent,
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
    const canLease = (this.#exchanges === 0 || frontier.takesMore) && this.room.left().requests > 0;
    const nextAt = ripeAt ?? (canLease ? frontier.wakeAt() : Number.POSITIVE_INFINITY);
    this.#alarm.set(Math.min(nextAt, this.#heartbeat.at, ...this.#ending.timesAhead(clock.now())));
  }

  #load() {
    return { inFlight: this.room.leased, unsettled: this.#outcomes.length, isStopping: this.#ending.isStopping };
  }

  #rang(): void {
    const now = this.#parts.clock.now();
    this.room.takeStockBack();
    if (now >= this.#heartbeat.at) {
      this.#beat(now);
    }
    this.wake();
    if (this.#exchanges > 0) {
      // Every commit is measured, so that the governor sees slow ones and long series of them.
      this.#setAlarm();
    }
  }

  #beat(now: number): void {
    const { events } = this.#parts;
    const { decision, isExhausted } = this.#heartbeat.beat(now, this.intake.waiting.tick());
    if (decision !== null) {
      this.room.governed();
      events.governed(decision);
    }
    if (isExhausted) {
      const words = 'memory stayed above 90 % of its limit for a minute; the state is kept';
      this.stop('memory', 0, new StateError('memory', words));
    }
    events.tick();
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.room.inFlight;
  }

  get isStopping(): boolean {
    return this.#ending.isStopping;
  }

  /** As it was at the last beat. */
  get memory(): { bytes: number; peakBytes: number } {
    return { bytes: this.#heartbeat.rssBytes, peakBytes: this.#heartbeat.peakRssBytes };
  }

  /** Mean of the last commits; null if there was none. */
  get commitMs(): number | null {
    return this.#heartbeat.commitMs;
  }

  /** Nothing new goes out; what is under way may finish until `graceMs` are over. */
  stop(reason: EndReason, graceMs: number, error: Error | null = null): void {
    this.#ending.stop(reason, graceMs, error);
    this.#stopSources();
    this.room.takeStockBack();
    this.wake();
    if (this.#exchanges > 0) {
      // The end may now come before the time that the timer was set for.
      this.#setAlarm();
    }
  }

  #stopSources(): void {
    const { sources = [], rendering } = this.#parts;
    for (const source of sources) {
      source.stop?.();
    }
    rendering?.stop();
  }

  #finish(reason: EndReason, error: Error | null): void {
    const end = this.#end;
    if (end === null) {
      return;
    }
    this.#end = null;
    this.#stopSources();
    this.intake.waiting.close();
    this.#alarm.clear();
    end(this.#ending.end(reason, error, [...this.#settling, ...this.intake.settling]));
  }
}
