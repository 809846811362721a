/**
 * All time in the program comes from a Clock, so that a test or the simulator can own it.
 * `now` is monotonic and the same in every thread of the process; `wall` is only for dates that other
 * machines understand (Retry-After, the age of robots.txt, times kept across restarts).
 */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970. */
  wall(): number;
  /** Calls `fire` once at monotonic time `at`, or as soon as possible after it; returns a function that cancels. */
  at(at: number, fire: () => void): () => void;
}

/**
 * A clock whose wall time is that of the given one now and never jumps: what is written by it and read back in the same run neither comes
 * early nor late when somebody sets the time.
 */
export function steadyClock(clock: Clock): Clock {
  const offsetMs = clock.wall() - clock.now();
  return { now: () => clock.now(), wall: () => clock.now() + offsetMs, at: (at, fire) => clock.at(at, fire) };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  // hrtime, not performance.now(): its zero is the same in all worker threads.
  now() {
    const [seconds, nanos] = process.hrtime();
    return seconds * 1000 + nanos / 1e6;
  },
  wall: () => Date.now(),
  at(at, fire) {
    const timer = setTimeout(fire, Math.min(LONGEST_TIMER_MS, Math.max(0, Math.ceil(at - systemClock.now()))));
    return () => clearTimeout(timer);
  },
};
