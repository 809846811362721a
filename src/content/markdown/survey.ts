import type { Child, Element } from '../element.js';
import { admonitionOf } from './admonitions.js';
import { isNoteReference } from './footnotes.js';
import { fragmentOf, idsNamedBy, type LinkBase } from './links.js';
import { BLOCKS, HEADINGS } from './names.js';
import { isNoise } from './noise.js';

/** Facts about the whole page that are needed before its first line can be read. */
export interface Survey {
  /** Elements of a line that hold blocks all the same. */
  readonly mixed: ReadonlySet<Element>;
  /** Lists and tables with headings in them: they are the page's layout. */
  readonly withHeadings: ReadonlySet<Element>;
  readonly byId: ReadonlyMap<string, Element>;
  /** Ids that links of the page itself lead to. */
  readonly linkedIds: ReadonlySet<string>;
  readonly noteReferences: readonly Element[];
}

const HAS_BLOCK = 1;
const HAS_HEADING = 2;

class Surveyor implements Survey {
  readonly mixed = new Set<Element>();
  readonly withHeadings = new Set<Element>();
  readonly byId = new Map<string, Element>();
  readonly linkedIds = new Set<string>();
  readonly noteReferences: Element[] = [];
  readonly #pageUrl: string;
  readonly #base: LinkBase;

  constructor(pageUrl: string, base: LinkBase) {
    this.#pageUrl = pageUrl;
    this.#base = base;
  }

  /** What it holds. Trees are not deep, so this may recurse. */
  visit(element: Element, inHeading: boolean): number {
    const { name } = element;
    const isHeading = HEADINGS.has(name);
    let found = 0;
    for (const child of element.children) {
      if (typeof child !== 'string') {
        found |= this.visit(child, inHeading || isHeading);
      }
    }
    const isBlock = BLOCKS.has(name);
    if (element.attributes.length > 0) {
      this.#note(element, inHeading);
    }
    if (found !== 0) {
      // The title of a box does not count as a heading of the page.
      if ((found & HAS_HEADING) !== 0 && admonitionOf(element) !== null) {
        found &= ~HAS_HEADING;
      }
      if (!isBlock && (found & HAS_BLOCK) !== 0) {
        this.mixed.add(element);
      }
      if ((found & HAS_HEADING) !== 0) {
        this.withHeadings.add(element);
      }
    }
    return found | (isBlock ? HAS_BLOCK : 0) | (isHeading ? HAS_HEADING : 0);
  }

  #note(element: Element, inHeading: boolean): void {
    const { id } = element;
    if (id !== '' && !this.byId.has(id)) {
      this.byId.set(id, element);
    }
    if (element.name !== 'a') {
      return;
    }
    const name = element.attribute('name');
    if (name !== null && name !== '' && !this.byId.has(name)) {
      this.byId.set(name, element);
    }
    const href = element.attribute('href');
    const fragment = href === null ? null : fragmentOf(href, this.#pageUrl, this.#base);
    if (fragment === null || fragment === '') {
      return;
    }
    if (isNoteReference(element)) {
      this.noteReferences.push(element);
    }
    // Signs for "link to here" and empty links do not stay, so nobody can follow them.
    if (!inHeading && element.children.length > 0 && !isNoise(element)) {
      for (const each of idsNamedBy(fragment)) {
        this.linkedIds.add(each);
      }
    }
  }
}

export function survey(nodes: readonly Child[], pageUrl: string, base: LinkBase): Survey {
  const surveyor = new Surveyor(pageUrl, base);
  for (const node of nodes) {
    if (typeof node !== 'string') {
      surveyor.visit(node, false);
    }
  }
  return surveyor;
}
