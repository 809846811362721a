import { HtmlReader } from './html.js';

const TAB = 0x09;
const SPACE = 0x20;

/** Goes through one line from marker to marker. White space is counted in columns, since a tab reaches to the next multiple of four. */
export class LineCursor {
  readonly text: string;
  readonly end: number;
  /** Where the next character stands that is no white space; `end` where there is none. */
  content = 0;
  #contentColumn = 0;
  #column = 0;

  constructor(text: string, start: number, end: number) {
    this.text = text;
    this.end = end;
    this.#findContent(start, 0);
  }

  get isBlank(): boolean {
    return this.content === this.end;
  }

  /** Columns of white space before the content. */
  get indent(): number {
    return this.#contentColumn - this.#column;
  }

  /** The line from the content on. */
  get rest(): string {
    return this.text.slice(this.content, this.end);
  }

  dropIndent(columns: number): void {
    this.#column += Math.min(columns, this.indent);
  }

  /** Goes past characters of the content. */
  take(characters: number): void {
    this.#column = this.#contentColumn + characters;
    this.#findContent(this.content + characters, this.#column);
  }

  #findContent(from: number, column: number): void {
    let at = from;
    let reached = column;
    for (; at < this.end; at++) {
      const code = this.text.charCodeAt(at);
      if (code === TAB) {
        reached += 4 - (reached % 4);
      } else if (code === SPACE) {
        reached++;
      } else {
        break;
      }
    }
    this.content = at;
    this.#contentColumn = reached;
  }
}

/** What a line can begin, looked at from its first character that is no white space. */

export interface Fence {
  mark: '`' | '~';
  length: number;
}

export function fenceAt({ rest }: LineCursor): Fence | null {
  const [run, mark] = /^(`)`{2,}|^(~)~{2,}/.exec(rest) ?? [];
  if (run === undefined) {
    return null;
  }
  // Backticks behind it make it a code span.
  if (mark !== undefined && rest.includes('`', run.length)) {
    return null;
  }
  return { mark: mark === undefined ? '~' : '`', length: run.length };
}

export function closesFence({ rest }: LineCursor, { mark, length }: Fence): boolean {
  const text = rest.trimEnd();
  return text.length >= length && text === mark.repeat(text.length);
}

/** The length of the `#`s of a heading, or 0. */
export function headingMarker({ rest }: LineCursor): number {
  return /^#{1,6}(?=[ \t]|$)/.exec(rest)?.[0].length ?? 0;
}

export function isSetextUnderline({ rest }: LineCursor): boolean {
  const text = rest.trimEnd();
  return (text[0] === '=' || text[0] === '-') && text === text[0].repeat(text.length);
}

export function isThematicBreak({ rest }: LineCursor): boolean {
  const mark = rest[0]!;
  if (mark !== '*' && mark !== '-' && mark !== '_') {
    return false;
  }
  let marks = 0;
  for (const character of rest) {
    if (character === mark) {
      marks++;
    } else if (character !== ' ' && character !== '\t') {
      return false;
    }
  }
  return marks >= 3;
}

/** The length of a bullet or number, or 0. One that interrupts a paragraph must have content and begin with 1. */
export function listMarker({ rest }: LineCursor, interrupts: boolean): number {
  const [marker, number] = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(rest) ?? [];
  if (marker === undefined) {
    return 0;
  }
  if (interrupts && ((number !== undefined && Number(number) !== 1) || rest.slice(marker.length).trim() === '')) {
    return 0;
  }
  return marker.length;
}

/** The length of the `[^label]:` of a footnote, or 0. */
export function footnoteMarker({ rest }: LineCursor): number {
  return /^\[\^[^\][\s]{1,200}\]:/.exec(rest)?.[0].length ?? 0;
}

const NAMES =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link|' +
  'main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|' +
  'title|tr|track|ul';

/** How a block of HTML begins and which text ends it; null stands for a blank line. */
const HTML_BLOCKS: readonly (readonly [RegExp, RegExp | null])[] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
  [new RegExp(`^</?(?:${NAMES})(?=\\s|/?>|$)`, 'i'), null],
];

export interface HtmlBlock {
  end: RegExp | null;
}

export function htmlBlockAt(cursor: LineCursor, interrupts: boolean): HtmlBlock | null {
  const { rest } = cursor;
  if (rest[0] !== '<') {
    return null;
  }
  for (const [start, end] of HTML_BLOCKS) {
    if (start.test(rest)) {
      return { end };
    }
  }
  if (interrupts) {
    return null;
  }
  const tag = new HtmlReader(rest).tagAt(0);
  return tag !== null && rest.slice(tag.end).trim() === '' ? { end: null } : null;
}
