import type { ErrorClass } from '../base/errors.js';
import { type Parcel, weightOf as weightOfParcel } from '../base/parcel.js';
import type { SealedPage } from '../store/page-row.js';
import type { KnownUrl, NewUrl } from '../store/transaction.js';
import { MAX_SITEMAP_DEPTH, QueueClass, RANKS, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { SetCookie } from '../url/cookies.js';
import { pathOf } from '../url/host.js';
import { urlKey } from '../url/identity.js';

/** What the frontier and the lanes exchange: leases go out, outcomes come back, and with them offers of new URLs. */

/**
 * A URL that a page, a sitemap or a user names, as a lane judged it; `unlisted` ones are only ends of edges. It becomes a `NewUrl` when it is
 * admitted: then it has an id, and is known to belong to an origin.
 */
export interface Offer extends Omit<NewUrl, 'id' | 'origin' | 'parent' | 'unsure'> {
  /** The trap it fell into by its looks alone. */
  pattern: string | null;
}

/** A page that waits to be fetched, and about which nothing else is known. */
export function pageOffer(url: string, depth: number): Offer {
  return {
    url,
    key: keyOf(url),
    kind: UrlKind.page,
    state: UrlState.queued,
    reason: null,
    depth,
    class: QueueClass.rest,
    seed: 0,
    hops: 0,
    flags: 0,
    pattern: null,
  };
}

export const seedOffer = (url: string, seed: number): Offer => ({
  ...pageOffer(url, 0),
  class: QueueClass.seed,
  seed,
  flags: UrlFlag.seed,
});

/** A URL that a user adds: it is requested whatever the scope says. */
export const addedOffer = (url: string, { depth, seed, place, data }: AddedUrl): Offer => ({
  ...pageOffer(url, depth),
  class: place,
  seed,
  flags: UrlFlag.added,
  ...(data === undefined ? {} : { data }),
});

export interface AddedUrl {
  depth: number;
  /** The seed whose scope lets it in, or the first one. */
  seed: number;
  place: QueueClass;
  /** Text of JSON. */
  data: string | undefined;
}

export interface SitemapOfferOptions {
  /** Depth forbids everything that it could name: it is kept, and not requested. */
  isBeyond?: boolean | undefined;
  /** It is not named anywhere: it is looked for where sitemaps usually lie, and need not exist. */
  isGuess?: boolean;
}

export function sitemapOffer(url: string, depth: number, { isBeyond, isGuess }: SitemapOfferOptions = {}): Offer {
  return {
    ...pageOffer(url, depth),
    // A sitemap may also be linked as a page: it is another URL then.
    key: keyOf(`sitemap ${url}`),
    kind: UrlKind.sitemap,
    ...(isBeyond === true || depth > MAX_SITEMAP_DEPTH
      ? { state: UrlState.skipped, reason: 'depth' }
      : { state: UrlState.queued, reason: null }),
    class: QueueClass.seed,
    flags: isGuess === true ? UrlFlag.candidate : 0,
  };
}

/**
 * A file that a page loads while it is rendered, from any host. The page waits for it, so it goes first at its host. One that
 * was dropped from the store since is requested as one of the next generation.
 */
export const assetOffer = (url: string, hops = 0, generation = 0): Offer => ({
  ...pageOffer(url, 0),
  key: keyOf(generation === 0 ? `asset ${url}` : `asset ${generation} ${url}`),
  kind: UrlKind.asset,
  class: QueueClass.urgent,
  hops,
});

/** The place that a robots.txt has moved to. It has no key, because a page with the same URL must not be taken for known. */
export const robotsHopOffer = (url: string, hops: number): Offer => ({
  ...pageOffer(url, 0),
  key: [0, 0, 0, 0],
  kind: UrlKind.robots,
  class: QueueClass.urgent,
  hops,
});

/** Makes offers, in pieces, of URLs out of scope that are known from elsewhere: links may lead to them, but they are not requested. */
export const knownOffers = (urls: Iterable<string>, pieceSize: number): IterableIterator<Offer[]> =>
  inPieces(urls, pieceSize, (url) => ({
    ...pageOffer(url, 0),
    ...{ state: UrlState.skipped, reason: 'known', flags: UrlFlag.external },
  }));

/** URLs that a sitemap named, those that are in scope, in pieces. */
export const namedOffers = (
  urls: Iterable<string>,
  seedOf: (url: string) => number,
  pieceSize: number,
): IterableIterator<Offer[]> =>
  inPieces(urls, pieceSize, (url) => {
    const seed = seedOf(url);
    return seed < 0 ? null : { ...pageOffer(url, 1), seed };
  });

/** Of what is loaded beside pages, in pieces. */
export const assetOffers = (urls: Iterable<string>, pieceSize: number): IterableIterator<Offer[]> =>
  inPieces(urls, pieceSize, (url) => assetOffer(url));

function* inPieces(
  urls: Iterable<string>,
  pieceSize: number,
  offerOf: (url: string) => Offer | null,
): IterableIterator<Offer[]> {
  let piece: Offer[] = [];
  for (const url of urls) {
    const offer = offerOf(url);
    if (offer !== null && piece.push(offer) === pieceSize) {
      yield piece;
      piece = [];
    }
  }
  if (piece.length > 0) {
    yield piece;
  }
}

/** URLs from third parties have the same depth as those of a sitemap. */
export const CANDIDATE_DEPTH = 1;

/** A URL that only a third party names: it is not a page until it answers, or a page leads to it. */
export function candidateOffer(url: string, seed: number, source: number, places: QueuePlaces): Offer {
  return {
    ...pageOffer(url, CANDIDATE_DEPTH),
    class: places.ofSitemap(url, null),
    seed,
    flags: UrlFlag.candidate | source,
  };
}

/** It looks like a trap: it is never requested, but its pattern is counted and named. */
export const trappedCandidate = (url: string, seed: number, pattern: string): Offer => ({
  ...pageOffer(url, CANDIDATE_DEPTH),
  state: UrlState.unlisted,
  reason: 'candidate',
  seed,
  pattern,
});

/** There was no connection over TLS; without such a name or a public address, plain HTTP would not help. */
const NO_TLS: ReadonlySet<string | null> = new Set(['connection_refused', 'connection_reset', 'tls', 'timeout']);

/** The same name without TLS, where that may be why it did not answer, and it is in scope. */
export function plainCandidate(
  url: string,
  reason: string | null,
  seedOf: (url: string) => number,
  places: QueuePlaces,
): Offer | null {
  if (!url.startsWith('https://') || !NO_TLS.has(reason)) {
    return null;
  }
  const plain = `http://${url.slice('https://'.length)}`;
  const seed = seedOf(plain);
  return seed < 0 ? null : candidateOffer(plain, seed, UrlFlag.fromCertificates, places);
}

export function keyOf(url: string): [number, number, number, number] {
  const words = new Uint32Array(4);
  urlKey(url, words, 0);
  return [words[0]!, words[1]!, words[2]!, words[3]!];
}

/** The order in which the URLs of a host are asked for. */
export type Order = 'bfs' | 'dfs' | 'priority';

/** What the protocol takes a URL of a sitemap for that says nothing else. */
const USUAL_PRIORITY = 0.5;
/** Ranks from the highest priority of a sitemap to the lowest. */
const SITEMAP_RANKS = 4;

/** Where a new URL waits at its host, by the order of the crawl. It keeps its place, however it is found again. */
export class QueuePlaces {
  readonly #ranks: boolean;

  constructor(order: Order) {
    this.#ranks = order === 'priority';
  }

  /** In a crawl for a corpus, where on the page the link stands counts; null in any other. */
  ofLink(url: string, depth: number, zone: number | null = null): QueueClass {
    return zone === null || this.#ranks ? this.#place(url, depth - 1) : QueueClass.rest + zone;
  }

  /** The rank that a hook of the user's gives it; null if the crawl's order has no ranks. */
  ofRank(rank: number): QueueClass | null {
    return this.#ranks ? QueueClass.rest + rank : null;
  }

  /** As if it stood in the place of what redirects to it, which has had its turn. */
  ofRedirect(url: string): QueueClass {
    return this.#ranks && isHomePage(url) ? QueueClass.seed : QueueClass.urgent;
  }

  ofSitemap(url: string, priority: number | null): QueueClass {
    return this.#place(url, Math.round((1 - (priority ?? USUAL_PRIORITY)) * SITEMAP_RANKS));
  }

  #place(url: string, rank: number): QueueClass {
    if (!this.#ranks) {
      return QueueClass.rest;
    }
    return isHomePage(url) ? QueueClass.seed : QueueClass.rest + Math.max(0, Math.min(RANKS - 1, rank));
  }
}

