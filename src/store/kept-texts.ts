import { openKept } from './directory.js';
import type { Database } from './sqlite.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/** A page of a crawl with what is kept of it. */
export interface KeptPage {
  url: string;
  title: string | null;
  /** Of what is packed: the Content-Type, or READABLE_TYPE (page-row.ts). */
  type: string | null;
  /** Deflated. */
  packed: Uint8Array;
}

/** The pages that a crawl kept, one after the other. */
export class KeptTexts {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** The caller that opens it closes it. */
  static open(directory: string): KeptTexts {
    return new KeptTexts(openKept(directory));
  }

  close(): void {
    this.#database.close();
  }

  /** Number of the page that was settled last; it grows with the crawl. */
  lastSeq(): number {
    return this.#database.prepare('SELECT coalesce(max(seq), 0) AS seq FROM pages').get()!.seq;
  }

  /** In the order in which they were found. */
  pages(): IterableIterator<KeptPage> {
    return this.#database
      .prepare(
        `SELECT urls.url AS url, pages.title AS title, bodies.type AS type, contents.packed AS packed
         FROM bodies JOIN contents ON contents.id = bodies.content JOIN urls ON urls.id = bodies.page JOIN pages ON pages.id = bodies.page
         WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done} AND (urls.flags & ${UrlFlag.external}) = 0
           AND pages.redirect_to IS NULL ORDER BY bodies.page`,
      )
      .iterate() as IterableIterator<KeptPage>;
  }
}
