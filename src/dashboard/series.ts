import { quantileOf } from '../watch/latency.js';
import type { LiveSnapshot } from '../watch/live.js';
import { SERIES_COLUMNS, type SeriesAnswer, type SeriesColumn, type SeriesPoint } from './api.js';

/** So many points are kept; then each two become one. A quarter of an hour has one a second, a day one every two minutes. */
const MOST_POINTS = 1_200;
const FIRST_STEP_MS = 1_000;

/** How a run went, a point at a time, in a bounded number of them whatever its length. */
export class Series {
  #points: SeriesPoint[] = [];
  #stepMs = FIRST_STEP_MS;
  #last: Moment | null = null;
  /** Points of a second that are not yet one of the series' own step. */
  #open: SeriesPoint[] = [];

  /** @param latencies how many answers took how long, as `LatencyHistogram` counts them */
  add(live: LiveSnapshot, latencies: Float64Array): void {
    const last = this.#last;
    const moment = { live, latencies };
    this.#last = moment;
    if (last === null || live.at <= last.live.at) {
      return;
    }
    this.#open.push(pointBetween(last, moment));
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

interface Moment {
  readonly live: LiveSnapshot;
  readonly latencies: Float64Array;
}

function pointBetween(
  { live: before, latencies: latenciesBefore }: Moment,
  { live: now, latencies }: Moment,
): SeriesPoint {
  const seconds = (now.at - before.at) / 1000;
  // A command of several rounds begins its counts anew.
  const rate = (of: (live: LiveSnapshot) => number): number =>
    (of(now) >= of(before) ? of(now) - of(before) : of(now)) / seconds;
  const isNew = now.latency.count < before.latency.count;
  const between = isNew ? latencies : latencies.map((count, bucket) => count - latenciesBefore[bucket]!);
  const values: Record<SeriesColumn, number | null> = {
    at: now.at,
    pages: rate(({ urls }) => urls.done + urls.failed),
    bytes: rate(({ bytes }) => bytes),
    p50Ms: quantileOf(between, 0.5),
    p90Ms: quantileOf(between, 0.9),
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
