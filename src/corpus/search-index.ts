import { rmSync } from 'node:fs';
import { type Database, openDatabase, type Statement } from '../store/sqlite.js';
import type { Chunk } from './chunks.js';
import { segmented } from './query.js';

export const SEARCH_APPLICATION_ID = 0x474f5346;
export const SEARCH_VERSION = 1;

const TABLES = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA application_id = ${SEARCH_APPLICATION_ID};
  PRAGMA user_version = ${SEARCH_VERSION};
  CREATE TABLE documents (id INTEGER PRIMARY KEY, url TEXT NOT NULL, path TEXT NOT NULL, title TEXT NOT NULL, tokens INTEGER NOT NULL) STRICT;
  CREATE TABLE passages (id INTEGER PRIMARY KEY, document INTEGER NOT NULL, headings TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE words USING fts5 (title, headings, text, tokenize = 'porter unicode61 remove_diacritics 2');
  BEGIN;
`;

/** Writes search.db: a row of words for each chunk of each page. */
export class SearchIndex {
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
    this.#database.exec(TABLES);
    this.#addDocument = this.#database.prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?)');
    this.#addPassage = this.#database.prepare('INSERT INTO passages VALUES (?, ?, ?)');
    this.#addWords = this.#database.prepare('INSERT INTO words (rowid, title, headings, text) VALUES (?, ?, ?, ?)');
  }

  add(page: { url: string; path: string; title: string; tokens: number }, chunks: readonly Chunk[]): void {
    const document = ++this.#documents;
    this.#addDocument.run(document, page.url, page.path, page.title, page.tokens);
    for (const { headings: marked, text } of chunks.length > 0 ? chunks : [{ headings: [], text: '' }]) {
      const id = ++this.#passages;
      const headings = marked.map(plainHeading);
      this.#addPassage.run(id, document, JSON.stringify(headings));
      this.#addWords.run(id, segmented(page.title), segmented(headings.join('\n')), segmented(readable(text)));
    }
  }

  /** It is complete then, but not yet sure to be on disk. */
  finish(): void {
    this.#database.exec(`INSERT INTO words (words) VALUES ('optimize'); COMMIT`);
    this.#close();
  }

  #close(): void {
    this.#database.close();
    this.#isClosed = true;
  }

  discard(): void {
    if (!this.#isClosed) this.#close();
    rmSync(this.#path, { force: true });
  }
}

const TARGET = String.raw`\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: "[^"\n]*")?\)`;
const LINK = new RegExp(String.raw`\[([^[\]]*)\]${TARGET}`, 'g');
const LINK_END = new RegExp(String.raw`\]${TARGET}`, 'g');
const TAG = /<\/?(?:a|br)\b[^<>]*>/g;

/** Without the targets of links and the names of places, which nobody looks for. */
const readable = (markdown: string): string => markdown.replace(LINK, '$1').replace(LINK_END, ']').replace(TAG, ' ');

const plainHeading = (markdown: string): string =>
  readable(markdown)
    .replace(/`|\\(?=[!-/:-@[-`{-~])/g, '')
    .trim();
