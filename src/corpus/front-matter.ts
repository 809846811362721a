import { jsonLine } from '../report/output.js';

/** What stands at the head of each file of the tree. */
export interface FrontMatter {
  /** Where the page comes from. */
  source: string;
  /** Its title. */
  title: string;
  /** Its description; null if it has none. */
  description: string | null;
  /** When this content was first seen. */
  crawled: string;
  /** SHA-256 of the page's Markdown as in corpus.jsonl. */
  hash: string;
  /** Tokens of its Markdown. */
  tokens: number;
  /** Only there, and true, where the tokenizer was not installed. */
  tokensEstimated?: true;
  /** Its language; null if it does not say. */
  lang: string | null;
}

const FENCE = '---';
const KEYS = ['source', 'title', 'description', 'crawled', 'hash', 'tokens', 'tokensEstimated', 'lang'] as const;

/** YAML of which each value is JSON, quoted and escaped: nothing that a page says can be taken for anything but text. */
export function writeFrontMatter(fields: FrontMatter): string {
  const lines = KEYS.filter((key) => fields[key] !== undefined).map((key) => `${key}: ${jsonLine(fields[key])}`);
  return `${FENCE}\n${lines.join('')}${FENCE}\n`;
}

/** The head and the rest of a file that was written with it; null if the file begins with anything else. */
export function readFrontMatter(file: string): { fields: FrontMatter; body: string } | null {
  const end = file.startsWith(`${FENCE}\n`) ? file.indexOf(`\n${FENCE}\n`) : -1;
  if (end < 0) {
    return null;
  }
  try {
    const lines = file.slice(FENCE.length + 1, end).split('\n');
    const fields = Object.fromEntries(
      lines.map((line) => [line.split(':', 1)[0], JSON.parse(line.slice(line.indexOf(':') + 1))]),
    );
    return { fields: fields as FrontMatter, body: file.slice(end + FENCE.length + 2) };
  } catch {
    return null;
  }
}
