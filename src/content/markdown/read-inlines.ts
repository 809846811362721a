import { type Child, type Element, textOf, walk } from '../element.js';
import type { Footnotes } from './footnotes.js';
import type { LinkMaker } from './links.js';
import type { Inline, InlineTag, Wrapped } from './model.js';
import { BLOCKS } from './names.js';
import { isNoise, isSourceLink } from './noise.js';
import { formulaOf, spokenMath } from './read-math.js';
import type { Survey } from './survey.js';
import { visible } from './tidy.js';
import { isWikiFormula, spokenWikiFormula } from './wiki-formulas.js';

/** What is known of a page while it is read. */
export interface Page {
  readonly survey: Survey;
  readonly footnotes: Footnotes;
  readonly links: LinkMaker;
  /** Ids that something links to. */
  readonly wantedIds: ReadonlySet<string>;
}

const WRAPPED = new Map<string, Wrapped['type']>(
  Object.entries({
    b: 'strong',
    strong: 'strong',
    em: 'emphasis',
    i: 'emphasis',
    cite: 'emphasis',
    dfn: 'emphasis',
    var: 'emphasis',
    del: 'delete',
    s: 'delete',
    strike: 'delete',
  } as const),
);
const TAGS = new Set(['kbd', 'sub', 'sup', 'mark', 'ins', 'abbr']);
const CODE = new Set(['code', 'tt', 'samp']);
/** Wikis with a highlighter have code in spans. */
const CODE_CLASSES = ['mw-geshi', 'mw-highlight', 't-c', 't-cc', 't-lc', 't-dcl-nopad'];
const LONGEST_ALT = 500;
const NO_SIGNS = ['', ''] as const;
const SPACES = [' ', ' '] as const;
/** Signs that a browser puts around text. */
const AROUND_TEXT = new Map<string, readonly [string, string]>([
  ['q', ['“', '”']],
  ['rt', [' (', ')']],
]);

/** What the elements around a piece of text already say. */
interface Around {
  readonly inLink: boolean;
  readonly inHeading: boolean;
  readonly types: readonly string[];
}

const NOTHING: Around = { inLink: false, inHeading: false, types: [] };

/** Reads what stands on a line. White space is as in the page: see tidy. */
export class InlineReader {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Whether an element is not read where it stands. */
  isSkipped(element: Element): boolean {
    return (
      this.#page.footnotes.taken.has(element) ||
      (isNoise(element) && formulaOf(element) === null) ||
      isSourceLink(element)
    );
  }

  read(nodes: readonly Child[]): Inline[] {
    return this.#readAll(nodes, NOTHING);
  }

  readHeading(nodes: readonly Child[]): Inline[] {
    return this.#readAll(nodes, { ...NOTHING, inHeading: true });
  }

  /** As code: text in pieces, parted by the links in it. */
  readCode(nodes: readonly Child[], inHeading = false): Inline[] {
    const out: Inline[] = [];
    this.#addCode(nodes, { ...NOTHING, inHeading }, out);
    return out;
  }

