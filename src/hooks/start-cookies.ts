import { cookieHeader, readSetCookies, type SetCookie } from '../url/cookies.js';
import type { HookCookies } from './contract.js';

/** A cookie as a server, or `cookies.set`, has set it. */
export interface CookieLine {
  url: string;
  line: string;
}

/** The cookies of `start`: what its own requests were given, and what it set by hand, each for its own origin alone. */
export class StartCookies implements HookCookies {
  readonly #answers: { url: string; cookies: SetCookie[] }[] = [];
  /** In the order in which they came: whoever keeps cookies for the crawl takes them from here. */
  readonly lines: CookieLine[] = [];
  readonly #wall: () => number;

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  get(url: string): string {
    return cookieHeader(this.#answers, new URL(url).href) ?? '';
  }

  set(url: string, cookie: string): void {
    const { href } = new URL(url);
    if (readSetCookies([cookie], href, this.#wall()).length === 0) {
      throw new Error(`cookies.set: ${href} cannot have this cookie`);
    }
    this.take(href, [cookie]);
  }

  /** What an answer sets. */
  take(url: string, lines: readonly string[]): void {
    const cookies = readSetCookies(lines, url, this.#wall());
    if (cookies.length > 0) {
      this.#answers.push({ url, cookies });
      this.lines.push(...lines.map((line) => ({ url, line })));
    }
  }
}
