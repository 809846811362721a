import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import type { EmbeddedFrontier } from '../frontier/embedded/embedded-frontier.js';
import type { Lease, Offer, Outcome, PagePiece, RenderedOutcome } from '../frontier/frontier.js';
import { failure, takeLight } from '../frontier/outcome.js';
import type { ByteBudget } from './byte-budget.js';
import type { Governor, GovernorDecision } from './governor.js';
import type { LanePool } from './lane-pool.js';
import type { EndReason, Limits } from './limits.js';

/** Why and how a run ended. */
export interface CrawlEnd {
  reason: EndReason;
  /** Which limit cut it, or null. */
  truncated: string | null;
  error: Error | null;
  /** Of a run that broke: ids of the URLs that were being settled. One of them may be what broke it. */
  settling: readonly number[];
}

export interface CrawlEvents {
  /** Once a second while the crawl runs. */
  tick(): void;
  governed(decision: GovernorDecision): void;
  laneDied(lane: number, error: Error): void;
}

export interface CrawlParts {
  clock: Clock;
  frontier: EmbeddedFrontier;
  lanes: LanePool;
  budget: ByteBudget;
  governor: Governor;
  limits: Limits;
  /** So long after its deadline what is under way may still finish. */
  graceMs: number;
  events: CrawlEvents;
  rssBytes(): number;
  /** Nothing new goes out for now: whoever takes the results cannot keep up, or the disk is nearly full. */
  isHeldBack(): boolean;
  /** How many more results there is a place for; left out where there is no end to them. */
  placesLeft?(): number;
  /** So many of the first requests go out one at a time: one of them may be what took the last process down. */
  suspects?: number;
  /** Third parties are asked for URLs: it is not over before they have been. */
  seeding?: { readonly isActive: boolean; stop(): void };
  /** Pages are seen by a browser: it is not over before they have been. `goesOn` is asked when there is nothing else left to do. */
  rendering?: { goesOn(): boolean; stop(): void };
  /** Results of a commit are handed on, awaited, before the next one; when the run has to end, without waiting for the one before. */
  handOn(): Promise<void>;
}

/** Something from outside a page that waits for its turn with the frontier. */
interface Errand {
  run(): Promise<void>;
  reject(error: unknown): void;
}

const TICK_MS = 1_000;
const BATCH_PATIENCE_MS = 5;
const LARGEST_WANTED_BATCH = 64;
const FEWEST_TO_WAIT_FOR = 8;

/**
 * The loop of a crawl. It settles what came back, leases what there is room for, and hands it to the lanes; everything that happens is an
 * event that leads back here. One exchange with the frontier is under way at a time: what arrives meanwhile is in the next one, so commits
 * follow each other without a timer and an idle store commits at once.
 */
export class Crawl {
  readonly #parts: CrawlParts;
  #outcomes: Outcome[] = [];
  #errands: Errand[] = [];
  /** Of pages that come in pieces; they go behind all other errands. */
  #pieces: Errand[] = [];
  /** While memory is short they hand on one piece a second. */
  #pieceTaken = false;
  /** Since the last tick. */
  #pieceCame = false;
  #inFlight = 0;
  #exchanging = false;
  /** Ids of what is with the frontier now. */
  #settling: readonly number[] = [];
  /** Since when there is something to exchange that has not been. */
  #businessSince: number | null = null;
  #stopping: { reason: EndReason; until: number; error: Error | null } | null = null;
  #end: ((end: CrawlEnd) => void) | null = null;
  /** Goes on without whoever is being handed the results. */
  #leaveHandingOn: (() => void) | null = null;
  #cancelTimer: (() => void) | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #tickAt: number;
  #commits: { at: number; ms: number }[] = [];
  readonly use = {
    requests: 0,
    peakInFlight: 0,
    peakWaiting: 0,
    parseMs: 0,
    bytes: 0,
    peakHeldBytes: 0,
    peakPaused: 0,
    skippedLinks: 0,
    peakRssBytes: 0,
  };

  #suspects: number;

