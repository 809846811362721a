import { StateError } from '../base/errors.js';

/** What the machine allows: the governor goes by memory and speed, the heartbeat shows it both, and the disk has a watch of its own. */

/** What the governor looks at, once a second. */
export interface Sample {
  /** Monotonic. */
  at: number;
  rssBytes: number;
  /** Mean of the commits of the last two seconds; null if there was none. */
  commitMs: number | null;
  /** How late the sample itself came. */
  lagMs: number;
  /** Whether pages with so many links that they come in pieces are under way: they may be what fills the memory. */
  hasPiecemeal: boolean;
}

/** What the governor decided, and why. */
export interface GovernorDecision {
  /** How many requests may be in flight from now on. */
  limit: number;
  /**
   * `memory`: over 75 % of --memory-limit; `memory_critical`: over 90 %; `commit`, `lag`: commits or the event loop slower than 200 ms;
   * `recovery`: all is well again.
   */
  cause: 'memory' | 'memory_critical' | 'commit' | 'lag' | 'recovery';
  /** Whether caches are emptied. */
  dropCaches: boolean;
  /** Whether garbage is collected now. */
  collect: boolean;
}

export interface GovernorOptions {
  enabled: boolean;
  memoryLimitBytes: number;
  maxInFlight: number;
}

const HIGH = 0.75;
const CRITICAL = 0.9;
const RECOVERED = 0.7;
const SLOW_MS = 200;
const CRITICAL_PATIENCE_MS = 60_000;

/**
 * Layer 12: how many requests may be under way at all. Memory above 75 % of its limit, commits or the event loop slower than 200 ms halve it each
 * second; when it first rises that high, garbage is collected; above 90 % one request is left; below 70 % and in good health it grows back by a tenth a second. Never below one.
 */
export class Governor {
  readonly #options: GovernorOptions;
  #limit: number;
  #maxInFlight: number;
  #criticalSince: number | null = null;
  #collected = false;
  /** Memory was high at the last sample, too. */
  #isHigh = false;
  #slowsPiecemeal = false;
  decisions = 0;

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#limit = this.#maxInFlight = options.maxInFlight;
  }

  /** What --workers is now. Where nothing else has lowered the limit, it follows at once; else it grows back to it. */
  setCeiling(maxInFlight: number): void {
    const wasFree = this.#limit >= this.#maxInFlight;
    this.#maxInFlight = maxInFlight;
    this.#limit = wasFree ? maxInFlight : Math.min(this.#limit, maxInFlight);
  }

  /** How many requests may be in flight at most, whatever the machine allows. */
  get ceiling(): number {
    return this.#maxInFlight;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Memory did not come down for a minute: the crawl has to end. */
  exhausted(now: number): boolean {
    return this.#criticalSince !== null && now - this.#criticalSince >= CRITICAL_PATIENCE_MS;
  }

  /** Pages that come in pieces hand on one a second. */
  get slowsPiecemeal(): boolean {
    return this.#slowsPiecemeal;
  }

  /** The decision, or null if nothing changes. */
  sample(sample: Sample): GovernorDecision | null {
    if (!this.#options.enabled) {
      return null;
    }
    const share = sample.rssBytes / this.#options.memoryLimitBytes;
    if (share >= CRITICAL) {
      return this.#critical(sample.at);
    }
    this.#criticalSince = null;
    this.#collected = false;
    if (share >= HIGH) {
      // Much of it may be garbage from one page, which a collection removes.
      const collect = !this.#isHigh;
      this.#isHigh = true;
      // Pages in pieces are slowed first, since the others are not the cause.
      const isTheirs = sample.hasPiecemeal && !this.#slowsPiecemeal;
      this.#slowsPiecemeal ||= sample.hasPiecemeal;
      return isTheirs ? this.#decided('memory', true, collect) : this.#shrink('memory', true, collect);
    }
    this.#isHigh = false;
    this.#slowsPiecemeal &&= share >= RECOVERED;
    if (sample.commitMs !== null && sample.commitMs > SLOW_MS) {
      return this.#shrink('commit', false);
    }
    if (sample.lagMs > SLOW_MS) {
      return this.#shrink('lag', false);
    }
    return share < RECOVERED ? this.#grow() : null;
  }

  #critical(at: number): GovernorDecision | null {
    this.#criticalSince ??= at;
    const collect = !this.#collected;
    this.#collected = true;
    if (this.#limit === 1 && !collect) {
      return null;
    }
    this.#limit = 1;
    return this.#decided('memory_critical', true, collect);
  }

  #shrink(cause: GovernorDecision['cause'], dropCaches: boolean, collect = false): GovernorDecision | null {
    if (this.#limit === 1) {
      return null;
    }
    this.#limit = Math.max(1, this.#limit / 2);
    return this.#decided(cause, dropCaches, collect);
  }

  #grow(): GovernorDecision | null {
    if (this.#limit >= this.#maxInFlight) {
      return null;
    }
    this.#limit = Math.min(this.#maxInFlight, this.#limit * 1.1);
    return this.#decided('recovery', false, false);
  }

  #decided(cause: GovernorDecision['cause'], dropCaches: boolean, collect: boolean): GovernorDecision {
    this.decisions++;
    return { limit: this.limit, cause, dropCaches, collect };
  }
}

