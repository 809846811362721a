import { type Child, type Element, walk } from '../element.js';
import { admonitionOf, saysMore } from './admonitions.js';
import { fold } from './fold.js';
import { isNoteList } from './footnotes.js';
import { type Block, type Inline, type List, plainText, type Wrapped } from './model.js';
import { BLOCKS, HEADINGS } from './names.js';
import { readCode } from './read-code.js';
import { InlineReader, idsOf, isInlineCode, type Page } from './read-inlines.js';
import { readDefinitions, readList } from './read-lists.js';
import { formulaOf } from './read-math.js';
import { specialReader } from './read-special.js';
import { readTable } from './read-tables.js';
import { tidy } from './tidy.js';
import { isWikiFormula } from './wiki-formulas.js';

/** Deeper lists and quotes are read as if they were not nested: each line of Markdown repeats all that it stands in. */
const MAX_NESTING = 12;

const isElement = (child: Child): child is Element => typeof child !== 'string';

/** Reads the blocks of a page. */
export class BlockReader {
  readonly page: Page;
  readonly inlines: InlineReader;
  #nesting = 0;
  /** Ids of what was entered, for the first text in it. */
  #ids: string[] = [];
  /** Lists that go on after what was indented below their last item. */
  readonly #unfinished = new WeakSet<List>();

  constructor(page: Page) {
    this.page = page;
    this.inlines = new InlineReader(page);
  }

  read(nodes: readonly Child[]): Block[] {
    const out: Block[] = [];
    this.readInto(nodes, out);
    return out;
  }

  /** What stands on a line becomes a paragraph, what is a block is read as one. */
  readInto(nodes: readonly Child[], out: Block[]): void {
    let line: Child[] = [];
    for (const node of nodes) {
      if (isElement(node) && this.#isBlock(node)) {
        this.#addLine(line, out);
        line = [];
        this.#readBlock(node, out);
      } else line.push(node);
    }
    this.#addLine(line, out);
  }

  isSkipped(element: Element): boolean {
    return this.inlines.isSkipped(element);
  }

  noteIds(element: Element): void {
    if (element.attributes.length === 0) return;
    for (const id of idsOf(element)) if (this.page.wantedIds.has(id)) this.#ids.push(id);
  }

  /** Where links to what was entered lead to. */
  takeAnchors(): Inline[] {
    if (this.#ids.length === 0) return [];
    const anchors = this.#ids.map((id): Inline => ({ type: 'anchor', id }));
    this.#ids = [];
    return anchors;
  }

  /** The same on a line of its own, before what has no text to put them in. */
  addAnchors(out: Block[]): void {
    const anchors = this.takeAnchors();
    if (anchors.length > 0) out.push({ type: 'paragraph', content: anchors });
  }

  addParagraph(content: readonly Inline[], out: Block[]): void {
    for (const paragraph of paragraphsOf(tidy(content))) {
      if (paragraph.every(isAnchor)) for (const { id } of paragraph.filter(isAnchor)) this.#ids.push(id);
      else out.push({ type: 'paragraph', content: [...this.takeAnchors(), ...paragraph] });
    }
  }

  /** Reads into a container of its own, unless there are enough around it already. */
  nest(nodes: readonly Child[], make: (children: Block[]) => Block, out: Block[]): void {
    if (this.#nesting >= MAX_NESTING) {
      this.readInto(nodes, out);
      return;
    }
    this.#nesting++;
    const children = this.read(nodes);
    this.#nesting--;
    if (children.length > 0) out.push(make(children));
  }

  #isBlock(element: Element): boolean {
    if (BLOCKS.has(element.name)) return true;
    if (this.page.survey.mixed.has(element)) return !isInlineCode(element) && !isWikiFormula(element);
    return formulaOf(element)?.isDisplay ?? false;
  }

