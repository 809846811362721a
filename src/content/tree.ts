import type { Element } from './element.js';
import { tokenize } from './tokenizer.js';
import { TreeBuilder } from './tree-builder.js';

/** The tree of a page, without comments, scripts, styles and templates. The root has no name. */
export function parseTree(html: string): Element {
  const builder = new TreeBuilder();
  tokenize(html, builder);
  return builder.root;
}
