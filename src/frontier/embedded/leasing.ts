import type { NewUrl } from '../../store/transaction.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import { isServer } from '../../url/place.js';
import type { Lease } from '../frontier.js';
import { isRetry } from '../verdict.js';
import type { Admission } from './admission.js';
import type { Composition } from './composition.js';
import type { Deferral } from './deferral.js';
import type { FrontierState } from './frontier-state.js';
import type { Host, Origin } from './host.js';
import type { Waiting } from './queue-window.js';
import type { Pick } from './scheduler.js';
import { isFirstOfPage, type UrlBudget } from './url-budget.js';

/** Who may be asked now becomes a lease in the next transaction. */
export class Leasing {
  readonly #state: FrontierState;
  readonly #admission: Admission;
  readonly #budget: UrlBudget;
  readonly #deferral: Deferral;

  constructor(state: FrontierState, admission: Admission, budget: UrlBudget, deferral: Deferral) {
    this.#state = state;
    this.#admission = admission;
    this.#budget = budget;
    this.#deferral = deferral;
  }

  lease(want: number, composition: Composition): Lease[] {
    const leases: Lease[] = [];
    if (want <= 0) {
      return leases;
    }
    const { picks, cut, probes } = this.#state.scheduler.pick(want, (item, host) => this.#cut(item, host, composition));
    for (const { item, origin, reason, pattern } of cut) {
      composition.transaction.skipped.push({ id: item.id, reason, pattern });
      composition.settled.outstanding++;
      if (item.kind === UrlKind.sitemap) {
        this.#budget.noteCut(origin.host, composition);
      } else {
        composition.settled.skipped += this.#state.isCandidate(item) ? 0 : 1;
      }
      this.#state.reflagged.delete(item.id);
      composition.pin(origin.host);
    }
    for (const host of probes) {
      this.#probe(host, composition);
    }
    for (const pick of picks) {
      leases.push(
        pick.what === 'robots' ? this.#leaseRobots(pick.origin, composition) : this.#leaseUrl(pick, composition),
      );
    }
    return leases;
  }

