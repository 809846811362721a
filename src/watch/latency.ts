import type { LatencyFigures } from './live.js';

/** Upper ends of the buckets: each twice the one before, from a millisecond to more than two minutes. */
const ENDS_MS: readonly number[] = Array.from({ length: 18 }, (_, i) => 2 ** i);

/** How long answers took, in buckets whose number never grows. To count one is two additions. */
export class LatencyHistogram {
  /** The last one is for what took longer than all ends. */
  readonly #counts = new Float64Array(ENDS_MS.length + 1);
  #sumMs = 0;

  add(ms: number): void {
    // The exponent of the next power of two: no search.
    const bucket = ms <= 1 ? 0 : Math.min(ENDS_MS.length, 32 - Math.clz32(Math.ceil(ms) - 1));
    this.#counts[bucket]!++;
    this.#sumMs += ms;
  }

  figures(): LatencyFigures {
    let count = 0;
    const buckets = ENDS_MS.map((atMostMs, i) => {
      count += this.#counts[i]!;
      return { atMostMs, count };
    });
    count += this.#counts[ENDS_MS.length]!;
    const quantile = (share: number): number | null => quantileOf(buckets, count, share);
    return {
      count,
      sumMs: this.#sumMs,
      p50Ms: quantile(0.5),
      p90Ms: quantile(0.9),
      p99Ms: quantile(0.99),
      buckets,
    };
  }
}

/** As Prometheus estimates it: by an even spread within its bucket. What took longer than all ends counts as the last end. */
function quantileOf(buckets: LatencyFigures['buckets'], count: number, share: number): number | null {
  if (count === 0) {
    return null;
  }
  const rank = share * count;
  const i = buckets.findIndex((bucket) => bucket.count >= rank);
  if (i === -1) {
    return buckets.at(-1)!.atMostMs;
  }
  const below = buckets[i - 1] ?? { atMostMs: 0, count: 0 };
  const { atMostMs, count: upTo } = buckets[i]!;
  return below.atMostMs + (atMostMs - below.atMostMs) * ((rank - below.count) / (upTo - below.count));
}
