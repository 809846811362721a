import type { LinkZone, LinkZones } from '../content/link-zones.js';
import type { EdgeTargets, LinkPiece, QueuePlaces } from '../frontier/outcome.js';
import { isFollowedKind, LINK_KINDS, type ScannedLinks } from '../parse/links.js';
import { DECLINED, edgeWord, FOLLOWED, type Follow, type PageEdges, PENDING, relWithWords } from '../store/page-row.js';
import type { HookedPage } from './hooked-page.js';
import { INVALID_SCHEME, type LinkFactsKeeper, shortHref } from './link-facts.js';
import { JudgedLinks, type LinkJudge, type LinkTargets, NO_DEFINITION, type Target } from './link-targets.js';

/** A piece is full, too, with so much text of URLs. */
const PIECE_TEXT = 1 << 20;

/** The first so many links of a page are remembered for those that follow. */
const MOST_LEARNED = 20_000;

/** What there is to judge. */
export interface PageLinksParts {
  links: ScannedLinks;
  base: string;
  /** Of the page. */
  encoding: string;
  /** Of the page. */
  depth: number;
  /** What is to be followed here is named by sitemaps. */
  isNamedBySitemaps: boolean;
  follow(kind: number, rel: string): Follow;
  zones: LinkZones | null;
  /** The page, where its routes are pages of their own; else null. */
  routesOf: string | null;
  /** Null in anything but a check. */
  facts: LinkFactsKeeper | null;
  /** Somebody listens to edges. */
  keepsTargets: boolean;
  /** A piece is full with so many URLs. */
  pieceUrls: number;
  allowance: UrlTextAllowance;
  /** Hooks of the user's that see the links; null if there are none. */
  hooked: HookedPage | null;
  /** The first of the links that a hook has added. */
  firstAdded: number;
}

/**
 * The links of one page, resolved and judged in document order. A page with very many is judged piece by piece: each piece is handed on
 * and gets its ids before the next one is begun, so that neither a message nor a commit grows with the page. Other pages may be read in
 * between.
 */
export class PageLinks {
  readonly targets: EdgeTargets | null;
  skipped = 0;
  /** Edges so far. */
  count = 0;
  /** Links that are left out: the text of their URLs would be too much. */
  cut = 0;
  readonly #parts: PageLinksParts;
  readonly #judge: LinkJudge;
  readonly #targets: LinkTargets;
  readonly #words: Uint32Array;
  readonly #rels: string[] = [];
  readonly #texts: string[] | null;
  readonly #relPlaces = new Map<string, number>();
  readonly #targetPlaces = new Map<Target, number>();
  readonly #classOf: JudgedLinks['classOf'];
  #judged!: JudgedLinks;
  #place: LinkZone | null = null;
  /** Where a hook wants the link that is judged now. */
  #rank: number | null = null;
  /** Why a hook does not want it followed; null if that was not said. */
  #skipWords: string | null = null;
  /** Nothing is kept or asked of a link but where it leads. */
  readonly #isPlain: boolean;
  /** Of the last plain link, which most that follow are like. */
  #plainKind = -1;
  #plainRel = '';
  #plainFollow: Follow = 0;
  #plainWord = 0;
  #next = 0;
  #pieceStart = 0;
  #pieceText = 0;

