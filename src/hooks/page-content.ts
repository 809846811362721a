import { type Child, type Element, textOf } from '../content/element.js';
import type { Selector } from '../content/select.js';
import type { ResponseHeaders } from '../fetch/response-headers.js';
import { detectEncoding } from '../parse/charset.js';
import { decodeText } from '../parse/encodings.js';
import { foldSpace } from '../parse/html-rules.js';
import { isHtmlType } from '../parse/media-type.js';

/** What a body says. Each part is worked out when it is first asked for. */
export interface PageContent {
  /** As it was sent, or null. */
  readonly contentType: string | null;
  /** The body as text, in whatever encoding it came. */
  readonly body: string;
  /** The body where it is HTML; null if it is something else. */
  readonly html: string | null;
  /** The body read as JSON; throws where it is none. */
  readonly json: unknown;
  /** What a reader sees of it: no markup, no scripts, white space folded. Of what is no HTML, the body. */
  readonly text: string;
  /** The tree of the page. */
  readonly document: PageElement;
  /** The first element that the CSS selector matches, or null. */
  select(selector: string): PageElement | null;
  /** All elements that the CSS selector matches, in the order of the page. */
  selectAll(selector: string): PageElement[];
}

/** An element of a page. */
export interface PageElement {
  /** In lower case. */
  readonly name: string;
  /** All its text, white space folded. */
  readonly text: string;
  /** By name, in lower case. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The element that it stands in, or null. */
  readonly parent: PageElement | null;
  /** Elements only. */
  readonly children: readonly PageElement[];
  /** Null if it has no such attribute. */
  attribute(name: string): string | null;
  /** The first element within it that the CSS selector matches, or null. */
  select(selector: string): PageElement | null;
  /** All elements within it that the CSS selector matches, in the order of the page. */
  selectAll(selector: string): PageElement[];
}

/** What it takes to have a tree. It is loaded where a page hook might ask for one, and not in other crawls. */
export interface TreeTools {
  parseDocument(html: string): Element;
  compileSelector(text: string): Selector;
  selectFirst(root: Element, selector: Selector): Element | null;
  selectAll(root: Element, selector: Selector): Element[];
}

export async function loadTreeTools(): Promise<TreeTools> {
  const [{ parseDocument }, { compileSelector, selectFirst, selectAll }] = await Promise.all([
    import('../content/tree-builder.js'),
    import('../content/select.js'),
  ]);
  const known = new Map<string, Selector>();
  return {
    parseDocument,
    selectFirst,
    selectAll,
    compileSelector(text) {
      let selector = known.get(text);
      if (selector === undefined) {
        selector = compileSelector(text);
        if (known.size < MOST_SELECTORS) {
          known.set(text, selector);
        }
      }
      return selector;
    },
  };
}

/** Selectors that are remembered: a hook uses the same few on every page. */
const MOST_SELECTORS = 1_000;

/** A body of which nothing is decoded or parsed before somebody asks. It can be asked until `close`: its bytes are used again then. */
export class LazyContent implements PageContent {
  readonly contentType: string | null;
  readonly #tools: TreeTools;
  #bytes: Uint8Array | null;
  #encoding: string | null;
  #body: string | null = null;
  #document: TreeElement | null = null;
  #text: string | null = null;

  /** @param encoding where it is known already */
  constructor(bytes: Uint8Array | null, contentType: string | null, tools: TreeTools, encoding: string | null = null) {
    this.#bytes = bytes ?? new Uint8Array(0);
    this.contentType = contentType;
    this.#tools = tools;
    this.#encoding = encoding;
  }

