import type { Child, Element } from '../element.js';
import type { Block, Inline, List } from './model.js';
import { BLOCKS } from './names.js';
import { InlineReader, idsOf, isInlineCode, type Page } from './read-inlines.js';
import { formulaOf } from './read-math.js';
import { tidy } from './tidy.js';
import { isWikiFormula } from './wiki-formulas.js';

/** Deeper lists and quotes are read as if they were not nested: each line of Markdown repeats all that it stands in. */
const MAX_NESTING = 12;

const isElement = (child: Child): child is Element => typeof child !== 'string';

/** Reads one element that is a block, with all that it holds. */
export type ReadBlock = (element: Element, reader: BlockReader, out: Block[]) => void;

/**
 * Goes through the nodes of a page: it parts lines from blocks, counts how deep it is, and keeps the ids of what it has entered until there is a
 * text to put them in. How a block of some name or class is read, `readBlock` knows.
 */
export class BlockReader {
  readonly page: Page;
  readonly inlines: InlineReader;
  /** Lists that go on after what was indented below their last item. */
  readonly unfinished = new WeakSet<List>();
  readonly #readBlock: ReadBlock;
  #nesting = 0;
  /** Ids of what was entered, for the first text in it. */
  #ids: string[] = [];

  constructor(page: Page, readBlock: ReadBlock) {
    this.page = page;
    this.inlines = new InlineReader(page);
    this.#readBlock = readBlock;
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
        if (!this.isSkipped(node)) {
          this.noteIds(node);
          this.#readBlock(node, this, out);
        }
      } else {
        line.push(node);
      }
    }
    this.#addLine(line, out);
  }

  isSkipped(element: Element): boolean {
    return this.inlines.isSkipped(element);
  }

  noteIds(element: Element): void {
    if (element.attributes.length === 0) {
      return;
    }
    for (const id of idsOf(element)) {
      if (this.page.wantedIds.has(id)) {
        this.#ids.push(id);
      }
    }
  }

  takeIds(): string[] {
    const ids = this.#ids;
    this.#ids = [];
    return ids;
  }

  /** Keeps the ids of an element that turned out to have no text. */
  keepIds(ids: readonly string[]): void {
    this.#ids.push(...ids);
  }

  /** Where links to what was entered lead to. */
  takeAnchors(): Inline[] {
    if (this.#ids.length === 0) {
      return [];
    }
    return this.takeIds().map((id): Inline => ({ type: 'anchor', id }));
  }

  /** The same on a line of its own, before what has no text to put them in. */
  addAnchors(out: Block[]): void {
    const anchors = this.takeAnchors();
    if (anchors.length > 0) {
      out.push({ type: 'paragraph', content: anchors });
    }
  }

  addParagraph(content: readonly Inline[], out: Block[]): void {
    for (const paragraph of paragraphsOf(tidy(content))) {
      if (paragraph.every(isAnchor)) {
        for (const { id } of paragraph.filter(isAnchor)) {
          this.#ids.push(id);
        }
      } else {
        out.push({ type: 'paragraph', content: [...this.takeAnchors(), ...paragraph] });
      }
    }
  }

  /** Whether what comes now is read as if it were not nested. */
  get isDeepest(): boolean {
    return this.#nesting >= MAX_NESTING;
  }

  /** Reads something one level deeper. */
  deeper<T>(read: () => T): T {
    this.#nesting++;
    const result = read();
    this.#nesting--;
    return result;
  }

  /** Reads into a container of its own, unless there are enough around it already. */
  nest(nodes: readonly Child[], make: (children: Block[]) => Block, out: Block[]): void {
    if (this.isDeepest) {
      this.readInto(nodes, out);
      return;
    }
    const children = this.deeper(() => this.read(nodes));
    if (children.length > 0) {
      out.push(make(children));
    }
  }

  #isBlock(element: Element): boolean {
    if (BLOCKS.has(element.name)) {
      return true;
    }
    if (this.page.survey.mixed.has(element)) {
      return !isInlineCode(element) && !isWikiFormula(element);
    }
    return formulaOf(element)?.isDisplay ?? false;
  }

  #addLine(nodes: readonly Child[], out: Block[]): void {
    if (nodes.length > 0) {
      this.addParagraph(this.inlines.read(nodes), out);
    }
  }
}

export const isAnchor = (node: Inline): node is Extract<Inline, { type: 'anchor' }> =>
  typeof node === 'object' && node.type === 'anchor';

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
    } else if (breaks === 1 && current.length > 0) {
      current.push({ type: 'break' });
    }
    breaks = 0;
    current.push(node);
  }
  if (current.length > 0) {
    paragraphs.push(current);
  }
  return paragraphs;
}
