import { hash } from 'node:crypto';
import { type LinkZones, linkZones } from '../content/link-zones.js';
import { readableText } from '../content/visible-text.js';
import { ENDED_EARLY } from '../fetch/decode.js';
import { assetOffer } from '../frontier/asset-offer.js';
import type { Order } from '../frontier/embedded/options.js';
import { sitemapOffer } from '../frontier/embedded/sitemap-offer.js';
import type { Lease, LinkPiece, Offer, Outcome } from '../frontier/frontier.js';
import { nothingRead } from '../frontier/outcome.js';
import { QueuePlaces } from '../frontier/queue-place.js';
import { DRAWN_BY_SCRIPT } from '../parse/anchor-hash.js';
import { isBinary } from '../parse/binary.js';
import { decodeText, detectEncoding } from '../parse/charset.js';
import { cssUrls } from '../parse/css-urls.js';
import { isAssetKind, isFollowedKind, LINK_KIND_NUMBER, ScannedLinks, type ScanWishes } from '../parse/links.js';
import { markdownAnchors, markdownLinks } from '../parse/markdown-links.js';
import { MdxFile } from '../parse/mdx-links.js';
import {
  isCssType,
  isFeedType,
  isHtmlType,
  isMarkdownType,
  isMdxType,
  isPlainType,
  isRstType,
  isSvgType,
} from '../parse/media-type.js';
import { scanPage } from '../parse/scan.js';
import { TextPlaces } from '../parse/scan-position.js';
import { readSitemap, type SitemapContents } from '../parse/sitemap.js';
import { svgAnchors } from '../parse/svg-anchors.js';
import { plainTextLinks, rstLinks, type TextLink } from '../parse/text-links.js';
import { edgeWord, FOLLOWED, type Follow, HELD_BACK, LOADED, PENDING } from '../store/packed-edges.js';
import { emptyPage, type PageRow } from '../store/page-row.js';
import { ANY_ORIGIN } from '../store/rediscovery.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { isHttp, originOf } from '../url/host.js';
import { isFeedOfPage } from './feed-of-page.js';
import { INVALID_SCHEME, LinkFactsKeeper } from './link-facts.js';
import { JudgedLinks, type LinkJudge } from './link-judge.js';
import { type LinkTargets, NO_DEFINITION } from './link-targets.js';
import { packBody } from './packed-body.js';
import { PageLinks } from './page-links.js';
import { robotsDirectives } from './robots-directives.js';
import { UrlTextAllowance } from './url-text-allowance.js';

/** A page as it came, from the net or from a fetcher of the user's. */
export interface FetchedPage {
  status: number;
  contentType: string | null;
  location: string | null;
  /** Each line of X-Robots-Tag. */
  robotsTags: readonly string[];
  lastModified: string | null;
  etag: string | null;
  body: Uint8Array | null;
  /** Links given outright instead of a body. */
  links: string[] | null;
  truncated: boolean;
  /** What is wrong with how it was encoded, in words, or null. */
  damage: string | null;
  /** Those that a check wants; null in any other crawl. */
  telling: Record<string, string> | null;
}

export interface ReaderOptions {
  agent: string;
  obeyNofollow: boolean;
  assets: boolean;
  anchorText: boolean;
  /** Someone listens to edges: say where each leads. */
  targets: boolean;
  order: Order;
  sitemapMaxUrls: number;
  sitemapMaxBytes: number;
  /** Feeds that pages name are read for URLs, as sitemaps are. */
  feeds: boolean;
  /** Depth forbids all that a feed could name. */
  feedsAreBeyond: boolean;
  /** What is out of scope in a sitemap is kept as such, to be counted. */
  keepsOutside: boolean;
  /** For a check: where each link stands, what fragments can point at, what a refusal says. */
  linkFacts: boolean;
  /** Pages, and sitemaps, are kept as they came. */
  keepsBodies: boolean;
  /** Seeds whose pages are named by their sitemaps alone: links lead nowhere. */
  unfollowed: ReadonlySet<number>;
  /** Which of the pages that are kept a browser has to see. */
  render: RenderMode;
  /** A page that leads to more new URLs hands them on in pieces of so many. */
  pieceUrls: number;
}

export type RenderMode = 'never' | 'auto' | 'always';

