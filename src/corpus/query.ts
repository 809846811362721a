import { UsageError } from '../base/errors.js';

/** What pages must and must not have, each a string of FTS5's own syntax that holds nothing but words. */
export interface Query {
  all: string[];
  none: string[];
}

const LONGEST_QUERY = 1_000;
const MOST_TERMS = 32;

const TERM = /(-?)(?:"([^"]*)"?|([^\s"]+))/g;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** Words, all of which a page must have; `"a phrase"`; `-word` or `-"a phrase"` for what it must not have. Nothing else has a meaning. */
export function parseQuery(text: string): Query {
  if (text.length > LONGEST_QUERY) {
    throw new UsageError(`a search has at most ${LONGEST_QUERY} characters, this one ${text.length}`);
  }
  const query: Query = { all: [], none: [] };
  for (const [, minus, phrase, word] of text.matchAll(TERM)) {
    const term = phrase ?? word!;
    if (HAS_WORD.test(term)) {
      (minus === '-' ? query.none : query.all).push(quoted(term));
    }
  }
  if (query.all.length === 0) {
    throw new UsageError('a search needs at least one word');
  }
  if (query.all.length + query.none.length > MOST_TERMS) {
    throw new UsageError(`a search has at most ${MOST_TERMS} words`);
  }
  return query;
}

/** Quoted, no sign in it is an operator; signs between letters only part words, as they did when the text was indexed. */
const quoted = (term: string): string => `"${segmented(term).replace(/[\0"]/g, ' ')}"`;

/** Scripts that put no blanks between words. */
const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';
const EACH_UNSPACED = new RegExp(UNSPACED, 'gu');
const BLANK_BETWEEN = new RegExp(`(?<=${UNSPACED}) +(?=${UNSPACED})`, 'gu');

/** With a blank around each character of such scripts: each is a word to the index, and a word of several a phrase. */
export const segmented = (text: string): string => text.replace(EACH_UNSPACED, ' $& ');
export const unsegmented = (text: string): string => text.replace(BLANK_BETWEEN, '');
