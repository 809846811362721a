import { type Child, type Element, textOf, walk } from '../element.js';
import { admonitionOf, saysMore } from './admonitions.js';
import { BlockReader, isAnchor, type ReadBlock } from './block-reader.js';
import { fold } from './fold.js';
import { isNoteList } from './footnotes.js';
import { type Block, type Inline, type Item, plainText, type Wrapped } from './model.js';
import { HEADINGS } from './names.js';
import { codeText, readCode } from './read-code.js';
import type { Page } from './read-inlines.js';
import { readDefinitions, readList } from './read-lists.js';
import { formulaOf } from './read-math.js';
import { readCellsAsTable, readTable } from './read-tables.js';
import { tidy } from './tidy.js';

const isElement = (child: Child): child is Element => typeof child !== 'string';
const elementsOf = (element: Element): Element[] => element.children.filter(isElement);

/** A reader of the blocks of a page. */
export const blockReader = (page: Page): BlockReader => new BlockReader(page, readBlock);

function readBlock(element: Element, reader: BlockReader, out: Block[]): void {
  const formula = formulaOf(element);
  if (formula !== null) {
    reader.addAnchors(out);
    out.push({ type: 'math', tex: formula.tex });
  } else if (!readBox(element, reader, out)) {
    readByName(element, reader, out);
  }
}

function readBox(element: Element, reader: BlockReader, out: Block[]): boolean {
  const box = admonitionOf(element);
  if (box === null) {
    return false;
  }
  const title = box.title === null ? [] : tidy(reader.inlines.readHeading(box.title.children));
  const body = [...box.body];
  reader.nest(
    body,
    (children) => {
      const titled = saysMore(plainText(title), box.alert) ? [titleOf(title), ...children] : children;
      return { type: 'quote', alert: box.alert, children: titled };
    },
    out,
  );
  return true;
}

function readByName(element: Element, reader: BlockReader, out: Block[]): void {
  const { name, children } = element;
  const special = specialReader(element);
  if (special !== null) {
    special(element, reader, out);
  } else if (HEADINGS.has(name)) {
    readHeading(element, reader, out);
  } else if (name === 'pre' || name === 'listing' || name === 'xmp' || name === 'plaintext') {
    addCode(element, reader, out);
  } else if (name === 'hr') {
    readRule(element, out);
  } else if (name === 'ul' || name === 'ol' || name === 'menu' || name === 'dir') {
    readList(element, reader, out);
  } else if (name === 'dl') {
    readDefinitions(element, reader, out);
  } else if (name === 'table') {
    readTable(element, reader, out);
  } else if (name === 'blockquote') {
    reader.nest(children, (inner) => ({ type: 'quote', alert: null, children: inner }), out);
  } else if (name === 'details') {
    readDetails(element, reader, out);
  } else if (name === 'figcaption') {
    readCaption(element, reader, out);
  } else {
    reader.readInto(children, out);
  }
}

function readHeading(element: Element, reader: BlockReader, out: Block[]): void {
  const isCode = element.hasClass('code-header');
  const read = isCode ? reader.inlines.readCode(element.children, true) : reader.inlines.readHeading(element.children);
  const ids: string[] = [];
  const content = tidy(withoutAnchors(read, ids));
  if (content.length === 0) {
    reader.keepIds(ids);
    return;
  }
  const all = [...reader.takeIds(), ...ids];
  out.push({ type: 'heading', level: Number(element.name[1]), content, ids: [...new Set(all)] });
}

function addCode(element: Element, reader: BlockReader, out: Block[]): void {
  const code = readCode(element);
  if (code === null) {
    return;
  }
  for (const node of walk(element)) {
    if (isElement(node) && node !== element) {
      reader.noteIds(node);
    }
  }
  reader.addAnchors(out);
  out.push(code);
}

function readRule(element: Element, out: Block[]): void {
  const parent = element.parent;
  if (parent !== null && (isNoteList(parent) || parent.hasClass('footnote'))) {
    return;
  }
  if (out.length > 0 && out.at(-1)!.type !== 'rule') {
    out.push({ type: 'rule' });
  }
}

/** A `details` element that holds a section of the page is written as if it were open. */
function readDetails(element: Element, reader: BlockReader, out: Block[]): void {
  const summary = element.children.find((child): child is Element => isElement(child) && child.name === 'summary');
  const rest = element.children.filter((child) => child !== summary);
  const title = summary === undefined || reader.isSkipped(summary) ? null : summary;
  if (element.hasClass('rustdoc-toggle') || reader.page.survey.withHeadings.has(element) || title === null) {
    if (title !== null) {
      reader.readInto([title], out);
    }
    reader.readInto(rest, out);
    return;
  }
  reader.addAnchors(out);
  const line = tidy(reader.inlines.read(title.children));
  reader.nest(rest, (children) => ({ type: 'details', summary: line, children }), out);
}

function readCaption(element: Element, reader: BlockReader, out: Block[]): void {
  const line = fold(reader.read(element.children));
  if (line !== null && line.length > 0) {
    reader.addParagraph([{ type: 'emphasis', children: withoutEmphasis(line) }], out);
  }
}

const titleOf = (content: Inline[]): Block => ({
  type: 'paragraph',
  content: tidy([{ type: 'strong', children: content.flatMap((node) => (isStrong(node) ? node.children : [node])) }]),
});

const isStrong = (node: Inline): node is Wrapped => typeof node === 'object' && node.type === 'strong';

const withoutEmphasis = (content: readonly Inline[]): Inline[] =>
  content.flatMap((node) => (typeof node === 'object' && node.type === 'emphasis' ? node.children : [node]));

