import { isAscii } from 'node:buffer';
import type { Kernel } from '../kernel/kernel.js';
import { decodeBytes } from './charset.js';
import { decodeReferences } from './entities.js';
import type { HrefSource, ScannedLinks } from './links.js';
import { type AttributeReader, HAS_AMPERSAND, HAS_HIGH_BYTE, HAS_NUL_OR_CR } from './scan-attributes.js';
import { isSpace } from './scan-bytes.js';
import { trimSpace } from './scan-values.js';

const HIGH_BYTE = /[\x80-\xff]/;

/** Encodings in which a byte below 128 is not always the character of ASCII. */
const isWideOrShifting = (encoding: string): boolean => encoding.startsWith('utf-16') || encoding === 'iso-2022-jp';

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

/** In its own encoding, or in UTF-8 where its own hides markup from a look at the bytes. */
export function toScannable(original: Uint8Array, originalEncoding: string, kernel: Kernel): ScannablePage {
  const isWide = isWideOrShifting(originalEncoding);
  const bytes = (
    isWide
      ? Buffer.from(decodeBytes(original, originalEncoding), 'utf8')
      : Buffer.from(original.buffer, original.byteOffset, original.byteLength)
  ) as PageBuffer;
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const isInKernel = kernel.enterPage(bytes);
  return {
    bytes,
    encoding: isWide ? 'utf-8' : originalEncoding,
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
    if (reader.marks[attribute] !== 0) return this.attribute(reader, attribute).toLowerCase() === word;
    const start = reader.starts[attribute]!;
    if (reader.ends[attribute]! - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) {
      const byte = this.#bytes[start + i]!;
      if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== word.charCodeAt(i)) return false;
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
    if ((reader.marks[attribute]! & ~HAS_AMPERSAND) === 0) links.add(kind, start, end, rel);
    else links.addGiven(kind, this.urlAttribute(reader, attribute), rel);
  }

  #firstBeyondSpace(start: number, end: number): number {
    let at = start;
    while (at < end && isSpace(this.#bytes[at])) at++;
    return at;
  }

  #lastBeyondSpace(start: number, end: number): number {
    let at = end;
    while (start < at && isSpace(this.#bytes[at - 1])) at--;
    return at;
  }

  #marked(start: number, end: number, marks: number): string {
    let text = (marks & HAS_HIGH_BYTE) !== 0 ? this.#decode(start, end) : this.#bytes.latin1Slice(start, end);
    if ((marks & HAS_NUL_OR_CR) !== 0) text = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
    return (marks & HAS_AMPERSAND) !== 0 ? decodeReferences(text, true) : text;
  }

  #decode(start: number, end: number): string {
    if (this.#encoding === 'utf-8') return this.#bytes.toString('utf8', start, end);
    return decodeBytes(this.#bytes.subarray(start, end), this.#encoding);
  }
}
