import { isAscii } from 'node:buffer';
import type { Kernel } from '../kernel/kernel.js';
import { decodeBytes } from './encodings.js';
import {
  ATTRIBUTE_NAME_ENDS,
  DOUBLE_QUOTE,
  decodeReferences,
  EQUALS,
  GREATER_THAN,
  isSpace,
  normaliseText,
  SINGLE_QUOTE,
  SLASH,
  trimSpace,
  UNQUOTED_VALUE_ENDS,
  WHITE_SPACE,
} from './html-rules.js';
import type { HrefSource, ScannedLinks } from './links.js';

const HIGH_BYTE = /[\x80-\xff]/;

/** Encodings of several bytes a character: in some of them a byte below 128 is not always the character of ASCII, and in none are words to be seen. */
const MULTI_BYTE = new Set('utf-16le utf-16be iso-2022-jp gbk gb18030 big5 euc-jp shift_jis euc-kr'.split(' '));

/** By encoding, the byte that is the no-break space; 0 for UTF-8, where there is none, and a space where the encoding has no such character. */
const noBreakSpaces = new Map([['utf-8', 0]]);

function noBreakSpaceOf(encoding: string): number {
  let byte = noBreakSpaces.get(encoding);
  if (byte === undefined) {
    const high = Array.from({ length: 128 }, (_, i) => i + 128);
    byte = high.find((each) => decodeBytes(Uint8Array.of(each), encoding) === '\u00a0') ?? 0x20;
    noBreakSpaces.set(encoding, byte);
  }
  return byte;
}

/** What `toString('latin1')` ends up in; called at once, it takes half the time for a short piece. */
interface PageBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
}

/** A page as it is scanned: by its bytes. */
export interface ScannablePage {
  readonly bytes: PageBuffer;
  readonly encoding: string;
  readonly isAscii: boolean;
  /** Behind the byte order mark. */
  readonly start: number;
  /** Whether the kernel holds it. */
  readonly isInKernel: boolean;
  /** The place of the next such byte, or -1. */
  find(byte: number, from: number): number;
}

/** In its own encoding, or in UTF-8 where its own hides something from a look at the bytes. */
export function toScannable(original: Uint8Array, originalEncoding: string, kernel: Kernel): ScannablePage {
  const isWide = MULTI_BYTE.has(originalEncoding);
  const encoding = isWide ? 'utf-8' : originalEncoding;
  const bytes = (
    isWide
      ? Buffer.from(decodeBytes(original, originalEncoding), 'utf8')
      : Buffer.from(original.buffer, original.byteOffset, original.byteLength)
  ) as PageBuffer;
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const isInKernel = kernel.enterPage(bytes, noBreakSpaceOf(encoding));
  return {
    bytes,
    encoding,
    isAscii: isAscii(bytes),
    start: hasBom ? 3 : 0,
    isInKernel,
    find: isInKernel ? (byte, from) => kernel.find(byte, from) : (byte, from) => bytes.indexOf(byte, from),
  };
}

/** Decodes the few pieces of a page that are needed as text. */
export class Pieces implements HrefSource {
  readonly #bytes: PageBuffer;
  readonly #encoding: string;
  readonly #isAscii: boolean;

  constructor(page: ScannablePage) {
    this.#bytes = page.bytes;
    this.#encoding = page.encoding;
    this.#isAscii = page.isAscii;
  }

  /** As decoded, character references and all. */
  raw(start: number, end: number): string {
    const latin1 = this.#bytes.latin1Slice(start, end);
    return !this.#isAscii && HIGH_BYTE.test(latin1) ? this.#decode(start, end) : latin1;
  }

  /** A tag's name in lower case, for the few places where a string is needed. */
  name(start: number, end: number): string {
    return this.#bytes.latin1Slice(start, end).toLowerCase();
  }

  /** Text between tags, its references decoded. */
  text(start: number, end: number): string {
    return decodeReferences(this.raw(start, end), false);
  }

  attribute(reader: AttributeReader, attribute: number): string {
    const marks = reader.marks[attribute]!;
    const start = reader.starts[attribute]!;
    const end = reader.ends[attribute]!;
    return marks === 0 ? this.#bytes.latin1Slice(start, end) : this.#marked(start, end, marks);
  }

