import { markedPath, pagePath } from './page-path.js';
import { foldedPath } from './safe-name.js';

/** Which URL has which name; a Map is one. */
export interface Claims {
  get(key: string): string | undefined;
  set(key: string, url: string): unknown;
}

/**
 * Gives each page of a corpus a path that no other page has, on any file system. Two that want the same one differ in case, in a form of
 * Unicode, in `.html`, or between `/a/` and `/a/index.html`: whoever asks first gets it, the others have a hash of their URL behind the name.
 * So the pages that had a path before ask first, and the rest in the order of `byClaim`: the same URLs then have the same paths, in
 * whatever order they were found, and a new one takes no other's name.
 */
export class PathBook {
  readonly #origin: string;
  readonly #claims: Claims;

  constructor(origin: string, claims: Claims = new Map()) {
    this.#origin = origin;
    this.#claims = claims;
  }

  /** @param before its path in an earlier corpus, which is taken from a file and only believed where it could be this page's */
  assign(url: string, before: string | null = null): string {
    const wished = pagePath(url, this.#origin);
    const choices = [wished, markedPath(wished, url)];
    if (before === choices[1]) choices.reverse();
    while (!this.#claim(choices[0]!, url)) {
      choices.shift();
      // Ten hex digits are shared once in a trillion pairs, or by somebody who works for it.
      if (choices.length === 1) choices.push(markedPath(choices[0]!, `${url}#${choices[0]}`));
    }
    return choices[0]!;
  }

  #claim(path: string, url: string): boolean {
    const key = foldedPath(path);
    const holder = this.#claims.get(key);
    if (holder === undefined) this.#claims.set(key, url);
    return holder === undefined || holder === url;
  }
}

/** The order in which pages that are new ask for their paths. */
export function byClaim(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Paths of URLs, `before` those of an earlier corpus. */
export function assignPaths(
  urls: Iterable<string>,
  origin: string,
  before: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const book = new PathBook(origin);
  const all = [...new Set(urls)].sort(byClaim);
  const known = all.filter((url) => before.has(url));
  const fresh = all.filter((url) => !before.has(url));
  return new Map([...known, ...fresh].map((url) => [url, book.assign(url, before.get(url) ?? null)]));
}
