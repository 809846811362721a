import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import { fold, textOf } from './blocks.js';
import { extractOurs, memoryOf } from './ours.js';
import type { Entry } from './sample.js';

export interface Extractor {
  readonly name: string;
  /** Plain text without markup: a line for each block, code as it stands. */
  extract(page: Input): Promise<string>;
}

export interface Input {
  readonly html: string;
  readonly url: string;
  /** The page of the sample that this is. */
  readonly entry: Entry;
  /** What was done to it, by name, to do the same to other pages of its site. */
  readonly change: { readonly name: string; readonly of: (html: string) => string };
}

/** Everything that is on the page: what an extractor has to be better than. */
const wholeBody: Extractor = { name: 'whole body', extract: async ({ html }) => textOf(html) };

const readability: Extractor = {
  name: 'readability',
  extract: async ({ html }) => {
    const { document } = parseHTML(html);
    const headings = headingsOf(document);
    const article = new Readability(document).parse();
    return article === null ? '' : withTitle(article.title, headings, article.content);
  },
};

const defuddle: Extractor = {
  name: 'defuddle',
  extract: async ({ html, url }) => {
    const { document } = parseHTML(html);
    const headings = headingsOf(document);
    // What it would ask of other servers has no place here.
    const { title, content } = await Defuddle(document, url, { useAsync: false });
    return withTitle(title, headings, content);
  },
};

function headingsOf(document: ReturnType<typeof parseHTML>['document']): string[] {
  return [...document.querySelectorAll('h1')].map(({ textContent }) => fold(textContent).replace(/\s*[¶#]$/, ''));
}

/** Both take the heading out of the text and give the page's title apart, often with the site's name: the heading is put back. */
function withTitle(title: string | null | undefined, headings: readonly string[], content: string | null | undefined) {
  const text = textOf(content ?? '');
  const heading = headings.find((each) => each !== '' && title?.includes(each)) ?? title ?? '';
  return text.startsWith(heading) ? text : `${heading}\n${text}`;
}

/** Without rules for the systems that made the pages. */
const general: Extractor = {
  name: 'gossamer, no rules',
  extract: async ({ html, url }) => extractOurs(html, { url, rules: false }),
};

const ours: Extractor = { name: 'gossamer', extract: async ({ html, url }) => extractOurs(html, { url }) };

/** With what the rest of the site says. */
const withMemory: Extractor = {
  name: 'gossamer, site known',
  extract: async ({ html, url, entry, change }) => {
    const memory = memoryOf(entry, change.of, change.name);
    return extractOurs(html, { url, memory });
  },
};

/** Everyone who is measured. */
export const EXTRACTORS: readonly Extractor[] = [wholeBody, readability, defuddle, general, ours, withMemory];
