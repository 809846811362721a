import type { Breaks } from '../base/breaks.js';
import { edgeFollowed, edgesFromBlob } from '../store/packed-edges.js';
import type { Database, Statement } from '../store/sqlite.js';
import type { SeedRow } from '../store/transaction.js';
import { barePathOf } from '../url/host.js';
import type { IdentityOptions } from '../url/identity.js';
import { siteOf } from '../url/scope.js';
import { SitemapPages } from './sitemap-pages.js';

/** With fewer pages than this the scope is probably not what was meant. */
export const FEW_PAGES = 5;

/** What one folder up would give, as far as the pages that were read and the sitemaps tell. Sitemaps are read once for all seeds. */
export class ScopeHints {
  readonly #database: Database;
  readonly #identity: IdentityOptions;
  readonly #breaks: Breaks;
  #named: Promise<NamedPlaces> | null = null;

  constructor(database: Database, identity: IdentityOptions, breaks: Breaks) {
    this.#database = database;
    this.#identity = identity;
    this.#breaks = breaks;
  }

  /** Null where that is nothing more. */
  async of({ scope, scopeUrls }: SeedRow, pages: readonly number[]): Promise<string | null> {
    const url = scopeUrls.at(-1)!;
    const up = new URL(url.endsWith('/') ? '..' : '.', url).href;
    if (scope !== 'prefix' || new URL(up).pathname === new URL(url).pathname) {
      return null;
    }
    this.#named ??= NamedPlaces.of(this.#database, this.#identity, this.#breaks);
    const named = await this.#named;
    const folder = placeOf(up);
    const linked = new Set<string>();
    for (const known of linkedFrom(this.#database, pages)) {
      const place = placeOf(known);
      if (place.startsWith(folder) && !named.has(place, known)) {
        linked.add(known);
      }
      if (this.#breaks.isDue()) await this.#breaks.take();
    }
    const found = named.countUnder(folder) + linked.size;
    return found <= pages.length
      ? null
      : `only ${pages.length} ${pages.length === 1 ? 'page is' : 'pages are'} in scope; ${up} would give ${found.toLocaleString('en-US')} or more`;
  }
}

/** What the sitemaps name, by site and path: a folder is a range of it. */
class NamedPlaces {
  readonly #has: Statement;
  readonly #count: Statement;
  /** Seeds of one site have one folder above them. */
  readonly #counts = new Map<string, number>();

  private constructor(database: Database) {
    database.exec('CREATE TEMP TABLE named_places (place TEXT, url TEXT, PRIMARY KEY (place, url)) WITHOUT ROWID');
    this.#has = database.prepare('SELECT 1 FROM temp.named_places WHERE place = ? AND url = ?');
    this.#count = database.prepare('SELECT count(*) AS count FROM temp.named_places WHERE place >= ? AND place < ?');
  }

  static async of(database: Database, identity: IdentityOptions, breaks: Breaks): Promise<NamedPlaces> {
    const named = new NamedPlaces(database);
    const insert = database.prepare('INSERT OR IGNORE INTO temp.named_places VALUES (?, ?)');
    for (const { url } of new SitemapPages(database, identity).all()) {
      insert.run(placeOf(url), url);
      if (breaks.isDue()) await breaks.take();
    }
    return named;
  }

  has(place: string, url: string): boolean {
    return this.#has.get(place, url) !== undefined;
  }

  /** @param folder ends in a slash */
  countUnder(folder: string): number {
    let count = this.#counts.get(folder);
    if (count === undefined) {
      // 0 is the character after the slash.
      count = this.#count.get(folder, `${folder.slice(0, -1)}0`)!.count as number;
      this.#counts.set(folder, count);
    }
    return count;
  }
}

/** By what a scope of the kind `prefix` knows a URL. */
const placeOf = (url: string): string => siteOf(url) + barePathOf(url);

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
