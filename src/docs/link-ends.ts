import type { Breaks } from '../base/breaks.js';
import type { DocsReader } from '../store/docs-reader.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import { type IdentityOptions, normaliseUrl } from '../url/identity.js';

/** The URL that a link of a page leads to, as the crawl knows it: in normal form, after all redirects. A fragment stays. */
export async function linkEnds(
  store: DocsReader,
  chains: RedirectChains,
  { stripQuery, stripTracking, sortQuery }: IdentityOptions,
  breaks: Breaks,
): Promise<(url: string) => string> {
  const identity = { stripQuery, stripTracking, sortQuery };
  const ends = await redirectEnds(store, chains, breaks);
  return (url) => {
    const hash = url.indexOf('#');
    const normal = normaliseUrl(url, identity)?.url;
    return normal === undefined ? url : (ends.get(normal) ?? normal) + (hash < 0 ? '' : url.slice(hash));
  };
}

/** The same with or without the slash at its end: a sitemap has the one, links may have the other, and nobody asks where it redirects to. */
export function otherSlash(url: string): string {
  const end = url.search(/[?#]|$/);
  const path = url.slice(0, end);
  return (path.endsWith('/') ? path.slice(0, -1) : `${path}/`) + url.slice(end);
}

async function redirectEnds(store: DocsReader, chains: RedirectChains, breaks: Breaks): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  for (const { id, url } of store.redirects()) {
    const end = chains.endOf(id);
    if (end.problem === null) {
      ends.set(url, store.urlOf(end.id));
    }
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return ends;
}