  #addLine(nodes: readonly Child[], out: Block[]): void {
    if (nodes.length > 0) this.addParagraph(this.inlines.read(nodes), out);
  }

  #readBlock(element: Element, out: Block[]): void {
    if (this.isSkipped(element)) return;
    this.noteIds(element);
    const formula = formulaOf(element);
    if (formula !== null) {
      this.addAnchors(out);
      out.push({ type: 'math', tex: formula.tex });
    } else if (!this.#readBox(element, out)) this.#readByName(element, out);
  }

  #readBox(element: Element, out: Block[]): boolean {
    const box = admonitionOf(element);
    if (box === null) return false;
    const title = box.title === null ? [] : tidy(this.inlines.readHeading(box.title.children));
    const body = [...box.body];
    this.nest(
      body,
      (children) => {
        const titled = saysMore(plainText(title), box.alert) ? [titleOf(title), ...children] : children;
        return { type: 'quote', alert: box.alert, children: titled };
      },
      out,
    );
    return true;
  }

  #readByName(element: Element, out: Block[]): void {
    const { name, children } = element;
    const special = specialReader(element);
    if (special !== null) special(element, this, out);
    else if (HEADINGS.has(name)) this.#readHeading(element, out);
    else if (name === 'pre' || name === 'listing' || name === 'xmp' || name === 'plaintext')
      this.#readCode(element, out);
    else if (name === 'hr') this.#readRule(element, out);
    else if (name === 'ul' || name === 'ol' || name === 'menu' || name === 'dir') this.#readList(element, out);
    else if (name === 'dl') this.#readDefinitions(element, out);
    else if (name === 'table') readTable(element, this, out);
    else if (name === 'blockquote')
      this.nest(children, (inner) => ({ type: 'quote', alert: null, children: inner }), out);
    else if (name === 'details') this.#readDetails(element, out);
    else if (name === 'figcaption') this.#readCaption(element, out);
    else this.readInto(children, out);
  }

  #readHeading(element: Element, out: Block[]): void {
    const isCode = element.hasClass('code-header');
    const read = isCode ? this.inlines.readCode(element.children, true) : this.inlines.readHeading(element.children);
    const ids: string[] = [];
    const content = tidy(withoutAnchors(read, ids));
    if (content.length === 0) {
      this.#ids.push(...ids);
      return;
    }
    const all = [...this.#ids, ...ids];
    this.#ids = [];
    out.push({ type: 'heading', level: Number(element.name[1]), content, ids: [...new Set(all)] });
  }

  #readCode(element: Element, out: Block[]): void {
    const code = readCode(element);
    if (code === null) return;
    for (const node of walk(element)) if (isElement(node) && node !== element) this.noteIds(node);
    this.addAnchors(out);
    out.push(code);
  }

  #readRule(element: Element, out: Block[]): void {
    const parent = element.parent;
    if (parent !== null && (isNoteList(parent) || parent.hasClass('footnote'))) return;
    if (out.length > 0 && out.at(-1)!.type !== 'rule') out.push({ type: 'rule' });
  }

  #readList(element: Element, out: Block[]): void {
    if (this.page.survey.withHeadings.has(element) || this.#nesting >= MAX_NESTING) {
      this.readInto(element.children, out);
      return;
    }
    this.#nesting++;
    const list = readList(element, this);
    this.#nesting--;
    if (list === null) return;
    const last = out.at(-1);
    if (last?.type === 'list' && this.#unfinished.has(last) && last.start === list.start)
      for (const item of list.items) last.items.push(item);
    else out.push(list);
  }

  /** What is only indented belongs to the item above it. */
  readIndented(nodes: readonly Child[], out: Block[]): void {
    const last = out.at(-1);
    const item = last?.type === 'list' ? last.items.at(-1) : undefined;
    if (last?.type === 'list') this.#unfinished.add(last);
    this.readInto(nodes, item?.children ?? out);
  }

  #readDefinitions(element: Element, out: Block[]): void {
    const isLayout = this.page.survey.withHeadings.has(element) || this.#nesting >= MAX_NESTING;
    this.#nesting++;
    readDefinitions(element, this, isLayout, out);
    this.#nesting--;
  }

  /** A fold that holds a section of the page is opened for good. */
  #readDetails(element: Element, out: Block[]): void {
    const summary = element.children.find((child): child is Element => isElement(child) && child.name === 'summary');
    const rest = element.children.filter((child) => child !== summary);
    const title = summary === undefined || this.isSkipped(summary) ? null : summary;
    if (element.hasClass('rustdoc-toggle') || this.page.survey.withHeadings.has(element) || title === null) {
      if (title !== null) this.readInto([title], out);
      this.readInto(rest, out);
      return;
    }
    this.addAnchors(out);
    const line = tidy(this.inlines.read(title.children));
    this.nest(rest, (children) => ({ type: 'details', summary: line, children }), out);
  }

  #readCaption(element: Element, out: Block[]): void {
    const line = fold(this.read(element.children));
    if (line !== null && line.length > 0)
      this.addParagraph([{ type: 'emphasis', children: withoutEmphasis(line) }], out);
  }
}

const titleOf = (content: Inline[]): Block => ({
  type: 'paragraph',
  content: tidy([{ type: 'strong', children: content.flatMap((node) => (isStrong(node) ? node.children : [node])) }]),
});

const isStrong = (node: Inline): node is Wrapped => typeof node === 'object' && node.type === 'strong';

const isAnchor = (node: Inline): node is Extract<Inline, { type: 'anchor' }> =>
  typeof node === 'object' && node.type === 'anchor';

const withoutEmphasis = (content: readonly Inline[]): Inline[] =>
  content.flatMap((node) => (typeof node === 'object' && node.type === 'emphasis' ? node.children : [node]));

function withoutAnchors(content: readonly Inline[], ids: string[]): Inline[] {
  return content.flatMap((node): Inline[] => {
    if (isAnchor(node)) {
      ids.push(node.id);
      return [];
    }
    if (typeof node === 'string') return [node];
    if (node.type === 'break') return [' '];
    return 'children' in node ? [{ ...node, children: withoutAnchors(node.children, ids) }] : [node];
  });
}

/** Two line breaks in a row part paragraphs; those at the ends part nothing. */
function paragraphsOf(content: readonly Inline[]): Inline[][] {
  const paragraphs: Inline[][] = [];
  let current: Inline[] = [];
  let breaks = 0;
  for (const node of content) {
    if (typeof node === 'object' && node.type === 'break') {
      breaks++;
      continue;
    }
    if (breaks > 1 && current.length > 0) {
      paragraphs.push(current);
      current = [];
    } else if (breaks === 1 && current.length > 0) current.push({ type: 'break' });
    breaks = 0;
    current.push(node);
  }
  if (current.length > 0) paragraphs.push(current);
  return paragraphs;
}
