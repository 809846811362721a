import { existsSync, rmSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { DuplicatePages } from './corpus-duplicates.js';
import { type Database, openDatabase, rollBack, Statements } from './sqlite.js';

/**
 * state.db in DIR.partial: the pages that were handed over, until the corpus is finished. Each is one transaction, so that a kill loses
 * none that was taken. `run` is the last run that named a page; `duplicate_of` and `path` are worked out when all are there, and what is in
 * `entries` then. What is long of a page is in `contents`: a row is written anew as a whole when a part of it changes. `before` and
 * `tombstones` are what the corpus says that is there already.
 * Nothing waits for the disk: all of it is made of what a crawl keeps, and one that a power cut has damaged is begun anew.
 */
const STATE_VERSION = 3;

/** It had all but one column. */
const BEFORE_KEPT = 2;

const STATE_TABLES = `
  PRAGMA synchronous = OFF;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY,
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    final_url TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    lang TEXT,
    canonical TEXT,
    etag TEXT,
    last_modified TEXT,
    crawled TEXT NOT NULL,
    hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    text_hash TEXT,
    title_key TEXT NOT NULL,
    duplicate_of TEXT,
    duplicate_kind TEXT,
    path TEXT,
    measure TEXT NOT NULL,
    kept REAL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS contents (
    url TEXT PRIMARY KEY,
    markdown TEXT NOT NULL,
    text TEXT NOT NULL,
    links TEXT NOT NULL,
    chunks TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pages_by_order ON pages (run, ordinal);
  CREATE INDEX IF NOT EXISTS pages_by_final_url ON pages (final_url);
  CREATE INDEX IF NOT EXISTS pages_by_text ON pages (text_hash);
  CREATE INDEX IF NOT EXISTS pages_by_title ON pages (title_key);
  CREATE INDEX IF NOT EXISTS pages_by_kept ON pages (duplicate_of) WHERE duplicate_of IS NOT NULL;
  CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, url TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS pages_by_path ON pages (path);
  CREATE TABLE IF NOT EXISTS entries (ordinal INTEGER PRIMARY KEY, section TEXT NOT NULL, entry TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tombstones (url TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS before (
    url TEXT PRIMARY KEY,
    entry TEXT NOT NULL,
    line_start INTEGER,
    line_length INTEGER,
    chunks_start INTEGER,
    chunks_length INTEGER
  ) STRICT, WITHOUT ROWID;
`;

/** A page as it is handed over. */
export interface StoredDocument {
  url: string;
  finalUrl: string;
  title: string;
  description: string | null;
  lang: string | null;
  markdown: string;
  text: string;
  canonical: string | null;
  etag: string | null;
  lastModified: string | null;
  crawledAt: string;
  /** Left out where all of the page is kept. */
  kept?: number;
}

/** What follows from a page alone. */
export interface StoredMeasure {
  hash: string;
  textHash: string | null;
  titleKey: string;
  /** Its links, in JSON. */
  links: string;
}

/** A page as the finished corpus has it. */
export interface StatePage extends Omit<StoredDocument, 'finalUrl' | 'crawledAt'> {
  crawled: string;
  hash: string;
  tokens: number;
  path: string;
  /** Lines of chunks.jsonl. */
  chunks: string;
  links: { start: number; end: number; url: string }[];
}

/** What the existing corpus says about a page. */
export interface EarlierPage<Entry> {
  entry: Entry;
  /** Where its line stands in that corpus's corpus.jsonl. */
  lineStart: number;
  lineLength: number;
  /** Where its lines stand in chunks.jsonl. */
  chunksStart: number;
  chunksLength: number;
}

/** The pages of a corpus that is being written. Whoever opens it holds the lock of the folder. */
export class CorpusState<Entry extends { url: string }, Removed extends { url: string }> {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #run: number;
  #ordinal = 0;
  /** Which of the pages have the content of another. */
  readonly duplicates: DuplicatePages;

  private constructor(database: Database, run: number) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.#run = run;
    this.duplicates = new DuplicatePages(database, this.#statements);
  }

  static open<Entry extends { url: string }, Removed extends { url: string }>(
    path: string,
  ): CorpusState<Entry, Removed> {
    let database: Database | null = null;
    try {
      removeDamaged(path);
      database = openDatabase(path);
      const version = database.prepare('PRAGMA user_version').get()!.user_version;
      if (version === BEFORE_KEPT) {
        database.exec('ALTER TABLE pages ADD COLUMN kept REAL');
      } else if (version !== 0 && version !== STATE_VERSION) {
        throw new StateError(
          'state_version',
          `${path} was written by another version: delete its folder to begin anew`,
        );
      }
      database.exec(
        `${STATE_TABLES}; PRAGMA user_version = ${STATE_VERSION}; DELETE FROM before; DELETE FROM tombstones; DELETE FROM entries;`,
      );
      const run = (database.prepare('SELECT coalesce(max(run), 0) + 1 AS run FROM pages').get()!.run as number) | 0;
      return new CorpusState(database, run);
    } catch (error) {
      database?.close();
      if (error instanceof StateError) {
        throw error;
      }
      throw new StateError('unwritable', `cannot write ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  close(): void {
    this.#database.close();
  }

  begin(): void {
    this.#database.exec('BEGIN');
  }

  commit(): void {
    this.#database.exec('COMMIT');
  }

  /** A connection that is closed while its rows are read keeps its transaction, and with it the next run out. */
  rollBack(): void {
    rollBack(this.#database);
  }

  put(
    page: StoredDocument & { prepared: StoredMeasure },
    { tokens, chunks }: { tokens: number; chunks: string },
    measure: string,
  ): void {
    const { hash, textHash, titleKey, links } = page.prepared;
    this.begin();
    this.#statements
      .of(
        `INSERT OR REPLACE INTO pages (url, run, ordinal, final_url, title, description, lang, canonical, etag,
           last_modified, crawled, hash, text_hash, title_key, measure, tokens, kept)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[page.url, this.#run, this.#ordinal++, page.finalUrl, page.title, page.description, page.lang],
        ...[page.canonical, page.etag, page.lastModified, page.crawledAt, hash, textHash, titleKey, measure, tokens],
        page.kept ?? null,
      );
    this.#statements
      .of('INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?)')
      .run(page.url, page.markdown, page.text, links, chunks);
    this.commit();
  }

  /** Takes a page over from a run that was interrupted; false if it has none of that URL that was measured so. */
  renew(
    {
      url,
      hash,
      etag,
      lastModified,
    }: { url: string; hash?: string; etag?: string | null; lastModified?: string | null },
    measure: string,
  ): boolean {
    const { changes } = this.#statements
      .of(
        `UPDATE pages SET run = ?, ordinal = ?, etag = CASE WHEN ? THEN etag ELSE ? END,
           last_modified = CASE WHEN ? THEN last_modified ELSE ? END
         WHERE url = ? AND measure = ? AND hash = coalesce(?, hash)`,
      )
      .run(
        ...[this.#run, this.#ordinal, etag === undefined ? 1 : 0, etag ?? null],
        ...[lastModified === undefined ? 1 : 0, lastModified ?? null, url, measure, hash ?? null],
      );
    if (Number(changes) === 0) {
      return false;
    }
    this.#ordinal++;
    return true;
  }

  /** A page of an interrupted run, as it was handed over; null if that run has no page of the URL. */
  taken(url: string): StoredDocument | null {
    const row = this.#statements
      .of(
        `SELECT url, final_url AS finalUrl, title, description, lang, markdown, text, canonical, etag, last_modified AS lastModified,
           crawled AS crawledAt, kept FROM pages JOIN contents USING (url) WHERE url = ?`,
      )
      .get(url);
    return row === undefined ? null : { ...row, kept: row.kept ?? 1 };
  }

  /** What no input of this run named is left of an earlier one. */
  dropUnnamed(): void {
    this.#database.prepare('DELETE FROM pages WHERE run <> ?').run(this.#run);
    this.#database.exec('DELETE FROM contents WHERE url NOT IN (SELECT url FROM pages)');
  }

  urls(): string[] {
    const rows = this.#database.prepare('SELECT url FROM pages ORDER BY run, ordinal').all();
    return rows.map(({ url }) => url);
  }

  /** Pages that are kept, in their order. */
  *kept(): IterableIterator<StatePage> {
    const rows = this.#database
      .prepare(
        `SELECT url, title, description, lang, markdown, text, canonical, etag, last_modified AS lastModified, crawled, hash, tokens, path,
           chunks, links, coalesce(kept, 1) AS kept
         FROM pages JOIN contents USING (url) WHERE run = ? AND duplicate_of IS NULL ORDER BY ordinal`,
      )
      .iterate(this.#run);
    for (const { links, ...page } of rows) {
      yield { ...page, links: JSON.parse(links) };
    }
  }

  setBefore({ entry, lineStart, lineLength, chunksStart, chunksLength }: EarlierPage<Entry>): void {
    this.#statements
      .of('INSERT OR REPLACE INTO before VALUES (?, ?, ?, ?, ?, ?)')
      .run(entry.url, JSON.stringify(entry), lineStart, lineLength, chunksStart, chunksLength);
  }

  before(url: string): EarlierPage<Entry> | null {
    const row = this.#statements
      .of(
        `SELECT entry, line_start AS lineStart, line_length AS lineLength, chunks_start AS chunksStart, chunks_length AS chunksLength
         FROM before WHERE url = ?`,
      )
      .get(url);
    return row === undefined ? null : { ...row, entry: JSON.parse(row.entry) };
  }

  setTombstone(entry: Removed): void {
    this.#statements.of('INSERT OR REPLACE INTO tombstones VALUES (?, ?)').run(entry.url, JSON.stringify(entry));
  }

  /** Pages of the corpus that was there which are not in this one; `duplicateOf` where another has their content. */
  *gone(): IterableIterator<{ entry: Entry; duplicateOf: string | null }> {
    const rows = this.#database
      .prepare(
        `SELECT entry, duplicate_of AS duplicateOf FROM before LEFT JOIN pages USING (url)
         WHERE pages.url IS NULL OR duplicate_of IS NOT NULL ORDER BY before.url`,
      )
      .iterate();
    for (const { entry, duplicateOf } of rows) {
      yield { entry: JSON.parse(entry), duplicateOf };
    }
  }

  /** Tombstones of earlier runs whose page has not come back. */
  *tombstones(): IterableIterator<Removed> {
    const rows = this.#database
      .prepare('SELECT entry FROM tombstones WHERE url NOT IN (SELECT url FROM pages) ORDER BY url')
      .iterate();
    for (const { entry } of rows) {
      yield JSON.parse(entry);
    }
  }

  /** Pages of the corpus that was there and that no input of this run named. */
  unnamed(): string[] {
    const rows = this.#database
      .prepare('SELECT url FROM before WHERE url NOT IN (SELECT url FROM pages WHERE run = ?) ORDER BY url')
      .all(this.#run);
    return rows.map(({ url }) => url);
  }

  /** Takes their paths from all pages. Those that are kept, with the path in the corpus that was there: who had one comes first. */
  takePaths(): { url: string; path: string | null }[] {
    const rows = this.#database
      .prepare(
        `SELECT pages.url AS url, entry ->> 'path' AS path FROM pages LEFT JOIN before USING (url)
         WHERE duplicate_of IS NULL ORDER BY entry IS NULL, length(pages.url), pages.url`,
      )
      .all();
    this.#database.exec('UPDATE pages SET path = NULL');
    return rows as { url: string; path: string | null }[];
  }

  setPath(url: string, path: string): void {
    this.#statements.of('UPDATE pages SET path = ? WHERE url = ?').run(path, url);
  }

  hasPath(path: string): boolean {
    return this.#statements.of('SELECT 1 FROM pages WHERE path = ?').get(path) !== undefined;
  }

  /** By the alphabet; null if no page has one. */
  firstAndLastPath(): { first: string; last: string } | null {
    const { first, last } = this.#database.prepare('SELECT min(path) AS first, max(path) AS last FROM pages').get()!;
    return first === null ? null : { first, last };
  }

  /** Names that are taken; begins with none. */
  claims(): { get(key: string): string | undefined; set(key: string, url: string): unknown } {
    this.#database.exec('DELETE FROM claims');
    const get = this.#database.prepare('SELECT url FROM claims WHERE key = ?');
    const set = this.#database.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?)');
    return { get: (key) => get.get(key)?.url, set: (key, url) => set.run(key, url) };
  }

  addEntry(ordinal: number, section: string, entry: Entry): void {
    this.#statements.of('INSERT INTO entries VALUES (?, ?, ?)').run(ordinal, section, JSON.stringify(entry));
  }

  *entries(section: string | null = null): IterableIterator<Entry> {
    const rows = this.#database
      .prepare(`SELECT entry FROM entries WHERE ?1 IS NULL OR section = ?1 ORDER BY ordinal`)
      .iterate(section);
    for (const { entry } of rows) {
      yield JSON.parse(entry);
    }
  }

  /** In the order of their first pages. */
  sections(): string[] {
    const rows = this.#database.prepare('SELECT section FROM entries GROUP BY section ORDER BY min(ordinal)').all();
    return rows.map(({ section }) => section);
  }

  /** The page that is kept of a URL's content, null if the corpus has none of it. Knows the ends of redirects too. */
  keptPageOf(url: string): { url: string; path: string } | null {
    const row = this.#statements
      .of(
        `SELECT kept.url AS url, kept.path AS path FROM pages asked JOIN pages kept ON kept.url = coalesce(asked.duplicate_of, asked.url)
         WHERE asked.url = ?1 OR asked.final_url = ?1 ORDER BY asked.url <> ?1, asked.ordinal LIMIT 1`,
      )
      .get(url);
    return row === undefined || row.path === null ? null : row;
  }
}

/** Whether a file is the state of a corpus, of whatever version. */
export function isCorpusState(path: string): boolean {
  let database: Database | null = null;
  try {
    database = openDatabase(path, { readOnly: true });
    const tables = "SELECT count(*) AS n FROM sqlite_master WHERE name IN ('pages', 'claims', 'tombstones')";
    return database.prepare(tables).get()!.n === 3;
  } catch {
    return false;
  } finally {
    database?.close();
  }
}

/** Pieces that a power cut has left are useless. */
function removeDamaged(path: string): void {
  if (!existsSync(path) || isIntact(path)) {
    return;
  }
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    rmSync(path + suffix, { force: true });
  }
}

function isIntact(path: string): boolean {
  const database = openDatabase(path);
  try {
    return database.prepare('PRAGMA quick_check(1)').get()!.quick_check === 'ok';
  } catch (error) {
    if (/malformed/i.test((error as Error).message)) {
      return false;
    }
    throw error;
  } finally {
    database.close();
  }
}
