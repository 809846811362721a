import type { Clock } from '../base/clock.js';

export interface Watched {
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
  readonly #watched = new Set<Watched>();
  #disarm: (() => void) | null = null;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  watch(item: Watched): void {
    this.#watched.add(item);
    this.#arm();
  }

  forget(item: Watched): void {
    this.#watched.delete(item);
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
      for (const item of this.#watched) item.check(now);
      if (this.#watched.size > 0) this.#arm();
    });
  }
}
