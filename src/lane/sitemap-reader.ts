import { type Lease, type LinkPiece, type Offer, type QueuePlaces, sitemapOffer } from '../frontier/outcome.js';
import { readSitemap, type SitemapContents } from '../parse/sitemap.js';
import { FOLLOWED, type Follow, PENDING } from '../store/page-row.js';
import { ANY_ORIGIN } from '../store/scope-growth.js';
import { Standing } from '../store/standing.js';
import { UrlFlag } from '../store/url-state.js';
import { isHttp, originOf } from '../url/host.js';
import { INVALID_SCHEME } from './link-facts.js';
import { JudgedLinks, type LinkJudge, type LinkTargets } from './link-targets.js';
import { UrlTextAllowance } from './page-links.js';
import {
  cutLinks,
  emptyReading,
  type FetchedPage,
  type PageReading,
  packBody,
  REDIRECTS,
  type ReaderOptions,
  type Reading,
  sha256,
} from './reading.js';

const MOST_SITEMAP_HOPS = 5;

export const SITEMAP_URL_DEPTH = 1;

/** Origins that a sitemap names out of scope, as far as they are told apart. */
const MOST_PASSED_OVER = 64;

/** From a sitemap or a feed that somebody names to the URLs that it leads to. */
export class SitemapReader {
  readonly #options: ReaderOptions;
  readonly #judge: LinkJudge;
  readonly #places: QueuePlaces;
  readonly #targets: LinkTargets;
  /** What becomes of what comes with the entries of a feed: 0 where it is not asked for. */
  readonly #enclosures: Follow;

  constructor(options: ReaderOptions, judge: LinkJudge, targets: LinkTargets, places: QueuePlaces, enclosures: Follow) {
    this.#options = options;
    this.#judge = judge;
    this.#places = places;
    this.#targets = targets;
    this.#enclosures = enclosures;
  }

  /** A sitemap's URLs stand one click from the start; those of an index are sitemaps themselves. */
  *read(lease: Lease, page: FetchedPage): PageReading {
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
      reading.page.body = packBody(page.body, page.contentType, sha256(page.body));
    }
    const { sitemapMaxUrls: maxUrls, sitemapMaxBytes: maxBytes, pieceUrls } = this.#options;
    const contents = readSitemap(page.body, { maxUrls, maxBytes, baseUrl: lease.url });
    const entries = contents.entries.filter(({ isEnclosure }) => isEnclosure === undefined || this.#enclosures !== 0);
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
          this.#judge.judge(target, this.#enclosures, SITEMAP_URL_DEPTH, 0, enclosures);
        }
        continue;
      }
      const isPassedOver = this.#judge.isPassedOver(target, SITEMAP_URL_DEPTH);
      if (isPassedOver && passedOver.size <= MOST_PASSED_OVER) {
        passedOver.add(originOf(target.url));
      }
      if (!isPassedOver || (this.#options.keepsOutside && target.seed < 0)) {
        const word = this.#judge.judge(target, FOLLOWED, SITEMAP_URL_DEPTH, 0, links);
        if (word < PENDING) {
          // It is known already: that it stands in a sitemap is news all the same.
          links.found.push(word, SITEMAP_URL_DEPTH, Standing.followed);
        }
      }
    }
    const isKept = ({ flags, reason }: Offer) =>
      reason === 'scope' || (flags & (UrlFlag.external | UrlFlag.trap)) !== UrlFlag.external;
    return {
      offers: [...sitemaps, ...links.offers.filter(isKept), ...enclosures.offers],
      found: [...links.found, ...enclosures.found],
    };
  }
}

/**
 * Whether a feed is about the one page that names it, such as the comments that WordPress has for each post (`/a-post/feed/` of `/a-post/`,
 * `/?feed=rss2&p=1` of `/?p=1`) or the replies of a topic (`/t/1.rss` of `/t/1`): it lies below that page. The page at the root of a host names
 * the feeds of the whole site. What a section names below itself its pages name too, and for them it does not lie below.
 *
 * It goes by the two URLs alone, so the feeds that are read are the same in whatever order pages come.
 */
export function isFeedOfPage(feedUrl: string, pageUrl: string): boolean {
  if (!isHttp(pageUrl) || originOf(feedUrl) !== originOf(pageUrl)) {
    return false;
  }
  const feed = new URL(feedUrl);
  const page = new URL(pageUrl);
  if (page.search !== '') {
    const asked = [...page.searchParams];
    return (
      feed.pathname === page.pathname && asked.every(([name, value]) => feed.searchParams.getAll(name).includes(value))
    );
  }
  const path = page.pathname.replace(/\/$/, '');
  return path !== '' && (feed.pathname.startsWith(`${path}/`) || feed.pathname.startsWith(`${path}.`));
}
