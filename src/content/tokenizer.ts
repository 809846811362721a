import {
  ATTRIBUTE_NAME_ENDS,
  decodeReferences,
  ESCAPABLE_TEXT,
  isLetter,
  normaliseText,
  PLAIN_TEXT,
  RAW_TEXT,
  TAG_NAME_ENDS,
  UNQUOTED_VALUE_ENDS,
  WHITE_SPACE,
} from '../parse/html-rules.js';

/** Receives the parts of a page as they are read. */
export interface TokenHandler {
  /** Whether the next tag is one of SVG or MathML, where CDATA sections are text and no element holds raw text. */
  readonly isForeign: boolean;
  text(text: string): void;
  /** `content` is the whole text of an element whose content is not markup; no call follows for its end tag. */
  start(name: string, attributes: readonly string[], selfClosing: boolean, content: string | null): void;
  end(name: string): void;
}

const NO_ATTRIBUTES: readonly string[] = [];

const upTo = (ends: string): RegExp => new RegExp(`[^${ends}]*`, 'y');
const TAG_NAME = upTo(TAG_NAME_ENDS);
const BEFORE_ATTRIBUTE = new RegExp(`[${WHITE_SPACE}/]*`, 'y');
const ATTRIBUTE_NAME = new RegExp(`=?[^${ATTRIBUTE_NAME_ENDS}]*`, 'y');
const ASSIGNMENT = new RegExp(`[${WHITE_SPACE}]*=[${WHITE_SPACE}]*`, 'y');
const UNQUOTED_VALUE = upTo(UNQUOTED_VALUE_ENDS);
const COMMENT_END = /--!?>/g;
const SCRIPT_MARK = new RegExp(`<!--|-->|</?script(?=[${TAG_NAME_ENDS}])`, 'gi');
const TAG_NAME_END = new RegExp(`[${TAG_NAME_ENDS}]`);

const LESS_THAN = '<';

/** Reads a page as an HTML5 tokenizer with scripting off does, in one pass. Comments and declarations are passed over. */
export function tokenize(html: string, handler: TokenHandler): void {
  new Tokenizer(normaliseText(html), handler).run();
}

class Tokenizer {
  readonly #html: string;
  readonly #handler: TokenHandler;
  #at = 0;
  /** Where the tag that was read last is closed by itself. */
  #selfClosing = false;

  constructor(html: string, handler: TokenHandler) {
    this.#html = html;
    this.#handler = handler;
  }

  run(): void {
    const html = this.#html;
    let textStart = 0;
    for (;;) {
      const open = html.indexOf(LESS_THAN, this.#at);
      if (open === -1) {
        break;
      }
      const next = html.charCodeAt(open + 1);
      const isMarkup = isLetter(next) || next === 0x21 || next === 0x3f || (next === 0x2f && open + 2 < html.length);
      if (!isMarkup) {
        this.#at = open + 1;
        continue;
      }
      this.#text(textStart, open);
      if (isLetter(next)) {
        this.#startTag(open + 1);
      } else if (next === 0x2f) {
        this.#endTag(open + 2);
      } else {
        this.#declaration(open + 2);
      }
      textStart = this.#at;
    }
    this.#text(textStart, html.length);
  }

  #text(from: number, to: number): void {
    if (to > from) {
      this.#handler.text(decodeReferences(this.#html.slice(from, to), false));
    }
  }

  #take(pattern: RegExp): string {
    const from = this.#at;
    pattern.lastIndex = from;
    if (!pattern.test(this.#html)) {
      return '';
    }
    this.#at = pattern.lastIndex;
    return this.#html.slice(from, this.#at);
  }

