import type { FetchResponse, PendingFetch } from '../fetch/contract.js';

/** So many pages, and of each no more bytes than this: the page of a program is a small frame. */
const MOST_SHELLS = 8;
const LARGEST_SHELL = 1 << 20;

/**
 * The pages that routes belong to, as they came. All routes of a page are drawn from one answer, so it is asked for once, and every further route
 * is answered from here. What is not whole and fine is not kept.
 */
export class Shells {
  readonly #shells = new Map<string, Promise<FetchResponse | null>>();

  /** The answer for the page, once it is here; null if it has to be asked for. */
  get(url: string): Promise<FetchResponse | null> | null {
    return this.#shells.get(url) ?? null;
  }

  /** Whoever asks for the same page from now on waits for this one. */
  add(url: string, pending: PendingFetch): void {
    const copy = pending.promise.then(copied, () => null);
    this.#shells.set(url, copy);
    void copy.then((shell) => {
      if (shell === null && this.#shells.get(url) === copy) {
        this.#shells.delete(url);
      }
    });
    if (this.#shells.size > MOST_SHELLS) {
      this.#shells.delete(this.#shells.keys().next().value!);
    }
  }
}

/** The memory of its body may hold the next one soon. */
function copied(response: FetchResponse): FetchResponse | null {
  const { release: _, ...shell } = response;
  const isWhole = shell.status === 200 && shell.body !== null && !shell.truncated && !shell.endedEarly;
  return isWhole && shell.body!.length <= LARGEST_SHELL ? { ...shell, body: Buffer.from(shell.body!) } : null;
}
