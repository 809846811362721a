import { type Blanks, destination, escapeHtml, type Place, TextEscaper } from './escape.js';
import type { Inline, Wrapped } from './model.js';

/** A piece of the line that is being written: text that is not escaped yet, or finished markup. */
interface Piece {
  readonly kind: 'text' | 'markup' | 'open' | 'close' | 'break';
  text: string;
  /** Of `open` and `close`. */
  readonly mark: Mark | null;
  /** Whether the piece stands in the text of a link whose brackets do not pair. */
  readonly guardsBrackets: boolean;
}

interface Mark {
  readonly type: Wrapped['type'];
  open: number;
  close: number;
}

const HTML_NAME = { strong: 'strong', emphasis: 'em', delete: 'del' } as const;
const CANDIDATES = { strong: ['**', '__'], emphasis: ['*', '_'], delete: ['~~'] } as const;

/** One line of Markdown, or several parted by hard line breaks. */
export function writeInline(content: readonly Inline[], place: Place): string {
  const writer = new InlineWriter(place);
  writer.add(content, false);
  return writer.finish();
}

class InlineWriter {
  readonly #place: Place;
  readonly #pieces: Piece[] = [];
  readonly #marks: Mark[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  add(content: readonly Inline[], guardsBrackets: boolean): void {
    for (const node of content) {
      if (typeof node === 'string') {
        this.#push('text', node, null, guardsBrackets);
      } else {
        this.#addNode(node, guardsBrackets);
      }
    }
  }

  #push(kind: Piece['kind'], text: string, mark: Mark | null = null, guardsBrackets = false): void {
    if (text !== '' || mark !== null) {
      this.#pieces.push({ kind, text, mark, guardsBrackets });
    }
  }

  #addNode(node: Exclude<Inline, string>, guardsBrackets: boolean): void {
    switch (node.type) {
      case 'strong':
      case 'emphasis':
      case 'delete': {
        const mark: Mark = { type: node.type, open: this.#pieces.length, close: 0 };
        this.#push('open', '', mark);
        this.add(node.children, guardsBrackets);
        mark.close = this.#pieces.length;
        this.#push('close', '', mark);
        this.#marks.push(mark);
        return;
      }
      case 'tag':
        this.#push(
          'markup',
          node.title === null ? `<${node.name}>` : `<${node.name} title="${escapeHtml(node.title)}">`,
        );
        this.add(node.children, guardsBrackets);
        this.#push('markup', `</${node.name}>`);
        return;
      case 'link':
        this.#addLink(node.href, node.children);
        return;
      case 'code':
        this.#push('markup', this.#place === 'cell' ? cellCode(node.text) : codeSpan(node.text));
        return;
      case 'math':
        this.#push('markup', mathSpan(this.#place === 'cell' ? withoutPipes(node.tex) : node.tex));
        return;
      case 'image':
        this.#push('markup', '![');
        this.#push('text', node.alt, null, !isBalanced(node.alt));
        this.#push('markup', `](${this.#inCell(destination(node.src))})`);
        return;
      case 'footnote':
        this.#push('markup', `[^${node.label}]`);
        return;
      case 'anchor':
        this.#push('markup', `<a id="${this.#inCell(escapeHtml(node.id))}"></a>`);
        return;
      case 'break':
        if (this.#place === 'paragraph') {
          this.#push('break', '\\\n');
        } else {
          this.#push('markup', this.#place === 'cell' ? '<br>' : ' ');
        }
    }
  }

  #addLink(href: string, children: readonly Inline[]): void {
    const [only] = children;
    if (children.length === 1 && only === href && isAutolink(href)) {
      this.#push('markup', this.#inCell(`<${href}>`));
      return;
    }
    this.#push('markup', '[');
    this.add(children, !isBalanced(textAlone(children)));
    this.#push('markup', `](${this.#inCell(destination(href))})`);
  }

  #inCell(markup: string): string {
    return this.#place === 'cell' ? markup.replaceAll('|', '\\|') : markup;
  }

  finish(): string {
    this.#escapeTexts();
    for (const mark of this.#marks) {
      this.#settle(mark);
    }
    return this.#pieces.map(({ text }) => text).join('');
  }

  #escapeTexts(): void {
    const texts = this.#pieces.filter(({ kind }) => kind === 'text').map(({ text }) => text);
    const escaper = new TextEscaper(texts, this.#place, {
      emphasis: this.#marks.some(({ type }) => type !== 'delete'),
      strike: this.#marks.some(({ type }) => type === 'delete'),
      math: this.#pieces.some(({ kind, text }) => kind === 'markup' && text.includes('$')),
    });
    let atLineStart = this.#place === 'paragraph';
    for (const [i, piece] of this.#pieces.entries()) {
      if (piece.kind === 'break') {
        atLineStart = true;
        continue;
      }
      if (piece.kind === 'text') {
        const blanks: Blanks = { before: this.#endOf(i - 1), after: this.#startOf(i + 1) };
        piece.text = escaper.escape(piece.text, blanks, {
          atLineStart,
          index: i,
          guardsBrackets: piece.guardsBrackets,
        });
      }
      // Behind any piece, an anchor too, text can no longer begin a block.
      atLineStart = false;
    }
    if (this.#place === 'heading') {
      this.#guardClosingSigns();
    }
  }

  /** A `#` at the end of a heading would be dropped by parsers, so it is escaped. */
  #guardClosingSigns(): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === 'text') {
      last.text = last.text.replace(/(^|\s)(#+)$/, '$1\\$2');
    }
  }

  /** The last character before a place, '' at the start of a line; marks that are not settled count as a star. */
  #endOf(i: number): string {
    for (let at = i; at >= 0; at--) {
      const piece = this.#pieces[at]!;
      if (piece.kind === 'break') {
        return '';
      }
      if (piece.text !== '') {
        return lastCharacter(piece.text);
      }
      if (piece.mark !== null) {
        return '*';
      }
    }
    return '';
  }

  #startOf(i: number): string {
    for (let at = i; at < this.#pieces.length; at++) {
      const piece = this.#pieces[at]!;
      if (piece.kind === 'break') {
        return '\\';
      }
      if (piece.text !== '') {
        return firstCharacter(piece.text);
      }
      if (piece.mark !== null) {
        return '*';
      }
    }
    return '';
  }

  /** Inner marks are decided first, because outer ones depend on the characters beside them. */
  #settle(mark: Mark): void {
    const { open, close, type } = mark;
    const outer = [this.#endOf(open - 1), this.#startOf(close + 1)] as const;
    const inner = [this.#startOf(open + 1), this.#endOf(close - 1)] as const;
    const fitting = CANDIDATES[type].find((sign) => fits(sign, outer, inner));
    this.#pieces[open]!.text = fitting ?? `<${HTML_NAME[type]}>`;
    this.#pieces[close]!.text = fitting ?? `</${HTML_NAME[type]}>`;
  }
}

