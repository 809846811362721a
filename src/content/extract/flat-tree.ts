import type { Element } from '../element.js';

/** A tree as lists in the order of the page. An element and all in it are the places from its own to its end. */
export interface FlatTree {
  readonly elements: readonly Element[];
  readonly parents: Int32Array;
  readonly ends: Int32Array;
  readonly texts: readonly string[];
  /** The element that each text stands directly in. */
  readonly owners: Int32Array;
  /** Of each element the first of the texts in it, and the first behind it. */
  readonly textStarts: Int32Array;
  readonly textEnds: Int32Array;
}

export function flatten(root: Element): FlatTree {
  const elements: Element[] = [root];
  const parents = [-1];
  const ends: number[] = [];
  const texts: string[] = [];
  const owners: number[] = [];
  const textStarts = [0];
  const textEnds: number[] = [];
  const open = [0];
  const nextChild = [0];
  while (open.length > 0) {
    const at = open[open.length - 1]!;
    const child = elements[at]!.children[nextChild[nextChild.length - 1]!++];
    if (child === undefined) {
      ends[at] = elements.length;
      textEnds[at] = texts.length;
      open.pop();
      nextChild.pop();
    } else if (typeof child === 'string') {
      texts.push(child);
      owners.push(at);
    } else {
      open.push(elements.length);
      nextChild.push(0);
      elements.push(child);
      parents.push(at);
      textStarts.push(texts.length);
    }
  }
  return {
    elements,
    parents: Int32Array.from(parents),
    ends: Int32Array.from(ends),
    texts,
    owners: Int32Array.from(owners),
    textStarts: Int32Array.from(textStarts),
    textEnds: Int32Array.from(textEnds),
  };
}
