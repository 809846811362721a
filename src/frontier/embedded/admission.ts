import { foundAgain, isNews, type Standing, standingOf } from '../../store/standing.js';
import type { NewUrl, SeedRow } from '../../store/transaction.js';
import { ONLY_CHECKED, QueueClass, UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import { isShortened } from '../../url/long-url.js';
import { hostOfOrigin, queueOriginOf } from '../../url/place.js';
import type { Offer, Outcome } from '../frontier.js';
import type { Composition } from './composition.js';
import type { FrontierState } from './frontier-state.js';
import type { Host, Origin } from './host.js';
import { SITEMAP_PLACES } from './options.js';
import type { Waiting } from './queue-window.js';
import { sitemapOffer } from './sitemap-offer.js';
import type { UrlBudget } from './url-budget.js';

/** What a page leads to. */
type Leads = Pick<Outcome, 'offers' | 'found' | 'redirect' | 'redirectUrl'>;
/** What leads to them. */
type Source = Pick<Waiting, 'id' | 'kind' | 'depth' | 'seed' | 'flags'>;

/** URLs come in: those that the key table does not know get an id and a place in the transaction, those it knows may be nearer now. */
export class Admission {
  readonly #state: FrontierState;
  readonly #budget: UrlBudget;

  constructor(state: FrontierState, budget: UrlBudget) {
    this.#state = state;
    this.#budget = budget;
  }

  /** @param namer the host whose robots.txt or sitemap names them */
  admit(offers: Offer[], parent: number | null, composition: Composition, namer: Host | null = null): number[] {
    const one = (offer: Offer): number => this.#admitOne(offer, parent, composition, namer);
    // Where the newest goes first, the first link of a page has to be its newest.
    return this.#state.options.order === 'dfs' && parent !== null
      ? offers.toReversed().map(one).reverse()
      : offers.map(one);
  }

  #admitOne(offer: Offer, parent: number | null, composition: Composition, namer: Host | null): number {
    const known = this.#state.parts.keys.find(offer.key);
    if (known === null) {
      return this.addNew(offer, parent, composition, namer);
    }
    if (isCutSitemap(offer)) {
      return known.id;
    }
    const found = foundAgain(known.id, { ...offer, parent });
    if (found.seed !== undefined || isNews(known, found.standing, found.depth)) {
      composition.transaction.found.push(found);
    }
    return known.id;
  }

  addNew(offer: Offer, parent: number | null, composition: Composition, namer: Host | null = null): number {
    const id = this.#state.nextId++;
    const originText = isFetchable(offer) ? queueOriginOf(offer.url) : '';
    const origin = this.#state.registry.origin(originText);
    // robots.txt belongs to its origin, whoever redirects to it: it is not in the table.
    const tabled = offer.kind !== UrlKind.robots;
    const unsure = tabled && this.#state.parts.keys.mayBeOnDisk(offer.key);
    const { state, reason } = this.#isWithinShare(offer, originText, namer, composition)
      ? this.#standing(offer, origin)
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
    };
    if (tabled && !unsure) {
      this.#state.parts.keys.insert(offer.key, id, offer.depth, standingOf(offer));
    }
    if (origin !== undefined) {
      composition.pin(origin.host);
    }
    // What a seed redirects to is fetched whatever it looks like.
    if (offer.pattern !== null && (state !== UrlState.queued || (offer.flags & UrlFlag.trap) !== 0)) {
      composition.transaction.trapped.push({ id, pattern: offer.pattern });
    }
    composition.transaction.newUrls.push(url);
    return id;
  }

  /**
   * A sitemap file counts for the host that it is asked of, when its turn comes. One that lies elsewhere counts for the host that names it,
   * too: nobody sends us to as many hosts as it likes.
   */
  #isWithinShare(offer: Offer, originText: string, namer: Host | null, composition: Composition): boolean {
    const isElsewhere =
      offer.kind === UrlKind.sitemap && offer.state === UrlState.queued && hostOfOrigin(originText) !== namer?.name;
    if (!isElsewhere || namer === null || this.#budget.takeSitemap(namer)) {
      return true;
    }
    this.#budget.noteCut(namer, composition);
    return false;
  }

  /** A survey holds back what waits among the rest: a page must not stand before sitemaps there. */
  #isHeldBack({ kind, flags }: Offer): boolean {
    const { surveyOnly, surveysSeeds = false } = this.#state.options;
    return surveyOnly && kind === UrlKind.page && !(surveysSeeds && (flags & UrlFlag.seed) !== 0);
  }

  /** The scope of a seed counts these URLs too. */
  widen(seed: SeedRow, urls: readonly string[], composition: Composition): void {
    const news = urls.filter((url) => !seed.scopeUrls.includes(url));
    if (news.length === 0) {
      return;
    }
    seed.scopeUrls.push(...news);
    composition.transaction.widened.push({ seed: seed.seed, scopeUrls: seed.scopeUrls });
    this.#state.scopeVersion++;
    this.#state.parts.events.scopeGrew(seed);
  }

  /** A URL whose host is put off, or whose robots.txt cannot be had, shares that fate from the start. */
  #standing(offer: Offer, origin: Origin | undefined): { state: Offer['state']; reason: string | null } {
    if (offer.state !== UrlState.queued || origin === undefined) {
      return { state: offer.state, reason: offer.reason };
    }
    if (origin.robots === 'failed') {
      return { state: UrlState.failed, reason: origin.problem };
    }
    const reason = origin.robots === 'unreachable' ? 'robots_unreachable' : origin.host.deferredReason;
    return reason === null ? { state: offer.state, reason: null } : { state: UrlState.deferred, reason };
  }

  /** Admits what a page, redirect or sitemap leads to. Returns the ids of its offers, in their order. */
  admitFrom(item: Source, outcome: Leads, composition: Composition, host: Host | null = null): number[] {
    if ((item.flags & UrlFlag.seed) !== 0 && outcome.redirect !== null && 'offer' in outcome.redirect) {
      this.#followSeed(item, outcome.offers[outcome.redirect.offer]!);
    }
    for (let i = 0; i < outcome.found.length; i += 3) {
      composition.transaction.found.push({
        id: outcome.found[i]!,
        depth: outcome.found[i + 1]!,
        standing: outcome.found[i + 2] as Standing,
        parent: item.id,
      });
    }
    return this.admit(outcome.offers, item.id, composition, host);
  }

  /** What a seed redirects to counts as the seed's too; the store widens the scope by it. */
  #followSeed({ seed }: Source, target: Offer): void {
    if (isShortened(target.url) || target.reason === 'scheme') {
      // What is not kept whole, or is no page of the web, cannot be asked for, whoever redirects there.
      return;
    }
    target.state = UrlState.queued;
    target.reason = null;
    target.flags = (target.flags & ~ONLY_CHECKED) | UrlFlag.seed;
    target.seed = seed;
    if (this.#state.options.order === 'priority') {
      target.class = QueueClass.seed;
    }
  }

  afterRobots(owner: Origin, sitemaps: string[], composition: Composition): void {
    const { host } = owner;
    if (owner.isUnanswered) {
      this.#state.parts.events.robotsUnanswered(owner.origin);
    }
    if (owner.crawlDelayMs !== null && owner.crawlDelayMs > this.#state.options.maxCrawlDelayMs) {
      this.#state.parts.events.crawlDelayTooLong(host.name, owner.crawlDelayMs);
      return;
    }
    if (!this.#state.options.seekSitemaps || !this.#state.parts.seeds.covers(owner.origin)) {
      return;
    }
    // What a robots.txt names that is read once more may be new: the first time it may not even have been answered.
    const places = owner.sitemapsSought ? [] : SITEMAP_PLACES.map((place) => `${owner.origin}${place}`);
    owner.sitemapsSought = true;
    const named = [...new Set(sitemaps)];
    const guessed = places.filter((url) => !named.includes(url));
    const isBeyond = this.#state.options.sitemapsAreBeyond;
    const offers = [
      ...named.map((url) => sitemapOffer(url, 0, { isBeyond })),
      ...guessed.map((url) => sitemapOffer(url, 0, { isBeyond, isGuess: true })),
    ];
    if (offers.length > 0) {
      this.admit(offers, null, composition, host);
    }
  }
}

/** Nested too deep: that it is named again changes nothing. */
const isCutSitemap = ({ kind, state }: Offer): boolean => kind === UrlKind.sitemap && state === UrlState.skipped;

const isFetchable = (offer: Offer): boolean => offer.reason !== 'scheme';