/** The part of an outcome that reading a page fills in. */
export type Reading = Pick<Outcome, keyof ReturnType<typeof nothingRead> | 'errorClass' | 'message' | 'measured'> & {
  page: PageRow;
};

/** What the links of a page have in common. */
interface LinksOfPage {
  /** Of what they stand in. */
  length: number;
  /** UTF-8 where it is left out. */
  encoding?: string;
  /** None of them may be followed. */
  nofollow?: boolean;
  anchors?: Iterable<string> | null;
  zones?: LinkZones | null;
}

/** A page being read: it hands on pieces of what it leads to, and is told the ids of what each of them offered. */
export type PageReading = Generator<LinkPiece, Reading, readonly number[]>;

/** A page may lead to so much that not all of it is kept. */
const TOO_MANY_LINKS = 'too_many_links';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Those that lead nowhere without a Location. 300 may list its choices in its body (RFC 9110 §15.4.1), 304 was not asked for. */
const LEADS_ON = new Set([...REDIRECTS, 304]);
/** A page that runs scripts and gives less to read than so many characters may be no more than a frame for what they bring. */
const LITTLE_TEXT = 500;
const MOST_ASSET_HOPS = 10;
const MOST_SITEMAP_HOPS = 5;
export const SITEMAP_URL_DEPTH = 1;
/** Origins that a sitemap names out of scope, as far as they are told apart. */
const MOST_PASSED_OVER = 64;
const NOFOLLOW = /(?:^|\s)nofollow(?:\s|$)/;

/** From a response to what the crawl keeps of it: facts, links, and which of them are news. */
export class PageReader {
  readonly #options: ReaderOptions;
  readonly #judge: LinkJudge;
  readonly #places: QueuePlaces;
  readonly #targets: LinkTargets;

  constructor(options: ReaderOptions, judge: LinkJudge, targets: LinkTargets) {
    this.#options = options;
    this.#judge = judge;
    this.#places = new QueuePlaces(options.order);
    this.#targets = targets;
  }

  *read(lease: Lease, page: FetchedPage): PageReading {
    const reading = emptyReading(page);
    if (REDIRECTS.has(page.status) && page.location !== null) {
      this.#readRedirect(lease, page.location, reading);
      return reading;
    }
    if (LEADS_ON.has(page.status)) {
      reading.errorClass = 'invalid_url';
      reading.message = `the server answers ${page.status} and does not say where to`;
      return reading;
    }
    if (page.body !== null) {
      reading.page.hash = hash('sha256', page.body, 'hex');
    }
    const isFine = page.status >= 200 && page.status < 300;
    const readable = isFine && lease.kind === UrlKind.page && (lease.flags & UrlFlag.external) === 0;
    const isHtml = page.body !== null && (page.contentType === null || isHtmlType(page.contentType));
    if (!readable) {
      if (this.#options.linkFacts) {
        this.#lookAt(lease, page, isHtml, isFine, reading);
      }
      return reading;
    }
    if (this.#options.keepsBodies && page.body !== null && (isHtml || isMarkdownType(page.contentType))) {
      reading.page.body = packBody(page.body, page.contentType);
      if (isHtml && this.#options.render !== 'never') {
        const { encoding } = detectEncoding(page.body, page.contentType);
        reading.measured = this.#measure(decodeText(page.body, encoding).text);
        reading.page.body.measured = reading.measured;
      }
    }
    if (page.links !== null) {
      yield* this.#readGivenLinks(lease, page.links, reading);
    } else if (isHtml) {
      yield* this.#readHtml(lease, page, page.body!, reading);
    } else if (this.#readsMarkdown && page.body !== null && isMarkdownType(page.contentType)) {
      yield* this.#readMarkdown(lease, page.body, reading);
    } else if (this.#options.linkFacts && page.body !== null && isText(page.contentType, lease)) {
      yield* this.#readText(lease, page.body, page.contentType, reading);
    } else if (this.#options.linkFacts && page.body !== null && isCssType(page.contentType)) {
      yield* this.#readStylesheet(lease, page.body, reading);
    } else if (page.body !== null && isFeedType(page.contentType)) {
      yield* this.#readFeed(lease, page, page.body, reading);
    } else if (this.#options.linkFacts && isSvgType(page.contentType) && isWhole(lease, page)) {
      reading.page.facts = { ...new LinkFactsKeeper().facts(svgAnchors(page.body!), null), headers: page.telling };
    } else if (page.truncated) {
      reading.page.malformed = page.damage ?? ENDED_EARLY;
      reading.errorClass = 'malformed_html';
      reading.message = reading.page.malformed;
    }
    return reading;
  }

