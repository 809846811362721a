import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from '../../src/watch/latency.js';

const bucketOf = (ms: number): number => {
  const histogram = new LatencyHistogram();
  histogram.add(ms);
  return histogram.figures().buckets.find(({ count }) => count === 1)?.atMostMs ?? Number.POSITIVE_INFINITY;
};

describe('the times of answers', () => {
  it('stand in the first bucket that is not too small for them', () => {
    expect([0, 0.4, 1, 1.1, 2, 2.5, 4, 5, 1000, 1024, 1025, 131_072, 131_073, 1e9].map(bucketOf)).toEqual([
      1,
      1,
      1,
      2,
      2,
      4,
      4,
      8,
      1024,
      1024,
      2048,
      131_072,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('have no quantiles while there are none', () => {
    expect(new LatencyHistogram().figures()).toMatchObject({
      count: 0,
      sumMs: 0,
      p50Ms: null,
      p90Ms: null,
      p99Ms: null,
    });
  });

  it('have quantiles within the bucket that holds them', () => {
    const histogram = new LatencyHistogram();
    for (let ms = 1; ms <= 1000; ms++) {
      histogram.add(ms);
    }
    const { p50Ms, p90Ms, p99Ms, count, sumMs, buckets } = histogram.figures();
    expect([count, sumMs]).toEqual([1000, 500_500]);
    // An even spread within a bucket is what these really have.
    expect(p50Ms).toBeCloseTo(500, 0);
    expect(p90Ms).toBeGreaterThan(890);
    expect(p90Ms).toBeLessThan(930);
    expect(p99Ms).toBeGreaterThan(985);
    expect(p99Ms).toBeLessThanOrEqual(1024);
    expect(buckets.map((each) => each.count)).toEqual([...buckets.map((each) => each.count)].sort((a, b) => a - b));
  });

  it.each([3, 7, 42, 300, 1_500, 47_000])('%i ms each: quantiles are within an eighth of that', (ms) => {
    const histogram = new LatencyHistogram();
    for (let i = 0; i < 100; i++) {
      histogram.add(ms);
    }
    const { p50Ms, p90Ms, p99Ms } = histogram.figures();
    for (const quantile of [p50Ms!, p90Ms!, p99Ms!]) {
      expect(Math.abs(quantile - ms) / ms).toBeLessThanOrEqual(1 / 8);
    }
  });

  it('that are longer than all buckets count as the last end', () => {
    const histogram = new LatencyHistogram();
    histogram.add(1e7);
    expect(histogram.figures()).toMatchObject({ count: 1, p50Ms: 131_072, p99Ms: 131_072 });
  });
});
