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

/** So far back the rate looks: long enough that a page a second is one page a second. */
const WINDOW_MS = 30_000;
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
    const flight = `${formatCount(inFlight)}/${formatCount(governorLimit)} in flight`;
    const rate = rateText(pagesPerMs);
    const short = `${formatCount(done)} done, ${formatCount(queued)} queued, ${rate}${left}`;
    const [waits, waitsShortly] = waiting(figures);
    return [
      `${counts}, ${flight}, ${rate}, ${formatBytes(bytes)}${left}${waits === null ? '' : `; ${waits}`}`,
      `${counts}, ${rate}${left}; ${waits ?? flight}`,
      `${short}; ${waits ?? flight}`,
      `${short}; ${waitsShortly ?? flight}`,
    ];
  }

  /** Pages a millisecond over the window; over all that is known where the window saw none. */
  #rate(latest: Sample): number {
    const before = this.#samples.at(-1);
    if (before !== undefined && latest.settled < before.settled) {
      // Pages are asked for again: what was counted before says nothing.
      this.#samples = [];
    }
    this.#samples.push(latest);
    const inWindow = this.#samples.findIndex(({ at }) => latest.at - at <= WINDOW_MS);
    const oldest = this.#samples[inWindow]!;
    const first = this.#samples[0]!;
    const from = oldest.settled < latest.settled ? oldest : first;
    // The first one stays: it is the baseline of a crawl that is slower than the window.
    this.#samples = [first, ...this.#samples.slice(Math.max(1, inWindow))];
    return latest.at > from.at ? (latest.settled - from.settled) / (latest.at - from.at) : 0;
  }

  /** Of what is queued now: more may be found. Null where nothing says how long a page takes. */
  #leftMs(
    { now, dispatched, endsAt, isStopping }: ProgressFigures,
    waiting: number,
    pagesPerMs: number,
  ): number | null {
    const pages = Math.max(0, Math.min(waiting, (this.#maxUrls ?? Number.POSITIVE_INFINITY) - dispatched));
    const isMeasured = now - this.#samples[0]!.at >= SHORTEST_LOOK_MS && pagesPerMs > 0;
    const msAPage = isMeasured ? 1 / pagesPerMs : this.#msAPage;
    const byPages = msAPage === null ? Number.POSITIVE_INFINITY : pages * msAPage;
    const leftMs = Math.min(byPages, endsAt - now);
    return Number.isFinite(leftMs) && leftMs > 0 && !isStopping ? leftMs : null;
  }
}

/** What keeps the next request from going out, and the same for a narrow terminal; null where only answers are waited for. */
function waiting(figures: ProgressFigures): [long: string | null, short: string | null] {
  const { isStopping, isDiskLow, inFlight, hostsDelayed, waitingFor, now, seeding, rendering } = figures;
  if (isStopping) {
    const text = `stopping, ${counted(inFlight, 'request')} under way`;
    return [text, text];
  }
  if (isDiskLow) {
    return ['paused: less than --min-free-disk is free', 'paused: the disk is nearly full'];
  }
  if (waitingFor !== null && waitingFor.at > now) {
    const next = `next ${hostForPeople(waitingFor.name)} in ${formatDuration(waitingFor.at - now)}`;
    return [`${counted(Math.max(1, hostsDelayed), 'host')} delayed, ${next}`, next];
  }
  if (inFlight === 0 && seeding !== null) {
    return [`waits for ${seeding}`, `waits for ${seeding}`];
  }
  if (inFlight === 0 && rendering > 0) {
    const text = `waits for ${counted(rendering, 'page')} in the browser`;
    return [text, text];
  }
  return [null, null];
}

const rateText = (pagesPerMs: number): string =>
  pagesPerMs === 0 || pagesPerMs >= 1e-4
    ? `${(pagesPerMs * 1000).toFixed(1)} pages/s`
    : `${(pagesPerMs * 60_000).toFixed(1)} pages/min`;

/** An estimate has no tenths. */
const roughly = (ms: number): string => (ms < 59_500 ? `${Math.max(1, Math.round(ms / 1000))} s` : formatDuration(ms));
