import type { Child, Element } from '../element.js';
import type { BlockReader } from './block-reader.js';
import { fold } from './fold.js';
import type { Alignment, Block, Inline, Item, Paragraph } from './model.js';
import { readCodeTable } from './read-code.js';
import { tidy } from './tidy.js';

interface Cell {
  readonly element: Element;
  readonly isHead: boolean;
  readonly columns: number;
  readonly rows: number;
}

interface Row {
  readonly element: Element;
  readonly isHead: boolean;
  readonly cells: Cell[];
}

const GROUPS = new Set(['thead', 'tbody', 'tfoot']);
const MOST_COLUMNS = 100;
const isElement = (child: Child): child is Element => typeof child !== 'string';

export function readTable(table: Element, reader: BlockReader, out: Block[]): void {
  const code = readCodeTable(table);
  if (code !== null) {
    reader.addAnchors(out);
    out.push(code);
    return;
  }
  const rows = rowsOf(table);
  readAround(table, reader, out);
  if (isLayout(table, rows)) {
    for (const row of rows) {
      for (const cell of row.cells) {
        reader.readInto(cell.element.children, out);
      }
    }
    return;
  }
  const headRow =
    rows[0] !== undefined && (rows[0].isHead || rows[0].cells.every(({ isHead }) => isHead)) ? rows[0] : null;
  const body = headRow === null ? rows : rows.slice(1);
  const head = headRow === null ? [] : gridOf([headRow])[0]!;
  addTable(head, gridOf(body), reader, out);
}

/** A table of elements that only look like one: so many columns, the head first, then cell after cell. */
export function readCellsAsTable(cells: readonly Element[], columns: number, reader: BlockReader, out: Block[]): void {
  const rows: Element[][] = [];
  for (let i = 0; i < cells.length; i += columns) {
    rows.push(cells.slice(i, i + columns));
  }
  addTable(rows[0] ?? [], rows.slice(1), reader, out);
}

type Grid = readonly (readonly (Element | null)[])[];

function addTable(head: readonly (Element | null)[], body: Grid, reader: BlockReader, out: Block[]): void {
  let row: Element | null = null;
  const readCell = (cell: Element | null): Block[] => {
    if (cell === null) {
      return [];
    }
    if (cell.parent !== null && isRow(cell.parent) && cell.parent !== row) {
      reader.noteIds(cell.parent);
    }
    row = cell.parent;
    reader.noteIds(cell);
    const blocks = reader.read(cell.children);
    const anchors = reader.takeAnchors();
    return anchors.length === 0 ? blocks : [...blocks, { type: 'paragraph', content: anchors }];
  };
  reader.addAnchors(out);
  const headBlocks = head.map(readCell);
  const filled = body
    .map((row) => ({ row, cells: row.map(readCell) }))
    .filter(({ cells }) => cells.some((cell) => cell.length > 0));
  const bodyBlocks = filled.map(({ cells }) => cells);
  const isEmpty = bodyBlocks.length === 0 && headBlocks.every((cell) => cell.length === 0);
  if (isEmpty) {
    return;
  }
  const width = Math.max(headBlocks.length, ...chunkMax(bodyBlocks));
  const lines = [headBlocks, ...bodyBlocks].map((row) => foldRow(row, width));
  if (lines.includes(null)) {
    if (width === 1) {
      addAsColumn([head, ...filled.map(({ row }) => row)], [headBlocks, ...bodyBlocks], out);
    } else {
      addAsList(headBlocks, bodyBlocks, out);
    }
    return;
  }
  const [headLine, ...rows] = lines as Inline[][][];
  out.push({ type: 'table', alignments: alignmentsOf(head, body, width), head: headLine!, rows });
}

const chunkMax = (rows: readonly Block[][][]): number[] => [rows.reduce((most, row) => Math.max(most, row.length), 1)];

function foldRow(row: readonly Block[][], width: number): Inline[][] | null {
  const cells: Inline[][] = [];
  for (const blocks of row) {
    const line = fold(blocks);
    if (line === null) {
      return null;
    }
    cells.push(line);
  }
  while (cells.length < width) {
    cells.push([]);
  }
  return cells;
}

/** Writes a table that does not fit into Markdown as a list: an item for each row, with each cell after the name of its column. */
function addAsList(head: readonly Block[][], body: readonly Block[][][], out: Block[]): void {
  const items = body.map((row): Item => {
    const children = row.flatMap((blocks, i) => {
      const title = fold(head[i] ?? []) ?? [];
      return blocks.length === 0 || title.length === 0 ? blocks : titled(title, blocks);
    });
    return { checked: null, children: head.length === 0 ? joinFirst(children) : children };
  });
  if (items.length > 0) {
    out.push({ type: 'list', start: null, isOfTerms: false, items });
  } else {
    for (const blocks of head) {
      out.push(...blocks);
    }
  }
}

/** Without names of columns, the short cells of a row are read as one sentence. */
function joinFirst(blocks: readonly Block[]): Block[] {
  const end = blocks.findIndex((block) => block.type !== 'paragraph');
  const lines = blocks.slice(0, end === -1 ? blocks.length : end) as Paragraph[];
  if (lines.length < 2) {
    return [...blocks];
  }
  const content = lines.flatMap((line, i): Inline[] => (i === 0 ? line.content : [' ', ...line.content]));
  return [{ type: 'paragraph', content }, ...blocks.slice(lines.length)];
}

/** Writes the cells below each other, titles in bold. */
function addAsColumn(cells: Grid, rows: readonly Block[][][], out: Block[]): void {
  for (const [i, [blocks = []]] of rows.entries()) {
    const line = cells[i]?.[0]?.name === 'th' ? fold(blocks) : null;
    if (line !== null && line.length > 0) {
      out.push({ type: 'paragraph', content: tidy([{ type: 'strong', children: line }]) });
    } else {
      for (const block of blocks) {
        out.push(block);
      }
    }
  }
}

