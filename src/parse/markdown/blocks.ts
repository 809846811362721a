import {
  closesFence,
  type Fence,
  fenceAt,
  footnoteMarker,
  type HtmlBlock,
  headingMarker,
  htmlBlockAt,
  isSetextUnderline,
  isThematicBreak,
  listMarker,
} from './block-starts.js';
import { Definitions } from './definitions.js';
import { LineCursor } from './line-cursor.js';
import { Content, type MarkdownSource, type Span } from './source.js';
import { cellsOf, tableHead } from './table.js';

/** A block that can hold links. Code is passed over, so are comments. */
export interface TextBlock {
  kind: 'text' | 'heading' | 'html';
  content: Content;
}

/** A quote or an item of a list; what is in it begins with `>` or is indented. */
interface Container {
  isQuote: boolean;
  /** Columns by which the lines of an item are indented. */
  indent: number;
  /** An item whose first line is blank ends at the second one. */
  isBlank: boolean;
}

type Leaf =
  | { kind: 'paragraph'; lines: Span[] }
  | { kind: 'fence'; fence: Fence }
  | { kind: 'html'; block: HtmlBlock; lines: Span[] };

const CODE_INDENT = 4;
const FOOTNOTE_INDENT = 4;
/** Deeper ones are text: each line is looked at once for each container around it. */
const DEEPEST_CONTAINERS = 100;

/** Finds the blocks of a file in one pass over its lines, as CommonMark does. */
export class BlockReader {
  readonly blocks: TextBlock[] = [];
  readonly definitions = new Definitions();
  readonly #source: MarkdownSource;
  readonly #containers: Container[] = [];
  #leaf: Leaf | null = null;

  constructor(source: MarkdownSource) {
    this.#source = source;
    for (let line = frontMatterLines(source); line < source.lineCount; line++) this.#readLine(source.line(line));
    this.#closeTo(0);
  }

  #readLine({ start, end }: Span): void {
    const cursor = new LineCursor(this.#source.text, start, end);
    const matched = this.#matchContainers(cursor);
    const isWhole = matched === this.#containers.length;
    if (isWhole && this.#leaf !== null && this.#leaf.kind !== 'paragraph') this.#continueRaw(this.#leaf, cursor);
    else this.#readBlocks(cursor, matched);
  }

  /** How many of the open containers go on in this line. */
  #matchContainers(cursor: LineCursor): number {
    let matched = 0;
    for (const container of this.#containers) {
      if (container.isQuote) {
        if (cursor.isBlank || cursor.indent >= CODE_INDENT || cursor.text[cursor.content] !== '>') break;
        takeQuoteMarker(cursor);
      } else if (cursor.isBlank) {
        if (container.isBlank) break;
      } else if (cursor.indent >= container.indent) {
        cursor.dropIndent(container.indent);
        container.isBlank = false;
      } else break;
      matched++;
    }
    return matched;
  }

