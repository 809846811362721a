import { hash } from 'node:crypto';
import { type LinkZones, linkZones } from '../content/link-zones.js';
import { textOfPage } from '../content/page-text.js';
import { ENDED_EARLY } from '../fetch/body.js';
import { assetOffer, type Lease, type LinkPiece, type Offer, QueuePlaces, sitemapOffer } from '../frontier/outcome.js';
import type { LaneHooks } from '../hooks/lane-hooks.js';
import { detectEncoding } from '../parse/charset.js';
import { decodeText } from '../parse/encodings.js';
import { isAssetKind, isFollowedKind, LINK_KIND_NUMBER, ScannedLinks, type ScanOptions } from '../parse/links.js';
import {
  isBinary,
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
import { readSitemap } from '../parse/sitemap.js';
import { isTextPage } from '../parse/text-page.js';
import { type EarlierContent, UNKNOWN_FEEDS } from '../store/earlier-crawl.js';
import { edgeWord, FOLLOWED, type Follow, HELD_BACK, LOADED, type PageRow, PENDING } from '../store/page-row.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { barePathOf, isHttp } from '../url/host.js';
import { fragmentOfRoute, isRoute, pageOfRoute } from '../url/routes.js';
import { keepForBrowser, measure, measureBody, waitsForBrowser, withDrawn } from './browser-need.js';
import type { Extractor } from './extraction.js';
import { extractorOf } from './extraction-door.js';
import { HookedPage } from './hooked-page.js';
import { HostManners } from './host-manners.js';
import { LinkFactsKeeper } from './link-facts.js';
import { JudgedLinks, type LinkJudge, type LinkTargets, type Target } from './link-targets.js';
import { pageExtras } from './page-extras.js';
import { PageLinks, UrlTextAllowance } from './page-links.js';
import { PageSearch } from './page-search.js';
import {
  addNote,
  cutLinks,
  emptyReading,
  type FetchedPage,
  HookWait,
  type PageReading,
  packBody,
  REDIRECTS,
  type ReaderOptions,
  type Reading,
  readingOf,
} from './reading.js';
import { robotsDirectives } from './robots-directives.js';
import { isFeedOfPage, SitemapReader } from './sitemap-reader.js';
import { anchorsOfText, linksOfText } from './text-page.js';

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
  /** Routes of this page are pages of their own. */
  routesOf?: string | null;
  hooked?: HookedPage | null;
}

/** Reads links that may be very many, or waits for a hook. */
type Step<T = void> = Generator<LinkPiece | HookWait, T, readonly number[]>;

/**
 * An answer with one of these and without a Location leads nowhere. 300 is read, because it may list its choices in its body (RFC 9110 §15.4.1);
 * 304 was not asked for.
 */
const LEADS_ON = new Set([...REDIRECTS, 304]);
const MOST_ASSET_HOPS = 10;
/** So much text of feeds is kept of a page. */
const MOST_FEED_TEXT = 16_384;
const NOFOLLOW = /(?:^|\s)nofollow(?:\s|$)/;

/** From a response to what the crawl keeps of it: facts, links, and which of them are news. */
export class PageReader {
  readonly #options: ReaderOptions;
  readonly #judge: LinkJudge;
  readonly #places: QueuePlaces;
  readonly #targets: LinkTargets;
  readonly #sitemaps: SitemapReader;
  readonly #extractor: Extractor | null;
  readonly #search: PageSearch | null;
  readonly #manners: HostManners;
  readonly #hooks: LaneHooks | null;

