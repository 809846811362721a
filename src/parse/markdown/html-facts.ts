import { decodeReferences } from '../entities.js';
import { HtmlReader, type HtmlTag } from './html-tag.js';
import type { PlainText } from './plain-text.js';
import type { Content } from './source.js';

export interface FoundLink {
  kind: 'inline' | 'reference' | 'autolink' | 'bare' | 'image' | 'html' | 'undefined';
  element: 'a' | 'img';
  href: string;
  text: string;
  /** Of the destination, in the file. */
  offset: number;
  isIgnored?: true;
}

const LINK_ATTRIBUTES: Readonly<Record<string, string>> = { a: 'href', img: 'src' };
const HEADING = /^h[1-6]$/;
const RAW_END = /<\/(?:script|style)(?=[\s/>])/gi;

/** Gathers what the tags of HTML inside Markdown say. */
export class HtmlFacts {
  /** What a fragment can point at. */
  readonly ids: string[] = [];
  /** Texts of `<h2>…</h2>`, which GitHub gives ids too. */
  readonly headings: string[] = [];
  readonly #content: Content;
  readonly #links: FoundLink[];
  readonly #plain: PlainText;
  #anchor: { link: FoundLink; piece: number } | null = null;
  #heading: { name: string; piece: number } | null = null;

  constructor(content: Content, links: FoundLink[], plain: PlainText) {
    this.#content = content;
    this.#links = links;
    this.#plain = plain;
  }

  add(tag: HtmlTag): void {
    if (tag.isEnd) this.#close(tag.name);
    else this.#open(tag);
  }

  #open(tag: HtmlTag): void {
    for (const name of tag.name === 'a' ? ['id', 'name'] : ['id']) {
      const id = this.#value(tag, name);
      if (id !== null && id !== '') this.ids.push(id);
    }
    if (HEADING.test(tag.name)) this.#heading = { name: tag.name, piece: this.#plain.length };
    const attribute = Object.hasOwn(LINK_ATTRIBUTES, tag.name) ? LINK_ATTRIBUTES[tag.name]! : '';
    const href = this.#value(tag, attribute);
    if (href === null) return;
    const link: FoundLink = {
      kind: 'html',
      element: tag.name as 'a' | 'img',
      href: href.trim(),
      text: this.#value(tag, tag.name === 'img' ? 'alt' : '') ?? '',
      offset: this.#content.offsetOf(tag.attributes.get(attribute)!.start),
    };
    if (tag.attributes.has('data-gossamer-ignore')) link.isIgnored = true;
    this.#links.push(link);
    if (tag.name === 'a') this.#anchor = { link, piece: this.#plain.length };
  }

  #close(name: string): void {
    if (name === 'a' && this.#anchor !== null) {
      this.#anchor.link.text = this.#plain.from(this.#anchor.piece);
      this.#anchor = null;
    } else if (name === this.#heading?.name) {
      this.headings.push(this.#plain.from(this.#heading.piece));
      this.#heading = null;
    }
  }

  #value(tag: HtmlTag, attribute: string): string | null {
    const span = tag.attributes.get(attribute);
    return span === undefined ? null : decodeReferences(this.#content.text.slice(span.start, span.end), true);
  }
}

/** Reads a block of HTML: tags and text, no Markdown. What is in scripts, styles and comments does not count. */
export function readHtmlBlock({ text }: Content, facts: HtmlFacts, plain: PlainText): void {
  const reader = new HtmlReader(text);
  let at = 0;
  for (;;) {
    const open = text.indexOf('<', at);
    plain.add(decodeReferences(text.slice(at, open === -1 ? text.length : open), false));
    if (open === -1) return;
    const end = reader.declarationEnd(open);
    const tag = end === -1 ? reader.tagAt(open) : null;
    if (tag !== null) facts.add(tag);
    at = tag?.end ?? (end === -1 ? open + 1 : end);
    if (end === -1 && isUnclosedComment(text, open)) return;
    if (tag?.name === 'script' || tag?.name === 'style') at = tag.isEnd ? at : rawEnd(text, at);
  }
}

const isUnclosedComment = (text: string, at: number): boolean => text.startsWith('<!--', at);

function rawEnd(text: string, from: number): number {
  RAW_END.lastIndex = from;
  return RAW_END.exec(text)?.index ?? text.length;
}
