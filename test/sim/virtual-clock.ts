import type { Clock } from '../../src/base/clock.js';

interface Entry {
  readonly at: number;
  readonly sequence: number;
  /** Null once it is cancelled. */
  fire: (() => void) | null;
}

/** 2026-01-01: any fixed date will do. */
const FIRST_WALL_MS = Date.UTC(2026, 0, 1);
/** Not 0, which some times use for "at once". */
const FIRST_MS = 1_000;

/** Time that stands still until the next event, and then is there at once. Events of the same time come in the order they were set. */
export class VirtualClock implements Clock {
  readonly #heap: Entry[] = [];
  #now = FIRST_MS;
  #sequence = 0;
  /** Somebody set the wall clock: by so much it is off. */
  wallOffsetMs = 0;

  now(): number {
    return this.#now;
  }

  wall(): number {
    return FIRST_WALL_MS + this.#now + this.wallOffsetMs;
  }

  get elapsedMs(): number {
    return this.#now - FIRST_MS;
  }

  /** Monotonic time at which so many milliseconds have passed since the beginning. */
  timeOf(elapsedMs: number): number {
    return FIRST_MS + elapsedMs;
  }

  get nextAt(): number {
    while (this.#heap.length > 0 && this.#heap[0]!.fire === null) {
      this.#pop();
    }
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  at(at: number, fire: () => void): () => void {
    const entry: Entry = { at: Math.max(at, this.#now), sequence: this.#sequence++, fire };
    this.#push(entry);
    return () => {
      entry.fire = null;
    };
  }

  /** Goes to the next event and lets it happen. False when there is none. */
  step(): boolean {
    if (this.nextAt === Number.POSITIVE_INFINITY) {
      return false;
    }
    const entry = this.#pop();
    this.#now = entry.at;
    entry.fire!();
    return true;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(entry);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (before(heap[parent]!, entry)) {
        break;
      }
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) {
      return first;
    }
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) {
        break;
      }
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) {
        child++;
      }
      if (before(last, heap[child]!)) {
        break;
      }
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
