/** The rate is taken over this time and over a few pages at least: pages of a host that is asked once a minute come one at a time. */
const WINDOW_MS = 30_000;
const FEWEST_PAGES = 10;
/** A rate over a shorter time says little about the time that is left. */
const SHORTEST_LOOK_MS = 5_000;

/** How far a run is. `at` is monotonic. */
export interface PacePoint {
  at: number;
  /** Pages of which something has become, of all runs. */
  settled: number;
  bytes: number;
}

export interface Rates {
  pagesPerMs: number;
  bytesPerMs: number;
}

/** What the time that is left depends on. */
export interface LeftToAsk {
  /** Queued or under way. */
  waiting: number;
  /** Sent out so far, of all runs. */
  dispatched: number;
  /** Sent out and not answered yet. */
  inFlight: number;
  /** When a limit ends the run; Infinity where none does. */
  endsAt: number;
  isStopping: boolean;
}

/** How fast a run goes, and how long it will take where that is known. */
export class Pace {
  readonly #maxUrls: number | null;
  readonly #msAPage: number | null;
  /** The points from which the rate is counted; only those at which the count had grown. */
  #points: PacePoint[] = [];

  /** @param options.msAPage how long a page takes by the delay of the only host, until the rate is known; null if there are several hosts or none */
  constructor(options: { maxUrls: number | null; msAPage: number | null }) {
    this.#maxUrls = options.maxUrls;
    this.#msAPage = options.msAPage;
  }

  /** Called about once a second; the first call sets the start, so that pages of earlier runs do not count. */
  note(latest: PacePoint): void {
    const before = this.#points.at(-1);
    const isFirst = this.#points.length === 1 && latest.settled === before?.settled;
    if (isFirst || latest.settled < (before?.settled ?? 0)) {
      // The time before the first page says nothing about the rate, nor do pages that are asked for again.
      this.#points = [];
    }
    if (latest.settled !== this.#points.at(-1)?.settled) {
      this.#points.push(latest);
    }
    const isFarBack = ({ at, settled }: PacePoint) =>
      latest.at - at >= WINDOW_MS && latest.settled - settled >= FEWEST_PAGES;
    this.#points.splice(0, this.#points.findLastIndex(isFarBack));
  }

  rates(latest: PacePoint): Rates {
    const { at, settled, bytes } = this.#points[0] ?? latest;
    const ms = latest.at - at;
    return ms > 0 && latest.settled >= settled
      ? { pagesPerMs: (latest.settled - settled) / ms, bytesPerMs: Math.max(0, latest.bytes - bytes) / ms }
      : { pagesPerMs: 0, bytesPerMs: 0 };
  }

  /** The time for what is queued now; more may be found. Null if it is not known how long a page takes. */
  leftMs(latest: PacePoint, { waiting, dispatched, inFlight, endsAt, isStopping }: LeftToAsk): number | null {
    const { pagesPerMs } = this.rates(latest);
    const pages = Math.max(0, Math.min(waiting, (this.#maxUrls ?? Number.POSITIVE_INFINITY) - dispatched + inFlight));
    const isMeasured = latest.at - (this.#points[0]?.at ?? latest.at) >= SHORTEST_LOOK_MS;
    const msAPage = isMeasured ? 1 / pagesPerMs : this.#msAPage;
    // Until the first page is done, only seeds are in the queue.
    const byPages = msAPage === null || pagesPerMs === 0 ? Number.POSITIVE_INFINITY : pages * msAPage;
    if (!Number.isFinite(byPages)) {
      return null;
    }
    const leftMs = Math.min(byPages, endsAt - latest.at);
    return Number.isFinite(leftMs) && leftMs > 0 && !isStopping ? leftMs : null;
  }
}
