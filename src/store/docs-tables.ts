import type { Breaks } from '../base/breaks.js';
import type { Database, Statement } from './sqlite.js';

/**
 * What `docs` gathers of a site, in temporary tables: there is no end to how much a site has. They belong to the connection, which may be open
 * for reading only, and go with it; each can be made once a connection.
 */

const IDS_A_TURN = 20_000;

/** This character follows the slash in order. So all URLs below a folder sort between `folder/` and `folder0`, and an index finds them. */
const AFTER_SLASH = '0';

/** Finds URLs by their text, for which the store has no index. */
export class UrlIndex {
  readonly #byUrl: Statement;
  readonly #under: Statement;

  private constructor(database: Database) {
    this.#byUrl = database.prepare('SELECT id FROM temp.by_url WHERE url = ?');
    this.#under = database.prepare('SELECT 1 AS yes FROM temp.by_url WHERE url >= ? AND url < ? LIMIT 1');
  }

  /** @param wanted which rows of `urls`, in SQL */
  static async of(database: Database, wanted: string, breaks: Breaks): Promise<UrlIndex> {
    database.exec('CREATE TEMP TABLE by_url (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID');
    const insert = database.prepare(
      `INSERT OR IGNORE INTO temp.by_url SELECT url, id FROM urls WHERE id >= ? AND id < ? AND ${wanted}`,
    );
    const { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM urls').get()!;
    for (let from = 0; from <= last; from += IDS_A_TURN) {
      if (from > 0) {
        await breaks.take();
      }
      insert.run(from, from + IDS_A_TURN);
    }
    return new UrlIndex(database);
  }

  idOf(url: string): number | undefined {
    return this.#byUrl.get(url)?.id;
  }

  /** @param url without a slash at its end */
  hasUnder(url: string): boolean {
    return this.#under.get(`${url}/`, `${url}${AFTER_SLASH}`) !== undefined;
  }
}

/** What the sitemaps name, and until when each may have changed. */
export class NamedUrls {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #under: Statement;
  readonly #has: Statement;

  constructor(database: Database) {
    this.#database = database;
    database.exec('CREATE TEMP TABLE named (url TEXT PRIMARY KEY, until REAL) WITHOUT ROWID');
    this.#insert = database.prepare('INSERT OR REPLACE INTO temp.named VALUES (?, ?)');
    this.#under = database.prepare('SELECT 1 AS yes FROM temp.named WHERE url >= ? AND url < ? LIMIT 1');
    this.#has = database.prepare('SELECT 1 AS yes FROM temp.named WHERE url = ?');
  }

  /** @param until null if that is unknown */
  add(url: string, until: number | null): void {
    this.#insert.run(url, until);
  }

  has(url: string): boolean {
    return this.#has.get(url) !== undefined;
  }

  /** By their text. */
  *all(): IterableIterator<string> {
    for (const { url } of this.#database.prepare('SELECT url FROM temp.named ORDER BY url').iterate()) {
      yield url;
    }
  }

  /** @param url without a slash at its end */
  hasUnder(url: string): boolean {
    return this.#under.get(`${url}/`, `${url}${AFTER_SLASH}`) !== undefined;
  }
}

/** What the sitemaps name, by site and path: a folder is a range of it. */
export class NamedPlaces {
  readonly #insert: Statement;
  readonly #has: Statement;
  readonly #count: Statement;
  /** Seeds of one site have one folder above them. */
  readonly #counts = new Map<string, number>();

  constructor(database: Database) {
    database.exec('CREATE TEMP TABLE named_places (place TEXT, url TEXT, PRIMARY KEY (place, url)) WITHOUT ROWID');
    this.#insert = database.prepare('INSERT OR IGNORE INTO temp.named_places VALUES (?, ?)');
    this.#has = database.prepare('SELECT 1 FROM temp.named_places WHERE place = ? AND url = ?');
    this.#count = database.prepare('SELECT count(*) AS count FROM temp.named_places WHERE place >= ? AND place < ?');
  }

  add(place: string, url: string): void {
    this.#insert.run(place, url);
  }

  has(place: string, url: string): boolean {
    return this.#has.get(place, url) !== undefined;
  }

  /** Counted when it is first asked for. @param folder ends in a slash */
  countUnder(folder: string): number {
    let count = this.#counts.get(folder);
    if (count === undefined) {
      count = this.#count.get(folder, `${folder.slice(0, -1)}${AFTER_SLASH}`)!.count as number;
      this.#counts.set(folder, count);
    }
    return count;
  }
}

/** The places on pages that some page of the same site links to. */
export class LinkedIds {
  readonly #insert: Statement;
  readonly #select: Statement;
  readonly #delete: Statement;

  constructor(database: Database) {
    database.exec(
      'CREATE TEMP TABLE linked_ids (site INTEGER, url TEXT, id TEXT, PRIMARY KEY (site, url, id)) WITHOUT ROWID',
    );
    this.#insert = database.prepare('INSERT OR IGNORE INTO temp.linked_ids (site, url, id) VALUES (?, ?, ?)');
    this.#select = database.prepare('SELECT id FROM temp.linked_ids WHERE site = ? AND url IN (?, ?)');
    this.#delete = database.prepare('DELETE FROM temp.linked_ids WHERE site = ?');
  }

  add(site: number, url: string, id: string): void {
    this.#insert.run(site, url, id);
  }

  /** Of a page that is known by two URLs. */
  of(site: number, url: string, other: string): string[] {
    return this.#select.all(site, url, other).map(({ id }) => id);
  }

  forget(site: number): void {
    this.#delete.run(site);
  }
}
