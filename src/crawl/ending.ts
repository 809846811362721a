import type { Clock } from '../base/clock.js';

/** Why a run ended; the first two are the good ones. */
export type EndReason =
  | 'complete'
  | 'complete_with_deferred'
  | 'max_urls'
  /** Robots.txt and sitemaps are read, and no pages were to be requested. */
  | 'surveyed'
  | 'duration'
  | 'max_bytes'
  /** A check had only second looks left, and their time was over. */
  | 'second_look_budget'
  /** By SIGINT. */
  | 'interrupted'
  /** By SIGTERM or SIGHUP. */
  | 'terminated'
  /** By `stop()`, a signal of the program's, or a reader who left. */
  | 'stopped'
  /** Memory stayed over its limit with one request in flight. */
  | 'memory'
  /** The disk was full. */
  | 'disk'
  /** Something broke, or a function of the user's threw. */
  | 'error';

/** Limits on the whole run: reaching one ends the run normally, and the run says so. The frontier keeps the limits on single URLs. */
export class Limits {
  #end: number;
  readonly #secondLookMs: number;
  /** Since when nothing but second looks is left, and for how long that was so before. */
  #aloneSince: number | null = null;
  #aloneMs = 0;
  readonly #maxBytes: number;
  #bytes: number;

  constructor(options: {
    startedAt: number;
    durationMs: number | null;
    maxBytes: number | null;
    bytesBefore: number;
    /** For second looks, once nothing else is left. */
    secondLookMs?: number;
  }) {
    this.#secondLookMs = options.secondLookMs ?? Number.POSITIVE_INFINITY;
    this.#end = options.durationMs === null ? Number.POSITIVE_INFINITY : options.startedAt + options.durationMs;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#bytes = options.bytesBefore;
  }

  /** Sets when the time is over; called by the crawl that this run is a part of. */
  endsAt(at: number): void {
    this.#end = at;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get deadline(): number {
    return this.#aloneSince === null
      ? this.#end
      : Math.min(this.#end, this.#aloneSince + this.#secondLookMs - this.#aloneMs);
  }

  /** Whether nothing but second looks is left now. */
  secondLooksAlone(isSo: boolean, now: number): void {
    if (isSo) {
      this.#aloneSince ??= now;
    } else if (this.#aloneSince !== null) {
      this.#aloneMs += now - this.#aloneSince;
      this.#aloneSince = null;
    }
  }

  /** The time that second looks took after everything else was done. */
  secondLookMs(now: number): number {
    return this.#aloneMs + (this.#aloneSince === null ? 0 : now - this.#aloneSince);
  }

  addBytes(count: number): void {
    this.#bytes += count;
  }

  isReached(now: number): boolean {
    return now >= this.deadline || this.#bytes >= this.#maxBytes;
  }

  reached(now: number): EndReason {
    return now >= this.#end ? 'duration' : now >= this.deadline ? 'second_look_budget' : 'max_bytes';
  }

  isLimit(reason: EndReason): boolean {
    return reason === 'max_urls' || reason === 'duration' || reason === 'max_bytes';
  }
}

/** Why and how a run ended. */
export interface CrawlEnd {
  reason: EndReason;
  /** Which limit cut it, or null. */
  truncated: string | null;
  error: Error | null;
  /** Ids of the URLs that were being settled when the run broke. One of them may be the cause. */
  settling: readonly number[];
}

/** The work that is left, as the loop sees it between two exchanges. */
export interface LeftToDo {
  inFlight: number;
  /** Outcomes that wait to be settled. */
  unsettled: number;
  /** Something waits for its turn with the frontier. */
  hasWaitingWork: boolean;
  outstanding: number;
  deferred: number;
  secondLooks: number;
  /** Third parties are still being asked for URLs, or URLs that the user adds are being read. */
  isSeeding: boolean;
  /** Something will happen by itself: a host's time comes, a name is looked up, the disk gets room. */
  canGoOn: boolean;
  /** The limit on URLs that is used up, or null. */
  spent: EndReason | null;
  /** Whether a browser still has pages to render. It is asked only when nothing else is left, because then the last of them are begun. */
  goesOnRendering(): boolean;
}

/** Whether a run is over, and why: it was stopped, a limit is reached, or nothing is left to do. */
export class Ending {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #graceMs: number;
  #stopping: { reason: EndReason; until: number; error: Error | null } | null = null;

  /** @param graceMs how long after the deadline requests under way may still finish */
  constructor(clock: Clock, limits: Limits, graceMs: number) {
    this.#clock = clock;
    this.#limits = limits;
    this.#graceMs = graceMs;
  }

  /** Nothing new goes out; what is under way may finish until `graceMs` are over. */
  stop(reason: EndReason, graceMs: number, error: Error | null): void {
    const until = this.#clock.now() + graceMs;
    this.#stopping = {
      reason,
      until: Math.min(until, this.#stopping?.until ?? until),
      error: this.#stopping?.error ?? error,
    };
  }

  get isStopping(): boolean {
    return this.#stopping !== null;
  }

  get error(): Error | null {
    return this.#stopping?.error ?? null;
  }

  /** Nothing new may be asked for. */
  get isClosing(): boolean {
    return this.#stopping !== null || this.#limits.isReached(this.#clock.now());
  }

  /** When the run ends, whatever is under way then. */
  get lastAt(): number {
    return Math.min(this.#stopping?.until ?? Number.POSITIVE_INFINITY, this.#limits.deadline + this.#graceMs);
  }

  get isTimeUp(): boolean {
    return this.#clock.now() >= this.lastAt;
  }

  /** The future times at which the run may be over. Past ones are left out: a timer for them would only spin. */
  timesAhead(now: number): number[] {
    return [this.#limits.deadline, this.lastAt].filter((end) => end > now);
  }

  end(reason: EndReason, error: Error | null, settling: readonly number[]): CrawlEnd {
    return { reason, truncated: this.#limits.isLimit(reason) ? reason : null, error, settling };
  }

  /** Null if the run goes on. */
  reason(left: LeftToDo): EndReason | null {
    const now = this.#clock.now();
    const { inFlight, unsettled, outstanding, secondLooks } = left;
    this.#limits.secondLooksAlone(secondLooks > 0 && outstanding === secondLooks, now);
    if (this.#stopping !== null && (inFlight === 0 || now >= this.#stopping.until)) {
      return this.#stopping.reason;
    }
    if (inFlight > 0 && now >= this.lastAt && unsettled === 0) {
      return this.#limits.reached(now);
    }
    return inFlight > 0 || unsettled > 0 ? null : this.#reasonAtRest(left, now);
  }

  /** Nothing is under way. */
  #reasonAtRest(left: LeftToDo, now: number): EndReason | null {
    const { outstanding, spent } = left;
    const isFetched = outstanding === 0 && !left.isSeeding;
    if (isFetched && !left.hasWaitingWork && !left.goesOnRendering()) {
      return left.deferred > 0 ? 'complete_with_deferred' : 'complete';
    }
    if (this.#limits.isReached(now)) {
      return this.#limits.reached(now);
    }
    if (outstanding === 0) {
      return isFetched || spent === null || left.goesOnRendering() ? null : spent;
    }
    if (left.canGoOn) {
      return null;
    }
    if (left.goesOnRendering()) {
      return null;
    }
    if (spent !== null) {
      return spent;
    }
    this.stop('error', 0, new Error(`${outstanding} URLs wait and nothing can happen any more`));
    return 'error';
  }
}
