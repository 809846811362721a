import { type Child, type Element, textOf } from '../element.js';
import { fold } from './fold.js';
import type { Block, Inline, Item } from './model.js';
import type { BlockReader } from './read-blocks.js';
import { codeText } from './read-code.js';
import { readCellsAsTable } from './read-tables.js';

type Special = (element: Element, reader: BlockReader, out: Block[]) => void;

const isElement = (child: Child): child is Element => typeof child !== 'string';
const elementsOf = (element: Element): Element[] => element.children.filter(isElement);

/** What documentation systems show by style sheets alone, by the class that gives it away. */
const BY_CLASS = new Map<string, Special>(
  Object.entries({
    'summary-table': readJavadocTable,
    'details-table': readJavadocTable,
    'type-signature': readSignature,
    'member-signature': readSignature,
    'module-signature': readSignature,
    'package-signature': readSignature,
    'annotation-interface-signature': readSignature,
    'summary-list': readLayout,
    'details-list': readLayout,
    'member-list': readLayout,
    'block-list': readLayout,
    'line-block': readLineBlock,
    'item-table': readItemTable,
    'code-block-caption': readCaption,
    rubric: readRubric,
    'tabbed-set': readTabs,
    'vp-code-group': readTabs,
    'tabs-container': readTabs,
    'sphinx-tabs': readTabs,
  }),
);

/** How an element is read that its name says too little of. */
export function specialReader(element: Element): Special | null {
  for (const each of element.classes) {
    const special = BY_CLASS.get(each);
    if (special !== undefined) return special;
  }
  return null;
}

/** Lists that only hold the parts of a page together. */
function readLayout(element: Element, reader: BlockReader, out: Block[]): void {
  reader.readInto(element.children, out);
}

/** Javadoc since 16 has tables of `div`s. */
function readJavadocTable(element: Element, reader: BlockReader, out: Block[]): void {
  const cells = elementsOf(element).filter((child) => !reader.isSkipped(child));
  const columns = cells.filter((cell) => cell.hasClass('table-header')).length;
  if (columns === 0) reader.readInto(element.children, out);
  else readCellsAsTable(cells, columns, reader, out);
}

function readSignature(element: Element, reader: BlockReader, out: Block[]): void {
  const text = codeText(element).replaceAll('\u00a0', ' ').replaceAll('\u200b', '').trim();
  if (text === '') return;
  reader.addAnchors(out);
  out.push({ type: 'code', language: 'java', text });
}

/** Lines that are to stay lines. */
function readLineBlock(element: Element, reader: BlockReader, out: Block[]): void {
  const lines: Inline[] = [];
  const visit = (block: Element): void => {
    for (const child of elementsOf(block)) {
      if (child.hasClass('line-block')) visit(child);
      else lines.push(...reader.inlines.read(child.children), { type: 'break' });
    }
  };
  visit(element);
  reader.addParagraph(lines, out);
}

/** The items of a module in rustdoc: a name and a sentence each. */
function readItemTable(element: Element, reader: BlockReader, out: Block[]): void {
  const items: Item[] = [];
  for (const row of elementsOf(element)) {
    reader.noteIds(row);
    const cells = elementsOf(row).map((cell) => fold(reader.read(cell.children)));
    const [name, said] = cells.map((cell) => cell ?? []);
    if (name === undefined || name.length === 0) continue;
    const content = said === undefined || said.length === 0 ? name : [...name, ': ', ...said];
    items.push({ checked: null, children: [{ type: 'paragraph', content }] });
  }
  if (items.length > 0) out.push({ type: 'list', start: null, isOfTerms: false, items });
}

function readCaption(element: Element, reader: BlockReader, out: Block[]): void {
  const line = fold(reader.read(element.children));
  if (line !== null && line.length > 0) reader.addParagraph([{ type: 'emphasis', children: line }], out);
}

/** A title that is in no table of contents. That of footnotes goes with them. */
function readRubric(element: Element, reader: BlockReader, out: Block[]): void {
  const isOfNotes =
    reader.page.footnotes.notes.length > 0 && textOf(element).trim().toLowerCase().startsWith('footnotes');
  if (!isOfNotes) reader.addParagraph([{ type: 'strong', children: reader.inlines.read(element.children) }], out);
}

const isLabel = (element: Element): boolean => element.name === 'label' || element.attribute('role') === 'tab';
const isPanel = (element: Element): boolean =>
  element.attribute('role') === 'tabpanel' ||
  element.hasClass('tabbed-block') ||
  element.parent?.hasClass('blocks') === true;

/** Tabs stand below each other, each under its label. */
function readTabs(element: Element, reader: BlockReader, out: Block[]): void {
  const labels: Element[] = [];
  const panels: Element[] = [];
  const visit = (node: Element): void => {
    for (const child of elementsOf(node)) {
      if (isPanel(child)) panels.push(child);
      else if (isLabel(child)) labels.push(child);
      else visit(child);
    }
  };
  visit(element);
  for (const [i, panel] of panels.entries()) {
    const label = labels[i];
    if (label !== undefined)
      reader.addParagraph([{ type: 'strong', children: reader.inlines.read(label.children) }], out);
    reader.readInto(panel.children, out);
  }
  if (panels.length === 0) reader.readInto(element.children, out);
}
