import type { Child, Element } from '../element.js';
import type { BlockReader } from './block-reader.js';
import type { Block, Inline, Item, List } from './model.js';
import { HEADINGS } from './names.js';
import { tidy } from './tidy.js';

const LARGEST_START = 999_999_999;
const isElement = (child: Child): child is Element => typeof child !== 'string';

export function readList(element: Element, reader: BlockReader, out: Block[]): void {
  if (reader.page.survey.withHeadings.has(element) || reader.isDeepest) {
    reader.readInto(element.children, out);
    return;
  }
  const list = reader.deeper(() => itemsOf(element, reader));
  if (list === null) {
    return;
  }
  const last = out.at(-1);
  if (last?.type === 'list' && reader.unfinished.has(last) && last.start === list.start) {
    for (const item of list.items) {
      last.items.push(item);
    }
  } else {
    out.push(list);
  }
}

function itemsOf(list: Element, reader: BlockReader): List | null {
  const items: Item[] = [];
  for (const child of list.children) {
    const isBare = !isElement(child);
    if (isBare && child.trim() === '') {
      continue;
    }
    if (!isBare && reader.isSkipped(child)) {
      continue;
    }
    if (!isBare && (child.name === 'ul' || child.name === 'ol') && items.length > 0) {
      // A list in a list, but in none of its items: meant for the one before.
      reader.readInto([child], items.at(-1)!.children);
      continue;
    }
    const content = isBare || child.name !== 'li' ? [child] : child.children;
    if (!isBare && child.name === 'li') {
      reader.noteIds(child);
    }
    items.push({ checked: isBare ? null : checkedOf(child), children: reader.read(content) });
  }
  const isEmpty = items.every(({ children }) => children.length === 0);
  return isEmpty ? null : { type: 'list', start: list.name === 'ol' ? startOf(list) : null, isOfTerms: false, items };
}

function startOf(list: Element): number {
  const start = Number.parseInt(list.attribute('start') ?? '1', 10);
  return start >= 0 && start <= LARGEST_START ? start : 1;
}

/** Whether an item is ticked; null if it has no box. */
function checkedOf(item: Element): boolean | null {
  let element: Element | undefined = item;
  for (let steps = 0; steps < 4 && element !== undefined; steps++) {
    const first: Child | undefined = element.children.find((child) => isElement(child) || child.trim() !== '');
    if (first === undefined || !isElement(first)) {
      return null;
    }
    if (first.name === 'input') {
      return first.attribute('type') === 'checkbox' ? first.has('checked') : null;
    }
    element = first;
  }
  return null;
}

interface Entry {
  readonly terms: Element[];
  readonly definitions: Child[];
}

/** How many elements a list of an index may stand in. */
const DEEPEST_INDEX = 8;

/** DocBook's contents and index are lists of terms that lead somewhere: each stands for itself, with those below it. */
function isIndex(list: Element): boolean {
  let element: Element | null = list;
  for (let steps = 0; element !== null && steps < DEEPEST_INDEX; steps++, element = element.parent) {
    if (element.hasClass('toc') || element.hasClass('indexdiv')) {
      return true;
    }
  }
  return false;
}

/** The terms of a definition list with what is said of them, whatever stands between. Where nothing is said, each stands for itself. */
function entriesOf(list: Element, isOfIndex: boolean): Entry[] {
  const entries: Entry[] = [];
  const visit = (element: Element): void => {
    for (const child of element.children) {
      if (!isElement(child) && child.trim() === '') {
        continue;
      }
      const last = entries.at(-1);
      if (isElement(child) && child.name === 'dt') {
        if (isOfIndex || last === undefined || last.definitions.length > 0) {
          entries.push({ terms: [child], definitions: [] });
        } else {
          last.terms.push(child);
        }
      } else if (isElement(child) && child.name === 'div') {
        visit(child);
      } else if (last === undefined) {
        entries.push({ terms: [], definitions: [child] });
      } else {
        last.definitions.push(child);
      }
    }
  };
  visit(list);
  const isPlain = entries.length === 1 && entries[0]!.definitions.length === 0;
  return isPlain ? entries[0]!.terms.map((term) => ({ terms: [term], definitions: [] })) : entries;
}

/**
 * Terms become items, in bold unless they are code, with what is said of them behind a colon. Where there are headings in
 * it, the list is the layout of the page, and nothing is indented.
 */
