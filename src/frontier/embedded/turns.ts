import type { Host } from './host.js';
import type { Order } from './options.js';
import { ReadyHeap } from './ready-heap.js';

/** After so many turns of hosts with seeds and home pages one of the others has its turn. */
export const FIRST_IN_A_ROW = 1_000;

/**
 * Whose turn comes next: each host under the time of its next request. In the order of priority, of the hosts that may be asked now those
 * with a seed or a home page go first.
 */
export class Turns {
  readonly #first = new ReadyHeap<Host>();
  readonly #others = new ReadyHeap<Host>();
  readonly #homePagesFirst: boolean;
  readonly #dropped: (host: Host) => void;
  #firstInARow = 0;

  /** @param dropped is told of each host that stood here and has left memory since. */
  constructor(order: Order, dropped: (host: Host) => void) {
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
  peek(): Host | undefined {
    return this.#first.nextAt <= this.#others.nextAt ? this.#first.peek() : this.#others.peek();
  }

  push(host: Host, at: number): void {
    host.isFirst = this.#homePagesFirst && hasSeeds(host);
    this.#heapOf(host).push(host, at);
  }

  /** Takes out one that stands here. */
  remove(host: Host): void {
    this.#heapOf(host).remove(host);
  }

  /** It may have got a seed or home page while it stands here. */
  renew(host: Host): void {
    const at = host.heapAt;
    if (this.#homePagesFirst && at !== null && !host.isFirst && hasSeeds(host)) {
      this.#others.remove(host);
      this.push(host, at);
    }
  }

  /** Of those whose time has come. */
  popDue(now: number): Host | undefined {
    this.#dropEvicted();
    const othersWait = this.#others.nextAt <= now;
    if (this.#first.nextAt <= now && !(othersWait && this.#firstInARow >= FIRST_IN_A_ROW)) {
      this.#firstInARow += othersWait ? 1 : 0;
      return this.#first.pop();
    }
    this.#firstInARow = 0;
    return othersWait ? this.#others.pop() : undefined;
  }

  *[Symbol.iterator](): IterableIterator<Host> {
    yield* this.#first;
    yield* this.#others;
  }

  #heapOf(host: Host): ReadyHeap<Host> {
    return host.isFirst ? this.#first : this.#others;
  }

  /** A host that left memory is dropped when its turn comes. */
  #dropEvicted(): void {
    for (const heap of [this.#first, this.#others]) {
      while (heap.peek()?.evicted) {
        this.#dropped(heap.pop()!);
      }
    }
  }
}

const hasSeeds = (host: Host): boolean => host.origins.some(({ queue }) => queue.hasSeeds);