  #readAll(nodes: readonly Child[], around: Around): Inline[] {
    const out: Inline[] = [];
    this.#readInto(nodes, around, out);
    return out;
  }

  #readInto(nodes: readonly Child[], around: Around, out: Inline[]): void {
    for (const node of nodes) {
      if (typeof node === 'string') {
        out.push(node);
      } else {
        this.#readElement(node, around, out);
      }
    }
  }

  #readElement(element: Element, around: Around, out: Inline[]): void {
    if (this.#page.footnotes.taken.has(element)) {
      return;
    }
    const formula = formulaOf(element);
    if (formula !== null) {
      out.push({ type: 'math', tex: formula.tex });
      return;
    }
    if (isNoise(element) || isSourceLink(element)) {
      return;
    }
    this.#addAnchor(element, out);
    this.#addElement(element, around, out);
  }

  #addAnchor(element: Element, out: Inline[]): void {
    if (element.attributes.length === 0) {
      return;
    }
    for (const id of idsOf(element)) {
      if (this.#page.wantedIds.has(id)) {
        out.push({ type: 'anchor', id });
      }
    }
  }

  #addElement(element: Element, around: Around, out: Inline[]): void {
    const { name, children } = element;
    const label = this.#page.footnotes.references.get(element);
    const wrapped = WRAPPED.get(name);
    if (label !== undefined) {
      out.push({ type: 'footnote', label });
    } else if (wrapped !== undefined) {
      this.#addWrapped(wrapped, element, around, out);
    } else if (CODE.has(name) || isCodeSpan(element)) {
      this.#addCode(children, around, out);
    } else if (TAGS.has(name)) {
      this.#addTag(element, around, out);
    } else if (name === 'a') {
      this.#addLink(element, around, out);
    } else if (name === 'br') {
      out.push({ type: 'break' });
    } else if (name === 'img') {
      this.#addImage(element.attribute('src'), element.attribute('alt'), element, out);
    } else if (name === 'object') {
      this.#addObject(element, around, out);
    } else if (name === 'math') {
      out.push(spokenMath(element));
    } else if (isWikiFormula(element)) {
      out.push(spokenWikiFormula(element));
    } else {
      const [before, after] = AROUND_TEXT.get(name) ?? (BLOCKS.has(name) ? SPACES : NO_SIGNS);
      if (before !== '') {
        out.push(before);
      }
      this.#readInto(children, around, out);
      if (after !== '') {
        out.push(after);
      }
      // cppreference sets names below each other in spans.
      if (name === 'span' && element.parent?.hasClass('t-lines') === true) {
        out.push({ type: 'break' });
      }
    }
  }

  #addWrapped(type: Wrapped['type'], element: Element, around: Around, out: Inline[]): void {
    if (around.types.includes(type)) {
      this.#readInto(element.children, around, out);
    } else {
      out.push({ type, children: this.#readAll(element.children, { ...around, types: [...around.types, type] }) });
    }
  }

  #addTag(element: Element, around: Around, out: Inline[]): void {
    const name = element.name as InlineTag['name'];
    const children = this.#readAll(element.children, { ...around, types: [...around.types, name] });
    const isNeedless =
      around.types.includes(name) ||
      (name === 'sup' && children.every((child) => typeof child === 'object' && child.type === 'footnote')) ||
      (name === 'abbr' && (element.attribute('title') ?? '').trim() === '') ||
      (name === 'kbd' &&
        children.some((child) => typeof child === 'object' && child.type === 'tag' && child.name === 'kbd'));
    if (isNeedless) {
      for (const child of children) {
        out.push(child);
      }
    } else {
      const title = name === 'abbr' ? visible(element.attribute('title')!).trim() : null;
      out.push({ type: 'tag', name, title, children });
    }
  }

  #addLink(element: Element, around: Around, out: Inline[]): void {
    const target = this.#target(element, around);
    const note = target?.startsWith('#') === true ? this.#page.footnotes.byId.get(target.slice(1)) : undefined;
    if (note !== undefined) {
      out.push({ type: 'footnote', label: note });
    } else if (target === null) {
      this.#readInto(element.children, around, out);
    } else {
      out.push({ type: 'link', href: target, children: this.#readAll(element.children, { ...around, inLink: true }) });
    }
  }

  /** Null if a link is none in Markdown: in another link, or from the title of a section to that section. */
  #target(link: Element, around: Around): string | null {
    const href = link.attribute('href');
    if (around.inLink || (around.inHeading && this.#page.links.leadsHere(href))) {
      return null;
    }
    return this.#page.links.make(href);
  }

  #addImage(src: string | null, alt: string | null, element: Element, out: Inline[]): void {
    const lazy = element.attribute('data-src') ?? element.attribute('data-original');
    const target = this.#page.links.makeImage(src) ?? this.#page.links.makeImage(lazy);
    const text = visible(alt ?? '')
      .trim()
      .slice(0, LONGEST_ALT);
    if (target !== null) {
      out.push({ type: 'image', src: target, alt: text });
    } else if (text !== '') {
      out.push(text);
    }
  }

  #addObject(element: Element, around: Around, out: Inline[]): void {
    const isImage = (element.attribute('type') ?? '').startsWith('image/');
    if (!isImage) {
      this.#readInto(element.children, around, out);
    } else {
      this.#addImage(element.attribute('data'), element.attribute('title') ?? textOf(element), element, out);
    }
  }

  #addCode(nodes: readonly Child[], around: Around, out: Inline[]): void {
    let text = '';
    let afterLink = false;
    const flush = (): void => {
      // A comma between two links is written as text, not as code.
      if (text !== '') {
        out.push(afterLink && /^[\s,;|]+$/.test(text) ? text : { type: 'code', text });
      }
      text = '';
    };
    const visit = (node: Child): void => {
      if (typeof node === 'string') {
        text += node;
        return;
      }
      if (this.isSkipped(node)) {
        return;
      }
      if (idsOf(node).some((id) => this.#page.wantedIds.has(id))) {
        flush();
        this.#addAnchor(node, out);
      }
      const target = node.name === 'a' ? this.#target(node, around) : null;
      if (node.name === 'br') {
        flush();
        out.push({ type: 'break' });
      } else if (target !== null) {
        flush();
        const children: Inline[] = [];
        this.#addCode(node.children, { ...around, inLink: true }, children);
        out.push({ type: 'link', href: target, children });
        afterLink = true;
      } else {
        if (BLOCKS.has(node.name)) {
          text += ' ';
        }
        node.children.forEach(visit);
        if (BLOCKS.has(node.name)) {
          text += ' ';
        }
      }
    };
    nodes.forEach(visit);
    flush();
  }
}

function isCodeSpan(element: Element): boolean {
  return element.name === 'span' && element.classes.some((each) => CODE_CLASSES.includes(each));
}

const LONGEST_CODE = 5000;

/** Whether an element is inline code, even where a careless page has put paragraphs into it. */
export function isInlineCode(element: Element): boolean {
  if (!CODE.has(element.name) && !isCodeSpan(element)) {
    return false;
  }
  let length = 0;
  for (const node of walk(element)) {
    if (typeof node === 'string') {
      length += node.length;
    } else if (BLOCKS.has(node.name) && node.name !== 'p' && node.name !== 'div') {
      return false;
    }
    if (length > LONGEST_CODE) {
      return false;
    }
  }
  return true;
}

export function idsOf(element: Element): string[] {
  const name = element.name === 'a' ? element.attribute('name') : null;
  const { id } = element;
  if (name === null || name === '' || name === id) {
    return id === '' ? [] : [id];
  }
  return id === '' ? [name] : [id, name];
}
