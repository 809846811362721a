import type { QueuedUrl } from '../store/transaction.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { isServer } from '../url/host.js';
import type { Admission } from './admission.js';
import { type Budget, isFirstOfPage } from './budget.js';
import type { Draft } from './draft.js';
import { isSecondLook } from './eligibility.js';
import type { Host, Origin } from './host.js';
import type { Hosts } from './hosts.js';
import type { FrontierParts } from './options.js';
import type { Lease, Outcome } from './outcome.js';
import { isHostTrouble } from './pace.js';
import type { RobotsAnswers } from './robots-answers.js';
import type { RobotsEnd } from './robots-places.js';
import type { Picks, Scheduler, StockRoom } from './scheduler.js';
import { isRetry } from './verdict.js';

/** What the coordinator remembers of a lease that is out: the URL as it waited, its origin, and when it went. */
export interface Leased {
  readonly item: QueuedUrl;
  readonly origin: Origin;
  /** The origin whose robots.txt this is, where it is one. */
  readonly robotsOf: Origin | null;
  readonly sentAt: number;
  /** The flags that it was requested with; more may be learnt meanwhile. */
  readonly askedBy: number;
  headersSeen: boolean;
  ended: boolean;
}

interface Surroundings {
  hosts: Hosts;
  scheduler: Scheduler;
  budget: Budget;
  admission: Admission;
  robots: RobotsAnswers;
}

/**
 * The URLs that are leased. A URL is handed out here; its response moves the clock and the backoff of its host at once, long before it is
 * committed; its outcome ends the lease. Each lease ends exactly once; while one is out, its host stays in memory.
 */
export class Leases {
  readonly #parts: Pick<FrontierParts, 'options' | 'clock' | 'random' | 'traps' | 'events'>;
  readonly #around: Surroundings;
  readonly #out = new Map<number, Leased>();
  /** Flags of waiting or leased URLs about which more was learnt since they came into memory. */
  readonly #newFlags = new Map<number, number>();
  #ownRobots = 0;
  #troubles = 0;

  constructor(parts: FrontierParts, around: Surroundings) {
    this.#parts = parts;
    this.#around = around;
  }

  get size(): number {
    return this.#out.size;
  }

  /** Leases for a robots.txt in its own place: these are in no queue. */
  get ownRobots(): number {
    return this.#ownRobots;
  }

  /** How many requests showed trouble with their host. */
  get troubles(): number {
    return this.#troubles;
  }

  get(id: number): Readonly<Leased> | undefined {
    return this.#out.get(id);
  }

  /** More is known about a URL that waits or is under way. */
  learnFlags(id: number, flags: number): void {
    this.#newFlags.set(id, flags);
  }