export interface Beat {
  /** What the governor decided, or null. */
  decision: GovernorDecision | null;
  /** Memory did not come down for a minute: the crawl has to end. */
  isExhausted: boolean;
}

const BEAT_MS = 1_000;
/** The time over which the governor looks at commits. */
const REMEMBERED_MS = 2_000;

/** Once a second it shows the governor how the crawl fares: memory, commits, and how late the second itself came. */
export class Heartbeat {
  readonly #governor: Governor;
  readonly #rssBytes: () => number;
  #commits: { at: number; ms: number }[] = [];
  peakRssBytes = 0;
  rssBytes = 0;
  /** When the next beat is due. */
  at: number;

  constructor(governor: Governor, now: number, rssBytes: () => number) {
    this.#governor = governor;
    this.#rssBytes = rssBytes;
    this.at = now + BEAT_MS;
  }

  committed(at: number, ms: number): void {
    this.#commits.push({ at, ms });
  }

  /** @param hasPiecemeal pages that come in pieces were under way */
  beat(now: number, hasPiecemeal: boolean): Beat {
    const lagMs = now - this.at;
    this.at = now + BEAT_MS;
    this.#commits = this.#commits.filter(({ at }) => now - at <= REMEMBERED_MS);
    this.rssBytes = this.#rssBytes();
    this.peakRssBytes = Math.max(this.peakRssBytes, this.rssBytes);
    const { rssBytes, commitMs } = this;
    const decision = this.#governor.sample({ at: now, rssBytes, commitMs, lagMs, hasPiecemeal });
    return { decision, isExhausted: this.#governor.exhausted(now) };
  }

  /** Mean of the last commits; null if there was none. */
  get commitMs(): number | null {
    const { length } = this.#commits;
    return length === 0 ? null : this.#commits.reduce((sum, { ms }) => sum + ms, 0) / length;
  }
}

const CHECK_EVERY_MS = 5_000;
const PATIENCE_MS = 30_000;

/** Keeps some of the disk free: too little holds requests back, and half a minute of it ends the run, state kept. */
export class DiskWatch {
  readonly #minFreeBytes: number;
  readonly #freeBytes: () => Promise<number>;
  readonly #stop: (error: StateError) => void;
  #nextCheckAt = 0;
  #lowSince: number | null = null;

  constructor(parts: { minFreeBytes: number; freeBytes(): Promise<number>; stop(error: StateError): void }) {
    this.#minFreeBytes = parts.minFreeBytes;
    this.#freeBytes = parts.freeBytes;
    this.#stop = parts.stop;
  }

  get isLow(): boolean {
    return this.#lowSince !== null;
  }

  async checkAtStart(): Promise<void> {
    const free = await this.#freeBytes();
    if (free < this.#minFreeBytes) {
      throw this.#error(free);
    }
  }

  tick(now: number): void {
    if (now >= this.#nextCheckAt) {
      this.#nextCheckAt = now + CHECK_EVERY_MS;
      this.#freeBytes().then(
        (free) => this.#judge(free, now),
        // The store is gone, and its own error reports that.
        () => {},
      );
    }
  }

  #judge(free: number, now: number): void {
    if (free >= this.#minFreeBytes) {
      this.#lowSince = null;
      return;
    }
    this.#lowSince ??= now;
    if (now - this.#lowSince >= PATIENCE_MS) {
      this.#stop(this.#error(free));
    }
  }

  #error(free: number): StateError {
    const mib = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
    return new StateError(
      'disk_low',
      `only ${mib(free)} are free on the disk, and --min-free-disk is ${mib(this.#minFreeBytes)}; the state is kept`,
    );
  }
}
