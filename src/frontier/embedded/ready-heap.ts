/**
 * Hosts by the time from which they may be asked, and at equal times in the order they came: that makes hosts without a delay take
 * turns. A binary heap; an item is in it at most once (its `heapAt` says so), and its time does not change while it is there.
 */
export interface HeapItem {
  /** Time under which it stands in the heap, or null. */
  heapAt: number | null;
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
    const sequence = this.#next++;
    let place = this.#items.length;
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

  pop(): T | undefined {
    const first = this.#items[0];
    if (first === undefined) {
      return undefined;
    }
    first.heapAt = null;
    const item = this.#items.pop()!;
    const at = this.#times.pop()!;
    const sequence = this.#sequence.pop()!;
    if (this.#items.length > 0) {
      this.#sink(item, at, sequence);
    }
    return first;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    yield* this.#items;
  }

  #sink(item: T, at: number, sequence: number): void {
    const size = this.#items.length;
    let place = 0;
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
    this.#times[place] = at;
    this.#sequence[place] = sequence;
  }
}
