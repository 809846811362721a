/** Why a run ended; the first two are the good ones. */
export type EndReason =
  | 'complete'
  | 'complete_with_deferred'
  | 'max_urls'
  /** Robots.txt and sitemaps are read, and pages were not to be asked for. */
  | 'surveyed'
  | 'duration'
  | 'max_bytes'
  /** Nothing was left of a check but second looks, and their time was over. */
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

/** Limits on the whole run: hitting one ends it normally, and says so. Those on single URLs are the frontier's. */
export class Limits {
  readonly #end: number;
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

  /** What second looks have taken, beyond everything else. */
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
