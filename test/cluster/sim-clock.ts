import type { Clock } from '../../src/base/clock.js';

/** Time that only the simulator moves. */
export class SimClock implements Clock {
  #now = 1_000_000;
  #timers: { at: number; fire: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  at(at: number, fire: () => void): () => void {
    const timer = { at, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) {
        break;
      }
      this.#timers = this.#timers.filter((each) => each !== due);
      this.#now = Math.max(this.#now, due.at);
      due.fire();
    }
    this.#now = end;
  }
}
