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
}

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
const COLUMN_OF: Readonly<Record<keyof PageRow, string>> = {
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
};
const FIELDS = Object.keys(COLUMN_OF) as (keyof PageRow)[];

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
  };
}

export function sealPage(row: PageRow): SealedPage {
  return { bytes: row.bytes, links: row.links, text: JSON.stringify(FIELDS.map((field) => row[field])) };
}

export function openPage({ text }: SealedPage): PageRow {
  const values: unknown[] = JSON.parse(text);
  return Object.fromEntries(FIELDS.map((field, i) => [field, values[i]])) as unknown as PageRow;
}

/** Values of PAGE_COLUMNS. */
export const pageValues = ({ text }: SealedPage): SqlValue[] => JSON.parse(text);
