import { foreignReason, foundAgain, isNews, Standing, standingOf } from '../store/standing.js';
import type { NewUrl, SeedRow } from '../store/transaction.js';
import { ONLY_CHECKED, QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { hostOfOrigin, queueOriginOf } from '../url/host.js';
import { isShortened } from '../url/identity.js';
import { isForeignTo } from '../url/slots.js';
import type { Budget } from './budget.js';
import type { Draft } from './draft.js';
import type { Host, Origin } from './host.js';
import type { Hosts } from './hosts.js';
import { type FrontierParts, SITEMAP_PLACES } from './options.js';
import {
  keyOf,
  type LinkPiece,
  type LinkSource,
  type Offer,
  type Outcome,
  plainCandidate,
  QueuePlaces,
  sitemapOffer,
} from './outcome.js';

/** What a page leads to, and where it redirects. */
type Leads = LinkPiece & Partial<Pick<Outcome, 'redirect'>>;

/**
 * Takes URLs in. One that the key table does not know gets an id and a row in the transaction; a known one may be nearer now, and the store
 * decides what follows from that. Ids and versions of the scope are given here and nowhere else.
 */
export class Admission {
  readonly #parts: Pick<FrontierParts, 'options' | 'keys' | 'seeds' | 'events' | 'seedOf' | 'rankOf'>;
  readonly #hosts: Hosts;
  readonly #budget: Budget;
  readonly #places: QueuePlaces;
  #nextId: number;
  #scopeVersion = 0;

  constructor(parts: FrontierParts, hosts: Hosts, budget: Budget) {
    this.#parts = parts;
    this.#hosts = hosts;
    this.#budget = budget;
    this.#places = new QueuePlaces(parts.options.order);
    this.#nextId = parts.snapshot.nextId;
  }

  /** Grows whenever the scope of a seed grows. */
  get scopeVersion(): number {
    return this.#scopeVersion;
  }

  takeId(): number {
    return this.#nextId++;
  }

  /** @param namer the host whose robots.txt or sitemap names them */
  admit(offers: Offer[], parent: number | null, draft: Draft, namer: Host | null = null): number[] {
    const one = (offer: Offer): number => this.#admitOne(offer, parent, draft, namer);
    // When the newest goes first, the first link of a page has to be its newest.
    return this.#parts.options.order === 'dfs' && parent !== null
      ? offers.toReversed().map(one).reverse()
      : offers.map(one);
  }

  #admitOne(offer: Offer, parent: number | null, draft: Draft, namer: Host | null): number {
    const known = this.#parts.keys.find(offer.key);
    if (known === null) {
      return this.addNew(offer, parent, draft, namer).id;
    }
    if (isCutSitemap(offer)) {
      return known.id;
    }
    const found = foundAgain(known.id, offer, parent);
    if (found.seed !== undefined || found.added || isNews(known, found.standing, found.depth)) {
      draft.transaction.found.push(found);
    }
    return known.id;
  }

  addNew(offer: Offer, parent: number | null, draft: Draft, namer: Host | null = null): NewUrl {
    const { keys } = this.#parts;
    const id = this.takeId();
    const originText = isFetchable(offer) ? queueOriginOf(offer.url) : '';
    const origin = this.#hosts.origin(originText);
    // A robots.txt belongs to its origin and is not in the table, whatever redirects to it.
    const tabled = offer.kind !== UrlKind.robots;
    const unsure = tabled && keys.mayBeOnDisk(offer.key);
    const isForeign = this.#isForeign(offer);
    const { state, reason } = isForeign
      ? { state: UrlState.unlisted, reason: foreignReason(standingOf(offer)) }
      : this.#isWithinShare(offer, originText, namer, draft)
        ? fateOf(offer, origin)
        : { state: UrlState.skipped, reason: 'limit' };
    const url: NewUrl = {
      id,
      url: offer.url,
      kind: offer.kind,
      origin: origin?.id ?? originText,
      depth: offer.depth,
      parent,
      seed: offer.seed,
      class: this.#isHeldBack(offer) ? Math.max(QueueClass.rest, offer.class) : offer.class,
      state,
      reason,
      hops: offer.hops,
      flags: offer.flags,
      key: offer.key,
      unsure,
      ...(offer.data === undefined ? {} : { data: offer.data }),
    };
    if (tabled && !unsure) {
      keys.insert(offer.key, id, offer.depth, standingOf(offer));
    }
    if (origin !== undefined) {
      draft.pin(origin.host);
    }
    // The target of a seed's redirect is fetched, whatever it looks like.
    const isTrap = offer.pattern !== null && (state !== UrlState.queued || (offer.flags & UrlFlag.trap) !== 0);
    if (isTrap && !isForeign) {
      draft.transaction.trapped.push({ id, pattern: offer.pattern! });
    }
    draft.transaction.newUrls.push(url);
    return url;
  }

  /** Another machine of the same crawl lists and requests it. A URL that no machine lists stays only the end of an edge here. */
  #isForeign({ url, state }: Offer): boolean {
    const { seat } = this.#parts.options;
    return seat !== undefined && state !== UrlState.unlisted && isForeignTo(seat, url);
  }

  /**
   * A sitemap file counts for the host it is requested from, when its turn comes. One on another host counts for the host that names it,
   * too, so that no host can send us to any number of others.
   */
  #isWithinShare(offer: Offer, originText: string, namer: Host | null, draft: Draft): boolean {
    const isElsewhere =
      offer.kind === UrlKind.sitemap && offer.state === UrlState.queued && hostOfOrigin(originText) !== namer?.name;
    if (!isElsewhere || namer === null || this.#budget.takeSitemap(namer)) {
      return true;
    }
    draft.cutSitemap(namer);
    return false;
  }

  /** A survey holds back URLs of the class `rest`: a page must not stand before sitemaps there. */
  #isHeldBack({ kind, flags }: Offer): boolean {
    const { surveyOnly, surveysSeeds = false } = this.#parts.options;
    return surveyOnly && kind === UrlKind.page && !(surveysSeeds && (flags & UrlFlag.seed) !== 0);
  }

  /** Admits the URLs of a page, redirect or sitemap. Returns the ids of its offers, in their order. */
  admitFrom(
    source: LinkSource & { readonly url?: string | undefined },
    { offers, found, redirect }: Leads,
    draft: Draft,
    host: Host | null = null,
  ): number[] {
    if ((source.flags & UrlFlag.seed) !== 0 && redirect && 'offer' in redirect) {
      this.#followSeed(source, offers[redirect.offer]!);
    }
    for (let i = 0; i < found.length; i += 3) {
      draft.transaction.found.push({
        id: found[i]!,
        depth: found[i + 1]!,
        standing: found[i + 2] as Standing,
        parent: source.id,
      });
    }
    this.#rank(offers, source.url ?? null);
    return this.admit(offers, source.id, draft, host);
  }

  /** Asks the user's function, if there is one, where each new URL is to wait. */
  #rank(offers: Offer[], from: string | null): void {
    const { rankOf, keys } = this.#parts;
    if (rankOf === undefined) {
      return;
    }
    for (const offer of offers) {
      const { url, depth, key, kind, state, flags } = offer;
      const isLink = kind === UrlKind.page && state !== UrlState.unlisted && offer.class !== QueueClass.urgent;
      if (isLink && (flags & UrlFlag.seed) === 0 && keys.find(key) === null) {
        const rank = rankOf({ url, depth, from });
        offer.class = rank === null ? offer.class : QueueClass.rest + rank;
      }
    }
  }

  /** The target of a seed's redirect belongs to the seed too; the store widens the scope by it. */
  #followSeed({ seed }: LinkSource, target: Offer): void {
    if (isShortened(target.url) || target.reason === 'scheme') {
      // A URL that is not kept whole, or is not http(s), cannot be requested, whatever redirects there.
      return;
    }
    target.state = UrlState.queued;
    target.reason = null;
    target.flags = (target.flags & ~ONLY_CHECKED) | UrlFlag.seed;
    target.seed = seed;
    if (this.#parts.options.order === 'priority') {
      target.class = QueueClass.seed;
    }
  }

  /** Adds these URLs to the scope of a seed, before the first request. */
  widen(seed: SeedRow, urls: readonly string[], draft: Draft): void {
    const news = urls.filter((url) => !seed.scopeUrls.includes(url));
    if (news.length > 0) {
      seed.scopeUrls.push(...news);
      this.#parts.seeds.grew(seed.seed, news);
      draft.transaction.widened.push({ seed: seed.seed, scopeUrls: seed.scopeUrls });
      this.scopeGrew(seed);
    }
  }

  /** From now on lanes have to judge by the new scope. */
  scopeGrew(seed: SeedRow): void {
    this.#scopeVersion++;
    this.#parts.events.scopeGrew(seed);
  }

  /** Rules are known, or none are waited for: the sitemaps of the origin are sought. */
  seekSitemaps(owner: Origin, named: string[], draft: Draft): void {
    const { options, seeds, events } = this.#parts;
    const { robots, host } = owner;
    if (robots.isUnanswered) {
      events.robotsUnanswered(owner.origin);
    }
    if (host.delayMs > 0) {
      // It may have had none until now.
      events.recall?.(host.name);
    }
    if (robots.crawlDelayMs !== null && robots.crawlDelayMs > options.maxCrawlDelayMs) {
      events.crawlDelayTooLong(host.name, robots.crawlDelayMs);
      return;
    }
    if (!options.seekSitemaps || !seeds.covers(owner.origin)) {
      return;
    }
    // A robots.txt that is read again may name new sitemaps: the first time it may not even have been answered.
    const isBeyond = options.sitemapsAreBeyond;
    const urls = new Set(named);
    const offers = [...urls].map((url) => sitemapOffer(url, 0, { isBeyond }));
    for (const place of robots.seekSitemaps() ? SITEMAP_PLACES : []) {
      const url = `${owner.origin}${place}`;
      if (!urls.has(url)) {
        offers.push(sitemapOffer(url, 0, { isBeyond, isGuess: true }));
      }
    }
    this.admit(offers, null, draft, host);
  }

  /** A name from a certificate log may have a server without TLS. */
  tryPlain(url: string, reason: string | null, draft: Draft): void {
    const next = plainCandidate(url, reason, (plain) => this.#parts.seedOf?.(plain) ?? -1, this.#places);
    if (next !== null) {
      this.admit([next], null, draft);
    }
  }

  /** There is no robots.txt over TLS. What is known about the home page tells whether the origin is one of those names. */
  tryPlainOrigin({ origin }: Origin, { status, errorClass }: Outcome, draft: Draft): void {
    const home = this.#parts.keys.find(keyOf(`${origin}/`));
    if (home?.standing === Standing.named && status === null) {
      this.tryPlain(`${origin}/`, errorClass, draft);
    }
  }
}

/** A URL whose host is put off, or whose robots.txt cannot be read, shares that fate from the start. */
function fateOf(offer: Offer, origin: Origin | undefined): { state: UrlState; reason: string | null } {
  if (offer.state !== UrlState.queued || origin === undefined) {
    return { state: offer.state, reason: offer.reason };
  }
  const { robots, host } = origin;
  if (robots.state === 'failed') {
    return { state: UrlState.failed, reason: robots.problem };
  }
  const reason = robots.state === 'unreachable' ? 'robots_unreachable' : host.deferredReason;
  return reason === null ? { state: offer.state, reason: null } : { state: UrlState.deferred, reason };
}

/** The sitemap is nested too deep: naming it again changes nothing. */
const isCutSitemap = ({ kind, state }: Offer): boolean => kind === UrlKind.sitemap && state === UrlState.skipped;

const isFetchable = (offer: Offer): boolean => offer.reason !== 'scheme';
