/**
 * Hosts by the time from which they may be asked, and at equal times in the order they came: that makes hosts without a delay take
 * turns. A binary heap; an item is in it at most once (its `heapAt` says so), and its time does not change while it is there.
 */
export interface HeapItem {
  /** Time under which it stands in the heap, or null. */
  heapAt: number | null;
  /** Where it stands there. */
  heapPlace: number;
}

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
      throw new Error('a host may be in the ready heap only once');
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
      throw new Error('the host is not in this heap');
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
