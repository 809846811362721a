import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { SearchReader } from '../store/corpus-search.js';
import { FILES } from './layout.js';
import { parseQuery, unsegmented } from './query.js';
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

/** Pages that have all the words, the best first: a page counts as much as its best passage. */
export function searchCorpus(dir: string, text: string, options: { limit?: number } = {}): SearchHit[] {
  const limit = options.limit ?? DEFAULT_HITS;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_HITS) {
    throw new UsageError(`limit is a number from 1 to ${MOST_HITS}, not ${limit}`);
  }
  const { all, none } = parseQuery(text);
  const reader = openSearch(corpusFolder(dir));
  try {
    return reader.best(all, none, limit).map(({ url, path, title, headings, snippet, tokens, rank }) => ({
      ...{ url, path, title, headings, snippet: oneLine(snippet), tokens, score: -rank },
    }));
  } finally {
    reader.close();
  }
}

function openSearch(folder: string): SearchReader {
  const path = join(folder, FILES.search);
  if (!existsSync(path)) {
    throw new StateError('no_search', `there is no ${FILES.search} in ${folder}: write the corpus anew`);
  }
  const reader = SearchReader.open(path);
  if (reader === null) {
    throw new StateError('search_version', `${path} was not written by this version: write the corpus anew`);
  }
  return reader;
}

const oneLine = (text: string): string => printable(unsegmented(text.replace(/\s+/g, ' ')).trim(), LONGEST_SNIPPET);
