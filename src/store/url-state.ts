/** The life of a URL. Numbers are stored: only append. */
export const UrlState = {
  queued: 0,
  leased: 1,
  done: 2,
  failed: 3,
  skipped: 4,
  deferred: 5,
  /** Known only as the end of an edge (out of scope, an asset, another scheme); in no list of pages. */
  unlisted: 6,
} as const;
export type UrlState = (typeof UrlState)[keyof typeof UrlState];

export const STATE_NAMES = ['queued', 'leased', 'done', 'failed', 'skipped', 'deferred', 'unlisted'] as const;

/** Where a URL may go from a state: at any time, and in addition where no run is under way and the next one is prepared. */
export interface LegalMoves {
  readonly anytime: readonly UrlState[];
  readonly betweenRuns: readonly UrlState[];
}

/** What a run that is to come leaves to others: sitemaps name the pages of a site, or pages what they load while they are rendered. */
const LEFT_TO_OTHERS: readonly UrlState[] = [UrlState.unlisted];

/** From → to. url-moves.ts makes every move, and refuses one that is not in this table: that is a defect and stops the crawl. */
export const LEGAL_MOVES: Readonly<Record<UrlState, LegalMoves>> = {
  // Cut by a trap or limit, its host put off, or its robots.txt out of reach: without ever being leased.
  [UrlState.queued]: {
    anytime: [UrlState.leased, UrlState.skipped, UrlState.deferred, UrlState.failed],
    betweenRuns: LEFT_TO_OTHERS,
  },
  // Back to queued: a retry, or a lease that was given back or lost before anything came of it.
  [UrlState.leased]: {
    anytime: [UrlState.done, UrlState.failed, UrlState.skipped, UrlState.queued, UrlState.deferred],
    betweenRuns: LEFT_TO_OTHERS,
  },
  // Leased: only robots.txt, when its 24 hours are over. Queued: it was only looked at and is to be read now, or it is asked for once more.
  // Failed: a hook of the user's throws when it sees what a browser has made of the page.
  [UrlState.done]: { anytime: [UrlState.leased, UrlState.queued, UrlState.failed], betweenRuns: LEFT_TO_OTHERS },
  [UrlState.failed]: { anytime: [UrlState.leased, UrlState.queued], betweenRuns: LEFT_TO_OTHERS },
  // Found again by a shorter path or by a link that may be followed, or the options no longer cut it.
  [UrlState.skipped]: { anytime: [UrlState.queued], betweenRuns: LEFT_TO_OTHERS },
  [UrlState.deferred]: { anytime: [UrlState.queued], betweenRuns: LEFT_TO_OTHERS },
  [UrlState.unlisted]: { anytime: [UrlState.queued, UrlState.skipped], betweenRuns: [] },
};

/**
 * A probe is a URL that no page names: what a site answers for what it does not have. An asset is what a page loads while it is rendered;
 * the same URL may also be a page, and is another one then.
 */
export const UrlKind = { page: 0, robots: 1, sitemap: 2, probe: 3, asset: 4 } as const;
export type UrlKind = (typeof UrlKind)[keyof typeof UrlKind];

/** So many sitemap files of a host are read, and indexes followed so deep: one file may name 50,000 others. */
export const MAX_SITEMAP_FILES = 1_000;
export const MAX_SITEMAP_DEPTH = 3;

/** How often robots.txt is asked for where two looks are all that silence gets; `origins.robots_tries` counts them. */
export const ROBOTS_LOOKS = 2;

/**
 * Which of a host's waiting URLs goes first. robots.txt goes before all of them. From `rest` on there is one class for each rank of
 * --order priority; in the other orders all of them have the first.
 */
export const QueueClass = { urgent: 0, seed: 1, rest: 2 } as const;
export type QueueClass = number;
export const RANKS = 8;
export const QUEUE_CLASSES: number = QueueClass.rest + RANKS;

export const UrlFlag = {
  /** Out of scope, checked once with HEAD, its links not followed. */
  external: 1,
  /** HEAD was refused: next time a ranged GET. */
  rangedGet: 2,
  /** A seed, or what a seed redirects to: widens the scope when it redirects. */
  seed: 4,
  /** Its name looked binary but it is a page: next time a GET. */
  wholeGet: 8,
  /** Only a third party has named it: it is no page until it answers, or a page leads to it. Of a sitemap: it is only guessed that there is one. */
  candidate: 16,
  /** First heard of from a log of certificates, or from Common Crawl. */
  fromCertificates: 32,
  fromCommonCrawl: 64,
  /** A page led to it after it had been settled as a candidate: nobody was told of it then. */
  listedLate: 128,
  /** Looked broken at first: asked once more, by a GET. */
  secondLook: 256,
  /** Only loaded by pages, as far as is known: asked for with HEAD first. */
  asset: 512,
  /** Links name places on it: its ids are wanted, wherever it is. */
  anchors: 1024,
  /** In scope, but deeper than --depth: checked like what is out of it. */
  beyond: 2048,
  /** Known from an earlier run: asked whether it has changed. */
  renew: 4096,
  /** In scope, but part of a trap: checked like what is out of it, its links not read. */
  trap: 8192,
  /** Part of a circle of redirects: asked for with the cookies that the circle set. */
  gate: 16384,
  /** Added by the user while the crawl was under way, or what such a URL redirects to: asked for whatever scope, depth and traps say. */
  added: 32768,
} as const;

/** Whether a page that is kept has been through a browser. Numbers are stored: only append. */
export const Rendering = {
  /** It needs none, or nobody asked for it. */
  none: 0,
  wanted: 1,
  /** The body is what the browser made of it. */
  rendered: 2,
  /** The browser made nothing better of it: the body is as it came. */
  futile: 3,
  /** It looked as if it needed one, and none was tried: nothing spoke for it. */
  untried: 4,
} as const;

/** Marks of what is in scope and only checked. */
export const ONLY_CHECKED = UrlFlag.external | UrlFlag.beyond | UrlFlag.trap;

/** Out of scope, not only too deep or part of a trap. */
export const isOutside = (flags: number): boolean => (flags & ONLY_CHECKED) === UrlFlag.external;

/** A candidate that has not answered, or not yet: it is in no list and no count of pages. A broken page is an answer too. */
export const isUnanswered = (flags: number, state: UrlState, reason: string | null): boolean =>
  (flags & UrlFlag.candidate) !== 0 && state !== UrlState.done && reason !== 'malformed_html';

/** The same in SQL. */
export const UNANSWERED = `((urls.flags & ${UrlFlag.candidate}) <> 0 AND urls.state <> ${UrlState.done} AND coalesce(urls.reason, '') <> 'malformed_html')`;

/** Of `origins.robots_state`: robots.txt did not answer, and what waits there is asked for all the same. */
export const UNANSWERED_ROBOTS = 'unanswered';
