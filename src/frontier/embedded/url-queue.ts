import { QueueClass, type UrlKind } from '../../store/url-state.js';
import { UrgentQueue } from './urgent-queue.js';

/** A URL that waits in memory. */
export interface Waiting {
  id: number;
  url: string;
  kind: UrlKind;
  depth: number;
  seed: number;
  class: QueueClass;
  attempts: number;
  /** Monotonic; 0 when it may go at once. */
  notBefore: number;
  hops: number;
  flags: number;
}

/** Which of so many waiting URLs goes next, counted from the oldest. */
export type Choose = (waiting: number) => number;

/**
 * One class of an origin's waiting URLs: a window in memory over the rows on disk, which are ordered by id. Oldest first (bfs), the window
 * holds the lowest ids and the rest on disk is newer; newest first (dfs), it holds the highest and the rest is older. Leaving memory
 * costs nothing: the rows are on disk anyway.
 */
class Window {
  #items: Waiting[] = [];
  #head = 0;
  /** Everything on disk lies beyond this id. */
  #edge: number;
  readonly #newestFirst: boolean;
  readonly #choose: Choose | null;
  /** How far behind the first the next one stands, once that is chosen. */
  #chosen: number | null = null;
  onDisk = 0;

  constructor(newestFirst: boolean, choose: Choose | null) {
    this.#newestFirst = newestFirst;
    this.#choose = choose;
    this.#edge = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Where the next load from disk begins. */
  get beyond(): number {
    return this.#edge;
  }

  /** A new URL (its id is higher than all before). False when it has to stay on disk. */
  add(item: Waiting, room: boolean): boolean {
    if (this.#newestFirst) {
      if (!room) {
        return this.#dropBefore(item);
      }
      this.#items.push(item);
      if (this.size === 1 && this.onDisk === 0) {
        this.#edge = item.id;
      }
      this.#edge = Math.min(this.#edge, item.id);
      return true;
    }
    if (this.onDisk > 0 || !room) {
      this.onDisk++;
      return false;
    }
    this.#items.push(item);
    this.#edge = item.id;
    return true;
  }

  /** What was loaded from disk, in window order. */
  addLoaded(items: Waiting[]): void {
    this.onDisk -= items.length;
    const last = items.at(-1);
    if (last === undefined) {
      return;
    }
    this.#edge = last.id;
    if (this.#newestFirst) {
      this.#items = [...items.reverse(), ...this.#items.slice(this.#head)];
      this.#head = 0;
    } else {
      this.#items.push(...items);
    }
  }

  peek(): Waiting | undefined {
    if (this.#choose !== null && this.size > 0) {
      this.#chosen ??= this.#choose(this.size);
      return this.#items[this.#head + this.#chosen];
    }
    return this.#newestFirst ? this.#items.at(-1) : this.#items[this.#head];
  }

  take(): Waiting | undefined {
    if (this.#newestFirst) {
      return this.#items.pop();
    }
    if (this.#chosen !== null) {
      const [item] = this.#items.splice(this.#head + this.#chosen, 1);
      this.#chosen = null;
      return item;
    }
    const item = this.#items[this.#head];
    if (item !== undefined) {
      this.#head++;
      // What was taken must not stay in memory at each of very many hosts.
      if (this.#head > 16 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
    }
    return item;
  }

  /** Keeps at most `count` in memory; the rest is on disk. Returns how many left. */
  trim(count: number): number {
    const leaving = this.size - count;
    if (leaving <= 0) {
      return 0;
    }
    this.#chosen = null;
    if (this.#newestFirst) {
      const dropped = this.#items.splice(this.#head, leaving);
      this.#edge = dropped.at(-1)!.id + 1;
    } else {
      const dropped = this.#items.splice(this.#items.length - leaving, leaving);
      this.#edge = dropped[0]!.id - 1;
    }
    this.onDisk += leaving;
    return leaving;
  }

  /** Nothing of it is in memory, all on disk. */
  reset(onDisk: number): number {
    const left = this.size;
    this.#items = [];
    this.#head = 0;
    this.#chosen = null;
    this.#edge = this.#newestFirst ? Number.MAX_SAFE_INTEGER : 0;
    this.onDisk = onDisk;
    return left;
  }

  /** dfs without room: the window begins anew below the newest, which alone is next to be loaded. */
  #dropBefore(item: Waiting): boolean {
    this.onDisk += this.size + 1;
    this.#items = [];
    this.#head = 0;
    this.#edge = item.id + 1;
    return false;
  }
}

/**
 * The waiting URLs of one origin, by class. Urgent ones (redirects, retries, leases given back, URLs found again) have times of their own
 * and never leave memory: they are few. Those of an earlier run are on disk and come in pieces, before all others.
 */
export class UrlQueue {
  readonly #urgent = new UrgentQueue();
  readonly #windows: Record<1 | 2, Window>;
  readonly #newestFirst: boolean;
  /** Urgent ones that are only on disk. */
  urgentOnDisk = 0;
  /** They have higher ids than this. */
  #urgentEdge = 0;
  /** Urgent ones that came while others were on disk: they stand there too, and must not come twice. */
  readonly #cameMeanwhile = new Set<number>();

