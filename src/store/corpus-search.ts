import { rmSync } from 'node:fs';
import { type Database, openDatabase, type Statement } from './sqlite.js';

/** search.db of a corpus: a row of words for each passage of each page. */
const SEARCH_APPLICATION_ID = 0x474f5346;
const SEARCH_VERSION = 1;

const SEARCH_TABLES = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA application_id = ${SEARCH_APPLICATION_ID};
  PRAGMA user_version = ${SEARCH_VERSION};
  CREATE TABLE documents (id INTEGER PRIMARY KEY, url TEXT NOT NULL, path TEXT NOT NULL, title TEXT NOT NULL, tokens INTEGER NOT NULL) STRICT;
  CREATE TABLE passages (id INTEGER PRIMARY KEY, document INTEGER NOT NULL, headings TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (title, headings, text, tokenize = 'porter unicode61 remove_diacritics 2');
  BEGIN;
`;

/** How much a word counts in the title, in the headings and in the text. */
const WEIGHTS = '8.0, 4.0, 1.0';

/** Documents that have a word, by it. */
const HAVING = 'SELECT passages.document FROM words JOIN passages ON passages.id = words.rowid WHERE words MATCH ?';

export interface SearchDocument {
  url: string;
  path: string;
  title: string;
  tokens: number;
}

/** A part of a page, and its words as they are looked for. */
export interface SearchPassage {
  headings: readonly string[];
  words: { title: string; headings: string; text: string };
}

/** A page that has the words. */
export interface SearchMatch extends SearchDocument {
  /** Of the passage that matches best. */
  headings: string[];
  /** From that passage. */
  snippet: string;
  /** The lower the better. */
  rank: number;
}

/** Writes search.db anew. */
export class SearchWriter {
  readonly #path: string;
  readonly #database: Database;
  readonly #addDocument: Statement;
  readonly #addPassage: Statement;
  readonly #addWords: Statement;
  #documents = 0;
  #passages = 0;
  #isClosed = false;

  constructor(path: string) {
    rmSync(path, { force: true });
    this.#path = path;
    this.#database = openDatabase(path);
    this.#database.exec(SEARCH_TABLES);
    this.#addDocument = this.#database.prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?)');
    this.#addPassage = this.#database.prepare('INSERT INTO passages VALUES (?, ?, ?)');
    this.#addWords = this.#database.prepare('INSERT INTO words (rowid, title, headings, text) VALUES (?, ?, ?, ?)');
  }

  add({ url, path, title, tokens }: SearchDocument, passages: readonly SearchPassage[]): void {
    const document = ++this.#documents;
    this.#addDocument.run(document, url, path, title, tokens);
    for (const { headings, words } of passages) {
      const id = ++this.#passages;
      this.#addPassage.run(id, document, JSON.stringify(headings));
      this.#addWords.run(id, words.title, words.headings, words.text);
    }
  }

  /** It is complete then, but not yet sure to be on disk. */
  finish(): void {
    this.#database.exec(`INSERT INTO words (words) VALUES ('optimize'); COMMIT`);
    this.#close();
  }

  discard(): void {
    if (!this.#isClosed) {
      this.#close();
    }
    rmSync(this.#path, { force: true });
  }

  #close(): void {
    this.#database.close();
    this.#isClosed = true;
  }
}

/** Reads search.db. */
export class SearchReader {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Null where the file is not a search.db of this version. */
  static open(path: string): SearchReader | null {
    const database = openDatabase(path, { readOnly: true });
    try {
      const id = database.prepare('PRAGMA application_id').get()?.application_id;
      const version = database.prepare('PRAGMA user_version').get()?.user_version;
      if (id === SEARCH_APPLICATION_ID && version === SEARCH_VERSION) {
        return new SearchReader(database);
      }
    } catch {
      // Not a database at all.
    }
    database.close();
    return null;
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Pages that have all words and none of the others, the best first: a page counts as much as its best passage.
   * @param all expressions of FTS5, here and in `none`
   */
  best(all: readonly string[], none: readonly string[], limit: number): SearchMatch[] {
    const any = all.join(' OR ');
    const conditions = [
      ...all.map(() => `ranked.document IN (${HAVING})`),
      ...none.map(() => `ranked.document NOT IN (${HAVING})`),
    ];
    const best = this.#database
      .prepare(
        `WITH found AS MATERIALIZED (
           SELECT rowid AS id, bm25(words, ${WEIGHTS}) AS rank FROM words WHERE words MATCH ?
         ), ranked AS (
           SELECT document, id, min(rank) AS rank FROM found JOIN passages USING (id) GROUP BY document
         )
         SELECT ranked.id AS passage, rank, url, path, title, tokens, headings
         FROM ranked JOIN documents ON documents.id = ranked.document JOIN passages ON passages.id = ranked.id
         WHERE ${conditions.join(' AND ')}
         ORDER BY rank, ranked.document LIMIT ?`,
      )
      .all(any, ...all, ...none, limit);
    const snippet = this.#database.prepare(
      `SELECT snippet(words, 2, '', '', ' … ', 40) AS text FROM words WHERE words MATCH ? AND rowid = ?`,
    );
    return best.map(({ passage, headings, ...match }) => ({
      ...match,
      headings: JSON.parse(headings),
      snippet: snippet.get(any, passage)?.text ?? '',
    }));
  }
}
