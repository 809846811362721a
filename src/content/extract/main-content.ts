import type { Child, Element } from '../element.js';
import { dropContentsLists } from './contents-list.js';
import { findGeneral } from './general.js';
import { readHead } from './head.js';
import { Outline } from './outline.js';
import { findBySystem, recognise } from './systems.js';

export interface MainContent {
  /** What a person came to read, in the page's order. They are parts of the tree, which has lost all else that was in them. */
  readonly nodes: readonly Child[];
  readonly title: string;
  /** The documentation system that made the page, null where none is known. */
  readonly system: string | null;
}

export interface ExtractOptions {
  /** Where the page is from: links to its own address lead to places on it. */
  readonly url?: string;
  /** Whether rules for known documentation systems are used. */
  readonly rules?: boolean;
}

const LONGEST_TITLE = 300;

export function mainContent(tree: Element, options: ExtractOptions = {}): MainContent {
  const head = readHead(tree);
  const outline = new Outline(tree);
  outline.dropNoise();
  const system = options.rules === false ? null : recognise(head, outline);
  const places = (system === null ? null : findBySystem(outline, system)) ?? findGeneral(outline);
  for (const place of places) dropContentsLists(outline, place, options.url ?? null);
  const title = titleOf(outline, places) || head.title;
  for (const place of places) prune(outline, place);
  return { nodes: places.map((place) => outline.elements[place]!), title, system: system?.name ?? null };
}

function titleOf(outline: Outline, places: readonly number[]): string {
  for (const place of places) {
    for (const i of outline.within(place)) {
      if (outline.elements[i]!.name === 'h1') return outline.textOf(i, LONGEST_TITLE);
    }
  }
  return '';
}

/** Takes out of the tree what is gone. */
function prune(outline: Outline, from: number): void {
  for (const i of outline.within(from)) {
    const { children } = outline.elements[i]!;
    let place = i + 1;
    let kept = 0;
    for (const child of children) {
      const isGone = typeof child !== 'string' && outline.isGone(place);
      if (typeof child !== 'string') place = outline.ends[place]!;
      if (!isGone) children[kept++] = child;
    }
    children.length = kept;
  }
}
