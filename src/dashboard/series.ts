import type { LatencyFigures, LiveSnapshot } from '../watch/live.js';
import { SERIES_COLUMNS, type SeriesAnswer, type SeriesColumn, type SeriesPoint } from './api.js';

/** So many points are kept; then each two become one. A quarter of an hour has one a second, a day one every two minutes. */
const MOST_POINTS = 1_200;
const FIRST_STEP_MS = 1_000;

/** How a run went, a point at a time, in a bounded number of them whatever its length. */
export class Series {
  #points: SeriesPoint[] = [];
  #stepMs = FIRST_STEP_MS;
  #last: LiveSnapshot | null = null;
  /** Points of a second that are not yet one of the series' own step. */
  #open: SeriesPoint[] = [];

  add(live: LiveSnapshot): void {
    const last = this.#last;
    this.#last = live;
    if (last === null || live.at <= last.at) {
      return;
    }
    this.#open.push(pointBetween(last, live));
    if (this.#open.length * FIRST_STEP_MS < this.#stepMs) {
      return;
    }
    this.#points.push(folded(this.#open));
    this.#open = [];
    if (this.#points.length >= MOST_POINTS) {
      this.#points = this.#points.flatMap((point, place, all) =>
        place % 2 === 0 ? [folded([point, all[place + 1]!])] : [],
      );
      this.#stepMs *= 2;
    }
  }

  after(at: number): SeriesAnswer {
    return { stepMs: this.#stepMs, points: this.#points.filter((point) => point[0]! > at) };
  }
}

function pointBetween(before: LiveSnapshot, now: LiveSnapshot): SeriesPoint {
  const seconds = (now.at - before.at) / 1000;
  // A command of several rounds begins its counts anew.
  const rate = (of: (live: LiveSnapshot) => number): number =>
    (of(now) >= of(before) ? of(now) - of(before) : of(now)) / seconds;
  const latency = between(before.latency, now.latency);
  const values: Record<SeriesColumn, number | null> = {
    at: now.at,
    pages: rate(({ urls }) => urls.done + urls.failed),
    bytes: rate(({ bytes }) => bytes),
    p50Ms: quantile(latency, 0.5),
    p90Ms: quantile(latency, 0.9),
    inFlight: now.inFlight,
    memoryBytes: now.memory.bytes,
    '1xx': rate(({ statusClasses }) => statusClasses['1xx']),
    '2xx': rate(({ statusClasses }) => statusClasses['2xx']),
    '3xx': rate(({ statusClasses }) => statusClasses['3xx']),
    '4xx': rate(({ statusClasses }) => statusClasses['4xx']),
    '5xx': rate(({ statusClasses }) => statusClasses['5xx']),
    none: rate(({ statusClasses }) => statusClasses.none),
  };
  return SERIES_COLUMNS.map((column) => values[column]);
}

type Buckets = LatencyFigures['buckets'];

/** What was answered between two moments, by how long it took. */
function between(before: LatencyFigures, now: LatencyFigures): Buckets {
  const isNew = now.count < before.count;
  return now.buckets.map(({ atMostMs, count }, place) => ({
    atMostMs,
    count: isNew ? count : count - (before.buckets[place]?.count ?? 0),
  }));
}

/** Within a bucket answers are taken to be spread evenly. */
function quantile(buckets: Buckets, share: number): number | null {
  const all = buckets.at(-1)?.count ?? 0;
  if (all <= 0) {
    return null;
  }
  const wanted = all * share;
  let [fromMs, below] = [0, 0];
  for (const { atMostMs, count } of buckets) {
    if (count >= wanted) {
      // JSON has no infinity; neither has a chart.
      return Number.isFinite(atMostMs) ? fromMs + ((atMostMs - fromMs) * (wanted - below)) / (count - below) : fromMs;
    }
    [fromMs, below] = [atMostMs, count];
  }
  return fromMs;
}

/** Several points as one: the last time, and the mean of what was measured. */
function folded(points: readonly SeriesPoint[]): SeriesPoint {
  if (points.length === 1) {
    return points[0]!;
  }
  return SERIES_COLUMNS.map((column, place) => {
    const values = points.flatMap((point) => point[place] ?? []);
    if (column === 'at') {
      return values.at(-1)!;
    }
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}
