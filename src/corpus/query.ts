import { UsageError } from '../base/errors.js';
import { isName, nameKey } from './names.js';
import { hasStems, isStopWord, lightStem } from './search-words.js';

/** One thing that is looked for. */
export interface QueryTerm {
  /** As it was written. */
  word: string;
  /** Without case and signs around it. */
  plain: string;
  /** What finds it, an expression of FTS5 that holds nothing but words; and what goes behind that for languages that have other endings. */
  words: string;
  stems: string;
  /** Says where it may be defined, in the form in which names are compared; null if it is no name. */
  name: string | null;
}

/** What a search asks for. */
export interface Query {
  /** A page has some of these; the more, and the rarer, the better. */
  any: QueryTerm[];
  /** Words that stand beside each other in the query, and do so on better pages. */
  pairs: string[];
  /** What pages must and must not have. */
  all: string[];
  none: string[];
}

const LONGEST_QUERY = 1_000;
const MOST_TERMS = 32;

const TERM = /(-?)(?:"([^"]*)"?|([^\s"]+))/g;
const HAS_WORD = /[\p{L}\p{N}]/u;

/**
 * Words, of which a page has at least one; `"a phrase"`, which it has; `-word` or `-"a phrase"`, which it does not have. Nothing else has a meaning.
 * Words that say nothing in one of the languages count only where there is no other.
 */
export function parseQuery(text: string, languages: readonly string[] = ['en']): Query {
  if (text.length > LONGEST_QUERY) {
    throw new UsageError(`a search has at most ${LONGEST_QUERY} characters, and this one has ${text.length}`);
  }
  const query: Query = { any: [], pairs: [], all: [], none: [] };
  let terms = 0;
  const words: QueryTerm[] = [];
  for (const [, minus, phrase, word] of text.matchAll(TERM)) {
    const term = phrase ?? word!;
    if (!HAS_WORD.test(term)) {
      continue;
    }
    terms++;
    if (minus === '-') {
      query.none.push(quoted(term));
    } else if (phrase !== undefined && /\s/.test(phrase.trim())) {
      query.all.push(quoted(term));
      query.any.push(asTerm(term, languages));
    } else {
      words.push(asTerm(term, languages));
    }
  }
  const telling = words.filter(({ word }) => !isStopWord(bare(word), languages));
  query.any.push(...(telling.length + query.any.length > 0 ? telling : words));
  query.pairs = telling.slice(1).flatMap(({ word }, i) => {
    const [one, other] = [quoted(telling[i]!.word), quoted(word)];
    return [`${one} + ${other}`, `NEAR(${one} ${other}, 3)`];
  });
  if (query.any.length === 0) {
    throw new UsageError('a search needs at least one word');
  }
  if (terms > MOST_TERMS) {
    throw new UsageError(`a search has at most ${MOST_TERMS} words`);
  }
  return query;
}

/** Without signs around it. */
const bare = (word: string): string => word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

function asTerm(word: string, languages: readonly string[]): QueryTerm {
  const plain = bare(word);
  const stems = languages.filter(hasStems).map((lang) => lightStem(plain, lang));
  const forms = [...new Set(stems)].map((stem) => ` OR stems : ${quoted(stem)}`);
  return { word, plain, words: quoted(word), stems: forms.join(''), name: isName(word) ? nameKey(word) : null };
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
