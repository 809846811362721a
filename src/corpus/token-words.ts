import type { Count } from './chunk-parts.js';

/** Longer ones hardly ever come again. */
const LONGEST_WORD = 48;
const PLACES = 1 << 18;
const MOST_WORDS = PLACES >> 1;
const MOST_CHARACTERS = 1 << 20;

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const SLASH = 0x2f;
/** In "it's". */
const APOSTROPHE = 0x27;

const Kind = { other: 0, blank: 1, lineEnd: 2, alphanumeric: 3, sign: 4, slash: 5, apostrophe: 6 } as const;
const KIND_COUNT = 7;
const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => kindOf(code));

/**
 * Counts word by word and remembers words: a text is mostly words that were counted before. It is cut only where o200k_base never has a
 * token on both sides, so that the sum is what the whole would have: before a blank that begins a word, behind a line end, before a sign
 * that follows a letter or a digit. White space and letters beyond ASCII are left to the tokenizer, with what stands around them.
 */
export function wordByWord(count: Count): Count {
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
  if (code === LINE_FEED) return Kind.lineEnd;
  if (code === BLANK) return Kind.blank;
  if (code < BLANK) return Kind.other;
  if (code === SLASH) return Kind.slash;
  if (code === APOSTROPHE) return Kind.apostrophe;
  return /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? Kind.alphanumeric : Kind.sign;
}

/** Whether a text is cut between two kinds. */
const CUTS = new Uint8Array(KIND_COUNT * KIND_COUNT);
for (const kind of [Kind.alphanumeric, Kind.sign, Kind.apostrophe]) CUTS[Kind.lineEnd * KIND_COUNT + kind] = 1;
for (const kind of [Kind.sign, Kind.slash]) CUTS[Kind.alphanumeric * KIND_COUNT + kind] = 1;

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
    if (length === 0) return 0;
    if (length > LONGEST_WORD) return this.#count(text.slice(start, end));
    const places = this.#places;
    let place = ((hash ^ (hash >>> 15)) & (PLACES - 1)) * 3;
    for (; places[place] !== 0; place = place === (PLACES - 1) * 3 ? 0 : place + 3) {
      if (places[place + 1] === length && this.#holds(places[place]! - 1, text, start, length))
        return places[place + 2]!;
    }
    const tokens = this.#count(text.slice(start, end));
    this.#keep(place, text, start, length, tokens);
    return tokens;
  }

  #holds(from: number, text: string, start: number, length: number): boolean {
    for (let i = 0; i < length; i++) if (this.#characters[from + i] !== text.charCodeAt(start + i)) return false;
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
    for (let i = 0; i < length; i++) this.#characters[this.#used++] = text.charCodeAt(start + i);
    this.#words++;
  }
}
