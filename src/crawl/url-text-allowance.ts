import type { Target } from './link-judge.js';

/** So much text of URLs one page may lead to. A base of a hundred thousand characters may stand before each of very many links. */
export const MOST_URL_TEXT = 64 << 20;
/** Bytes of a href become so many characters of a URL at most: each may be escaped, in a legacy encoding as three bytes of UTF-8. */
const MOST_GROWTH = 9;
/** What stands between a base and a href, and more. */
const MOST_GLUE = 16;

/**
 * What is left of MOST_URL_TEXT for a page. Each URL counts once, however many links lead to it. One that is too long to be kept counts
 * with each link, because nothing about it is remembered. What is covered depends on the page alone, not on what else was crawled.
 */
export class UrlTextAllowance {
  #left = MOST_URL_TEXT;
  /** Null where the URLs cannot be too much, as on nearly every page. */
  readonly #counted: Set<number> | null;

  constructor(links: number, baseLength: number, bytes: number) {
    const most = links * (baseLength + MOST_GLUE) + bytes * MOST_GROWTH;
    this.#counted = most > MOST_URL_TEXT ? new Set() : null;
  }

  /** False from the first URL on that there is no room for. */
  covers(target: Target): boolean {
    if (this.#counted === null) {
      return true;
    }
    if (!target.isCut) {
      // 53 bits of its key.
      const key = (target.key[0] >>> 0) * 0x20_0000 + (target.key[1] >>> 11);
      if (this.#counted.has(key)) {
        return true;
      }
      this.#counted.add(key);
    }
    this.#left -= target.length;
    return this.#left >= 0;
  }
}
