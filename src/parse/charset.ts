import { isAscii, isUtf8 } from 'node:buffer';
import { decodeBytes, encodingOfBom, encodingOfLabel, isDecodable } from './encodings.js';
import {
  BANG,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER_THAN,
  isLetter,
  isSpace,
  LESS_THAN,
  QUESTION,
  SINGLE_QUOTE,
  SLASH,
} from './html-rules.js';

export interface DetectedEncoding {
  /** The name of the encoding in the Encoding standard, lower case. */
  encoding: string;
  source: 'bom' | 'header' | 'meta' | 'fallback';
  /** `wrong_charset`: what header or page say of it cannot be right. `undecodable_bytes`: some of it has no meaning in it. */
  note: 'wrong_charset' | 'undecodable_bytes' | null;
}

/** The standard looks so far before it decodes. */
const PRESCAN_BYTES = 1024;

/** A page that does not say it there may say it later, as browsers then find out. */
const LATE_PRESCAN_BYTES = 1 << 18;

/** Markup is ASCII, of which every other byte is a NUL in UTF-16: a page without any within so many bytes is in another encoding. */
const WIDE_SAMPLE = 4096;

const CHARSET_PARAMETER = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i;

/** The start of an XML declaration in UTF-16 without a byte order mark. */
function encodingOfWideXml(bytes: Uint8Array): string | null {
  const startsWith = (...head: number[]) => head.every((byte, i) => bytes[i] === byte);
  if (startsWith(0x3c, 0, 0x3f, 0, 0x78, 0)) {
    return 'utf-16le';
  }
  if (startsWith(0, 0x3c, 0, 0x3f, 0, 0x78)) {
    return 'utf-16be';
  }
  return null;
}

/** Markup is ASCII, of which UTF-16 writes every second byte as 0. Text counts as UTF-16 where at least one in so many of those bytes is 0. */
const WIDE_SHARE = 4;

/** Zeros among the other bytes speak against it: there may be at most one for so many zeros in the right places. */
const NARROW_SHARE = 8;

const NO_TEXT = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\ufffd-\uffff]/;

/** UTF-16 that nothing announces: by where its NULs stand, and by what is text then and would be none in any other encoding. */
function encodingOfWideText(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, Math.min(WIDE_SAMPLE, bytes.length & ~1));
  if (!sample.includes(0)) {
    return null;
  }
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] === 0) {
      zeros[at & 1]!++;
    }
  }
  const [even, odd] = zeros as [number, number];
  const most = Math.max(even, odd);
  if (most < sample.length / 2 / WIDE_SHARE || Math.min(even, odd) > most / NARROW_SHARE) {
    return null;
  }
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  // Its last character may be the first half of a pair.
  const text = decodeBytes(sample, encoding).slice(0, -1);
  return text !== '' && !NO_TEXT.test(text) ? encoding : null;
}

function labelOfHeader(contentType: string | null): string | null {
  const match = contentType === null ? null : CHARSET_PARAMETER.exec(contentType);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? null;
}

function encodingOfMeta(bytes: Uint8Array): string | null {
  const wideXml = encodingOfWideXml(bytes);
  if (wideXml !== null) {
    return wideXml;
  }
  const isKnown = (candidate: string) => isUserDefined(candidate) || encodingOfLabel(candidate) !== null;
  // In a page of ASCII nothing depends on what is said later.
  const label =
    prescanEncoding(bytes.subarray(0, PRESCAN_BYTES), isKnown) ??
    (bytes.length <= PRESCAN_BYTES || isAscii(bytes)
      ? null
      : prescanEncoding(bytes.subarray(0, LATE_PRESCAN_BYTES), isKnown));
  if (label === null) {
    return null;
  }
  if (isUserDefined(label)) {
    return 'windows-1252';
  }
  const encoding = encodingOfLabel(label);
  // A page whose meta element could be read byte by byte cannot be in UTF-16, whatever it says.
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? 'utf-8' : encoding;
}

const isUserDefined = (label: string): boolean => label.trim().toLowerCase() === 'x-user-defined';

/**
 * Whether only the last character is broken, as in a body that was cut at a size limit. One whole character outside ASCII
 * must come before it: a text whose only such byte is its last is a word in an older encoding.
 */
function isUtf8ButForItsEnd(bytes: Uint8Array): boolean {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) {
      return false;
    }
    const whole = bytes.subarray(0, bytes.length - back);
    if (byte >= 0xc0) {
      return byte <= 0xf4 && isUtf8(whole) && !isAscii(whole);
    }
  }
  return false;
}

type Fit = 'fits' | 'damaged' | 'impossible';

