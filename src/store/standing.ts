import { hasBinaryExtension } from '../url/host.js';
import type { Seat } from '../url/slots.js';
import { edgeDeclined, edgeFollowed, edgeLeads, edgeLoads } from './page-row.js';
import { UrlFlag, UrlState } from './url-state.js';

/**
 * How a URL is led to. It only ever grows, whichever way is found first:
 *
 *   end ── heldBack ── declined ──┬── named ───┬── followed
 *                                 └── loaded ──┘
 */
export const Standing = {
  /** It stands at the end of a link that leads nowhere (a form, an asset that is not asked for), or nothing leads to it. */
  end: 0,
  /** Only links that are marked nofollow lead to it. */
  heldBack: 1,
  /** A link leads to it that may be followed, but a hook of the user's wants none of these followed. */
  declined: 2,
  /** Only third parties name it: a candidate. */
  named: 3,
  /** Pages only load it, and in a check that is asked for. */
  loaded: 4,
  /** A page, sitemap or redirect leads to it, or it is a seed. */
  followed: 5,
} as const;
export type Standing = (typeof Standing)[keyof typeof Standing];

/** How a URL is led to, and by how many links at least. */
export interface Way {
  standing: Standing;
  depth: number;
}

/** What is learnt of a URL that is known. */
export interface FoundAgain extends Way {
  id: number;
  parent: number | null;
  /** It is this seed, in one of its spellings. */
  seed?: number;
  /** Not by a page but by a third party: the flags of such a candidate. */
  candidate?: number;
  /** The user has added it by hand. */
  added?: true;
  /** What he gave with it: text of JSON. */
  data?: string;
}

/** Reasons of URLs that another machine of the same crawl lists and asks for: here they are ends of edges, and the reason says how links lead there. */
const FOREIGN = { followed: 'foreign', heldBack: 'foreign_nofollow', declined: 'foreign_link_hook' } as const;

export const isListedElsewhere = (reason: string | null): boolean => reason?.startsWith(FOREIGN.followed) ?? false;

/** A candidate and what pages only load have their flags beside it. */
export const foreignReason = (standing: Standing): string =>
  standing === Standing.heldBack
    ? FOREIGN.heldBack
    : standing === Standing.declined
      ? FOREIGN.declined
      : FOREIGN.followed;

/** What is known of a URL where only its row, or an offer, is at hand. */
export function standingOf(url: { state: UrlState; reason: string | null; flags: number }): Standing {
  if (url.state === UrlState.unlisted && !isListedElsewhere(url.reason)) {
    return Standing.end;
  }
  if (url.reason === 'nofollow' || url.reason === FOREIGN.heldBack) {
    return Standing.heldBack;
  }
  if (url.reason === 'link_hook' || url.reason === FOREIGN.declined) {
    return Standing.declined;
  }
  if ((url.flags & UrlFlag.candidate) !== 0) {
    return Standing.named;
  }
  return (url.flags & UrlFlag.asset) !== 0 ? Standing.loaded : Standing.followed;
}

/** An offer of a URL that is known already. */
export function foundAgain(
  id: number,
  offer: {
    state: UrlState;
    reason: string | null;
    flags: number;
    depth: number;
    seed: number;
    data?: string;
  },
  parent: number | null,
): FoundAgain {
  const { depth, flags, seed, data } = offer;
  const found: FoundAgain = { id, depth, parent, standing: standingOf(offer) };
  if ((flags & UrlFlag.seed) !== 0) {
    found.seed = seed;
  }
  if ((flags & UrlFlag.candidate) !== 0) {
    found.candidate = flags;
  }
  if ((flags & UrlFlag.added) !== 0) {
    found.added = true;
  }
  if (data !== undefined) {
    found.data = data;
  }
  return found;
}

/** How a stored link leads to its target. */
export function standingOfEdge(word: number): Standing {
  if (edgeLoads(word)) {
    return Standing.loaded;
  }
  if (edgeFollowed(word)) {
    return Standing.followed;
  }
  if (edgeDeclined(word)) {
    return Standing.declined;
  }
  return edgeLeads(word) ? Standing.heldBack : Standing.end;
}

export const joinStandings = (a: Standing, b: Standing): Standing =>
  isAsked(a) && isAsked(b) && a !== b ? Standing.followed : (Math.max(a, b) as Standing);

/** Both ways together. The depth of links that must not be followed counts only where there are no others. */
export function joinWays(known: Way, found: Way): Way {
  const standing = joinStandings(known.standing, found.standing);
  const knownRank = rankOf(known.standing);
  const foundRank = rankOf(found.standing);
  if (foundRank !== knownRank) {
    return { standing, depth: foundRank > knownRank ? found.depth : known.depth };
  }
  return { standing, depth: foundRank === 0 ? known.depth : Math.min(known.depth, found.depth) };
}

/** Whether they would be more than what is known; asked for each link of each page. */
export function isNews(known: Way, standing: Standing, depth: number): boolean {
  if (standing === known.standing && depth >= known.depth) {
    return false;
  }
  return (
    joinStandings(known.standing, standing) !== known.standing ||
    (depth < known.depth && standing !== Standing.end && rankOf(standing) === rankOf(known.standing))
  );
}

