import { Definitions } from './destination.js';
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
  LineCursor,
  listMarker,
} from './lines.js';
import { Content, type MarkdownSource, type Span } from './source.js';

/** A block that can hold links. Code is passed over, so are comments. */
export interface TextBlock {
  kind: 'text' | 'heading' | 'html';
  content: Content;
}

/** Lines that belong together, both counted from 0 and part of it; text and HTML are the lines that are in none. */
export interface LineBlock {
  kind: 'heading' | 'code' | 'table';
  first: number;
  last: number;
  /** Of a heading, 1…6; else 0. */
  level: number;
  /** Of a heading, its markup included; else empty. */
  title: string;
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
  | { kind: 'paragraph'; lines: Span[]; first: number }
  | { kind: 'fence'; fence: Fence; first: number }
  | { kind: 'html'; block: HtmlBlock; lines: Span[] };

const CODE_INDENT = 4;
const FOOTNOTE_INDENT = 4;
/** Deeper ones are text: each line is looked at once for each container around it. */
const DEEPEST_CONTAINERS = 100;

/** Finds the blocks of a file in one pass over its lines, as CommonMark does. */
export class BlockReader {
  readonly blocks: TextBlock[] = [];
  /** In their order. Headings in quotes and items are not among them, and neither is code in these that has no fence. */
  readonly lineBlocks: LineBlock[] = [];
  readonly definitions = new Definitions();
  readonly #source: MarkdownSource;
  readonly #containers: Container[] = [];
  #leaf: Leaf | null = null;
  #indentedCode: LineBlock | null = null;
  /** The one that is read now. */
  #line: number;

  constructor(source: MarkdownSource) {
    this.#source = source;
    for (this.#line = frontMatterLines(source); this.#line < source.lineCount; this.#line++) {
      this.#readLine(source.line(this.#line));
    }
    this.#closeTo(0);
  }

  #readLine({ start, end }: Span): void {
    const cursor = new LineCursor(this.#source.text, start, end);
    const matched = this.#matchContainers(cursor);
    const isWhole = matched === this.#containers.length;
    if (isWhole && this.#leaf !== null && this.#leaf.kind !== 'paragraph') {
      this.#continueRaw(this.#leaf, cursor);
    } else {
      this.#readBlocks(cursor, matched);
    }
  }

  /** How many of the open containers go on in this line. */
  #matchContainers(cursor: LineCursor): number {
    let matched = 0;
    for (const container of this.#containers) {
      if (container.isQuote) {
        if (cursor.isBlank || cursor.indent >= CODE_INDENT || cursor.text[cursor.content] !== '>') {
          break;
        }
        takeQuoteMarker(cursor);
      } else if (cursor.isBlank) {
        if (container.isBlank) {
          break;
        }
      } else if (cursor.indent >= container.indent) {
        cursor.dropIndent(container.indent);
        container.isBlank = false;
      } else {
        break;
      }
      matched++;
    }
    return matched;
  }