function titled(title: Inline[], blocks: Block[]): Block[] {
  const head: Inline[] = tidy([{ type: 'strong', children: title }, ': ']);
  const [first, ...rest] = blocks;
  if (first?.type === 'paragraph') {
    return [{ type: 'paragraph', content: [...head, ' ', ...first.content] }, ...rest];
  }
  return [{ type: 'paragraph', content: head }, ...blocks];
}

function alignmentsOf(head: readonly (Element | null)[], body: Grid, width: number): Alignment[] {
  const first = body.find((row) => row.every((cell) => cell !== null)) ?? body[0] ?? [];
  return Array.from({ length: width }, (_, i) => alignmentOf(first[i] ?? head[i] ?? null));
}

function alignmentOf(cell: Element | null): Alignment {
  if (cell === null || cell.attributes.length === 0) {
    return null;
  }
  const style = /(?:^|;)\s*text-align\s*:\s*(left|center|right)/i.exec((cell.attribute('style') ?? '').slice(0, 500));
  const stated = (style?.[1] ?? cell.attribute('align') ?? '').toLowerCase();
  return stated === 'left' || stated === 'center' || stated === 'right' ? stated : null;
}

/** Caption first, and what stands in a table outside of its cells. */
function readAround(element: Element, reader: BlockReader, out: Block[]): void {
  for (const child of element.children) {
    if (!isElement(child)) {
      if (child.trim() !== '') {
        reader.readInto([child], out);
      }
    } else if (child.name === 'caption') {
      const title = fold(reader.read(child.children)) ?? [];
      if (title.length > 0) {
        out.push({ type: 'paragraph', content: tidy([{ type: 'strong', children: title }]) });
      }
    } else if (isGroup(child) || isRow(child)) {
      readAround(child, reader, out);
    } else if (!isCell(child)) {
      reader.readInto([child], out);
    }
  }
}

const isGroup = (element: Element): boolean => GROUPS.has(element.name) || element.attribute('role') === 'rowgroup';
const isRow = (element: Element): boolean => element.name === 'tr' || element.attribute('role') === 'row';

function rowsOf(table: Element): Row[] {
  const rows: Row[] = [];
  const visit = (element: Element, isHead: boolean): void => {
    for (const child of element.children) {
      if (!isElement(child)) {
        continue;
      }
      if (isRow(child)) {
        rows.push({ element: child, isHead: isHead || isTitleRow(child), cells: cellsOf(child) });
      } else if (isGroup(child)) {
        visit(child, isHead || child.name === 'thead');
      }
    }
  };
  visit(table, false);
  return rows.filter(({ cells }) => cells.length > 0);
}

/** The names of columns in plain cells, as cppreference and some makers of tables have them. */
const isTitleRow = (row: Element): boolean => row.hasClass('t-dsc-hitem') || row.hasClass('header');

const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

const isCell = (element: Element): boolean =>
  element.name === 'td' || element.name === 'th' || CELL_ROLES.has(element.attribute('role') ?? '');

function cellsOf(row: Element): Cell[] {
  return row.children
    .filter(isElement)
    .filter(isCell)
    .map((element) => ({
      element,
      isHead: element.name === 'th' || element.attribute('role') === 'columnheader',
      columns: spanOf(element, 'colspan'),
      rows: spanOf(element, 'rowspan'),
    }));
}

function spanOf(element: Element, attribute: string): number {
  const span = Number.parseInt(element.attribute(attribute) ?? '1', 10);
  return span >= 1 ? Math.min(span, MOST_COLUMNS) : 1;
}

/** The cells of a table in a grid. If a cell spans several columns or rows, only its first place is filled. */
function gridOf(rows: readonly Row[]): (Element | null)[][] {
  /** How many more rows each column is taken for. */
  const taken: number[] = [];
  return rows.map(({ cells }) => {
    const line: (Element | null)[] = [];
    const skipTaken = (): void => {
      while ((taken[line.length] ?? 0) > 0 && line.length < MOST_COLUMNS) {
        taken[line.length]!--;
        line.push(null);
      }
    };
    for (const { element, columns, rows: height } of cells) {
      skipTaken();
      for (let i = 0; i < columns && (i === 0 || line.length < MOST_COLUMNS); i++) {
        taken[line.length] = height - 1;
        line.push(i === 0 ? element : null);
      }
    }
    skipTaken();
    while (line.length > 1 && line.at(-1) === null) {
      line.pop();
    }
    return line;
  });
}

/** Whether a table only puts things beside each other. */
function isLayout(table: Element, rows: readonly Row[]): boolean {
  const role = table.attribute('role');
  if (role === 'presentation' || role === 'none') {
    return true;
  }
  const hasHead = rows.some((row) => row.isHead || row.cells.some(({ isHead }) => isHead));
  const isOneColumn = rows.every(({ cells }) => cells.length === 1);
  if (isOneColumn && (!hasHead || rows.length === 1)) {
    return true;
  }
  if (hasHead || rows.length !== 1) {
    return false;
  }
  const { cells } = rows[0]!;
  return (
    cells.some(({ element }) => holds(element, TABLES)) ||
    cells.every(({ element }) => element.children.length === 0 || holds(element, LISTS))
  );
}

const TABLES = new Set(['table']);
/** If every cell holds a list, the cells are the columns of one long list. */
const LISTS = new Set(['ul', 'ol', 'dl']);

function holds(element: Element, names: ReadonlySet<string>): boolean {
  return element.children.some((child) => isElement(child) && (names.has(child.name) || holds(child, names)));
}
