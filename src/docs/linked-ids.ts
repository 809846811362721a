import type { LinkedPlace } from '../content/markdown/linked-places.js';
import type { Database, Statement } from '../store/sqlite.js';
import { otherSlash } from './link-ends.js';

/** The places of all pages that some page of the same site links to. They are in a table, as there is no end to how many a site has. */
export class LinkedIds {
  readonly #endOf: (url: string) => string;
  readonly #insert: Statement;
  readonly #select: Statement;
  readonly #delete: Statement;

  /** @param endOf where redirects of a URL end */
  constructor(database: Database, endOf: (url: string) => string) {
    this.#endOf = endOf;
    database.exec(
      'CREATE TEMP TABLE linked_ids (site INTEGER, url TEXT, id TEXT, PRIMARY KEY (site, url, id)) WITHOUT ROWID',
    );
    this.#insert = database.prepare('INSERT OR IGNORE INTO temp.linked_ids (site, url, id) VALUES (?, ?, ?)');
    this.#select = database.prepare('SELECT id FROM temp.linked_ids WHERE site = ? AND url IN (?, ?)');
    this.#delete = database.prepare('DELETE FROM temp.linked_ids WHERE site = ?');
  }

  add(site: number, places: readonly LinkedPlace[]): void {
    for (const { url, id } of places) {
      this.#insert.run(site, this.#endOf(url), id);
    }
  }

  of(site: number, url: string): string[] {
    return this.#select.all(site, url, otherSlash(url)).map(({ id }) => id);
  }

  forget(site: number): void {
    this.#delete.run(site);
  }
}
