import { notInstalled } from '../base/optional-package.js';
import type { Count } from './chunk-parts.js';

/** How many tokens a text has. */
export interface TokenCounter {
  count(text: string): number;
  /** The tokenizer is not installed: counts are near, not exact. */
  readonly isEstimate: boolean;
}

export const ESTIMATE: TokenCounter = { count: estimateTokens, isEstimate: true };

/** The notice for users who get estimates. */
export const HOW_TO_COUNT = `tokens are estimated, because ${notInstalled('gpt-tokenizer')}`;

/** What is used of the package; its own types are there only where it is. */
interface Encoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** What looks like a mark of the tokenizer's own is text like any other in a page. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** o200k_base where the optional package gpt-tokenizer is installed; it has 30 MB and is loaded only here. */
export async function loadTokenCounter(load: () => Promise<Encoding> = loadEncoding): Promise<TokenCounter> {
  try {
    const { countTokens } = await load();
    const count = countWordByWord((text) => countTokens(text, AS_TEXT));
    return { count: (text) => inPieces(text, count), isEstimate: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
      return ESTIMATE;
    }
    throw error;
  }
}

const loadEncoding = () => import('gpt-tokenizer/encoding/o200k_base');

/** The tokenizer takes time that grows with the square of a run without a change of kind: 100,000 equal signs took it 8 s. */
const LONGEST_RUN = 256;

/** Counts what stands between long runs as it is, and those in slices. */
function inPieces(text: string, count: (piece: string) => number): number {
  if (!hasLongRun(text)) {
    return count(text);
  }
  let tokens = 0;
  let counted = 0;
  let runStart = 0;
  let isBlankRun = true;
  for (let at = 0; at <= text.length; at++) {
    const isBlank = text.charCodeAt(at) <= 0x20;
    if (at < text.length && isBlank === isBlankRun) {
      continue;
    }
    if (at - runStart > LONGEST_RUN) {
      tokens += count(text.slice(counted, runStart)) + inSlices(text.slice(runStart, at), count);
      counted = at;
    }
    runStart = at;
    isBlankRun = isBlank;
  }
  return tokens + count(counted === 0 ? text : text.slice(counted));
}

/** Looks only at every 256th character and at what is like it on both sides: a long run has one of these. */
function hasLongRun(text: string): boolean {
  for (let at = LONGEST_RUN; at < text.length; at += LONGEST_RUN) {
    const isBlank = text.charCodeAt(at) <= 0x20;
    let start = at;
    while (start > 0 && text.charCodeAt(start - 1) <= 0x20 === isBlank) {
      start--;
    }
    while (at < text.length && text.charCodeAt(at) <= 0x20 === isBlank) {
      at++;
    }
    if (at - start > LONGEST_RUN) {
      return true;
    }
  }
  return false;
}

function inSlices(run: string, count: (piece: string) => number): number {
  let tokens = 0;
  for (let at = 0; at < run.length; at += LONGEST_RUN) {
    tokens += count(run.slice(at, at + LONGEST_RUN));
  }
  return tokens;
}

/**
 * What o200k_base would make of a text, without its 200,000 words: that tokenizer cuts a text at changes of kind and of case, and most of
 * the pieces are one token. The figures are fitted to English documentation; docs/CORPUS.md has the error.
 */
const PIECE = /[^\s\p{L}\d]?(?:\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{Lu})|\p{Lo}+|\d{1,3}|[^\s\p{L}\d]+\n*|\n+/gu;

const LONGEST_COMMON_WORD = 8;
const LETTERS_PER_TOKEN = 6;
const MARKS_PER_TOKEN = 4;
/** A dot or a bracket in front of a word is often one token with it. */
const LEADING_MARK = 0.6;
/** Chinese, Japanese, Arabic and others whose letters have no case; all other letters that are not ASCII. */
const CASELESS_PER_TOKEN = 1.7;
const OTHERS_PER_TOKEN = 4.5;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    tokens += cost(piece);
  }
  return Math.ceil(tokens);
}

function cost(piece: string): number {
  const first = piece.charCodeAt(0);
  if (isLetter(first)) {
    return wordCost(piece);
  }
  if (isDigit(first) || first === 0x0a) {
    return 1;
  }
  if (first >= 0x80 && CASELESS.test(piece)) {
    return Math.max(1, piece.length / CASELESS_PER_TOKEN);
  }
  if (first >= 0x80 && LETTER.test(piece)) {
    return Math.max(1, piece.length / OTHERS_PER_TOKEN);
  }
  const second = piece.charCodeAt(1);
  return isLetter(second) ? LEADING_MARK + wordCost(piece) : Math.ceil(piece.trimEnd().length / MARKS_PER_TOKEN);
}

const CASELESS = /^\p{Lo}/u;
const LETTER = /^\p{L}/u;

