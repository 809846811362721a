import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import { counted } from '../base/figures.js';
import { failure, type Outcome, type RenderedOutcome } from '../frontier/outcome.js';
import { hookCells, type OpenHook } from '../hooks/hook-cells.js';
import type { HooksSetup } from '../hooks/lane-hooks.js';
import { HookWatch } from '../lane/hook-watch.js';
import type { LanePool } from '../lane/lane-pool.js';
import type { StartedHooks } from '../lane/messages.js';
import type { Summary } from '../report/summary.js';
import type { HookSettings } from './settings.js';

export interface HookRunParts {
  settings: HookSettings;
  clock: Clock;
  /** How many there are. */
  laneCount: number;
  contentTypes: readonly string[];
  /** Several machines crawl together. */
  isTogether: boolean;
  lanes(): LanePool;
  stop(error: Error): void;
  /** The cookies from `start`, for whoever keeps the crawl's cookies. */
  cookies?(lines: StartedHooks['cookies']): void;
}

/** How many different reasons of the link hook are listed at the end. */
const MOST_WORDS = 100;
const TOLD_WORDS = 10;

/** The user's hooks as the coordinator sees them: when they begin and end, which take too long, and what their failures mean for the run. */
export class HookRun {
  readonly watch: HookWatch;
  readonly #parts: HookRunParts;
  readonly #cells: Float64Array;
  #started: string | null = null;
  /** `start` or `end` runs. */
  #isRunning = false;
  /** Why `start` or `end` was ended. */
  #overdue: string | null = null;
  readonly #skips = new Map<string, number>();

  constructor(parts: HookRunParts) {
    this.#parts = parts;
    this.#cells = hookCells(parts.laneCount + 1);
    this.watch = new HookWatch({
      ...{ clock: parts.clock, cells: this.#cells, lanes: parts.laneCount, timeoutMs: parts.settings.timeoutMs },
      isNeeded: () => this.#isRunning || parts.lanes().holdsAny,
      ping: (lane) => parts.lanes().ping(lane),
      over: (lane, hook) => this.#over(lane, hook),
    });
  }

  /** What a lane is told when it opens. */
  get setup(): HooksSetup {
    const { settings, contentTypes, isTogether } = this.#parts;
    return {
      file: settings.file,
      cells: this.#cells,
      contentTypes,
      isTogether,
      started: this.#started,
      manners: settings.manners,
    };
  }

  get maxHeapMib(): number {
    return this.#parts.settings.maxHeapMib;
  }

  /** Called before the first request. @throws StateError */
  async start(): Promise<void> {
    const { started, cookies } = await this.#run('start', () => this.#parts.lanes().startHooks());
    this.#started = started;
    this.#parts.cookies?.(cookies);
  }

  /** Called when everything is written. @throws StateError */
  async end(summary: Summary): Promise<void> {
    try {
      await this.#run('end', () => this.#parts.lanes().endHooks(JSON.stringify(summary)));
    } catch (error) {
      const words = `${(error as Error).message}; the crawl has ended and its outputs are written`;
      throw new StateError('hook', words, { cause: error });
    }
  }

  async #run<T>(name: 'start' | 'end', run: () => Promise<T>): Promise<T> {
    this.#isRunning = true;
    try {
      return await run();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const words =
        code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `the hook ${name} has used up the ${this.maxHeapMib} MiB of memory that its thread has`
          : message;
      throw new StateError('hook', this.#overdue ?? words, { cause: error });
    } finally {
      this.#isRunning = false;
    }
  }

  #over(lane: number, hook: OpenHook | null): void {
    const { timeoutMs, file } = this.#parts.settings;
    const seconds = `${timeoutMs / 1000} s`;
    const words =
      hook === null
        ? `hooks kept a thread for longer than ${seconds}`
        : hook.name === 'the module'
          ? `${file} takes too long to be loaded`
          : `the hook ${hook.name} took longer than ${seconds}`;
    const isOfPage = hook !== null && hook.id !== 0;
    if (!isOfPage && this.#isRunning) {
      this.#overdue = words;
    }
    void this.#parts.lanes().endLane(lane, new Error(words), isOfPage ? hook : null);
  }

  /** Counts the skipped links. If a failed hook is to stop the run, its page is left for the next run to request again. */
  readonly review = (outcomes: Outcome[]): Outcome[] => {
    const { settings, clock } = this.#parts;
    for (const { hookSkips = {} } of outcomes) {
      for (const [words, count] of Object.entries(hookSkips)) {
        this.#count(words, count);
      }
    }
    return !settings.stopsOnError ? outcomes : outcomes.map((outcome) => this.#stoppedBy(outcome, clock.now()));
  };

  /** The same for pages that a browser was to render. One that stops the run keeps waiting for the next run. */
  reviewRendered(pages: RenderedOutcome[]): RenderedOutcome[] {
    for (const { outcome } of pages) {
      for (const [words, count] of Object.entries(outcome?.hookSkips ?? {})) {
        this.#count(words, count);
      }
    }
    if (!this.#parts.settings.stopsOnError) {
      return pages;
    }
    return pages.filter(({ page, outcome, asItCame }) => {
      const failed = [outcome, asItCame].find((each) => each?.errorClass === 'hook');
      if (failed) {
        this.#stop(failed.message, page.url);
      }
      return !failed;
    });
  }

  #stop(message: string | null, url: string | null): void {
    this.#parts.stop(new StateError('hook', `${message}, at ${url}; the state is kept, and resume asks for it again`));
  }

  #stoppedBy(outcome: Outcome, now: number): Outcome {
    if (outcome.errorClass !== 'hook') {
      return outcome;
    }
    this.#stop(outcome.message, this.#parts.lanes().urlOf(outcome.id));
    const { heldBytes, unsent } = outcome;
    return { ...failure(outcome, now, null, null), heldBytes, unsent: unsent === null ? 'lost' : 'returned' };
  }

  #count(words: string, count: number): void {
    const key = this.#skips.has(words) || this.#skips.size < MOST_WORDS ? words : 'other reasons';
    this.#skips.set(key, (this.#skips.get(key) ?? 0) + count);
  }

  /** For the user, at the end. */
  notices(): string[] {
    const all = [...this.#skips].sort(([, a], [, b]) => b - a);
    const total = all.reduce((sum, [, count]) => sum + count, 0);
    const told = all.slice(0, TOLD_WORDS).map(([words, count]) => `${words} (${count})`);
    return total === 0
      ? []
      : [
          `the hook \`link\` kept ${counted(total, 'link')} from being followed: ${told.join(', ')}${all.length > TOLD_WORDS ? ', …' : ''}`,
        ];
  }

  close(): void {
    this.watch.close();
  }
}
