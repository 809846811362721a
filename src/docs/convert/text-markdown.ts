import { toMarkdown } from '../../content/markdown/markdown.js';
import { parseTree } from '../../content/tree-builder.js';
import { htmlOfText } from './plain-text.js';

const NO_IDS: ReadonlySet<string> = new Set();

/** Markdown that reads as a plain text does: no sign in it means anything. */
export function markdownOfText(text: string): string {
  const place = { pageUrl: 'http://page.invalid/', linkFor: () => null, linkedIds: NO_IDS };
  return toMarkdown([parseTree(htmlOfText(text))], place).markdown;
}
