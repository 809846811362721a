/** Where the text stands: in a cell and in a heading there is one line, and nothing can begin a block. */
export type Place = 'paragraph' | 'heading' | 'cell';

/** What stands directly beside a piece of text; '' for the end of the line. */
export interface Blanks {
  readonly before: string;
  readonly after: string;
}

/** Where a piece of text stands among the others. */
export interface Spot {
  readonly atLineStart: boolean;
  readonly index: number;
  readonly guardsBrackets: boolean;
}

/** What the line has in markup of its own, which signs in the text could pair with. */
export interface Marks {
  readonly emphasis: boolean;
  readonly strike: boolean;
  readonly math: boolean;
}

const SPECIAL = /[\\`*_[\]<&!~$|:(]/g;

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;

const BLANK = /\s/;

const ENTITY = /&(?:#[xX]?[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);/y;

const isBlank = (character: string): boolean => character === '' || BLANK.test(character);

const isWord = (character: string): boolean => /^[\p{L}\p{N}]$/u.test(character);

/** Puts backslashes before signs that would mean something, and before no others, as far as one line tells. */
export class TextEscaper {
  readonly #place: Place;
  readonly #escapesStars: boolean;
  readonly #escapesUnderscores: boolean;
  readonly #escapesTildes: boolean;
  readonly #escapesDollars: boolean;

  constructor(texts: readonly string[], place: Place, marks: Marks) {
    this.#place = place;
    const has = (sign: string): boolean => texts.some((text) => text.includes(sign));
    this.#escapesStars = has('*') && (marks.emphasis || mayPair(texts, '*'));
    this.#escapesUnderscores = has('_') && (marks.emphasis || mayPair(texts, '_'));
    this.#escapesTildes = has('~') && (marks.strike || countOf(texts, /~+/g) > 1);
    this.#escapesDollars = has('$') && (marks.math || countOf(texts, /\$/g) > 1);
  }

  escape(text: string, blanks: Blanks, spot: Spot): string {
    const at = (i: number): string => (i < 0 ? blanks.before : i >= text.length ? blanks.after : text[i]!);
    const escaped = text.replace(SPECIAL, (sign, i: number) =>
      this.#isMeant(sign, text, i, at, spot) ? `\\${sign}` : sign,
    );
    return spot.atLineStart ? guardLineStart(escaped, spot.index > 0, blanks.after) : escaped;
  }

  /** Whether a sign would be read as markup. */
  #isMeant(sign: string, text: string, i: number, at: (i: number) => string, spot: Spot): boolean {
    const next = at(i + 1);
    switch (sign) {
      case '\\':
        return next === '' || next === '\n' || ASCII_PUNCTUATION.test(next);
      case '`':
        return true;
      case '*':
        return this.#escapesStars && !(isBlank(beforeRun(text, i, at)) && isBlank(afterRun(text, i, at)));
      case '_':
        return this.#escapesUnderscores && !isInside(text, i, at);
      case '~':
        return this.#escapesTildes;
      case '$':
        return this.#escapesDollars;
      case '<':
        return /[A-Za-z/!?]/.test(next);
      case '&':
        ENTITY.lastIndex = i;
        return ENTITY.test(text) || (i + 1 >= text.length && next !== '' && !isBlank(next));
      case '[':
        return spot.guardsBrackets || next === '^' || (i === 0 && at(-1) === ']') || (i === 0 && at(-1) === '!');
      case ']':
        return spot.guardsBrackets || next === '(' || next === '[';
      case '!':
        return next === '[' && i + 1 >= text.length;
      case '|':
        return this.#place === 'cell';
      case ':':
        // Behind a footnote that begins the line it would make a definition of it.
        return i === 0 && at(-1) === ']' && spot.index === 1;
      default:
        // Behind `]` of markup a parenthesis would make a link of it.
        return i === 0 && at(-1) === ']';
    }
  }
}

function countOf(texts: readonly string[], pattern: RegExp): number {
  let count = 0;
  for (const text of texts) {
    count += text.match(pattern)?.length ?? 0;
  }
  return count;
}

function runStart(text: string, i: number): number {
  let start = i;
  while (start > 0 && text[start - 1] === text[i]) {
    start--;
  }
  return start;
}

function runEnd(text: string, i: number): number {
  let end = i + 1;
  while (end < text.length && text[end] === text[i]) {
    end++;
  }
  return end;
}

const beforeRun = (text: string, i: number, at: (i: number) => string): string => at(runStart(text, i) - 1);

const afterRun = (text: string, i: number, at: (i: number) => string): string => at(runEnd(text, i));

/** Underscores within a word mean nothing. */
function isInside(text: string, i: number, at: (i: number) => string): boolean {
  return isWord(beforeRun(text, i, at)) && isWord(afterRun(text, i, at));
}

/** Whether some sign may open emphasis and a later one close it. */
function mayPair(texts: readonly string[], sign: '*' | '_'): boolean {
  const pattern = sign === '*' ? /\*+/g : /_+/g;
  let isOpen = false;
  for (const text of texts) {
    for (const { 0: run, index } of text.matchAll(pattern)) {
      // At the end of a piece, what comes next is not known: it may open and close.
      const before = index === 0 ? null : text[index - 1]!;
      const after = text[index + run.length] ?? null;
      const inWord = sign === '_' && before !== null && after !== null && isWord(before) && isWord(after);
      if (inWord) {
        continue;
      }
      if (isOpen && (before === null || !isBlank(before))) {
        return true;
      }
      if (after === null || !isBlank(after)) {
        isOpen = true;
      }
    }
  }
  return false;
}

/** What would begin a heading, a list, a quote, a rule, a fence, a table or a definition. */
function guardLineStart(text: string, isLater: boolean, after: string): string {
  const isWhole = after === '';
  if (/^(?:#{1,6}|[-+*])(?=\s|$)/.test(text) && (isWhole || /^\S+\s/.test(text) || isBlank(after))) {
    return `\\${text}`;
  }
  const number = /^(\d{1,9})([.)])(?=\s|$)/.exec(text);
  if (number !== null && (text.length > number[0].length || isBlank(after))) {
    return `${number[1]}\\${text.slice(number[1]!.length)}`;
  }
  if (/^(?:>|~~~)/.test(text)) {
    return `\\${text}`;
  }
  if (/^(?:[-_*=]\s*){1,}$/.test(text) && (isWhole || /^[-_*]/.test(text))) {
    return `\\${text}`;
  }
  if (isLater && /^[-:|=][-:|=\s]*/.test(text) && /^[-:|=\s]+$/.test(text)) {
    return `\\${text}`;
  }
  if (/^\[(?:[ xX]\]|!|[^\]]*\]?:?$)/.test(text) || /^\[[^\]]*\]:/.test(text)) {
    return `\\${text}`;
  }
  return text;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const LIKE_ENTITY = /&(?=#?[A-Za-z0-9]+;)/g;

/** The target of a link, so that it is read again as it is. */
export function destination(href: string): string {
  const safe = href.replace(/[\u0000-\u001f\u007f]/g, '').replace(LIKE_ENTITY, '&amp;');
  const needsBrackets = safe === '' || /[ <>]/.test(safe) || !hasPairedParentheses(safe);
  const escaped = safe.replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\');
  return needsBrackets ? `<${escaped.replace(/[<>]/g, '\\$&')}>` : escaped;
}

const MOST_PARENTHESES = 30;

function hasPairedParentheses(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(' && ++depth > MOST_PARENTHESES) {
      return false;
    }
    if (character === ')' && --depth < 0) {
      return false;
    }
  }
  return depth === 0;
}
