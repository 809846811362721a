import type { SqlValue } from './sqlite.js';

/** What is kept of a response: a row of `pages`. */
export interface PageRow {
  status: number | null;
  message: string | null;
  contentType: string | null;
  bytes: number;
  links: number;
  title: string | null;
  description: string | null;
  canonical: string | null;
  lang: string | null;
  robotsMeta: string | null;
  hash: string | null;
  lastModified: string | null;
  etag: string | null;
  /** Wall time. */
  fetchedAt: number;
  ttfbMs: number;
  totalMs: number;
  malformed: string | null;
  /** What was out of the ordinary and no failure. */
  note: string | null;
  /** Links that were left out because the text of their URLs is too much. */
  linksCut: number;
  /** What a check wants to know besides; null in any other crawl. */
  facts: LinkFacts | null;
  /** The page itself, where it is kept. */
  body: KeptBody | null;
}

/** A body on its way to the store: a row of `bodies`. */
export interface KeptBody {
  /** Content-Type as it was sent. */
  type: string | null;
  /** Deflated, in base64. */
  packed: string;
  /** How much there is to read, and whether a browser has to see it; left out where nobody asked. */
  measured?: { text: number; needsBrowser: boolean };
}

/** What is kept of a page for a check: a row of `link_facts`. */
export interface LinkFacts {
  /** Of each edge, as it stands on the page; null where it has none. */
  hrefs: string[] | null;
  /** Of each edge its line, and its column or'ed with IGNORED_LINK; packed words in base64. */
  places: string | null;
  /** Hashes of what fragments can point at, packed in base64; null where the page was not read for them. */
  anchors: string | null;
  /** Those of the response that say why. */
  headers: Record<string, string> | null;
  /** Of the visible text, digits folded; only where it was asked for. */
  textHash: number | null;
}
/** In the column of a link: it is marked to be left out. */
export const IGNORED_LINK = 0x8000_0000;

/**
 * A row on its way from the lane that read the page to the store that keeps it. It is text: an object would be taken apart and put together
 * again at each of two threads. Those between see only what they count.
 */
export interface SealedPage {
  bytes: number;
  links: number;
  text: string;
}

/** Each field and its column; the sealed text has the values in this order. */
const COLUMN_OF: Readonly<Record<Exclude<keyof PageRow, 'facts' | 'body'>, string>> = {
  status: 'status',
  message: 'message',
  contentType: 'content_type',
  bytes: 'bytes',
  links: 'links',
  title: 'title',
  description: 'description',
  canonical: 'canonical',
  lang: 'lang',
  robotsMeta: 'robots_meta',
  hash: 'hash',
  lastModified: 'last_modified',
  etag: 'etag',
  fetchedAt: 'fetched_at',
  ttfbMs: 'ttfb_ms',
  totalMs: 'total_ms',
  malformed: 'malformed',
  note: 'note',
  linksCut: 'links_cut',
};
const FIELDS = [...Object.keys(COLUMN_OF), 'facts', 'body'] as (keyof PageRow)[];

export const PAGE_COLUMNS: readonly string[] = Object.values(COLUMN_OF);

export function emptyPage(status: number | null): PageRow {
  return {
    status,
    message: null,
    contentType: null,
    bytes: 0,
    links: 0,
    title: null,
    description: null,
    canonical: null,
    lang: null,
    robotsMeta: null,
    hash: null,
    lastModified: null,
    etag: null,
    fetchedAt: 0,
    ttfbMs: 0,
    totalMs: 0,
    malformed: null,
    note: null,
    linksCut: 0,
    facts: null,
    body: null,
  };
}

export function sealPage(row: PageRow): SealedPage {
  return { bytes: row.bytes, links: row.links, text: JSON.stringify(FIELDS.map((field) => row[field])) };
}

export function openPage({ text }: SealedPage): PageRow {
  const values: unknown[] = JSON.parse(text);
  return Object.fromEntries(FIELDS.map((field, i) => [field, values[i]])) as unknown as PageRow;
}

/** Values of PAGE_COLUMNS, and what goes elsewhere. */
export function pageValues({ text }: SealedPage): {
  values: SqlValue[];
  facts: LinkFacts | null;
  body: KeptBody | null;
} {
  const values = JSON.parse(text);
  const body = values.pop();
  const facts = values.pop();
  return { values, facts, body };
}