  constructor(parts: PageLinksParts, judge: LinkJudge, targets: LinkTargets, places: QueuePlaces) {
    const { links, depth } = parts;
    this.#parts = parts;
    this.#judge = judge;
    this.#targets = targets;
    this.#words = new Uint32Array(links.count * 2);
    this.#texts = links.texts === null ? null : [];
    this.targets = parts.keepsTargets ? { urls: [], places: [], kinds: [], rels: [], texts: this.#texts } : null;
    this.#classOf = (url) =>
      (this.#rank === null ? null : places.ofRank(this.#rank)) ?? places.ofLink(url, depth + 1, this.#place);
    const { facts, zones, hooked } = parts;
    this.#isPlain =
      facts === null &&
      zones === null &&
      hooked === null &&
      !parts.keepsTargets &&
      links.texts === null &&
      links.ignored === null;
    this.#beginPiece();
  }

  /** Judges until a piece is full; false when there is nothing left to judge. */
  fillPiece(): boolean {
    const { hooked } = this.#parts;
    if (hooked === null || !hooked.hasLinkHook) {
      return this.#fillPiece();
    }
    hooked.enterLinks();
    try {
      return this.#fillPiece();
    } finally {
      hooked.leaveLinks();
    }
  }

  #fillPiece(): boolean {
    const { links, base, encoding, allowance, facts, routesOf } = this.#parts;
    this.#targets.enter(links, base, encoding, this.count < MOST_LEARNED, routesOf);
    for (; this.#next < links.count; this.#next++) {
      if (this.#isFull) {
        return true;
      }
      const target = this.#targets.ofLink(links, this.#next) ?? (facts && this.#invalid(links.href(this.#next)));
      if (target === null) {
        continue;
      }
      if (!allowance.covers(target)) {
        this.cut = links.count - this.#next;
        this.#next = links.count;
        return false;
      }
      if (this.#isPlain) {
        this.#addPlain(links, this.#next, target);
      } else {
        this.#add(this.#next, target);
      }
    }
    return false;
  }

  /** The URLs that were found since the last piece. */
  get piece(): LinkPiece {
    const { offers, found } = this.#judged;
    return { offers, found };
  }

  /** The piece is admitted; these are the ids of what it offered. */
  admitted(ids: readonly number[]): void {
    for (let i = this.#pieceStart * 2; i < this.count * 2; i += 2) {
      const word = this.#words[i]!;
      if (word >= PENDING) {
        this.#words[i] = ids[word - PENDING]!;
      }
    }
    this.#beginPiece();
  }

  get edges(): PageEdges {
    return { words: this.#words.subarray(0, this.count * 2), rels: this.#rels, texts: this.#texts };
  }

  get #isFull(): boolean {
    const { offers, found } = this.#judged;
    const { pieceUrls } = this.#parts;
    return offers.length >= pieceUrls || found.length >= 3 * pieceUrls || this.#pieceText >= PIECE_TEXT;
  }

  #beginPiece(): void {
    this.#judged = new JudgedLinks(this.#classOf);
    this.#judged.followsSitemapsOnly = this.#parts.isNamedBySitemaps;
    this.#pieceStart = this.count;
    this.#pieceText = 0;
  }

