/** A place in a chain, by which it is taken out again. */
export interface Place<T> {
  readonly item: T;
  previous: Place<T> | null;
  next: Place<T> | null;
}

/**
 * What is under way, the oldest first. Unlike a Map or a Set it leaves nothing behind: those build a new table every few dozen additions and
 * removals, the old one leads to the new one and still names all that was in it, and one of them that has grown old keeps alive, until V8 looks through its
 * old memory, whatever ever came after it.
 */
export class Chain<T> {
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | null {
    return this.#first?.item ?? null;
  }

  add(item: T): Place<T> {
    const place: Place<T> = { item, previous: this.#last, next: null };
    if (this.#last === null) {
      this.#first = place;
    } else {
      this.#last.next = place;
    }
    this.#last = place;
    this.#size++;
    return place;
  }

  has(place: Place<T>): boolean {
    return place.previous !== null || this.#first === place;
  }

  /** Nothing where it is out already. */
  remove(place: Place<T>): void {
    if (!this.has(place)) {
      return;
    }
    const { previous, next } = place;
    if (previous === null) {
      this.#first = next;
    } else {
      previous.next = next;
    }
    if (next === null) {
      this.#last = previous;
    } else {
      next.previous = previous;
    }
    place.previous = null;
    place.next = null;
    this.#size--;
  }

  /** As they are now: whoever goes through them may take any of them out. */
  items(): T[] {
    const items: T[] = [];
    for (let place = this.#first; place !== null; place = place.next) {
      items.push(place.item);
    }
    return items;
  }

  clear(): void {
    for (let place = this.#first; place !== null; place = this.#first) {
      this.remove(place);
    }
  }
}
