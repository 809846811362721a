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
} from './scan-bytes.js';

const CHARSET_IN_CONTENT = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;
const XML_ENCODING =
  /^<\?xml[^>]*?\sencoding[\x01-\x20]*=[\x01-\x20]*(?:"([^"\x00-\x20>]+)"|'([^'\x00-\x20>]+)')[^>]*>/;

/**
 * The label of the encoding that the start of a page declares, found as the HTML standard says: by its own loose reading
 * of comments, tags and attributes, since nothing can be decoded yet. `isKnown` decides whether a label ends the search.
 */
export function prescanEncoding(head: Uint8Array, isKnown: (label: string) => boolean): string | null {
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
      if (label !== null && isKnown(label)) return label;
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
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === 'http-equiv') hasPragma = value === 'content-type';
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
  if (reader.isAtEnd) return null;
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
    while (this.at < this.#head.length && !isSpace(this.#head[this.at]) && this.#head[this.at] !== GREATER_THAN)
      this.at++;
    while (this.next() !== null);
    return this.at;
  }

  /** The next attribute, or null at the `>` that ends the tag or at the end of the bytes. */
  next(): { name: string; value: string } | null {
    const head = this.#head;
    while (isSpace(head[this.at]) || head[this.at] === SLASH) this.at++;
    if (this.at >= head.length || head[this.at] === GREATER_THAN) return null;
    const nameStart = this.at++;
    while (this.at < head.length && !this.#endsName(head[this.at]!)) this.at++;
    const name = this.#lowerCase(nameStart, this.at);
    const hasSlash = head[this.at] === SLASH;
    this.#skipSpace();
    if (hasSlash || head[this.at] !== EQUALS) return { name, value: '' };
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
    while (this.at < this.#head.length && !isSpace(this.#head[this.at]) && this.#head[this.at] !== GREATER_THAN)
      this.at++;
    return this.#lowerCase(start, this.at);
  }

  #endsName(byte: number): boolean {
    return byte === EQUALS || byte === SLASH || byte === GREATER_THAN || isSpace(byte);
  }

  #skipSpace(): void {
    while (isSpace(this.#head[this.at])) this.at++;
  }

  #lowerCase(start: number, end: number): string {
    return this.#text.slice(start, end).toLowerCase();
  }
}
