import type { QueuedUrl } from '../../store/transaction.js';

/** A URL that waits in memory: as it stands on disk, but its time is monotonic, and 0 when it may go at once. */
export type Waiting = QueuedUrl;

/** Which of so many waiting URLs goes next, counted from the oldest. */
export type Choose = (waiting: number) => number;

/**
 * One class of an origin's waiting URLs: a window in memory over the rows on disk, which are ordered by id. Oldest first (bfs), the window
 * holds the lowest ids and the rest on disk is newer; newest first (dfs), it holds the highest and the rest is older. Leaving memory
 * costs nothing: the rows are on disk anyway.
 */
export class QueueWindow {
  #items: Waiting[] = [];
  #head = 0;
  /** Everything on disk lies beyond this id. */
  #edge: number;
  readonly #newestFirst: boolean;
  readonly #choose: Choose | null;
  /** How far behind the first the next one stands, once that is chosen. */
  #chosen: number | null = null;
  onDisk = 0;
  /** URLs of other classes that were taken since one of this was. */
  passed = 0;

  constructor(newestFirst: boolean, choose: Choose | null) {
    this.#newestFirst = newestFirst;
    this.#choose = choose;
    this.#edge = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  get waits(): boolean {
    return this.onDisk > 0 || this.size > 0;
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