  constructor(options: ReaderOptions, judge: LinkJudge, targets: LinkTargets, hooks: LaneHooks | null = null) {
    this.#options = options;
    this.#manners = new HostManners(options);
    this.#hooks = hooks;
    this.#judge = judge;
    this.#places = new QueuePlaces(options.order);
    this.#targets = targets;
    this.#extractor = extractorOf(options.extract);
    this.#search = options.searches.length === 0 ? null : new PageSearch(options.searches);
    this.#sitemaps = new SitemapReader(
      options,
      judge,
      targets,
      this.#places,
      this.#follow(LINK_KIND_NUMBER.link, '', false),
    );
  }

  /** The product that robots.txt, robots meta elements and X-Robots-Tag of the URL's host may name us by. */
  agentFor(url: string): string {
    return this.#manners.agentFor(url);
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
    const isRead = isHtml || isMarkdownType(page.contentType) || isTextPage(page.contentType, barePathOf(lease.url));
    if (this.#options.keepsBodies && page.body !== null && isRead) {
      reading.page.body = packBody(page.body, page.contentType, reading.page.hash!);
      const render = this.#manners.renderFor(lease.url);
      if (isHtml && render !== 'never') {
        const { encoding } = detectEncoding(page.body, page.contentType);
        const measured = measure(decodeText(page.body, encoding).text, render);
        reading.measured = { ...measured, isKept: true };
        reading.page.body.measured = measured;
      }
    }
    const isForBrowser = isHtml && !this.#options.keepsBodies && this.#manners.renderFor(lease.url) !== 'never';
    if (isForBrowser) {
      const isRouteOfPage = this.#options.hashRoutes && isRoute(lease.url);
      reading.measured = measureBody(page, this.#manners.renderFor(lease.url), isRouteOfPage);
    }
    if (page.rendered !== undefined && (reading.measured?.text ?? 0) <= page.rendered.moreThan) {
      // It stays as it came, and whoever sees each page once sees that.
      return reading;
    }
    const isSeen = page.body !== null && (isHtml || this.#isNamedType(page.contentType));
    const hooked =
      page.body === null || isHtml ? null : yield* this.#callHook(lease, page, isSeen, null, null, reading);
    if (page.links !== null) {
      yield* this.#readGivenLinks(lease, page.links, reading);
    } else if (isHtml) {
      yield* this.#readHtml(lease, page, page.body!, reading);
    } else if (page.body !== null && this.#readsText(lease, page.contentType)) {
      yield* this.#readText(lease, page.body, page.contentType, reading, hooked);
    } else if (page.body !== null && isFeedType(page.contentType)) {
      yield* this.#readFeed(lease, page, page.body, reading, hooked);
    } else if (hooked !== null && isSeen) {
      yield* this.#readLinks(lease, new ScannedLinks(null), lease.url, reading, { length: page.body!.length, hooked });
    } else if (this.#options.linkFacts && isSvgType(page.contentType) && isWhole(lease, page)) {
      reading.page.facts = {
        ...new LinkFactsKeeper().facts(anchorsOfText(page.body!, page.contentType), null),
        headers: page.refusalHeaders,
      };
    } else if (page.truncated) {
      reading.page.malformed = page.damage ?? ENDED_EARLY;
      reading.errorClass = 'malformed_html';
      reading.message = reading.page.malformed;
    }
    if (isSeen && this.#options.handsOnBodies && !waitsForBrowser(reading)) {
      // A copy: the lane uses the memory of the body again.
      reading.body = { bytes: new Uint8Array(page.body!), type: page.contentType };
    }
    if (page.body !== null && (this.#search !== null || this.#options.keep === 'text')) {
      this.#readForText(page.body, page.contentType, reading);
    }
    if (isForBrowser) {
      keepForBrowser(page, reading);
    }
    return reading;
  }

  /** What a reader sees, to be kept and looked through. Nothing where it is no text that people read. */
  #readForText(body: Uint8Array, contentType: string | null, reading: Reading): void {
    const text = textOfPage(body, contentType);
    if (text === null) {
      return;
    }
    if (this.#options.keep === 'text') {
      reading.text = text;
    }
    if (this.#search !== null) {
      const { found, stopped } = this.#search.find(text);
      reading.page.found = found.length === 0 ? null : JSON.stringify(found);
      for (const each of stopped) {
        addNote(reading.page, `search_stopped:${each.replaceAll(',', ' ')}`);
      }
    }
  }

  #isNamedType(contentType: string | null): boolean {
    const { contentTypes } = this.#options;
    return contentType !== null && contentTypes.some((type) => isOfType(contentType, type));
  }

  /**
   * Lets the page hook see the page, where it may. What it returns is the page's data, over what was taken from the page without code. Of a
   * page that broke off it sees nothing.
   */
  *#callHook(
    lease: Lease,
    page: FetchedPage,
    isSeen: boolean,
    scanned: { links: ScannedLinks; base: string } | null,
    encoding: string | null,
    reading: Reading,
  ): Step<HookedPage | null> {
    if (this.#hooks === null || !(this.#hooks.hasPage || this.#hooks.hasLink)) {
      return null;
    }
    const base = scanned?.base ?? lease.url;
    const hooked = new HookedPage(this.#hooks, {
      ...{ id: lease.id, url: lease.url, depth: lease.depth, status: page.status, headers: page.headers },
      ...{ body: page.body!, contentType: page.contentType, encoding },
      links: () => this.#urlsOf(scanned?.links.hrefs ?? [], base, encoding ?? 'utf-8'),
      resolve: (href) => this.#targets.urlOf(href, base),
    });
    if (this.#hooks.hasPage && isSeen && !page.truncated && !waitsForBrowser(reading)) {
      let decision = hooked.call();
      if (decision instanceof Promise) {
        const answer = decision;
        yield new HookWait(
          answer.then((value) => {
            decision = value;
          }),
        );
      }
      const data = hooked.called(decision as Exclude<typeof decision, Promise<unknown>>);
      if (data !== null) {
        const { data: taken } = reading.page;
        reading.page.data = taken === null ? data : JSON.stringify({ ...JSON.parse(taken), ...JSON.parse(data) });
      }
    }
    noteFailure(hooked, reading);
    return hooked;
  }

  #urlsOf(hrefs: readonly string[], base: string, encoding: string): string[] {
    const urls = hrefs.flatMap((href) => this.#resolve(href, base, encoding) ?? []);
    return [...new Set(urls)];
  }

  #readsText(lease: Lease, contentType: string | null): boolean {
    const { linkFacts, keepsBodies, keep } = this.#options;
    // Where answers are kept for a check and a corpus, what these would ask for is asked for.
    const asCheck = linkFacts || keep === 'body';
    if (isMarkdownType(contentType)) {
      return asCheck || keepsBodies;
    }
    return asCheck && (isText(contentType, lease) || (isCssType(contentType) && lease.depth <= DEEPEST_STYLESHEET));
  }

  readSitemap(lease: Lease, page: FetchedPage): PageReading {
    return this.#sitemaps.read(lease, page);
  }

  /** Of what a robots.txt names as sitemaps, the URLs that can be asked for, in normal form. */
  sitemapUrls(named: readonly string[], robotsUrl: string): string[] {
    const targets = named.map((url) => this.#targets.of(url, robotsUrl));
    return targets.flatMap((target) =>
      target !== null && isHttp(target.url) && !target.isCut && target.leftOut !== 'offline' ? [target.url] : [],
    );
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
      reading.page.hash = hash('sha256', page.body, 'hex');
    }
    return reading;
  }

  #readRedirect(lease: Lease, location: string, reading: Reading): void {
    const target = this.#targetOfRedirect(location, lease.url);
    if (target === null) {
      reading.errorClass = 'invalid_url';
      reading.message = 'the server redirects to something that is no URL';
      return;
    }
    const links = new JudgedLinks((url) => this.#places.ofRedirect(url));
    const word = this.#judge.judge(target, FOLLOWED, lease.depth, lease.hops + 1, links);
    reading.redirectUrl = target.url;
    // Not marked as followed: its target stands at the same depth, and the store keeps it as a redirect.
    const kind = LINK_KIND_NUMBER.redirect;
    reading.page.edges = { words: Uint32Array.of(word, edgeWord(kind, 0, 0)), rels: [], texts: null };
    reading.redirect = word >= PENDING ? { offer: word - PENDING } : { id: word };
    reading.targets = this.#options.targets
      ? { urls: [target.url], places: [0], kinds: [kind], rels: [''], texts: null }
      : null;
    reading.offers = links.offers;
    reading.found = links.found;
    if (this.#options.linkFacts) {
      const kept = new LinkFactsKeeper();
      kept.add(location, 0, 0, false);
      reading.page.facts = kept.facts(null, null);
    }
  }

  /** A route stays where its page moves to, unless the redirect names a place itself: so do browsers. */
  #targetOfRedirect(location: string, from: string): Target | null {
    const target = this.#targets.of(location, this.#pageOf(from));
    const route = this.#options.hashRoutes && !location.includes('#') ? fragmentOfRoute(from) : '';
    return target !== null && route !== '' && isHttp(target.url) ? this.#judge.recall(target.url + route) : target;
  }

  /** Its own URL, or that of the page whose route it is. */
  #pageOf(url: string): string {
    return this.#options.hashRoutes ? pageOfRoute(url) : url;
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
      anchors = wantsAnchors ? withDrawn(scan.anchors!, page.body!, encoding) : null;
    } else if (wantsAnchors) {
      anchors = anchorsOfText(page.body!, page.contentType);
    }
    row.facts = { ...new LinkFactsKeeper().facts(anchors, reading.textHash), headers: page.refusalHeaders };
  }

  *#readText(
    lease: Lease,
    body: Uint8Array,
    contentType: string | null,
    reading: Reading,
    hooked: HookedPage | null,
  ): Step {
    const anchors = anchorsOfText(body, contentType);
    const about = { length: body.length, anchors, hooked };
    yield* this.#readLinks(lease, linksOfText(body, contentType), lease.url, reading, about);
  }

  /** A feed that a link has led to: what it names are links like those of a page. */
  *#readFeed(lease: Lease, page: FetchedPage, body: Uint8Array, reading: Reading, hooked: HookedPage | null): Step {
    const { sitemapMaxUrls: maxUrls, sitemapMaxBytes: maxBytes, agent } = this.#options;
    const { kind, entries } = readSitemap(body, { maxUrls, maxBytes, baseUrl: lease.url });
    const links = new ScannedLinks(null);
    for (const { url, isEnclosure } of kind === 'feed' ? entries : []) {
      links.addGiven(isEnclosure ? LINK_KIND_NUMBER.link : LINK_KIND_NUMBER.a, url, '');
    }
    const { nofollow, text } = robotsDirectives([], page.robotsTags, agent);
    reading.page.robotsMeta = text;
    yield* this.#readLinks(lease, links, lease.url, reading, { length: body.length, nofollow, hooked });
  }

  *#readGivenLinks(lease: Lease, hrefs: string[], reading: Reading): Step {
    const links = new ScannedLinks(null);
    for (const href of hrefs) {
      links.addGiven(LINK_KIND_NUMBER.a, href, '');
    }
    yield* this.#readLinks(lease, links, lease.url, reading, { length: Number.POSITIVE_INFINITY });
  }

  *#readHtml(lease: Lease, page: FetchedPage, body: Uint8Array, reading: Reading): Step {
    const { encoding, note } = detectEncoding(body, page.contentType);
    const { anchorText, linkFacts } = this.#options;
    const agent = this.agentFor(lease.url);
    const options: ScanOptions = {
      anchorText: anchorText || linkFacts,
      textHash: lease.wantsText,
      // An agent without a token is spoken to as `robots` alone.
      product: agent || 'robots',
      extras: this.#options.allFacts,
      ...(linkFacts ? { anchors: true, positions: true, ignoreMarks: true, loads: true } : {}),
    };
    const scan = scanPage(body, encoding, options, this.#targets.kernel);
    const pageUrl = this.#pageOf(lease.url);
    const base = this.#baseOf(scan.base, pageUrl);
    const { nofollow, text } = robotsDirectives(scan.robots, page.robotsTags, agent);
    const { page: row } = reading;
    row.title = capped(scan.title);
    row.description = capped(scan.description);
    row.h1 = capped(scan.h1);
    row.wordCount = scan.wordCount;
    row.h1Count = scan.h1Count;
    row.images = scan.images;
    row.imagesWithoutAlt = scan.imagesWithoutAlt;
    row.textHash = scan.textPrint?.hash ?? null;
    row.sketch = scan.wordCount !== null && scan.wordCount >= WORDS_TO_COMPARE ? scan.textPrint!.sketch : null;
    row.hreflang = scan.languages.length === 0 ? null : this.#languages(scan.languages, base, encoding);
    row.lang = capped(scan.lang);
    row.robotsMeta = text;
    row.canonical = scan.canonical === null ? null : this.#resolve(scan.canonical, base, encoding);
    row.note = note;
    row.foldedTextHash = scan.textHash;
    row.feeds = scan.feeds.length === 0 ? null : this.#keptFeeds(scan.feeds, base, encoding);
    row.malformed = malformation(page, body, encoding, scan.looksLikeHtml);
    if (row.malformed !== null) {
      reading.errorClass = 'malformed_html';
      reading.message = row.malformed;
    }
    reading.textHash = scan.textHash;
    if (scan.extras !== null) {
      row.extras = pageExtras(scan.extras, scan.links, page.headers, pageUrl, (href) =>
        this.#resolve(href, base, encoding),
      );
    }
    if (this.#extractor !== null) {
      this.#extract(this.#extractor, decodeText(body, encoding).text, row);
    }
    const zones =
      this.#options.keepsBodies && this.#isFollowed(lease) ? linkZones(decodeText(body, encoding).text) : null;
    const anchors = scan.anchors === null ? null : withDrawn(scan.anchors, body, encoding, page.rendered);
    const routesOf = this.#options.hashRoutes && page.rendered?.drawsByRoutes ? pageUrl : null;
    const hooked = yield* this.#callHook(lease, page, true, { links: scan.links, base }, encoding, reading);
    const about = { length: body.length, encoding, nofollow, anchors, zones, routesOf, hooked };
    yield* this.#readLinks(lease, scan.links, base, reading, about);
    if (this.#options.feeds && !(nofollow && this.#options.obeyNofollow)) {
      reading.offers.push(...this.#feeds(scan.feeds, pageUrl, base, encoding));
    }
  }

  /** As JSON; null if none of them leads anywhere. */
  #languages(languages: readonly [string, string][], base: string, encoding: string): string | null {
    const urls = new Map<string, string>();
    for (const [language, href] of languages) {
      const url = urls.has(language) ? null : this.#resolve(href, base, encoding);
      if (url !== null) {
        urls.set(capped(language)!, url);
      }
    }
    return urls.size === 0 ? null : JSON.stringify(Object.fromEntries(urls));
  }

  #extract(extractor: Extractor, html: string, row: PageRow): void {
    const { data, notes } = extractor.extract(html);
    row.data = data;
    for (const note of notes) {
      addNote(row, note);
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

  /** Those that can be asked for at all: what becomes of them is decided by each crawl for itself. */
  #keptFeeds(hrefs: readonly string[], base: string, encoding: string): string {
    const targets = new Set(hrefs.map((href) => this.#targets.of(href, base, encoding)));
    const urls = [...targets].flatMap((target) =>
      target !== null && isHttp(target.url) && !target.isCut ? [target.url] : [],
    );
    const text = JSON.stringify(urls);
    return text.length > MOST_FEED_TEXT ? UNKNOWN_FEEDS : text;
  }

  /**
   * A page as an earlier crawl has read it: its facts are as they were, and its links lead on as if it had been read now, by the scope and the
   * rules of this crawl.
   */
  *readEarlier(lease: Lease, { fields, links: kept, feeds, body }: EarlierContent): PageReading {
    const page: PageRow = { ...fields, facts: null, body, edges: null };
    const reading = readingOf(page);
    // Where the earlier crawl did not need it, it is not known, and the text counts as new: that can delay the cut of a trap, and causes none.
    reading.textHash = lease.wantsText ? fields.foldedTextHash : null;
    const said = fields.robotsMeta === null ? [] : [fields.robotsMeta];
    const { nofollow } = robotsDirectives(said, [], this.agentFor(lease.url));
    if (kept !== null) {
      const links = new ScannedLinks(null);
      links.areKept = true;
      links.texts = this.#options.anchorText ? (kept.texts ?? kept.urls.map(() => '')) : null;
      for (const [i, url] of kept.urls.entries()) {
        links.addGiven(kept.kinds[i]!, url, kept.rels[i]!);
      }
      // What was too much for one page was not carried over: nothing is left out here.
      yield* this.#readLinks(lease, links, lease.url, reading, { length: 0, nofollow });
    }
    if (this.#options.feeds && !(nofollow && this.#options.obeyNofollow)) {
      reading.offers.push(...this.#feeds(feeds, lease.url, lease.url, 'utf-8'));
    }
    return reading;
  }

  #isFollowed({ seed }: Lease): boolean {
    return !this.#options.unfollowed.has(seed);
  }

  /** One that is no address of the web is passed over, as browsers do. */
  #baseOf(href: string | null, pageUrl: string): string {
    const base = href === null ? null : this.#targets.urlOf(href, pageUrl);
    return base === null || (isHttp(pageUrl) && !isHttp(base)) ? pageUrl : base;
  }

  *#readLinks(lease: Lease, scanned: ScannedLinks, base: string, reading: Reading, about: LinksOfPage): Step {
    const { hooked = null } = about;
    const firstAdded = scanned.count;
    for (const { url } of hooked?.added ?? []) {
      scanned.addHooked(url);
    }
    const facts = this.#options.linkFacts ? new LinkFactsKeeper() : null;
    const links = new PageLinks(
      {
        links: scanned,
        base,
        encoding: about.encoding ?? 'utf-8',
        depth: lease.depth,
        isNamedBySitemaps: !this.#isFollowed(lease),
        follow: (kind, rel) => this.#follow(kind, rel, about.nofollow ?? false),
        hooked: hooked?.hasSayInLinks ? hooked : null,
        firstAdded,
        zones: about.zones ?? null,
        routesOf: about.routesOf ?? null,
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
    reading.page.edges = links.edges;
    reading.targets = links.targets;
    reading.skippedLinks = links.skipped;
    reading.page.links = links.count;
    reading.page.facts = facts?.facts(about.anchors ?? null, reading.textHash) ?? null;
    if (links.cut > 0) {
      cutLinks(reading, links.cut);
    }
    if (hooked !== null) {
      noteFailure(hooked, reading);
      if (hooked.skips.size > 0) {
        reading.hookSkips = Object.fromEntries(hooked.skips);
      }
      hooked.close();
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
    // What a hook adds is the user's own wish, whatever the page says of its links.
    if (kind === LINK_KIND_NUMBER.hook) {
      return FOLLOWED;
    }
    return this.#options.obeyNofollow && (pageNofollow || (rel !== '' && NOFOLLOW.test(rel))) ? HELD_BACK : FOLLOWED;
  }
}

/** A hook that failed fails its page, with what it said. */
function noteFailure({ failure }: HookedPage, reading: Reading): void {
  if (failure !== null) {
    reading.errorClass = 'hook';
    reading.message = failure;
  }
}

/** `text/*` names all types that begin so. */
function isOfType(contentType: string, type: string): boolean {
  const given = contentType.split(/[;,]/, 1)[0]!.trim().toLowerCase();
  return type.endsWith('/*') ? given.startsWith(type.slice(0, -1)) : given === type;
}

/** One that imports the next, and so on: nobody writes that, a program makes it without end. */
const DEEPEST_STYLESHEET = 100;
/** Of fewer words nobody can say that they are nearly others; page-fields.ts says so. */
const WORDS_TO_COMPARE = 20;
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

function malformation(page: FetchedPage, body: Uint8Array, encoding: string, looksLikeHtml: boolean): string | null {
  if (page.truncated) {
    return page.damage ?? ENDED_EARLY;
  }
  const isSaid = page.contentType !== null;
  return isSaid && isBinary(body, encoding, looksLikeHtml) ? 'said to be HTML, but it is no text' : null;
}
