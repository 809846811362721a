import { emptyPage, type SealedPage, sealPage } from '../../store/page-row.js';
import { asksForMore, Standing } from '../../store/standing.js';
import { isUnanswered, QueueClass, UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import { isHttp } from '../../url/host.js';
import { queueOriginOf } from '../../url/place.js';
import { plainCandidate } from '../candidate.js';
import type { Offer, Outcome } from '../frontier.js';
import { keyOf } from '../seed-book.js';
import { judge, type Verdict } from '../verdict.js';
import type { Admission } from './admission.js';
import type { Composition } from './composition.js';
import type { Deferral } from './deferral.js';
import type { FrontierState, Held } from './frontier-state.js';
import type { Origin } from './host.js';
import { MAX_RETRY_DELAY_MS } from './options.js';
import type { Responses } from './responses.js';
import type { UrlBudget } from './url-budget.js';

/** Outcomes of leases become part of the next transaction. */
export class Settlement {
  readonly #state: FrontierState;
  readonly #admission: Admission;
  readonly #budget: UrlBudget;
  readonly #deferral: Deferral;
  readonly #responses: Responses;

  constructor(state: FrontierState, admission: Admission, budget: UrlBudget, deferral: Deferral, responses: Responses) {
    this.#state = state;
    this.#admission = admission;
    this.#budget = budget;
    this.#deferral = deferral;
    this.#responses = responses;
  }

  settleOne(outcome: Outcome, composition: Composition): void {
    const held = this.#state.leased.get(outcome.id);
    if (held === undefined) {
      throw new Error(`an outcome came for URL ${outcome.id}, which is not leased`);
    }
    this.#responses.ended(outcome);
    this.#state.leased.delete(outcome.id);
    held.origin.host.pinned--;
    this.#budget.ended(held);
    const asked = held.item.flags;
    held.item.flags = this.#state.flagsOf(held.item);
    this.#state.reflagged.delete(held.item.id);
    if (outcome.unsent === 'returned' || outcome.unsent === 'lost') {
      this.#state.refetched += outcome.unsent === 'lost' ? 1 : 0;
      this.#giveBack(held, composition);
    } else if (held.robotsOf === null && this.#isAskedAgain(held, asked, outcome)) {
      held.origin.waitsForNothing = false;
      this.#giveBack(held, composition);
    } else if (held.robotsOf !== null) {
      this.#settleRobots(held, held.robotsOf, outcome, composition);
    } else {
      this.#settleUrl(held, outcome, composition);
    }
  }

  /** It was only looked at, and turned out meanwhile to be one that is read; or it has to wait for what its robots.txt says of sitemaps. */
  #isAskedAgain({ item, origin }: Held, askedBy: number, { unsent }: Outcome): boolean {
    return origin.waitsForNothing || (unsent === null && asksForMore(askedBy, item.flags, item.url));
  }

  #giveBack(held: Held, composition: Composition): void {
    composition.transaction.returned.push(held.item.id);
    if (held.robotsOf !== null && held.item.hops === 0) {
      this.#state.robotsLeased--;
      held.robotsOf.robots = 'unknown';
      this.#state.scheduler.refresh(held.robotsOf.host);
      return;
    }
    this.#budget.uncount(held);
    const item = { ...held.item, attempts: held.item.attempts - 1, class: QueueClass.urgent, notBefore: 0 };
    composition.requeued.push({ item, origin: held.origin });
    composition.pin(held.origin.host);
    this.#deferral.shareFate(held.origin, composition);
  }

  #settleUrl(held: Held, outcome: Outcome, composition: Composition): void {
    const { item, origin } = held;
    const { retries, retryDelayMs, secondLook } = this.#state.options;
    const rules = { retries, retryDelayMs, maxRetryDelayMs: MAX_RETRY_DELAY_MS, ...(secondLook ? { secondLook } : {}) };
    let verdict = judge(outcome, item, rules);
    if (
      outcome.redirect !== null &&
      this.#state.options.maxRedirects > 0 &&
      item.hops + 1 > this.#state.options.maxRedirects
    ) {
      verdict = { state: UrlState.failed, reason: 'redirect_limit' };
    }
    if (outcome.unsent === 'robots') {
      this.#budget.uncount(held);
    }
    if (verdict.state === 'retry') {
      this.#retry(held, verdict, outcome, composition);
      return;
    }
    const limited = verdict.reason === 'redirect_limit';
    const newIds = limited ? [] : this.#admission.admitFrom(item, outcome, composition, origin.host);
    composition.transaction.settled.push({
      id: item.id,
      state: verdict.state,
      reason: verdict.reason,
      ...(outcome.unchanged ? { unchanged: true as const } : {}),
      retry: null,
      page: outcome.page ?? failedPage(outcome, this.#state.clock.wall()),
      redirectTo: limited ? null : redirectTarget(outcome, newIds),
      ...(outcome.cookies === undefined ? {} : { cookies: outcome.cookies }),
      ...((item.flags & UrlFlag.gate) === 0 ? {} : { passesGate: true as const }),
      edges: limited ? null : outcome.edges,
      rels: outcome.rels,
      texts: outcome.texts,
      newIds,
      depth: outcome.scopeVersion === this.#state.scopeVersion ? item.depth : -1,
    });
    composition.settled.outstanding++;
    if (item.kind === UrlKind.sitemap && (held.pieces.namePages || outcome.offers.some(isPage))) {
      // All of its URLs, those that were known already too.
      this.#state.parts.events.sitemapRead(item.url, outcome.page?.links ?? 0);
    }
    if (isUnanswered(item.flags, verdict.state, verdict.reason)) {
      if ((item.flags & UrlFlag.fromCertificates) !== 0) {
        this.#tryPlain(item.url, verdict.reason, composition);
      }
    } else if (item.kind === UrlKind.page) {
      const state = (['done', 'failed', 'skipped'] as const)[verdict.state - UrlState.done]!;
      composition.settled[state]++;
      const external = (item.flags & UrlFlag.external) !== 0;
      composition.pages.push({
        url: item.url,
        depth: item.depth,
        attempts: item.attempts,
        state,
        reason: verdict.reason,
        external,
        outcome,
      });
      this.#noteSeed(held, verdict.state, outcome, composition);
      this.#noteTrap(held, outcome);
    } else if (item.kind === UrlKind.asset) {
      composition.assets.push(item.id);
    }
    composition.pin(origin.host);
  }

  #retry(
    held: Held,
    verdict: Extract<Verdict, { state: 'retry' }>,
    { status, message }: Outcome,
    composition: Composition,
  ): void {
    const { item } = held;
    const beginsAgain = verdict.look !== undefined;
    if (verdict.reason !== null && item.kind === UrlKind.page) {
      this.#state.parts.events.retryLater(item.url, status, message ?? verdict.reason, verdict.afterMs);
    }
    composition.transaction.settled.push({
      id: item.id,
      state: UrlState.queued,
      reason: verdict.reason,
      retry: {
        notBefore: this.#state.steady.wall() + verdict.afterMs,
        flags: verdict.flags,
        ...(beginsAgain ? { beginsAgain } : {}),
        attempt: { number: item.attempts, at: this.#state.clock.wall(), status, message },
      },
      page: null,
      redirectTo: null,
      edges: null,
      rels: [],
      texts: null,
      newIds: [],
      depth: item.depth,
    });
    const notBefore = verdict.afterMs > 0 ? this.#state.clock.now() + verdict.afterMs : 0;
    composition.requeued.push({
      item: {
        ...item,
        ...{ class: QueueClass.urgent, notBefore, flags: verdict.flags },
        attempts: beginsAgain ? 1 : item.attempts,
      },
      origin: held.origin,
    });
    composition.pin(held.origin.host);
    this.#deferral.shareFate(held.origin, composition);
  }

  #noteSeed(held: Held, state: UrlState, outcome: Outcome, composition: Composition): void {
    const { item } = held;
    if ((item.flags & UrlFlag.seed) === 0) {
      return;
    }
    const { redirectUrl } = outcome;
    const leadsAway = redirectUrl !== null && isHttp(item.url) && !isHttp(redirectUrl);
    if (state === UrlState.done && outcome.redirect === null) {
      this.#state.parts.seeds.reached(item.seed);
    } else if (state !== UrlState.done || leadsAway) {
      const message = leadsAway ? `It redirects to ${redirectUrl}, which is no page of the web.` : outcome.message;
      const next = this.#state.parts.seeds.failed(item.seed, { ...outcome, message });
      if (next !== null) {
        this.#admission.admit([next], null, composition);
      }
    }
  }

  /** A name from a log of certificates may have a server that knows no TLS. */
  #tryPlain(url: string, reason: string | null, composition: Composition): void {
    const next = plainCandidate(url, reason, (plain) => this.#state.parts.seedOf?.(plain) ?? -1, this.#state.places);
    if (next !== null) {
      this.#admission.admit([next], null, composition);
    }
  }

  /** No robots.txt by TLS. Whether the origin is one of those names is told by what is known of its home page. */
  #tryPlainOrigin({ origin }: Origin, outcome: Outcome, composition: Composition): void {
    const home = this.#state.parts.keys.find(keyOf(`${origin}/`));
    if (home?.standing === Standing.named && outcome.status === null) {
      this.#tryPlain(`${origin}/`, outcome.errorClass, composition);
    }
  }

  /** Part of what a page leads to, ahead of the page. */
  notePiece(id: number, offers: Offer[]): void {
    const held = this.#state.leased.get(id);
    if (held !== undefined) {
      held.pieces.bringNews ||= this.#bringsNews(held.item.url, offers);
      held.pieces.namePages ||= offers.some(isPage);
    }
  }

  #bringsNews(url: string, offers: Offer[]): boolean {
    const { traps } = this.#state.parts;
    return (
      !traps.wantsText(url) || offers.some((offer) => offer.state === UrlState.queued && traps.isNews(url, offer.url))
    );
  }

  #noteTrap(held: Held, outcome: Outcome): void {
    // What is only checked was not read: it says nothing of what its pattern brings.
    if (outcome.unsent !== null || outcome.status === null || (held.item.flags & UrlFlag.external) !== 0) {
      return;
    }
    const { url } = held.item;
    const { traps } = this.#state.parts;
    const newShapes = held.pieces.bringNews || this.#bringsNews(url, outcome.offers);
    traps.fetched(url, { newShapes, textHash: outcome.textHash });
  }

  #settleRobots(held: Held, owner: Origin, outcome: Outcome, composition: Composition): void {
    if (held.item.hops === 0) {
      this.#state.robotsLeased--;
    } else {
      composition.settled.outstanding++;
    }
    const failed = outcome.robots === null || outcome.robots.standing !== 'rules';
    composition.transaction.settled.push({
      id: held.item.id,
      state: failed && outcome.redirect === null ? UrlState.failed : UrlState.done,
      reason: outcome.errorClass,
      retry: null,
      page: outcome.page ?? failedPage(outcome, this.#state.clock.wall()),
      redirectTo: null,
      edges: null,
      rels: [],
      texts: null,
      newIds: [],
      depth: 0,
    });
    const step = this.#state.robots.answer(owner, held.item, outcome);
    if (step.hop !== null) {
      const { offer, walk } = step.hop;
      const id = this.#admission.addNew(offer, held.item.id, composition);
      this.#state.robots.follows(id, owner, queueOriginOf(offer.url), walk);
      if (composition.transaction.newUrls.at(-1)!.state !== UrlState.queued) {
        this.#deferral.abandonHops(queueOriginOf(offer.url), composition);
      }
    }
    if (step.bulk !== null) {
      this.#deferral.moveAll(step.bulk.to, step.bulk.reason, null, owner, composition);
      this.#tryPlainOrigin(owner, outcome, composition);
      this.#admission.admit(
        this.#state.parts.seeds.originFailed(owner.origin, step.bulk.reason, outcome),
        null,
        composition,
      );
    }
    composition.pin(owner.host);
    composition.pin(held.origin.host);
    if (step.settled) {
      this.#admission.afterRobots(owner, step.sitemaps, composition);
    }
    this.#state.scheduler.refresh(owner.host);
  }
}

const isPage = ({ kind }: Offer): boolean => kind === UrlKind.page;

function redirectTarget(outcome: Outcome, newIds: number[]): number | null {
  if (outcome.redirect === null) {
    return null;
  }
  return 'id' in outcome.redirect ? outcome.redirect.id : newIds[outcome.redirect.offer]!;
}

/** What is kept of a request that got no answer. */
function failedPage(outcome: Outcome, wall: number): SealedPage {
  return sealPage({
    ...emptyPage(outcome.status),
    message: outcome.message,
    fetchedAt: wall,
    ttfbMs: outcome.ttfbMs ?? 0,
  });
}