  constructor(parts: CrawlParts) {
    this.#parts = parts;
    this.#suspects = parts.suspects ?? 0;
    this.#tickAt = parts.clock.now() + TICK_MS;
    parts.lanes.onDeath = (lane, error, held) => this.#laneDied(lane, error, held);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isStopping(): boolean {
    return this.#stopping !== null;
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
    const until = this.#parts.clock.now() + graceMs;
    this.#stopping = {
      reason,
      until: Math.min(until, this.#stopping?.until ?? until),
      error: this.#stopping?.error ?? error,
    };
    this.#parts.seeding?.stop();
    this.#parts.rendering?.stop();
    this.wake();
    if (this.#exchanging) {
      // Its end may now come before what the timer was set for.
      this.#arm();
    }
  }

  /** Hands URLs from outside a page to the frontier, between two exchanges; resolves when they are durable. */
  admit(offers: Offer[], meta: Record<string, string> = {}): Promise<number[]> {
    return this.#errand(() => this.#parts.frontier.admit(offers, meta));
  }

  /** The same for a part of what a page leads to; `answer` takes the ids. A run that is over answers nobody. */
  piece(piece: PagePiece, answer: (ids: readonly number[]) => void): void {
    this.#pieceCame = true;
    this.#errand(() => {
      this.#settling = [piece.page.id];
      return this.#parts.frontier.admitFrom(piece);
    }, this.#pieces).then(answer, () => {});
  }

  /** The same for what a browser made of pages. */
  rendered(pages: RenderedOutcome[]): Promise<void> {
    return this.#errand(() => this.#parts.frontier.rendered(pages));
  }

  #errand<T>(what: () => Promise<T>, errands = this.#errands): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end === null) {
        reject(new Error('the run is over'));
        return;
      }
      errands.push({ run: async () => resolve(await what()), reject });
      this.wake();
    });
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

  came(outcomes: Outcome[]): void {
    this.#suspects -= outcomes.length;
    for (const outcome of outcomes) {
      this.#inFlight--;
      const lane = this.#parts.lanes.returned(outcome.id);
      if (lane !== null) {
        this.#parts.budget.returned(lane, outcome.heldBytes);
      }
      this.#parts.frontier.ended(outcome);
      this.#account(outcome);
      this.#outcomes.push(outcome);
    }
    this.wake();
  }

  #account(outcome: Outcome): void {
    const { use } = this;
    use.requests += outcome.unsent === null ? 1 : 0;
    use.parseMs += outcome.parseMs;
    use.bytes += outcome.page?.bytes ?? 0;
    use.skippedLinks += outcome.skippedLinks;
    this.#parts.limits.addBytes(outcome.page?.bytes ?? 0);
  }

  async #exchange(): Promise<void> {
    if (this.#exchanging || this.#end === null) {
      if (this.#parts.clock.now() >= this.#lastAt) {
        this.#leaveHandingOn?.();
      }
      return;
    }
    this.#exchanging = true;
    try {
      while (this.#hasBusiness()) {
        await this.#runErrand();
        const outcomes = takeLight(this.#outcomes);
        this.#settling = outcomes.map(({ id }) => id);
        const leases = await this.#parts.frontier.settle(outcomes, this.#room(outcomes.length));
        this.#settling = [];
        this.#committed(outcomes);
        this.#dispatch(leases);
        await this.#handOn();
        if (
          outcomes.length + leases.length + this.#outcomes.length + this.#errands.length + this.#pieces.length ===
          0
        ) {
          // Nothing came of it: whatever is ready now gets its next chance from the timer, not from this loop.
          break;
        }
      }
    } catch (error) {
      this.#finish('error', error as Error);
    } finally {
      this.#exchanging = false;
    }
    this.#rest();
  }

  /** A function of the user's may never come back: the end of the run does not wait for it. */
  async #handOn(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#leaveHandingOn = resolve;
    });
    this.#arm();
    await Promise.race([this.#parts.handOn(), left]);
    this.#leaveHandingOn = null;
  }

  async #runErrand(): Promise<void> {
    const next = this.#takesErrands ? (this.#errands.shift() ?? this.#nextPiece()) : undefined;
    if (next === undefined) {
      return;
    }
    try {
      await next.run();
    } catch (error) {
      next.reject(error);
      throw error;
    }
  }

  #nextPiece(): Errand | undefined {
    const next = this.#takesPieces ? this.#pieces.shift() : undefined;
    this.#pieceTaken ||= next !== undefined;
    return next;
  }

  get #takesPieces(): boolean {
    return this.#pieces.length > 0 && !(this.#parts.governor.slowsPiecemeal && this.#pieceTaken);
  }

  /** However many more there are: when the time is over, none is run. */
  get #takesErrands(): boolean {
    return !this.#parts.isHeldBack() && this.#parts.clock.now() < this.#lastAt;
  }

  /** When the run ends, whatever is under way then. */
  get #lastAt(): number {
    const { limits, graceMs } = this.#parts;
    return Math.min(this.#stopping?.until ?? Number.POSITIVE_INFINITY, limits.deadline + graceMs);
  }

  #hasBusiness(): boolean {
    const waits = this.#errands.length > 0 || this.#takesPieces;
    if (this.#end !== null && waits && this.#takesErrands) {
      return true;
    }
    const now = this.#parts.clock.now();
    const some = this.#outcomes.length > 0 || (this.#room() > 0 && this.#parts.frontier.wakeAt() <= now);
    if (this.#end === null || !some) {
      this.#businessSince = null;
      return false;
    }
    this.#businessSince ??= now;
    if (now < this.#ripeAt()) {
      return false;
    }
    this.#businessSince = null;
    return true;
  }

  /**
   * A commit costs the same for one page as for thirty. While enough is under way to fill one, business that is there may wait a moment
   * for company; a crawl with little under way never waits.
   */
  #ripeAt(): number {
    const enough = Math.min(LARGEST_WANTED_BATCH, this.#inFlight / 4);
    const waits = this.#inFlight >= FEWEST_TO_WAIT_FOR && this.#outcomes.length < enough && this.#stopping === null;
    return this.#businessSince! + (waits ? BATCH_PATIENCE_MS : 0);
  }

  /** How many requests may go out now. What came back and is not settled yet needs a place among the results too. */
  #room(unsettled = this.#outcomes.length): number {
    const { budget, governor, limits } = this.#parts;
    if (
      this.#stopping !== null ||
      budget.isOver ||
      limits.isReached(this.#parts.clock.now()) ||
      this.#parts.isHeldBack()
    ) {
      return 0;
    }
    const places = (this.#parts.placesLeft?.() ?? Number.POSITIVE_INFINITY) - unsettled;
    const limit = this.#suspects > 0 ? 1 : governor.limit;
    return Math.max(0, Math.min(limit, places) - this.#inFlight);
  }

  #dispatch(leases: Lease[]): void {
    if (leases.length === 0) {
      return;
    }
    this.#inFlight += leases.length;
    this.use.peakInFlight = Math.max(this.use.peakInFlight, this.#inFlight);
    if (this.#room() === 0) {
      this.use.peakWaiting = Math.max(this.use.peakWaiting, this.#parts.frontier.counts().queuedInMemory);
    }
    if (this.#stopping !== null) {
      // Leased while the stop came: never sent, so given back.
      const at = this.#parts.clock.now();
      this.came(leases.map((lease) => ({ ...failure(lease, at, null, null), unsent: 'returned' as const })));
      return;
    }
    this.#parts.lanes.dispatch(leases);
  }

  #committed(outcomes: Outcome[]): void {
    const { budget, clock, frontier, lanes } = this.#parts;
    const { use } = this;
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
    this.#commits.push({ at: clock.now(), ms: frontier.commitMs });
  }

  /** Nothing to exchange now: is it over, or when does something happen by itself? */
  #rest(): void {
    if (this.#end === null) {
      return;
    }
    const reason = this.#reasonToEnd();
    if (reason !== null) {
      this.#finish(reason, this.#stopping?.error ?? null);
      return;
    }
    this.#arm();
  }

  #reasonToEnd(): EndReason | null {
    const { clock, frontier, limits } = this.#parts;
    const now = clock.now();
    const { outstanding, deferred, secondLooks } = frontier.counts();
    limits.secondLooksAlone(secondLooks > 0 && outstanding === secondLooks, now);
    if (this.#stopping !== null && (this.#inFlight === 0 || now >= this.#stopping.until)) {
      return this.#stopping.reason;
    }
    if (this.#inFlight > 0 && now >= this.#lastAt && this.#outcomes.length === 0) {
      return limits.reached(now);
    }
    if (this.#inFlight > 0 || this.#outcomes.length > 0) {
      return null;
    }
    const isFetched = outstanding === 0 && !(this.#parts.seeding?.isActive ?? false);
    const isRendered = (): boolean => !(this.#parts.rendering?.goesOn() ?? false);
    if (isFetched && this.#errands.length + this.#pieces.length === 0 && isRendered()) {
      return deferred > 0 ? 'complete_with_deferred' : 'complete';
    }
    if (limits.isReached(now)) {
      return limits.reached(now);
    }
    if (outstanding === 0) {
      return isFetched || frontier.spent === null || !isRendered() ? null : frontier.spent;
    }
    if (frontier.wakeAt() !== Number.POSITIVE_INFINITY || frontier.isLookingUp || this.#parts.isHeldBack()) {
      return null;
    }
    if (frontier.spent !== null) {
      return isRendered() ? frontier.spent : null;
    }
    this.#stopping = {
      reason: 'error',
      until: now,
      error: new Error(`${outstanding} URLs wait and nothing can happen any more`),
    };
    return 'error';
  }

  /** One timer, for whatever comes first. */
  #arm(): void {
    const { clock, frontier, limits } = this.#parts;
    const now = clock.now();
    const canLease = !this.#exchanging && this.#room() > 0;
    const at = Math.min(
      this.#businessSince !== null ? this.#ripeAt() : canLease ? frontier.wakeAt() : Number.POSITIVE_INFINITY,
      this.#tickAt,
      // Once it is over, what is still under way ends the run: a timer in the past would only spin.
      ...[limits.deadline, this.#lastAt].filter((end) => end > now),
    );
    if (at === this.#timerAt) {
      return;
    }
    this.#cancelTimer?.();
    this.#timerAt = at;
    this.#cancelTimer = clock.at(at, () => this.#timer());
  }

  #timer(): void {
    const now = this.#parts.clock.now();
    this.#cancelTimer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (now >= this.#tickAt) {
      this.#tick(now);
    }
    this.wake();
    if (this.#exchanging) {
      // However long it takes, and however many follow each other: the governor has to see it.
      this.#arm();
    }
  }

  #tick(now: number): void {
    const { governor, events } = this.#parts;
    const lagMs = now - this.#tickAt;
    this.#tickAt = now + TICK_MS;
    this.#commits = this.#commits.filter(({ at }) => now - at <= 2_000);
    const commitMs =
      this.#commits.length === 0 ? null : this.#commits.reduce((sum, { ms }) => sum + ms, 0) / this.#commits.length;
    const rssBytes = this.#parts.rssBytes();
    this.use.peakRssBytes = Math.max(this.use.peakRssBytes, rssBytes);
    this.#pieceTaken = false;
    const hasPiecemeal = this.#pieceCame || this.#pieces.length > 0;
    this.#pieceCame = false;
    const decision = governor.sample({ at: now, rssBytes, commitMs, lagMs, hasPiecemeal });
    if (decision !== null) {
      events.governed(decision);
    }
    if (governor.exhausted(now)) {
      this.stop(
        'memory',
        0,
        new StateError('memory', 'memory stayed above 90 % of its limit for a minute; the state is kept'),
      );
    }
    events.tick();
  }

  #laneDied(lane: number, error: Error, held: { lease: Lease; fatal: boolean }[]): void {
    this.#parts.events.laneDied(lane, error);
    this.#parts.budget.laneGone(lane);
    const at = this.#parts.clock.now();
    for (const { lease } of held) {
      // It may have been sent: the delay of its host runs from here.
      this.#parts.frontier.headers(lease.id, at);
    }
    this.came(
      held.map(({ lease, fatal }) =>
        fatal
          ? failure(lease, at, 'internal', `the thread died each time this URL was with it: ${error.message}`)
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
    for (const { reject: refuse } of [...this.#errands.splice(0), ...this.#pieces.splice(0)]) {
      refuse(new Error('the run is over'));
    }
    this.#cancelTimer?.();
    const truncated = this.#parts.limits.isLimit(reason) ? reason : null;
    end({ reason, truncated, error, settling: this.#settling });
  }
}
