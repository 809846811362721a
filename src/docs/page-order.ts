import { LINK_KIND_NUMBER } from '../parse/links.js';
import { edgeFollowed, edgeKind, edgesFromBlob, edgeZone } from '../store/packed-edges.js';
import type { Database, Statement } from '../store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { IdentityOptions } from '../url/identity.js';
import { SitemapPages } from './sitemap-pages.js';

const { redirect: REDIRECT } = LINK_KIND_NUMBER;

/**
 * The pages of a crawl in the order of the site itself: as its sitemaps name them, then as they are come by from the seeds, level after level,
 * from each page in the order in which its table of contents, its navigation, its text and its footer name them. It depends on what the pages
 * say, not on which came first. What nothing leads to any more is left out.
 */
export class PageOrder {
  readonly #database: Database;
  readonly #identity: IdentityOptions;
  readonly #redirect: Statement;
  readonly #edges: Statement;
  readonly #seedOf: Statement;
  readonly #byUrl: Statement;

  constructor(database: Database, identity: IdentityOptions) {
    this.#database = database;
    this.#identity = identity;
    // There is no index of URLs in the store: one is made for as long as it is needed.
    database.exec(`CREATE TEMP TABLE IF NOT EXISTS by_url (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
      INSERT OR IGNORE INTO temp.by_url SELECT url, id FROM urls WHERE kind = ${UrlKind.page}`);
    this.#byUrl = database.prepare('SELECT id FROM temp.by_url WHERE url = ?');
    this.#redirect = database.prepare('SELECT redirect_to AS "to" FROM pages WHERE id = ?');
    this.#edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
    this.#seedOf = database.prepare(
      `SELECT seed FROM urls WHERE id = ? AND state IN (${UrlState.done}, ${UrlState.failed}, ${UrlState.deferred})`,
    );
  }

  /** Those that belong to a seed. */
  *ofSeed(seed: number): IterableIterator<number> {
    const given = new Set<number>();
    for (const id of this.#all(seed)) {
      if (!given.has(id) && this.#seedOf.get(id)?.seed === seed) {
        given.add(id);
        yield id;
      }
    }
  }

  *#all(seed: number): IterableIterator<number> {
    for (const { url } of new SitemapPages(this.#database, this.#identity).all()) {
      yield* this.#withRedirects(this.#byUrl.get(url)?.id);
    }
    yield* this.#byLinks(seed, '=');
    // Seeds may lie in each other's folders: what links from this one do not lead to may be linked from another.
    yield* this.#byLinks(seed, '<>');
  }

  /** A page, and where it leads to at once if it redirects. */
  *#withRedirects(from: number | null | undefined): IterableIterator<number> {
    const seen = new Set<number>();
    for (let id = from ?? null; id !== null && !seen.has(id); id = this.#redirect.get(id)?.to ?? null) {
      seen.add(id);
      yield id;
    }
  }

  *#byLinks(seed: number, which: '=' | '<>'): IterableIterator<number> {
    const seen = new Set<number>();
    const first = this.#database
      .prepare(
        `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0 AND parent IS NULL AND seed ${which} ?
         ORDER BY seed, url`,
      )
      .all(seed);
    let level = new Set<number>(first.map(({ id }) => id));
    while (level.size > 0) {
      // Pages of one level link to the same pages over and over.
      const next = new Set<number>();
      for (const start of level) {
        for (const id of this.#withRedirects(start)) {
          if (!seen.has(id)) {
            seen.add(id);
            yield id;
            for (const target of targetsOf(this.#edges.get(id)?.packed)) {
              if (!seen.has(target)) {
                next.add(target);
              }
            }
          }
        }
      }
      level = next;
    }
  }
}

/** Where the links of a page lead, zone after zone. */
function targetsOf(packed: Uint8Array | undefined): number[] {
  const words = packed === undefined ? [] : edgesFromBlob(packed);
  const zones: number[][] = [[], [], [], []];
  for (let i = 0; i < words.length; i += 2) {
    const word = words[i + 1]!;
    if (edgeFollowed(word) && edgeKind(word) !== REDIRECT) {
      zones[edgeZone(word)]!.push(words[i]!);
    }
  }
  return zones.flat();
}
