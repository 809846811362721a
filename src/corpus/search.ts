import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { type Database, openDatabase } from '../store/sqlite.js';
import { FILES } from './layout.js';
import { parseQuery, type Query, unsegmented } from './query.js';
import { SEARCH_APPLICATION_ID, SEARCH_VERSION } from './search-index.js';
import { corpusFolder } from './swap.js';

/** A page that has the words. */
export interface SearchHit {
  /** Where the page comes from. */
  url: string;
  /** Its file in the tree. */
  path: string;
  /** Its title. */
  title: string;
  /** Of the passage that matches best. */
  headings: string[];
  /** From that passage; one line, without control characters. */
  snippet: string;
  /** Of the whole page. */
  tokens: number;
  /** The higher the better; only to be compared within one answer. */
  score: number;
}

export const MOST_HITS = 100;
const DEFAULT_HITS = 10;
const LONGEST_SNIPPET = 400;

/** How much a word counts in the title, in the headings and in the text. */
const WEIGHTS = '8.0, 4.0, 1.0';

/** Pages that have all the words, the best first: a page counts as much as its best passage. */
export function searchCorpus(dir: string, text: string, options: { limit?: number } = {}): SearchHit[] {
  const limit = options.limit ?? DEFAULT_HITS;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_HITS) {
    throw new UsageError(`limit is a number from 1 to ${MOST_HITS}, not ${limit}`);
  }
  const query = parseQuery(text);
  const database = openSearch(corpusFolder(dir));
  try {
    return hits(database, query, limit);
  } finally {
    database.close();
  }
}

function openSearch(folder: string): Database {
  const path = join(folder, FILES.search);
  if (!existsSync(path))
    throw new StateError('no_search', `there is no ${FILES.search} in ${folder}: write the corpus anew`);
  const database = openDatabase(path, { readOnly: true });
  try {
    const id = database.prepare('PRAGMA application_id').get()?.application_id;
    const version = database.prepare('PRAGMA user_version').get()?.user_version;
    if (id === SEARCH_APPLICATION_ID && version === SEARCH_VERSION) return database;
  } catch {
    // Not a database at all: the sentence below says so.
  }
  database.close();
  throw new StateError('search_version', `${path} was not written by this version: write the corpus anew`);
}

const HAVING = 'SELECT passages.document FROM words JOIN passages ON passages.id = words.rowid WHERE words MATCH ?';

function hits(database: Database, { all, none }: Query, limit: number): SearchHit[] {
  const any = all.join(' OR ');
  const conditions = [
    ...all.map(() => `ranked.document IN (${HAVING})`),
    ...none.map(() => `ranked.document NOT IN (${HAVING})`),
  ];
  const best = database
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
  const snippet = database.prepare(
    `SELECT snippet(words, 2, '', '', ' … ', 40) AS text FROM words WHERE words MATCH ? AND rowid = ?`,
  );
  return best.map(({ passage, rank, url, path, title, tokens, headings }) => ({
    url,
    path,
    title,
    headings: JSON.parse(headings),
    snippet: oneLine(snippet.get(any, passage)?.text ?? ''),
    tokens,
    score: -rank,
  }));
}

const oneLine = (text: string): string => printable(unsegmented(text.replace(/\s+/g, ' ')).trim(), LONGEST_SNIPPET);
