import type { Order } from './outcome.js';

/** Something that can stand in a heap. Only the heap writes these two. */
export interface HeapItem {
  /** Time under which it stands in the heap, or null. */
  heapAt: number | null;
  /** Where it stands there. */
  heapPlace: number;
}

/**
 * Items by their time, and at equal times in the order they came: that makes hosts without a delay take turns. A binary heap; an item is in
 * one heap at most, and once (its `heapAt` says so), and its time does not change while it is there.
 */
export class ReadyHeap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #times: number[] = [];
  readonly #sequence: number[] = [];
  #next = 0;

  get size(): number {
    return this.#items.length;
  }

  get nextAt(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T, at: number): void {
    if (item.heapAt !== null) {
      throw new Error('an item may be in a heap only once');
    }
    item.heapAt = at;
    this.#rise(this.#items.length, item, at, this.#next++);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first === undefined) {
      return undefined;
    }
    this.remove(first);
    return first;
  }

  /** Takes out one that stands in this heap. */
  remove(item: T): void {
    const place = item.heapPlace;
    if (this.#items[place] !== item) {
      throw new Error('the item is not in this heap');
    }
    item.heapAt = null;
    const last = this.#items.pop()!;
    const at = this.#times.pop()!;
    const sequence = this.#sequence.pop()!;
    if (last !== item) {
      this.#sink(place, last, at, sequence);
      this.#rise(last.heapPlace, last, at, sequence);
    }
  }

  *[Symbol.iterator](): IterableIterator<T> {
    yield* this.#items;
  }

  #rise(from: number, item: T, at: number, sequence: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#before(this.#times[parent]!, this.#sequence[parent]!, at, sequence)) {
        break;
      }
      this.#copy(parent, place);
      place = parent;
    }
    this.#put(place, item, at, sequence);
  }

  #sink(from: number, item: T, at: number, sequence: number): void {
    const size = this.#items.length;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) {
        break;
      }
      if (
        child + 1 < size &&
        this.#before(this.#times[child + 1]!, this.#sequence[child + 1]!, this.#times[child]!, this.#sequence[child]!)
      ) {
        child++;
      }
      if (this.#before(at, sequence, this.#times[child]!, this.#sequence[child]!)) {
        break;
      }
      this.#copy(child, place);
      place = child;
    }
    this.#put(place, item, at, sequence);
  }

  #before(at: number, sequence: number, otherAt: number, otherSequence: number): boolean {
    return at < otherAt || (at === otherAt && sequence < otherSequence);
  }

  #copy(from: number, to: number): void {
    this.#put(to, this.#items[from]!, this.#times[from]!, this.#sequence[from]!);
  }

  #put(place: number, item: T, at: number, sequence: number): void {
    this.#items[place] = item;
    item.heapPlace = place;
    this.#times[place] = at;
    this.#sequence[place] = sequence;
  }
}

/** A host, as far as its turn goes by it. */
interface TurnTaker extends HeapItem {
  /** It stands among those that have a seed or a home page to ask for; written by `Turns` alone. */
  isFirst: boolean;
  readonly hasSeeds: boolean;
  readonly isEvicted: boolean;
}

/** After so many turns of hosts with seeds and home pages one of the others has its turn. */
export const FIRST_IN_A_ROW = 1_000;

/**
 * Whose turn comes next: each host under the time of its next request. In the order of priority, of the hosts that may be asked now those
 * with a seed or a home page go first.
 */
export class Turns<T extends TurnTaker> {
  readonly #first = new ReadyHeap<T>();
  readonly #others = new ReadyHeap<T>();
  readonly #homePagesFirst: boolean;
  readonly #dropped: (host: T) => void;
  #firstInARow = 0;

  /** @param dropped called with each host that stood here and has left memory since. */
  constructor(order: Order, dropped: (host: T) => void) {
    this.#homePagesFirst = order === 'priority';
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#first.size + this.#others.size;
  }

  get nextAt(): number {
    this.#dropEvicted();
    return Math.min(this.#first.nextAt, this.#others.nextAt);
  }

  /** The host that stands under the earliest time. */
  peek(): T | undefined {
    return this.#first.nextAt <= this.#others.nextAt ? this.#first.peek() : this.#others.peek();
  }

  push(host: T, at: number): void {
    host.isFirst = this.#homePagesFirst && host.hasSeeds;
    this.#heapOf(host).push(host, at);
  }

  /** Takes out one that stands here. */
  remove(host: T): void {
    this.#heapOf(host).remove(host);
  }

  /** It may have got a seed or home page while it stands here. */
  renew(host: T): void {
    const at = host.heapAt;
    if (this.#homePagesFirst && at !== null && !host.isFirst && host.hasSeeds) {
      this.#others.remove(host);
      this.push(host, at);
    }
  }

  /** Takes the next of those whose time has come. */
  popDue(now: number): T | undefined {
    this.#dropEvicted();
    const othersWait = this.#others.nextAt <= now;
    if (this.#first.nextAt <= now && !(othersWait && this.#firstInARow >= FIRST_IN_A_ROW)) {
      this.#firstInARow += othersWait ? 1 : 0;
      return this.#first.pop();
    }
    this.#firstInARow = 0;
    return othersWait ? this.#others.pop() : undefined;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    yield* this.#first;
    yield* this.#others;
  }

  #heapOf(host: T): ReadyHeap<T> {
    return host.isFirst ? this.#first : this.#others;
  }

  /** A host that left memory is dropped when its turn comes. */
  #dropEvicted(): void {
    for (const heap of [this.#first, this.#others]) {
      while (heap.peek()?.isEvicted) {
        this.#dropped(heap.pop()!);
      }
    }
  }
}
