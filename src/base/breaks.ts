import { setImmediate } from 'node:timers/promises';

/** The run was stopped in the middle of a long loop, which leaves what it had written as it was. */
export class Stopped extends Error {}

const STEPS_A_TURN = 2_000;

/** Lets others have their turn on this thread during a long loop, and ends the loop where the run was stopped meanwhile. */
export class Breaks {
  readonly #isStopped: () => boolean;
  #steps = 0;

  constructor(isStopped: () => boolean = () => false) {
    this.#isStopped = isStopped;
  }

  /** Called once a step of the loop; true when a break is due. */
  isDue(): boolean {
    return ++this.#steps % STEPS_A_TURN === 0;
  }

  /** Gives the thread to others for a turn; throws `Stopped` where the run was stopped meanwhile. */
  async take(): Promise<void> {
    await setImmediate();
    if (this.#isStopped()) {
      throw new Stopped();
    }
  }
}
