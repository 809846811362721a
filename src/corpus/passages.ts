import { Slugger } from '../base/slug.js';
import type { PageWords, SearchPassage } from '../store/corpus-search.js';
import type { Chunk } from './chunks.js';
import type { IndexEntry } from './index-entry.js';
import { namesIn } from './names.js';
import { segmented } from './query.js';
import { hasStems, languageOf, lightStems } from './search-words.js';

/** What is looked for on a page: in all of it, and chunk by chunk. */
export function searchableOf(
  { title, description, lang, path }: Pick<IndexEntry, 'title' | 'description' | 'lang' | 'path'>,
  chunks: readonly Chunk[],
): { whole: PageWords; passages: SearchPassage[] } {
  const language = languageOf(lang);
  const stemsOf = (text: string): string => (hasStems(language) ? lightStems(text, language) : '');
  const slugs = new Slugs();
  const passages = chunks.map(({ headings: marked, text }) => {
    const headings = marked.map(plainHeading);
    const plain = readable(text);
    const names = namesIn(text);
    const words = {
      heading: segmented(headings.at(-1) ?? ''),
      headings: segmented(headings.slice(0, -1).join('\n')),
      names: names.map(({ name }) => name).join('\n'),
      text: segmented(plain),
      stems: `${stemsOf(`${headings.join('\n')}\n${plain}`)}\n${partsOfNames(plain)}`.trim(),
    };
    return { headings, anchor: slugs.anchorOf(marked), names, words };
  });
  const lead = `${description ?? ''}\n${leadOf(readable(chunks[0]?.text ?? ''))}`;
  const whole = {
    title: segmented(`${title}\n${wordsOfPath(path)}`),
    lead: segmented(lead),
    stems: stemsOf(`${title}\n${lead}`),
  };
  return { whole, passages };
}

/** Such as createServer or HTTPServer. */
const CAMEL = /\b(?=[A-Za-z0-9]{0,80}[a-z][A-Z]|[A-Z]{2,40}[a-z])[A-Za-z][A-Za-z0-9]{3,80}\b/g;
const CAMEL_PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const MOST_PARTS = 1_000;

/** The words that names in code are put together of, each once: who asks for *create server* means `createServer`. */
function partsOfNames(text: string): string {
  const parts = new Set<string>();
  for (const [name] of text.matchAll(CAMEL)) {
    for (const [part] of name.matchAll(CAMEL_PART)) {
      if (part.length > 1 && parts.size < MOST_PARTS) {
        parts.add(part.toLowerCase());
      }
    }
  }
  return [...parts].join(' ');
}

const LONGEST_LEAD = 300;

/** What a page says first, behind its headings. */
const leadOf = (plain: string): string =>
  plain
    .replace(/^#{1,6}[ \t].*$/gm, '')
    .trimStart()
    .slice(0, LONGEST_LEAD);

/** The file's name, whose words often are those of a command or module. */
const wordsOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');

const PLACE = /<a id="([^"<>]*)"><\/a>/;

/** The places of headings: the name that the page gives them, else the one that they have where Markdown is shown. */
class Slugs {
  readonly #slugger = new Slugger();
  readonly #known = new Map<string, string>();

  anchorOf(marked: readonly string[]): string | null {
    let anchor: string | null = null;
    let key = '';
    for (const heading of marked) {
      key += `\n${heading}`;
      anchor = this.#known.get(key) ?? null;
      if (anchor === null) {
        anchor = PLACE.exec(heading)?.[1] ?? this.#slugger.idOf(plainHeading(heading));
        this.#known.set(key, anchor);
      }
    }
    return anchor;
  }
}

const TARGET = String.raw`\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: "[^"\n]*")?\)`;
const LINK = new RegExp(String.raw`\[([^[\]]*)\]${TARGET}`, 'g');
const LINK_END = new RegExp(String.raw`\]${TARGET}`, 'g');
const TAG = /<\/?(?:a|br)\b[^<>]*>/g;

/** Without the targets of links and the names of places, which nobody looks for. */
export const readable = (markdown: string): string =>
  markdown.replace(LINK, '$1').replace(LINK_END, ']').replace(TAG, ' ');

export const plainHeading = (markdown: string): string =>
  readable(markdown)
    .replace(/`|\\(?=[!-/:-@[-`{-~])/g, '')
    .trim();