/** Labels of ASCII. The standard takes them for windows-1252; a page with other bytes than ASCII has is in neither for sure. */
const ASCII_LABEL = /^\s*(?:us-ascii|ascii|ansi_x3\.4-1968|iso_?646[.-]?(?:us|irv)[^\s]*|iso-ir-6)\s*$/i;

/** Whether the bytes can be in an encoding: in whole, but for some, or not at all. */
function fitOf(bytes: Uint8Array, encoding: string, label: string): Fit {
  const wide = encodingOfWideText(bytes);
  if (wide !== null && wide !== encoding) {
    return 'impossible';
  }
  if (encoding === 'utf-8') {
    return fitOfUtf8(bytes);
  }
  if (encoding === 'windows-1252') {
    return ASCII_LABEL.test(label) && !isAscii(bytes) ? 'impossible' : 'fits';
  }
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
  if (isWide && bytes.length > 0 && !bytes.subarray(0, WIDE_SAMPLE).includes(0)) {
    return 'impossible';
  }
  if (isDecodable(bytes, encoding)) {
    return 'fits';
  }
  return isUtf8(bytes) && !isAscii(bytes) ? 'impossible' : 'damaged';
}

/** One byte convicts no label; several do that are at least as many as the characters which are whole. */
function fitOfUtf8(bytes: Uint8Array): Fit {
  if (isUtf8(bytes) || isUtf8ButForItsEnd(bytes)) {
    return 'fits';
  }
  const { whole, broken } = countUtf8(bytes);
  return broken === 1 || broken < whole ? 'damaged' : 'impossible';
}

/** Characters outside ASCII that are whole, and bytes that are part of none. */
function countUtf8(bytes: Uint8Array): { whole: number; broken: number } {
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at]!;
    if (byte < 0x80) {
      at++;
      continue;
    }
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (byte >= 0xc2 && byte <= 0xf4 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) {
      whole++;
      at += length;
    } else {
      broken++;
      at++;
    }
  }
  return { whole, broken };
}

/**
 * Byte order mark, then header, then the page's own word for it, then what the bytes allow. Header and page are believed only as far
 * as the bytes can be what they say: one broken byte is replaced, but a page that is UTF-8 throughout is read as such, whatever its label.
 */
export function detectEncoding(bytes: Uint8Array, contentType: string | null): DetectedEncoding {
  const fromBom = encodingOfBom(bytes);
  if (fromBom !== null) {
    const isWhole = isDecodable(bytes, fromBom) || (fromBom === 'utf-8' && isUtf8ButForItsEnd(bytes));
    return { encoding: fromBom, source: 'bom', note: isWhole ? null : 'undecodable_bytes' };
  }
  let isWrong = false;
  const believed = (encoding: string | null, source: 'header' | 'meta', label: string): DetectedEncoding | null => {
    if (encoding === null) {
      return null;
    }
    const fit = fitOf(bytes, encoding, label);
    const note = isWrong ? 'wrong_charset' : fit === 'damaged' ? 'undecodable_bytes' : null;
    isWrong ||= fit === 'impossible';
    return fit === 'impossible' ? null : { encoding, source, note };
  };
  const label = labelOfHeader(contentType);
  const found =
    (label === null ? null : believed(encodingOfLabel(label), 'header', label)) ??
    believed(encodingOfMeta(bytes), 'meta', '');
  if (found !== null) {
    return found;
  }
  const wide = encodingOfWideText(bytes);
  if (wide !== null) {
    return { encoding: wide, source: 'fallback', note: isWrong ? 'wrong_charset' : null };
  }
  const isUtf8Throughout = fitOfUtf8(bytes) === 'fits';
  const { whole, broken } = isUtf8Throughout ? { whole: 1, broken: 0 } : countUtf8(bytes);
  const encoding = broken < whole ? 'utf-8' : 'windows-1252';
  const isDamaged = encoding === 'utf-8' && !isUtf8Throughout;
  return { encoding, source: 'fallback', note: isWrong ? 'wrong_charset' : isDamaged ? 'undecodable_bytes' : null };
}

const CHARSET_IN_CONTENT = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;

const XML_ENCODING =
  /^<\?xml[^>]*?\sencoding[\x01-\x20]*=[\x01-\x20]*(?:"([^"\x00-\x20>]+)"|'([^'\x00-\x20>]+)')[^>]*>/;

/**
 * The label of the encoding that the start of a page declares, found as the HTML standard says: by its own loose reading
 * of comments, tags and attributes, since nothing can be decoded yet. `isKnown` decides whether a label ends the search.
 */