  /** Whether an attribute is this word of lower-case ASCII, in any case. */
  isWord(reader: AttributeReader, attribute: number, word: string): boolean {
    if (reader.marks[attribute] !== 0) {
      return this.attribute(reader, attribute).toLowerCase() === word;
    }
    const start = reader.starts[attribute]!;
    if (reader.ends[attribute]! - start !== word.length) {
      return false;
    }
    for (let i = 0; i < word.length; i++) {
      const byte = this.#bytes[start + i]!;
      if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== word.charCodeAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** An attribute that is a URL: white space around it does not count. */
  urlAttribute(reader: AttributeReader, attribute: number): string {
    const marks = reader.marks[attribute]!;
    const start = this.#firstBeyondSpace(reader.starts[attribute]!, reader.ends[attribute]!);
    const end = this.#lastBeyondSpace(start, reader.ends[attribute]!);
    return (marks & ~HAS_AMPERSAND) === 0 ? this.hrefAt(start, end) : trimSpace(this.#marked(start, end, marks));
  }

  hrefAt(start: number, end: number): string {
    const text = this.#bytes.latin1Slice(start, end);
    return text.includes('&') ? trimSpace(decodeReferences(text, true)) : text;
  }

  /** Adds the link of an attribute to those of the page, by its place there where its bytes say what it is. */
  addLink(links: ScannedLinks, kind: number, reader: AttributeReader, attribute: number, rel: string): void {
    const start = this.#firstBeyondSpace(reader.starts[attribute]!, reader.ends[attribute]!);
    const end = this.#lastBeyondSpace(start, reader.ends[attribute]!);
    if ((reader.marks[attribute]! & ~HAS_AMPERSAND) === 0) {
      links.add(kind, start, end, rel);
    } else {
      links.addGiven(kind, this.urlAttribute(reader, attribute), rel);
    }
  }

  #firstBeyondSpace(start: number, end: number): number {
    let at = start;
    while (at < end && isSpace(this.#bytes[at])) {
      at++;
    }
    return at;
  }

  #lastBeyondSpace(start: number, end: number): number {
    let at = end;
    while (start < at && isSpace(this.#bytes[at - 1])) {
      at--;
    }
    return at;
  }

  #marked(start: number, end: number, marks: number): string {
    let text = (marks & HAS_HIGH_BYTE) !== 0 ? this.#decode(start, end) : this.#bytes.latin1Slice(start, end);
    if ((marks & HAS_NUL_OR_CR) !== 0) {
      text = normaliseText(text);
    }
    return (marks & HAS_AMPERSAND) !== 0 ? decodeReferences(text, true) : text;
  }

  #decode(start: number, end: number): string {
    if (this.#encoding === 'utf-8') {
      return this.#bytes.toString('utf8', start, end);
    }
    return decodeBytes(this.#bytes.subarray(start, end), this.#encoding);
  }
}

const KEYS = 1024;

const LONGEST_NAME = 31;

const NONE = 255;

/** First letter and length: enough to rule out most names at once. */
const keyOf = (firstByte: number, length: number): number => ((firstByte & 31) << 5) | length;

/** Finds a name of a fixed list in the bytes, whatever its case, without making a string. */
export class NameTable {
  readonly #names: Uint8Array[];
  /** `keyOf` gives several names the same key: this has the place of the first of them. */
  readonly #first = new Uint8Array(KEYS).fill(NONE);
  /** For each name this has the place of the next one with the same key. */
  readonly #next: Uint8Array;

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => new Uint8Array(Buffer.from(name, 'latin1')));
    this.#next = new Uint8Array(names.length).fill(NONE);
    this.#names.forEach((name, index) => {
      if (name.length > LONGEST_NAME) {
        throw new RangeError(`name too long for the table: ${names[index]}`);
      }
      const key = keyOf(name[0]!, name.length);
      this.#next[index] = this.#first[key]!;
      this.#first[key] = index;
    });
  }

  /** The place in the list of the name at [start, end), or -1. */
  find(bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    if (length > LONGEST_NAME) {
      return -1;
    }
    let index = this.#first[keyOf(bytes[start]!, length)]!;
    while (index !== NONE) {
      const name = this.#names[index]!;
      let i = 0;
      while (i < length && name[i] === lowerCase(bytes[start + i]!)) {
        i++;
      }
      if (i === length) {
        return index;
      }
      index = this.#next[index]!;
    }
    return -1;
  }
}

const lowerCase = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);

/** The attributes that a crawl reads; at most 31, since sets of them are bits of a number. */
const ATTRIBUTES = [
  'href',
  'rel',
  'src',
  'srcset',
  'id',
  'name',
  'content',
  'http-equiv',
  'hreflang',
  'imagesrcset',
  'poster',
  'data',
  'action',
  'alt',
  'lang',
  'type',
  'xlink:href',
  'color',
  'face',
  'size',
  'encoding',
  'data-gossamer-ignore',
  'style',
  'background',
  'srcdoc',
  'property',
  'role',
  'aria-hidden',
  'aria-label',
] as const;

