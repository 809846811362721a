import { domainToUnicode } from 'node:url';
import { RE2JS } from 're2js';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { pathOf } from './host.js';
import { withUnicodeHost } from './host-display.js';

/**
 * Patterns over URLs, for --include, --exclude and --allow-trap.
 *
 * - `re:…` is an RE2 expression, searched for anywhere in the URL.
 * - Anything else is a glob that must match the whole: path and query if it begins with `/`, the last segment and query if
 *   there is no `/` in it (`*.pdf`), else the URL.
 * - `*` is any run of characters but `/`; a `/` in the query does not count. A `*` that is a whole segment needs a
 *   character, and one at the end also takes the slash that ends a folder.
 * - `**` is any run of characters; `**` between slashes may be no folder at all; a last `/**` matches the folder itself too.
 * - An international host may be written in either form: `https://bücher.example/**` and `https://xn--bcher-kva.example/**` are the same.
 * - `{a,b}` is either, `[a-z]` and `[!a-z]` are one character, `\` takes the next as it is. All others, `?` among them, are
 *   themselves.
 *
 * Both kinds run in linear time: URLs are written by strangers, and a backtracking matcher can be held up for hours with one.
 */
export type UrlPattern = (url: string) => boolean;

/** Scheme and host of a glob over URLs. */
const HOST_PART = /^(?:[^/]*:\/\/)?[^/]*/;
const PUNYCODE = /\bxn--[a-z0-9-]+/g;

/** What is wrong with a pattern; null if nothing is. */
export function patternProblem(text: string): string | null {
  try {
    compileText(text);
    return null;
  } catch (error) {
    return printable(messageOf(error));
  }
}

const compileText = (text: string): UrlPattern =>
  text.startsWith('re:') ? compileExpression(text.slice(3)) : compileGlob(text);

/** @param role names the option in the error, as in `exclude pattern "…"` */
export function compilePattern(text: string, role: string): UrlPattern {
  try {
    return compileText(text);
  } catch (error) {
    throw new UsageError(`${role} pattern "${printable(text)}": ${printable(messageOf(error))}`);
  }
}

function compileExpression(source: string): UrlPattern {
  if (source === '') {
    throw new Error('nothing stands after "re:"');
  }
  const expression = RE2JS.compile(source);
  // In a URL in normal form only the host can be beyond ASCII, when it is shown in Unicode.
  return isAscii(source)
    ? (url) => expression.test(url)
    : (url) => expression.test(url) || expression.test(withUnicodeHost(url));
}

function compileGlob(text: string): UrlPattern {
  if (text === '') {
    throw new Error('it is empty');
  }
  if (text.startsWith('!')) {
    throw new Error('"!" does not negate; use the opposite of include and exclude');
  }
  const glob = text.includes('/') ? text.replace(/^https?:\/\/[^/]*/i, (origin) => origin.toLowerCase()) : `**/${text}`;
  const expression = RE2JS.compile(new GlobTranslator(glob).translate(), RE2JS.DOTALL);
  if (glob.startsWith('/')) {
    return (url) => expression.testExact(pathOf(url));
  }
  const [host] = HOST_PART.exec(glob)!;
  if (isAscii(host)) {
    return (url) => expression.testExact(url);
  }
  // The part before the first slash may be meant as a host or, after stars, as the end of a path.
  const hosts = compileUnicodeHost(host, glob.slice(host.length));
  return (url) => expression.testExact(url) || hosts.testExact(withUnicodeHost(url));
}

function compileUnicodeHost(host: string, path: string): RE2JS {
  const unicode = host.normalize('NFC').toLowerCase();
  const whole = unicode.replace(PUNYCODE, (label) => domainToUnicode(label) || label);
  return RE2JS.compile(new GlobTranslator(whole + path, whole.length).translate(), RE2JS.DOTALL);
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** Turns a glob into an RE2 expression, one construct a step. */
class GlobTranslator {
  readonly #glob: string;
  /** The part of the glob up to here describes a host in Unicode. */
  readonly #hostEnd: number;
  #at = 0;
  #expression = '';
  #openBraces = 0;
  #inQuery = false;

  constructor(glob: string, hostEnd = 0) {
    this.#glob = glob;
    this.#hostEnd = hostEnd;
  }

  translate(): string {
    while (this.#at < this.#glob.length) {
      this.#step(this.#glob[this.#at]!);
    }
    if (this.#openBraces > 0) {
      throw new Error('a "{" is not closed');
    }
    return this.#expression;
  }

  #step(character: string): void {
    if (character === '*') {
      this.#stars();
    } else if (character === '[') {
      this.#set();
    } else if (character === '{') {
      this.#emit('(?:', 1, 1);
    } else if (character === ',' && this.#openBraces > 0) {
      this.#emit('|', 1);
    } else if (character === '}' && this.#openBraces > 0) {
      this.#emit(')', 1, -1);
    } else if (character === '/' && this.#rest() === '/**') {
      this.#emit('(?:[/?].*)?', 3);
    } else if (character === '\\') {
      const next = this.#glob[this.#at + 1];
      if (next === undefined) {
        throw new Error('nothing stands after the last "\\"');
      }
      this.#literal(next, 2);
    } else {
      this.#literal(String.fromCodePoint(this.#glob.codePointAt(this.#at)!), character.length);
    }
  }

  #stars(): void {
    const atSegmentStart = this.#at === 0 || this.#glob[this.#at - 1] === '/';
    if (this.#glob.startsWith('**', this.#at)) {
      const folders = atSegmentStart && this.#glob[this.#at + 2] === '/';
      this.#emit(folders ? '(?:.*/)?' : '.*', folders ? 3 : 2);
      return;
    }
    const next = this.#glob[this.#at + 1];
    const folderEnd = next === undefined ? '/?' : '';
    if (this.#inQuery) {
      this.#emit('.*', 1);
    } else if (atSegmentStart && (next === undefined || next === '/')) {
      this.#emit(`(?:[^/?]+${folderEnd}(?:\\?.*)?|\\?.*)`, 1);
    } else {
      this.#emit(`[^/?]*${folderEnd}(?:\\?.*)?`, 1);
    }
  }

  #set(): void {
    const end = this.#glob.indexOf(']', this.#at + 1);
    if (end < 0) {
      throw new Error('a "[" is not closed; write "\\[" for the character itself');
    }
    const inner = this.#glob.slice(this.#at + 1, end);
    const negated = inner.startsWith('!') || inner.startsWith('^');
    const members = (negated ? inner.slice(1) : inner).replace(/[\\[\]^]/g, '\\$&');
    // `x[]=1` is how many forms write a list, and stands in URLs as it is.
    if (members === '') {
      this.#emit(RE2JS.quote(this.#glob.slice(this.#at, end + 1)), end + 1 - this.#at);
    } else {
      this.#emit(`[${negated ? '^/' : ''}${members}]`, end + 1 - this.#at);
    }
  }

  #literal(character: string, length: number): void {
    if (character === '?') {
      this.#inQuery = true;
    }
    // In a path, characters beyond ASCII are always escaped.
    const isEscaped = character.codePointAt(0)! > 0x7f && this.#at >= this.#hostEnd;
    const written = isEscaped ? encodeURI(character) : character;
    this.#emit(RE2JS.quote(written), Math.max(length, character.length));
  }

  #rest(): string {
    return this.#glob.slice(this.#at);
  }

  #emit(expression: string, length: number, braces = 0): void {
    this.#expression += expression;
    this.#at += length;
    this.#openBraces += braces;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
}
