import type { LatencyFigures } from './live.js';

/** Times from a millisecond to more than two minutes are told apart: each octave, from one power of two to the next, has so many buckets. */
const OCTAVES = 17;
const BUCKETS_AN_OCTAVE = 8;

/** Upper ends of the buckets. Within an octave they are evenly spaced, so that a quantile is off by an eighth at most. */
const ENDS_MS: readonly number[] = [
  1,
  ...Array.from({ length: OCTAVES * BUCKETS_AN_OCTAVE }, (_, i) => {
    const octave = Math.floor(i / BUCKETS_AN_OCTAVE);
    return 2 ** octave * (1 + ((i % BUCKETS_AN_OCTAVE) + 1) / BUCKETS_AN_OCTAVE);
  }),
];

/** How long answers took, in buckets whose number never grows. To count one is two additions. */
export class LatencyHistogram {
  /** The last one is for what took longer than all ends. */
  readonly #counts = new Float64Array(ENDS_MS.length + 1);
  #sumMs = 0;

  add(ms: number): void {
    this.#counts[bucketOf(ms)]!++;
    this.#sumMs += ms;
  }

  /** How many answers are in each bucket, so that whoever keeps it can tell later what came in between. */
  counts(): Float64Array {
    return this.#counts.slice();
  }

  /** Its buckets are the powers of two: Prometheus keeps a series for each of them. */
  figures(): LatencyFigures {
    const buckets: { atMostMs: number; count: number }[] = [];
    let count = 0;
    for (const [i, inBucket] of this.#counts.entries()) {
      count += inBucket;
      if (i < ENDS_MS.length && i % BUCKETS_AN_OCTAVE === 0) {
        buckets.push({ atMostMs: ENDS_MS[i]!, count });
      }
    }
    const quantile = (share: number): number | null => quantileOf(this.#counts, share);
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

/** The first bucket whose end is not below the time. The octave comes from the bits of the number: nothing is searched. */
function bucketOf(ms: number): number {
  if (ms <= 1) {
    return 0;
  }
  if (ms > 2 ** OCTAVES) {
    return ENDS_MS.length;
  }
  const octave = 31 - Math.clz32(Math.ceil(ms) - 1);
  return octave * BUCKETS_AN_OCTAVE + Math.ceil((ms / 2 ** octave - 1) * BUCKETS_AN_OCTAVE);
}

/**
 * So large a share of the answers took no longer, by an even spread within a bucket; null if there is no answer. What took longer than all
 * ends counts as the last end.
 */
export function quantileOf(counts: Float64Array, share: number): number | null {
  const rank = share * counts.reduce((sum, count) => sum + count, 0);
  if (rank <= 0) {
    return null;
  }
  let below = 0;
  for (const [i, end] of ENDS_MS.entries()) {
    const count = counts[i]!;
    if (below + count >= rank) {
      const start = ENDS_MS[i - 1] ?? 0;
      return start + (end - start) * ((rank - below) / count);
    }
    below += count;
  }
  return ENDS_MS.at(-1)!;
}
