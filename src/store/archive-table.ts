import type { Database, Statement } from './sqlite.js';
import type { ArchivedRecord } from './transaction.js';

/**
 * The records of a crawl's archive, by their place in its files. A store has the table only where its crawl is archived, so one of an earlier
 * version needs no upgrade.
 */
const ARCHIVE_TABLE = `CREATE TABLE IF NOT EXISTS archived (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, surt TEXT NOT NULL, at REAL NOT NULL, method TEXT NOT NULL, status INTEGER NOT NULL, mime TEXT,
  digest TEXT NOT NULL, revisit INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS payloads (digest TEXT PRIMARY KEY, url TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;`;

/** How far the archive goes: what stands beyond is of a commit that never was. */
export interface ArchiveMark {
  /** From 1; 0 before the first. */
  segment: number;
  length: number;
}

export const NO_ARCHIVE_YET: ArchiveMark = { segment: 0, length: 0 };

export const ARCHIVE_MARK = 'archive';

export function archiveMark(meta: Readonly<Record<string, string>>): ArchiveMark | null {
  const text = meta[ARCHIVE_MARK];
  return text === undefined ? null : (JSON.parse(text) as ArchiveMark);
}

export class ArchiveTable {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #keepPayload: Statement;
  readonly #payload: Statement;
  readonly #url: Statement;

  /** @param create the crawl begins */
  constructor(database: Database, create: boolean) {
    if (create) {
      database.exec(ARCHIVE_TABLE);
    }
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT INTO archived (url, surt, at, method, status, mime, digest, revisit, segment, offset, length)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#keepPayload = database.prepare('INSERT OR IGNORE INTO payloads (digest, url, at) VALUES (?, ?, ?)');
    this.#payload = database.prepare('SELECT url, at FROM payloads WHERE digest = ?');
    this.#url = database.prepare('SELECT url FROM urls WHERE id = ?');
  }

  /** The record that has this payload first; null if none has. */
  payload(digest: string): { url: string; at: number } | null {
    return (this.#payload.get(digest) as { url: string; at: number } | undefined) ?? null;
  }

  urlOf(id: number): string | null {
    return this.#url.get(id)?.url ?? null;
  }

  /** Part of the transaction that settles what they are records of. */
  add(records: readonly ArchivedRecord[]): void {
    for (const record of records) {
      const { url, surt, at, method, status, mime, digest, isRevisit, isWhole, segment, offset, length } = record;
      this.#insert.run(url, surt, at, method, status, mime, digest, Number(isRevisit), segment, offset, length);
      if (isWhole) {
        this.#keepPayload.run(digest, url, at);
      }
    }
  }

  sorted(): IterableIterator<ArchivedRecord> {
    return new ArchiveReader(this.#database).sorted();
  }
}

/** What a crawl has archived; nothing where it was not. */
export class ArchiveReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Responses, and records that stand for them. */
  get records(): number {
    return this.#isThere ? this.#database.prepare('SELECT count(*) AS n FROM archived').get()!.n : 0;
  }

  get #isThere(): boolean {
    return (
      this.#database.prepare("SELECT 1 AS yes FROM sqlite_master WHERE type = 'table' AND name = 'archived'").get() !==
      undefined
    );
  }

  /** In the order of an index. */
  *sorted(): IterableIterator<ArchivedRecord> {
    const rows = this.#database.prepare('SELECT * FROM archived ORDER BY surt, at, id').iterate();
    for (const { revisit, ...row } of rows) {
      yield { ...row, isRevisit: revisit === 1, isWhole: false } as ArchivedRecord;
    }
  }
}
