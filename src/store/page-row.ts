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

/** Names of the fields in the order of the sealed text. */
const FIELDS = [
  'status',
  'message',
  'contentType',
  'bytes',
  'links',
  'title',
  'description',
  'canonical',
  'lang',
  'robotsMeta',
  'hash',
  'lastModified',
  'etag',
  'fetchedAt',
  'ttfbMs',
  'totalMs',
  'malformed',
] as const satisfies readonly (keyof PageRow)[];

/** Columns of `pages` in the order of the sealed text. */
export const PAGE_COLUMNS =
  'status, message, content_type, bytes, links, title, description, canonical, lang, robots_meta, hash, last_modified, etag, fetched_at, ttfb_ms, total_ms, malformed';

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
  const values = [
    ...[row.status, row.message, row.contentType, row.bytes, row.links, row.title, row.description, row.canonical],
    ...[
      row.lang,
      row.robotsMeta,
      row.hash,
      row.lastModified,
      row.etag,
      row.fetchedAt,
      row.ttfbMs,
      row.totalMs,
      row.malformed,
    ],
  ];
  return { bytes: row.bytes, links: row.links, text: JSON.stringify(values) };
}

export function openPage({ text }: SealedPage): PageRow {
  const values: unknown[] = JSON.parse(text);
  return Object.fromEntries(FIELDS.map((field, i) => [field, values[i]])) as unknown as PageRow;
}

/** Values of PAGE_COLUMNS. */
export const pageValues = ({ text }: SealedPage): SqlValue[] => JSON.parse(text);
