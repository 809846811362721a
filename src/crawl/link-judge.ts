import type { KeyTableView } from '../frontier/embedded/key-table.js';
import type { Offer } from '../frontier/frontier.js';
import { keyOf } from '../frontier/seed-book.js';
import { FOLLOWED, type HELD_BACK, PENDING } from '../store/packed-edges.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { isHttp } from '../url/host.js';
import type { TrapRules } from '../url/traps.js';
import type { CrawlScope } from './crawl-scope.js';

/** Whether a link leads to a page and may be followed, leads to one but is marked nofollow, or is an asset. */
export type Follow = typeof FOLLOWED | typeof HELD_BACK | 0;

/** What a lane remembers of a URL that links lead to. */
interface Known {
  key: [number, number, number, number];
  /** 0 until the key table has it. */
  id: number;
  depth: number;
  offered: boolean;
  web: boolean;
  inScope: boolean;
  seed: number;
  trap: string | null;
}

const REMEMBERED = 50_000;

/** The links of one page, judged: which URLs are new, which are nearer than they were, and the id each edge ends at. */
export class JudgedLinks {
  readonly offers: Offer[] = [];
  readonly found: number[] = [];
  readonly places = new Map<string, number>();
  skipped = 0;
}

/**
 * Decides for each link of a page what it leads to. Nearly all have been seen: those cost one look into a map. The scope, the traps and
 * the key of a URL are worked out once, when a lane first meets it.
 */
export class LinkJudge {
  readonly #keys: KeyTableView;
  readonly #scope: CrawlScope;
  readonly #traps: TrapRules;
  readonly #external: boolean;
  #young = new Map<string, Known>();
  #old = new Map<string, Known>();

  constructor(parts: { keys: KeyTableView; scope: CrawlScope; traps: TrapRules; external: boolean }) {
    this.#keys = parts.keys;
    this.#scope = parts.scope;
    this.#traps = parts.traps;
    this.#external = parts.external;
  }

  /** What was worked out under another scope no longer holds. */
  forget(): void {
    this.#young = new Map();
    this.#old = new Map();
  }

  /** Word 0 of the edge that leads to `url`: its id, or its place among the page's new URLs. */
  judge(url: string, follow: Follow, depth: number, hops: number, links: JudgedLinks): number {
    const known = this.#recall(url);
    if (!known.web) {
      links.skipped++;
    }
    if (known.id === 0) {
      this.#lookUp(known);
    }
    if (known.id === 0) {
      return PENDING + this.#offer(url, known, follow, depth, hops, links);
    }
    const eligible = follow !== 0 && known.web && (known.inScope || this.#external);
    if (eligible && this.#isNews(known, follow === FOLLOWED, depth)) {
      this.#lookUp(known);
      if (this.#isNews(known, follow === FOLLOWED, depth)) {
        links.found.push(known.id, depth, follow === FOLLOWED ? 1 : 0);
      }
    }
    return known.id;
  }

  #isNews(known: Known, followed: boolean, depth: number): boolean {
    if (followed && !known.offered) {
      return true;
    }
    return depth < known.depth && (followed || !known.offered);
  }

  #lookUp(known: Known): void {
    const entry = this.#keys.find(known.key);
    if (entry !== null) {
      known.id = entry.id;
      known.depth = entry.depth;
      known.offered = entry.offered;
    }
  }

  #offer(url: string, known: Known, follow: Follow, depth: number, hops: number, links: JudgedLinks): number {
    const place = links.places.get(url);
    if (place !== undefined) {
      const offer = links.offers[place]!;
      const better = follow === FOLLOWED && (offer.reason === 'nofollow' || offer.reason === 'asset');
      if (better || (follow !== 0 && offer.reason === 'asset')) {
        links.offers[place] = this.#make(url, known, follow, depth, hops);
      }
      return place;
    }
    links.offers.push(this.#make(url, known, follow, depth, hops));
    links.places.set(url, links.offers.length - 1);
    return links.offers.length - 1;
  }

  #make(url: string, known: Known, follow: Follow, depth: number, hops: number): Offer {
    const fate = this.#fate(known, follow, depth);
    return {
      url,
      key: known.key,
      kind: UrlKind.page,
      depth,
      class: hops > 0 ? QueueClass.urgent : QueueClass.rest,
      seed: known.seed,
      hops,
      flags: known.inScope ? 0 : UrlFlag.external,
      pattern: null,
      ...fate,
    };
  }

  #fate(known: Known, follow: Follow, depth: number): { state: UrlState; reason: string | null; pattern?: string } {
    if (!known.web) {
      return { state: UrlState.unlisted, reason: 'scheme' };
    }
    if (!known.inScope && !(this.#external && follow !== 0)) {
      return { state: UrlState.unlisted, reason: 'scope' };
    }
    if (follow === 0) {
      return { state: UrlState.unlisted, reason: 'asset' };
    }
    if (follow !== FOLLOWED) {
      return { state: UrlState.skipped, reason: 'nofollow' };
    }
    if (known.trap !== null) {
      return { state: UrlState.skipped, reason: 'trap', pattern: known.trap };
    }
    return depth > this.#scope.depthLimitOf(known.seed)
      ? { state: UrlState.skipped, reason: 'depth' }
      : { state: UrlState.queued, reason: null };
  }

  #recall(url: string): Known {
    let known = this.#young.get(url);
    if (known !== undefined) {
      return known;
    }
    known = this.#old.get(url) ?? this.#workOut(url);
    if (this.#young.size >= REMEMBERED) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(url, known);
    return known;
  }

  #workOut(url: string): Known {
    const web = isHttp(url) || this.#scope.ownKeys;
    const seed = web ? this.#scope.seedOf(url) : -1;
    return {
      key: keyOf(url),
      id: 0,
      depth: 0,
      offered: false,
      web,
      inScope: seed >= 0,
      seed: Math.max(0, seed),
      trap: web ? this.#traps.check(url) : null,
    };
  }
}
