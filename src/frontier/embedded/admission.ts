import type { NewUrl, SeedRow } from '../../store/transaction.js';
import { ONLY_CHECKED, QueueClass, UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import { queueOriginOf } from '../../url/place.js';
import type { Offer, Outcome } from '../frontier.js';
import type { Composition } from './composition.js';
import type { FrontierState } from './frontier-state.js';
import type { Origin } from './host.js';
import { MAX_SITEMAP_FILES, SITEMAP_PLACES } from './options.js';
import type { Waiting } from './queue-window.js';
import { sitemapOffer } from './sitemap-offer.js';

/** What leads to them. */
type Source = Pick<Waiting, 'id' | 'kind' | 'depth' | 'seed' | 'flags'>;

/** URLs come in: those that the key table does not know get an id and a place in the transaction, those it knows may be nearer now. */
export class Admission {
  readonly #state: FrontierState;

  constructor(state: FrontierState) {
    this.#state = state;
  }

  admit(offers: Offer[], parent: number | null, composition: Composition): number[] {
    const one = (offer: Offer): number => this.#admitOne(offer, parent, composition);
    // Where the newest goes first, the first link of a page has to be its newest.
    return this.#state.options.order === 'dfs' && parent !== null
      ? offers.toReversed().map(one).reverse()
      : offers.map(one);
  }

  #admitOne(offer: Offer, parent: number | null, composition: Composition): number {
    const known = this.#state.parts.keys.find(offer.key);
    const offered = offer.state !== UrlState.unlisted && offer.reason !== 'nofollow';
    const isCandidate = (offer.flags & UrlFlag.candidate) !== 0;
    if (known === null) {
      // A link that leads to a candidate is news.
      return this.addNew(offer, parent, offered && !isCandidate, composition);
    }
    if (offer.state !== UrlState.unlisted && ((offered && !known.offered) || offer.depth < known.depth)) {
      const named = isCandidate ? { candidate: offer.flags } : {};
      composition.transaction.found.push({ id: known.id, depth: offer.depth, offered, parent, ...named });
    }
    return known.id;
  }

  addNew(offer: Offer, parent: number | null, offered: boolean, composition: Composition): number {
    const id = this.#state.nextId++;
    const originText = isFetchable(offer) ? queueOriginOf(offer.url) : '';
    const origin = this.#state.registry.origin(originText);
    // robots.txt belongs to its origin, whoever redirects to it: it is not in the table.
    const tabled = offer.kind !== UrlKind.robots;
    const unsure = tabled && this.#state.parts.keys.mayBeOnDisk(offer.key);
    const { state, reason } = this.#standing(offer, origin);
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
      this.#state.parts.keys.insert(offer.key, id, offer.depth, offered);
    }
    if (origin !== undefined) {
      composition.pin(origin.host);
      origin.host.sitemapFiles += url.kind === UrlKind.sitemap ? 1 : 0;
    }
    // What a seed redirects to is fetched whatever it looks like.
    if (offer.pattern !== null && (state !== UrlState.queued || (offer.flags & UrlFlag.trap) !== 0)) {
      composition.transaction.trapped.push({ id, pattern: offer.pattern });
    }
    composition.transaction.newUrls.push(url);
    return id;
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
  admitFrom(item: Source, outcome: Outcome, composition: Composition): number[] {
    const redirectsTo =
      outcome.redirect !== null && 'offer' in outcome.redirect ? outcome.offers[outcome.redirect.offer] : undefined;
    if ((item.flags & UrlFlag.seed) !== 0 && item.kind === UrlKind.page && outcome.redirect !== null) {
      this.#followSeed(item, outcome, redirectsTo, composition);
    }
    for (let i = 0; i < outcome.found.length; i += 3) {
      composition.transaction.found.push({
        id: outcome.found[i]!,
        depth: outcome.found[i + 1]!,
        offered: outcome.found[i + 2] === 1,
        parent: item.id,
      });
    }
    return this.admit(outcome.offers, item.id, composition);
  }

  /** What a seed redirects to counts as the seed's too. */
  #followSeed(item: Source, outcome: Outcome, target: Offer | undefined, composition: Composition): void {
    const seed = this.#state.parts.seeds.seeds[item.seed]!;
    const url = outcome.redirectUrl;
    const opensMore = url !== null && this.#state.parts.seeds.redirected(seed.seed, url);
    if (url !== null && !seed.scopeUrls.includes(url)) {
      seed.scopeUrls.push(url);
      composition.transaction.widened.push({ seed: seed.seed, scopeUrls: seed.scopeUrls });
      if (opensMore) {
        this.#state.scopeVersion++;
        this.#state.parts.events.scopeGrew(seed);
      }
    }
    if (target !== undefined) {
      target.state = UrlState.queued;
      target.reason = null;
      target.flags = (target.flags & ~ONLY_CHECKED) | UrlFlag.seed;
      target.seed = seed.seed;
      if (this.#state.options.order === 'priority') {
        target.class = QueueClass.seed;
      }
    } else if (outcome.redirect !== null && 'id' in outcome.redirect) {
      // A link to it was found before, perhaps when it was out of scope.
      composition.transaction.found.push({
        id: outcome.redirect.id,
        depth: item.depth,
        offered: true,
        parent: item.id,
      });
    }
  }

  afterRobots(owner: Origin, sitemaps: string[], composition: Composition): void {
    const { host } = owner;
    if (owner.crawlDelayMs !== null && owner.crawlDelayMs > this.#state.options.maxCrawlDelayMs) {
      this.#state.parts.events.crawlDelayTooLong(host.name, owner.crawlDelayMs);
      return;
    }
    if (!this.#state.options.seekSitemaps || owner.sitemapsSought || !this.#state.parts.seeds.covers(owner.origin)) {
      return;
    }
    owner.sitemapsSought = true;
    const places = SITEMAP_PLACES.map((place) => `${owner.origin}${place}`);
    const urls = [...new Set([...sitemaps, ...places])].slice(0, MAX_SITEMAP_FILES - host.sitemapFiles);
    this.admit(
      urls.map((url) => sitemapOffer(url, 0)),
      null,
      composition,
    );
  }
}

const isFetchable = (offer: Offer): boolean => offer.reason !== 'scheme';