const isHomePage = (url: string): boolean => pathOf(url) === '/';

/** What a lane is handed: one URL that is queued in the store, and what its host and origin say about asking for it. Exactly one request, or none. */
export interface Lease extends KnownUrl {
  attempt: number;
  /** What its pacing goes by. */
  host: string;
  /** The host has a delay: one request awaits headers at a time, on one connection. */
  paced: boolean;
  /** How many requests of its host may be on the wire at once; leases beyond that wait in the lane. */
  wireLimit: number;
  origin: number;
  /** Compact rules of its robots.txt; null if everything is allowed. The version changes with the rules. */
  rules: string | null;
  rulesVersion: number;
  /** Its text is wanted, to see whether its pattern still brings anything new. */
  wantsText: boolean;
  /** Requests it only if it has changed. */
  ifModified?: { etag?: string; lastModified?: string };
  /** The header to ask with; only its own origin has set what is in it. */
  cookie?: string;
  /** The origin whose robots.txt it is, where that has redirected here: the rules are for the agent that is sent there. */
  robotsOf?: string;
}

/** The URL whose page leads to others. */
export type LinkSource = Omit<KnownUrl, 'url' | 'hops'>;

/** URLs that a page leads to: they come with its outcome, and ahead of it, in pieces, where they are very many. */
export interface LinkPiece {
  /** URLs that the key table did not have. */
  offers: Offer[];
  /** Known URLs that the page leads to by a shorter path or by a link of another sort: id, depth, standing each. */
  found: number[];
}
export interface PagePiece extends LinkPiece {
  page: LinkSource;
}

