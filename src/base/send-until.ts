import type { Clock } from './clock.js';

/**
 * Whether a request may go out at this very moment, by two times in shared memory: one of the monotonic clock and one of the wall clock. One of the
 * clocks stands still while a machine sleeps, the other may be set back; it is over when either says so.
 */
export const maySend = (until: Float64Array, clock: Clock): boolean =>
  clock.now() < until[0]! && clock.wall() < until[1]!;
