/** What the governor looks at, once a second. */
export interface Sample {
  /** Monotonic. */
  at: number;
  rssBytes: number;
  /** Mean of the commits of the last two seconds; null where there was none. */
  commitMs: number | null;
  /** How late the sample itself came. */
  lagMs: number;
  /** Pages are open that lead to so much that they come in pieces: memory may be theirs. */
  hasPiecemeal: boolean;
}

/** What the governor decided, and why. */
export interface GovernorDecision {
  /** In flight at most, from now on. */
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
  #criticalSince: number | null = null;
  #collected = false;
  /** Memory was high at the last sample, too. */
  #isHigh = false;
  #slowsPiecemeal = false;
  decisions = 0;

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#limit = options.maxInFlight;
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

  /** Null when nothing changes. */
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
      // Much of it may be garbage of one page: where that is so, it is over with this.
      const collect = !this.#isHigh;
      this.#isHigh = true;
      // They are slowed first: everybody else is not to blame.
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
    if (this.#limit >= this.#options.maxInFlight) {
      return null;
    }
    this.#limit = Math.min(this.#options.maxInFlight, this.#limit * 1.1);
    return this.#decided('recovery', false, false);
  }

  #decided(cause: GovernorDecision['cause'], dropCaches: boolean, collect: boolean): GovernorDecision {
    this.decisions++;
    return { limit: this.limit, cause, dropCaches, collect };
  }
}
