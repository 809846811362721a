import type { Child } from '../../src/content/element.js';
import { type ExtractOptions, mainContent } from '../../src/content/extract/main-content.js';
import { parseTree } from '../../src/content/tree.js';
import { textOf } from './blocks.js';

/** What we keep of a page, as text by the same rule as for everyone. */
export function extractOurs(html: string, options: ExtractOptions): string {
  return textOf(toHtml(mainContent(parseTree(html), options).nodes));
}

const VOID = new Set(['br', 'hr', 'img', 'wbr', 'input', 'source', 'col', 'area', 'link', 'meta', 'param', 'track']);

/** The markup of nodes. Attributes other than those that text is made of are left out. */
function toHtml(nodes: readonly Child[]): string {
  const pieces: string[] = [];
  const waiting: (Child | { readonly end: string })[] = [...nodes].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') pieces.push(escaped(node));
    else if ('end' in node) pieces.push(`</${node.end}>`);
    else {
      pieces.push(`<${node.name}>`);
      // A line feed behind `<pre>` is not part of it.
      if (node.name === 'pre') pieces.push('\n');
      if (VOID.has(node.name)) continue;
      waiting.push({ end: node.name }, ...node.children.toReversed());
    }
  }
  return pieces.join('');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
