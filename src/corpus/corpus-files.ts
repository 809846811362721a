import { printable } from '../base/text.js';
import { jsonLine } from '../report/output.js';
import type { StatePage } from '../store/corpus-state.js';
import type { IndexEntry } from './index-entry.js';
import { relativeLink } from './page-paths.js';

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

const LONGEST_DESCRIPTION = 300;
const LONGEST_TITLE = 200;
/** Pages that stand in no folder of their own. */
const FIRST_SECTION = 'Docs';

/** The head of llms.txt by the convention of llmstxt.org: a title, and a summary as a quote. */
export function llmsHead(title: string, summary: string | null): string {
  return `# ${inline(title, LONGEST_TITLE)}\n${summary === null ? '' : `\n> ${inline(summary, LONGEST_DESCRIPTION)}\n`}`;
}

/** A section of it: a heading and a list of links. */
export const llmsSection = (name: string): string =>
  `\n## ${inline(name === '' ? FIRST_SECTION : name, LONGEST_TITLE)}\n\n`;

export function llmsLink({ path, title, description }: IndexEntry): string {
  const note = description === null || description.trim() === '' ? '' : `: ${inline(description, LONGEST_DESCRIPTION)}`;
  return `- [${inline(title.trim() === '' ? path : title, LONGEST_TITLE)}](${relativeLink('', path)})${note}\n`;
}

/** The folder below `root` that a page stands in, empty where it stands in none. */
export function sectionOf(path: string, root: string): string {
  const [first, ...rest] = path.slice(root.length).split('/');
  return rest.length === 0 ? '' : first!;
}

/** The folders that two paths share, with the `/` behind them. */
export function sharedFolder(a: string, b: string): string {
  const [first, second] = [a.split('/').slice(0, -1), b.split('/').slice(0, -1)];
  let shared = 0;
  while (shared < first.length && first[shared] === second[shared]) {
    shared++;
  }
  return first
    .slice(0, shared)
    .map((name) => `${name}/`)
    .join('');
}

/** Text of a page on one line, without anything that would be markup there. */
const inline = (text: string, maxLength: number): string =>
  printable(text.replace(/\s+/g, ' ').trim(), maxLength).replace(/[\\`*[\]<]/g, '\\$&');