  constructor(newestFirst: boolean, choose: Choose | null = null) {
    this.#newestFirst = newestFirst;
    this.#windows = { [QueueClass.seed]: new Window(false, null), [QueueClass.rest]: new Window(newestFirst, choose) };
  }

  get inMemory(): number {
    return this.#urgent.size + this.#windows[1].size + this.#windows[2].size;
  }

  get onDisk(): number {
    return this.urgentOnDisk + this.#windows[1].onDisk + this.#windows[2].onDisk;
  }

  /** Neither urgent ones nor seeds wait. */
  get holdsOnlyRest(): boolean {
    const seeds = this.#windows[1];
    return this.#urgent.size + this.urgentOnDisk + seeds.size + seeds.onDisk === 0;
  }

  /** How many more came into memory. */
  add(item: Waiting, room: boolean): number {
    if (item.class === QueueClass.urgent) {
      this.#urgent.add(item);
      if (this.urgentOnDisk > 0) {
        this.#cameMeanwhile.add(item.id);
      }
      return 1;
    }
    const before = this.inMemory;
    this.#windows[item.class].add(item, room);
    return this.inMemory - before;
  }

  /** The next that may go now, of those that are allowed. */
  take(now: number, allowed: (item: Waiting) => boolean): Waiting | undefined {
    const urgent = this.#urgent.take(now, allowed);
    if (urgent !== undefined || this.urgentOnDisk > 0) {
      return urgent;
    }
    for (const window of [this.#windows[1], this.#windows[2]]) {
      const next = window.peek();
      if (next !== undefined && allowed(next)) {
        return window.take();
      }
    }
    return undefined;
  }

  /** When `take` could give something, were it only for the URLs' own times. */
  readyAt(allowed: (item: Waiting) => boolean): number {
    for (const window of [this.#windows[1], this.#windows[2]]) {
      const next = window.peek();
      if (next !== undefined && allowed(next)) {
        return 0;
      }
    }
    return this.#urgent.readyAt(allowed);
  }

  /** The class whose next URLs are on disk and should be loaded, or null. */
  wanting(): { class: QueueClass; beyond: number; newestFirst: boolean } | null {
    if (this.urgentOnDisk > 0) {
      return { class: QueueClass.urgent, beyond: this.#urgentEdge, newestFirst: false };
    }
    for (const place of [QueueClass.seed, QueueClass.rest] as const) {
      const window = this.#windows[place];
      if (window.size > 0) {
        return null;
      }
      if (window.onDisk > 0) {
        return { class: place, beyond: window.beyond, newestFirst: place === QueueClass.rest && this.#newestFirst };
      }
    }
    return null;
  }

  /** How many more came into memory. */
  addLoaded(place: QueueClass, items: Waiting[]): number {
    const before = this.inMemory;
    if (place === QueueClass.urgent) {
      this.#addUrgent(items);
    } else {
      this.#windows[place].addLoaded(items);
    }
    return this.inMemory - before;
  }

  #addUrgent(items: Waiting[]): void {
    const others = items.filter(({ id }) => !this.#cameMeanwhile.has(id));
    for (const item of others) {
      this.#urgent.add(item);
    }
    this.urgentOnDisk = items.length === 0 ? 0 : this.urgentOnDisk - others.length;
    this.#urgentEdge = items.at(-1)?.id ?? 0;
    if (this.urgentOnDisk === 0) {
      this.#cameMeanwhile.clear();
    }
  }

  /** Leaves at most `count` of each class in memory. Returns how many left. */
  trim(count: number): number {
    return this.#windows[1].trim(count) + this.#windows[2].trim(count);
  }

  /** Nothing in memory: `onDisk` of each class waits in the store. Returns how many left memory. */
  reset(onDisk: readonly [number, number, number]): number {
    const left = this.#urgent.clear() + this.#windows[1].reset(onDisk[1]) + this.resetRest(onDisk[2]);
    this.urgentOnDisk = onDisk[0];
    this.#urgentEdge = 0;
    this.#cameMeanwhile.clear();
    return left;
  }

  /** The same for those that are neither urgent nor seeds. */
  resetRest(onDisk: number): number {
    return this.#windows[2].reset(onDisk);
  }
}