/** The number of an attribute is its place in the list. */
export const ATTRIBUTE = Object.fromEntries(ATTRIBUTES.map((name, number) => [name, number])) as Record<
  (typeof ATTRIBUTES)[number],
  number
>;

export const attributeSet = (...attributes: number[]): number =>
  attributes.reduce((set, attribute) => set | (1 << attribute), 0);

/** What a value holds besides plain ASCII, and so how much work its text is. */
const HAS_AMPERSAND = 1;

const HAS_NUL_OR_CR = 2;

const HAS_HIGH_BYTE = 4;

const SPACE = 1;

const NAME_END = 2;

const UNQUOTED_END = 4;

const BYTE_CLASS = new Uint8Array(256);

for (const [characters, kind] of [
  [WHITE_SPACE, SPACE],
  [ATTRIBUTE_NAME_ENDS, NAME_END],
  [UNQUOTED_VALUE_ENDS, UNQUOTED_END],
] as const) {
  for (const byte of Buffer.from(characters)) {
    BYTE_CLASS[byte]! |= kind;
  }
}

const MARKS = new Uint8Array(256).fill(HAS_HIGH_BYTE, 0x80);

MARKS[0x26] = HAS_AMPERSAND;

MARKS[0x00] = HAS_NUL_OR_CR;

MARKS[0x0d] = HAS_NUL_OR_CR;

const names = new NameTable(ATTRIBUTES);

const ZEROS = ATTRIBUTES.map(() => 0);

/**
 * Reads the attributes of one tag after the other, as the attribute states of an HTML5 tokenizer do. It notes where the
 * values of the wanted ones are; of two with one name the first counts.
 */
export class AttributeReader {
  /** The set of wanted attributes that the last tag had. */
  found = 0;
  selfClosing = false;
  readonly starts = ZEROS.slice();
  readonly ends = ZEROS.slice();
  readonly marks = ZEROS.slice();
  readonly #bytes: Buffer;

  constructor({ bytes }: ScannablePage) {
    this.#bytes = bytes;
  }

  /** Reads from behind the tag's name to behind its `>` and returns that place, or -1 if the input ends before it. */
  read(from: number, wanted: number): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    this.found = 0;
    this.selfClosing = false;
    let i = from;
    while (i < end) {
      const first = bytes[i]!;
      if (first === GREATER_THAN) {
        return i + 1;
      }
      if (first === SLASH) {
        i++;
        if (i < end && bytes[i] === GREATER_THAN) {
          this.selfClosing = true;
          return i + 1;
        }
        continue;
      }
      if ((BYTE_CLASS[first]! & SPACE) !== 0) {
        i++;
        continue;
      }
      // The first byte belongs to the name even where it is `=`.
      const nameStart = i++;
      while (i < end && (BYTE_CLASS[bytes[i]!]! & NAME_END) === 0) {
        i++;
      }
      const missing = wanted & ~this.found;
      const attribute = missing === 0 ? -1 : names.find(bytes, nameStart, i);
      const isWanted = attribute !== -1 && (missing & (1 << attribute)) !== 0;
      while (i < end && (BYTE_CLASS[bytes[i]!]! & SPACE) !== 0) {
        i++;
      }
      let start = i;
      let stop = i;
      if (i < end && bytes[i] === EQUALS) {
        i++;
        while (i < end && (BYTE_CLASS[bytes[i]!]! & SPACE) !== 0) {
          i++;
        }
        if (i === end) {
          return -1;
        }
        const quote = bytes[i]!;
        if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
          start = i + 1;
          stop = start;
          while (stop < end && bytes[stop] !== quote) {
            stop++;
          }
          if (stop === end) {
            return -1;
          }
          i = stop + 1;
        } else {
          start = i;
          while (i < end && (BYTE_CLASS[bytes[i]!]! & UNQUOTED_END) === 0) {
            i++;
          }
          stop = i;
        }
      }
      if (isWanted) {
        this.#note(attribute, start, stop);
      }
    }
    return -1;
  }

  #note(attribute: number, start: number, end: number): void {
    let marks = 0;
    for (let i = start; i < end; i++) {
      marks |= MARKS[this.#bytes[i]!]!;
    }
    this.found |= 1 << attribute;
    this.starts[attribute] = start;
    this.ends[attribute] = end;
    this.marks[attribute] = marks;
  }
}
