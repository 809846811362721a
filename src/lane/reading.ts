import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { ResponseHeaders } from '../fetch/response-headers.js';
import type { Lease, LinkPiece, Order, Outcome, PagePiece, ReadFields } from '../frontier/outcome.js';
import { emptyPage, type KeptBody, type PageRow } from '../store/page-row.js';
import type { HostPolicy } from '../url/host-policies.js';

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
  refusalHeaders: Record<string, string> | null;
  /** What a browser saw, where the page is as a browser left it, or as it came because no browser makes more of it. */
  rendered?: SeenInBrowser & {
    /** It is read only where it gives more to read than so many characters. */
    moreThan: number;
  };
  /** All of them; null if the page was fetched earlier. */
  headers: ResponseHeaders | null;
}

/** What a browser tells of a page beside its HTML. */
export interface SeenInBrowser {
  /** It listens for changes of its fragment: routes that it names are drawn by it. */
  drawsByRoutes: boolean;
  /**
   * Of a route, where that was asked: it has a view of its own; it looks like one that cannot exist, and that is not the first view; or nobody can
   * tell. Null if nobody asked.
   */
  route: RouteView | null;
}

export type RouteView = 'own' | 'unknown' | 'untold';

export interface ReaderOptions {
  agent: string;
  /** Hosts to which another agent is sent, or whose pages a browser has to see by another measure. Left out: none. */
  hosts?: readonly Pick<HostPolicy, 'match' | 'userAgent' | 'render'>[];
  obeyNofollow: boolean;
  assets: boolean;
  anchorText: boolean;
  /** Everything that pages say of themselves is kept, besides what audits need. */
  allFacts: boolean;
  /** Rules of `--extract`; `prepareExtraction` has been awaited. */
  extract: readonly string[];
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
  /** For a corpus: pages, and sitemaps, are kept as they came, with the place on its page of each link. */
  keepsBodies: boolean;
  /** Of a crawl: the text of pages is kept, or every answer as it came. */
  keep: 'none' | 'text' | 'body';
  /** Texts and expressions of `--search`. */
  searches: readonly string[];
  /** Seeds whose pages are named by their sitemaps alone: links lead nowhere. */
  unfollowed: ReadonlySet<number>;
  /** Which pages a browser has to see. Where bodies are not kept, these are, until it has. */
  render: RenderMode;
  /** Routes of rendered pages that draw by them are pages of their own. */
  hashRoutes: boolean;
  /** A page that leads to more new URLs hands them on in pieces of so many. */
  pieceUrls: number;
  /** Types, besides HTML, that functions of the user's see. */
  contentTypes: readonly string[];
  /** A function of the user's in the main thread sees each page. */
  handsOnBodies: boolean;
}

export type RenderMode = 'never' | 'auto' | 'always';

/** The part of an outcome that reading a page fills in. */
export type Reading = Pick<Outcome, ReadFields | 'measured' | 'hookSkips' | 'body'> & {
  page: PageRow;
  /** What a reader sees of it, where that is to be kept. */
  text?: string;
};

/** A page being read: it hands on pieces of what it leads to, and is told the ids of what each of them offered. */
export type PageReading = Generator<LinkPiece | HookWait, Reading, readonly number[]>;

/** A page waits for a hook of the user's; others are read meanwhile. It never rejects. */
export class HookWait {
  readonly over: Promise<unknown>;

  constructor(over: Promise<unknown>) {
    this.over = over;
  }
}

/** Fast: pages are packed in the lane that fetched them, and taken apart once. */
const PACKING_LEVEL = 1;
/** A page may lead to so much that not all of it is kept. */
const TOO_MANY_LINKS = 'too_many_links';
export const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Something that was out of the ordinary, and no failure. */
export function addNote(page: PageRow, note: string): void {
  page.note = page.note === null ? note : `${page.note},${note}`;
}

/** So many links are not kept: the text of their URLs is too much. */
export function cutLinks({ page }: Reading, count: number): void {
  page.linksCut = count;
  addNote(page, TOO_MANY_LINKS);
}

/** On security, caching, encoding, language, and what search engines are told. */
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  'strict-transport-security',
  'content-security-policy',
  'content-security-policy-report-only',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'cache-control',
  'expires',
  'vary',
  'content-encoding',
  'content-language',
  'x-robots-tag',
]);
/** page-fields.ts says so. */
const MOST_OF_HEADER = 1_000;

/** Of each page, so what costs little: nothing is made where there is nothing to keep. */
function keptHeaders(headers: ResponseHeaders): string | null {
  const kept = headers.some(KEPT_HEADERS, MOST_OF_HEADER);
  return kept === null ? null : JSON.stringify(kept);
}

/** Before anything was found. Written out: where an object is spread into one that has more fields, V8 makes new classes for it at every page. */
export const readingOf = (page: PageRow): Reading => ({
  errorClass: null,
  message: null,
  redirect: null,
  redirectUrl: null,
  targets: null,
  offers: [],
  found: [],
  skippedLinks: 0,
  textHash: null,
  page,
});

