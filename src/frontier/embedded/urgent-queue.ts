import { UrlFlag, UrlKind } from '../../store/url-state.js';
import type { Waiting } from './queue-window.js';

/**
 * The urgent URLs of an origin that are in memory: first come, first served among those whose own time has come. Whether one may go is
 * the same for all of a sort (robots.txt, assets, tried before, never tried, second looks), so only the first of each sort is ever asked about: no call
 * looks through those that wait. Second looks come after all others.
 */
export class UrgentQueue {
  /** None where nothing was ever urgent: of very many hosts that holds for nearly all. */
  #sorts: readonly Sort[] = [];
  #came = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Second looks among them. */
  get secondLooks(): number {
    return this.#sorts[SECOND_LOOKS]?.size ?? 0;
  }

  add(item: Waiting): void {
    if (this.#sorts.length === 0) {
      this.#sorts = Array.from({ length: SORTS }, () => new Sort());
    }
    this.#sorts[sortOf(item)]!.add(item, this.#came++);
    this.#size++;
  }

  take(now: number, allowed: (item: Waiting) => boolean): Waiting | undefined {
    if (this.#size === 0) {
      return undefined;
    }
    let first: Sort | undefined;
    for (const [place, sort] of this.#sorts.entries()) {
      const next = sort.due(now);
      if (next === undefined || (first !== undefined && place === SECOND_LOOKS)) {
        continue;
      }
      if (next.order < (first?.due(now)?.order ?? Number.POSITIVE_INFINITY) && allowed(next.item)) {
        first = sort;
      }
    }
    this.#size -= first === undefined ? 0 : 1;
    return first?.take();
  }

  /** The time of the first that is allowed; Infinity where there is none. */
  readyAt(allowed: (item: Waiting) => boolean): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : Math.min(...this.#sorts.map((sort) => sort.readyAt(allowed)));
  }

  clear(): number {
    const size = this.#size;
    this.#sorts = [];
    this.#size = 0;
    return size;
  }
}

const SECOND_LOOKS = 4;
const SORTS = 5;

function sortOf({ kind, attempts, flags }: Waiting): number {
  if (kind === UrlKind.robots || kind === UrlKind.asset) {
    return kind === UrlKind.robots ? 0 : 1;
  }
  if ((flags & UrlFlag.secondLook) !== 0 && attempts > 0) {
    return SECOND_LOOKS;
  }
  return attempts > 0 ? 2 : 3;
}

interface Place {
  item: Waiting;
  /** Its place among all that ever came. */
  order: number;
}

/** Those whose time has come in the order they came, the others by their time. */
class Sort {
  readonly #due = new Heap<Place>((a, b) => a.order < b.order);
  readonly #later = new Heap<Place>((a, b) => a.item.notBefore < b.item.notBefore);

  get size(): number {
    return this.#due.size + this.#later.size;
  }

  add(item: Waiting, order: number): void {
    (item.notBefore > 0 ? this.#later : this.#due).push({ item, order });
  }

  due(now: number): Place | undefined {
    for (let next = this.#later.first; next !== undefined && next.item.notBefore <= now; next = this.#later.first) {
      this.#due.push(this.#later.pop()!);
    }
    return this.#due.first;
  }

  take(): Waiting | undefined {
    return this.#due.pop()?.item;
  }

  readyAt(allowed: (item: Waiting) => boolean): number {
    const next = (this.#due.first ?? this.#later.first)?.item;
    return next !== undefined && allowed(next) ? next.notBefore : Number.POSITIVE_INFINITY;
  }
}

class Heap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let place = this.#items.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#before(item, this.#items[parent]!)) {
        break;
      }
      this.#items[place] = this.#items[parent]!;
      place = parent;
    }
    this.#items[place] = item;
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#sink(last);
    }
    return first;
  }

  #sink(item: T): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child + 1 < this.#items.length && this.#before(this.#items[child + 1]!, this.#items[child]!)) {
        child++;
      }
      if (child >= this.#items.length || !this.#before(this.#items[child]!, item)) {
        break;
      }
      this.#items[place] = this.#items[child]!;
      place = child;
    }
    this.#items[place] = item;
  }
}