  /** What `#add` does for nearly every link of nearly every crawl, and no more. */
  #addPlain({ kinds, rels }: ScannedLinks, link: number, target: Target): void {
    const kind = kinds[link]!;
    const rel = rels[link]!;
    if (kind !== this.#plainKind || rel !== this.#plainRel) {
      this.#plainKind = kind;
      this.#plainRel = rel;
      this.#plainFollow = this.#parts.isNamedBySitemaps ? 0 : this.#parts.follow(kind, rel);
      this.#plainWord = edgeWord(kind, this.#plainFollow, this.#relPlace(rel));
    }
    const { offers } = this.#judged;
    const offered = offers.length;
    const at = this.count * 2;
    this.#words[at] = this.#judge.judge(target, this.#plainFollow, this.#parts.depth + 1, 0, this.#judged);
    this.#words[at + 1] = this.#plainWord;
    if (offers.length > offered) {
      this.#pieceText += target.length;
    }
    if (!target.web) {
      this.skipped++;
    }
    this.count++;
  }

  #add(link: number, target: Target): void {
    const { links, zones, facts, isNamedBySitemaps, depth } = this.#parts;
    const { kinds, rels } = links;
    const judged = this.#judged;
    const kind = kinds[link]!;
    // Only a check and a corpus want to know what is written there.
    const href = facts === null && zones === null ? '' : links.href(link);
    const isIgnored = links.ignored?.[link] ?? false;
    let follow = isIgnored || isNamedBySitemaps ? 0 : this.#parts.follow(kind, rels[link]!);
    this.#place = zones?.best(href) ?? null;
    if (this.#parts.hooked !== null) {
      this.#rank = null;
      this.#skipWords = null;
    }
    if (this.#parts.hooked !== null && follow === FOLLOWED) {
      follow = this.#askHook(this.#parts.hooked, link, target);
    }
    facts?.add(href, links.lines?.[link] ?? 0, links.columns?.[link] ?? 0, isIgnored);
    const offered = judged.offers.length;
    this.#words[this.count * 2] = this.#judge.judge(target, follow, depth + 1, 0, judged);
    this.#words[this.count * 2 + 1] = edgeWord(
      kind,
      follow,
      this.#relPlace(this.#skipWords === null ? rels[link]! : relWithWords(rels[link]!, this.#skipWords)),
      isFollowedKind(kind) ? zones?.next(href) : 0,
    );
    this.#pieceText += judged.offers.length > offered ? target.length : 0;
    this.skipped += target.web ? 0 : 1;
    this.#texts?.push(links.texts![link]!);
    if (this.targets !== null) {
      this.#keepTarget(target, kind, rels[link]!, this.targets);
    }
    this.count++;
  }

  /**
   * A hook of the user's is asked about each link that would be followed, but for those that a hook has added. It is asked about what is out
   * of scope, too: a seed that redirects may bring that into scope when the page is long gone.
   */
  #askHook(hooked: HookedPage, link: number, target: Target): Follow {
    const { links, firstAdded } = this.#parts;
    if (link >= firstAdded) {
      this.#rank = hooked.added[link - firstAdded]!.rank;
      return FOLLOWED;
    }
    const { url, web, leftOut } = target;
    if (!hooked.hasLinkHook || !web || leftOut !== null) {
      return FOLLOWED;
    }
    const text = links.texts?.[link] ?? null;
    const asked = { url, kind: LINK_KINDS[links.kinds[link]!]!, rel: links.rels[link]!, text };
    const verdict = hooked.judge(asked, this.#judge.isEligible(target));
    if (typeof verdict !== 'string') {
      this.#rank = verdict;
      return FOLLOWED;
    }
    this.#skipWords = verdict === '' ? null : verdict;
    return DECLINED;
  }

  /** What is no URL leads nowhere; a check keeps it, to say so. */
  #invalid(href: string): Target {
    return this.#judge.recall(INVALID_SCHEME + shortHref(href.replace(NO_DEFINITION, '')));
  }

  /** Index of the rel value in the page's list, from 1; 0 for none. */
  #relPlace(rel: string): number {
    if (rel === '') {
      return 0;
    }
    let place = this.#relPlaces.get(rel);
    if (place === undefined) {
      place = this.#rels.push(rel);
      this.#relPlaces.set(rel, place);
    }
    return place;
  }

  #keepTarget(target: Target, kind: number, rel: string, { urls, places, kinds, rels }: EdgeTargets): void {
    let place = this.#targetPlaces.get(target);
    if (place === undefined) {
      place = urls.push(target.url) - 1;
      this.#targetPlaces.set(target, place);
    }
    places.push(place);
    kinds.push(kind);
    rels.push(rel);
  }
}

/** So much text of URLs one page may lead to. A base of a hundred thousand characters may stand before each of very many links. */
export const MOST_URL_TEXT = 64 << 20;

/** Bytes of a href become so many characters of a URL at most: each may be escaped, in a legacy encoding as three bytes of UTF-8. */
const MOST_GROWTH = 9;

/** What stands between a base and a href, and more. */
const MOST_GLUE = 16;

/**
 * What is left of MOST_URL_TEXT for a page. Each URL counts once, however many links lead to it. One that is too long to be kept counts
 * with each link, because nothing about it is remembered. What is covered depends on the page alone, not on what else was crawled.
 */
export class UrlTextAllowance {
  #left = MOST_URL_TEXT;
  /** Null if the URLs cannot be too much, as on nearly every page. */
  readonly #counted: Set<number> | null;

  constructor(links: number, baseLength: number, bytes: number) {
    const most = links * (baseLength + MOST_GLUE) + bytes * MOST_GROWTH;
    this.#counted = most > MOST_URL_TEXT ? new Set() : null;
  }

  /** False from the first URL on that there is no room for. */
  covers(target: Target): boolean {
    if (this.#counted === null) {
      return true;
    }
    if (!target.isCut) {
      // 53 bits of its key.
      const key = (target.key[0] >>> 0) * 0x20_0000 + (target.key[1] >>> 11);
      if (this.#counted.has(key)) {
        return true;
      }
      this.#counted.add(key);
    }
    this.#left -= target.length;
    return this.#left >= 0;
  }
}
