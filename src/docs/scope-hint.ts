import { edgeFollowed, edgesFromBlob } from '../store/packed-edges.js';
import type { Database } from '../store/sqlite.js';
import type { SeedRow } from '../store/transaction.js';
import type { IdentityOptions } from '../url/identity.js';
import { Scope } from '../url/scope.js';
import { SitemapPages } from './sitemap-pages.js';

/** With fewer pages than this the scope is probably not what was meant. */
export const FEW_PAGES = 5;

/** What one folder up would give, as far as the pages that were read and the sitemaps tell; null where that is nothing more. */
export function scopeHint(
  database: Database,
  seed: SeedRow,
  pages: readonly number[],
  identity: IdentityOptions,
): string | null {
  const url = seed.scopeUrls.at(-1)!;
  const up = new URL(url.endsWith('/') ? '..' : '.', url).href;
  if (seed.scope !== 'prefix' || new URL(up).pathname === new URL(url).pathname) {
    return null;
  }
  const wider = new Scope([{ kind: 'prefix', url: up }], { include: [], exclude: [] });
  const found = new Set<string>();
  for (const known of [...linkedFrom(database, pages), ...namedBy(database, identity)]) {
    if (wider.admits(known)) {
      found.add(known);
    }
  }
  return found.size <= pages.length
    ? null
    : `only ${pages.length} ${pages.length === 1 ? 'page is' : 'pages are'} in scope; ${up} would give ${found.size.toLocaleString('en-US')} or more`;
}

function* linkedFrom(database: Database, pages: readonly number[]): IterableIterator<string> {
  const edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
  const urlOf = database.prepare('SELECT url FROM urls WHERE id = ?');
  for (const page of pages) {
    yield urlOf.get(page)!.url;
    const words = edgesFromBlob(edges.get(page)?.packed ?? new Uint8Array());
    for (let i = 0; i < words.length; i += 2) {
      if (edgeFollowed(words[i + 1]!)) {
        yield urlOf.get(words[i]!)!.url;
      }
    }
  }
}

function* namedBy(database: Database, identity: IdentityOptions): IterableIterator<string> {
  for (const { url } of new SitemapPages(database, identity).all()) {
    yield url;
  }
}
