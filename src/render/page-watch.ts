import type { Clock } from '../base/clock.js';

/**
 * How long a page may take for itself. The time in which it waits for what the crawl fetches does not count: there each request has its
 * place in its host's queue, and limits of its own.
 */
export class PageWatch {
  readonly #clock: Clock;
  readonly expired: Promise<'expired'>;
  #expire!: (value: 'expired') => void;
  #leftMs: number;
  #runsSince: number | null = null;
  #cancel: (() => void) | null = null;
  #isOver = false;
  #pending = 0;
  #requests = 0;
  #whenQuiet: (() => void)[] = [];

  constructor(clock: Clock, longestMs: number) {
    this.#clock = clock;
    this.#leftMs = longestMs;
    this.expired = new Promise((resolve) => {
      this.#expire = resolve;
    });
    this.#run();
  }

  /** Requests of the page so far. */
  get requests(): number {
    return this.#requests;
  }

  get pending(): number {
    return this.#pending;
  }

  began(): void {
    this.#requests++;
    if (this.#pending++ === 0) {
      this.#pause();
    }
  }

  ended(): void {
    if (--this.#pending === 0) {
      this.#run();
      for (const tell of this.#whenQuiet.splice(0)) {
        tell();
      }
    }
  }

  /** Nothing that the page asked for is under way. */
  quiet(): Promise<void> {
    return this.#pending === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenQuiet.push(resolve));
  }

  /** Its time is over. */
  expire(): void {
    this.#pause();
    this.#isOver = true;
    this.#expire('expired');
  }

  #run(): void {
    if (this.#isOver) {
      return;
    }
    this.#runsSince = this.#clock.now();
    this.#cancel = this.#clock.at(this.#runsSince + this.#leftMs, () => this.#expire('expired'));
  }

  #pause(): void {
    if (this.#runsSince !== null) {
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#runsSince));
      this.#runsSince = null;
      this.#cancel?.();
    }
  }
}
