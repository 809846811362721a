import type { QueuedUrl } from '../store/transaction.js';
import { QUEUE_CLASSES, QueueClass, UrlFlag, UrlKind } from '../store/url-state.js';
import type { Choose } from './options.js';
import { type HeapItem, ReadyHeap } from './turns.js';

/** After this many URLs of other ranks, a rank that has had no turn gets the next one, whatever waits before it. */
export const TURNS_UNTIL_AGED = 100;

/**
 * The waiting URLs of one origin, by class. Urgent ones (redirects, retries, leases given back, URLs found again) have times of their own
 * and never leave memory: they are few. Those of an earlier run are on disk and come in pieces, before all others. Then come the seeds,
 * then the ranks: the lowest first, but each has its turn before it grows too old.
 */
export class UrlQueue {
  readonly #urgent = new UrgentQueue();
  /** By class, from `seed` on; made when the first URL comes. */
  readonly #windows: (QueueWindow | undefined)[] = [];
  readonly #newestFirst: boolean;
  readonly #choose: Choose | null;
  #urgentOnDisk = 0;
  /** Those have higher ids than this. */
  #urgentEdge = 0;
  /** Urgent ones that came while others were on disk: they stand there too, and must not come twice. */
  readonly #addedMeanwhile = new Set<number>();

  constructor(newestFirst: boolean, choose: Choose | null = null) {
    this.#newestFirst = newestFirst;
    this.#choose = choose;
  }

  get inMemory(): number {
    return this.#windows.reduce((sum, window) => sum + (window?.size ?? 0), this.#urgent.size);
  }

  /** Urgent ones that are only on disk. */
  get urgentOnDisk(): number {
    return this.#urgentOnDisk;
  }

  /** Second looks that wait in memory. */
  get secondLooks(): number {
    return this.#urgent.secondLooks;
  }

  get onDisk(): number {
    return this.#windows.reduce((sum, window) => sum + (window?.onDisk ?? 0), this.#urgentOnDisk);
  }

  get hasSeeds(): boolean {
    return this.#windows[QueueClass.seed]?.waits ?? false;
  }

  /** Others than urgent ones wait, and could go next. */
  get restWaits(): boolean {
    return this.#urgentOnDisk === 0 && this.#front() >= 0;
  }

  /** Whether neither urgent ones nor seeds wait. */
  get holdsOnlyRest(): boolean {
    return this.#urgent.size + this.#urgentOnDisk === 0 && !this.hasSeeds;
  }

  /** How many more came into memory. */
  add(item: QueuedUrl, room: boolean): number {
    if (item.class === QueueClass.urgent) {
      this.#urgent.add(item);
      if (this.#urgentOnDisk > 0) {
        this.#addedMeanwhile.add(item.id);
      }
      return 1;
    }
    const window = this.#window(item.class);
    const before = window.size;
    window.add(item, room);
    return window.size - before;
  }

  /** The next that may go now, of those that are allowed. */
  take(now: number, allowed: (item: QueuedUrl) => boolean): QueuedUrl | undefined {
    const urgent = this.#urgent.take(now, allowed);
    if (urgent !== undefined || this.#urgentOnDisk > 0) {
      return urgent;
    }
    const place = this.#front();
    const window = this.#windows[place];
    const next = window?.peek();
    if (window === undefined || next === undefined || !allowed(next)) {
      return undefined;
    }
    for (const each of this.#windows) {
      each?.passOver();
    }
    return window.take();
  }

  /** When `take` could give something, were it only for the URLs' own times. */
  readyAt(allowed: (item: QueuedUrl) => boolean): number {
    const next = this.#urgentOnDisk > 0 ? undefined : this.#windows[this.#front()]?.peek();
    return next !== undefined && allowed(next) ? 0 : this.#urgent.readyAt(allowed);
  }

