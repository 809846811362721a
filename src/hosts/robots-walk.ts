import { cookieHeader, type SetCookie } from '../url/cookies.js';

/** RFC 9309 asks for five at least. */
const MOST_REDIRECTS = 10;

/**
 * The way from a robots.txt along its redirects. One that comes back to where it was goes nowhere, and nothing is asked for again; unless a cookie was set on
 * it: then it is gone once more, with what was set. Such a server has rules for those who know the way: they are out of reach, not absent.
 */
export class RobotsWalk {
  readonly #answers: { url: string; cookies: readonly SetCookie[] }[] = [];
  readonly #asked = new Set<string>();
  #sendsCookies = false;

  /** What a redirect means: its target is asked for next, or there is no file, or it cannot be had. */
  redirected(from: string, to: string, cookies: readonly SetCookie[]): 'ask' | 'none' | 'unreachable' {
    this.#answers.push({ url: from, cookies });
    this.#asked.add(from);
    const isCircle = this.#asked.has(to);
    if (isCircle && !this.#sendsCookies && this.#answers.some((answer) => answer.cookies.length > 0)) {
      this.#sendsCookies = true;
      this.#asked.clear();
    } else if (isCircle || this.#answers.length > MOST_REDIRECTS) {
      return this.#sendsCookies ? 'unreachable' : 'none';
    }
    return 'ask';
  }

  /** The header to ask for it with; null: none. */
  cookieFor(url: string): string | null {
    return this.#sendsCookies ? cookieHeader(this.#answers, url) : null;
  }
}
