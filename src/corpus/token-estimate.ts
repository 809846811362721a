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
  for (const [piece] of text.matchAll(PIECE)) tokens += cost(piece);
  return Math.ceil(tokens);
}

function cost(piece: string): number {
  const first = piece.charCodeAt(0);
  if (isLetter(first)) return wordCost(piece);
  if (isDigit(first) || first === 0x0a) return 1;
  if (first >= 0x80 && CASELESS.test(piece)) return Math.max(1, piece.length / CASELESS_PER_TOKEN);
  if (first >= 0x80 && LETTER.test(piece)) return Math.max(1, piece.length / OTHERS_PER_TOKEN);
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
