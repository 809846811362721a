import { constants } from 'node:zlib';
import { formatCount } from '../base/figures.js';
import { gunzip } from '../base/gunzip.js';
import { decodeXml } from './encodings.js';
import { SitemapEntries, type SitemapEntry, type SitemapKind, type SitemapLimits } from './sitemap-entries.js';
import { BARE_AMPERSAND, readSitemapXml } from './sitemap-xml.js';

export interface SitemapContents {
  kind: SitemapKind;
  entries: SitemapEntry[];
  truncated: 'urls' | 'bytes' | null;
  /** What is wrong with the file, in a few printable words. The entries are those that could still be read. */
  problem: string | null;
  /** Why not all of it could be read, in a few printable words; left out where all was. */
  unread?: string;
  /** What is no absolute URL of the web and should be, as written; left out where there is none. */
  faults?: string[];
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
  const text = decodeXml(unpacked.bytes).trimStart();

  let kind: SitemapKind = 'unknown';
  let problem: string | null = null;
  if (text.startsWith('<')) {
    ({ kind, problem } = readSitemapXml(text, entries, unpacked.isCut));
  } else {
    readLines(text, entries, unpacked.isCut);
    if (entries.list.length > 0) {
      kind = 'text';
    } else {
      problem = text === '' ? 'empty' : 'not a sitemap';
    }
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
    return `it has more than ${formatCount(most)} ${what}`;
  }
  return faultsCut === 0 ? null : `${formatCount(faultsCut)} more of its entries are no URLs`;
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
    if (line !== '' && !isHalf) {
      entries.addAbsolute(line);
    }
    start = isLast ? text.length : lineBreak.lastIndex;
  }
}

interface Gunzipped {
  bytes: Uint8Array;
  /** Whether there was more than the cap. */
  isCut: boolean;
  problem: string | null;
}

/** Deflate cannot expand further than 1,032 to 1. */
const MAX_EXPANSION = 1_040;

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Never allocates much more than `maxBytes`. What is larger gives its beginning, what ends too early gives what there
 * is, and what is damaged gives nothing.
 */
function gunzipCapped(bytes: Uint8Array, maxBytes: number): Gunzipped {
  const whole = inflate(bytes, maxBytes, constants.Z_FINISH);
  if (whole instanceof Uint8Array) {
    return { bytes: whole, isCut: false, problem: null };
  }
  if (whole === 'too_large') {
    // zlib keeps nothing of what it inflated when it runs into the cap, so part of the input is inflated instead.
    const expected = (bytes.length * maxBytes) / Math.max(1, statedLength(bytes));
    const sure = Math.max(1, Math.floor(maxBytes / MAX_EXPANSION));
    for (const inputLength of [Math.floor(expected * 0.95), sure]) {
      const start = inflate(bytes.subarray(0, inputLength), maxBytes, constants.Z_SYNC_FLUSH);
      if (start instanceof Uint8Array) {
        return { bytes: start, isCut: true, problem: 'gzip: larger than the cap' };
      }
    }
    return { bytes: new Uint8Array(), isCut: true, problem: 'gzip: larger than the cap' };
  }
  const partial = inflate(bytes, maxBytes, constants.Z_SYNC_FLUSH);
  return partial instanceof Uint8Array
    ? { bytes: partial, isCut: false, problem: 'gzip: unexpected end' }
    : { bytes: new Uint8Array(), isCut: false, problem: 'gzip: damaged' };
}

function inflate(
  bytes: Uint8Array,
  maxOutputLength: number,
  finishFlush: number,
): Uint8Array | 'too_large' | 'damaged' {
  try {
    return gunzip(bytes, { maxOutputLength, finishFlush });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged';
  }
}

/** The length modulo 2^32 that a gzip file states at its end: a hint, not to be trusted. */
function statedLength(bytes: Uint8Array): number {
  if (bytes.length < 4) {
    return 0;
  }
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 4, true);
}
