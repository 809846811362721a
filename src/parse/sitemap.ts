import { decodeSitemap } from './sitemap-charset.js';
import { SitemapEntries } from './sitemap-entries.js';
import { gunzipCapped, isGzip } from './sitemap-gunzip.js';
import { BARE_AMPERSAND, readSitemapXml } from './sitemap-xml.js';

export const SITEMAP_KINDS = ['urlset', 'index', 'text', 'feed', 'unknown'] as const;
export type SitemapKind = (typeof SITEMAP_KINDS)[number];

export interface SitemapEntry {
  /** Absolute, http or https. Any host: whether it may speak for it is the caller's to decide. */
  url: string;
  /** As written; of RSS, whose dates have another format, in ISO 8601. */
  lastmod: string | null;
  /** From 0 to 1. */
  priority: number | null;
  /** Of a feed: no page but what comes with one, such as a sound. */
  isEnclosure?: true;
}

export interface SitemapContents {
  kind: SitemapKind;
  entries: SitemapEntry[];
  truncated: 'urls' | 'bytes' | null;
  /** What is wrong with the file, in a few printable words. The entries are what could be read all the same. */
  problem: string | null;
  /** Why not all of it could be read, in a few printable words; left out where all was. */
  unread?: string;
  /** What is no absolute URL of the web and should be, as written; left out where there is none. */
  faults?: string[];
}

export interface SitemapLimits {
  maxUrls: number;
  /** Of the file after decompression. */
  maxBytes: number;
  /** Where the file comes from; relative URLs are resolved against it. */
  baseUrl: string;
}

/**
 * Reads a sitemap, a sitemap index, a list of URLs or a feed, plain or in gzip, in the encoding it states. Never throws
 * whatever the bytes are. A file with a DTD is not read past it.
 */
export function readSitemap(bytes: Uint8Array, limits: SitemapLimits): SitemapContents {
  const unpacked = isGzip(bytes)
    ? gunzipCapped(bytes, limits.maxBytes)
    : { bytes: bytes.subarray(0, limits.maxBytes), isCut: bytes.length > limits.maxBytes, problem: null };
  const entries = new SitemapEntries(limits);
  const text = decodeSitemap(unpacked.bytes).trimStart();

  let kind: SitemapKind = 'unknown';
  let problem: string | null = null;
  if (text.startsWith('<')) {
    ({ kind, problem } = readSitemapXml(text, entries, unpacked.isCut));
  } else {
    readLines(text, entries, unpacked.isCut);
    if (entries.list.length > 0) kind = 'text';
    else problem = text === '' ? 'empty' : 'not a sitemap';
  }

  const truncated = entries.isFull ? 'urls' : unpacked.isCut ? 'bytes' : null;
  const unread =
    unpacked.problem ??
    (problem === 'dtd' ? 'it has a DTD, and what follows is not read' : problem === BARE_AMPERSAND ? null : problem) ??
    cutWords(truncated, limits, entries);
  return {
    kind,
    entries: entries.list,
    truncated,
    problem: unpacked.problem ?? problem ?? entries.problem,
    ...(unread === null ? {} : { unread }),
    ...(entries.faults.length === 0 ? {} : { faults: entries.faults }),
  };
}

function cutWords(
  truncated: SitemapContents['truncated'],
  { maxUrls, maxBytes }: SitemapLimits,
  { faultsCut }: SitemapEntries,
): string | null {
  if (truncated !== null) {
    const [most, what] = truncated === 'urls' ? [maxUrls, 'URLs'] : [maxBytes, 'bytes'];
    return `it has more than ${most.toLocaleString('en-US')} ${what}`;
  }
  return faultsCut === 0 ? null : `${faultsCut.toLocaleString('en-US')} more of its entries are no URLs`;
}

/** One absolute URL a line. */
function readLines(text: string, entries: SitemapEntries, isCut: boolean): void {
  const lineBreak = /\r\n|[\r\n]|$/g;
  for (let start = 0; start < text.length && !entries.isFull; ) {
    lineBreak.lastIndex = start;
    const end = lineBreak.exec(text)!;
    const isLast = end[0] === '';
    const isHalf = isLast && isCut;
    const line = text.slice(start, end.index).trim();
    if (line !== '' && !isHalf) entries.addAbsolute(line);
    start = isLast ? text.length : lineBreak.lastIndex;
  }
}
