import type { VirtualClock } from './virtual-clock.js';

/** So many steps at one moment are a loop that waits for time to go on. */
const MOST_STEPS_AT_ONCE = 20_000;
/** Others in this process get a turn after so many steps. */
const BREATHE_EVERY = 10_000;

/** Lets time go on, one event after the other, until the promise is kept: then true, or false when it is not in time. */
export async function drive(
  clock: VirtualClock,
  promise: Promise<unknown>,
  untilMs: number,
  afterStep: () => void,
): Promise<boolean> {
  let over = false;
  let failed: unknown = null;
  promise.then(
    () => {
      over = true;
    },
    (error) => {
      over = true;
      failed = error;
    },
  );
  await settled();
  let stepsAtOnce = 0;
  for (let step = 1; !over; step++) {
    const at = clock.now();
    if (clock.nextAt > untilMs) {
      return false;
    }
    if (!clock.step()) {
      throw new Error('nothing can happen any more, and it is not over');
    }
    await settled();
    afterStep();
    stepsAtOnce = clock.now() === at ? stepsAtOnce + 1 : 0;
    if (stepsAtOnce > MOST_STEPS_AT_ONCE) {
      throw new Error(`after ${clock.elapsedMs} ms it goes round and round without time going on`);
    }
    if (step % BREATHE_EVERY === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  if (failed !== null) {
    throw failed;
  }
  return true;
}

/** Everything that follows from what just happened has happened: a tick comes only when no promise is left to go on. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
