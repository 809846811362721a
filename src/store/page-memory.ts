import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase, Statements } from './sqlite.js';

/** In the data directory. */
const FILE = 'converted.sqlite';
const MEMORY_VERSION = 1;

/**
 * What the making of a corpus remembers of its pages, beside the crawl: `pages` has what the site's memory learned of each and under which key it was
 * converted to what, `seals` under which key each corpus was written. All of it can be worked out again: nothing waits for the disk, and a
 * file that is damaged or of another version is begun anew.
 */
const TABLES = `
  PRAGMA synchronous = OFF;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY,
    facts_key TEXT NOT NULL,
    fingerprints BLOB NOT NULL,
    linked TEXT NOT NULL,
    key TEXT,
    hash TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS seals (output TEXT PRIMARY KEY, key TEXT NOT NULL, files TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TEMP TABLE named (url TEXT PRIMARY KEY) WITHOUT ROWID;
  PRAGMA user_version = ${MEMORY_VERSION};
`;

/** What a page adds to the memory of its site, and which places on others it links to. */
export interface RememberedFacts {
  fingerprints: Uint32Array;
  /** JSON. */
  linked: string;
}

/** What a page was converted to. */
export interface RememberedPage {
  /** Of all that decides what comes out of the page. */
  key: string;
  /** Of its Markdown. */
  hash: string;
}

export class PageMemory {
  readonly #database: Database;
  readonly #statements: Statements;
  #isWriting = false;
  /** Another process writes it: what this one finds out is then not remembered. */
  #isTaken = false;

  private constructor(database: Database) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  /** Null if it cannot be had or written: the corpus is made without it. */
  static open(directory: string): PageMemory | null {
    const path = join(directory, FILE);
    try {
      let database = existsSync(path) ? tryToOpen(path) : null;
      if (database === null) {
        for (const suffix of ['', '-wal', '-shm', '-journal']) {
          rmSync(path + suffix, { force: true });
        }
        database = openDatabase(path, { timeoutMs: 0 });
      }
      database.exec(TABLES);
      return new PageMemory(database);
    } catch {
      return null;
    }
  }

  /** Only to look things up. Null if there is none of this version, or another process is at it. */
  static openToRead(directory: string): PageMemory | null {
    let database: Database | null = null;
    try {
      database = openDatabase(join(directory, FILE), { readOnly: true, timeoutMs: 0 });
      if (database.prepare('PRAGMA user_version').get()!.user_version === MEMORY_VERSION) {
        return new PageMemory(database);
      }
    } catch {
      // Without it all pages are read.
    }
    database?.close();
    return null;
  }

  close(): void {
    this.#commit();
    this.#database.close();
  }

  factsOf(url: string, factsKey: string): RememberedFacts | null {
    const row = this.#statements
      .of('SELECT fingerprints, linked FROM pages WHERE url = ? AND facts_key = ?')
      .get(url, factsKey);
    return row === undefined ? null : { fingerprints: wordsOf(row.fingerprints), linked: row.linked };
  }

  setFacts(url: string, factsKey: string, { fingerprints, linked }: RememberedFacts): void {
    if (!this.#begin()) {
      return;
    }
    const bytes = new Uint8Array(fingerprints.buffer, fingerprints.byteOffset, fingerprints.byteLength);
    this.#statements
      .of('INSERT OR REPLACE INTO pages (url, facts_key, fingerprints, linked) VALUES (?, ?, ?, ?)')
      .run(url, factsKey, bytes, linked);
  }

  pageOf(url: string): RememberedPage | null {
    const row = this.#statements.of('SELECT key, hash FROM pages WHERE url = ? AND key IS NOT NULL').get(url);
    return row === undefined ? null : { key: row.key, hash: row.hash };
  }

  setPage(url: string, { key, hash }: RememberedPage): void {
    if (this.#begin()) {
      this.#statements.of('UPDATE pages SET key = ?, hash = ? WHERE url = ?').run(key, hash, url);
    }
  }

  /** The page is still there: what `forgetOthers` is not told of goes. */
  name(url: string): void {
    this.#statements.of('INSERT OR IGNORE INTO temp.named VALUES (?)').run(url);
  }

  forgetOthers(): void {
    if (this.#begin()) {
      this.#database.exec('DELETE FROM pages WHERE url NOT IN (SELECT url FROM temp.named)');
    }
  }

  /** Under which key the corpus in a folder was written, and which files came of it; null if nothing is known of that. */
  sealOf(output: string): { key: string; files: string } | null {
    const row = this.#statements.of('SELECT key, files FROM seals WHERE output = ?').get(output);
    return row === undefined ? null : { key: row.key, files: row.files };
  }

  seal(output: string, { key, files }: { key: string; files: string }): void {
    if (this.#begin()) {
      this.#statements.of('INSERT OR REPLACE INTO seals VALUES (?, ?, ?)').run(output, key, files);
    }
  }

  #begin(): boolean {
    if (!this.#isWriting && !this.#isTaken) {
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        this.#isWriting = true;
      } catch (error) {
        if (!isBusy(error)) {
          throw error;
        }
        this.#isTaken = true;
      }
    }
    return this.#isWriting;
  }

  #commit(): void {
    if (this.#isWriting) {
      this.#database.exec('COMMIT');
      this.#isWriting = false;
    }
  }
}

const isBusy = (error: unknown): boolean => /locked|busy/i.test((error as Error).message);

/** Bytes of SQLite need not begin where words may. */
const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer);

function tryToOpen(path: string): Database | null {
  let database: Database | null = null;
  try {
    database = openDatabase(path, { timeoutMs: 0 });
    const isKnown = database.prepare('PRAGMA user_version').get()!.user_version === MEMORY_VERSION;
    if (isKnown && database.prepare('PRAGMA quick_check(1)').get()!.quick_check === 'ok') {
      return database;
    }
  } catch (error) {
    // No database at all, or one in pieces, unless somebody else is at it.
    if (isBusy(error)) {
      database?.close();
      throw error;
    }
  }
  database?.close();
  return null;
}