  #continueRaw(leaf: Exclude<Leaf, { kind: 'paragraph' }>, cursor: LineCursor): void {
    if (leaf.kind === 'fence') {
      if (cursor.indent < CODE_INDENT && closesFence(cursor, leaf.fence)) {
        this.#leaf = null;
        this.#addLines('code', leaf.first, this.#line);
      }
    } else if (leaf.block.end === null && cursor.isBlank) {
      this.#closeLeaf();
    } else {
      this.#addHtml(leaf, cursor);
    }
  }

  #readBlocks(cursor: LineCursor, matched: number): void {
    let depth = matched;
    let isParagraph = this.#leaf?.kind === 'paragraph';
    while (!cursor.isBlank) {
      if (cursor.indent >= CODE_INDENT) {
        if (isParagraph) {
          break;
        }
        this.#closeTo(depth);
        this.#addIndentedCode();
        return;
      }
      const interrupts = isParagraph && depth === this.#containers.length;
      if (interrupts && isSetextUnderline(cursor) && this.#closeHeading(cursor)) {
        return;
      }
      const container = this.#containers.length < DEEPEST_CONTAINERS ? containerAt(cursor, interrupts) : null;
      if (container === null) {
        if (this.#readLeaf(cursor, depth, isParagraph)) {
          return;
        }
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
      this.#emitHeading(marker, [withoutClosingMarks(cursor)], this.#line);
      return true;
    }
    const fence = fenceAt(cursor);
    if (fence !== null) {
      this.#closeTo(depth);
      this.#leaf = { kind: 'fence', fence, first: this.#line };
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
    if (cursor.isBlank) {
      this.#closeTo(depth);
    }
    // A line without its markers goes on with the paragraph of the containers that it leaves out.
    else if (isParagraph && this.#leaf?.kind === 'paragraph') {
      this.#leaf.lines.push(line);
    } else {
      this.#closeTo(depth);
      this.#leaf = { kind: 'paragraph', lines: [line], first: this.#line };
    }
  }

  #addHtml(leaf: Extract<Leaf, { kind: 'html' }>, cursor: LineCursor): void {
    leaf.lines.push({ start: cursor.content, end: cursor.end });
    if (leaf.block.end?.test(cursor.rest)) {
      this.#closeLeaf();
    }
  }

  #closeTo(depth: number): void {
    this.#closeLeaf();
    this.#containers.length = depth;
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = null;
    if (leaf?.kind === 'html') {
      this.#emit('html', leaf.lines);
    } else if (leaf?.kind === 'fence') {
      this.#addLines('code', leaf.first, this.#line - 1);
    } else if (leaf?.kind === 'paragraph') {
      const lines = this.#withoutDefinitions(leaf.lines);
      this.#emitParagraph(lines, leaf.first + leaf.lines.length - lines.length);
    }
  }

  /** Makes a heading of the paragraph, unless it holds nothing but definitions: then the underline is text. */
  #closeHeading({ rest }: LineCursor): boolean {
    const leaf = this.#leaf as Extract<Leaf, { kind: 'paragraph' }>;
    const lines = this.#withoutDefinitions(leaf.lines);
    leaf.first += leaf.lines.length - lines.length;
    leaf.lines = lines;
    if (lines.length === 0) {
      return false;
    }
    this.#leaf = null;
    this.#emitHeading(rest[0] === '=' ? 1 : 2, lines, leaf.first);
    return true;
  }

  /** Definitions end with their line, so what is left are whole lines. */
  #withoutDefinitions(lines: Span[]): Span[] {
    if (lines.length === 0 || this.#source.text[lines[0]!.start] !== '[') {
      return lines;
    }
    const content = new Content(this.#source.text, lines);
    const end = this.definitions.takeFrom(content);
    if (end === 0) {
      return lines;
    }
    const offset = end >= content.text.length ? Number.POSITIVE_INFINITY : content.offsetOf(end);
    return lines.filter(({ start }) => start >= offset);
  }

  #emitHeading(level: number, lines: Span[], first: number): void {
    const content = this.#emit('heading', lines)!;
    if (this.#containers.length === 0) {
      this.lineBlocks.push({
        kind: 'heading',
        first,
        last: this.#line,
        level,
        title: content.text.replaceAll('\n', ' ').trim(),
      });
    }
  }

  #emitParagraph(lines: Span[], first: number): void {
    const head = tableHead(this.#source.text, lines);
    this.#emit('text', lines.slice(0, head ?? lines.length));
    if (head === null) {
      return;
    }
    this.#addLines('table', first + head, first + lines.length - 1);
    for (const row of lines.slice(head)) {
      for (const cell of cellsOf(this.#source.text, row)) {
        this.#emit('text', [cell]);
      }
    }
  }

  #emit(kind: TextBlock['kind'], lines: Span[]): Content | null {
    if (lines.length === 0) {
      return null;
    }
    const content = new Content(this.#source.text, lines);
    this.blocks.push({ kind, content });
    return content;
  }

  #addLines(kind: 'code' | 'table', first: number, last: number): void {
    this.lineBlocks.push({ kind, first, last, level: 0, title: '' });
  }

  /** Blank lines between two that are indented are part of the code. */
  #addIndentedCode(): void {
    if (this.#containers.length > 0) {
      return;
    }
    const before = this.lineBlocks.at(-1);
    if (before !== undefined && before === this.#indentedCode && this.#isBlankBetween(before.last)) {
      before.last = this.#line;
    } else {
      this.#addLines('code', this.#line, this.#line);
      this.#indentedCode = this.lineBlocks.at(-1)!;
    }
  }

  #isBlankBetween(last: number): boolean {
    const from = this.#source.line(last).end;
    return this.#source.text.slice(from, this.#source.line(this.#line).start).trim() === '';
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
  if (marker === 0) {
    return null;
  }
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
  while (stop > content && (text[stop - 1] === ' ' || text[stop - 1] === '\t')) {
    stop--;
  }
  let marks = stop;
  while (marks > content && text[marks - 1] === '#') {
    marks--;
  }
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
  if (mark !== '---' && mark !== '+++') {
    return 0;
  }
  for (let line = 1; line < source.lineCount; line++) {
    const text = textOf(line);
    if (text === mark || (mark === '---' && text === '...')) {
      return line + 1;
    }
  }
  return 0;
}

/** The rows of a table are texts of their own, cell by cell: null if the lines hold none, else the place of its head. */
function tableHead(source: string, lines: readonly Span[]): number | null {
  for (let i = 1; i < lines.length; i++) {
    const cells = isDelimiterRow(source, lines[i]!) ? cellsOf(source, lines[i]!).length : 0;
    if (cells > 0 && cellsOf(source, lines[i - 1]!).length === cells) {
      return i - 1;
    }
  }
  return null;
}

function isDelimiterRow(source: string, { start, end }: Span): boolean {
  const row = source.slice(start, end);
  if (!row.includes('-') || !row.includes('|') || /[^-|: \t]/.test(row)) {
    return false;
  }
  return cellsOf(source, { start, end }).every((cell) => /^:?-+:?$/.test(source.slice(cell.start, cell.end).trim()));
}

/** What stands between the pipes that are not escaped; a pipe at either end of the row parts nothing. */
function cellsOf(source: string, line: Span): Span[] {
  const cells: Span[] = [];
  let { start } = line;
  for (let i = start; i < line.end; i++) {
    if (source[i] === '\\') {
      i++;
    } else if (source[i] === '|') {
      if (i > line.start) {
        cells.push({ start, end: i });
      }
      start = i + 1;
    }
  }
  if (source.slice(start, line.end).trim() !== '') {
    cells.push({ start, end: line.end });
  }
  return cells;
}