  /** Its time has come: its URLs are queued again, and one of them goes to see. */
  #probe(host: Host, composition: Composition): void {
    host.deferredReason = null;
    host.probing = true;
    host.dirty = true;
    composition.transaction.bulk.push({
      host: host.id,
      origin: null,
      from: UrlState.deferred,
      to: UrlState.queued,
      reason: null,
    });
    composition.bulkHosts.push({ host, origin: null });
    composition.pin(host);
  }

  /** At the last moment: a limit or a trap keeps it from being fetched. */
  #cut(item: Waiting, host: Host, { transaction }: Composition): { reason: string; pattern: string | null } | null {
    if (item.attempts > 0) {
      return null;
    }
    if (item.kind === UrlKind.sitemap) {
      return this.#budget.takeSitemap(host) ? null : { reason: 'limit', pattern: null };
    }
    if (item.kind !== UrlKind.page) {
      return null;
    }
    const { maxUrlsPerHost, maxUrlsOfSeed, asksTraps } = this.#state.options;
    const { traps } = this.#state.parts;
    const ofSeed = maxUrlsOfSeed(item.seed);
    if (
      (maxUrlsPerHost > 0 && host.dispatched >= maxUrlsPerHost) ||
      (ofSeed > 0 && (this.#state.seedUse.get(item.seed) ?? 0) >= ofSeed)
    ) {
      return { reason: 'limit', pattern: null };
    }
    const flags = this.#state.flagsOf(item);
    const pattern = (flags & (UrlFlag.seed | UrlFlag.external)) !== 0 ? null : traps.cutBy(item.url);
    if (pattern !== null && !asksTraps) {
      return { reason: 'trap', pattern };
    }
    if (pattern !== null) {
      item.flags = flags | UrlFlag.external | UrlFlag.trap;
      this.#state.reflagged.delete(item.id);
      transaction.unfollowed.push({ id: item.id, pattern });
    }
    this.#budget.count(item, host, 1);
    return null;
  }

  #leaseUrl(pick: Extract<Pick, { what: 'url' }>, composition: Composition): Lease {
    const { origin } = pick;
    const item = { ...pick.item, attempts: pick.item.attempts + 1, flags: this.#state.flagsOf(pick.item) };
    this.#state.reflagged.delete(item.id);
    if (item.kind === UrlKind.page && isRetry(item.attempts, item.flags)) {
      this.#state.retries++;
    }
    if (origin.robotsExpiresAt === Number.MAX_SAFE_INTEGER && !origin.sitemapsSought && isServer(origin.origin)) {
      // No robots.txt is waited for: its sitemaps are sought with the first of its URLs.
      origin.dirty = true;
      this.#admission.afterRobots(origin, [], composition);
    }
    if (isFirstOfPage(item)) {
      origin.host.firstUnderWay++;
    } else if (item.kind === UrlKind.sitemap) {
      // Its count is saved with the lease, so that a kill does not lower it.
      composition.pin(origin.host);
    }
    composition.transaction.leased.push(item.id);
    const robotsOf = item.kind === UrlKind.robots ? this.#state.robots.ownerOf(item.id) : null;
    this.#state.leased.set(item.id, {
      item,
      origin,
      robotsOf,
      sentAt: this.#state.clock.now(),
      headersSeen: false,
      ended: false,
      pieces: { bringNews: false, namePages: false },
    });
    origin.host.pinned++;
    if (
      origin.crawlDelayMs !== null &&
      origin.crawlDelayMs > this.#state.options.maxCrawlDelayMs &&
      item.kind === UrlKind.page
    ) {
      // One page to see, the rest later: never faster than the host asks for.
      this.#deferral.putOff(origin.host, 'crawl_delay');
    }
    return this.#asLease(item, origin);
  }

  #leaseRobots(origin: Origin, composition: Composition): Lease {
    const url = `${origin.origin}/robots.txt`;
    const fresh = origin.robotsId === null;
    const id = origin.robotsId ?? this.#state.nextId++;
    const item: Waiting = {
      id,
      url,
      kind: UrlKind.robots,
      depth: 0,
      seed: 0,
      class: QueueClass.urgent,
      attempts: origin.robotsTries + 1,
      notBefore: 0,
      hops: 0,
      flags: 0,
    };
    if (fresh) {
      origin.robotsId = id;
      const row: NewUrl = {
        ...item,
        key: [0, 0, 0, 0],
        origin: origin.id,
        parent: null,
        state: UrlState.leased,
        reason: null,
        unsure: false,
      };
      composition.transaction.newUrls.push(row);
    } else {
      composition.transaction.leased.push(id);
    }
    origin.dirty = true;
    this.#state.robotsLeased++;
    this.#state.leased.set(id, {
      item,
      origin,
      robotsOf: origin,
      sentAt: this.#state.clock.now(),
      headersSeen: false,
      ended: false,
      pieces: { bringNews: false, namePages: false },
    });
    origin.host.pinned++;
    return this.#asLease(item, origin);
  }

  #asLease(item: Waiting, origin: Origin): Lease {
    const cookie = item.kind === UrlKind.robots ? this.#state.robots.cookieFor(item) : item.cookie;
    return {
      id: item.id,
      url: item.url,
      kind: item.kind,
      depth: item.depth,
      seed: item.seed,
      hops: item.hops,
      flags: item.flags,
      attempt: item.attempts,
      host: origin.host.name,
      paced: origin.host.delayMs > 0,
      origin: origin.id,
      rules: item.kind === UrlKind.robots ? null : origin.rules,
      rulesVersion: origin.rulesVersion,
      wantsText:
        item.kind === UrlKind.probe ||
        (item.flags & UrlFlag.secondLook) !== 0 ||
        (item.kind === UrlKind.page &&
          (item.flags & UrlFlag.external) === 0 &&
          this.#state.parts.traps.wantsText(item.url)),
      ...ifModified(item),
      ...(cookie ? { cookie } : {}),
    };
  }
}

function ifModified({ flags, etag, lastModified }: Waiting): { ifModified?: NonNullable<Lease['ifModified']> } {
  if ((flags & UrlFlag.renew) === 0 || !(etag || lastModified)) {
    return {};
  }
  return { ifModified: { ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) } };
}
