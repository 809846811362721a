import type { EdgeTargets, Outcome } from '../frontier/outcome.js';
import { LINK_KINDS } from '../parse/links.js';
import type { CrawledPage } from '../store/page-types.js';
import type { OnEdge } from './library-options.js';

/** How results reach the user of the library: pages by iteration, edges by a function that is called. */

/** Results on their way to whoever iterates. It has no limit of its own: what may come in is decided before it is fetched. */
export class ResultQueue<T> {
  readonly #items: T[] = [];
  #first = 0;
  readonly #waiters: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void }[] = [];
  #end: { error: unknown } | 'fine' | null = null;
  readonly #untilTaken: (() => void)[] = [];
  readonly #onTaken: () => void;

  constructor(onTaken: () => void) {
    this.#onTaken = onTaken;
  }

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: item });
    } else if (this.#end === null) {
      this.#items.push(item);
    }
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.size > 0) {
      const value = this.#shift();
      this.#wasTaken();
      return Promise.resolve({ done: false, value });
    }
    if (this.#end !== null) {
      return this.#ended(this.#end);
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Resolves when something was taken, or `letGo` was called. */
  taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#untilTaken.push(resolve);
    });
  }

  /** Results in it can still be taken; after that the iteration ends. */
  end(): void {
    this.#endWith('fine');
  }

  /** Results in it can still be taken; after that the iteration throws the error once, whatever it is, even `undefined`. */
  fail(error: unknown): void {
    this.#endWith({ error });
  }

  #endWith(end: { error: unknown } | 'fine'): void {
    this.#end ??= end;
    for (const waiter of this.#waiters.splice(0)) {
      this.#ended(this.#end).then(waiter.resolve, waiter.reject);
    }
  }

  /** Nobody takes results any more. */
  drop(): void {
    this.#items.length = 0;
    this.#first = 0;
    this.#end ??= 'fine';
    this.#wasTaken();
  }

  /** Whoever waits for a place goes on without one. */
  letGo(): void {
    for (const resolve of this.#untilTaken.splice(0)) {
      resolve();
    }
  }

  #wasTaken(): void {
    this.letGo();
    this.#onTaken();
  }

  #ended(end: { error: unknown } | 'fine'): Promise<IteratorReturnResult<undefined>> {
    this.#end = 'fine';
    return end === 'fine' ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(end.error);
  }

  /** Array.shift moves the whole array once it is long. */
  #shift(): T {
    const item = this.#items[this.#first++]!;
    if (this.#first > 1_000 && this.#first * 2 > this.#items.length) {
      this.#items.splice(0, this.#first);
      this.#first = 0;
    }
    return item;
  }
}

const NO_EDGES: EdgeTargets = { urls: [], places: [], kinds: [], rels: [], texts: null };

/** A page that is committed, with its edges and, where somebody wants it, its body. */
export interface CommittedPage {
  readonly url: string;
  readonly targets: EdgeTargets | null;
  readonly body: Outcome['body'] | null;
  page(): CrawledPage;
}

/** The user's functions that are called with each committed page. */
export interface DeliveryParts {
  onEdge?: OnEdge | undefined;
  onPage?: ((page: CommittedPage) => void | Promise<void>) | undefined;
  pagesAtOnce: number;
}

/** Hands every edge of a committed page to the user, in document order, then the page with its body, then the page; a few pages at a time. */
export class PageDelivery {
  readonly #parts: DeliveryParts;
  #isOver = false;
  /** Pages that came in and were not delivered yet. */
  #waiting = 0;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Stops the delivery and returns how many committed pages were not delivered. */
  close(): number {
    this.#isOver = true;
    return this.#waiting;
  }

  /** Rejects with what a user's function throws; after that none is called any more. No page overtakes one whose functions have not returned. */
  async deliver(pages: readonly CommittedPage[], done: (page: CommittedPage) => void): Promise<void> {
    const isStuck = this.#waiting > 0;
    this.#waiting += pages.length;
    if (isStuck) {
      return;
    }
    const waiting = pages.values();
    const work = async (): Promise<void> => {
      for (const page of waiting) {
        await this.#deliverPage(page);
        if (this.#isOver) {
          return;
        }
        this.#waiting--;
        done(page);
      }
    };
    // They share one iterator: each takes the next page when it has finished its own.
    await Promise.all(Array.from({ length: Math.min(this.#parts.pagesAtOnce, pages.length) }, work));
  }

  async #deliverPage(page: CommittedPage): Promise<void> {
    const { onEdge, onPage } = this.#parts;
    try {
      if (onEdge !== undefined) {
        await this.#deliverEdges(page, onEdge);
      }
      if (onPage !== undefined && !this.#isOver) {
        await onPage(page);
      }
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  async #deliverEdges({ url, targets }: CommittedPage, onEdge: OnEdge): Promise<void> {
    const { urls, places, kinds, rels, texts } = targets ?? NO_EDGES;
    for (let i = 0; i < places.length && !this.#isOver; i++) {
      const answer = onEdge(url, urls[places[i]!]!, {
        kind: LINK_KINDS[kinds[i]!]!,
        rel: rels[i]!,
        text: texts?.[i] ?? null,
      });
      if (answer !== undefined) {
        await answer;
      }
    }
  }
}
