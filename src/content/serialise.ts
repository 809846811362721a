import { foldSpace, RAW_TEXT } from '../parse/html-rules.js';
import type { Child, Element } from './element.js';
import { ENDS_PARAGRAPH, TABLE_PARTS, VOID } from './tag-rules.js';

/** What they hold is for programs. */
const UNREAD = new Set(['script', 'style', 'template', 'noframes', 'noembed', 'iframe']);

/** The value of an attribute, or null. */
export const attributeOf = (element: Element, name: string): string | null => element.attribute(name.toLowerCase());

/**
 * The text of an element as a person reads it: white space is folded, blocks and line breaks part words, scripts and styles are left out. Of a script or a style it is
 * what that holds.
 *
 * @param most no more characters are made
 */
export function textOf(element: Element, most = Number.POSITIVE_INFINITY): string {
  if (UNREAD.has(element.name)) {
    return element.children
      .filter((child) => typeof child === 'string')
      .join('')
      .trim()
      .slice(0, most);
  }
  if (element.children.length === 1 && typeof element.children[0] === 'string') {
    return foldSpace(element.children[0]).slice(0, most);
  }
  const text = new FoldedText(most);
  addText(element, text);
  return text.text;
}

/** Text that is folded piece by piece, so that a bound on its length holds while it is made. */
class FoldedText {
  text = '';
  readonly #most: number;
  #isParted = false;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.text.length >= this.#most;
  }

  part(): void {
    this.#isParted = this.text !== '';
  }

  add(piece: string): void {
    const folded = foldSpace(piece);
    if (folded === '') {
      this.part();
      return;
    }
    const gap = this.#isParted || (this.text !== '' && isSpaceAt(piece, 0)) ? ' ' : '';
    this.text = `${this.text}${gap}${folded}`.slice(0, this.#most);
    this.#isParted = isSpaceAt(piece, piece.length - 1);
  }
}

const isSpaceAt = (text: string, at: number): boolean => ' \n\t\f\r'.includes(text[at]!);

function addText(element: Element, text: FoldedText): void {
  for (let i = 0; i < element.children.length && !text.isFull; i++) {
    const child = element.children[i]!;
    if (typeof child === 'string') {
      text.add(child);
    } else if (!UNREAD.has(child.name)) {
      const parts = child.name === 'br' || ENDS_PARAGRAPH.has(child.name) || TABLE_PARTS.has(child.name);
      if (parts) {
        text.part();
      }
      addText(child, text);
      if (parts) {
        text.part();
      }
    }
  }
}

/**
 * An element in HTML, its own tags included, as a browser would write it.
 *
 * @param most no more characters are made than this and those of one more piece
 */
export function htmlOf(element: Element, most = Number.POSITIVE_INFINITY): string {
  const html = { text: '' };
  addHtml(element, html, most);
  return html.text;
}

function addHtml(node: Child, html: { text: string }, most: number): void {
  if (typeof node === 'string') {
    html.text += node.replace(/[&\u00a0<>]/g, (sign) => REFERENCES[sign]!);
    return;
  }
  const { name, attributes, children } = node;
  const isNamed = name !== '';
  if (isNamed) {
    html.text += `<${name}${attributesOf(attributes)}>`;
  }
  if (VOID.has(name)) {
    return;
  }
  for (let i = 0; i < children.length && html.text.length < most; i++) {
    const child = children[i]!;
    if (typeof child === 'string' && RAW_TEXT.has(name)) {
      html.text += child;
    } else {
      addHtml(child, html, most);
    }
  }
  if (isNamed) {
    html.text += `</${name}>`;
  }
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '\u00a0': '&nbsp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function attributesOf(attributes: readonly string[]): string {
  let text = '';
  const seen = new Set<string>();
  for (let i = 0; i < attributes.length; i += 2) {
    if (!seen.has(attributes[i]!)) {
      seen.add(attributes[i]!);
      text += ` ${attributes[i]}="${attributes[i + 1]!.replace(/[&\u00a0"<>]/g, (sign) => REFERENCES[sign]!)}"`;
    }
  }
  return text;
}
