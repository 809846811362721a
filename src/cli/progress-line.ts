import { formatBytes, formatCount, formatRoughly } from '../base/figures.js';
import type { SessionStats } from '../crawl/profile.js';
import { Pace } from '../watch/pace.js';
import { waitingWords } from '../watch/waiting.js';

/** The figures of a session that the line shows. */
export type ProgressFigures = Pick<
  SessionStats,
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
> & { hostsBackingOff?: number };

/** The line that says how a crawl goes: always what is done and queued, how fast, what is waited for, and how long it will take where that is known. */
export class ProgressLine {
  readonly #pace: Pace;

  /** @param options.msAPage how long a page takes by the delay of the only host; null if there are several hosts or none */
  constructor(options: { maxUrls: number | null; msAPage: number | null }) {
    this.#pace = new Pace(options);
  }

  /** From the longest form to the shortest. */
  forms(figures: ProgressFigures): [string, ...string[]] {
    const { done, failed, inFlight, governorLimit, bytes, now } = figures;
    const point = { at: now, settled: done + failed + figures.skipped, bytes };
    this.#pace.note(point);
    const { pagesPerMs } = this.#pace.rates(point);
    const queued = figures.queuedInMemory + figures.queuedOnDisk;
    const leftMs = this.#pace.leftMs(point, { ...figures, waiting: queued + inFlight });
    const left = leftMs === null ? '' : `, about ${formatRoughly(leftMs)} left`;
    const counts = `${formatCount(done)} done, ${formatCount(failed)} failed, ${formatCount(queued)} queued`;
    // Requests that were under way when the limit was reached still go on.
    const flight =
      inFlight > governorLimit
        ? `${formatCount(inFlight)} in flight (limit ${formatCount(governorLimit)})`
        : `${formatCount(inFlight)}/${formatCount(governorLimit)} in flight`;
    const rate = rateText(pagesPerMs);
    const short = `${formatCount(done)} done, ${formatCount(queued)} queued, ${rate.replace(' pages', '')}${left.replace('about ', '~')}`;
    const [waits, ...shorter] = waitingWords(figures);
    return [
      `${counts}, ${flight}, ${rate}, ${formatBytes(bytes)}${left}${waits === null ? '' : `; ${waits}`}`,
      `${counts}, ${rate}${left}; ${waits ?? flight}`,
      ...[waits, ...shorter].map((text) => `${short}; ${text ?? flight}`),
    ];
  }
}

const rateText = (pagesPerMs: number): string =>
  pagesPerMs === 0 || pagesPerMs >= 1e-4
    ? `${(pagesPerMs * 1000).toFixed(1)} pages/s`
    : `${(pagesPerMs * 60_000).toFixed(1)} pages/min`;