type Pair = readonly [string, string];

/** Whether a mark opens and closes here: the flanking rules of CommonMark, on the safe side. */
function fits(sign: string, outer: Pair, inner: Pair): boolean {
  const character = sign[0]!;
  for (let side = 0; side < 2; side++) {
    const out = kindOf(outer[side]!);
    const within = kindOf(inner[side]!);
    if (outer[side] === character || inner[side] === character) {
      return false;
    }
    if (within === 'space') {
      return false;
    }
    if (within !== 'word' && out !== 'space' && out !== 'sign') {
      return false;
    }
    if (character !== '*' && out !== 'space' && out !== 'sign') {
      return false;
    }
  }
  return true;
}

/** Parsers disagree about characters that need a surrogate pair, so the kind of these is unsure. */
function kindOf(character: string): 'space' | 'sign' | 'word' | 'unsure' {
  if (character === '' || /^\s$/.test(character)) {
    return 'space';
  }
  if (character.length > 1) {
    return 'unsure';
  }
  if (/^[!-/:-@[-`{-~]$/.test(character)) {
    return 'sign';
  }
  return /^[\p{P}\p{S}]$/u.test(character) ? 'unsure' : 'word';
}

const firstCharacter = (text: string): string => String.fromCodePoint(text.codePointAt(0)!);

function lastCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xdc00 && last <= 0xdfff && text.length > 1 ? text.slice(-2) : text.slice(-1);
}

export function codeSpan(text: string): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) {
    longest = Math.max(longest, run.length);
  }
  const fence = '`'.repeat(longest + 1);
  const needsPad =
    text.startsWith('`') || text.endsWith('`') || (text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '');
  return needsPad ? `${fence} ${text} ${fence}` : fence + text + fence;
}

/** In a cell `\\|` is read in two ways, so code that has it is spelled out. */
function cellCode(text: string): string {
  if (!text.includes('\\|')) {
    return codeSpan(text).replaceAll('|', '\\|');
  }
  return `<code>${text.replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;
}

const withoutPipes = (tex: string): string => tex.replace(/\\\|/g, '\\Vert ').replaceAll('|', '\\vert ');

function mathSpan(tex: string): string {
  const line = tex.replace(/\s+/g, ' ');
  return line.includes('$') ? `$\`${line}\`$` : `$${line}$`;
}

/** The text without code and formulas, in which brackets have no meaning. */
function textAlone(content: readonly Inline[]): string {
  let text = '';
  for (const node of content) {
    if (typeof node === 'string') {
      text += node;
    } else if ('children' in node) {
      text += textAlone(node.children);
    }
  }
  return text;
}

/** Whether brackets can stay as they are in the text of a link: they pair, and none of them is escaped by itself. */
function isBalanced(text: string): boolean {
  if (/\[\^|\]\(|\]\[/.test(text)) {
    return false;
  }
  let depth = 0;
  for (const character of text) {
    if (character === '[') {
      depth++;
    } else if (character === ']' && --depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

const isAutolink = (href: string): boolean => /^https?:\/\/[^\s<>\u0000-\u0020\\`]+$/.test(href);
