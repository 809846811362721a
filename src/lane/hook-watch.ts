import { Alarm, type Clock } from '../base/clock.js';
import { clearHooks, type OpenHook, seenHooks } from '../hooks/hook-cells.js';

export interface HookWatchParts {
  clock: Clock;
  cells: Float64Array;
  /** Lanes have the numbers from 1 to this. */
  lanes: number;
  timeoutMs: number;
  /** Whether a hook may be running in any lane. */
  isNeeded(): boolean;
  /** Resolves when the thread of the lane answers. */
  ping(lane: number): Promise<void>;
  /** The hook has taken too long. Null if the thread does not answer and it is unknown which of several hooks blocks it. */
  over(lane: number, hook: OpenHook | null): void;
}

/** The least time for loading a module, however short the bound on a hook is: it has to be compiled first. */
const LEAST_LOAD_MS = 10_000;
/** A thread that does not answer within this time is blocked. */
const PATIENCE_MS = 1_000;

/**
 * Finds out, from outside, which of the user's hooks take too long: one that never gives its thread back could not be ended from
 * within. One timer, set for the moment at which a hook would be over its time: a hook that begins after a look cannot be over before a whole
 * bound has passed.
 */
export class HookWatch {
  readonly #parts: HookWatchParts;
  readonly #alarm: Alarm;
  readonly #ending = new Set<number>();

  constructor(parts: HookWatchParts) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock, () => this.#look());
  }

  /** Hooks may run from now on. */
  arm(): void {
    if (this.#alarm.at === Number.POSITIVE_INFINITY) {
      this.#alarm.set(this.#parts.clock.now() + this.#parts.timeoutMs);
    }
  }

  close(): void {
    this.#alarm.clear();
  }

  /** The lane is gone, with the hooks that ran in it. */
  laneGone(lane: number): void {
    this.#ending.delete(lane);
    clearHooks(this.#parts.cells, lane);
  }

  #look(): void {
    const { clock, lanes, timeoutMs, isNeeded } = this.#parts;
    const now = clock.now();
    let next = now + timeoutMs;
    for (let lane = 1; lane <= lanes; lane++) {
      next = Math.min(next, Math.max(this.#lookAt(lane, now), now + 1));
    }
    if (isNeeded()) {
      this.#alarm.set(next);
    }
  }

  /** When one of its hooks would be over its time; never if none runs, or if the lane is being ended. */
  #lookAt(lane: number, now: number): number {
    const { cells, over } = this.#parts;
    if (this.#ending.has(lane)) {
      return Number.POSITIVE_INFINITY;
    }
    const { running, waiting, waitingCount } = seenHooks(cells, lane);
    if (running !== null && now >= this.#endOf(running)) {
      this.#ending.add(lane);
      over(lane, running);
      return Number.POSITIVE_INFINITY;
    }
    if (waiting !== null && now >= this.#endOf(waiting)) {
      this.#ending.add(lane);
      // If only one hook is open, it is to blame, whether it waits for ever or blocks the thread.
      if (waitingCount === 1) {
        over(lane, waiting);
      } else {
        void this.#answers(lane).then((answers) => over(lane, answers ? waiting : null));
      }
      return Number.POSITIVE_INFINITY;
    }
    return Math.min(this.#endOf(running), this.#endOf(waiting));
  }

  #endOf(hook: OpenHook | null): number {
    const { timeoutMs } = this.#parts;
    if (hook === null) {
      return Number.POSITIVE_INFINITY;
    }
    return hook.since + (hook.name === 'the module' ? Math.max(timeoutMs, LEAST_LOAD_MS) : timeoutMs);
  }

  #answers(lane: number): Promise<boolean> {
    const { clock, ping } = this.#parts;
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + PATIENCE_MS, () => resolve(false));
      const answered = (answers: boolean): void => {
        cancel();
        resolve(answers);
      };
      ping(lane).then(
        () => answered(true),
        () => answered(false),
      );
    });
  }
}