const isAsked = (standing: Standing): boolean => standing >= Standing.named;
const rankOf = (standing: Standing): number => (isAsked(standing) ? 2 : Math.min(standing, Standing.heldBack));

/** What the scope says of a URL. */
export interface UrlPlace {
  /** The seed that lets it in; -1: it is out of scope. */
  seed: number;
  depthLimit: number;
  /** The pattern of the trap that it is by its looks alone, or null. */
  trap: string | null;
  /** It is too long to be kept whole: it can never be asked for. */
  isCut: boolean;
}

export interface Fate {
  state: typeof UrlState.queued | typeof UrlState.skipped | typeof UrlState.unlisted;
  reason: string | null;
  /** Of those in JUDGED_FLAGS. */
  flags: number;
}

/** Flags that follow from where a URL stands and what leads to it. */
export const JUDGED_FLAGS: number = UrlFlag.external | UrlFlag.beyond | UrlFlag.asset | UrlFlag.candidate;

/** What becomes of a URL, by all that leads to it: for lanes when they meet it first, and for the store whenever it learns more. */
export function fateOf(
  { standing, depth }: Way,
  place: UrlPlace,
  isWanted: boolean,
  scope: { readonly checksOutside: boolean; readonly checksBeyond: boolean },
): Fate {
  const led =
    (standing === Standing.loaded ? UrlFlag.asset : 0) | (standing === Standing.named ? UrlFlag.candidate : 0);
  const inScope = place.seed >= 0;
  const flags = led | (inScope || isWanted ? 0 : UrlFlag.external);
  if (isWanted && !place.isCut) {
    // A seed, what the user has added, and what they redirect to, is asked for whatever it looks like.
    return { state: UrlState.queued, reason: null, flags };
  }
  if (!inScope && !scope.checksOutside) {
    return { state: UrlState.unlisted, reason: 'scope', flags };
  }
  if (standing === Standing.end) {
    return { state: UrlState.unlisted, reason: 'asset', flags };
  }
  if (standing === Standing.heldBack) {
    return { state: UrlState.skipped, reason: 'nofollow', flags };
  }
  if (standing === Standing.declined) {
    return { state: UrlState.skipped, reason: 'link_hook', flags };
  }
  // What is out of scope is asked once and leads nowhere: it can be no trap.
  if (place.isCut || (place.trap !== null && inScope && !scope.checksBeyond)) {
    return { state: UrlState.skipped, reason: 'trap', flags };
  }
  if (place.trap !== null && inScope) {
    // A check asks for what looks like a trap, and does not read it.
    return { state: UrlState.queued, reason: null, flags: flags | UrlFlag.external | UrlFlag.trap };
  }
  if (depth <= place.depthLimit) {
    return { state: UrlState.queued, reason: null, flags };
  }
  // An external link has no depth of its own in a check: it is one click from a page that was read.
  return scope.checksBeyond
    ? { state: UrlState.queued, reason: null, flags: flags | (inScope ? UrlFlag.external | UrlFlag.beyond : 0) }
    : { state: UrlState.skipped, reason: 'depth', flags };
}

/** Whether a URL that was asked for under the old flags has to be asked for again: then it was only looked at, now it is to be read. */
export function asksForMore(was: number, now: number, url: string): boolean {
  const dropped = was & ~now;
  if ((dropped & UrlFlag.external) !== 0) {
    return true;
  }
  // What looked like a page was read whole, and of what is binary by its name nobody wants more.
  const wasWhole = (was & UrlFlag.wholeGet) !== 0 || hasBinaryExtension(url);
  return (dropped & UrlFlag.asset) !== 0 && (now & UrlFlag.external) === 0 && !wasWhole;
}

/** What the store has to know of the scope: it judges URLs again when it learns more of what leads to them, or when the scope grows. */
export interface StoreScope {
  place(url: string): UrlPlace;
  /** What is out of scope is asked for too, once. */
  readonly checksOutside: boolean;
  /** What is in scope and too deep is asked for too, once. */
  readonly checksBeyond: boolean;
  readonly seeksSitemaps: boolean;
  /** It is only seen what there is: what is found again has to wait like all that is found. */
  readonly surveys: boolean;
  /** The deepest level at which a URL is still fetched. */
  depthLimit(url: string): number;
  /** The pattern of the trap that the URL is by its looks alone, or null. */
  trap(url: string): string | null;
  /** Why URLs of this pattern are cut, in words. */
  trapCause(pattern: string): string;
  /** Whether --allow-trap names the pattern or the URL. */
  allowsTrap(pattern: string, url: string): boolean;
  /** True where that lets in anything new. */
  widen(seed: number, scopeUrls: string[]): boolean;
  scopeUrlsOf(seed: number): readonly string[];
  /** The seeds whose scopes count this very URL: it is one of their spellings, or they redirect to it. */
  seedsAt(url: string): readonly number[];
  /** Whether the scope of the seed, as far as it counts this URL, can let in pages of the origin. */
  opensOrigin(origin: string, seed: number, url: string): boolean;
  /** Where the crawl runs on several machines: which part of it this one has. Left out: all of it. */
  readonly seat?: Seat | undefined;
  /** The key of a URL, for the table in memory. */
  key(url: string): [number, number, number, number];
}