export function readDefinitions(list: Element, reader: BlockReader, out: Block[]): void {
  const isLayout = reader.page.survey.withHeadings.has(list) || reader.isDeepest;
  reader.deeper(() => addDefinitions(list, reader, isLayout, out));
}

function addDefinitions(list: Element, reader: BlockReader, isLayout: boolean, out: Block[]): void {
  const items: Item[] = [];
  const isOfIndex = isIndex(list);
  const entries = entriesOf(list, isOfIndex);
  if (entries.every(({ terms }) => terms.length === 0)) {
    // Wikis use definitions without a term to indent text.
    for (const { definitions } of entries) {
      readIndented(definitions, reader, out);
    }
    return;
  }
  for (const entry of entries) {
    const children = readEntry(entry, !isOfIndex, reader);
    if (children.length === 0) {
      continue;
    }
    if (isLayout) {
      for (const block of children) {
        out.push(block);
      }
    } else {
      items.push({ checked: null, children });
    }
  }
  const last = out.at(-1);
  if (last?.type === 'list' && last.isOfTerms) {
    for (const item of items) {
      last.items.push(item);
    }
  } else if (items.length > 0) {
    out.push({ type: 'list', start: null, isOfTerms: true, items });
  }
}

/** Text that is only indented belongs to the item above it. */
function readIndented(nodes: readonly Child[], reader: BlockReader, out: Block[]): void {
  const last = out.at(-1);
  const item = last?.type === 'list' ? last.items.at(-1) : undefined;
  if (last?.type === 'list') {
    reader.unfinished.add(last);
  }
  reader.readInto(nodes, item?.children ?? out);
}

function readEntry({ terms, definitions }: Entry, isBold: boolean, reader: BlockReader): Block[] {
  const blocks: Block[] = [];
  const head: Inline[] = [];
  let isCode = false;
  for (const term of terms) {
    if (reader.isSkipped(term)) {
      continue;
    }
    if (term.children.some((child) => isElement(child) && HEADINGS.has(child.name))) {
      reader.readInto([term], blocks);
      continue;
    }
    const { content, isSignature } = readTerm(term, isBold && definitions.length > 0, reader);
    isCode ||= isSignature;
    if (content.length === 0) {
      continue;
    }
    if (head.length > 0) {
      head.push({ type: 'break' });
    }
    head.push(...content);
  }
  const said: Block[] = [];
  const anchors = reader.takeAnchors();
  for (const definition of definitions) {
    reader.readInto([definition], said);
  }
  if (head.length === 0) {
    return [...blocks, ...said];
  }
  head.unshift(...anchors);
  const first = said[0];
  if (terms.length === 1 && !isCode && first?.type === 'paragraph') {
    said[0] = { type: 'paragraph', content: [...head, ': ', ...first.content] };
    return [...blocks, ...said];
  }
  return [...blocks, { type: 'paragraph', content: head }, ...said];
}

function readTerm(term: Element, isBold: boolean, reader: BlockReader): { content: Inline[]; isSignature: boolean } {
  reader.noteIds(term);
  const isSignature = term.hasClass('sig') || term.hasClass('sig-object');
  const content = tidy(isSignature ? reader.inlines.readCode(term.children) : reader.inlines.read(term.children));
  dropColon(content);
  if (!isBold || content.length === 0 || content.every(isCode)) {
    return { content, isSignature };
  }
  return { content: tidy([{ type: 'strong', children: withoutStrong(content) }]), isSignature };
}

function isCode(node: Inline): boolean {
  if (typeof node === 'string') {
    return /^[\s,/|]*$/.test(node);
  }
  if (node.type === 'link') {
    return node.children.every(isCode);
  }
  return node.type === 'code' || node.type === 'anchor' || node.type === 'break';
}

const withoutStrong = (content: Inline[]): Inline[] =>
  content.flatMap((node) => (typeof node === 'object' && node.type === 'strong' ? node.children : [node]));

/** The colon comes behind the bold text. */
function dropColon(content: Inline[]): void {
  const last = content.at(-1);
  if (typeof last === 'string') {
    content[content.length - 1] = last.replace(/\s*:$/, '');
  }
  if (content.at(-1) === '') {
    content.pop();
  }
}