  /** The class whose next URLs are on disk and should be loaded, or null. */
  wanting(): { class: QueueClass; beyond: number; newestFirst: boolean } | null {
    if (this.#urgentOnDisk > 0) {
      return { class: QueueClass.urgent, beyond: this.#urgentEdge, newestFirst: false };
    }
    const place = this.#front();
    const window = this.#windows[place];
    return window === undefined || window.size > 0
      ? null
      : { class: place, beyond: window.beyond, newestFirst: place >= QueueClass.rest && this.#newestFirst };
  }

  /** How many more came into memory. */
  addLoaded(place: QueueClass, items: QueuedUrl[]): number {
    const before = this.inMemory;
    if (place === QueueClass.urgent) {
      this.#addUrgent(items);
    } else {
      this.#window(place).addLoaded(items);
    }
    return this.inMemory - before;
  }

  #addUrgent(items: QueuedUrl[]): void {
    const others = items.filter(({ id }) => !this.#addedMeanwhile.has(id));
    for (const item of others) {
      this.#urgent.add(item);
    }
    this.#urgentOnDisk = items.length === 0 ? 0 : this.#urgentOnDisk - others.length;
    this.#urgentEdge = items.at(-1)?.id ?? 0;
    if (this.#urgentOnDisk === 0) {
      this.#addedMeanwhile.clear();
    }
  }

  /** Leaves at most `count` of each class in memory. Returns how many left. */
  trim(count: number): number {
    return this.#windows.reduce((sum, window) => sum + (window?.trim(count) ?? 0), 0);
  }

  /** Nothing in memory: `onDisk` of each class waits in the store. Returns how many left memory. */
  reset(onDisk: readonly number[]): number {
    const left = this.#urgent.clear() + this.#reset(QueueClass.seed, onDisk) + this.resetRest(onDisk);
    this.#urgentOnDisk = onDisk[QueueClass.urgent] ?? 0;
    this.#urgentEdge = 0;
    this.#addedMeanwhile.clear();
    return left;
  }

  /** The same for those that are neither urgent nor seeds. */
  resetRest(onDisk: readonly number[]): number {
    let left = 0;
    for (let place: QueueClass = QueueClass.rest; place < QUEUE_CLASSES; place++) {
      left += this.#reset(place, onDisk);
    }
    return left;
  }

  #reset(place: QueueClass, onDisk: readonly number[]): number {
    const count = onDisk[place] ?? 0;
    return count > 0 ? this.#window(place).reset(count) : (this.#windows[place]?.reset(0) ?? 0);
  }

  #window(place: QueueClass): QueueWindow {
    let window = this.#windows[place];
    if (window === undefined) {
      const isRest = place >= QueueClass.rest;
      window = new QueueWindow(isRest && this.#newestFirst, isRest ? this.#choose : null);
      this.#windows[place] = window;
    }
    return window;
  }

  /** The class whose turn it is, in memory or on disk; -1 if none waits. */
  #front(): QueueClass {
    let front = -1;
    for (let place: QueueClass = QueueClass.seed; place < this.#windows.length; place++) {
      const window = this.#windows[place];
      if (!window?.waits) {
        continue;
      }
      if (place === QueueClass.seed) {
        return place;
      }
      const isAged = window.passed >= TURNS_UNTIL_AGED;
      if (front < 0 || (isAged && window.passed > this.#windows[front]!.passed)) {
        front = place;
      }
    }
    return front;
  }
}

/**
 * One class of an origin's waiting URLs: a window in memory over the rows on disk, which are ordered by id. Oldest first (bfs), the window
 * holds the lowest ids and the rest on disk is newer; newest first (dfs), it holds the highest and the rest is older. Leaving memory
 * costs nothing: the rows are on disk anyway.
 */
class QueueWindow {
  #items: QueuedUrl[] = [];
  #head = 0;
  /** Everything on disk lies beyond this id. */
  #edge: number;
  readonly #newestFirst: boolean;
  readonly #choose: Choose | null;
  /** How far behind the first the next one stands, once that is chosen. */
  #chosen: number | null = null;
  #onDisk = 0;
  #passed = 0;

  constructor(newestFirst: boolean, choose: Choose | null) {
    this.#newestFirst = newestFirst;
    this.#choose = choose;
    this.#edge = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  get onDisk(): number {
    return this.#onDisk;
  }

  /** URLs of other classes that were taken since one of this was. */
  get passed(): number {
    return this.#passed;
  }

  passOver(): void {
    this.#passed += this.waits ? 1 : 0;
  }

  get waits(): boolean {
    return this.#onDisk > 0 || this.size > 0;
  }

  /** Where the next load from disk begins. */
  get beyond(): number {
    return this.#edge;
  }

