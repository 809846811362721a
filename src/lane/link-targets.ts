import type { KeyTableView } from '../frontier/key-table.js';
import { keyOf, type Offer } from '../frontier/outcome.js';
import { type Kernel, NO_ROOM, PAGE_ITSELF, UNKNOWN_URL } from '../kernel/kernel.js';
import { inEncodingOfPage } from '../parse/encodings.js';
import { LINK_KIND_NUMBER, type ScannedLinks } from '../parse/links.js';
import { scanKernel } from '../parse/scan.js';
import { type Follow, PENDING } from '../store/page-row.js';
import { type Fate, fateOf, isNews, joinStandings, Standing, standingOf, standingOfEdge } from '../store/standing.js';
import { type QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { Alias } from '../url/aliases.js';
import { folderOf, isHttp, originOf } from '../url/host.js';
import type { IdentityOptions } from '../url/identity.js';
import { asText, UrlResolver } from '../url/resolver.js';
import { routeIn } from '../url/routes.js';
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
  /** Sitemaps name all that is followed here, and links only say where they lead. */
  followsSitemapsOnly = false;

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
    const standing = standingOfEdge(follow);
    if (follow !== 0 && this.isEligible(target) && isNews(target, standing, depth)) {
      this.#lookUp(target);
      if (isNews(target, standing, depth)) {
        links.found.push(target.id, depth, standing);
      }
    }
    return target.id;
  }

  /** Whether a link that may be followed has it asked for, as far as the scope says. */
  isEligible({ web, leftOut, seed }: Target): boolean {
    return web && leftOut === null && (seed >= 0 || this.#scope.checksOutside);
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

  #fate(target: Target, standing: Standing, depth: number, links: JudgedLinks): Fate {
    if (!target.web || target.leftOut !== null) {
      const flags = target.seed >= 0 ? 0 : UrlFlag.external;
      return { state: UrlState.unlisted, reason: target.web ? target.leftOut : 'scheme', flags };
    }
    const fate = fateOf({ standing, depth }, target, false, this.#scope);
    return fate.reason === 'asset' && links.followsSitemapsOnly ? { ...fate, reason: 'sitemap' } : fate;
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

/** Identity of the library user's own making. */
export type OwnResolve = (href: string, base: string) => string | null;

/** A reference that is defined nowhere stands as its label behind this mark. No href can begin with it. */
export const NO_DEFINITION = '\0';
/** Bases that are remembered. */
const MOST_BASES = 100;

/** From what is written in a link to what a lane remembers of the URL that it means. */
export class LinkTargets {
  /** Reads pages, and knows their links by the bytes. */
  readonly kernel: Kernel = scanKernel();
  readonly #judge: LinkJudge;
  readonly #resolver: UrlResolver<Target>;
  readonly #bases: UrlResolver<string>;
  readonly #own: OwnResolve | null;
  readonly #hasAliases: boolean;
  /** By the kernel's number. */
  readonly #known: (Target | null)[] = [];
  #base = '';
  #encoding = 'utf-8';
  #isInKernel = false;
  #routesOf: string | null = null;
  /** The page itself, once a link has led there. */
  #here: Target | null = null;

  /** @param alias the URL that is asked for instead of one that is written */
  constructor(identity: IdentityOptions, judge: LinkJudge, own: OwnResolve | null, alias: Alias | null = null) {
    this.#judge = judge;
    this.#hasAliases = alias !== null;
    this.#resolver = new UrlResolver(identity, (url) => judge.recall(alias === null ? url : alias(url)));
    this.#bases = new UrlResolver(identity, asText, MOST_BASES);
    this.#own = own;
  }

  /** What was worked out under another scope no longer holds. */
  forget(): void {
    this.#resolver.forget();
    this.#forgetKnown();
  }

  /**
   * null if it is no URL.
   * @param encoding of the page in which it stands: a query is written in it
   */
  of(href: string, base: string, encoding = 'utf-8'): Target | null {
    if (href.startsWith(NO_DEFINITION)) {
      return null;
    }
    if (this.#own === null) {
      return this.#resolver.resolve(inEncodingOfPage(href, encoding), base);
    }
    const key = this.#own(href, base);
    return key === null ? null : this.#judge.recall(key);
  }

  /** The URL itself, whole even where it is too long to be kept: a base. */
  urlOf(href: string, base: string): string | null {
    return this.#own === null ? (this.#bases.resolve(href, base) ?? null) : this.#own(href, base);
  }

  /** The links of this page come next. Where they are very many, what is new among them is not remembered: the page would crowd out all others. */
  enter(links: ScannedLinks, base: string, encoding: string, learns: boolean, routesOf: string | null = null): void {
    this.#routesOf = routesOf;
    this.#encoding = encoding;
    this.#resolver.learns = learns;
    this.#judge.learns = learns;
    this.#base = base;
    this.#here = null;
    this.#isInKernel = this.#own === null && isHttp(base) && links.kernelPage === this.kernel.page;
    if (this.#isInKernel) {
      this.kernel.enterFolder(folderOf(base), originOf(base).length);
    }
  }

  /** Of a URL that the kernel knows, no text is made. */
  ofLink(links: ScannedLinks, link: number): Target | null {
    const route = this.#routesOf === null ? null : this.#routeOf(links, link, this.#routesOf);
    if (route !== null) {
      return route;
    }
    if (links.areKept) {
      return this.#judge.recall(links.href(link));
    }
    const start = links.starts[link]!;
    if (start < 0 || !this.#isInKernel) {
      return this.of(links.href(link), this.#base, this.#encoding);
    }
    const number = this.kernel.findUrl(start, links.ends[link]!);
    if (number > 0) {
      return this.#known[number]!;
    }
    if (number === PAGE_ITSELF) {
      // A base is in normal form, so it is the URL of the page as it stands.
      this.#here ??= this.#judge.recall(this.#base);
      return this.#here;
    }
    return this.#learn(links.href(link), number === UNKNOWN_URL && this.#judge.learns);
  }

  /** Where the link leads to a route of the page that it stands on. */
  #routeOf(links: ScannedLinks, link: number, pageUrl: string): Target | null {
    const kind = links.kinds[link]!;
    if (kind !== LINK_KIND_NUMBER.a && kind !== LINK_KIND_NUMBER.area) {
      return null;
    }
    const href = links.href(link);
    const route = routeIn(href);
    return route !== null && this.of(href, this.#base, this.#encoding)?.url === pageUrl
      ? this.#judge.recall(pageUrl + route)
      : null;
  }

  #learn(href: string, isPlain: boolean): Target | null {
    // The kernel would take the name that is asked for as one that is written.
    if (!isPlain || this.#hasAliases) {
      return this.of(href, this.#base, this.#encoding);
    }
    const target = this.#resolver.resolveOnce(href, this.#base);
    if (target !== null) {
      const number = this.kernel.rememberUrl(target.url);
      if (number > 0) {
        this.#known[number] = target;
      } else if (number === NO_ROOM) {
        this.#forgetKnown();
      }
    }
    return target;
  }

  #forgetKnown(): void {
    this.kernel.forgetUrls();
    this.#known.length = 0;
  }
}
