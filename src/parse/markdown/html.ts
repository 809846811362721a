import { decodeReferences } from '../html-rules.js';
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
    if (tag.isEnd) {
      this.#close(tag.name);
    } else {
      this.#open(tag);
    }
  }

  #open(tag: HtmlTag): void {
    for (const name of tag.name === 'a' ? ['id', 'name'] : ['id']) {
      const id = this.#value(tag, name);
      if (id !== null && id !== '') {
        this.ids.push(id);
      }
    }
    if (HEADING.test(tag.name)) {
      this.#heading = { name: tag.name, piece: this.#plain.length };
    }
    const attribute = Object.hasOwn(LINK_ATTRIBUTES, tag.name) ? LINK_ATTRIBUTES[tag.name]! : '';
    const href = this.#value(tag, attribute);
    if (href === null) {
      return;
    }
    const link: FoundLink = {
      kind: 'html',
      element: tag.name as 'a' | 'img',
      href: href.trim(),
      text: this.#value(tag, tag.name === 'img' ? 'alt' : '') ?? '',
      offset: this.#content.offsetOf(tag.attributes.get(attribute)!.start),
    };
    if (tag.attributes.has('data-gossamer-ignore')) {
      link.isIgnored = true;
    }
    this.#links.push(link);
    if (tag.name === 'a') {
      this.#anchor = { link, piece: this.#plain.length };
    }
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
    if (open === -1) {
      return;
    }
    const end = reader.declarationEnd(open);
    const tag = end === -1 ? reader.tagAt(open) : null;
    if (tag !== null) {
      facts.add(tag);
    }
    at = tag?.end ?? (end === -1 ? open + 1 : end);
    if (end === -1 && isUnclosedComment(text, open)) {
      return;
    }
    if (tag?.name === 'script' || tag?.name === 'style') {
      at = tag.isEnd ? at : rawEnd(text, at);
    }
  }
}

const isUnclosedComment = (text: string, at: number): boolean => text.startsWith('<!--', at);

function rawEnd(text: string, from: number): number {
  RAW_END.lastIndex = from;
  return RAW_END.exec(text)?.index ?? text.length;
}

/** One start or end tag, by the grammar that CommonMark has for raw HTML. */
export interface HtmlTag {
  /** Lower case. */
  name: string;
  isEnd: boolean;
  /** Behind the `>`. */
  end: number;
  /** By name in lower case, where the value begins and ends; of two with one name the first counts. */
  attributes: Map<string, { start: number; end: number }>;
}

const NAME = /<(\/?)([A-Za-z][A-Za-z0-9-]*)/y;
const SPACE = /[ \t\n]*/y;
const ATTRIBUTE_NAME = /[A-Za-z_:][A-Za-z0-9_.:-]*/y;
const ASSIGNMENT = /[ \t\n]*=[ \t\n]*/y;
const UNQUOTED = /[^ \t\n"'=<>`]+/y;

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * Reads raw HTML in one text; all attempts together take linear time. A tag that begins inside a value of one that could not be read
 * never agrees with it on where a value ends, and there are two quotes: so at most three attempts pass over one place.
 */
export class HtmlReader {
  readonly #text: string;
  /** Ends that do not come any more, and from where on. */
  readonly #missing = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  tagAt(at: number): HtmlTag | null {
    NAME.lastIndex = at;
    const match = NAME.exec(this.#text);
    if (match === null) {
      return null;
    }
    const tag: HtmlTag = {
      name: match[2]!.toLowerCase(),
      isEnd: match[1] === '/',
      end: NAME.lastIndex,
      attributes: new Map(),
    };
    if (tag.isEnd) {
      const close = endOf(SPACE, this.#text, tag.end);
      tag.end = close + 1;
      return this.#text[close] === '>' ? tag : null;
    }
    return this.#readAttributes(tag) ? tag : null;
  }

  /** The end of a comment, a processing instruction, a declaration or a CDATA section that begins here, or -1. */
  declarationEnd(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) {
      if (text.startsWith('>', at + 4)) {
        return at + 5;
      }
      if (text.startsWith('->', at + 4)) {
        return at + 6;
      }
      return this.#behind('-->', at + 4);
    }
    if (text.startsWith('<?', at)) {
      return this.#behind('?>', at + 2);
    }
    if (text.startsWith('<![CDATA[', at)) {
      return this.#behind(']]>', at + 9);
    }
    return /[A-Za-z]/.test(text[at + 2] ?? '') && text.startsWith('<!', at) ? this.#behind('>', at + 2) : -1;
  }

  #behind(end: string, from: number): number {
    const isMissing = from >= (this.#missing.get(end) ?? Number.POSITIVE_INFINITY);
    const found = isMissing ? -1 : this.#text.indexOf(end, from);
    if (found === -1 && !isMissing) {
      this.#missing.set(end, from);
    }
    return found === -1 ? -1 : found + end.length;
  }

  #readAttributes(tag: HtmlTag): boolean {
    const text = this.#text;
    let at = tag.end;
    for (;;) {
      const next = endOf(SPACE, text, at);
      const close = text[next] === '/' ? next + 1 : next;
      if (text[close] === '>') {
        tag.end = close + 1;
        return true;
      }
      at = next === at ? -1 : this.#readAttribute(tag, next);
      if (at === -1) {
        return false;
      }
    }
  }

  /** The end of the attribute, or -1. */
  #readAttribute(tag: HtmlTag, at: number): number {
    const text = this.#text;
    const nameEnd = endOf(ATTRIBUTE_NAME, text, at);
    if (nameEnd === -1) {
      return -1;
    }
    let start = endOf(ASSIGNMENT, text, nameEnd);
    let end = start;
    let after = nameEnd;
    if (start === -1) {
      start = nameEnd;
      end = nameEnd;
    } else if (text[start] === '"' || text[start] === "'") {
      const quote = text[start]!;
      end = this.#behind(quote, start + 1) - 1;
      if (end < 0) {
        return -1;
      }
      start++;
      after = end + 1;
    } else {
      end = endOf(UNQUOTED, text, start);
      if (end === -1) {
        return -1;
      }
      after = end;
    }
    const name = text.slice(at, nameEnd).toLowerCase();
    if (!tag.attributes.has(name)) {
      tag.attributes.set(name, { start, end });
    }
    return after;
  }
}
