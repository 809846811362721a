/** A URL that a stylesheet loads, and where in the text it stands. */
export interface CssUrl {
  /** Escapes decoded, not resolved. */
  href: string;
  /** An imported stylesheet, or anything else: an image, a font, a cursor. */
  isImport: boolean;
  at: number;
}

/** What is open: a function whose strings are URLs, one of any other sort, or a block. */
const TAKES_STRINGS = 1;
const OTHER = 0;

const URL_FUNCTIONS: ReadonlySet<string> = new Set(['url', 'src', 'image-set', '-webkit-image-set']);
/** URLs before the block or the semicolon of these are names, and nothing is loaded from there. */
const NAMING_RULES: ReadonlySet<string> = new Set(['namespace', 'document', '-moz-document']);
/** After anything but these an @import is not valid, and no browser loads it. */
const BEFORE_IMPORTS: ReadonlySet<string> = new Set(['charset', 'import', 'layer']);

/**
 * The URLs that a stylesheet loads, read by the tokens of CSS Syntax Level 3: comments, strings, escapes, `url()` with and without
 * quotes, and what is left of a bad one. `data:` URLs and places within the document itself (`url(#id)`) are left out. Linear in the text.
 * @param isAttribute a style attribute, in which there are no rules
 */
export function cssUrls(text: string, isAttribute = false): CssUrl[] {
  return new CssReader(text, isAttribute).read();
}

class CssReader {
  readonly #text: string;
  readonly #urls: CssUrl[] = [];
  readonly #open: number[] = [];
  #at = 0;
  #mayImport: boolean;
  /** The next string or URL is that of an @import. */
  #imports = false;
  /** Inside the prelude of a rule that only names. */
  #names = false;

  constructor(text: string, isAttribute: boolean) {
    this.#text = text;
    this.#mayImport = !isAttribute;
  }

  read(): CssUrl[] {
    const text = this.#text;
    while (this.#at < text.length) {
      this.#passToken();
    }
    return this.#urls;
  }

  #passToken(): void {
    const text = this.#text;
    const at = this.#at;
    const character = text[at]!;
    if (character === '/' && text[at + 1] === '*') {
      const end = text.indexOf('*/', at + 2);
      this.#at = end < 0 ? text.length : end + 2;
    } else if (character === '"' || character === "'") {
      this.#passString(character);
    } else if (character === '@') {
      this.#at++;
      if (this.#startsName()) {
        this.#enterRule(this.#name().toLowerCase());
      }
    } else if (character === '#') {
      this.#at++;
      this.#name();
    } else if (isDigit(character)) {
      // A number and its unit: `2url(` is no function.
      while (isDigit(text[this.#at]) || text[this.#at] === '.') {
        this.#at++;
      }
      this.#name();
    } else if (this.#startsName()) {
      this.#passName(at);
    } else {
      this.#at++;
      this.#passMark(character);
    }
  }

  #passMark(mark: string): void {
    switch (mark) {
      case '(':
      case '[':
        this.#open.push(OTHER);
        break;
      case '{':
        this.#open.push(OTHER);
        this.#endPrelude();
        this.#mayImport = false;
        break;
      case ')':
      case ']':
      case '}':
        this.#open.pop();
        break;
      case ';':
        this.#endPrelude();
        break;
    }
  }