  #takeFlags({ id, flags }: QueuedUrl): number {
    const newest = this.#newFlags.get(id) ?? flags;
    this.#newFlags.delete(id);
    return newest;
  }

  /** Leases up to `want` URLs whose hosts may be asked now, and what lanes may take in stock. */
  lease(want: number, stock: StockRoom, draft: Draft): Lease[] {
    if (want <= 0) {
      return [];
    }
    const { scheduler } = this.#around;
    const { picks, cut, probes } = scheduler.pick(want, stock, (item, host) => this.#cut(item, host, draft));
    for (const each of cut) {
      this.#skip(each, draft);
    }
    for (const host of probes) {
      // Its time has come: its URLs are queued again, and one of them tests it.
      host.probe();
      scheduler.deferralChanged(host);
      draft.move({ host }, { from: UrlState.deferred, to: UrlState.queued, reason: null });
    }
    return picks.map(({ origin, item }) =>
      item === null ? this.#leaseRobots(origin, draft) : this.#leaseUrl(origin, item, draft),
    );
  }

  #skip({ item, origin, reason, pattern }: Picks['cut'][number], draft: Draft): void {
    const flags = this.#takeFlags(item);
    draft.skip(item.id, reason, pattern);
    if (item.kind === UrlKind.sitemap) {
      draft.cutSitemap(origin.host);
    } else {
      // A URL that only a third party has named is not a page yet.
      draft.settled.skipped += (flags & UrlFlag.candidate) === 0 ? 1 : 0;
    }
    draft.pin(origin.host);
  }

  /** Decides at the last moment whether a limit or a trap keeps it from being fetched. */
  #cut(item: QueuedUrl, host: Host, draft: Draft): { reason: string; pattern: string | null } | null {
    const { budget } = this.#around;
    const isNewSitemap = item.kind === UrlKind.sitemap && item.attempts === 0;
    const isNewPage = item.kind === UrlKind.page && item.attempts === 0;
    if ((isNewSitemap && !budget.takeSitemap(host)) || (isNewPage && !budget.allows(item, host))) {
      return { reason: 'limit', pattern: null };
    }
    if (!isNewPage) {
      return null;
    }
    const { options, traps } = this.#parts;
    const flags = this.#newFlags.get(item.id) ?? item.flags;
    const pattern = (flags & (UrlFlag.seed | UrlFlag.added | UrlFlag.external)) !== 0 ? null : traps.cutBy(item.url);
    if (pattern !== null && !options.asksTraps) {
      return { reason: 'trap', pattern };
    }
    if (pattern !== null) {
      item.flags = this.#takeFlags(item) | UrlFlag.external | UrlFlag.trap;
      draft.transaction.unfollowed.push({ id: item.id, pattern });
    }
    budget.count(item, host);
    return null;
  }

  #leaseUrl(origin: Origin, waited: QueuedUrl, draft: Draft): Lease {
    const { scheduler, budget, admission, robots } = this.#around;
    const item = { ...waited, attempts: waited.attempts + 1, flags: this.#takeFlags(waited) };
    if (item.kind === UrlKind.page && isRetry(item.attempts, item.flags)) {
      budget.retried();
    }
    if (origin.robots.isNeverAwaited && !origin.robots.sitemapsSought && isServer(origin.origin)) {
      // No robots.txt is waited for: its sitemaps are sought with the first of its URLs.
      origin.robots.touch();
      admission.seekSitemaps(origin, [], draft);
    }
    if (isFirstOfPage(item)) {
      origin.host.firstStarted();
    } else if (item.kind === UrlKind.sitemap) {
      // Its count is saved with the lease, so that a kill does not lower it.
      draft.pin(origin.host);
    }
    draft.transaction.leased.push(item.id);
    this.#handOut(item, origin, item.kind === UrlKind.robots ? robots.ownerOf(item.id) : null);
    const { crawlDelayMs } = origin.robots;
    if (crawlDelayMs !== null && crawlDelayMs > this.#parts.options.maxCrawlDelayMs && item.kind === UrlKind.page) {
      scheduler.deferrals.defer(origin.host, 'crawl_delay');
    }
    return this.#leaseOf(item, origin);
  }

  #leaseRobots(origin: Origin, draft: Draft): Lease {
    const isNew = origin.robots.id === null;
    const id = origin.robots.id ?? this.#around.admission.takeId();
    const item: QueuedUrl = {
      id,
      url: `${origin.origin}/robots.txt`,
      kind: UrlKind.robots,
      depth: 0,
      seed: 0,
      class: QueueClass.urgent,
      attempts: origin.robots.tries + 1,
      notBefore: 0,
      hops: 0,
      flags: 0,
    };
    if (isNew) {
      draft.transaction.newUrls.push({
        ...item,
        key: [0, 0, 0, 0],
        origin: origin.id,
        parent: null,
        state: UrlState.leased,
        reason: null,
        unsure: false,
      });
    } else {
      draft.transaction.leased.push(id);
    }
    origin.robots.leased(id);
    this.#ownRobots++;
    this.#handOut(item, origin, origin);
    return this.#leaseOf(item, origin);
  }

  #handOut(item: QueuedUrl, origin: Origin, robotsOf: Origin | null): void {
    const sentAt = this.#parts.clock.now();
    const askedBy = item.flags;
    this.#out.set(item.id, { item, origin, robotsOf, sentAt, askedBy, headersSeen: false, ended: false });
    origin.host.pin();
  }

  #leaseOf(item: QueuedUrl, { id, host, robots }: Origin): Lease {
    const isRobots = item.kind === UrlKind.robots;
    const cookie = isRobots ? this.#around.robots.cookieFor(item) : item.cookie;
    const owner = isRobots && item.hops > 0 ? this.#around.robots.ownerOf(item.id) : null;
    return {
      id: item.id,
      url: item.url,
      kind: item.kind,
      depth: item.depth,
      seed: item.seed,
      hops: item.hops,
      flags: item.flags,
      attempt: item.attempts,
      host: host.name,
      paced: host.delayMs > 0,
      wireLimit: host.tuner.limit,
      origin: id,
      rules: isRobots ? null : robots.rules,
      rulesVersion: robots.rulesVersion,
      wantsText: this.#wantsText(item),
      ...ifModified(item),
      ...(cookie ? { cookie } : {}),
      ...(owner === null ? {} : { robotsOf: owner.origin }),
    };
  }

  #wantsText(item: QueuedUrl): boolean {
    const isRead = item.kind === UrlKind.page && (item.flags & UrlFlag.external) === 0;
    return item.kind === UrlKind.probe || isSecondLook(item) || (isRead && this.#parts.traps.wantsText(item.url));
  }

  /** False if its host may no longer be asked in the way the URL was leased. A paced lease has its host's clock to itself. */
  mayGo({ id, kind, paced }: Lease): boolean {
    const host = this.#out.get(id)?.origin.host;
    if (host === undefined || paced || kind === UrlKind.robots) {
      return true;
    }
    const isPutOff = host.isToBeDeferred || host.deferredReason !== null;
    return !isPutOff && host.delayMs === 0 && host.blockedUntil <= this.#parts.clock.now();
  }

  /** The headers of a response arrived: its host's delay runs from here. */
  headers(id: number, at: number): void {
    const leased = this.#out.get(id);
    if (leased !== undefined && !leased.headersSeen && !leased.ended) {
      leased.headersSeen = true;
      this.#around.scheduler.headers(leased.origin.host, leased.item, at);
    }
  }

  /** The response ended or failed, or no request was made: its place is free. */
  ended(outcome: Outcome): void {
    const leased = this.#out.get(outcome.id);
    if (leased === undefined || leased.ended) {
      return;
    }
    const { hosts, scheduler } = this.#around;
    const { item, origin } = leased;
    const sent = outcome.unsent === null && outcome.fromCache === undefined;
    if (sent && outcome.headersAt !== null) {
      this.headers(outcome.id, outcome.headersAt);
    }
    leased.ended = true;
    hosts.workEnded();
    if (sent) {
      this.#judgeHost(leased, outcome);
    }
    scheduler.ended(origin.host, item, outcome.endedAt, leased.headersSeen, sent);
    if (item.kind === UrlKind.robots) {
      scheduler.robotsEnded(origin.host, robotsEnd(outcome));
    }
  }

  /** What a response says about its host: where it is, how much it can take, and whether it is in trouble. */
  #judgeHost({ item, origin: { host }, sentAt }: Leased, outcome: Outcome): void {
    const { options, clock } = this.#parts;
    const { status, errorClass } = outcome;
    if (outcome.address !== null) {
      host.answeredFrom(outcome.address);
    }
    const limitBefore = host.tuner.limit;
    if (errorClass === 'timeout' || status === 429 || status === 503) {
      host.tuner.overloaded();
    } else if (outcome.ttfbMs !== null && item.attempts === 1) {
      host.tuner.answered(outcome.ttfbMs);
    }
    if (host.tuner.limit !== limitBefore) {
      this.#around.scheduler.retuned(host);
      this.#parts.events.retuned?.(host.name, host.tuner.limit);
    }
    if (!isHostTrouble(status, errorClass) || !isServer(host.name)) {
      host.succeeded();
      return;
    }
    const now = clock.now();
    if (status === 429 && options.learnsDelay) {
      host.refused(sentAt, now);
    }
    const retryAfterMs = status === 429 || status === 503 ? outcome.retryAfterMs : null;
    this.#troubles++;
    host.troubled({ sentAt, isKnown: isSecondLook(item) }, now, retryAfterMs, this.#parts.random(), options);
    this.#around.scheduler.blocked(host);
    this.#parts.events.recall?.(host.name);
    if (host.blockedUntil - now > options.maxWaitMs && host.deferredReason === null) {
      this.#around.scheduler.deferrals.defer(host);
    }
  }

  /** The lease is over; its URL has the flags that were learnt meanwhile. */
  takeBack(outcome: Outcome): Leased {
    const leased = this.#out.get(outcome.id);
    if (leased === undefined) {
      throw new Error(`an outcome came for URL ${outcome.id}, which is not leased`);
    }
    this.ended(outcome);
    const { item, origin, robotsOf } = leased;
    this.#out.delete(outcome.id);
    origin.host.unpin();
    this.#ownRobots -= robotsOf !== null && item.hops === 0 ? 1 : 0;
    if (isFirstOfPage(item)) {
      // The store counts it with the same transaction.
      origin.host.firstEnded();
    }
    item.flags = this.#takeFlags(item);
    return leased;
  }
}

function ifModified({ flags, etag, lastModified }: QueuedUrl): { ifModified?: NonNullable<Lease['ifModified']> } {
  if ((flags & UrlFlag.renew) === 0 || !(etag || lastModified)) {
    return {};
  }
  return { ifModified: { ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) } };
}

/** A host that begins to answer and never finishes holds its place like one that never answers. */
const robotsEnd = ({ errorClass, status }: Outcome): RobotsEnd =>
  errorClass === 'timeout' || errorClass === 'too_slow' ? 'silent' : status === null ? 'other' : 'answered';
