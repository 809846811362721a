import { edgeDeclined, edgeFollowed, edgeKind, edgeLeads, edgesFromBlob, relOfEdge } from './page-row.js';
import type { Database, Row } from './sqlite.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/** Some of very many, and how many there are. */
export interface Some<T> {
  total: number;
  first: T[];
}

/** The URL that is asked about. */
export interface PassTarget {
  id: number;
  kind: UrlKind;
  depth: number;
  state: UrlState;
}

/** One link to it. */
export interface LinkTo {
  from: number;
  /** Number of its kind. */
  kind: number;
  rel: string;
  text: string | null;
  /** Leads to a page and may be followed; leads to one and a hook has skipped it, or it is marked nofollow; is no link to a page. */
  follow: 'followed' | 'declined' | 'nofollow' | 'asset';
  /** The reason of that hook; null if it gave none, or if no hook declined it. */
  words: string | null;
}

/** A URL on the way from a seed: how it was come by from the one before. */
export interface Hop {
  id: number;
  by: 'seed' | 'sitemap' | 'redirect' | 'link' | 'ct' | 'commoncrawl' | 'unknown';
  /** Number of the kind of link; null if it is not a link. */
  kind: number | null;
}

export interface PassResult {
  links: Some<LinkTo>;
  /** Pages that these links stand on. */
  pages: number;
  /** Links that are marked nofollow. */
  heldBack: number;
  /** From a seed, or from a sitemap, to the URL: the fewest links that lead there. */
  path: Hop[];
  /** Links from a seed; that of one that is only the end of a link is in no table. */
  depth: number | null;
}

/** In the place of a parent: it needs none, it stands in a sitemap, a redirect leads to it, or a third party has named it. */
const ROOT = -1;
const IN_SITEMAP = -2;
const REDIRECTED = -3;
const NAMED = -4;
const REDIRECT_KIND = 18;
const BY_THIRD_PARTIES = UrlFlag.fromCertificates | UrlFlag.fromCommonCrawl;
const RANK = { followed: 0, declined: 1, nofollow: 1, asset: 2 } as const;

/**
 * One pass over all edges: who links to a URL, and over which pages it is nearest. Nearest parents are kept for the pages that are no
 * deeper than the URL, in eight bytes for each URL that is known; the depths themselves are in the store and exact.
 */
export class LinkPass {
  readonly #database: Database;
  readonly #target: PassTarget;
  readonly #most: number;
  readonly #depths: Int32Array;
  readonly #parents: Int32Array;
  readonly #redirectedFrom = new Map<number, number>();
  readonly #links: LinkTo[] = [];
  #total = 0;
  #pages = 0;
  #heldBack = 0;
  #best: { from: number; rank: number; depth: number } | null = null;

  constructor(database: Database, target: PassTarget, most: number) {
    this.#database = database;
    this.#target = target;
    this.#most = most;
    const ids = (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
    this.#depths = new Int32Array(ids).fill(-1);
    this.#parents = new Int32Array(ids);
  }

  take(): PassResult {
    if (this.#target.kind === UrlKind.page) {
      this.#readDepths();
    }
    for (const row of this.#database.prepare('SELECT page, packed FROM edges ORDER BY page').iterate()) {
      this.#readPage(row.page, edgesFromBlob(row.packed));
    }
    this.#placeTarget();
    this.#followRedirects();
    return {
      links: { total: this.#total, first: this.#links },
      pages: this.#pages,
      heldBack: this.#heldBack,
      path: this.#path(),
      depth: this.#isListed ? this.#target.depth : (this.#best?.depth ?? null),
    };
  }

  get #isListed(): boolean {
    return this.#target.state !== UrlState.unlisted;
  }

  /** Of pages that can have links. One that stands beside the target, or below it, is on no shortest path to it. */
  #readDepths(): void {
    const most = this.#isListed ? this.#target.depth : Number.MAX_SAFE_INTEGER;
    const rows = this.#database
      .prepare(
        `SELECT id, depth, CASE WHEN parent IS NULL AND depth > 0 AND (flags & ${BY_THIRD_PARTIES}) <> 0 THEN ${NAMED} WHEN parent IS NULL THEN ${ROOT} WHEN depth = 1 AND (
             EXISTS (SELECT 1 FROM sitemap_finds WHERE sitemap_finds.url = urls.id) OR
             EXISTS (SELECT 1 FROM urls AS parents WHERE parents.id = urls.parent AND parents.kind = ${UrlKind.sitemap})
           ) THEN ${IN_SITEMAP} ELSE 0 END AS parent
         FROM urls WHERE kind = ${UrlKind.page} AND (state IN (${UrlState.done}, ${UrlState.failed}) AND depth <= ? OR id = ?)`,
      )
      .iterate(most, this.#target.id);
    for (const { id, depth, parent } of rows) {
      this.#depths[id] = depth;
      this.#parents[id] = parent;
    }
  }

  #readPage(page: number, edges: Uint32Array): void {
    const { id: target } = this.#target;
    const depths = this.#depths;
    const parents = this.#parents;
    const next = depths[page]! + 1;
    let leadsThere = false;
    for (let i = 0; i < edges.length; i += 2) {
      const to = edges[i]!;
      if (to === target) {
        leadsThere = true;
        this.#linkTo(page, edges[i + 1]!, i >> 1);
      } else if (next > 0 && depths[to] === next && isReplaceable(parents[to]!)) {
        if (edgeFollowed(edges[i + 1]!)) {
          parents[to] = page;
        }
      }
    }
    this.#pages += leadsThere ? 1 : 0;
  }

