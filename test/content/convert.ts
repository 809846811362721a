import { type Markdown, type MarkdownOptions, toMarkdown } from '../../src/content/markdown/markdown.js';
import { parseTree } from '../../src/content/tree-builder.js';

export const PAGE = 'https://docs.test/guide/page.html';
const FOLDER = 'https://docs.test/guide/';

/** Links as a corpus would have them: pages of the folder are files beside this one, all others stay where they are. */
export function linkFor(url: string, fragment: string): string {
  const target = url.startsWith(FOLDER) ? url.slice(FOLDER.length).replace(/\.html$/, '.md') : url;
  return fragment === '' ? target : `${target}#${fragment}`;
}

export function convert(html: string, options: Partial<MarkdownOptions> = {}): Markdown {
  return toMarkdown(parseTree(html).children, { pageUrl: PAGE, linkFor, ...options });
}
