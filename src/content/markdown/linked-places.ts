import { type Child, walk } from '../element.js';
import { baseOf, idsNamedBy, type PagePlace, resolvedHref } from './links.js';
import { isNoise } from './noise.js';

/** A place on a page that a link names. */
export interface LinkedPlace {
  /** Absolute, without its fragment. */
  readonly url: string;
  readonly id: string;
}

/** The places that links of a page lead to, on itself and on others: a conversion of these has to keep their ids. */
export function linkedPlaces(nodes: readonly Child[], options: PagePlace): LinkedPlace[] {
  const base = baseOf(options);
  const seen = new Set<string>();
  const places: LinkedPlace[] = [];
  for (const root of nodes) {
    for (const node of walk(root)) {
      const href = typeof node === 'string' || node.name !== 'a' ? null : node.attribute('href');
      if (href === null || !href.includes('#') || seen.has(href) || isNoise(node as Exclude<Child, string>)) {
        continue;
      }
      seen.add(href);
      const url = resolvedHref(href, base);
      if (url === null || url.hash.length < 2) {
        continue;
      }
      for (const id of idsNamedBy(url.hash.slice(1))) {
        places.push({ url: url.href.slice(0, -url.hash.length), id });
      }
    }
  }
  return places;
}