  #linkTo(from: number, word: number, place: number): void {
    const kind = edgeKind(word);
    const follow = followOf(word);
    this.#total++;
    this.#heldBack += follow === 'nofollow' ? 1 : 0;
    if (this.#links.length < this.#most) {
      this.#links.push({ from, kind, follow, ...this.#words(from, word, place) });
    }
    const depth = this.#depths[from]! + (kind === REDIRECT_KIND ? 0 : 1);
    const rank = RANK[follow];
    // Redirects between pages are gone through in the end; those out of the crawl lead nowhere else.
    const counts = this.#depths[from]! >= 0 && (kind !== REDIRECT_KIND || !this.#isListed);
    const best = this.#best;
    if (counts && (best === null || rank < best.rank || (rank === best.rank && depth < best.depth))) {
      this.#best = { from, rank, depth };
    }
  }

  #words(page: number, word: number, place: number): Pick<LinkTo, 'rel' | 'words' | 'text'> {
    const { rels, texts } = this.#database.prepare('SELECT rels, texts FROM edges WHERE page = ?').get(page)!;
    return {
      ...relOfEdge(word, rels === null ? null : JSON.parse(rels)),
      text: texts === null ? null : JSON.parse(texts)[place],
    };
  }

  #placeTarget(): void {
    const { id, depth } = this.#target;
    const best = this.#best;
    if (best !== null && this.#parents[id] !== ROOT && (best.depth <= depth || !this.#isListed)) {
      this.#parents[id] = best.from;
    }
  }

  /** From each redirect that stands on a way from a seed, along its chain: a circle of redirects leads nowhere by itself. */
  #followRedirects(): void {
    const next = new Map<number, number>();
    for (const { id, to } of this.#database
      .prepare('SELECT id, redirect_to AS "to" FROM pages WHERE redirect_to IS NOT NULL')
      .iterate()) {
      if (this.#depths[id]! >= 0 && this.#depths[id] === this.#depths[to]) {
        next.set(id, to);
      }
    }
    for (const first of next.keys()) {
      if (this.#parents[first] === REDIRECTED) {
        continue;
      }
      for (let from = first, to = next.get(from); to !== undefined; from = to, to = next.get(from)) {
        if (this.#parents[from] === 0 || this.#parents[to] !== 0) {
          break;
        }
        this.#parents[to] = REDIRECTED;
        this.#redirectedFrom.set(to, from);
      }
    }
  }

  /** Each step back is at least as near as the one before it; those that are known guard against a damaged store all the same. */
  #path(): Hop[] {
    const path: Hop[] = [];
    const passed = new Set<number>();
    for (let at: number | null = this.#target.id; at !== null && !passed.has(at); ) {
      passed.add(at);
      at = this.#stepBack(at, path);
    }
    return path.reverse();
  }

  #stepBack(at: number, path: Hop[]): number | null {
    const parent = this.#parents[at]!;
    if (parent > 0) {
      const kind = this.#kindOfLink(parent, at);
      path.push({
        id: at,
        by: kind === REDIRECT_KIND ? 'redirect' : 'link',
        kind: kind === REDIRECT_KIND ? null : kind,
      });
      return parent;
    }
    if (parent === REDIRECTED) {
      path.push({ id: at, by: 'redirect', kind: null });
      return this.#redirectedFrom.get(at)!;
    }
    const row = this.#database.prepare('SELECT parent, kind, depth, flags FROM urls WHERE id = ?').get(at);
    if (parent === IN_SITEMAP) {
      path.push({ id: at, by: 'sitemap', kind: null });
      const found = this.#database.prepare('SELECT sitemap FROM sitemap_finds WHERE url = ?').get(at);
      return found?.sitemap ?? row.parent;
    }
    if (row.kind === UrlKind.sitemap) {
      path.push({ id: at, by: 'sitemap', kind: null });
      return row.parent;
    }
    path.push({ id: at, by: beginning(row), kind: null });
    return row.parent;
  }

  /** The first link of the page to the URL that may be followed, or the first of all. */
  #kindOfLink(page: number, to: number): number {
    const edges = edgesFromBlob(this.#database.prepare('SELECT packed FROM edges WHERE page = ?').get(page)!.packed);
    let first: number | null = null;
    for (let i = 0; i < edges.length; i += 2) {
      if (edges[i] === to && edgeFollowed(edges[i + 1]!)) {
        return edgeKind(edges[i + 1]!);
      }
      if (edges[i] === to) {
        first ??= edgeKind(edges[i + 1]!);
      }
    }
    return first ?? 0;
  }
}

function followOf(word: number): LinkTo['follow'] {
  if (edgeFollowed(word)) {
    return 'followed';
  }
  return edgeDeclined(word) ? 'declined' : edgeLeads(word) ? 'nofollow' : 'asset';
}

/** A link to a page says more of its way than that a sitemap or a third party names it. */
const isReplaceable = (parent: number): boolean => parent === 0 || parent === IN_SITEMAP || parent === NAMED;

/** What first named a URL that no other leads to. */
function beginning({ parent, depth, kind, flags }: Row): Hop['by'] {
  if ((flags & UrlFlag.fromCertificates) !== 0) {
    return 'ct';
  }
  if ((flags & UrlFlag.fromCommonCrawl) !== 0) {
    return 'commoncrawl';
  }
  return parent === null && depth === 0 && kind === UrlKind.page ? 'seed' : 'unknown';
}
