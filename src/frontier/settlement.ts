import { emptyPage, type SealedPage, sealPage } from '../store/page-row.js';
import { asksForMore } from '../store/standing.js';
import type { QueuedUrl } from '../store/transaction.js';
import { isUnanswered, QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { isHttp, queueOriginOf } from '../url/host.js';
import type { TrapEvidence as BroughtByPage } from '../url/traps.js';
import type { Admission } from './admission.js';
import type { Budget } from './budget.js';
import type { Draft } from './draft.js';
import type { Origin } from './host.js';
import type { Leased, Leases } from './leases.js';
import { type FrontierParts, MAX_RETRY_DELAY_MS } from './options.js';
import type { Offer, Outcome } from './outcome.js';
import type { RobotsAnswers } from './robots-answers.js';
import type { Scheduler } from './scheduler.js';
import type { SharedFate } from './shared-fate.js';
import { judge, type RetryRules, type Verdict } from './verdict.js';

interface Surroundings {
  scheduler: Scheduler;
  leases: Leases;
  budget: Budget;
  admission: Admission;
  robots: RobotsAnswers;
  fate: SharedFate;
  /** Wall time that does not jump: for times that go to the store and come back in the same run. */
  steadyWall(): number;
}

/** A page as it came, and what it brought by that. */
interface Frame {
  url: string;
  brought: BroughtByPage;
}

/** Beyond so many, the oldest counts as it came. */
const MOST_FRAMES = 10_000;

/** What was found on a page before its outcome came: whether it is of another shape, and whether there are pages in it. */
interface Pieces {
  bringNews: boolean;
  namePages: boolean;
}

const NO_PIECES: Pieces = { bringNews: false, namePages: false };

const withoutLinks = () => ({ redirectTo: null, newIds: null });

/**
 * Outcomes of leases become part of the next transaction: a URL is done, failed or skipped, or it waits once more. The verdict on each outcome is
 * final for its lease; what follows for memory waits until the store has answered.
 */
export class Settlement {
  readonly #parts: Pick<FrontierParts, 'options' | 'clock' | 'traps' | 'seeds' | 'events'>;
  readonly #around: Surroundings;
  readonly #rules: RetryRules;
  /** What is known about pages that are handed on in pieces, by id. */
  readonly #pieces = new Map<number, Pieces>();
  /** Pages that wait for a browser. */
  readonly #frames = new Map<number, Frame>();

  constructor(parts: FrontierParts, around: Surroundings) {
    const { retries, retryDelayMs, secondLook } = parts.options;
    this.#parts = parts;
    this.#around = around;
    this.#rules = {
      ...{ retries, retryDelayMs, maxRetryDelayMs: MAX_RETRY_DELAY_MS },
      ...(secondLook ? { secondLook } : {}),
    };
  }

  settle(outcome: Outcome, draft: Draft): void {
    const { budget } = this.#around;
    const leased = this.#around.leases.takeBack(outcome);
    const pieces = this.#pieces.get(outcome.id) ?? NO_PIECES;
    this.#pieces.delete(outcome.id);
    const { origin, robotsOf } = leased;
    if (outcome.unsent === 'returned' || outcome.unsent === 'lost') {
      if (outcome.unsent === 'lost') {
        budget.refetched();
      }
      this.#giveBack(leased, draft);
    } else if (robotsOf !== null) {
      this.#settleRobots(leased, robotsOf, outcome, draft);
    } else if (isAskedAgain(leased, outcome)) {
      origin.robots.gotOneBack();
      this.#giveBack(leased, draft);
    } else {
      this.#settleUrl(leased, outcome, pieces, draft);
    }
  }

  #giveBack({ item, origin, robotsOf }: Leased, draft: Draft): void {
    draft.transaction.returned.push(item.id);
    if (robotsOf !== null && item.hops === 0) {
      this.#around.scheduler.askRobotsAgain(robotsOf);
      return;
    }
    this.#around.budget.uncount(item, origin.host);
    this.#requeue({ ...item, attempts: item.attempts - 1, class: QueueClass.urgent, notBefore: 0 }, origin, draft);
  }

  #requeue(item: QueuedUrl, origin: Origin, draft: Draft): void {
    draft.requeued.push({ item, origin });
    draft.pin(origin.host);
    this.#around.fate.follow(origin, draft);
  }

  #settleUrl(leased: Leased, outcome: Outcome, pieces: Pieces, draft: Draft): void {
    const { item, origin } = leased;
    const { admission, budget } = this.#around;
    const { maxRedirects } = this.#parts.options;
    const isLimited = outcome.redirect !== null && maxRedirects > 0 && item.hops + 1 > maxRedirects;
    const verdict: Verdict = isLimited
      ? { state: UrlState.failed, reason: 'redirect_limit' }
      : judge(outcome, item, this.#rules);
    if (outcome.unsent !== null && verdict.state === UrlState.skipped) {
      budget.uncount(item, origin.host);
    }
    if (verdict.state === 'retry') {
      this.#retry(leased, verdict, outcome, draft);
      return;
    }
    const newIds = isLimited ? [] : admission.admitFrom(item, outcome, draft, origin.host);
    draft.transaction.settled.push({
      id: item.id,
      state: verdict.state,
      reason: verdict.reason,
      ...(outcome.unchanged ? { unchanged: true as const } : {}),
      retry: null,
      page: outcome.page ?? this.#failedPage(outcome),
      ...archivedOf(outcome),
      redirectTo: isLimited ? null : redirectTarget(outcome, newIds),
      ...(outcome.cookies === undefined ? {} : { cookies: outcome.cookies }),
      ...((item.flags & UrlFlag.gate) === 0 ? {} : { passesGate: true as const }),
      newIds: isLimited ? null : newIds,
      depth: outcome.scopeVersion === admission.scopeVersion ? item.depth : -1,
    });
    draft.settled.outstanding++;
    if (item.kind === UrlKind.sitemap && (pieces.namePages || outcome.offers.some(isPage))) {
      // All of its URLs, those that were known already too.
      this.#parts.events.sitemapRead(item.url, outcome.page?.links ?? 0);
    }
    if (isUnanswered(item.flags, verdict.state, verdict.reason)) {
      if ((item.flags & UrlFlag.fromCertificates) !== 0) {
        admission.tryPlain(item.url, verdict.reason, draft);
      }
    } else if (item.kind === UrlKind.page) {
      this.#settlePage(item, verdict, outcome, pieces, draft);
    } else if (item.kind === UrlKind.asset) {
      draft.assets.push(item.id);
    }
    draft.pin(origin.host);
  }

  #settlePage(
    item: QueuedUrl,
    verdict: Exclude<Verdict, { state: 'retry' }>,
    outcome: Outcome,
    pieces: Pieces,
    draft: Draft,
  ): void {
    const state = (['done', 'failed', 'skipped'] as const)[verdict.state - UrlState.done]!;
    draft.settled[state]++;
    draft.pages.push({
      url: item.url,
      depth: item.depth,
      attempts: item.attempts,
      state,
      reason: verdict.reason,
      external: (item.flags & UrlFlag.external) !== 0,
      outcome,
    });
    this.#noteSeed(item, verdict.state, outcome, draft);
    this.#noteTrap(item, outcome, pieces);
  }

  #retry(
    { item, origin }: Leased,
    verdict: Extract<Verdict, { state: 'retry' }>,
    outcome: Outcome,
    draft: Draft,
  ): void {
    const { status, message } = outcome;
    const { clock, events } = this.#parts;
    const { afterMs, flags, reason } = verdict;
    const beginsAgain = verdict.look !== undefined;
    if (reason !== null && item.kind === UrlKind.page) {
      events.retryLater(item.url, status, message ?? reason, afterMs);
    }
    draft.transaction.settled.push({
      id: item.id,
      state: UrlState.queued,
      reason,
      retry: {
        notBefore: this.#around.steadyWall() + afterMs,
        flags,
        ...(beginsAgain ? { beginsAgain } : {}),
        attempt: { number: item.attempts, at: clock.wall(), status, message },
      },
      page: null,
      ...archivedOf(outcome),
      ...withoutLinks(),
      depth: item.depth,
    });
    const notBefore = afterMs > 0 ? clock.now() + afterMs : 0;
    const attempts = beginsAgain ? 1 : item.attempts;
    this.#requeue({ ...item, class: QueueClass.urgent, notBefore, flags, attempts }, origin, draft);
  }

  #noteSeed({ url, seed, flags }: QueuedUrl, state: UrlState, outcome: Outcome, draft: Draft): void {
    if ((flags & UrlFlag.seed) === 0) {
      return;
    }
    const { seeds } = this.#parts;
    const { redirectUrl } = outcome;
    const leadsAway = redirectUrl !== null && isHttp(url) && !isHttp(redirectUrl);
    if (state === UrlState.done && outcome.redirect === null) {
      seeds.reached(seed);
    } else if (state !== UrlState.done || leadsAway) {
      const message = leadsAway ? `It redirects to ${redirectUrl}, which is no page of the web.` : outcome.message;
      const next = seeds.failed(seed, { ...outcome, message });
      if (next !== null) {
        this.#around.admission.admit([next], null, draft);
      }
    }
  }

  /** Part of what a page leads to, ahead of the page. */
  notePiece({ item }: Readonly<Leased>, offers: Offer[]): void {
    const { bringNews, namePages } = this.#pieces.get(item.id) ?? NO_PIECES;
    this.#pieces.set(item.id, {
      bringNews: bringNews || this.#bringsNews(item.url, offers),
      namePages: namePages || offers.some(isPage),
    });
  }

  #bringsNews(url: string, offers: Offer[]): boolean {
    const { traps } = this.#parts;
    return (
      !traps.wantsText(url) || offers.some((offer) => offer.state === UrlState.queued && traps.isNews(url, offer.url))
    );
  }

  /** What a URL's page brought once a browser had rendered it; null if it stays as it came. */
  noteRendered(id: number, url: string, outcome: Outcome | null): void {
    const frame = this.#frames.get(id);
    this.#frames.delete(id);
    const brought =
      outcome === null
        ? frame?.brought
        : { newShapes: this.#bringsNews(url, outcome.offers), textHash: outcome.textHash };
    if (brought !== undefined) {
      this.#parts.traps.fetched(url, brought);
    }
  }

  /** All empty frames of a site look alike: what one brought counts once it is known whether a browser makes more of it. */
  #keepFrame(id: number, frame: Frame): void {
    this.#frames.set(id, frame);
    if (this.#frames.size > MOST_FRAMES) {
      const [oldest, { url, brought }] = this.#frames.entries().next().value!;
      this.#frames.delete(oldest);
      this.#parts.traps.fetched(url, brought);
    }
  }

  #noteTrap({ id, url, flags }: QueuedUrl, outcome: Outcome, pieces: Pieces): void {
    // A page that is only checked was not read: it says nothing about what its pattern brings.
    if (outcome.unsent === null && outcome.status !== null && (flags & UrlFlag.external) === 0) {
      const newShapes = pieces.bringNews || this.#bringsNews(url, outcome.offers);
      const brought = { newShapes, textHash: outcome.textHash };
      if (outcome.measured?.needsBrowser && !outcome.measured.isKept) {
        this.#keepFrame(id, { url, brought });
      } else {
        this.#parts.traps.fetched(url, brought);
      }
    }
  }

  #settleRobots({ item, origin }: Leased, owner: Origin, outcome: Outcome, draft: Draft): void {
    const { scheduler, admission, robots, fate } = this.#around;
    draft.settled.outstanding += item.hops === 0 ? 0 : 1;
    const failed = outcome.robots === null || outcome.robots.standing !== 'rules';
    draft.transaction.settled.push({
      id: item.id,
      state: failed && outcome.redirect === null ? UrlState.failed : UrlState.done,
      reason: outcome.errorClass,
      retry: null,
      page: outcome.page ?? this.#failedPage(outcome),
      ...archivedOf(outcome),
      ...withoutLinks(),
      depth: 0,
    });
    const step = robots.answer(owner, item, outcome);
    if (step.hop !== null) {
      const { offer, walk } = step.hop;
      const at = queueOriginOf(offer.url);
      const { id, state } = admission.addNew(offer, item.id, draft);
      robots.follows(id, owner, at, walk);
      if (state !== UrlState.queued) {
        fate.abandonHops(at, draft);
      }
    }
    if (step.bulk !== null) {
      const { to, reason } = step.bulk;
      fate.giveUp(owner, to, reason, draft);
      admission.tryPlainOrigin(owner, outcome, draft);
      admission.admit(this.#parts.seeds.originFailed(owner.origin, reason, outcome), null, draft);
    }
    draft.pin(owner.host);
    draft.pin(origin.host);
    if (step.settled) {
      admission.seekSitemaps(owner, step.sitemaps, draft);
    }
    scheduler.refresh(owner.host);
  }

  /** What is kept of a request that got no answer. */
  #failedPage({ status, message, ttfbMs }: Outcome): SealedPage {
    return sealPage({ ...emptyPage(status), message, fetchedAt: this.#parts.clock.wall(), ttfbMs: ttfbMs ?? 0 });
  }
}

/** It was only checked, but is now known to be a page to read; or it has to wait for the sitemaps that its robots.txt names. */
const isAskedAgain = ({ item, origin, askedBy }: Leased, { unsent }: Outcome): boolean =>
  origin.robots.wantsOneBack || (unsent === null && asksForMore(askedBy, item.flags, item.url));

const archivedOf = ({ archived }: Outcome): Pick<Outcome, 'archived'> => (archived === undefined ? {} : { archived });

const isPage = ({ kind }: Offer): boolean => kind === UrlKind.page;

function redirectTarget(outcome: Outcome, newIds: number[]): number | null {
  if (outcome.redirect === null) {
    return null;
  }
  return 'id' in outcome.redirect ? outcome.redirect.id : newIds[outcome.redirect.offer]!;
}
