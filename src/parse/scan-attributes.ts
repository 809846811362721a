import { DOUBLE_QUOTE, EQUALS, GREATER_THAN, SINGLE_QUOTE, SLASH } from './scan-bytes.js';
import { NameTable } from './scan-names.js';
import type { ScannablePage } from './scan-pieces.js';

/** The attributes that a crawl reads; at most 31, since sets of them are bits of a number. */
export const ATTRIBUTES = [
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
] as const;

/** The number of an attribute is its place in the list. */
export const ATTRIBUTE = Object.fromEntries(ATTRIBUTES.map((name, number) => [name, number])) as Record<
  (typeof ATTRIBUTES)[number],
  number
>;

export const attributeSet = (...attributes: number[]): number =>
  attributes.reduce((set, attribute) => set | (1 << attribute), 0);

/** What a value holds besides plain ASCII, and so how much work its text is. */
export const HAS_AMPERSAND = 1;
export const HAS_NUL_OR_CR = 2;
export const HAS_HIGH_BYTE = 4;

const SPACE = 1;
const NAME_END = 2;
const UNQUOTED_END = 4;
const BYTE_CLASS = new Uint8Array(256);
for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) BYTE_CLASS[byte] = SPACE | NAME_END | UNQUOTED_END;
BYTE_CLASS[SLASH] = NAME_END;
BYTE_CLASS[EQUALS] = NAME_END;
BYTE_CLASS[GREATER_THAN] = NAME_END | UNQUOTED_END;

const MARKS = new Uint8Array(256).fill(HAS_HIGH_BYTE, 0x80);
MARKS[0x26] = HAS_AMPERSAND;
MARKS[0x00] = HAS_NUL_OR_CR;
MARKS[0x0d] = HAS_NUL_OR_CR;

const names = new NameTable(ATTRIBUTES);
const NONE = ATTRIBUTES.map(() => 0);

/**
 * Reads the attributes of one tag after the other, as the attribute states of an HTML5 tokenizer do. It notes where the
 * values of the wanted ones are; of two with one name the first counts.
 */
export class AttributeReader {
  /** The set of wanted attributes that the last tag had. */
  found = 0;
  selfClosing = false;
  readonly starts = NONE.slice();
  readonly ends = NONE.slice();
  readonly marks = NONE.slice();
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
      if (first === GREATER_THAN) return i + 1;
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
      while (i < end && (BYTE_CLASS[bytes[i]!]! & NAME_END) === 0) i++;
      const missing = wanted & ~this.found;
      const attribute = missing === 0 ? -1 : names.find(bytes, nameStart, i);
      const isWanted = attribute !== -1 && (missing & (1 << attribute)) !== 0;
      while (i < end && (BYTE_CLASS[bytes[i]!]! & SPACE) !== 0) i++;
      let start = i;
      let stop = i;
      if (i < end && bytes[i] === EQUALS) {
        i++;
        while (i < end && (BYTE_CLASS[bytes[i]!]! & SPACE) !== 0) i++;
        if (i === end) return -1;
        const quote = bytes[i]!;
        if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
          start = i + 1;
          stop = start;
          while (stop < end && bytes[stop] !== quote) stop++;
          if (stop === end) return -1;
          i = stop + 1;
        } else {
          start = i;
          while (i < end && (BYTE_CLASS[bytes[i]!]! & UNQUOTED_END) === 0) i++;
          stop = i;
        }
      }
      if (isWanted) this.#note(attribute, start, stop);
    }
    return -1;
  }

  #note(attribute: number, start: number, end: number): void {
    let marks = 0;
    for (let i = start; i < end; i++) marks |= MARKS[this.#bytes[i]!]!;
    this.found |= 1 << attribute;
    this.starts[attribute] = start;
    this.ends[attribute] = end;
    this.marks[attribute] = marks;
  }
}