  #endPrelude(): void {
    this.#imports = false;
    this.#names = false;
  }

  #enterRule(name: string): void {
    this.#imports = name === 'import' && this.#mayImport && this.#open.length === 0;
    this.#names = NAMING_RULES.has(name);
    this.#mayImport &&= BEFORE_IMPORTS.has(name);
  }

  #passName(at: number): void {
    const name = this.#name().toLowerCase();
    if (this.#text[this.#at] !== '(') {
      return;
    }
    this.#at++;
    if (name !== 'url') {
      this.#open.push(URL_FUNCTIONS.has(name) ? TAKES_STRINGS : OTHER);
      return;
    }
    this.#passSpace();
    const next = this.#text[this.#at];
    if (next === '"' || next === "'") {
      this.#open.push(TAKES_STRINGS);
    } else {
      this.#passBareUrl(at);
    }
  }

  /** From behind `url(` and white space. */
  #passBareUrl(at: number): void {
    const text = this.#text;
    let href = '';
    let from = this.#at;
    for (;;) {
      const character = text[this.#at];
      if (character === undefined || character === ')') {
        href += text.slice(from, this.#at);
        this.#at++;
        this.#add(href, at);
        return;
      }
      if (isSpace(character)) {
        href += text.slice(from, this.#at);
        this.#passSpace();
        if (this.#at >= text.length || text[this.#at] === ')') {
          this.#at++;
          this.#add(href, at);
        } else {
          this.#passBadUrl();
        }
        return;
      }
      const isEscape = character === '\\' && !isNewline(text[this.#at + 1]);
      if (isEscape) {
        href += text.slice(from, this.#at);
        this.#at++;
        href += this.#escaped();
        from = this.#at;
      } else if (
        character === '\\' ||
        character === '"' ||
        character === "'" ||
        character === '(' ||
        isControl(character)
      ) {
        this.#passBadUrl();
        return;
      } else {
        this.#at++;
      }
    }
  }

  /** To the parenthesis that ends what is no URL. */
  #passBadUrl(): void {
    const text = this.#text;
    while (this.#at < text.length && text[this.#at] !== ')') {
      this.#at += text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at++;
  }

  #passString(quote: string): void {
    const text = this.#text;
    const at = this.#at++;
    let value = '';
    let from = this.#at;
    for (;;) {
      const character = text[this.#at];
      if (character === undefined || character === quote) {
        value += text.slice(from, this.#at);
        this.#at++;
        break;
      }
      if (isNewline(character)) {
        // A bad string: what follows is read as if it had ended.
        return;
      }
      if (character === '\\') {
        value += text.slice(from, this.#at);
        this.#at++;
        value += this.#escaped();
        from = this.#at;
      } else {
        this.#at++;
      }
    }
    if (
      this.#imports
        ? this.#open.length === 0 || this.#open.at(-1) === TAKES_STRINGS
        : this.#open.at(-1) === TAKES_STRINGS
    ) {
      this.#add(value, at);
    }
  }

  /** From behind the backslash. */
  #escaped(): string {
    const text = this.#text;
    HEX.lastIndex = this.#at;
    const hex = HEX.exec(text);
    if (hex !== null) {
      this.#at = HEX.lastIndex;
      const code = Number.parseInt(hex[1]!, 16);
      return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
        ? '\ufffd'
        : String.fromCodePoint(code);
    }
    const character = text[this.#at++] ?? '\ufffd';
    if (character === '\r' && text[this.#at] === '\n') {
      this.#at++;
    }
    return isNewline(character) ? '' : character;
  }

  #startsName(): boolean {
    const text = this.#text;
    const at = text[this.#at] === '-' ? this.#at + 1 : this.#at;
    const first = text[at];
    return isNameStart(first) || (first === '-' && at > this.#at) || (first === '\\' && !isNewline(text[at + 1]));
  }

  #name(): string {
    const text = this.#text;
    let name = '';
    let from = this.#at;
    for (;;) {
      const character = text[this.#at];
      if (isNameStart(character) || isDigit(character) || character === '-') {
        this.#at++;
      } else if (character === '\\' && !isNewline(text[this.#at + 1])) {
        name += text.slice(from, this.#at);
        this.#at++;
        name += this.#escaped();
        from = this.#at;
      } else {
        return name + text.slice(from, this.#at);
      }
    }
  }

  #passSpace(): void {
    while (isSpace(this.#text[this.#at])) {
      this.#at++;
    }
  }

  #add(href: string, at: number): void {
    const isImport = this.#imports;
    this.#imports = false;
    if (!this.#names && href !== '' && !href.startsWith('#') && !DATA.test(href)) {
      this.#urls.push({ href, isImport, at });
    }
  }
}

const HEX = /([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?/iy;
const DATA = /^\s*data:/i;
const isNewline = (character: string | undefined): boolean =>
  character === '\n' || character === '\r' || character === '\f';
const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || isNewline(character);
const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';
const isNameStart = (character: string | undefined): boolean =>
  character !== undefined && (/[a-z_]/i.test(character) || character >= '\u0080');
const isControl = (character: string): boolean => /[\0-\x08\x0b\x0e-\x1f\x7f]/.test(character);
