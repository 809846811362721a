import type { Child } from '../../src/content/element.js';
import { type ExtractOptions, mainContent } from '../../src/content/extract/main-content.js';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import { parseTree } from '../../src/content/tree-builder.js';
import { textOf } from './blocks.js';
import { readInstalled } from './installed-sites.js';
import { type Entry, readHtml, readManifest } from './sample.js';

/** What we keep of a page, as text by the same rule as for everyone. */
export function extractOurs(html: string, options: ExtractOptions): string {
  return textOf(toHtml(mainContent(parseTree(html), options).nodes));
}

const PAGES_LEARNED = 300;
const memories = new Map<string, SiteMemory>();

/** What is known of the other pages of a site: of the package where it is installed, else of those in the same half of the sample. */
export function memoryOf({ source, half }: Entry, change: (html: string) => string, key: string): SiteMemory {
  const name = `${source} ${half} ${key}`;
  const known = memories.get(name);
  if (known !== undefined) {
    return known;
  }
  const memory = new SiteMemory();
  for (const html of pagesOf(source, half)) {
    memory.learn(mainContent(parseTree(change(html))).fingerprints);
  }
  memories.set(name, memory);
  return memory;
}

function pagesOf(source: string, half: string): string[] {
  // Articles are of many sites, a page of each.
  if (source === 'articles') {
    return [];
  }
  const installed = readInstalled(source, PAGES_LEARNED);
  if (installed.length > 0) {
    return installed;
  }
  return readManifest()
    .filter((entry) => entry.source === source && entry.half === half)
    .map(({ name }) => readHtml(name));
}

const VOID = new Set(['br', 'hr', 'img', 'wbr', 'input', 'source', 'col', 'area', 'link', 'meta', 'param', 'track']);

/** The markup of nodes, without attributes: no text is made of them. */
function toHtml(nodes: readonly Child[]): string {
  const pieces: string[] = [];
  const waiting: (Child | { readonly end: string })[] = [...nodes].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') {
      pieces.push(escaped(node));
    } else if ('end' in node) {
      pieces.push(`</${node.end}>`);
    } else {
      pieces.push(`<${node.name}>`);
      // A line feed behind `<pre>` is not part of it.
      if (node.name === 'pre') {
        pieces.push('\n');
      }
      if (VOID.has(node.name)) {
        continue;
      }
      waiting.push({ end: node.name }, ...node.children.toReversed());
    }
  }
  return pieces.join('');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
