/**
 * Which hooks run in which lane, in memory that the coordinator shares: a hook that never comes back to its lane's event loop is seen from
 * outside, and no message is sent for those that do.
 *
 *   0  since when a hook runs without having given the thread back; 0: none does
 *   1  the id of the URL that it runs for; 0: it runs for none
 *   2  its place in HOOK_NAMES
 *   3  hooks that have given the thread back and are not over
 *   4  since when the oldest of those is open
 *   5  the id of its URL
 *   6  its place in HOOK_NAMES
 */
const CELLS = 7;

export const HOOK_NAMES = ['the module', 'start', 'request', 'page', 'link', 'end'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

/** A hook that is not over. */
export interface OpenHook {
  /** Of the URL; 0 where it is called for none. */
  readonly id: number;
  readonly name: HookName;
  /** Time in which the hook waits for its own requests does not count: then it is set anew. */
  since: number;
}

/** As the coordinator sees a lane. */
export interface SeenHooks {
  /** Runs, and keeps the thread. */
  running: OpenHook | null;
  /** The oldest of those that wait for something. */
  waiting: OpenHook | null;
  waitingCount: number;
}

export const hookCells = (lanes: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(lanes * CELLS * Float64Array.BYTES_PER_ELEMENT));

export function seenHooks(cells: Float64Array, lane: number): SeenHooks {
  const [runsSince, runsFor, runsAs, waitingCount, waitsSince, waitsFor, waitsAs] = cells.subarray(
    lane * CELLS,
    (lane + 1) * CELLS,
  ) as unknown as [number, number, number, number, number, number, number];
  return {
    running: runsSince === 0 ? null : { since: runsSince, id: runsFor, name: HOOK_NAMES[runsAs]! },
    waiting: waitsSince === 0 ? null : { since: waitsSince, id: waitsFor, name: HOOK_NAMES[waitsAs]! },
    waitingCount,
  };
}

/** The lane is gone, with all that ran in it. */
export const clearHooks = (cells: Float64Array, lane: number): void => {
  cells.fill(0, lane * CELLS, (lane + 1) * CELLS);
};

/** The cells of one lane, which it alone writes. */
export class LaneCells {
  readonly #cells: Float64Array;
  readonly #now: () => number;
  /** In the order in which they began, which nearly always is that of `since`. */
  readonly #waiting = new Set<OpenHook>();

  constructor(cells: Float64Array, lane: number, now: () => number) {
    this.#cells = cells.subarray(lane * CELLS, (lane + 1) * CELLS);
    this.#now = now;
  }

  /** The hook has the thread from now on. */
  enter(name: HookName, id: number): number {
    const since = this.#now();
    const cells = this.#cells;
    cells[1] = id;
    cells[2] = HOOK_NAMES.indexOf(name);
    cells[0] = since;
    return since;
  }

  /** It has given the thread back. */
  leave(): void {
    this.#cells[0] = 0;
  }

  wait(hook: OpenHook): void {
    this.#waiting.add(hook);
    this.#publish();
  }

  /** Nothing counts against it while it waits for its own requests. */
  pause(hook: OpenHook): void {
    this.#waiting.delete(hook);
    this.#publish();
  }

  resume(hook: OpenHook): void {
    hook.since = this.#now();
    this.wait(hook);
  }

  over(hook: OpenHook): void {
    this.pause(hook);
  }

  #publish(): void {
    const cells = this.#cells;
    const oldest = this.#waiting.values().next().value;
    cells[3] = this.#waiting.size;
    cells[5] = oldest?.id ?? 0;
    cells[6] = oldest === undefined ? 0 : HOOK_NAMES.indexOf(oldest.name);
    cells[4] = oldest?.since ?? 0;
  }
}
