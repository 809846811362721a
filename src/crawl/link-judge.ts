import type { KeyTableView } from '../frontier/embedded/key-table.js';
import type { Offer } from '../frontier/frontier.js';
import { keyOf } from '../frontier/seed-book.js';
import { type Follow, PENDING } from '../store/packed-edges.js';
import { type Fate, fateOf, isNews, joinStandings, Standing, standingOf, standingOfEdge } from '../store/standing.js';
import { type QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { isHttp } from '../url/host.js';
import type { CrawlScope } from './crawl-scope.js';

/** What a lane remembers of a URL that links lead to. */
export interface Target {
  /** As it is kept: of one that is too long only a part. */
  url: string;
  /** Of all of it. */
  length: number;
  key: [number, number, number, number];
  /** 0 until the key table has it. */
  id: number;
  depth: number;
  standing: Standing;
  web: boolean;
  /** The seed that lets it in; -1: it is out of scope. */
  seed: number;
  depthLimit: number;
  trap: string | null;
  /** It is too long to be kept whole: it can be the end of an edge, and is never asked for. */
  isCut: boolean;
  /** Why the user wants it left alone, or null. */
  leftOut: 'ignored' | 'offline' | null;
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
  /** What is new is remembered. */
  learns = true;

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
    if (target.id === 0) {
      this.#lookUp(target);
    }
    if (target.id === 0) {
      return PENDING + this.#offer(target, follow, depth, hops, links);
    }
    const eligible =
      follow !== 0 && target.web && target.leftOut === null && (target.seed >= 0 || this.#scope.checksOutside);
    const standing = standingOfEdge(follow);
    if (eligible && isNews(target, standing, depth)) {
      this.#lookUp(target);
      if (isNews(target, standing, depth)) {
        links.found.push(target.id, depth, standing);
      }
    }
    return target.id;
  }

  /** Whether a sitemap passes over it: out of scope, or so deep that a check would only look at it. */
  isPassedOver({ seed, depthLimit }: Target, depth: number): boolean {
    return seed < 0 || (this.#scope.checksBeyond && depth > depthLimit);
  }

  #lookUp(target: Target): void {
    const entry = this.#keys.find(target.key);
    if (entry !== null) {
      target.id = entry.id;
      target.depth = entry.depth;
      target.standing = entry.standing;
    }
  }

  #offer(target: Target, follow: Follow, depth: number, hops: number, links: JudgedLinks): number {
    const standing = standingOfEdge(follow);
    const place = links.places.get(target);
    if (place !== undefined) {
      const known = standingOf(links.offers[place]!);
      const joined = joinStandings(known, standing);
      if (joined !== known) {
        links.offers[place] = this.#make(target, joined, depth, hops, links);
      }
      return place;
    }
    links.offers.push(this.#make(target, standing, depth, hops, links));
    links.places.set(target, links.offers.length - 1);
    return links.offers.length - 1;
  }

  #make(target: Target, standing: Standing, depth: number, hops: number, links: JudgedLinks): Offer {
    const { state, reason, flags } = this.#fate(target, standing, depth, links);
    return {
      url: target.url,
      key: target.key,
      kind: UrlKind.page,
      depth,
      class: links.classOf(target.url),
      seed: Math.max(0, target.seed),
      hops,
      flags,
      state,
      reason,
      pattern: reason === 'trap' || (flags & UrlFlag.trap) !== 0 ? target.trap : null,
    };
  }

  #fate(target: Target, standing: Standing, depth: number, { areNamed }: JudgedLinks): Fate {
    if (!target.web || target.leftOut !== null) {
      const flags = target.seed >= 0 ? 0 : UrlFlag.external;
      return { state: UrlState.unlisted, reason: target.web ? target.leftOut : 'scheme', flags };
    }
    const fate = fateOf({ standing, depth }, target, false, this.#scope);
    return fate.reason === 'asset' && areNamed ? { ...fate, reason: 'sitemap' } : fate;
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
    if (!this.learns) {
      return target;
    }
    if (this.#young.size >= REMEMBERED) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(url, target);
    return target;
  }

  #workOut(url: string): Target {
    const web = isHttp(url) || this.#scope.ownKeys;
    const kept = this.#scope.keptForm(url);
    return {
      url: kept,
      length: url.length,
      key: keyOf(kept),
      id: 0,
      depth: 0,
      standing: Standing.end,
      web,
      ...(web ? this.#scope.place(url) : { seed: -1, depthLimit: 0, trap: null, isCut: kept !== url }),
      leftOut: web ? this.#scope.leftOut(url) : null,
    };
  }
}
