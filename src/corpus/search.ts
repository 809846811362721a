import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { SearchReader, type SearchSection } from '../store/corpus-search.js';
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
  /** The place of that passage on the page, as after `#` in its URL; null if it is not known. */
  anchor: string | null;
  /** From that passage; one line, without control characters. */
  snippet: string;
  /** Of the whole page. */
  tokens: number;
  /** The higher the better; only to be compared within one answer. */
  score: number;
  /** Other passages of the page that match, the best first. */
  more: SearchSection[];
}

/** What a search of a corpus is narrowed to. */
export interface SearchOptions {
  /** Pages at most: 10 unless given, up to 100. */
  limit?: number;
  /** Only pages whose path in the corpus begins with this. */
  prefix?: string;
}

export const MOST_HITS = 100;
const DEFAULT_HITS = 10;
const LONGEST_SNIPPET = 400;

/** Pages that have some of the words, the best first: a page counts as much as its best passage. */
export function searchCorpus(dir: string, text: string, options: SearchOptions = {}): SearchHit[] {
  const { limit = DEFAULT_HITS, prefix = '' } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_HITS) {
    throw new UsageError(`limit must be a whole number from 1 to ${MOST_HITS}, got ${limit}`);
  }
  parseQuery(text);
  const reader = openSearch(corpusFolder(dir));
  try {
    const query = parseQuery(text, ['en', ...reader.languages().filter((lang) => lang !== 'en')]);
    return reader.best(query, { limit, prefix, sections: MOST_SECTIONS }).map(({ sections, ...match }) => {
      const [first, ...more] = sections.map(asSection);
      const { url, path, title, tokens, score } = match;
      return { url, path, title, ...(first ?? NO_SECTION), tokens, score, more };
    });
  } finally {
    reader.close();
  }
}

const SHORTEST_CORRECTED = 4;
/** Beside it a word of so many letters may have two slips. */
const LONG_WORD = 7;

/** The same query with words of the corpus in the place of words that none of its pages has; null if there is nothing to put in their place. */
export function correctQuery(dir: string, text: string): string | null {
  const reader = openSearch(corpusFolder(dir));
  try {
    let corrected = text;
    for (const { word, plain, words, stems } of parseQuery(text).any) {
      if (plain.length < SHORTEST_CORRECTED || !/^[\p{L}\p{M}]+$/u.test(plain) || reader.count(words + stems) > 0) {
        continue;
      }
      const most = plain.length >= LONG_WORD ? 2 : 1;
      const likely = reader
        .spelledLike(plain, (one, other) => slips(one, other, MOST_SLIPS))
        .map((form) => ({ form, far: slips(plain, form, MOST_SLIPS) }))
        .filter(({ far }) => far <= most)
        .sort((a, b) => a.far - b.far)[0];
      if (likely !== undefined) {
        corrected = corrected.replace(word, () => likely.form);
      }
    }
    return corrected === text ? null : corrected;
  } finally {
    reader.close();
  }
}

const MOST_SLIPS = 3;

/** How many letters are missing, too many, others or changed places; more than `most` counts as one more. */
export function slips(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) {
    return most + 1;
  }
  let [before, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
      }
    }
    if (Math.min(...next) > most) {
      return most + 1;
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}

const MOST_SECTIONS = 3;
/** Of a page that is found by a name that its text does not have. */
const NO_SECTION: SearchSection = { headings: [], anchor: null, snippet: '' };

const asSection = ({ headings, anchor, snippet }: SearchSection): SearchSection => ({
  ...{ headings, anchor, snippet: oneLine(snippet) },
});

function openSearch(folder: string): SearchReader {
  const path = join(folder, FILES.search);
  if (!existsSync(path)) {
    throw new StateError('no_search', `there is no ${FILES.search} in ${folder}: write the corpus again`);
  }
  const reader = SearchReader.open(path);
  if (reader === null) {
    throw new StateError('search_version', `${path} was not written by this version: write the corpus again`);
  }
  return reader;
}

const oneLine = (text: string): string => printable(unsegmented(text.replace(/\s+/g, ' ')).trim(), LONGEST_SNIPPET);
