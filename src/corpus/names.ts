import type { SearchName } from '../store/corpus-search.js';

const LONGEST_NAME = 100;
const MOST_NAMES = 200;
/** A definition: a place with a name, then code; or an entry of a list, or a heading, that begins with code. */
const DEFINED =
  /(?:^[ \t]*(?:[-*+]|\d+[.)]|#{1,6})[ \t]+|^\*\*|<a id="([^"<>]{1,200})"><\/a>)(?:<a id="([^"<>]{1,200})"><\/a>)*(?:\*\*)?`([^`\n]{1,300})`/gm;
/** What stands before the name of a function in its signature. */
const MODIFIERS =
  /^(?:(?:async|class|classmethod|staticmethod|exception|def|function|static|public|final|abstract|const)\s+)+/;
const NAME = /^[\p{L}_$@-][\p{L}\p{N}_$.:#/@-]*/u;
/** A name of several parts, which no word of a sentence looks like. */
const IS_NAMED = /[\p{L}\p{N}][._:][\p{L}\p{N}_:]/u;

/** Names that a text defines, and where they stand. */
export function namesIn(text: string): SearchName[] {
  const names = new Map<string, string | null>();
  const add = (name: string, anchor: string | null): void => {
    const key = nameKey(name);
    if (key !== '' && key.length <= LONGEST_NAME && names.size < MOST_NAMES && !names.has(key)) {
      names.set(key, anchor);
    }
  };
  for (const [, first, last, code] of text.matchAll(DEFINED)) {
    const id = last ?? first ?? null;
    if (id !== null && IS_NAMED.test(id)) {
      add(id, id);
    }
    const name = NAME.exec(code!.replace(MODIFIERS, ''))?.[0];
    if (name !== undefined && name.length > 2) {
      add(name, id);
    }
  }
  return [...names].map(([name, anchor]) => ({ name, anchor }));
}

/** The form in which names are compared: without case, and without what calls them. */
export const nameKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\(.*$/s, '')
    .replace(/^[^\p{L}\p{N}_$@-]+|[^\p{L}\p{N}_$]+$/gu, '');

/** Whether a word of a query can only be a name. */
export const isName = (word: string): boolean => IS_NAMED.test(word) || /^[\w.]+\(\)?$/.test(word);
