import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import type { CookieChange, KeptCookie } from '../url/kept-cookie.js';
import { type Database, openDatabase, rollBack } from './sqlite.js';

/** "GOSC": the cookies of a crawl. */
const APPLICATION_ID = 0x474f5343;

export interface SiteCookie {
  site: string;
  cookie: KeptCookie;
}

export const cookiesPath = (directory: string): string => join(directory, 'cookies.sqlite');

/**
 * The cookies that a crawl keeps, in a file of their own beside its store: crawl.sqlite is passed on, this one is its owner's alone (0600). What
 * is overwritten or deleted is gone from the file too. It is written before the commit of the page that set a cookie, so that after a
 * kill no page is settled whose cookies are missing.
 */
export class CookieStore {
  readonly #database: Database;
  readonly #put;
  readonly #drop;

  constructor(directory: string) {
    const path = cookiesPath(directory);
    try {
      // SQLite gives the files beside it the rights of the file itself.
      closeSync(openSync(path, 'a', 0o600));
      chmodSync(path, 0o600);
      this.#database = openDatabase(path);
      verify(this.#database, path);
    } catch (error) {
      throw error instanceof StateError
        ? error
        : new StateError('store_open', `cannot open ${path}: ${(error as Error).message}`, { cause: error });
    }
    this.#put = this.#database.prepare(
      'INSERT INTO jar (site, key, cookie) VALUES (?, ?, ?) ON CONFLICT (site, key) DO UPDATE SET cookie = excluded.cookie',
    );
    this.#drop = this.#database.prepare('DELETE FROM jar WHERE site = ? AND key = ?');
  }

  all(): SiteCookie[] {
    return this.#database
      .prepare('SELECT site, cookie FROM jar')
      .all()
      .map(({ site, cookie }) => ({ site, cookie: JSON.parse(cookie) as KeptCookie }));
  }

  keep(changes: readonly CookieChange[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { site, key, cookie } of changes) {
        if (cookie === null) {
          this.#drop.run(site, key);
        } else {
          this.#put.run(site, key, JSON.stringify(cookie));
        }
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}

function verify(database: Database, path: string): void {
  const id = database.prepare('PRAGMA application_id').get()?.application_id;
  const tables = database.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.n;
  if (tables > 0 && id !== APPLICATION_ID) {
    throw new StateError('store_corrupt', `${path} holds something other than the cookies of a crawl: move it away`);
  }
  database.exec(
    `PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA application_id = ${APPLICATION_ID};
     CREATE TABLE IF NOT EXISTS jar (site TEXT NOT NULL, key TEXT NOT NULL, cookie TEXT NOT NULL, PRIMARY KEY (site, key)) WITHOUT ROWID`,
  );
}
