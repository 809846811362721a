import type { ErrorClass } from '../base/errors.js';
import type { SealedPage } from '../store/page-row.js';
import type { QueueClass, UrlKind, UrlState } from '../store/url-state.js';
import type { SetCookie } from '../url/cookies.js';

/**
 * What is to be fetched and what has been: the one seam between a crawl and where its state lives. Everything is in batches and
 * asynchronous, so that a store on another machine can stand behind it.
 *
 * A host is paced by whoever holds its lease, so `headers` and `ended` are local and immediate: they start the host's clock and free its place.
 */
export interface Frontier {
  /** URLs from outside a page: seeds, and what third parties name. Durable when it resolves, with what is to be kept beside them; the ids they are known by. */
  admit(offers: Offer[], meta?: Record<string, string>): Promise<number[]>;
  /** URLs that a page leads to, before the page itself is settled; durable when it resolves, with the ids they are known by. */
  admitFrom(piece: PagePiece): Promise<number[]>;
  /** What a browser made of pages that are settled; durable when it resolves. */
  rendered(pages: RenderedOutcome[]): Promise<void>;
  /**
   * Settles what came back and leases up to `want` URLs whose hosts may be asked now; all of it is durable when it resolves, in one
   * transaction where the store is local. No request goes out before.
   */
  settle(outcomes: Outcome[], want: number): Promise<Lease[]>;
  /** The headers of a leased URL's response arrived: its host's delay runs from here. */
  headers(id: number, at: number): void;
  /** The response ended or failed, or no request was made. */
  ended(outcome: Outcome): void;
  /** When `settle` could lease something, as far as is known; Infinity when only an outcome can change that. */
  wakeAt(): number;
  counts(): FrontierCounts;
  close(reason: string): Promise<void>;
}

/** One URL handed out: exactly one request, or none. */
export interface Lease {
  id: number;
  url: string;
  kind: UrlKind;
  depth: number;
  seed: number;
  hops: number;
  flags: number;
  attempt: number;
  /** What its pacing goes by. */
  host: string;
  /** The host has a delay: one request awaits headers at a time, on one connection. */
  paced: boolean;
  origin: number;
  /** Compact rules of its robots.txt; null where everything is allowed. Version changes with the rules. */
  rules: string | null;
  rulesVersion: number;
  /** Its text is wanted, to see whether its pattern still brings anything new. */
  wantsText: boolean;
  /** Asks for it only if it has changed. */
  ifModified?: { etag?: string; lastModified?: string };
  /** The header to ask with; only its own origin has set what is in it. */
  cookie?: string;
}

/** A URL that a page, a sitemap or a user names, as a lane judged it; `unlisted` ones are only ends of edges. */
export interface Offer {
  url: string;
  key: [number, number, number, number];
  kind: UrlKind;
  state: UrlState;
  reason: string | null;
  depth: number;
  class: QueueClass;
  seed: number;
  hops: number;
  flags: number;
  /** The trap it fell into by its looks alone. */
  pattern: string | null;
}

/** URLs that a page leads to, ahead of its outcome: a page with very many hands them on in pieces. */
export interface LinkPiece {
  /** URLs that the key table did not have. */
  offers: Offer[];
  /** As in an outcome. */
  found: number[];
}
export interface PagePiece extends LinkPiece {
  page: Pick<Lease, 'id' | 'kind' | 'depth' | 'seed' | 'flags'>;
}

/** Where each edge of a page leads: a place in the list of URLs, which has each of them once. */
export interface EdgeTargets {
  urls: string[];
  places: number[];
}

export type RobotsAnswer =
  | {
      standing: 'rules';
      rules: string | null;
      crawlDelayMs: number | null;
      sitemaps: string[];
      maxAgeMs: number | null;
    }
  /** 5xx, 429, time-out: nothing may be fetched until it answers. */
  | { standing: 'unreachable' }
  /** No such name, refused, TLS: the error is the result of each of the origin's URLs. */
  | { standing: 'failed'; errorClass: ErrorClass };

/** What came of a lease. */
export interface Outcome {
  id: number;
  status: number | null;
  errorClass: ErrorClass | null;
  message: string | null;
  /** robots.txt forbids it (the line that decides), or it was never sent: no request was made. Or it was lost, and nobody knows. */
  unsent: 'robots' | 'returned' | 'lost' | null;
  headersAt: number | null;
  endedAt: number;
  ttfbMs: number | null;
  retryAfterMs: number | null;
  address: string | null;
  /** Bytes that were held in memory for it until now. */
  heldBytes: number;
  parseMs: number;
  page: SealedPage | null;
  /** The server says that it is as it was. */
  unchanged?: true;
  /** HEAD was refused: ask again for the first byte. Or what looked binary is a page: ask for all of it. */
  askAgain: 'ranged' | 'whole' | null;
  /** Where it redirects: a place in `offers`, or the id of a known URL. */
  redirect: { offer: number } | { id: number } | null;
  redirectUrl: string | null;
  /** Those that a redirect set. */
  cookies?: SetCookie[];
  edges: Uint32Array | null;
  rels: string[];
  texts: string[] | null;
  /** Where each edge leads, in words; only where someone listens to edges. */
  targets: EdgeTargets | null;
  /** URLs that the key table did not have; of a page with very many, those that no piece had. */
  offers: Offer[];
  /** Known URLs that the page leads to by a shorter path or by a link of another sort: id, depth, standing each. */
  found: number[];
  robots: RobotsAnswer | null;
  /** URLs counted as skipped because their scheme is not http(s). */
  skippedLinks: number;
  textHash: number | null;
  /** Of a page that is kept: how much there is to read, and whether a browser has to see it. */
  measured?: { text: number; needsBrowser: boolean };
  /** The version of the scope its links were judged by. */
  scopeVersion: number;
}

/** What a browser made of a page; `outcome` null: it stays as it came. */
export interface RenderedOutcome {
  page: { id: number; depth: number; seed: number; flags: number };
  text: number | null;
  outcome: Outcome | null;
}

export interface FrontierCounts {
  /** Queued, leased or being settled: the one number that says whether there is work. Never negative. */
  outstanding: number;
  queuedInMemory: number;
  queuedOnDisk: number;
  hostsInMemory: number;
  hostsParked: number;
  hostsDelayed: number;
  leased: number;
  /** Of what is outstanding, second looks; those that wait on disk are not among them. */
  secondLooks: number;
  dispatched: number;
  done: number;
  failed: number;
  skipped: number;
  deferred: number;
  retries: number;
  refetched: number;
  robotsInFlight: number;
  robotsWaiting: number;
}
