import type { SettledPage } from '../frontier/outcome.js';
import type { Suspect, Suspects } from './live-view.js';

/** No screen shows more, and a site may have very many. */
const MOST_KEPT = 100;

/** The links of a check that seem dead, as they are found: most are asked for once more, and some are fine then. */
export class SuspectLinks {
  /** By URL, the last one last. */
  readonly #links = new Map<string, Suspect>();

  /** A request has failed, and another one follows. */
  retryLater(url: string, status: number | null, why: string): void {
    this.#note({ url, status, reason: why, isLookedAtAgain: true });
  }

  settled(pages: readonly SettledPage[]): void {
    for (const { url, state, reason, outcome } of pages) {
      if (state === 'failed') {
        this.#note({ url, status: outcome.status, reason: reason ?? 'failed', isLookedAtAgain: false });
      } else {
        this.#links.delete(url);
      }
    }
  }

  /** @param again how many links wait for their second look */
  shown(again: number): Suspects {
    return { links: [...this.#links.values()].reverse(), again };
  }

  #note(link: Suspect): void {
    this.#links.delete(link.url);
    this.#links.set(link.url, link);
    if (this.#links.size > MOST_KEPT) {
      const [oldest] = this.#links.keys();
      this.#links.delete(oldest!);
    }
  }
}