function withoutAnchors(content: readonly Inline[], ids: string[]): Inline[] {
  return content.flatMap((node): Inline[] => {
    if (isAnchor(node)) {
      ids.push(node.id);
      return [];
    }
    if (typeof node === 'string') {
      return [node];
    }
    if (node.type === 'break') {
      return [' '];
    }
    return 'children' in node ? [{ ...node, children: withoutAnchors(node.children, ids) }] : [node];
  });
}

/** What documentation systems show by style sheets alone, by the class that gives it away. */
const BY_CLASS = new Map<string, ReadBlock>(
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
    'code-block-caption': readCodeCaption,
    rubric: readRubric,
    fragment: readFragment,
    headertitle: readDoxygenTitle,
    memproto: readDoxygenSignature,
    'tabbed-set': readTabs,
    'vp-code-group': readTabs,
    'tabs-container': readTabs,
    'sphinx-tabs': readTabs,
  }),
);

/** How an element is read that its name says too little of. */
function specialReader(element: Element): ReadBlock | null {
  for (const each of element.classes) {
    const special = BY_CLASS.get(each);
    if (special !== undefined) {
      return special;
    }
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
  if (columns === 0) {
    reader.readInto(element.children, out);
  } else {
    readCellsAsTable(cells, columns, reader, out);
  }
}

function readSignature(element: Element, reader: BlockReader, out: Block[]): void {
  const text = codeText(element).replaceAll('\u200b', '').trim();
  if (text === '') {
    return;
  }
  reader.addAnchors(out);
  out.push({ type: 'code', language: 'java', text });
}

/** Reads lines whose breaks have to stay. */
function readLineBlock(element: Element, reader: BlockReader, out: Block[]): void {
  const lines: Inline[] = [];
  const visit = (block: Element): void => {
    for (const child of elementsOf(block)) {
      if (child.hasClass('line-block')) {
        visit(child);
      } else {
        lines.push(...reader.inlines.read(child.children), { type: 'break' });
      }
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
    if (name === undefined || name.length === 0) {
      continue;
    }
    const content = said === undefined || said.length === 0 ? name : [...name, ': ', ...said];
    items.push({ checked: null, children: [{ type: 'paragraph', content }] });
  }
  if (items.length > 0) {
    out.push({ type: 'list', start: null, isOfTerms: false, items });
  }
}

function readCodeCaption(element: Element, reader: BlockReader, out: Block[]): void {
  const line = fold(reader.read(element.children));
  if (line !== null && line.length > 0) {
    reader.addParagraph([{ type: 'emphasis', children: line }], out);
  }
}

/** Doxygen has code in lines that are boxes. */
function readFragment(element: Element, reader: BlockReader, out: Block[]): void {
  const lines = elementsOf(element).filter((child) => child.hasClass('line'));
  if (lines.length === 0) {
    reader.readInto(element.children, out);
    return;
  }
  for (const node of walk(element)) {
    if (isElement(node) && node !== element) {
      reader.noteIds(node);
    }
  }
  const text = lines
    .map((line) => codeText(line).trimEnd())
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
  if (text !== '') {
    reader.addAnchors(out);
    out.push({ type: 'code', language: LOOKS_LIKE_CPP.test(text) ? 'cpp' : '', text });
  }
}

const LOOKS_LIKE_CPP = /^\s*#\s*(?:include|define|if|ifdef|ifndef)\b|::|;[ \t]*(?:\/\/.*)?$/m;

/** A title that is no heading, unless the box has one too. */
function readDoxygenTitle(element: Element, reader: BlockReader, out: Block[]): void {
  const title = elementsOf(element).find((child) => child.name === 'div' && child.hasClass('title'));
  const content = title === undefined ? [] : tidy(reader.inlines.readHeading(title.children));
  if (content.length === 0) {
    reader.readInto(element.children, out);
  } else {
    out.push({ type: 'heading', level: 1, content, ids: reader.takeIds() });
  }
}

/** A signature whose parameters are cells of a table; what is said of it stands in cells beside it. */
function readDoxygenSignature(element: Element, reader: BlockReader, out: Block[]): void {
  const pieces: string[] = [];
  for (const node of walk(element)) {
    if (typeof node === 'string') {
      pieces.push(node);
    } else if (node.hasClass('memtemplate') || node.name === 'td') {
      pieces.push(' ');
    }
  }
  const text = pieces
    .join('')
    .replace(/[\s\u00a0]+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/ ([),])/g, '$1')
    .trim();
  if (text === '') {
    return;
  }
  reader.addAnchors(out);
  out.push({ type: 'code', language: text.includes('def ') ? 'python' : 'cpp', text });
}

/** A title that is in no table of contents. That of footnotes goes with them. */
function readRubric(element: Element, reader: BlockReader, out: Block[]): void {
  const isOfNotes =
    reader.page.footnotes.notes.length > 0 && textOf(element).trim().toLowerCase().startsWith('footnotes');
  if (!isOfNotes) {
    reader.addParagraph([{ type: 'strong', children: reader.inlines.read(element.children) }], out);
  }
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
      if (isPanel(child)) {
        panels.push(child);
      } else if (isLabel(child)) {
        labels.push(child);
      } else {
        visit(child);
      }
    }
  };
  visit(element);
  for (const [i, panel] of panels.entries()) {
    const label = labels[i];
    if (label !== undefined) {
      reader.addParagraph([{ type: 'strong', children: reader.inlines.read(label.children) }], out);
    }
    reader.readInto(panel.children, out);
  }
  if (panels.length === 0) {
    reader.readInto(element.children, out);
  }
}
