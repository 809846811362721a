import { existsSync, rmSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { type Database, openDatabase, type Statement } from '../store/sqlite.js';
import type { CorpusDocument, KnownDocument, LinkPlace, PreparedDocument } from './document.js';
import type { IndexEntry, RemovedEntry } from './index-entry.js';
import type { Claims } from './path-book.js';
import type { Measured } from './prepare.js';
import { STATE_TABLES, STATE_VERSION } from './state-tables.js';

/** A page in state.db. */
export interface StatePage {
  url: string;
  title: string;
  description: string | null;
  lang: string | null;
  markdown: string;
  text: string;
  canonical: string | null;
  etag: string | null;
  lastModified: string | null;
  crawled: string;
  hash: string;
  tokens: number;
  path: string;
  /** Lines of chunks.jsonl. */
  chunks: string;
  links: LinkPlace[];
}

/** What is known of a page from the corpus that is there already. */
export interface BeforePage {
  entry: IndexEntry;
  /** Where its line stands in that corpus's corpus.jsonl. */
  lineStart: number;
  lineLength: number;
  /** Where its lines stand in chunks.jsonl. */
  chunksStart: number;
  chunksLength: number;
}

const COLUMNS = `url, title, description, lang, markdown, text, canonical, etag, last_modified AS lastModified, crawled, hash, tokens, path, chunks, links
  FROM pages JOIN contents USING (url)`;

/** The pages of a corpus that is being written. Whoever opens it holds the lock of the folder. */
export class State {
  readonly database: Database;
  readonly #run: number;
  #ordinal = 0;
  readonly #put: Statement;
  readonly #putContent: Statement;
  readonly #renew: Statement;
  readonly #setBefore: Statement;
  readonly #before: Statement;

  private constructor(database: Database, run: number) {
    this.database = database;
    this.#run = run;
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO pages (url, run, ordinal, final_url, title, description, lang, canonical, etag,
         last_modified, crawled, hash, text_hash, title_key, measure, tokens)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#putContent = database.prepare('INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?)');
    this.#setBefore = database.prepare('INSERT OR REPLACE INTO before VALUES (?, ?, ?, ?, ?, ?)');
    this.#before = database.prepare(
      `SELECT entry, line_start AS lineStart, line_length AS lineLength, chunks_start AS chunksStart, chunks_length AS chunksLength
       FROM before WHERE url = ?`,
    );
    this.#renew = database.prepare(
      `UPDATE pages SET run = ?, ordinal = ?, etag = coalesce(?, etag), last_modified = coalesce(?, last_modified) WHERE url = ? AND measure = ?`,
    );
  }

  static open(path: string): State {
    let database: Database | null = null;
    try {
      removeDamaged(path);
      database = openDatabase(path);
      const version = database.prepare('PRAGMA user_version').get()!.user_version;
      if (version !== 0 && version !== STATE_VERSION) {
        throw new StateError(
          'state_version',
          `${path} was written by another version: delete its folder to begin anew`,
        );
      }
      database.exec(
        `${STATE_TABLES}; PRAGMA user_version = ${STATE_VERSION}; DELETE FROM before; DELETE FROM tombstones; DELETE FROM entries;`,
      );
      const run = (database.prepare('SELECT coalesce(max(run), 0) + 1 AS run FROM pages').get()!.run as number) | 0;
      return new State(database, run);
    } catch (error) {
      database?.close();
      if (error instanceof StateError) throw error;
      throw new StateError('unwritable', `cannot write ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  close(): void {
    this.database.close();
  }

  put(page: PreparedDocument, { tokens, chunks }: Measured, measure: string): void {
    const { hash, textHash, titleKey, links } = page.prepared;
    this.database.exec('BEGIN');
    this.#put.run(
      ...[page.url, this.#run, this.#ordinal++, page.finalUrl, page.title, page.description, page.lang],
      ...[page.canonical, page.etag, page.lastModified, page.crawledAt, hash, textHash, titleKey, measure, tokens],
    );
    this.#putContent.run(page.url, page.markdown, page.text, links, chunks);
    this.database.exec('COMMIT');
  }

  /** Takes a page over from a run that was interrupted; false where it has none of that URL that was measured so. */
  renew({ url, etag, lastModified }: KnownDocument, measure: string): boolean {
    const { changes } = this.#renew.run(this.#run, this.#ordinal, etag ?? null, lastModified ?? null, url, measure);
    if (Number(changes) === 0) return false;
    this.#ordinal++;
    return true;
  }

  /** A page of a run that was interrupted, as it was handed over; null where it has none of that URL. */
  taken(url: string): CorpusDocument | null {
    const row = this.database
      .prepare(
        `SELECT url, final_url AS finalUrl, title, description, lang, markdown, text, canonical, etag, last_modified AS lastModified,
           crawled AS crawledAt FROM pages JOIN contents USING (url) WHERE url = ?`,
      )
      .get(url);
    return row ?? null;
  }

  /** What no input of this run named is left of an earlier one. */
  dropUnnamed(): void {
    this.database.prepare('DELETE FROM pages WHERE run <> ?').run(this.#run);
    this.database.exec('DELETE FROM contents WHERE url NOT IN (SELECT url FROM pages)');
  }

  urls(): string[] {
    const rows = this.database.prepare('SELECT url FROM pages ORDER BY run, ordinal').all();
    return rows.map(({ url }) => url);
  }

  /** Pages that are kept, in their order. */
  *kept(): IterableIterator<StatePage> {
    const rows = this.database
      .prepare(`SELECT ${COLUMNS} WHERE run = ? AND duplicate_of IS NULL ORDER BY ordinal`)
      .iterate(this.#run);
    for (const { links, ...page } of rows) yield { ...page, links: JSON.parse(links) };
  }

  setBefore({ entry, lineStart, lineLength, chunksStart, chunksLength }: BeforePage): void {
    this.#setBefore.run(entry.url, JSON.stringify(entry), lineStart, lineLength, chunksStart, chunksLength);
  }

  before(url: string): BeforePage | null {
    const row = this.#before.get(url);
    return row === undefined ? null : { ...row, entry: JSON.parse(row.entry) };
  }

  setTombstone(entry: RemovedEntry): void {
    this.database.prepare('INSERT OR REPLACE INTO tombstones VALUES (?, ?)').run(entry.url, JSON.stringify(entry));
  }

  /** Pages of the corpus that was there which are not in this one; `duplicateOf` where another has their content. */
  *gone(): IterableIterator<{ entry: IndexEntry; duplicateOf: string | null }> {
    const rows = this.database
      .prepare(
        `SELECT entry, duplicate_of AS duplicateOf FROM before LEFT JOIN pages USING (url)
         WHERE pages.url IS NULL OR duplicate_of IS NOT NULL ORDER BY before.url`,
      )
      .iterate();
    for (const { entry, duplicateOf } of rows) yield { entry: JSON.parse(entry), duplicateOf };
  }

  /** Tombstones of earlier runs whose page has not come back. */
  *tombstones(): IterableIterator<RemovedEntry> {
    const rows = this.database
      .prepare('SELECT entry FROM tombstones WHERE url NOT IN (SELECT url FROM pages) ORDER BY url')
      .iterate();
    for (const { entry } of rows) yield JSON.parse(entry);
  }

  /** Pages of the corpus that was there and that no input of this run named. */
  unnamed(): string[] {
    const rows = this.database
      .prepare('SELECT url FROM before WHERE url NOT IN (SELECT url FROM pages WHERE run = ?) ORDER BY url')
      .all(this.#run);
    return rows.map(({ url }) => url);
  }

  setPath(url: string, path: string): void {
    this.database.prepare('UPDATE pages SET path = ? WHERE url = ?').run(path, url);
  }

  hasPath(path: string): boolean {
    return this.database.prepare('SELECT 1 FROM pages WHERE path = ?').get(path) !== undefined;
  }

  /** Names that are taken; begins with none. */
  claims(): Claims {
    this.database.exec('DELETE FROM claims');
    const get = this.database.prepare('SELECT url FROM claims WHERE key = ?');
    const set = this.database.prepare('INSERT OR REPLACE INTO claims VALUES (?, ?)');
    return { get: (key) => get.get(key)?.url, set: (key, url) => set.run(key, url) };
  }

  addEntry(ordinal: number, section: string, entry: IndexEntry): void {
    this.database.prepare('INSERT INTO entries VALUES (?, ?, ?)').run(ordinal, section, JSON.stringify(entry));
  }

  *entries(section: string | null = null): IterableIterator<IndexEntry> {
    const rows = this.database
      .prepare(`SELECT entry FROM entries WHERE ?1 IS NULL OR section = ?1 ORDER BY ordinal`)
      .iterate(section);
    for (const { entry } of rows) yield JSON.parse(entry);
  }

  /** In the order of their first pages. */
  sections(): string[] {
    const rows = this.database.prepare('SELECT section FROM entries GROUP BY section ORDER BY min(ordinal)').all();
    return rows.map(({ section }) => section);
  }
}

/** What a power cut has left in pieces is of no use to anybody. */
function removeDamaged(path: string): void {
  if (!existsSync(path) || isIntact(path)) return;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}

function isIntact(path: string): boolean {
  const database = openDatabase(path);
  try {
    return database.prepare('PRAGMA quick_check(1)').get()!.quick_check === 'ok';
  } catch (error) {
    if (/malformed/i.test((error as Error).message)) return false;
    throw error;
  } finally {
    database.close();
  }
}
