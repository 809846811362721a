import { Chain, type Place } from './chain.js';

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
 * A clock whose wall time starts at that of the given one and never jumps, so that times that a run writes and reads back stay right when
 * somebody sets the system's time.
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

/** One timer of a clock at a time: setting it anew takes the place of the one before. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** When it rings; never where it is not set. */
  get at(): number {
    return this.#at;
  }

  set(at: number): void {
    if (at === this.#at) {
      return;
    }
    this.#cancel?.();
    this.#at = at;
    this.#cancel = this.#clock.at(at, () => {
      this.clear();
      this.#ring();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#at = Number.POSITIVE_INFINITY;
  }
}

export interface Watched {
  /** Where it stands among what is watched; null if it is not. */
  watchPlace: Place<Watched> | null;
  /** Fails itself when it is over its time. */
  check(now: number): void;
}

/**
 * One coarse timer for all that can run out of time, instead of several for each request. It is armed only while there is
 * something to watch.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #watched = new Chain<Watched>();
  #disarm: (() => void) | null = null;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  watch(item: Watched): void {
    item.watchPlace ??= this.#watched.add(item);
    this.#arm();
  }

  forget(item: Watched): void {
    if (item.watchPlace !== null) {
      this.#watched.remove(item.watchPlace);
      item.watchPlace = null;
    }
    // Not disarmed here: between two requests it would be armed anew thousands of times a second.
  }

  close(): void {
    this.#watched.clear();
    this.#disarm?.();
    this.#disarm = null;
  }

  #arm(): void {
    this.#disarm ??= this.#clock.at(this.#clock.now() + this.#tickMs, () => {
      this.#disarm = null;
      const now = this.#clock.now();
      for (const item of this.#watched.items()) {
        // One that is over its time may take others with it.
        if (item.watchPlace !== null) {
          item.check(now);
        }
      }
      if (this.#watched.size > 0) {
        this.#arm();
      }
    });
  }
}
