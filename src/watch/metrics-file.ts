import { extname } from 'node:path';
import { Alarm, type Clock } from '../base/clock.js';
import { AtomicFiles } from '../report/atomic-file.js';
import { jsonLines } from '../report/output.js';
import type { LiveSnapshot } from './live.js';
import { metricsText } from './metrics.js';

export interface MetricsFileOptions {
  /** Ends in .json: JSON. Has no extension: JSON and text, each with its own. Else text. */
  readonly path: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  live(): LiveSnapshot;
  /** Told once for the first time that it cannot be written. */
  failed(error: Error): void;
}

/** The figures of a run in a file that is always whole, written anew from time to time and at the end. */
export class MetricsFile {
  readonly #options: MetricsFileOptions;
  readonly #alarm: Alarm;
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #isClosed = false;

  constructor(options: MetricsFileOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => this.#write());
    this.#write();
  }

  /** Writes the last figures. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#alarm.clear();
    this.#write();
    await this.#writing;
  }

  /** One after the other, however slow the disk is. */
  #write(): void {
    this.#writing = this.#writing
      .then(() => writeMetrics(this.#options.path, this.#options.live()))
      .catch((error) => {
        if (!this.#hasFailed) {
          this.#hasFailed = true;
          this.#options.failed(error as Error);
        }
      })
      .then(() => {
        if (!this.#isClosed) {
          this.#alarm.set(this.#options.clock.now() + this.#options.intervalMs);
        }
      });
  }
}

/** The files that a path stands for. */
export const metricsPaths = (path: string): string[] =>
  extname(path) === '' ? [`${path}.json`, `${path}.prom`] : [path];

async function writeMetrics(path: string, live: LiveSnapshot): Promise<void> {
  for (const each of metricsPaths(path)) {
    const text = each.endsWith('.json') ? jsonLines(live) : await metricsText(live);
    const files = new AtomicFiles(each);
    try {
      files.create().write(Buffer.from(text));
      await AtomicFiles.commitTogether([], files);
    } catch (error) {
      files.discard();
      throw error;
    }
  }
}
