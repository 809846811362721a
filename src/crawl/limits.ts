/** Why a run ended; the first two are the good ones. */
export type EndReason =
  | 'complete'
  | 'complete_with_deferred'
  | 'max_urls'
  /** Robots.txt and sitemaps are read, and pages were not to be asked for. */
  | 'surveyed'
  | 'duration'
  | 'max_bytes'
  | 'interrupted'
  | 'terminated'
  | 'stopped'
  | 'memory'
  | 'disk'
  | 'error';

/** Limits on the whole run: hitting one ends it normally, and says so. Those on single URLs are the frontier's. */
export class Limits {
  readonly deadline: number;
  readonly #maxBytes: number;
  #bytes: number;

  constructor(options: { startedAt: number; durationMs: number | null; maxBytes: number | null; bytesBefore: number }) {
    this.deadline = options.durationMs === null ? Number.POSITIVE_INFINITY : options.startedAt + options.durationMs;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#bytes = options.bytesBefore;
  }

  addBytes(count: number): void {
    this.#bytes += count;
  }

  isReached(now: number): boolean {
    return now >= this.deadline || this.#bytes >= this.#maxBytes;
  }

  reached(now: number): EndReason {
    return now >= this.deadline ? 'duration' : 'max_bytes';
  }

  isLimit(reason: EndReason): boolean {
    return reason === 'max_urls' || reason === 'duration' || reason === 'max_bytes';
  }
}