/** The edges of a page as data: for each its place in the list of URLs, which has each URL once, and what the page says about it. */
export interface EdgeTargets {
  urls: string[];
  places: number[];
  kinds: number[];
  rels: string[];
  texts: string[] | null;
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

/** The result of a lease. For a page with very many links, it has those links that no piece had. */
export interface Outcome extends LinkPiece {
  id: number;
  status: number | null;
  errorClass: ErrorClass | null;
  message: string | null;
  /** robots.txt forbids it (the line that decides), a hook skips it or failed, or it was never sent: no request was made. Or it was lost, and nobody knows. */
  unsent: 'robots' | 'hook' | 'returned' | 'lost' | null;
  headersAt: number | null;
  endedAt: number;
  ttfbMs: number | null;
  retryAfterMs: number | null;
  address: string | null;
  /** Bytes that were held in memory for it until now. */
  heldBytes: number;
  parseMs: number;
  page: SealedPage | null;
  /** The exchange as records of an archive, if one is written. */
  archived?: Parcel;
  /** The cache answered, or had no answer: no request was made. */
  fromCache?: true;
  /** The server says that it is as it was. */
  unchanged?: true;
  /** The page is that of an earlier crawl: its server says that it has not changed, or (`fromCache`) it is so young that no request was made. */
  isCarriedOver?: true;
  /** HEAD was refused: ask again for the first byte. Or what looked binary is a page: ask for all of it. */
  askAgain: 'ranged' | 'whole' | null;
  /** Where it redirects: a place in `offers`, or the id of a known URL. */
  redirect: { offer: number } | { id: number } | null;
  redirectUrl: string | null;
  /** Those that a redirect set. */
  cookies?: SetCookie[];
  /** Set only if someone listens to edges. */
  targets: EdgeTargets | null;
  robots: RobotsAnswer | null;
  /** URLs counted as skipped because their scheme is not http(s). */
  skippedLinks: number;
  textHash: number | null;
  /** How much there is to read, and whether a browser has to see it; `isKept`: the page stays in the store, whatever the browser makes of it. */
  measured?: { text: number; needsBrowser: boolean; isKept?: true };
  /** Whether another lease's request answered it: a route of the same page. */
  isShared?: true;
  /** Links that a hook of the user's did not want to be followed, by its words. */
  hookSkips?: Record<string, number>;
  /** The page itself, for a function of the user's in this thread. */
  body?: { bytes: Uint8Array; type: string | null };
  /** The version of the scope its links were judged by. */
  scopeVersion: number;
}

/** What a browser made of a page. */
export interface RenderedOutcome {
  page: Omit<LinkSource, 'kind'> & { url: string };
  text: number | null;
  /** Null if it stays as it came. */
  outcome: Outcome | null;
  /** Then: as functions of the user's have seen it, where there are any. */
  asItCame?: Outcome | null;
  /** What becomes of its body: see `RenderedPage`. */
  keepsBody: boolean;
  isUntried?: true;
}

/** What listeners get for a page that is settled for good: the URL, the verdict in words, and all that came back. */
export interface SettledPage {
  url: string;
  depth: number;
  attempts: number;
  state: 'done' | 'failed' | 'skipped';
  reason: string | null;
  external: boolean;
  /** The data that a user gave with its URL, for its record: text of JSON. */
  data?: string;
  outcome: Outcome;
}

/** An outcome of which no request was made, as far as anyone knows. */
export function unsent(lease: Pick<Lease, 'id'>, endedAt: number, why: 'returned' | 'lost'): Outcome {
  return { ...failure(lease, endedAt, null, null), unsent: why };
}

/** An outcome in which nothing came back. */
export function failure(
  lease: Pick<Lease, 'id'>,
  endedAt: number,
  errorClass: Outcome['errorClass'],
  message: string | null,
): Outcome {
  return {
    id: lease.id,
    status: null,
    errorClass,
    message,
    unsent: null,
    headersAt: null,
    endedAt,
    ttfbMs: null,
    retryAfterMs: null,
    address: null,
    heldBytes: 0,
    parseMs: 0,
    page: null,
    askAgain: null,
    redirect: null,
    redirectUrl: null,
    targets: null,
    offers: [],
    found: [],
    skippedLinks: 0,
    textHash: null,
    robots: null,
    scopeVersion: 0,
  };
}

/** The fields of an outcome that reading a page fills in. */
export type ReadFields =
  | 'errorClass'
  | 'message'
  | 'redirect'
  | 'redirectUrl'
  | 'targets'
  | 'offers'
  | 'found'
  | 'skippedLinks'
  | 'textHash';

/** The most characters of outcomes in one message or commit. A single outcome may be larger, but every page has bounds. */
const LIGHT = 16 << 20;
const OFFER_WEIGHT = 256;

/** Takes outcomes from the beginning of the list: one at least, and no more than a message can carry. */
export function takeLight(outcomes: Outcome[]): Outcome[] {
  let weight = 0;
  let count = 0;
  while (count < outcomes.length && (count === 0 || weight < LIGHT)) {
    weight += weightOf(outcomes[count++]!);
  }
  return outcomes.splice(0, count);
}

function weightOf({ page, archived, targets, offers, body }: Outcome): number {
  let weight =
    (page === null ? 0 : weightOfParcel(page)) +
    (archived === undefined ? 0 : weightOfParcel(archived)) +
    offers.length * OFFER_WEIGHT +
    (body?.bytes.length ?? 0);
  for (const list of [targets?.urls, targets?.rels, targets?.texts]) {
    for (const text of list ?? []) {
      weight += text.length;
    }
  }
  for (const { url } of offers) {
    weight += url.length;
  }
  return weight;
}