/** The outcome has what was read; its page is sealed by whoever knows the rest of it. Field by field, for the same reason. */
export function takeReading(outcome: Outcome, reading: Reading): void {
  outcome.errorClass = reading.errorClass;
  outcome.message = reading.message;
  outcome.redirect = reading.redirect;
  outcome.redirectUrl = reading.redirectUrl;
  outcome.targets = reading.targets;
  outcome.offers = reading.offers;
  outcome.found = reading.found;
  outcome.skippedLinks = reading.skippedLinks;
  outcome.textHash = reading.textHash;
  const { measured, hookSkips, body } = reading;
  if (measured !== undefined) {
    outcome.measured = measured;
  }
  if (hookSkips !== undefined) {
    outcome.hookSkips = hookSkips;
  }
  if (body !== undefined) {
    outcome.body = body;
  }
}

export function emptyReading(page: FetchedPage): Reading {
  const row = emptyPage(page.status);
  row.contentType = page.contentType;
  row.bytes = page.body?.length ?? 0;
  row.lastModified = page.lastModified;
  row.etag = page.etag;
  row.headers = page.headers === null ? null : keptHeaders(page.headers);
  return readingOf(row);
}

export const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

/**
 * The page itself, as it is kept.
 *
 * @param hash of the body; left out where it is kept for a while only
 */
export const packBody = (body: Uint8Array, type: string | null, hash?: string): KeptBody => ({
  type,
  packed: deflateRawSync(body, { level: PACKING_LEVEL }),
  ...(hash === undefined ? {} : { hash }),
});

/** Of a page that needs no browser, what it gives to read is kept without the page. */
export const NO_BODY = new Uint8Array();

/** An outcome in the making: pieces of what the page leads to come first. */
export type OutcomeReading = Generator<LinkPiece | HookWait, Outcome, readonly number[]>;

/** A page that is here in full and is read, or waits for that. */
interface OpenPage {
  lease: Lease;
  reading: OutcomeReading;
  bytes: number;
  /** Of the last piece. */
  ids: readonly number[];
  parseMs: number;
  /** Who gets the outcome. */
  give(outcome: Outcome): void;
}

/** Of pages larger than this one is open at a time: each may lead to very much. */
const LARGE_PAGE = 1 << 20;
/** Pages are read one after the other; after so long the event loop gets its turn for the sockets. */
const READ_SLICE_MS = 5;

/**
 * The pages of a lane that are here in full. They are read one after the other. A page that comes in pieces waits for the ids of each, and
 * others are read meanwhile.
 */
export class ReadingQueue {
  readonly #handOn: (piece: PagePiece) => void;
  readonly #toRead: OpenPage[] = [];
  /** Pages that wait for the ids of a piece. */
  readonly #open = new Map<number, OpenPage>();
  #large: OpenPage | null = null;
  readonly #largeWaiting: OpenPage[] = [];
  #isReading = false;
  peakWaiting = 0;

  constructor(handOn: (piece: PagePiece) => void) {
    this.#handOn = handOn;
  }

  get waiting(): number {
    return this.#toRead.length + this.#largeWaiting.length;
  }

  add(lease: Lease, reading: OutcomeReading, bytes: number, give: (outcome: Outcome) => void): void {
    this.#wait({ lease, reading, bytes, ids: [], parseMs: 0, give });
  }

  /** The piece of this page is admitted; these are the ids of what it offered. */
  admitted(id: number, ids: readonly number[]): void {
    const page = this.#open.get(id);
    if (page !== undefined) {
      this.#open.delete(id);
      page.ids = ids;
      this.#wait(page);
    }
  }

  #wait(page: OpenPage): void {
    this.#toRead.push(page);
    this.peakWaiting = Math.max(this.peakWaiting, this.waiting - 1);
    if (!this.#isReading) {
      this.#isReading = true;
      setImmediate(() => this.#readAll());
    }
  }

  #readAll(): void {
    const until = performance.now() + READ_SLICE_MS;
    for (let page = this.#toRead.shift(); page !== undefined; page = this.#toRead.shift()) {
      if (page.bytes > LARGE_PAGE && this.#large !== null && this.#large !== page) {
        this.#largeWaiting.push(page);
        continue;
      }
      this.#readOn(page);
      if (performance.now() >= until && this.#toRead.length > 0) {
        setImmediate(() => this.#readAll());
        return;
      }
    }
    this.#isReading = false;
  }

  /** Up to the next piece, the next hook that takes its time, or to the end. */
  #readOn(page: OpenPage): void {
    const startedAt = performance.now();
    const { done, value } = page.reading.next(page.ids);
    page.parseMs += performance.now() - startedAt;
    if (done) {
      value.parseMs = page.parseMs;
      page.give(value);
      this.#closeLarge(page);
      return;
    }
    if (value instanceof HookWait) {
      void value.over.then(() => this.#wait(page));
      return;
    }
    const { id, kind, depth, seed, flags } = page.lease;
    this.#large = page.bytes > LARGE_PAGE ? page : this.#large;
    this.#open.set(id, page);
    this.#handOn({ page: { id, kind, depth, seed, flags }, ...value });
  }

  #closeLarge(page: OpenPage): void {
    if (this.#large === page) {
      this.#large = null;
      this.#toRead.push(...this.#largeWaiting.splice(0));
    }
  }
}
