import { decodeReferences } from '../html-rules.js';
import type { Content, Span } from './source.js';

/** `[label]: destination "title"` */
export interface Definition {
  href: string;
  /** Of the destination, in the file. */
  offset: number;
  isUsed: boolean;
}

/** All definitions of a file; of two with one label the first counts. */
export class Definitions {
  readonly all: Definition[] = [];
  readonly #byLabel = new Map<string, Definition>();

  /** The definition of a label, which counts as used from now on. */
  use(label: string): Definition | null {
    const key = labelKey(label);
    const found = (key === null ? undefined : this.#byLabel.get(key)) ?? null;
    if (found !== null) {
      found.isUsed = true;
    }
    return found;
  }

  /** Takes the definitions that a paragraph begins with, and gives the place where the rest of it begins. */
  takeFrom(content: Content): number {
    let at = 0;
    for (;;) {
      const end = this.#takeOne(content, at);
      if (end === -1) {
        return at;
      }
      at = end;
    }
  }

  /** The end of the definition that begins here, or -1. */
  #takeOne(content: Content, at: number): number {
    const { text } = content;
    const label = readLabel(text, at);
    if (label === null || text[label.end + 1] !== ':') {
      return -1;
    }
    const key = labelKey(text.slice(label.start, label.end));
    const from = skipSpace(text, label.end + 2);
    const destination = from === text.length || key === null ? null : readDestination(text, from);
    // Empty is only what stands in angle brackets.
    if (destination === null || destination.after === from) {
      return -1;
    }
    const end = definitionEnd(text, destination.after);
    if (end === -1) {
      return -1;
    }
    const definition = {
      href: meaningOf(text.slice(destination.start, destination.end)),
      offset: content.offsetOf(destination.start),
      isUsed: false,
    };
    this.all.push(definition);
    if (!this.#byLabel.has(key!)) {
      this.#byLabel.set(key!, definition);
    }
    return end;
  }
}

/** Behind an optional title and the line end; what is on the next line and is no title is not part of it. */
function definitionEnd(text: string, from: number): number {
  const next = skipSpace(text, from);
  const title = next > from ? titleEnd(text, next) : -1;
  const behindTitle = title === -1 ? -1 : lineEnd(text, title);
  return behindTitle === -1 ? lineEnd(text, from) : behindTitle;
}

const LINE_END = /[ \t]*(?:\n|$)/y;

function lineEnd(text: string, at: number): number {
  LINE_END.lastIndex = at;
  return LINE_END.test(text) ? LINE_END.lastIndex : -1;
}

/** As many as the reference parser takes; deeper ones would make a hostile text slow. */
const DEEPEST_PARENTHESES = 32;
const LONGEST_LABEL = 999;

const SPACE = /[ \t\n]*/y;

export function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** A destination, `<…>` or bare: where it is without the angle brackets, and where it ends with them. */
export interface Destination extends Span {
  after: number;
}

export function readDestination(text: string, at: number): Destination | null {
  return text[at] === '<' ? readAngled(text, at) : readBare(text, at);
}

function readAngled(text: string, at: number): Destination | null {
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i]!;
    if (character === '>') {
      return { start: at + 1, end: i, after: i + 1 };
    }
    if (character === '<' || character === '\n') {
      return null;
    }
    if (character === '\\' && text[i + 1] !== '\n') {
      i++;
    }
  }
  return null;
}

function readBare(text: string, at: number): Destination | null {
  let depth = 0;
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20 || code === 0x7f) {
      break;
    }
    if (code === 0x5c && text.charCodeAt(i + 1) > 0x20) {
      i++;
    } else if (code === 0x28 && ++depth > DEEPEST_PARENTHESES) {
      return null;
    } else if (code === 0x29 && --depth < 0) {
      break;
    }
  }
  const end = Math.min(i, text.length);
  return depth > 0 ? null : { start: at, end, after: end };
}

const TITLE_ENDS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' };

/** The end of a title, or -1 where there is none here. */
export function titleEnd(text: string, at: number): number {
  const close = TITLE_ENDS[text[at] ?? ''];
  if (close === undefined) {
    return -1;
  }
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i];
    if (character === close) {
      return i + 1;
    }
    if (character === '(' && close === ')') {
      return -1;
    }
    if (character === '\\') {
      i++;
    }
  }
  return -1;
}

/** The label that begins with a `[` here: where it is without the brackets, or null. It may be blank. */
export function readLabel(text: string, at: number): Span | null {
  if (text[at] !== '[') {
    return null;
  }
  const last = Math.min(text.length, at + LONGEST_LABEL + 2);
  for (let i = at + 1; i < last; i++) {
    const character = text[i];
    if (character === ']') {
      return { start: at + 1, end: i };
    }
    if (character === '[') {
      return null;
    }
    if (character === '\\') {
      i++;
    }
  }
  return null;
}

/** Labels are the same whatever their case and white space; null for one that is blank. */
export function labelKey(label: string): string | null {
  const folded = label.trim().replace(/\s+/g, ' ');
  // Both ways, so that ẞ, ß and SS are one.
  return folded === '' || label.length > LONGEST_LABEL ? null : folded.toLowerCase().toUpperCase();
}

/** What stands in the parentheses of an inline link that begin here, and what comes behind them. */
export function readInlineTarget(text: string, at: number): Destination | null {
  const destination = readDestination(text, skipSpace(text, at + 1));
  if (destination === null) {
    return null;
  }
  let after = skipSpace(text, destination.after);
  if (after > destination.after) {
    const end = titleEnd(text, after);
    if (end !== -1) {
      after = skipSpace(text, end);
    }
  }
  return text[after] === ')' ? { ...destination, after: after + 1 } : null;
}

export const isPunctuation = (character: string | undefined): boolean =>
  character !== undefined && /^[!-/:-@[-`{-~]$/.test(character);

const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});/g;

/** What a destination means: backslashes and character references taken away. */
export function meaningOf(text: string): string {
  return text.replace(ESCAPE, (whole, character?: string) => character ?? decodeReferences(whole, true));
}
