import { systemClock } from '../base/clock.js';
import type { OptionsOf } from '../config/options.js';
import type { SessionEvents } from '../crawl/session-plan.js';
import { LogFile } from '../watch/log-file.js';
import { MetricsFile } from '../watch/metrics-file.js';
import { MetricsServer } from '../watch/metrics-server.js';
import { notify } from '../watch/notify.js';
import type { RunWatch } from '../watch/run-watch.js';
import { openRunDashboard, type RunDashboard, type RunPlace } from './run-dashboard.js';
import type { Terminal } from './terminal.js';

type OutletOptions = Pick<
  OptionsOf<'crawl'>,
  'dashboard' | 'metricsPort' | 'metricsFile' | 'metricsIntervalMs' | 'logFile' | 'logLevel' | 'notify'
>;

/** Whoever else is told of a run: a browser, Prometheus, files of metrics, a log, and at the end a URL. */
export class Outlets {
  readonly #options: OutletOptions;
  readonly #terminal: Terminal;
  readonly #log: LogFile | null;
  #dashboard: RunDashboard | null = null;
  #server: MetricsServer | null = null;
  #file: MetricsFile | null = null;
  #watch: RunWatch | null = null;
  #summary: unknown = null;

  private constructor(options: OutletOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
    this.#log =
      options.logFile === null
        ? null
        : new LogFile(options.logFile, ({ message }) => terminal.warn(`the log ends here: ${message}`));
  }

  static async open(options: OutletOptions, terminal: Terminal, place: RunPlace): Promise<Outlets> {
    const outlets = new Outlets(options, terminal);
    if (options.dashboard !== null) {
      outlets.#dashboard = await openRunDashboard(options.dashboard, place);
    }
    if (options.metricsPort !== null) {
      outlets.#server = await MetricsServer.open(options.metricsPort, () => outlets.#watch?.live() ?? null);
      terminal.line(`metrics at ${outlets.#server.url}`);
    }
    return outlets;
  }

  /** What a view wants to be told of, and what the outlets do. */
  beside(events: SessionEvents): SessionEvents {
    return {
      ...events,
      watched: (watch) => {
        events.watched?.(watch);
        this.#watched(watch);
      },
    };
  }

  /** What the run came to, for whoever is told of its end. */
  cameTo(summary: unknown): void {
    this.#summary = summary;
  }

  #watched(watch: RunWatch): void {
    const { logLevel, metricsFile, metricsIntervalMs } = this.#options;
    this.#watch = watch;
    this.#dashboard?.watch(watch);
    if (this.#log !== null) {
      const log = this.#log;
      watch.events.on(logLevel, (event) => log.write(event));
    }
    if (metricsFile !== null) {
      this.#file = new MetricsFile({
        path: metricsFile,
        intervalMs: metricsIntervalMs,
        clock: systemClock,
        live: () => watch.live(),
        failed: ({ message }) => this.#terminal.warn(`--metrics-file cannot be written: ${message}`),
      });
    }
  }

  /** The run is over. */
  async close(error: Error | null): Promise<void> {
    if (error !== null) {
      this.#watch?.broke(error);
    }
    await this.#dashboard?.close();
    await this.#file?.close();
    await this.#log?.close(systemClock.wall());
    await this.#server?.close();
    const problem = this.#watch === null ? null : await this.#notify(this.#watch, error);
    if (problem !== null) {
      this.#terminal.warn(problem);
    }
  }

  #notify(watch: RunWatch, error: Error | null): Promise<string | null> | null {
    const { notify: target } = this.#options;
    if (target === null) {
      return null;
    }
    const { command, directory, endReason, elapsedMs, urls, requests, bytes } = watch.live();
    const figures = { urls, requests, bytes, elapsedMs };
    const message = error?.message ?? null;
    return notify(target, {
      command,
      directory,
      reason: endReason,
      error: message,
      ...figures,
      summary: this.#summary,
    });
  }
}

/** Runs something with its outlets, and closes them whatever comes of it. */
export async function withOutlets<T>(
  options: OutletOptions,
  terminal: Terminal,
  place: RunPlace,
  run: (outlets: Outlets) => Promise<T>,
): Promise<T> {
  const outlets = await Outlets.open(options, terminal, place);
  let failure: Error | null = null;
  try {
    return await run(outlets);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    await outlets.close(failure);
  }
}