  /** A new URL (its id is higher than all before). False when it has to stay on disk. */
  add(item: QueuedUrl, room: boolean): boolean {
    if (this.#newestFirst) {
      if (!room) {
        return this.#dropBefore(item);
      }
      this.#items.push(item);
      if (this.size === 1 && this.#onDisk === 0) {
        this.#edge = item.id;
      }
      this.#edge = Math.min(this.#edge, item.id);
      return true;
    }
    if (this.#onDisk > 0 || !room) {
      this.#onDisk++;
      return false;
    }
    this.#items.push(item);
    this.#edge = item.id;
    return true;
  }

  /** What was loaded from disk, in window order. */
  addLoaded(items: QueuedUrl[]): void {
    this.#onDisk -= items.length;
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

  peek(): QueuedUrl | undefined {
    if (this.#choose !== null && this.size > 0) {
      this.#chosen ??= this.#choose(this.size);
      return this.#items[this.#head + this.#chosen];
    }
    return this.#newestFirst ? this.#items.at(-1) : this.#items[this.#head];
  }

  take(): QueuedUrl | undefined {
    this.#passed = 0;
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
    this.#onDisk += leaving;
    return leaving;
  }

  /** Nothing of it is in memory, all on disk. */
  reset(onDisk: number): number {
    const left = this.size;
    this.#items = [];
    this.#head = 0;
    this.#chosen = null;
    this.#edge = this.#newestFirst ? Number.MAX_SAFE_INTEGER : 0;
    this.#onDisk = onDisk;
    return left;
  }

  /** dfs without room: the window begins anew below the newest, which alone is next to be loaded. */
  #dropBefore(item: QueuedUrl): boolean {
    this.#onDisk += this.size + 1;
    this.#items = [];
    this.#head = 0;
    this.#edge = item.id + 1;
    return false;
  }
}

/**
 * The urgent URLs of an origin that are in memory: first come, first served among those whose own time has come. Whether one may go is
 * the same for all of a sort (robots.txt, assets, tried before, never tried, second looks), so only the first of each sort is ever asked about: no call
 * looks through those that wait. Second looks come after all others.
 */
export class UrgentQueue {
  /** Empty if nothing was ever urgent, which is so at nearly all of very many hosts. */
  #sorts: readonly Sort[] = [];
  #added = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Second looks among them. */
  get secondLooks(): number {
    return this.#sorts[SECOND_LOOKS]?.size ?? 0;
  }

  add(item: QueuedUrl): void {
    if (this.#sorts.length === 0) {
      this.#sorts = Array.from({ length: SORTS }, () => new Sort());
    }
    this.#sorts[sortOf(item)]!.add(item, this.#added++);
    this.#size++;
  }

  take(now: number, allowed: (item: QueuedUrl) => boolean): QueuedUrl | undefined {
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

  /** The time of the first that is allowed; Infinity if there is none. */
  readyAt(allowed: (item: QueuedUrl) => boolean): number {
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

function sortOf({ kind, attempts, flags }: QueuedUrl): number {
  if (kind === UrlKind.robots || kind === UrlKind.asset) {
    return kind === UrlKind.robots ? 0 : 1;
  }
  if ((flags & UrlFlag.secondLook) !== 0 && attempts > 0) {
    return SECOND_LOOKS;
  }
  return attempts > 0 ? 2 : 3;
}

interface Place extends HeapItem {
  item: QueuedUrl;
  /** Its place among all that were ever added. */
  order: number;
}

/** Those whose time has come in the order they were added, the others by their time. */
class Sort {
  readonly #due = new ReadyHeap<Place>();
  readonly #later = new ReadyHeap<Place>();

  get size(): number {
    return this.#due.size + this.#later.size;
  }

  add(item: QueuedUrl, order: number): void {
    const place = { item, order, heapAt: null, heapPlace: 0 };
    if (item.notBefore > 0) {
      this.#later.push(place, item.notBefore);
    } else {
      this.#due.push(place, order);
    }
  }

  due(now: number): Place | undefined {
    while (this.#later.nextAt <= now) {
      const place = this.#later.pop()!;
      this.#due.push(place, place.order);
    }
    return this.#due.peek();
  }

  take(): QueuedUrl | undefined {
    return this.#due.pop()?.item;
  }

  readyAt(allowed: (item: QueuedUrl) => boolean): number {
    const next = (this.#due.peek() ?? this.#later.peek())?.item;
    return next !== undefined && allowed(next) ? next.notBefore : Number.POSITIVE_INFINITY;
  }
}
