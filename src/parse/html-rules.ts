/**
 * What HTML5 says of characters, of character references and of names of elements. The scanner reads bytes and the tree reads text, each with a tokenizer of its own, because
 * one for both would cost the scanner nine tenths of its speed; but they go by the same rules, and these stand here.
 */

import { ENTITY_TABLE } from './entity-table.js';

export const BANG = 0x21;
export const DOUBLE_QUOTE = 0x22;
export const SINGLE_QUOTE = 0x27;
export const HYPHEN = 0x2d;
export const SLASH = 0x2f;
export const LESS_THAN = 0x3c;
export const EQUALS = 0x3d;
export const GREATER_THAN = 0x3e;
export const QUESTION = 0x3f;

export const isSpace = (byte: number | undefined): boolean =>
  byte !== undefined &&
  byte <= 0x20 &&
  (byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d || byte === 0x0c);

export const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

/** What parts names, attributes and words from each other. */
export const WHITE_SPACE = '\t\n\f\r ';
/** What ends the name of a tag. */
export const TAG_NAME_ENDS = `${WHITE_SPACE}/>`;
/** What ends the name of an attribute; as its first character, `=` is part of it. */
export const ATTRIBUTE_NAME_ENDS = `${TAG_NAME_ENDS}=`;
/** What ends a value without quotes. */
export const UNQUOTED_VALUE_ENDS = `${WHITE_SPACE}>`;

const UNFOLDED_SPACE = /^ |[\t\n\f\r]| {2}| $/;

export function foldSpace(text: string): string {
  return UNFOLDED_SPACE.test(text) ? text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '') : text;
}

/** Without the white space of ASCII around it, and no other. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) {
    start++;
  }
  while (end > start && isSpace(text.charCodeAt(end - 1))) {
    end--;
  }
  return text.slice(start, end);
}

/** Line ends and characters as a tokenizer takes them. */
export function normaliseText(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.includes('\0') ? lines.replaceAll('\0', '\ufffd') : lines;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** With scripting off: what they hold is no markup, up to their end tag, and has no character references. */
export const RAW_TEXT = names('script style xmp iframe noembed noframes');

/** What they hold is no markup, but has character references. */
export const ESCAPABLE_TEXT = names('title textarea');

/** The rest of the page is its text. */
export const PLAIN_TEXT = 'plaintext';

/** Their start tag in SVG or MathML ends that, as if it had been closed. */
export const BREAKS_OUT_OF_FOREIGN = names(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p ' +
    'pre ruby s small span strong strike sub sup table tt u ul var',
);

/** In them HTML starts again; `annotation-xml` is one too where it says that it holds HTML. */
export const SVG_INTEGRATION_POINTS = names('foreignobject desc title');

export const MATH_INTEGRATION_POINTS = names('mi mo mn ms mtext');

interface Entities {
  /** Every name, to be followed by a semicolon. */
  readonly terminated: ReadonlyMap<string, string>;
  /** The old names that count without one. */
  readonly bare: ReadonlyMap<string, string>;
}

const LONGEST_BARE_NAME = 6;

const SHORTEST_BARE_NAME = 2;

/** What the numbers 128 to 159 mean: windows-1252, and the control character itself where that has a hole. */
export const WINDOWS_1252_HIGH_CONTROLS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

let entities: Entities | undefined;

/** Most pages of a crawl use a handful of references, so the table is only unpacked when the first one is met. */
function loadEntities(): Entities {
  const terminated = new Map<string, string>();
  const bare = new Map<string, string>();
  for (const [, name, mark, codePoints] of ENTITY_TABLE.matchAll(/(\w+)([:!])(\S+)/g)) {
    const characters = String.fromCodePoint(...codePoints!.split('+').map((hex) => Number.parseInt(hex, 16)));
    terminated.set(name!, characters);
    if (mark === '!') {
      bare.set(name!, characters);
    }
  }
  return { terminated, bare };
}

function numericReference(digits: string, radix: 10 | 16): string {
  const codePoint = Number.parseInt(digits, radix);
  if (codePoint >= 0x80 && codePoint <= 0x9f) {
    return WINDOWS_1252_HIGH_CONTROLS[codePoint - 0x80]!;
  }
  const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
  return isCharacter ? String.fromCodePoint(codePoint) : '\ufffd';
}

function bareReference(whole: string, name: string, next: string, inAttribute: boolean): string {
  entities ??= loadEntities();
  for (let length = Math.min(LONGEST_BARE_NAME, name.length); length >= SHORTEST_BARE_NAME; length--) {
    const characters = entities.bare.get(name.slice(0, length));
    if (characters === undefined) {
      continue;
    }
    // In `?a=1&copy=2` and `?a=1&copyright` an author meant a parameter, not a sign: the standard leaves those alone.
    if (inAttribute && (length < name.length || next === '=')) {
      return whole;
    }
    return characters + whole.slice(1 + length);
  }
  return whole;
}

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([0-9a-zA-Z]+)(;?))/g;

/** Replaces character references as an HTML5 tokenizer does; in attribute values the rule for bare names is stricter. */
export function decodeReferences(text: string, inAttribute: boolean): string {
  if (!text.includes('&')) {
    return text;
  }
  return text.replace(REFERENCE, (whole, hex, decimal, name, semicolon, offset: number) => {
    if (hex !== undefined) {
      return numericReference(hex, 16);
    }
    if (decimal !== undefined) {
      return numericReference(decimal, 10);
    }
    if (semicolon === ';') {
      entities ??= loadEntities();
      const characters = entities.terminated.get(name);
      if (characters !== undefined) {
        return characters;
      }
    }
    return bareReference(whole, name, semicolon === ';' ? ';' : (text[offset + whole.length] ?? ''), inAttribute);
  });
}
