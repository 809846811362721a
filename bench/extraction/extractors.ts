import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import { textOf } from './blocks.js';

export interface Extractor {
  readonly name: string;
  /** Plain text without markup: a line for each block, code as it stands. */
  extract(html: string, url: string): Promise<string>;
}

/** Everything that is on the page: what an extractor has to be better than. */
const wholeBody: Extractor = { name: 'whole body', extract: async (html) => textOf(html) };

const readability: Extractor = {
  name: 'readability',
  extract: async (html) => {
    const { document } = parseHTML(html);
    const article = new Readability(document).parse();
    return article === null ? '' : withTitle(article.title, article.content);
  },
};

const defuddle: Extractor = {
  name: 'defuddle',
  extract: async (html, url) => {
    const { document } = parseHTML(html);
    // What it would ask of other servers has no place here.
    const { title, content } = await Defuddle(document, url, { useAsync: false });
    return withTitle(title, content);
  },
};

/** Both take the title out of the text and give it apart. */
const withTitle = (title: string | null | undefined, content: string | null | undefined): string =>
  `${title ?? ''}\n${textOf(content ?? '')}`;

/** Everyone who is measured. */
export const EXTRACTORS: readonly Extractor[] = [wholeBody, readability, defuddle];
