import type { CrawlSession } from '../crawl/session.js';
import { hostForPeople } from '../url/host-display.js';
import { counted, formatBytes, formatCount, formatDuration } from './terminal.js';

/** What of a session's figures the line is made of. */
export type ProgressFigures = Pick<
  ReturnType<CrawlSession['stats']>,
  | 'now'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'queuedInMemory'
  | 'queuedOnDisk'
  | 'inFlight'
  | 'governorLimit'
  | 'bytes'
  | 'dispatched'
  | 'hostsDelayed'
  | 'waitingFor'
  | 'seeding'
  | 'rendering'
  | 'isStopping'
  | 'isDiskLow'
  | 'endsAt'
>;

/** So far back the rate looks, and to so many pages at least: those of a host that is asked once a minute come one at a time. */
const WINDOW_MS = 30_000;
const FEWEST_PAGES = 10;
/** Before that a rate says little about the time that is left. */
const SHORTEST_LOOK_MS = 5_000;

interface Sample {
  at: number;
  settled: number;
}

/** The line that says how a crawl goes: always what is done and queued, how fast, what is waited for, and how long it will take where that is known. */
export class ProgressLine {
  readonly #maxUrls: number | null;
  /** Of the one host that is crawled, from its delay, until the rate shows how long a page takes; null where there are several or none. */
  readonly #msAPage: number | null;
  /** From where the rate is counted; only those at which there was more than before. */
  #samples: Sample[] = [];

  constructor(options: { maxUrls: number | null; msAPage: number | null }) {
    this.#maxUrls = options.maxUrls;
    this.#msAPage = options.msAPage;
  }

  /** From the longest form to the shortest. */
  forms(figures: ProgressFigures): [string, ...string[]] {
    const { done, failed, inFlight, governorLimit, bytes, now } = figures;
    const pagesPerMs = this.#rate({ at: now, settled: done + failed + figures.skipped });
    const queued = figures.queuedInMemory + figures.queuedOnDisk;
    const leftMs = this.#leftMs(figures, queued + inFlight, pagesPerMs);
    const left = leftMs === null ? '' : `, about ${roughly(leftMs)} left`;
    const counts = `${formatCount(done)} done, ${formatCount(failed)} failed, ${formatCount(queued)} queued`;
    // What was under way when the limit fell goes on.
    const flight =
      inFlight > governorLimit
        ? `${formatCount(inFlight)} in flight (limit ${formatCount(governorLimit)})`
        : `${formatCount(inFlight)}/${formatCount(governorLimit)} in flight`;
    const rate = rateText(pagesPerMs);
    const short = `${formatCount(done)} done, ${formatCount(queued)} queued, ${rate.replace(' pages', '')}${left.replace('about ', '~')}`;
    const [waits, ...shorter] = waiting(figures);
    return [
      `${counts}, ${flight}, ${rate}, ${formatBytes(bytes)}${left}${waits === null ? '' : `; ${waits}`}`,
      `${counts}, ${rate}${left}; ${waits ?? flight}`,
      ...[waits, ...shorter].map((text) => `${short}; ${text ?? flight}`),
    ];
  }

  /** Pages a millisecond. */
  #rate(latest: Sample): number {
    const before = this.#samples.at(-1);
    const isFirst = this.#samples.length === 1 && latest.settled === before?.settled;
    if (isFirst || latest.settled < (before?.settled ?? 0)) {
      // Time before the first page says nothing about pages, nor do counts of pages that are asked for again.
      this.#samples = [];
    }
    if (latest.settled !== this.#samples.at(-1)?.settled) {
      this.#samples.push(latest);
    }
    const isFarBack = ({ at, settled }: Sample) =>
      latest.at - at >= WINDOW_MS && latest.settled - settled >= FEWEST_PAGES;
    this.#samples.splice(0, this.#samples.findLastIndex(isFarBack));
    const { at, settled } = this.#samples[0]!;
    return latest.at > at ? (latest.settled - settled) / (latest.at - at) : 0;
  }

  /** Of what is queued now: more may be found. Null where nothing says how long a page takes. */
  #leftMs(
    { now, dispatched, endsAt, isStopping }: ProgressFigures,
    waiting: number,
    pagesPerMs: number,
  ): number | null {
    const pages = Math.max(0, Math.min(waiting, (this.#maxUrls ?? Number.POSITIVE_INFINITY) - dispatched));
    const isMeasured = now - this.#samples[0]!.at >= SHORTEST_LOOK_MS;
    const msAPage = isMeasured ? 1 / pagesPerMs : this.#msAPage;
    // Until a page is done, there are only seeds in the queue.
    const byPages = msAPage === null || pagesPerMs === 0 ? Number.POSITIVE_INFINITY : pages * msAPage;
    if (!Number.isFinite(byPages)) {
      return null;
    }
    const leftMs = Math.min(byPages, endsAt - now);
    return Number.isFinite(leftMs) && leftMs > 0 && !isStopping ? leftMs : null;
  }
}

/** What keeps the next request from going out, in ever fewer words; null where only answers are waited for. */
function waiting(figures: ProgressFigures): [string | null, ...string[]] {
  const { isStopping, isDiskLow, inFlight, hostsDelayed, waitingFor, now, seeding, rendering } = figures;
  if (isStopping) {
    return [`stopping, ${counted(inFlight, 'request')} under way`];
  }
  if (isDiskLow) {
    return ['paused: less than --min-free-disk is free', 'paused: the disk is nearly full'];
  }
  if (waitingFor !== null && waitingFor.at > now) {
    const wait = formatDuration(waitingFor.at - now);
    const next = `next ${hostForPeople(waitingFor.name)} in ${wait}`;
    return [`${counted(Math.max(1, hostsDelayed), 'host')} delayed, ${next}`, next, `next in ${wait}`];
  }
  if (inFlight === 0 && seeding !== null) {
    return [`waits for ${seeding}`];
  }
  if (inFlight === 0 && rendering > 0) {
    return [`waits for ${counted(rendering, 'page')} in the browser`];
  }
  return [null];
}

const rateText = (pagesPerMs: number): string =>
  pagesPerMs === 0 || pagesPerMs >= 1e-4
    ? `${(pagesPerMs * 1000).toFixed(1)} pages/s`
    : `${(pagesPerMs * 60_000).toFixed(1)} pages/min`;

/** An estimate has no tenths, and behind minutes no seconds. */
function roughly(ms: number): string {
  if (ms < 59_500) {
    return `${Math.max(1, Math.round(ms / 1000))} s`;
  }
  return ms < 3_570_000 ? `${Math.round(ms / 60_000)} min` : formatDuration(ms);
}
