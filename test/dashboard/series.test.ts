import { expect, it } from 'vitest';
import { SERIES_COLUMNS } from '../../src/dashboard/api.js';
import { Series } from '../../src/dashboard/series.js';
import { LatencyHistogram } from '../../src/watch/latency.js';
import type { LiveSnapshot } from '../../src/watch/live.js';
import { snapshot } from './snapshot.js';

const column = (point: readonly (number | null)[], name: (typeof SERIES_COLUMNS)[number]) =>
  point[SERIES_COLUMNS.indexOf(name)];

const add = (series: Series, live: LiveSnapshot, times = new LatencyHistogram()): void =>
  series.add({ ...live, latency: times.figures() }, times.counts());

const at = (second: number, done: number, parts: Partial<LiveSnapshot> = {}): LiveSnapshot =>
  snapshot({ at: second * 1000, urls: { ...snapshot().urls, done }, ...parts });

it('says what happened between two moments, not since the beginning', () => {
  const series = new Series();
  add(series, at(1, 100));
  add(series, at(2, 130, { statusClasses: { ...snapshot().statusClasses, '4xx': 7 }, inFlight: 5 }));
  const [point] = series.after(0).points;
  expect([column(point!, 'pages'), column(point!, '4xx'), column(point!, 'inFlight')]).toEqual([30, 7, 5]);
});

it('latency is that of the answers in between, and not a bucket of a whole octave', () => {
  const times = new LatencyHistogram();
  const answers = (count: number, ms: number): void => {
    for (let i = 0; i < count; i++) {
      times.add(ms);
    }
  };
  const series = new Series();
  answers(1_000, 5);
  add(series, at(1, 0), times);
  answers(10, 300);
  add(series, at(2, 0), times);
  add(series, at(3, 0), times);
  const [slow, none] = series.after(0).points;
  expect(column(slow!, 'p50Ms')).toBeGreaterThan(288);
  expect(column(slow!, 'p90Ms')).toBeLessThan(320);
  expect(column(none!, 'p50Ms')).toBeNull();
});

it('counts that begin anew, as in the next round, are no fall below zero', () => {
  const series = new Series();
  add(series, at(1, 0, { bytes: 1_000 }));
  add(series, at(2, 0, { bytes: 10 }));
  expect(column(series.after(0).points[0]!, 'bytes')).toBe(10);
});

it('a day has no more points than a quarter of an hour, and the same mean', () => {
  const series = new Series();
  for (let second = 0; second <= 86_400; second++) {
    add(series, at(second, second * 3));
  }
  const { points, stepMs } = series.after(0);
  expect(points.length).toBeLessThan(1_200);
  expect(points.length).toBeGreaterThan(400);
  expect(stepMs).toBe(128_000);
  expect(points.every((point) => column(point, 'pages') === 3)).toBe(true);
});

it('whoever knows the first points gets the rest', () => {
  const series = new Series();
  for (let second = 0; second <= 10; second++) {
    add(series, at(second, second));
  }
  expect(series.after(7_000).points.map((point) => column(point, 'at'))).toEqual([8_000, 9_000, 10_000]);
});
