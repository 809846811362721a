import type { LinkedPlace } from '../content/markdown/linked-places.js';
import type { Database } from '../store/sqlite.js';
import { otherSlash } from './link-ends.js';

/** The places of all pages that some page links to. They are in a table, as there is no end to how many a site has. */
export class LinkedIds {
  readonly #insert;
  readonly #select;

  /** @param endOf where redirects of a URL end */
  constructor(
    database: Database,
    readonly endOf: (url: string) => string,
  ) {
    database.exec(`DROP TABLE IF EXISTS temp.linked_ids;
      CREATE TEMP TABLE linked_ids (url TEXT, id TEXT, PRIMARY KEY (url, id)) WITHOUT ROWID`);
    this.#insert = database.prepare('INSERT OR IGNORE INTO temp.linked_ids (url, id) VALUES (?, ?)');
    this.#select = database.prepare('SELECT id FROM temp.linked_ids WHERE url IN (?, ?)');
  }

  add(places: readonly LinkedPlace[]): void {
    for (const { url, id } of places) {
      this.#insert.run(this.endOf(url), id);
    }
  }

  of(url: string): string[] {
    return this.#select.all(url, otherSlash(url)).map(({ id }) => id);
  }
}