function wordCost({ length }: string): number {
  return length <= LONGEST_COMMON_WORD ? 1 : 1 + (length - LONGEST_COMMON_WORD) / LETTERS_PER_TOKEN;
}

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Longer words hardly ever repeat, so they are not remembered. */
const LONGEST_WORD = 48;
const PLACES = 1 << 18;
const MOST_WORDS = PLACES >> 1;
const MOST_CHARACTERS = 1 << 20;

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const SLASH = 0x2f;
/** The apostrophe, as in "it's". */
const APOSTROPHE = 0x27;

const Kind = { other: 0, blank: 1, lineEnd: 2, alphanumeric: 3, sign: 4, slash: 5, apostrophe: 6 } as const;
const KIND_COUNT = 7;
const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => kindOf(code));

/**
 * Counts word by word and remembers words: a text is mostly words that were counted before. It is cut only where o200k_base never has a
 * token on both sides, so that the sum is what the whole would have: before a blank that begins a word, behind a line end, before a sign
 * that follows a letter or a digit. White space and letters beyond ASCII are left to the tokenizer, with what stands around them.
 */
export function countWordByWord(count: Count): Count {
  const words = new WordCounts(count);
  return (text) => {
    let tokens = 0;
    let start = 0;
    let hash = 0;
    let kind: number = Kind.other;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const before = kind;
      kind = code < KINDS.length ? KINDS[code]! : Kind.other;
      if (CUTS[before * KIND_COUNT + kind] === 1 || (kind === Kind.blank && beginsWord(text, at))) {
        tokens += words.count(text, start, at, hash);
        start = at;
        hash = 0;
      }
      hash = Math.imul(hash ^ code, 0x01000193);
    }
    return tokens + words.count(text, start, text.length, hash);
  };
}

function kindOf(code: number): number {
  if (code === LINE_FEED) {
    return Kind.lineEnd;
  }
  if (code === BLANK) {
    return Kind.blank;
  }
  if (code < BLANK) {
    return Kind.other;
  }
  if (code === SLASH) {
    return Kind.slash;
  }
  if (code === APOSTROPHE) {
    return Kind.apostrophe;
  }
  return /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? Kind.alphanumeric : Kind.sign;
}

/** Whether a text is cut between two kinds. */
const CUTS = new Uint8Array(KIND_COUNT * KIND_COUNT);
for (const kind of [Kind.alphanumeric, Kind.sign, Kind.apostrophe]) {
  CUTS[Kind.lineEnd * KIND_COUNT + kind] = 1;
}

for (const kind of [Kind.sign, Kind.slash]) {
  CUTS[Kind.alphanumeric * KIND_COUNT + kind] = 1;
}

/** The last blank before something that is no white space for certain. */
function beginsWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at + 1);
  return code > BLANK && code < KINDS.length;
}

/** A table of words that makes no string to look one up; begun anew when it is full. */
class WordCounts {
  readonly #count: Count;
  readonly #characters = new Uint16Array(MOST_CHARACTERS);
  /** Of each place: where the word begins, from 1 on, how long it is, and its tokens; 0 where there is none. */
  readonly #places = new Int32Array(PLACES * 3);
  #used = 0;
  #words = 0;

  constructor(count: Count) {
    this.#count = count;
  }

  count(text: string, start: number, end: number, hash: number): number {
    const length = end - start;
    if (length === 0) {
      return 0;
    }
    if (length > LONGEST_WORD) {
      return this.#count(text.slice(start, end));
    }
    const places = this.#places;
    let place = ((hash ^ (hash >>> 15)) & (PLACES - 1)) * 3;
    for (; places[place] !== 0; place = place === (PLACES - 1) * 3 ? 0 : place + 3) {
      if (places[place + 1] === length && this.#holds(places[place]! - 1, text, start, length)) {
        return places[place + 2]!;
      }
    }
    const tokens = this.#count(text.slice(start, end));
    this.#keep(place, text, start, length, tokens);
    return tokens;
  }

  #holds(from: number, text: string, start: number, length: number): boolean {
    for (let i = 0; i < length; i++) {
      if (this.#characters[from + i] !== text.charCodeAt(start + i)) {
        return false;
      }
    }
    return true;
  }

  #keep(place: number, text: string, start: number, length: number, tokens: number): void {
    if (this.#words === MOST_WORDS || this.#used + length > MOST_CHARACTERS) {
      this.#places.fill(0);
      this.#words = 0;
      this.#used = 0;
      return;
    }
    this.#places[place] = this.#used + 1;
    this.#places[place + 1] = length;
    this.#places[place + 2] = tokens;
    for (let i = 0; i < length; i++) {
      this.#characters[this.#used++] = text.charCodeAt(start + i);
    }
    this.#words++;
  }
}