  #startTag(from: number): void {
    this.#at = from;
    const name = this.#take(TAG_NAME).toLowerCase();
    const attributes = this.#attributes();
    if (attributes === null) {
      return;
    }
    const isRaw = !this.#handler.isForeign && (RAW_TEXT.has(name) || ESCAPABLE_TEXT.has(name));
    this.#handler.start(name, attributes, this.#selfClosing, isRaw ? this.#content(name) : null);
    if (name === PLAIN_TEXT && !this.#handler.isForeign) {
      this.#rest();
    }
  }

  #endTag(from: number): void {
    if (!isLetter(this.#html.charCodeAt(from))) {
      this.#passBehind('>', from);
      return;
    }
    this.#at = from;
    const name = this.#take(TAG_NAME).toLowerCase();
    if (this.#attributes() !== null) {
      this.#handler.end(name);
    }
  }

  #declaration(from: number): void {
    const html = this.#html;
    if (html.startsWith('--', from)) {
      // `<!-->` and `<!--->` are whole comments.
      const short = html.startsWith('>', from + 2) ? 3 : html.startsWith('->', from + 2) ? 4 : 0;
      this.#at = short > 0 ? from + short : this.#behind(COMMENT_END, from + 2);
    } else if (this.#handler.isForeign && html.startsWith('[CDATA[', from)) {
      const end = html.indexOf(']]>', from);
      this.#handler.text(html.slice(from + 7, end === -1 ? html.length : end));
      this.#at = end === -1 ? html.length : end + 3;
    } else {
      this.#passBehind('>', from);
    }
  }

  #passBehind(end: string, from: number): void {
    const at = this.#html.indexOf(end, from);
    this.#at = at === -1 ? this.#html.length : at + end.length;
  }

  #behind(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.test(this.#html) ? pattern.lastIndex : this.#html.length;
  }

  /** Up to behind the `>`; null if the page ends first, and the tag does not count. */
  #attributes(): readonly string[] | null {
    const html = this.#html;
    let found: string[] | null = null;
    for (;;) {
      const gap = this.#take(BEFORE_ATTRIBUTE);
      if (this.#at >= html.length) {
        return null;
      }
      if (html.charCodeAt(this.#at) === 0x3e) {
        this.#at++;
        this.#selfClosing = gap.endsWith('/');
        return found ?? NO_ATTRIBUTES;
      }
      const name = this.#take(ATTRIBUTE_NAME).toLowerCase();
      const value = this.#take(ASSIGNMENT) === '' ? '' : this.#value();
      if (value === null) {
        return null;
      }
      found ??= [];
      found.push(name, value);
    }
  }

  #value(): string | null {
    const html = this.#html;
    const quote = html[this.#at];
    if (quote !== '"' && quote !== "'") {
      return decodeReferences(this.#take(UNQUOTED_VALUE), true);
    }
    const end = html.indexOf(quote, this.#at + 1);
    if (end === -1) {
      this.#at = html.length;
      return null;
    }
    const value = html.slice(this.#at + 1, end);
    this.#at = end + 1;
    return decodeReferences(value, true);
  }

  /** The content of an element that holds no markup, up to behind its end tag. */
  #content(name: string): string {
    const from = this.#at;
    const end = name === 'script' ? this.#endOfScript(from) : this.#endOfRaw(name, from);
    this.#at = end;
    if (end < this.#html.length) {
      this.#at = end + 2 + name.length;
      this.#attributes();
    }
    const content = this.#html.slice(from, end);
    return ESCAPABLE_TEXT.has(name) ? decodeReferences(content, false) : content;
  }

  #endOfRaw(name: string, from: number): number {
    const html = this.#html;
    for (let open = html.indexOf('</', from); open !== -1; open = html.indexOf('</', open + 2)) {
      const behind = open + 2 + name.length;
      const isName = html.slice(open + 2, behind).toLowerCase() === name;
      if (isName && TAG_NAME_END.test(html[behind] ?? '')) {
        return open;
      }
    }
    return html.length;
  }

  /** After `<!--` a script may hold `<script>…</script>` without ending, until `-->`. */
  #endOfScript(from: number): number {
    let state: 'plain' | 'escaped' | 'nested' = 'plain';
    SCRIPT_MARK.lastIndex = from;
    for (let match = SCRIPT_MARK.exec(this.#html); match !== null; match = SCRIPT_MARK.exec(this.#html)) {
      const mark = match[0].toLowerCase();
      if (mark === '</script') {
        if (state !== 'nested') {
          return match.index;
        }
        state = 'escaped';
      } else if (mark === '-->') {
        state = 'plain';
      } else if (mark === '<!--') {
        if (state === 'plain') {
          state = 'escaped';
        }
        SCRIPT_MARK.lastIndex -= 2;
      } else if (state === 'escaped') {
        state = 'nested';
      }
    }
    return this.#html.length;
  }

  #rest(): void {
    this.#handler.text(this.#html.slice(this.#at));
    this.#at = this.#html.length;
  }
}