  get #readsMarkdown(): boolean {
    return this.#options.linkFacts || this.#options.keepsBodies;
  }

  /** Of what a robots.txt names as sitemaps, the URLs that can be asked for, in normal form. */
  sitemapUrls(named: readonly string[], robotsUrl: string): string[] {
    const targets = named.map((url) => this.#targets.of(url, robotsUrl));
    return targets.flatMap((target) =>
      target !== null && isHttp(target.url) && !target.isCut && target.leftOut !== 'offline' ? [target.url] : [],
    );
  }

  /** A sitemap's URLs stand one click from the start; those of an index are sitemaps themselves. */
  *readSitemap(lease: Lease, page: FetchedPage): PageReading {
    const reading = emptyReading(page);
    const isGuess = (lease.flags & UrlFlag.candidate) !== 0;
    if (REDIRECTS.has(page.status) && page.location !== null) {
      const target = this.#targets.of(page.location, lease.url);
      if (lease.hops >= MOST_SITEMAP_HOPS) {
        reading.message = `it redirects once more after ${MOST_SITEMAP_HOPS} redirects, and is not followed`;
      } else if (target !== null && isHttp(target.url) && !target.isCut) {
        reading.offers.push({ ...sitemapOffer(target.url, lease.depth, { isGuess }), hops: lease.hops + 1 });
      } else {
        reading.message = 'it redirects to no address of the web';
      }
      reading.page.malformed = !isGuess ? reading.message : null;
      return reading;
    }
    if (page.status < 200 || page.status >= 300 || page.body === null) {
      return reading;
    }
    if (this.#options.keepsBodies) {
      reading.page.body = packBody(page.body, page.contentType);
    }
    const { sitemapMaxUrls: maxUrls, sitemapMaxBytes: maxBytes, pieceUrls } = this.#options;
    const contents = readSitemap(page.body, { maxUrls, maxBytes, baseUrl: lease.url });
    const enclosed = this.#follow(LINK_KIND_NUMBER.link, '', false);
    const entries = contents.entries.filter(({ isEnclosure }) => isEnclosure === undefined || enclosed !== 0);
    const allowance = new UrlTextAllowance(entries.length, lease.url.length, Number.POSITIVE_INFINITY);
    const passedOver = new Set<string>();
    for (let from = 0; from < entries.length && reading.page.linksCut === 0; from += pieceUrls) {
      const until = Math.min(from + pieceUrls, entries.length);
      const piece = this.#judgeEntries(lease, contents.kind, entries, from, until, allowance, passedOver, reading);
      if (until < entries.length && reading.page.linksCut === 0) {
        yield piece;
      } else {
        Object.assign(reading, piece);
      }
    }
    if (passedOver.size > 0) {
      // Where the scope grows to one of these, the file is read again.
      const hrefs = passedOver.size > MOST_PASSED_OVER ? [ANY_ORIGIN] : [...passedOver];
      reading.page.facts = { hrefs, places: null, anchors: null, headers: null, textHash: null };
    }
    reading.page.links = entries.length - reading.page.linksCut;
    reading.message = contents.problem ?? contents.truncated;
    // Where nobody says that there is a sitemap, anything else is no fault.
    reading.page.malformed = isGuess && contents.kind === 'unknown' ? null : (contents.unread ?? null);
    if (this.#options.linkFacts && !(isGuess && contents.kind === 'unknown')) {
      reading.offers = [...reading.offers, ...this.#faults(contents.faults ?? [])];
    }
    return reading;
  }

  /** What is no URL, for a check to say so. */
  #faults(written: readonly string[]): Offer[] {
    const links = new JudgedLinks((url) => this.#places.ofSitemap(url, null));
    for (const text of written) {
      this.#judge.judge(this.#judge.recall(INVALID_SCHEME + text), 0, SITEMAP_URL_DEPTH, 0, links);
    }
    return links.offers;
  }

  #judgeEntries(
    lease: Lease,
    kind: SitemapContents['kind'],
    entries: SitemapContents['entries'],
    from: number,
    until: number,
    allowance: UrlTextAllowance,
    passedOver: Set<string>,
    reading: Reading,
  ): LinkPiece {
    let priority: number | null = null;
    const links = new JudgedLinks((url) => this.#places.ofSitemap(url, priority));
    // What comes with an entry is looked at wherever it is, as what a page loads.
    const enclosures = new JudgedLinks(links.classOf);
    const asksEnclosures = !this.#judge.isPassedOver(this.#targets.of(lease.url, lease.url)!, SITEMAP_URL_DEPTH);
    const sitemaps: Offer[] = [];
    for (let i = from; i < until; i++) {
      const entry = entries[i]!;
      priority = entry.priority;
      const target = this.#targets.of(entry.url, lease.url);
      if (target === null || !isHttp(target.url)) {
        continue;
      }
      if (!allowance.covers(target)) {
        cutLinks(reading, entries.length - i);
        break;
      }
      if (kind === 'index') {
        if (!target.isCut && target.leftOut !== 'offline') {
          sitemaps.push(sitemapOffer(target.url, lease.depth + 1));
        }
        continue;
      }
      if (entry.isEnclosure) {
        if (asksEnclosures) {
          this.#judge.judge(target, this.#follow(LINK_KIND_NUMBER.link, '', false), SITEMAP_URL_DEPTH, 0, enclosures);
        }
        continue;
      }
      const isPassedOver = this.#judge.isPassedOver(target, SITEMAP_URL_DEPTH);
      if (isPassedOver && passedOver.size <= MOST_PASSED_OVER) {
        passedOver.add(originOf(target.url));
      }
      if (!isPassedOver || (this.#options.keepsOutside && target.seed < 0)) {
        this.#judge.judge(target, FOLLOWED, SITEMAP_URL_DEPTH, 0, links);
      }
    }
    const isKept = ({ flags, reason }: Offer) =>
      reason === 'scope' || (flags & (UrlFlag.external | UrlFlag.trap)) !== UrlFlag.external;
    return {
      offers: [...sitemaps, ...links.offers.filter(isKept), ...enclosures.offers],
      found: [...links.found, ...enclosures.found],
    };
  }

  /** What a page loads while it is rendered: kept as it is. It leads nowhere, but where it is found now. */
  readAsset(lease: Lease, page: FetchedPage): Reading {
    const reading = emptyReading(page);
    if (REDIRECTS.has(page.status) && page.location !== null) {
      const target = this.#targets.of(page.location, lease.url);
      if (target !== null && isHttp(target.url) && !target.isCut && lease.hops < MOST_ASSET_HOPS) {
        reading.offers.push(assetOffer(target.url, lease.hops + 1));
        reading.redirect = { offer: 0 };
        reading.redirectUrl = target.url;
      }
    } else if (page.status >= 200 && page.status < 300 && page.body !== null && !page.truncated) {
      reading.page.body = packBody(page.body, page.contentType);
    }
    return reading;
  }

  #measure(html: string): NonNullable<Outcome['measured']> {
    const readable = readableText(html);
    return { text: readable.text, needsBrowser: this.#options.render === 'always' || isDrawn(readable) };
  }

  /** The names of a page that is nearly empty until a script draws it are not all that it has in a browser: a mark among them says so. */
  #withDrawn(anchors: string[], body: Uint8Array, encoding: string): string[] {
    const { text, hasScripts } = anchors.length < NAMES_ENOUGH ? readableText(decodeText(body, encoding).text) : ENOUGH;
    return hasScripts && text < NEARLY_NO_TEXT ? [...anchors, DRAWN_BY_SCRIPT] : anchors;
  }

  #readRedirect(lease: Lease, location: string, reading: Reading): void {
    const target = this.#targets.of(location, lease.url);
    if (target === null) {
      reading.errorClass = 'invalid_url';
      reading.message = 'the server redirects to something that is no URL';
      return;
    }
    const links = new JudgedLinks((url) => this.#places.ofRedirect(url));
    const word = this.#judge.judge(target, FOLLOWED, lease.depth, lease.hops + 1, links);
    reading.redirectUrl = target.url;
    // Not marked as followed: its target stands at the same depth, and the store keeps it as a redirect.
    reading.edges = Uint32Array.of(word, edgeWord(LINK_KIND_NUMBER.redirect, 0, 0));
    reading.redirect = word >= PENDING ? { offer: word - PENDING } : { id: word };
    reading.targets = this.#options.targets ? { urls: [target.url], places: [0] } : null;
    reading.offers = links.offers;
    reading.found = links.found;
    if (this.#options.linkFacts) {
      const kept = new LinkFactsKeeper();
      kept.add(location, 0, 0, false);
      reading.page.facts = kept.facts(null, null);
    }
  }

  /** Of what is only checked: its title, its text where one has to be compared, and what fragments can point at. */
  #lookAt(lease: Lease, page: FetchedPage, isHtml: boolean, isFine: boolean, reading: Reading): void {
    const { page: row } = reading;
    const wantsAnchors = isFine && (lease.flags & UrlFlag.anchors) !== 0 && page.body !== null && !page.truncated;
    let anchors: Iterable<string> | null = null;
    if (isHtml) {
      const { encoding, note } = detectEncoding(page.body!, page.contentType);
      row.note = note;
      const scan = scanPage(page.body!, encoding, { anchors: wantsAnchors, textHash: lease.wantsText });
      row.title = capped(scan.title);
      reading.textHash = scan.textHash;
      anchors = wantsAnchors ? this.#withDrawn(scan.anchors!, page.body!, encoding) : null;
    } else if (wantsAnchors && isMarkdownType(page.contentType)) {
      anchors = markdownAnchors(decodeText(page.body!, 'utf-8').text);
    } else if (wantsAnchors && isSvgType(page.contentType)) {
      anchors = svgAnchors(page.body!);
    } else if (wantsAnchors && isMdxType(page.contentType)) {
      anchors = new MdxFile(decodeText(page.body!, 'utf-8').text).anchors();
    }
    row.facts = { ...new LinkFactsKeeper().facts(anchors, reading.textHash), headers: page.telling };
  }

  *#readMarkdown(lease: Lease, body: Uint8Array, reading: Reading): Generator<LinkPiece, void, readonly number[]> {
    const { text } = decodeText(body, 'utf-8');
    const links = givenLinks(
      markdownLinks(text).map(({ kind, ...link }) =>
        kind === 'undefined' ? { ...link, href: `${NO_DEFINITION}[${link.href}]` } : link,
      ),
    );
    yield* this.#readLinks(lease, links, lease.url, reading, { length: body.length, anchors: markdownAnchors(text) });
  }

  *#readText(
    lease: Lease,
    body: Uint8Array,
    contentType: string | null,
    reading: Reading,
  ): Generator<LinkPiece, void, readonly number[]> {
    const { text } = decodeText(body, 'utf-8');
    const mdx = isMdxType(contentType) ? new MdxFile(text) : null;
    const found = mdx?.links() ?? (isRstType(contentType) ? rstLinks(text) : plainTextLinks(text));
    const links = givenLinks(found);
    yield* this.#readLinks(lease, links, lease.url, reading, { length: body.length, anchors: mdx?.anchors() ?? null });
  }

  /** What a stylesheet loads is checked as if the page had loaded it itself. */
  *#readStylesheet(lease: Lease, body: Uint8Array, reading: Reading): Generator<LinkPiece, void, readonly number[]> {
    if (lease.depth > DEEPEST_STYLESHEET) {
      return;
    }
    const { text } = decodeText(body, 'utf-8');
    const links = new ScannedLinks(null);
    const places = new TextPlaces(text);
    const [texts, lines, columns]: [string[], number[], number[]] = [[], [], []];
    for (const { href, isImport, at } of cssUrls(text)) {
      links.addGiven(isImport ? LINK_KIND_NUMBER.stylesheet : LINK_KIND_NUMBER.css, href, '');
      places.moveTo(at);
      texts.push('');
      lines.push(places.line);
      columns.push(places.column);
    }
    Object.assign(links, { texts, lines, columns });
    yield* this.#readLinks(lease, links, lease.url, reading, { length: body.length });
  }

  /** A feed that a link has led to: what it names are links like those of a page. */
  *#readFeed(
    lease: Lease,
    page: FetchedPage,
    body: Uint8Array,
    reading: Reading,
  ): Generator<LinkPiece, void, readonly number[]> {
    const { sitemapMaxUrls: maxUrls, sitemapMaxBytes: maxBytes, agent } = this.#options;
    const { kind, entries } = readSitemap(body, { maxUrls, maxBytes, baseUrl: lease.url });
    const links = new ScannedLinks(null);
    for (const { url, isEnclosure } of kind === 'feed' ? entries : []) {
      links.addGiven(isEnclosure ? LINK_KIND_NUMBER.link : LINK_KIND_NUMBER.a, url, '');
    }
    const { nofollow, text } = robotsDirectives([], page.robotsTags, agent);
    reading.page.robotsMeta = text;
    yield* this.#readLinks(lease, links, lease.url, reading, { length: body.length, nofollow });
  }

  *#readGivenLinks(lease: Lease, hrefs: string[], reading: Reading): Generator<LinkPiece, void, readonly number[]> {
    const links = new ScannedLinks(null);
    for (const href of hrefs) {
      links.addGiven(LINK_KIND_NUMBER.a, href, '');
    }
    yield* this.#readLinks(lease, links, lease.url, reading, { length: Number.POSITIVE_INFINITY });
  }

  *#readHtml(
    lease: Lease,
    page: FetchedPage,
    body: Uint8Array,
    reading: Reading,
  ): Generator<LinkPiece, void, readonly number[]> {
    const { encoding, note } = detectEncoding(body, page.contentType);
    const { anchorText, linkFacts } = this.#options;
    const wishes: ScanWishes = {
      anchorText: anchorText || linkFacts,
      textHash: lease.wantsText,
      // An agent without a token is spoken to as `robots` alone.
      product: this.#options.agent || 'robots',
      ...(linkFacts ? { anchors: true, positions: true, ignoreMarks: true, loads: true } : {}),
    };
    const scan = scanPage(body, encoding, wishes, this.#targets.kernel);
    const base = this.#baseOf(scan.base, lease.url);
    const { nofollow, text } = robotsDirectives(scan.robots, page.robotsTags, this.#options.agent);
    const { page: row } = reading;
    row.title = capped(scan.title);
    row.description = capped(scan.description);
    row.lang = capped(scan.lang);
    row.robotsMeta = text;
    row.canonical = scan.canonical === null ? null : this.#resolve(scan.canonical, base, encoding);
    row.note = note;
    row.malformed = malformation(page, body, encoding, scan.looksLikeHtml);
    if (row.malformed !== null) {
      reading.errorClass = 'malformed_html';
      reading.message = row.malformed;
    }
    reading.textHash = scan.textHash;
    const zones =
      this.#options.keepsBodies && this.#isFollowed(lease) ? linkZones(decodeText(body, encoding).text) : null;
    const anchors = scan.anchors === null ? null : this.#withDrawn(scan.anchors, body, encoding);
    const about = { length: body.length, encoding, nofollow, anchors, zones };
    yield* this.#readLinks(lease, scan.links, base, reading, about);
    if (this.#options.feeds && !(nofollow && this.#options.obeyNofollow)) {
      reading.offers.push(...this.#feeds(scan.feeds, lease.url, base, encoding));
    }
  }

  /** The feeds that a page names are read as sitemaps are, whatever is in them; only those in scope that are not about the page alone. */
  #feeds(hrefs: readonly string[], pageUrl: string, base: string, encoding: string): Offer[] {
    const targets = new Set(hrefs.map((href) => this.#targets.of(href, base, encoding)));
    return [...targets].flatMap((target) =>
      target !== null &&
      isHttp(target.url) &&
      target.seed >= 0 &&
      target.trap === null &&
      !target.isCut &&
      !isFeedOfPage(target.url, pageUrl)
        ? [sitemapOffer(target.url, 0, { isBeyond: this.#options.feedsAreBeyond })]
        : [],
    );
  }

  #isFollowed({ seed }: Lease): boolean {
    return !this.#options.unfollowed.has(seed);
  }

  /** One that is no address of the web is passed over, as browsers do. */
  #baseOf(href: string | null, pageUrl: string): string {
    const base = href === null ? null : this.#targets.urlOf(href, pageUrl);
    return base === null || (isHttp(pageUrl) && !isHttp(base)) ? pageUrl : base;
  }

  *#readLinks(
    lease: Lease,
    scanned: ScannedLinks,
    base: string,
    reading: Reading,
    about: LinksOfPage,
  ): Generator<LinkPiece, void, readonly number[]> {
    const facts = this.#options.linkFacts ? new LinkFactsKeeper() : null;
    const links = new PageLinks(
      {
        links: scanned,
        base,
        encoding: about.encoding ?? 'utf-8',
        depth: lease.depth,
        areNamed: !this.#isFollowed(lease),
        follow: (kind, rel) => this.#follow(kind, rel, about.nofollow ?? false),
        zones: about.zones ?? null,
        facts,
        keepsTargets: this.#options.targets,
        pieceUrls: this.#options.pieceUrls,
        allowance: new UrlTextAllowance(scanned.count, base.length, about.length),
      },
      this.#judge,
      this.#targets,
      this.#places,
    );
    while (links.fillPiece()) {
      links.admitted(yield links.piece);
    }
    Object.assign(reading, links.piece);
    reading.edges = links.edges;
    reading.rels = links.rels;
    reading.texts = links.texts;
    reading.targets = links.targets;
    reading.skippedLinks = links.skipped;
    reading.page.links = links.count;
    reading.page.facts = facts?.facts(about.anchors ?? null, reading.textHash) ?? null;
    if (links.cut > 0) {
      cutLinks(reading, links.cut);
    }
  }

  #resolve(href: string, base: string, encoding: string): string | null {
    return this.#targets.of(href, base, encoding)?.url ?? null;
  }

  #follow(kind: number, rel: string, pageNofollow: boolean): Follow {
    if (!isFollowedKind(kind)) {
      // A check only asks whether it is there.
      return !this.#options.assets || !isAssetKind(kind) ? 0 : this.#options.linkFacts ? LOADED : FOLLOWED;
    }
    return this.#options.obeyNofollow && (pageNofollow || (rel !== '' && NOFOLLOW.test(rel))) ? HELD_BACK : FOLLOWED;
  }
}

const isDrawn = ({ text, hasScripts }: ReturnType<typeof readableText>): boolean => hasScripts && text < LITTLE_TEXT;
/** One that imports the next, and so on: nobody writes that, a program makes it without end. */
const DEEPEST_STYLESHEET = 100;
/** A page with so many names is no empty frame. */
const NAMES_ENOUGH = 50;
const ENOUGH = { text: Number.POSITIVE_INFINITY, hasScripts: false };
/** A page with less and a script is one that the script fills. Short pages that only count their visitors have more. */
const NEARLY_NO_TEXT = 200;

/** No honest title is longer; a hostile one could be as long as a body. */
const MOST_TEXT = 4_096;
const capped = (text: string | null): string | null =>
  text !== null && text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;

/** Of what pages only load no more than its beginning may have been asked for. */
const isWhole = ({ flags }: Lease, { body, truncated }: FetchedPage): boolean =>
  body !== null &&
  !truncated &&
  ((flags & UrlFlag.asset) === 0 || (flags & UrlFlag.anchors) !== 0) &&
  (flags & UrlFlag.rangedGet) === 0;

/** Plain text is read where the user names it: on the web it is mostly no page. */
const isText = (contentType: string | null, { flags }: Lease): boolean =>
  isMdxType(contentType) || isRstType(contentType) || (isPlainType(contentType) && (flags & UrlFlag.seed) !== 0);

function givenLinks(found: readonly TextLink[]): ScannedLinks {
  const links = new ScannedLinks(null);
  for (const { element, href } of found) {
    links.addGiven(LINK_KIND_NUMBER[element], href, '');
  }
  links.texts = found.map(({ text }) => text);
  links.lines = found.map(({ line }) => line);
  links.columns = found.map(({ column }) => column);
  links.ignored = found.map(({ ignored }) => ignored);
  return links;
}

/** So many links are not kept: the text of their URLs is too much. */
function cutLinks({ page }: Reading, count: number): void {
  page.linksCut = count;
  page.note = page.note === null ? TOO_MANY_LINKS : `${page.note},${TOO_MANY_LINKS}`;
}

function malformation(page: FetchedPage, body: Uint8Array, encoding: string, looksLikeHtml: boolean): string | null {
  if (page.truncated) {
    return page.damage ?? ENDED_EARLY;
  }
  const isSaid = page.contentType !== null;
  return isSaid && isBinary(body, encoding, looksLikeHtml) ? 'said to be HTML, but it is no text' : null;
}

function emptyReading(page: FetchedPage): Reading {
  const row = emptyPage(page.status);
  row.contentType = page.contentType;
  row.bytes = page.body?.length ?? 0;
  row.lastModified = page.lastModified;
  row.etag = page.etag;
  return { ...nothingRead(), errorClass: null, message: null, page: row };
}