  #continueRaw(leaf: Exclude<Leaf, { kind: 'paragraph' }>, cursor: LineCursor): void {
    if (leaf.kind === 'fence') {
      if (cursor.indent < CODE_INDENT && closesFence(cursor, leaf.fence)) this.#leaf = null;
    } else if (leaf.block.end === null && cursor.isBlank) this.#closeLeaf();
    else this.#addHtml(leaf, cursor);
  }

  #readBlocks(cursor: LineCursor, matched: number): void {
    let depth = matched;
    let isParagraph = this.#leaf?.kind === 'paragraph';
    while (!cursor.isBlank) {
      if (cursor.indent >= CODE_INDENT) {
        if (isParagraph) break;
        this.#closeTo(depth);
        return;
      }
      const interrupts = isParagraph && depth === this.#containers.length;
      if (interrupts && isSetextUnderline(cursor) && this.#closeHeading()) return;
      const container = this.#containers.length < DEEPEST_CONTAINERS ? containerAt(cursor, interrupts) : null;
      if (container === null) {
        if (this.#readLeaf(cursor, depth, isParagraph)) return;
        break;
      }
      this.#closeTo(depth);
      this.#containers.push(container);
      depth++;
      isParagraph = false;
    }
    this.#readText(cursor, depth, isParagraph);
  }

  /** Whether the line is one of a block that is no paragraph. */
  #readLeaf(cursor: LineCursor, depth: number, isParagraph: boolean): boolean {
    const { content, end } = cursor;
    const marker = headingMarker(cursor);
    if (marker > 0) {
      this.#closeTo(depth);
      cursor.take(marker);
      this.#emit('heading', [withoutClosingMarks(cursor)]);
      return true;
    }
    const fence = fenceAt(cursor);
    if (fence !== null) {
      this.#closeTo(depth);
      this.#leaf = { kind: 'fence', fence };
      return true;
    }
    const block = htmlBlockAt(cursor, isParagraph);
    if (block !== null) {
      this.#closeTo(depth);
      this.#leaf = { kind: 'html', block, lines: [] };
      this.#addHtml(this.#leaf, cursor);
      return true;
    }
    if (content < end && isThematicBreak(cursor)) {
      this.#closeTo(depth);
      return true;
    }
    return false;
  }

  #readText(cursor: LineCursor, depth: number, isParagraph: boolean): void {
    const line = { start: cursor.content, end: cursor.end };
    if (cursor.isBlank) this.#closeTo(depth);
    // A line without its markers goes on with the paragraph of the containers that it leaves out.
    else if (isParagraph && this.#leaf?.kind === 'paragraph') this.#leaf.lines.push(line);
    else {
      this.#closeTo(depth);
      this.#leaf = { kind: 'paragraph', lines: [line] };
    }
  }

  #addHtml(leaf: Extract<Leaf, { kind: 'html' }>, cursor: LineCursor): void {
    leaf.lines.push({ start: cursor.content, end: cursor.end });
    if (leaf.block.end?.test(cursor.rest)) this.#closeLeaf();
  }

  #closeTo(depth: number): void {
    this.#closeLeaf();
    this.#containers.length = depth;
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = null;
    if (leaf?.kind === 'html') this.#emit('html', leaf.lines);
    else if (leaf?.kind === 'paragraph') this.#emitParagraph(this.#withoutDefinitions(leaf.lines));
  }

  /** Makes a heading of the paragraph, unless it holds nothing but definitions: then the underline is text. */
  #closeHeading(): boolean {
    const leaf = this.#leaf as Extract<Leaf, { kind: 'paragraph' }>;
    const lines = this.#withoutDefinitions(leaf.lines);
    leaf.lines = lines;
    if (lines.length === 0) return false;
    this.#leaf = null;
    this.#emit('heading', lines);
    return true;
  }

  /** Definitions end with their line, so what is left are whole lines. */
  #withoutDefinitions(lines: Span[]): Span[] {
    if (lines.length === 0 || this.#source.text[lines[0]!.start] !== '[') return lines;
    const content = new Content(this.#source.text, lines);
    const end = this.definitions.takeFrom(content);
    if (end === 0) return lines;
    const offset = end >= content.text.length ? Number.POSITIVE_INFINITY : content.offsetOf(end);
    return lines.filter(({ start }) => start >= offset);
  }

  #emitParagraph(lines: Span[]): void {
    const head = tableHead(this.#source.text, lines);
    this.#emit('text', lines.slice(0, head ?? lines.length));
    if (head === null) return;
    for (const row of lines.slice(head)) {
      for (const cell of cellsOf(this.#source.text, row)) this.#emit('text', [cell]);
    }
  }

  #emit(kind: TextBlock['kind'], lines: Span[]): void {
    if (lines.length > 0) this.blocks.push({ kind, content: new Content(this.#source.text, lines) });
  }
}

function takeQuoteMarker(cursor: LineCursor): void {
  cursor.take(1);
  cursor.dropIndent(1);
}

/** Takes the marker of a quote, an item or a footnote that begins here. */
function containerAt(cursor: LineCursor, interrupts: boolean): Container | null {
  if (cursor.text[cursor.content] === '>') {
    takeQuoteMarker(cursor);
    return { isQuote: true, indent: 0, isBlank: false };
  }
  const footnote = footnoteMarker(cursor);
  if (footnote > 0) {
    cursor.take(footnote);
    cursor.dropIndent(CODE_INDENT);
    return { isQuote: false, indent: FOOTNOTE_INDENT, isBlank: false };
  }
  const marker = isThematicBreak(cursor) ? 0 : listMarker(cursor, interrupts);
  if (marker === 0) return null;
  const before = cursor.indent + marker;
  cursor.take(marker);
  // Five spaces and more are one space and code.
  const gap = cursor.isBlank || cursor.indent > CODE_INDENT ? 1 : cursor.indent;
  cursor.dropIndent(gap);
  return { isQuote: false, indent: before + gap, isBlank: cursor.isBlank };
}

/** `# heading ##` */
function withoutClosingMarks({ text, content, end }: LineCursor): Span {
  let stop = end;
  while (stop > content && (text[stop - 1] === ' ' || text[stop - 1] === '\t')) stop--;
  let marks = stop;
  while (marks > content && text[marks - 1] === '#') marks--;
  const isClosing = marks < stop && (marks === content || text[marks - 1] === ' ' || text[marks - 1] === '\t');
  return { start: content, end: isClosing ? marks : stop };
}

/** YAML between `---` or TOML between `+++` at the very beginning: settings of a generator, no Markdown. */
function frontMatterLines(source: MarkdownSource): number {
  const textOf = (line: number): string => {
    const { start, end } = source.line(line);
    return source.text.slice(start, end).trimEnd();
  };
  const mark = textOf(0);
  if (mark !== '---' && mark !== '+++') return 0;
  for (let line = 1; line < source.lineCount; line++) {
    const text = textOf(line);
    if (text === mark || (mark === '---' && text === '...')) return line + 1;
  }
  return 0;
}
