import type { Database, Statement } from './sqlite.js';

/**
 * What a user gave with a URL when he added it (`add`): text of JSON, an object by name. It is kept apart from the page, because it is there
 * before the page is, and stays when the page is asked for again.
 */
export const GIVEN_TABLE = 'CREATE TABLE IF NOT EXISTS given (url INTEGER PRIMARY KEY, data TEXT NOT NULL);';

export const hasGivenTable = (database: Database): boolean =>
  database.prepare("SELECT 1 AS yes FROM sqlite_master WHERE type = 'table' AND name = 'given'").get() !== undefined;

export class GivenData {
  readonly #insert: Statement;
  readonly #select: Statement;
  readonly #page: Statement;
  readonly #updatePage: Statement;
  /** Nearly no crawl has any: then no page pays for it. */
  #isEmpty: boolean;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT OR REPLACE INTO given (url, data) VALUES (?, ?)');
    this.#select = database.prepare('SELECT data FROM given WHERE url = ?');
    this.#page = database.prepare('SELECT data FROM pages WHERE id = ?');
    this.#updatePage = database.prepare('UPDATE pages SET data = ? WHERE id = ?');
    this.#isEmpty = database.prepare('SELECT 1 AS yes FROM given LIMIT 1').get() === undefined;
  }

  /** If a URL is added several times, the names of the last time win. The record of a page that is settled already gets them, too. */
  keep(url: number, data: string): void {
    this.#isEmpty = false;
    this.#insert.run(url, joined(this.#select.get(url)?.data ?? null, data));
    const page = this.#page.get(url);
    if (page !== undefined) {
      this.#updatePage.run(joined(page.data, data), url);
    }
  }

  /** The data in the record of a page: what was given with its URL, overridden by what was taken from the page. Null if nothing was given. */
  joinedWith(url: number, ofPage: string | null): string | null {
    if (this.#isEmpty) {
      return null;
    }
    const given: string | undefined = this.#select.get(url)?.data;
    return given === undefined ? null : joined(given, ofPage);
  }
}

function joined(first: string | null, second: string | null): string {
  if (first === null || second === null || second === '') {
    return first ?? second ?? '{}';
  }
  return JSON.stringify({ ...JSON.parse(first), ...JSON.parse(second) });
}
