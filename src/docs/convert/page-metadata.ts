import { type Element, textOf, walk } from '../../content/element.js';
import { JsonLdBlocks, readJsonPath } from '../../content/json-ld.js';
import { parseDocument } from '../../content/tree-builder.js';
import { foldSpace } from '../../parse/html-rules.js';

/** What a page says of itself; null if it does not. */
export interface PageMetadata {
  byline: string | null;
  date: string | null;
  language: string | null;
  description: string | null;
  site: string | null;
  image: string | null;
}

const LONGEST = 1_000;
const BYLINE = /(?:^|[\s_-])(?:byline|author-name|p-author)(?:$|[\s_-])/i;
/** What stands before a name there. */
const BY = /^(?:(?:written |posted )?by|von|par|por|door|av|af|di)[:\s]+/i;
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*$/i;

/** From meta elements, JSON-LD and what the markup calls an author or a date, in this order. */
export function pageMetadata(html: string, baseUrl: string | null): PageMetadata {
  const said = gather(parseDocument(html));
  const meta = (...names: string[]): string | null =>
    names.map((name) => said.meta.get(name)).find((content) => content !== undefined) ?? null;
  const blocks = new JsonLdBlocks(said.jsonLd);
  const data = (...paths: string[]): string | null => {
    for (const path of paths) {
      const found = blocks.find(readJsonPath(path), 10).find((value) => typeof value === 'string');
      const text = typeof found === 'string' ? line(found) : '';
      if (text !== '') {
        return text;
      }
    }
    return null;
  };
  const author = meta('author', 'article:author', 'dc.creator', 'dcterms.creator', 'parsely-author');
  const language = said.language ?? meta('content-language', 'og:locale', 'dc.language') ?? data('inLanguage');
  return {
    // Some sites name a profile there, and no person.
    byline: (author !== null && !isUrl(author) ? author : null) ?? data('author.name', 'author') ?? said.byline,
    date:
      meta(
        'article:published_time',
        'datepublished',
        'date',
        'dc.date',
        'dcterms.created',
        'citation_publication_date',
      ) ??
      data('datePublished') ??
      said.date,
    language: language !== null && LANGUAGE.test(language) ? language.replaceAll('_', '-') : null,
    description: meta('description', 'og:description', 'twitter:description', 'dc.description') ?? data('description'),
    site: meta('og:site_name', 'application-name') ?? data('publisher.name', 'isPartOf.name'),
    image: wholeUrl(
      meta('og:image', 'og:image:url', 'twitter:image', 'twitter:image:src') ?? data('image.url', 'image'),
      baseUrl,
    ),
  };
}

interface Said {
  /** The first of each name, in lower case. */
  meta: Map<string, string>;
  jsonLd: string[];
  language: string | null;
  byline: string | null;
  date: string | null;
}

function gather(root: Element): Said {
  const said: Said = { meta: new Map(), jsonLd: [], language: null, byline: null, date: null };
  for (const element of walk(root)) {
    if (typeof element === 'string') {
      continue;
    }
    switch (element.name) {
      case 'html':
        said.language ??= orNull(line(element.attribute('lang') ?? element.attribute('xml:lang') ?? ''));
        break;
      case 'meta':
        addMeta(element, said.meta);
        break;
      case 'script':
        if (/^\s*application\/ld\+json\b/i.test(element.attribute('type') ?? '')) {
          said.jsonLd.push(textOf(element));
        }
        break;
      case 'time':
        said.date ??= orNull(line(element.attribute('datetime') ?? ''));
        break;
      default:
        if (said.byline === null && isByline(element)) {
          said.byline = orNull(line(textOf(element)).replace(BY, ''));
        }
    }
  }
  return said;
}

function addMeta(element: Element, meta: Map<string, string>): void {
  const content = line(element.attribute('content') ?? '');
  if (content === '') {
    return;
  }
  for (const attribute of ['name', 'property', 'itemprop', 'http-equiv']) {
    const name = element.attribute(attribute)?.trim().toLowerCase();
    if (name !== undefined && !meta.has(name)) {
      meta.set(name, content);
    }
  }
}

const isByline = (element: Element): boolean =>
  element.attribute('rel') === 'author' ||
  element.attribute('itemprop') === 'author' ||
  BYLINE.test(element.attribute('class') ?? '');

function wholeUrl(href: string | null, base: string | null): string | null {
  try {
    const url = href === null ? null : new URL(href, base ?? undefined);
    return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);
const line = (text: string): string => foldSpace(text.slice(0, LONGEST)).trim();
const orNull = (text: string): string | null => (text === '' ? null : text);
