import type { Child, Element } from '../element.js';
import { textOf } from '../element.js';
import { decodedFragment } from './links.js';
import { BLOCKS } from './names.js';

/** The notes of a page that something refers to: they move to its end. */
export interface Footnotes {
  /** Labels of the links that refer to notes. */
  readonly references: ReadonlyMap<Element, string>;
  /** Labels by the ids of notes, for links that lead there and do not look as if they did. */
  readonly byId: ReadonlyMap<string, string>;
  readonly notes: readonly Note[];
  /** Elements that are not read where they stand, because their notes move to the end. */
  readonly taken: ReadonlySet<Element>;
  /** Of the notes and of where they are referred to: Markdown makes its own. */
  readonly ids: ReadonlySet<string>;
}

export interface Note {
  readonly label: string;
  readonly content: readonly Child[];
}

const REFERENCE_CLASSES = ['footnote-ref', 'footnote-reference', 'footnote', 'footnote-link', 'footnoteref', 'fn-ref'];
const REFERENCE_PARENT_CLASSES = ['reference', 'footnote-reference', 'footnote-ref'];
const NOTE_ELEMENTS = new Set(['li', 'aside', 'div', 'dt', 'p', 'table', 'tr', 'dd', 'section']);
const RETURN_CLASSES = [
  'label',
  'fn-backref',
  'footnote-backref',
  'footnote-back',
  'data-footnote-backref',
  'footnote-return',
  'mw-cite-backlink',
  'footnote-definition-label',
  'reversefootnote',
];

const isOneOf = (element: Element, classes: readonly string[]): boolean =>
  classes.some((each) => element.hasClass(each));

/** Whether a link within the page is the sign of a footnote. */
export function isNoteReference(link: Element): boolean {
  if (link.has('data-footnote-ref') || link.attribute('role') === 'doc-noteref') {
    return true;
  }
  if (isOneOf(link, REFERENCE_CLASSES)) {
    return true;
  }
  const parent = link.parent;
  if (parent === null || parent.name !== 'sup') {
    return false;
  }
  return isOneOf(parent, REFERENCE_PARENT_CLASSES) || /^(?:fnref|cite_ref)/.test(parent.id);
}

/** Whether it leads from a note back to the text, or numbers the note. */
export function isReturn(element: Element, references: ReadonlySet<string>): boolean {
  if (element.has('data-footnote-backref') || element.attribute('role') === 'doc-backlink') {
    return true;
  }
  if (isOneOf(element, RETURN_CLASSES)) {
    return true;
  }
  const href = element.name === 'a' ? element.attribute('href') : null;
  return href?.startsWith('#') === true && references.has(decodedFragment(href.slice(1)));
}

/** What holds the notes: its line and its title go with them. */
export function isNoteList(element: Element): boolean {
  return element.has('data-footnotes') || element.hasClass('footnotes') || element.hasClass('footnote-list');
}

/** @param links those that `isNoteReference` takes for the sign of a note */
export function findFootnotes(links: readonly Element[], byId: ReadonlyMap<string, Element>): Footnotes {
  const references = new Map<Element, string>();
  const labels = new Map<Element, string>();
  const used = new Set<string>();
  const notes: { label: string; target: Element }[] = [];
  for (const link of links) {
    const href = link.attribute('href')!;
    const target = byId.get(decodedFragment(href.slice(href.indexOf('#') + 1)));
    if (target === undefined || !NOTE_ELEMENTS.has(target.name) || holds(target, link)) {
      continue;
    }
    let label = labels.get(target);
    if (label === undefined) {
      label = unused(labelOf(link, labels.size + 1), used);
      labels.set(target, label);
      notes.push({ label, target });
    }
    references.set(link, label);
  }
  const taken = new Set<Element>();
  const backIds = idsAround(references.keys());
  const ids = new Set([...backIds, ...notes.map(({ target }) => target.id)]);
  return {
    references,
    byId: new Map(notes.map(({ label, target }) => [target.id, label])),
    taken,
    ids,
    notes: notes.map(({ label, target }) => ({ label, content: take(target, taken, backIds) })),
  };
}

function holds(outer: Element, inner: Element): boolean {
  for (let up: Element | null = inner; up !== null; up = up.parent) {
    if (up === outer) {
      return true;
    }
  }
  return false;
}

/** What stands in the link, if it can be a label. */
function labelOf(link: Element, number: number): string {
  const text = textOf(link).replace(/[[\]\s]/g, '');
  return /^[\p{L}\p{N}_-]{1,30}$/u.test(text) ? text : String(number);
}

function unused(label: string, used: Set<string>): string {
  let free = label;
  for (let number = used.size; used.has(free.toLowerCase()); number++) {
    free = `${label}-${number}`;
  }
  used.add(free.toLowerCase());
  return free;
}

/** Ids by which notes lead back: of the link, and of what stands closely around it. */
function idsAround(links: Iterable<Element>): Set<string> {
  const ids = new Set<string>();
  for (const link of links) {
    const { parent } = link;
    for (const near of [link, ...link.children, ...(parent === null || BLOCKS.has(parent.name) ? [] : [parent])]) {
      if (typeof near !== 'string' && near.id !== '') {
        ids.add(near.id);
      }
    }
  }
  return ids;
}

function take(target: Element, taken: Set<Element>, backIds: ReadonlySet<string>): readonly Child[] {
  const elements = [target];
  if (target.name === 'dt') {
    const siblings = target.parent?.children.filter((child): child is Element => typeof child !== 'string') ?? [];
    const next = siblings[siblings.indexOf(target) + 1];
    if (next?.name === 'dd') {
      elements.push(next);
    }
  }
  for (const element of elements) {
    taken.add(element);
    dropReturns(element, taken, backIds);
  }
  return elements.at(-1)!.children;
}

function dropReturns(element: Element, taken: Set<Element>, backIds: ReadonlySet<string>): void {
  for (const child of element.children) {
    if (typeof child === 'string') {
      continue;
    }
    if (isReturn(child, backIds)) {
      taken.add(child);
    } else {
      dropReturns(child, taken, backIds);
    }
  }
}