function prescanEncoding(head: Uint8Array, isKnown: (label: string) => boolean): string | null {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  const reader = new AttributePrescan(head, text);
  let at = 0;
  while (at < head.length) {
    if (head[at] !== LESS_THAN) {
      at++;
    } else if (text.startsWith('<!--', at)) {
      const close = text.indexOf('-->', at + 2);
      at = close === -1 ? head.length : close + 3;
    } else if (isMeta(text, at)) {
      reader.at = at + 5;
      const label = readMeta(reader);
      if (label !== null && isKnown(label)) {
        return label;
      }
      at = reader.at + 1;
    } else if (isLetter(head[at + 1]) || (head[at + 1] === SLASH && isLetter(head[at + 2]))) {
      at = reader.skipTag(at + 1) + 1;
    } else if (head[at + 1] === BANG || head[at + 1] === SLASH || head[at + 1] === QUESTION) {
      const close = text.indexOf('>', at);
      at = close === -1 ? head.length : close + 1;
    } else {
      at++;
    }
  }
  const declaration = XML_ENCODING.exec(text);
  const label = declaration?.[1] ?? declaration?.[2] ?? null;
  return label !== null && isKnown(label) ? label : null;
}

const META = /<meta[\t\n\f\r /]/iy;

function isMeta(text: string, at: number): boolean {
  META.lastIndex = at;
  return META.test(text);
}

function readMeta(reader: AttributePrescan): string | null {
  const seen = new Set<string>();
  let hasPragma = false;
  let needsPragma: boolean | null = null;
  let label: string | null = null;
  for (let attribute = reader.next(); attribute !== null; attribute = reader.next()) {
    const { name, value } = attribute;
    if (seen.has(name)) {
      continue;
    }
    seen.add(name);
    if (name === 'http-equiv') {
      hasPragma = value === 'content-type';
    }
    if (name === 'content' && label === null) {
      const match = CHARSET_IN_CONTENT.exec(value);
      if (match !== null) {
        label = match[1] ?? match[2] ?? match[3] ?? null;
        needsPragma = true;
      }
    }
    if (name === 'charset') {
      label = value;
      needsPragma = false;
    }
  }
  if (reader.isAtEnd) {
    return null;
  }
  return needsPragma === null || (needsPragma && !hasPragma) ? null : label;
}

/** "Get an attribute" of the prescan: coarser than a tokenizer, and lower-casing as it goes. */
class AttributePrescan {
  at = 0;
  readonly #head: Uint8Array;
  /** The same, a character a byte. */
  readonly #text: string;

  constructor(head: Uint8Array, text: string) {
    this.#head = head;
    this.#text = text;
  }

  /** A tag that the bytes do not hold to its end says nothing. */
  get isAtEnd(): boolean {
    return this.at >= this.#head.length;
  }

  /** The `>` that ends the tag whose name starts at `from`. */
  skipTag(from: number): number {
    this.at = from;
    while (this.at < this.#head.length && !isSpace(this.#head[this.at]) && this.#head[this.at] !== GREATER_THAN) {
      this.at++;
    }
    while (this.next() !== null) {}
    return this.at;
  }

  /** The next attribute, or null at the `>` that ends the tag or at the end of the bytes. */
  next(): { name: string; value: string } | null {
    const head = this.#head;
    while (isSpace(head[this.at]) || head[this.at] === SLASH) {
      this.at++;
    }
    if (this.at >= head.length || head[this.at] === GREATER_THAN) {
      return null;
    }
    const nameStart = this.at++;
    while (this.at < head.length && !this.#endsName(head[this.at]!)) {
      this.at++;
    }
    const name = this.#lowerCase(nameStart, this.at);
    const hasSlash = head[this.at] === SLASH;
    this.#skipSpace();
    if (hasSlash || head[this.at] !== EQUALS) {
      return { name, value: '' };
    }
    this.at++;
    this.#skipSpace();
    return { name, value: this.#value() };
  }

  #value(): string {
    const quote = this.#head[this.at];
    if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
      const close = this.#head.indexOf(quote, this.at + 1);
      const end = close === -1 ? this.#head.length : close;
      const value = this.#lowerCase(this.at + 1, end);
      this.at = end + 1;
      return value;
    }
    const start = this.at;
    while (this.at < this.#head.length && !isSpace(this.#head[this.at]) && this.#head[this.at] !== GREATER_THAN) {
      this.at++;
    }
    return this.#lowerCase(start, this.at);
  }

  #endsName(byte: number): boolean {
    return byte === EQUALS || byte === SLASH || byte === GREATER_THAN || isSpace(byte);
  }

  #skipSpace(): void {
    while (isSpace(this.#head[this.at])) {
      this.at++;
    }
  }

  #lowerCase(start: number, end: number): string {
    return this.#text.slice(start, end).toLowerCase();
  }
}
