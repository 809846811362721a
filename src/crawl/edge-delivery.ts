import type { SettledPage } from '../frontier/embedded/frontier-state.js';
import { LINK_KINDS } from '../parse/links.js';
import { edgeKind, edgeRel } from '../store/packed-edges.js';
import type { OnEdge } from './library-options.js';

/** Hands every edge of a committed page to the user, in document order, and then the page; so many pages at a time. */
export class EdgeDelivery {
  readonly #onEdge: OnEdge;
  readonly #pagesAtOnce: number;
  #isOver = false;
  /** Pages that were handed in and not handed on. */
  #waiting = 0;

  constructor(onEdge: OnEdge, pagesAtOnce: number) {
    this.#onEdge = onEdge;
    this.#pagesAtOnce = pagesAtOnce;
  }

  /** So many pages are committed and were not handed on; from now on nobody is called any more. */
  close(): number {
    this.#isOver = true;
    return this.#waiting;
  }

  /** Rejects with what `onEdge` throws; after that nobody is called any more. Nothing overtakes what has not come back. */
  async deliver(pages: readonly SettledPage[], done: (page: SettledPage) => void): Promise<void> {
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
    await Promise.all(Array.from({ length: Math.min(this.#pagesAtOnce, pages.length) }, work));
  }

  async #deliverPage({ url, outcome }: SettledPage): Promise<void> {
    const { edges, targets, rels, texts } = outcome;
    try {
      for (let i = 0; edges !== null && targets !== null && i < targets.places.length && !this.#isOver; i++) {
        const word = edges[i * 2 + 1]!;
        const rel = edgeRel(word);
        const answer = this.#onEdge(url, targets.urls[targets.places[i]!]!, {
          kind: LINK_KINDS[edgeKind(word)]!,
          rel: rel === 0 ? '' : rels[rel - 1]!,
          text: texts?.[i] ?? null,
        });
        if (answer !== undefined) {
          await answer;
        }
      }
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }
}
