import { type Database, openDatabase, type Statement } from './sqlite.js';
import { TEMPORARY } from './store-file.js';

/** So many are one transaction. */
const BATCH = 1_000;

/**
 * What differs between two crawls, kept in a private file of SQLite until it has been told: reports want the counts first, and the differences
 * sort by sort. The file is gone with its connection.
 */
export class ChangeSpool {
  readonly #database: Database;
  readonly #insert: Statement;
  #count = 0;

  constructor() {
    this.#database = openDatabase(TEMPORARY);
    this.#database.exec(
      'CREATE TABLE changes (place INTEGER PRIMARY KEY, sort TEXT NOT NULL, record TEXT NOT NULL); CREATE INDEX changes_sort ON changes (sort, place); BEGIN',
    );
    this.#insert = this.#database.prepare('INSERT INTO changes (sort, record) VALUES (?, ?)');
  }

  add(sort: string, record: object): void {
    this.#insert.run(sort, JSON.stringify(record));
    this.#count++;
    if (this.#count % BATCH === 0) {
      this.#database.exec('COMMIT; BEGIN');
    }
  }

  /** In the order in which they were added. */
  *of(sort: string): IterableIterator<unknown> {
    const select = this.#database.prepare('SELECT record FROM changes WHERE sort = ? ORDER BY place');
    for (const { record } of select.iterate(sort)) {
      yield JSON.parse(record);
    }
  }

  close(): void {
    this.#database.close();
  }
}
