import type { Order } from '../frontier/embedded/options.js';
import type { LinkPiece, Outcome } from '../frontier/frontier.js';
import { nothingRead } from '../frontier/outcome.js';
import { emptyPage, type PageRow } from '../store/page-row.js';

/** A page as it came, from the net or from a fetcher of the user's. */
export interface FetchedPage {
  status: number;
  contentType: string | null;
  location: string | null;
  /** Each line of X-Robots-Tag. */
  robotsTags: readonly string[];
  lastModified: string | null;
  etag: string | null;
  body: Uint8Array | null;
  /** Links given outright instead of a body. */
  links: string[] | null;
  truncated: boolean;
  /** What is wrong with how it was encoded, in words, or null. */
  damage: string | null;
  /** Those that a check wants; null in any other crawl. */
  telling: Record<string, string> | null;
}

export interface ReaderOptions {
  agent: string;
  obeyNofollow: boolean;
  assets: boolean;
  anchorText: boolean;
  /** Someone listens to edges: say where each leads. */
  targets: boolean;
  order: Order;
  sitemapMaxUrls: number;
  sitemapMaxBytes: number;
  /** Feeds that pages name are read for URLs, as sitemaps are. */
  feeds: boolean;
  /** Depth forbids all that a feed could name. */
  feedsAreBeyond: boolean;
  /** What is out of scope in a sitemap is kept as such, to be counted. */
  keepsOutside: boolean;
  /** For a check: where each link stands, what fragments can point at, what a refusal says. */
  linkFacts: boolean;
  /** Pages, and sitemaps, are kept as they came. */
  keepsBodies: boolean;
  /** Seeds whose pages are named by their sitemaps alone: links lead nowhere. */
  unfollowed: ReadonlySet<number>;
  /** Which of the pages that are kept a browser has to see. */
  render: RenderMode;
  /** A page that leads to more new URLs hands them on in pieces of so many. */
  pieceUrls: number;
}

export type RenderMode = 'never' | 'auto' | 'always';

/** The part of an outcome that reading a page fills in. */
export type Reading = Pick<Outcome, keyof ReturnType<typeof nothingRead> | 'errorClass' | 'message' | 'measured'> & {
  page: PageRow;
};

/** A page being read: it hands on pieces of what it leads to, and is told the ids of what each of them offered. */
export type PageReading = Generator<LinkPiece, Reading, readonly number[]>;

/** A page may lead to so much that not all of it is kept. */
const TOO_MANY_LINKS = 'too_many_links';
export const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** So many links are not kept: the text of their URLs is too much. */
export function cutLinks({ page }: Reading, count: number): void {
  page.linksCut = count;
  page.note = page.note === null ? TOO_MANY_LINKS : `${page.note},${TOO_MANY_LINKS}`;
}

export function emptyReading(page: FetchedPage): Reading {
  const row = emptyPage(page.status);
  row.contentType = page.contentType;
  row.bytes = page.body?.length ?? 0;
  row.lastModified = page.lastModified;
  row.etag = page.etag;
  return { ...nothingRead(), errorClass: null, message: null, page: row };
}
