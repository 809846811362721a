import { setImmediate } from 'node:timers/promises';

/** The run was stopped in the middle of something. What it was at is left as it was. */
export class Stopped extends Error {}

const STEPS_A_TURN = 2_000;

/** Lets others have their turn on this thread during a long loop, and ends the loop where the run was stopped meanwhile. */
export class Breaks {
  readonly #isStopped: () => boolean;
  #steps = 0;

  constructor(isStopped: () => boolean = () => false) {
    this.#isStopped = isStopped;
  }

  /** Asked once a step. */
  isDue(): boolean {
    return ++this.#steps % STEPS_A_TURN === 0;
  }

  /** Throws `Stopped`. */
  async take(): Promise<void> {
    await setImmediate();
    if (this.#isStopped()) throw new Stopped();
  }
}
