import type { KeyTableView } from '../frontier/embedded/key-table.js';
import type { Offer } from '../frontier/frontier.js';
import { keyOf } from '../frontier/seed-book.js';
import { FOLLOWED, type HELD_BACK, PENDING } from '../store/packed-edges.js';
import type { LinkStanding } from '../store/rediscovery.js';
import { type QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { isHttp } from '../url/host.js';
import type { CrawlScope } from './crawl-scope.js';

/** Whether a link leads to a page and may be followed, leads to one but is marked nofollow, or is an asset. */
export type Follow = typeof FOLLOWED | typeof HELD_BACK | 0;

/** What a lane remembers of a URL that links lead to. */
export interface Target {
  url: string;
  key: [number, number, number, number];
  /** 0 until the key table has it. */
  id: number;
  depth: number;
  offered: boolean;
  web: boolean;
  inScope: boolean;
  seed: number;
  trap: string | null;
  /** The user wants to hear nothing of it. */
  ignored: boolean;
}

const REMEMBERED = 50_000;
/** A `data:` image may be as long as a page, and each page may have another. */
const LONGEST_REMEMBERED = 4_096;

/** The links of one page, judged: which URLs are new, which are nearer than they were, and the id each edge ends at. */
export class JudgedLinks {
  readonly offers: Offer[] = [];
  readonly found: number[] = [];
  readonly places = new Map<Target, number>();
  /** Where a new URL waits at its host. */
  readonly classOf: (url: string) => QueueClass;
  skipped = 0;
  /** Of the links that are judged now: they load something, and lead nowhere. */
  areAssets = false;
  /** What is to be followed here is named by sitemaps: links only say where they lead. */
  areNamed = false;

  constructor(classOf: (url: string) => QueueClass) {
    this.classOf = classOf;
  }
}

/**
 * Decides for each link of a page what it leads to. The scope, the traps and
 * the key of a URL are worked out once, when a lane first meets it.
 */
export class LinkJudge {
  readonly #keys: KeyTableView;
  readonly #scope: CrawlScope;
  #young = new Map<string, Target>();
  #old = new Map<string, Target>();

  constructor(keys: KeyTableView, scope: CrawlScope) {
    this.#keys = keys;
    this.#scope = scope;
  }

  /** What was worked out under another scope no longer holds. */
  forget(): void {
    this.#young = new Map();
    this.#old = new Map();
  }

  /** Word 0 of the edge that leads to the target: its id, or its place among the page's new URLs. */
  judge(target: Target, follow: Follow, depth: number, hops: number, links: JudgedLinks): number {
    if (!target.web) {
      links.skipped++;
    }
    if (target.id === 0) {
      this.#lookUp(target);
    }
    if (target.id === 0) {
      return PENDING + this.#offer(target, follow, depth, hops, links);
    }
    const eligible = follow !== 0 && target.web && !target.ignored && (target.inScope || this.#scope.checksOutside);
    if (eligible && this.#isNews(target, follow === FOLLOWED, depth)) {
      this.#lookUp(target);
      if (this.#isNews(target, follow === FOLLOWED, depth)) {
        links.found.push(target.id, depth, follow === FOLLOWED ? 1 : 0);
      }
    }
    return target.id;
  }

  #isNews(target: Target, followed: boolean, depth: number): boolean {
    if (followed && !target.offered) {
      return true;
    }
    return depth < target.depth && (followed || !target.offered);
  }

  #lookUp(target: Target): void {
    const entry = this.#keys.find(target.key);
    if (entry !== null) {
      target.id = entry.id;
      target.depth = entry.depth;
      target.offered = entry.offered;
    }
  }

  #offer(target: Target, follow: Follow, depth: number, hops: number, links: JudgedLinks): number {
    const place = links.places.get(target);
    if (place !== undefined) {
      const offer = links.offers[place]!;
      const better = follow === FOLLOWED && (offer.reason === 'nofollow' || offer.reason === 'asset');
      if (better || (follow !== 0 && offer.reason === 'asset')) {
        links.offers[place] = this.#make(target, follow, depth, hops, links);
      }
      return place;
    }
    links.offers.push(this.#make(target, follow, depth, hops, links));
    links.places.set(target, links.offers.length - 1);
    return links.offers.length - 1;
  }

  #make(target: Target, follow: Follow, depth: number, hops: number, links: JudgedLinks): Offer {
    const standing = this.#standing(target, follow, depth, links);
    return {
      url: target.url,
      key: target.key,
      kind: UrlKind.page,
      depth,
      class: links.classOf(target.url),
      seed: target.seed,
      hops,
      ...standing,
      flags: (target.inScope ? 0 : UrlFlag.external) | (links.areAssets ? UrlFlag.asset : 0) | standing.flags,
    };
  }

  #standing(target: Target, follow: Follow, depth: number, { areNamed }: JudgedLinks): LinkStanding {
    const cut = (state: UrlState, reason: string): LinkStanding => ({ state, reason, flags: 0, pattern: null });
    const unlisted = (reason: string) => cut(UrlState.unlisted, reason);
    if (!target.web) {
      return unlisted('scheme');
    }
    if (target.ignored) {
      return unlisted('ignored');
    }
    if (!target.inScope && !this.#scope.checksOutside) {
      return unlisted('scope');
    }
    if (follow === 0) {
      return unlisted(areNamed ? 'sitemap' : 'asset');
    }
    if (follow !== FOLLOWED) {
      return cut(UrlState.skipped, 'nofollow');
    }
    return this.#scope.standingOf(target.inScope ? target.seed : -1, depth, target.trap);
  }

  /** The same for each mention of the URL, as long as it is remembered. */
  recall(url: string): Target {
    let target = this.#young.get(url);
    if (target !== undefined) {
      return target;
    }
    if (url.length > LONGEST_REMEMBERED) {
      return this.#workOut(url);
    }
    target = this.#old.get(url) ?? this.#workOut(url);
    if (this.#young.size >= REMEMBERED) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(url, target);
    return target;
  }

  #workOut(url: string): Target {
    const web = isHttp(url) || this.#scope.ownKeys;
    const seed = web ? this.#scope.seedOf(url) : -1;
    return {
      url,
      key: keyOf(url),
      id: 0,
      depth: 0,
      offered: false,
      web,
      inScope: seed >= 0,
      seed: Math.max(0, seed),
      trap: web ? this.#scope.trap(url) : null,
      ignored: web && this.#scope.ignores(url),
    };
  }
}
