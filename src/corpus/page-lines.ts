import { jsonLine } from '../report/json-line.js';
import type { StatePage } from './state.js';

/** A line of corpus.jsonl. */
export interface PageLine {
  url: string;
  title: string;
  markdown: string;
  text: string;
  hash: string;
  tokens: number;
}

export const pageLine = ({ url, title, markdown, text, hash, tokens }: StatePage): string =>
  jsonLine({ url, title, markdown, text, hash, tokens } satisfies PageLine);

/** A page in llms-full.txt. Pages follow each other in the site's order; each begins with a title and says where it is from. */
export function fullText({ url, title, markdown }: StatePage): string {
  const head = /^\s*#\s/.test(markdown) ? '' : `# ${title.replace(/\s+/g, ' ').trim()}\n\n`;
  return `Source: ${url}\n\n${head}${markdown.trim()}\n\n---\n\n`;
}
