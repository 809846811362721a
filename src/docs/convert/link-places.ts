import type { LinkPlace } from '../../corpus/document.js';
import { readDestination } from '../../parse/markdown/destination.js';
import { markdownLinks } from '../../parse/markdown/markdown-links.js';
import { MarkdownSource } from '../../parse/markdown/source.js';

/** Links whose destination stands in the text by itself, and can be replaced there. */
const REPLACEABLE: ReadonlySet<string> = new Set(['inline', 'image', 'reference']);

/** The links of a Markdown text that can be replaced, in the order in which they stand there, each place once. */
export const linkPlaces = (markdown: string): LinkPlace[] => placesOf(markdown, REPLACEABLE);

/** Those of images. */
export const imagePlaces = (markdown: string): LinkPlace[] => placesOf(markdown, new Set(['image']));

function placesOf(markdown: string, kinds: ReadonlySet<string>): LinkPlace[] {
  const source = new MarkdownSource(markdown);
  const places = new Map<number, LinkPlace>();
  for (const { kind, href, line, column } of markdownLinks(markdown)) {
    if (!kinds.has(kind) || href.startsWith('#')) {
      continue;
    }
    const at = source.line(line - 1).start + column - 1;
    const start = markdown[at - 1] === '<' ? at - 1 : at;
    const destination = readDestination(markdown, start);
    if (destination !== null) {
      places.set(start, { start, end: destination.after, url: href });
    }
  }
  return [...places.values()].sort((a, b) => a.start - b.start);
}
