import { rmSync } from 'node:fs';
import { type Database, openDatabase, type Statement } from './sqlite.js';

/** The result of a request in an archive: where its record stands, or that there was no answer. */
export interface ArchivedCapture {
  /** Normal form. */
  url: string;
  at: number;
  /** Null if nobody can tell. */
  method: string | null;
  /** Number of the file, of those that the crawl was given. */
  part: number;
  offset: number;
  length: number;
  /** Why there was no answer; null if there was one. */
  error: string | null;
  message: string | null;
  digest: string | null;
  /** The record has no payload: that stands with another record of the same digest. */
  isRevisit: boolean;
}

const TABLES = `
CREATE TABLE captures (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, at REAL NOT NULL, method TEXT, part INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
  error TEXT, message TEXT, digest TEXT, revisit INTEGER NOT NULL);
CREATE TABLE made (of TEXT NOT NULL);`;

const INDEXES = `
CREATE INDEX captures_url ON captures (url);
CREATE INDEX captures_digest ON captures (digest) WHERE digest IS NOT NULL AND revisit = 0;`;

const COLUMNS = 'id, url, at, method, part, offset, length, error, message, digest, revisit AS isRevisit';

/** How many records make one transaction. */
const AT_ONCE = 5_000;

/** The answers of archives by URL, in a file beside the crawl that replays them: an archive may be larger than memory. */
export class ArchiveIndexWriter {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #setMethod: Statement;
  #open = 0;

  /** What stood under this name goes. */
  constructor(path: string) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) {
      rmSync(path + suffix, { force: true });
    }
    this.#database = openDatabase(path);
    // It can be made again from the archive.
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${TABLES} BEGIN;`);
    this.#insert = this.#database.prepare(
      'INSERT INTO captures (url, at, method, part, offset, length, error, message, digest, revisit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#setMethod = this.#database.prepare('UPDATE captures SET method = ? WHERE id = ?');
  }

  /** Returns the number of the capture. */
  add({ url, at, method, part, offset, length, error, message, digest, isRevisit }: ArchivedCapture): number {
    if (++this.#open % AT_ONCE === 0) {
      this.#database.exec('COMMIT; BEGIN;');
    }
    const values = [url, at, method, part, offset, length, error, message, digest, Number(isRevisit)];
    return Number(this.#insert.run(...values).lastInsertRowid);
  }

  /** Learnt later: the request may stand behind its answer. */
  setMethod(id: number, method: string): void {
    this.#setMethod.run(method, id);
  }

  /** @param of what it was made of, as a text that changes with it */
  finish(of: string): void {
    this.#database.prepare('INSERT INTO made (of) VALUES (?)').run(of);
    this.#database.exec(`COMMIT; ${INDEXES}`);
    this.#database.close();
  }

  /** It is not finished. */
  close(): void {
    this.#database.close();
  }
}

/** What an index was made of; null if there is no complete one. */
export function archiveIndexOf(path: string): string | null {
  try {
    const database = openDatabase(path, { readOnly: true });
    try {
      return database.prepare('SELECT of FROM made').get()?.of ?? null;
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}

export class ArchiveIndex {
  readonly #database: Database;
  readonly #find: Statement;
  readonly #payload: Statement;

  constructor(path: string) {
    this.#database = openDatabase(path, { readOnly: true });
    // The last one counts, as it does for the crawl that has made the archive. An answer to the same method tells more than a later one to another.
    this.#find = this.#database.prepare(
      `SELECT ${COLUMNS} FROM captures WHERE url = ? ORDER BY (method IS NULL OR method = ?) DESC, (method IS NOT 'HEAD') DESC, at DESC, id DESC LIMIT 1`,
    );
    this.#payload = this.#database.prepare(
      `SELECT ${COLUMNS} FROM captures WHERE digest = ? AND revisit = 0 AND error IS NULL AND method IS NOT 'HEAD' LIMIT 1`,
    );
  }

  /** Null if the archives have no answer for it. */
  find(url: string, method: string): ArchivedCapture | null {
    return captureOf(this.#find.get(url, method));
  }

  /** A record that has the payload; null if none has. */
  payload(digest: string): ArchivedCapture | null {
    return captureOf(this.#payload.get(digest));
  }

  close(): void {
    this.#database.close();
  }
}

const captureOf = (row: ReturnType<Statement['get']>): ArchivedCapture | null =>
  row === undefined ? null : { ...row, isRevisit: row.isRevisit === 1 };
