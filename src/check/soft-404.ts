import type { Database } from '../store/sqlite.js';
import type { LinkTable } from './link-table.js';
import type { UrlRow } from './url-rows.js';

/** Pages that are there by their status only. */
export class Soft404s {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  queue(_table: LinkTable): number {
    return 0;
  }

  *lookalikes(): IterableIterator<number> {
    this.#database.prepare('SELECT 1').get();
  }

  of(_row: UrlRow): string | null {
    return null;
  }
}
