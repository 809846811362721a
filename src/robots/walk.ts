import { cookieHeader, type SetCookie } from '../url/cookies.js';

/** RFC 9309 asks for five at least. */
const MOST_REDIRECTS = 10;

/**
 * Follows the redirects of a robots.txt. A redirect to a URL that was asked before ends the walk, unless a cookie was set on the way: then the
 * walk is repeated once with that cookie. If it still goes in a circle, the rules exist but cannot be reached.
 */
export class RobotsWalk {
  readonly #answers: { url: string; cookies: readonly SetCookie[] }[] = [];
  readonly #asked = new Set<string>();
  #sendsCookies = false;

  /** What a redirect means: its target is asked for next, or there is no file, or the file cannot be reached. */
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

  /** The Cookie header to send; null if there is none. */
  cookieFor(url: string): string | null {
    return this.#sendsCookies ? cookieHeader(this.#answers, url) : null;
  }
}