  get #isHtml(): boolean {
    return this.contentType === null || isHtmlType(this.contentType);
  }

  get body(): string {
    if (this.#body === null) {
      if (this.#bytes === null) {
        throw new Error('the page is gone: read what you need before the hook returns');
      }
      this.#encoding ??= this.#isHtml ? detectEncoding(this.#bytes, this.contentType).encoding : this.#saidEncoding;
      this.#body = decodeText(this.#bytes, this.#encoding).text;
    }
    return this.#body;
  }

  /** What is no HTML says its encoding in its header alone. */
  get #saidEncoding(): string {
    return /charset\s*=/i.test(this.contentType ?? '')
      ? detectEncoding(new Uint8Array(0), this.contentType).encoding
      : 'utf-8';
  }

  get html(): string | null {
    return this.#isHtml ? this.body : null;
  }

  get json(): unknown {
    return JSON.parse(this.body.replace(/^\ufeff/, ''));
  }

  get text(): string {
    this.#text ??= this.#isHtml ? this.document.readable : this.body;
    return this.#text;
  }

  get document(): TreeElement {
    this.#document ??= new TreeElement(this.#tools.parseDocument(this.html ?? ''), this.#tools);
    return this.#document;
  }

  /** A function that needs no `this`: it may be taken out of the page by its name. */
  get select(): (selector: string) => PageElement | null {
    return (selector) => this.document.select(selector);
  }

  get selectAll(): (selector: string) => PageElement[] {
    return (selector) => this.document.selectAll(selector);
  }

  close(): void {
    this.#bytes = null;
  }
}

/** Elements whose text no reader sees. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg']);
/** Elements whose text does not run into that of the next. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup time u var wbr'.split(' '),
);

class TreeElement implements PageElement {
  readonly #element: Element;
  readonly #tools: TreeTools;

  constructor(element: Element, tools: TreeTools) {
    this.#element = element;
    this.#tools = tools;
  }

  get name(): string {
    return this.#element.name;
  }

  get text(): string {
    return foldSpace(textOf(this.#element));
  }

  get attributes(): Readonly<Record<string, string>> {
    const { attributes } = this.#element;
    const byName: Record<string, string> = Object.create(null);
    for (let i = attributes.length - 2; i >= 0; i -= 2) {
      byName[attributes[i]!] = attributes[i + 1]!;
    }
    return byName;
  }

  get parent(): PageElement | null {
    const { parent } = this.#element;
    return parent === null ? null : new TreeElement(parent, this.#tools);
  }

  get children(): readonly PageElement[] {
    return this.#element.children.flatMap((child) =>
      typeof child === 'string' ? [] : [new TreeElement(child, this.#tools)],
    );
  }

  /** As a reader sees it. */
  get readable(): string {
    const pieces: string[] = [];
    addReadable(this.#element, pieces);
    return foldSpace(pieces.join(''));
  }

  attribute(name: string): string | null {
    return this.#element.attribute(name);
  }

  select(selector: string): PageElement | null {
    const found = this.#tools.selectFirst(this.#element, this.#tools.compileSelector(selector));
    return found === null ? null : new TreeElement(found, this.#tools);
  }

  selectAll(selector: string): PageElement[] {
    const found = this.#tools.selectAll(this.#element, this.#tools.compileSelector(selector));
    return found.map((element) => new TreeElement(element, this.#tools));
  }
}

/** A tree is never deeper than MAX_DEPTH in open-elements.ts. */
function addReadable(node: Child, pieces: string[]): void {
  if (typeof node === 'string') {
    pieces.push(node);
    return;
  }
  if (UNSEEN.has(node.name)) {
    return;
  }
  const isBlock = !INLINE.has(node.name);
  if (isBlock) {
    pieces.push(' ');
  }
  for (const child of node.children) {
    addReadable(child, pieces);
  }
  if (isBlock) {
    pieces.push(' ');
  }
}

/** Each once, as `get` has it. */
export function headersByName(headers: ResponseHeaders): Readonly<Record<string, string>> {
  const byName: Record<string, string> = Object.create(null);
  for (const [name] of headers.list()) {
    byName[name] ??= headers.get(name)!;
  }
  return byName;
}
