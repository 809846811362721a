import { QUEUE_CLASSES, QueueClass } from '../../store/url-state.js';
import { type Choose, QueueWindow, type Waiting } from './queue-window.js';
import { UrgentQueue } from './urgent-queue.js';

/** A rank whose turn has not come while so many URLs of others went has the next one, whatever waits before it. */
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
  /** Urgent ones that are only on disk. */
  urgentOnDisk = 0;
  /** They have higher ids than this. */
  #urgentEdge = 0;
  /** Urgent ones that came while others were on disk: they stand there too, and must not come twice. */
  readonly #cameMeanwhile = new Set<number>();

  constructor(newestFirst: boolean, choose: Choose | null = null) {
    this.#newestFirst = newestFirst;
    this.#choose = choose;
  }

  get inMemory(): number {
    return this.#windows.reduce((sum, window) => sum + (window?.size ?? 0), this.#urgent.size);
  }

  /** Second looks that wait in memory. */
  get secondLooks(): number {
    return this.#urgent.secondLooks;
  }

  get onDisk(): number {
    return this.#windows.reduce((sum, window) => sum + (window?.onDisk ?? 0), this.urgentOnDisk);
  }

  get hasSeeds(): boolean {
    return this.#windows[QueueClass.seed]?.waits ?? false;
  }

  /** Others than urgent ones wait, and could go next. */
  get restWaits(): boolean {
    return this.urgentOnDisk === 0 && this.#front() >= 0;
  }

  /** Neither urgent ones nor seeds wait. */
  get holdsOnlyRest(): boolean {
    return this.#urgent.size + this.urgentOnDisk === 0 && !this.hasSeeds;
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
    const window = this.#window(item.class);
    const before = window.size;
    window.add(item, room);
    return window.size - before;
  }

  /** The next that may go now, of those that are allowed. */
  take(now: number, allowed: (item: Waiting) => boolean): Waiting | undefined {
    const urgent = this.#urgent.take(now, allowed);
    if (urgent !== undefined || this.urgentOnDisk > 0) {
      return urgent;
    }
    const place = this.#front();
    const window = this.#windows[place];
    const next = window?.peek();
    if (window === undefined || next === undefined || !allowed(next)) {
      return undefined;
    }
    for (const other of this.#windows) {
      if (other?.waits) {
        other.passed++;
      }
    }
    window.passed = 0;
    return window.take();
  }

  /** When `take` could give something, were it only for the URLs' own times. */
  readyAt(allowed: (item: Waiting) => boolean): number {
    const next = this.urgentOnDisk > 0 ? undefined : this.#windows[this.#front()]?.peek();
    return next !== undefined && allowed(next) ? 0 : this.#urgent.readyAt(allowed);
  }

  /** The class whose next URLs are on disk and should be loaded, or null. */
  wanting(): { class: QueueClass; beyond: number; newestFirst: boolean } | null {
    if (this.urgentOnDisk > 0) {
      return { class: QueueClass.urgent, beyond: this.#urgentEdge, newestFirst: false };
    }
    const place = this.#front();
    const window = this.#windows[place];
    return window === undefined || window.size > 0
      ? null
      : { class: place, beyond: window.beyond, newestFirst: place >= QueueClass.rest && this.#newestFirst };
  }

  /** How many more came into memory. */
  addLoaded(place: QueueClass, items: Waiting[]): number {
    const before = this.inMemory;
    if (place === QueueClass.urgent) {
      this.#addUrgent(items);
    } else {
      this.#window(place).addLoaded(items);
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
    return this.#windows.reduce((sum, window) => sum + (window?.trim(count) ?? 0), 0);
  }

  /** Nothing in memory: `onDisk` of each class waits in the store. Returns how many left memory. */
  reset(onDisk: readonly number[]): number {
    const left = this.#urgent.clear() + this.#reset(QueueClass.seed, onDisk) + this.resetRest(onDisk);
    this.urgentOnDisk = onDisk[QueueClass.urgent] ?? 0;
    this.#urgentEdge = 0;
    this.#cameMeanwhile.clear();
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

  /** The class whose turn it is, in memory or on disk; -1 where none waits. */
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
