import { type Clock, steadyClock } from '../../base/clock.js';
import { isHostTrouble } from '../../hosts/backoff.js';
import type {
  CommitAnswer,
  HostRow,
  HostSnapshot,
  NewUrl,
  PageRow,
  QueuedUrl,
  SeedRow,
  StorePort,
  StoreSnapshot,
} from '../../store/transaction.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import { isServer, queueOriginOf } from '../../url/place.js';
import type { TrapWatch } from '../../url/traps.js';
import type { Frontier, FrontierCounts, Lease, Offer, Outcome } from '../frontier.js';
import { sitemapKey, type SeedBook } from '../seed-book.js';
import { judge } from '../verdict.js';
import { Composition, isListed, isWork, trulyNew } from './composition.js';
import type { Host, Origin } from './host.js';
import type { KeyTable } from './key-table.js';
import { MAX_RETRY_DELAY_MS, MAX_SITEMAP_DEPTH, MAX_SITEMAP_FILES, type SchedulerOptions, SITEMAP_PLACES } from './options.js';
import { Registry } from './registry.js';
import { RobotsDesk } from './robots-desk.js';
import { type Pick, Scheduler } from './scheduler.js';
import type { Waiting } from './url-queue.js';

export interface EmbeddedFrontierParts {
  options: SchedulerOptions;
  clock: Clock;
  /** 0 ≤ x < 1 */
  random(): number;
  store: StorePort;
  snapshot: StoreSnapshot;
  keys: KeyTable;
  traps: TrapWatch;
  seeds: SeedBook;
  /** Address of a host name, for pacing by address. */
  resolveAddress(hostName: string): Promise<string | null>;
  events: FrontierEvents;
}

export interface FrontierEvents {
  /** A seed redirected out of what its scope counted: lanes have to judge by the new one. */
  scopeGrew(seed: SeedRow): void;
  hostDeferred(host: string, reason: string, urls: number, until: number): void;
  crawlDelayTooLong(host: string, delayMs: number): void;
  trapCut(pattern: string): void;
  sitemapRead(url: string, urls: number): void;
  /** Pages that are settled for good, in the order they came; told once their commit is durable. */
  settled(pages: SettledPage[]): void;
  /** Hosts left memory: whoever keeps something by origin may forget it. */
  originsLeft(origins: number[]): void;
  /** Something may be ready earlier than `wakeAt` said. */
  wake(): void;
}

export interface SettledPage {
  url: string;
  depth: number;
  attempts: number;
  state: 'done' | 'failed' | 'skipped';
  reason: string | null;
  external: boolean;
  outcome: Outcome;
}

/** A lease that is out, until it is settled. */
interface Held {
  item: Waiting;
  origin: Origin;
  /** The origin whose robots.txt this is, where it is one. */
  robotsOf: Origin | null;
  sentAt: number;
  headersSeen: boolean;
  ended: boolean;
}

/** The frontier on one machine: the schedule in memory, everything that must not be lost in the store. */
export class EmbeddedFrontier implements Frontier {
  readonly #parts: EmbeddedFrontierParts;
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  readonly #steady: Clock;
  readonly #registry: Registry;
  readonly #scheduler: Scheduler;
  readonly #robots: RobotsDesk;
  readonly #leased = new Map<number, Held>();
  readonly #seedUse = new Map<number, number>();
  readonly #toDefer = new Set<Host>();
  #nextId: number;
  #open: number;
  #robotsLeased = 0;
  #lookingUp = 0;
  #parked: number;
  #parkedDue: number;
  readonly #toPark = new Map<number, HostRow>();
  /** All hosts in memory are at work: none can make room for one that is due. */
  #evictionFutile = false;
  #counts: { done: number; failed: number; skipped: number; deferred: number };
  #dispatched: number;
  #retries = 0;
  scopeVersion = 0;
  readonly trapCounts: Map<string, number>;
  commitMs = 0;
  peakOnDisk = 0;
  peakHosts = 0;
  peakParked = 0;

  constructor(parts: EmbeddedFrontierParts) {
    const { options, clock, snapshot } = parts;
    this.#parts = parts;
    this.#options = options;
    this.#clock = clock;
    this.#steady = steadyClock(clock);
    this.#registry = new Registry(options, this.#steady, snapshot.unclean);
    this.#scheduler = new Scheduler(options, clock, this.#registry);
    this.#robots = new RobotsDesk(options, clock);
    this.#nextId = snapshot.nextId;
    this.#parked = snapshot.parkedHosts;
    this.#parkedDue = snapshot.parkedHosts > 0 ? 0 : Number.POSITIVE_INFINITY;
    const { counts } = snapshot;
    this.#counts = {
      done: counts['done'] ?? 0,
      failed: counts['failed'] ?? 0,
      skipped: counts['skipped'] ?? 0,
      deferred: 0,
    };
    this.#open = counts['open'] ?? 0;
    this.#dispatched = Number(snapshot.meta['dispatched'] ?? 0);
    this.trapCounts = new Map(JSON.parse(snapshot.meta['trapCounts'] ?? '[]'));
    for (const [seed, used] of JSON.parse(snapshot.meta['seedUse'] ?? '[]') as [number, number][]) {
      this.#seedUse.set(seed, used);
    }
    this.#closeWhenSpent();
    for (const host of snapshot.hosts) {
      this.#enter(host);
    }
  }

  async admit(offers: Offer[]): Promise<void> {
    const composition = new Composition(this.#clock.wall());
    this.#admit(offers, null, composition);
    await this.#commit(composition);
  }

  async settle(outcomes: Outcome[], want: number): Promise<Lease[]> {
    if (this.#options.newestFirst && outcomes.length > 0 && want > 0) {
      // Depth first, what these pages lead to goes before all that waits: it has to be known when the next are chosen.
      await this.settle(outcomes, 0);
      return this.settle([], want);
    }
    await this.#bringIn();
    const composition = new Composition(this.#clock.wall());
    for (const outcome of outcomes) {
      this.#settleOne(outcome, composition);
    }
    this.#deferHosts(composition);
    const leases = this.#lease(want, composition);
    for (const host of this.#scheduler.wantsAddress) {
      this.#scheduler.wantsAddress.delete(host);
      void this.#findAddress(host);
    }
    this.#saveChanged(composition);
    if (!composition.isEmpty) {
      await this.#commit(composition);
    }
    return leases;
  }

  headers(id: number, at: number): void {
    const held = this.#leased.get(id);
    if (held !== undefined && !held.headersSeen && !held.ended) {
      held.headersSeen = true;
      this.#scheduler.headers(held.origin.host, at);
    }
  }

  ended(outcome: Outcome): void {
    const held = this.#leased.get(outcome.id);
    if (held === undefined || held.ended) {
      return;
    }
    held.ended = true;
    this.#evictionFutile = false;
    const { host } = held.origin;
    const sent = outcome.unsent === null;
    if (sent && outcome.headersAt !== null && !held.headersSeen) {
      held.headersSeen = true;
      this.#scheduler.headers(host, outcome.headersAt);
    }
    if (sent) {
      this.#learn(host, held, outcome);
    }
    // What a dead lane gives back may have been on the wire: only what robots.txt forbids certainly was not.
    this.#scheduler.ended(host, outcome.endedAt, held.headersSeen, outcome.unsent !== 'robots');
    if (held.robotsOf !== null && held.item.hops === 0) {
      this.#scheduler.robotsEnded();
    }
  }

  /** What a response tells about its host. */
  #learn(host: Host, held: Held, outcome: Outcome): void {
    const { status, errorClass } = outcome;
    if (outcome.address !== null && host.address === null) {
      host.address = outcome.address;
    }
    if (errorClass === 'timeout' || status === 429 || status === 503) {
      host.tuner.overloaded();
    } else if (outcome.ttfbMs !== null && held.item.attempts === 1) {
      host.tuner.answered(outcome.ttfbMs);
    }
    if (!isHostTrouble(status, errorClass) || !isServer(host.name)) {
      host.succeeded();
      return;
    }
    const now = this.#clock.now();
    const retryAfterMs = status === 429 || status === 503 ? outcome.retryAfterMs : null;
    this.#scheduler.use.peakBlocked++;
    host.troubled(held.sentAt, now, retryAfterMs, this.#parts.random(), this.#options);
    if (host.blockedUntil - now > this.#options.maxWaitMs && host.deferredReason === null) {
      this.#putOff(host, host.blockReason ?? 'backoff');
    }
  }

  wakeAt(): number {
    const canTurn = this.#parked > 0 && (this.#registry.surplus < 0 || !this.#evictionFutile);
    const dueAt = canTurn ? this.#parkedDue : Number.POSITIVE_INFINITY;
    return Math.min(this.#scheduler.nextAt, dueAt);
  }

  /** What the crawl waits for, when it waits. */
  waitingFor(): { name: string; at: number } | null {
    return this.#scheduler.next();
  }

  counts(): FrontierCounts {
    const { use } = this.#scheduler;
    return {
      outstanding: this.#open + this.#robotsLeased,
      queuedInMemory: use.inMemory,
      queuedOnDisk: Math.max(0, this.#open - use.inMemory - (this.#leased.size - this.#robotsLeased)),
      hostsInMemory: this.#registry.size,
      hostsParked: this.#parked,
      hostsDelayed: this.#scheduler.delayedHosts,
      leased: this.#leased.size,
      dispatched: this.#dispatched,
      ...this.#counts,
      retries: this.#retries,
      robotsInFlight: use.robotsInFlight,
      robotsWaiting: this.#scheduler.robotsWaiting,
    };
  }

  get layerUse(): Scheduler['use'] {
    return this.#scheduler.use;
  }

  /** Addresses are being looked up; their hosts wait for nothing else. */
  get isLookingUp(): boolean {
    return this.#lookingUp > 0;
  }

  /** True when a limit keeps what is queued from being fetched. */
  get spent(): boolean {
    return this.#scheduler.closed;
  }

  /** No URL is leased for the first time any more; retries of those that were are. */
  closeToNew(): void {
    this.#scheduler.closed = true;
  }

  /** For the simulator: every place a URL or host can be in. */
  inspect(): { heap: Iterable<Host>; hosts: Iterable<Host>; leased: ReadonlyMap<number, unknown> } {
    return { heap: this.#scheduler.heap(), hosts: this.#registry.hosts(), leased: this.#leased };
  }

  async close(_reason: string): Promise<void> {
    const composition = new Composition(this.#clock.wall());
    for (const host of this.#registry.hosts()) {
      if (host.awaitingHeaders > 0) {
        // Its request is cut off with the run; whoever resumes has to keep the distance to it.
        host.nextAllowedAt = Math.max(host.nextAllowedAt, this.#clock.now() + host.delayMs);
      }
      const row = this.#registry.row(host);
      // The next run goes by the time as it is then.
      const driftMs = this.#clock.wall() - this.#steady.wall();
      composition.transaction.hosts.push({
        ...row,
        nextAllowedAt: row.nextAllowedAt + driftMs,
        blockedUntil: row.blockedUntil + driftMs,
      });
    }
    composition.transaction.meta = { ...this.#meta(), traps: JSON.stringify(this.#parts.traps) };
    await this.#parts.store.commit(composition.transaction);
  }

  /** Hosts and URLs that come back from disk, before anything new is composed. */
  async #bringIn(): Promise<void> {
    const now = this.#clock.now();
    if (this.#parked > 0 && this.#parkedDue <= now && this.#registry.surplus < 0) {
      const due = await this.#parts.store.loadDue(this.#steady.wall(), -this.#registry.surplus);
      this.#parked = due.parked + this.#toPark.size;
      const nextDue = due.nextDue === null ? Number.POSITIVE_INFINITY : now + Math.max(0, due.nextDue - this.#steady.wall());
      this.#parkedDue = this.#toPark.size > 0 ? Math.min(now, nextDue) : nextDue;
      for (const host of due.hosts) {
        this.#enter(host);
      }
    }
    const { origins, each } = this.#scheduler.loads();
    if (origins.length > 0) {
      await this.#loadQueues(origins, each);
    }
  }

  async #findAddress(host: Host): Promise<void> {
    this.#lookingUp++;
    const address = await this.#parts.resolveAddress(host.name).catch(() => null);
    this.#lookingUp--;
    this.#scheduler.addressFound(host, address);
    this.#parts.events.wake();
  }

  async #loadQueues(origins: Origin[], each: number): Promise<void> {
    const loads = origins.flatMap((origin) => {
      const wanted = origin.queue.wanting();
      if (wanted === null) {
        // Something came into memory since, or all of it was put off.
        this.#scheduler.addLoaded(origin, QueueClass.rest, []);
        return [];
      }
      const limit = wanted.class === QueueClass.urgent ? origin.queue.urgentOnDisk : each;
      return [{ from: origin, load: { origin: origin.id, ...wanted, limit } }];
    });
    const rows = await this.#parts.store.loadQueue(loads.map(({ load }) => load));
    loads.forEach(({ from, load }, i) => {
      this.#scheduler.addLoaded(from, load.class, rows[i]!.map((row) => this.#waiting(row)));
    });
  }

  #waiting(row: QueuedUrl): Waiting {
    const waitMs = row.notBefore - this.#steady.wall();
    return { ...row, notBefore: waitMs > 0 ? this.#clock.now() + Math.min(waitMs, MAX_RETRY_DELAY_MS) : 0 };
  }

  #enter(snapshot: HostSnapshot): void {
    this.#parked -= this.#toPark.delete(snapshot.host.id) ? 1 : 0;
    const host = this.#registry.enter(snapshot);
    const waitMs = host.blockedUntil - this.#clock.now();
    if (waitMs > this.#options.maxWaitMs && host.deferredReason === null && host.waiting > 0) {
      this.#putOff(host, host.blockReason ?? 'backoff');
    }
    this.#scheduler.refresh(host);
  }

  #settleOne(outcome: Outcome, composition: Composition): void {
    const held = this.#leased.get(outcome.id);
    if (held === undefined) {
      throw new Error(`an outcome came for URL ${outcome.id}, which is not leased`);
    }
    this.ended(outcome);
    this.#leased.delete(outcome.id);
    held.origin.host.pinned--;
    if (outcome.unsent === 'returned') {
      this.#giveBack(held, composition);
    } else if (held.robotsOf !== null) {
      this.#settleRobots(held, held.robotsOf, outcome, composition);
    } else {
      this.#settleUrl(held, outcome, composition);
    }
  }

  #giveBack(held: Held, composition: Composition): void {
    composition.transaction.returned.push(held.item.id);
    if (held.robotsOf !== null && held.item.hops === 0) {
      this.#robotsLeased--;
      held.robotsOf.robots = 'unknown';
      this.#scheduler.refresh(held.robotsOf.host);
      return;
    }
    this.#uncount(held);
    const item = { ...held.item, attempts: held.item.attempts - 1, class: QueueClass.urgent, notBefore: 0 };
    composition.requeued.push({ item, origin: held.origin });
    composition.pin(held.origin.host);
    this.#shareFate(held.origin, composition);
  }

  /** What is queued again where all else is put off or has failed meanwhile goes the same way in the same transaction. */
  #shareFate(origin: Origin, composition: Composition): void {
    if (origin.host.deferredReason !== null) {
      this.#putOff(origin.host, origin.host.deferredReason);
    } else if (origin.robots === 'unreachable') {
      this.#moveAll(UrlState.deferred, origin.problem, null, origin, composition);
    } else if (origin.robots === 'failed') {
      this.#moveAll(UrlState.failed, origin.problem, null, origin, composition);
    }
  }

  #settleUrl(held: Held, outcome: Outcome, composition: Composition): void {
    const { item, origin } = held;
    const rules = { ...this.#options, maxRetryDelayMs: MAX_RETRY_DELAY_MS };
    let verdict = judge(outcome, item.attempts, item.flags, rules);
    if (outcome.redirect !== null && this.#options.maxRedirects > 0 && item.hops + 1 > this.#options.maxRedirects) {
      verdict = { state: UrlState.failed, reason: 'redirect_limit' };
    }
    if (outcome.unsent === 'robots') {
      this.#uncount(held);
    }
    if (verdict.state === 'retry') {
      this.#retry(held, verdict, composition);
      return;
    }
    const limited = verdict.reason === 'redirect_limit';
    const newIds = limited ? [] : this.#admitFrom(held, outcome, composition);
    composition.transaction.settled.push({
      id: item.id,
      state: verdict.state,
      reason: verdict.reason,
      retry: null,
      page: outcome.page ?? failedPage(outcome, this.#clock.wall()),
      redirectTo: limited ? null : redirectTarget(outcome, newIds),
      edges: limited ? null : outcome.edges,
      rels: outcome.rels,
      texts: outcome.texts,
      newIds,
      depth: outcome.scopeVersion === this.scopeVersion ? item.depth : -1,
    });
    composition.settled.outstanding++;
    if (item.kind === UrlKind.sitemap && outcome.offers.some(({ kind }) => kind === UrlKind.page)) {
      // All of its URLs, those that were known already too.
      this.#parts.events.sitemapRead(item.url, outcome.page?.links ?? 0);
    }
    if (item.kind === UrlKind.page) {
      const state = (['done', 'failed', 'skipped'] as const)[verdict.state - UrlState.done]!;
      composition.settled[state]++;
      const external = (item.flags & UrlFlag.external) !== 0;
      composition.pages.push({ url: item.url, depth: item.depth, attempts: item.attempts, state, reason: verdict.reason, external, outcome });
      this.#noteSeed(held, verdict.state, outcome, composition);
      this.#noteTrap(held, outcome);
    }
    composition.pin(origin.host);
  }

  #retry(held: Held, verdict: { afterMs: number; flags: number; reason: string | null }, composition: Composition): void {
    const { item } = held;
    if (verdict.reason !== null) {
      this.#retries++;
    }
    composition.transaction.settled.push({
      id: item.id,
      state: UrlState.queued,
      reason: verdict.reason,
      retry: { notBefore: this.#steady.wall() + verdict.afterMs, flags: verdict.flags },
      page: null,
      redirectTo: null,
      edges: null,
      rels: [],
      texts: null,
      newIds: [],
      depth: item.depth,
    });
    const notBefore = verdict.afterMs > 0 ? this.#clock.now() + verdict.afterMs : 0;
    composition.requeued.push({
      item: { ...item, class: QueueClass.urgent, notBefore, flags: verdict.flags },
      origin: held.origin,
    });
    composition.pin(held.origin.host);
    this.#shareFate(held.origin, composition);
  }

  /** Admits what a page, redirect or sitemap leads to. Returns the ids of its offers, in their order. */
  #admitFrom(held: Held, outcome: Outcome, composition: Composition): number[] {
    const { item } = held;
    const redirectsTo = outcome.redirect !== null && 'offer' in outcome.redirect ? outcome.offers[outcome.redirect.offer] : undefined;
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
    return this.#admit(outcome.offers, item.id, composition);
  }

  /** What a seed redirects to counts as the seed's too. */
  #followSeed(item: Waiting, outcome: Outcome, target: Offer | undefined, composition: Composition): void {
    const seed = this.#parts.seeds.seeds[item.seed]!;
    const url = outcome.redirectUrl;
    if (url !== null) {
      this.#parts.seeds.redirected(seed.seed, url);
    }
    if (url !== null && !seed.scopeUrls.includes(url)) {
      seed.scopeUrls.push(url);
      composition.transaction.widened.push({ seed: seed.seed, scopeUrls: seed.scopeUrls });
      this.scopeVersion++;
      this.#parts.events.scopeGrew(seed);
    }
    if (target !== undefined) {
      target.state = UrlState.queued;
      target.reason = null;
      target.flags = (target.flags & ~UrlFlag.external) | UrlFlag.seed;
      target.seed = seed.seed;
    } else if (outcome.redirect !== null && 'id' in outcome.redirect) {
      // A link to it was found before, perhaps when it was out of scope.
      composition.transaction.found.push({ id: outcome.redirect.id, depth: item.depth, offered: true, parent: item.id });
    }
  }

  #admit(offers: Offer[], parent: number | null, composition: Composition): number[] {
    const { keys } = this.#parts;
    return offers.map((offer) => {
      const known = keys.find(offer.key);
      const offered = offer.state !== UrlState.unlisted && offer.reason !== 'nofollow';
      if (known !== null) {
        if (offer.state !== UrlState.unlisted && ((offered && !known.offered) || offer.depth < known.depth)) {
          composition.transaction.found.push({ id: known.id, depth: offer.depth, offered, parent });
        }
        return known.id;
      }
      return this.#addNew(offer, parent, offered, composition);
    });
  }

  #addNew(offer: Offer, parent: number | null, offered: boolean, composition: Composition): number {
    const id = this.#nextId++;
    const originText = isFetchable(offer) ? queueOriginOf(offer.url) : '';
    const origin = this.#registry.origin(originText);
    // robots.txt belongs to its origin, whoever redirects to it: it is not in the table.
    const tabled = offer.kind !== UrlKind.robots;
    const unsure = tabled && this.#parts.keys.mayBeOnDisk(offer.key);
    const url: NewUrl = { ...offer, ...this.#standing(offer, origin), id, parent, origin: origin?.id ?? originText, unsure };
    if (tabled && !unsure) {
      this.#parts.keys.insert(offer.key, id, offer.depth, offered);
    }
    if (origin !== undefined) {
      composition.pin(origin.host);
      origin.host.sitemapFiles += url.kind === UrlKind.sitemap ? 1 : 0;
    }
    if (offer.pattern !== null) {
      this.#countTrap(offer.pattern);
    }
    composition.transaction.newUrls.push(url);
    return id;
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

  #noteSeed(held: Held, state: UrlState, outcome: Outcome, composition: Composition): void {
    const { item } = held;
    if ((item.flags & UrlFlag.seed) === 0) {
      return;
    }
    if (state === UrlState.done && outcome.redirect === null) {
      this.#parts.seeds.reached(item.seed);
    } else if (state !== UrlState.done) {
      const next = this.#parts.seeds.failed(item.seed, outcome);
      if (next !== null) {
        this.#admit([next], null, composition);
      }
    }
  }

  #noteTrap(held: Held, outcome: Outcome): void {
    if (outcome.unsent !== null || outcome.status === null) {
      return;
    }
    const { url } = held.item;
    const { traps } = this.#parts;
    const brings = (offer: Offer) => offer.state === UrlState.queued && traps.isNews(url, offer.url);
    const newShapes = !traps.wantsText(url) || outcome.offers.some(brings);
    traps.fetched(url, { newShapes, textHash: outcome.textHash });
  }

  #settleRobots(held: Held, owner: Origin, outcome: Outcome, composition: Composition): void {
    if (held.item.hops === 0) {
      this.#robotsLeased--;
    } else {
      composition.settled.outstanding++;
    }
    const failed = outcome.robots === null || outcome.robots.standing !== 'rules';
    composition.transaction.settled.push({
      id: held.item.id,
      state: failed && outcome.redirect === null ? UrlState.failed : UrlState.done,
      reason: outcome.errorClass,
      retry: null,
      page: outcome.page,
      redirectTo: null,
      edges: null,
      rels: [],
      texts: null,
      newIds: [],
      depth: 0,
    });
    const step = this.#robots.answer(owner, held.item, outcome);
    if (step.hop !== null) {
      const id = this.#addNew(step.hop, held.item.id, false, composition);
      this.#robots.follows(id, owner, queueOriginOf(step.hop.url));
      if (composition.transaction.newUrls.at(-1)!.state !== UrlState.queued) {
        this.#abandonHops(queueOriginOf(step.hop.url), composition);
      }
    }
    if (step.bulk !== null) {
      this.#moveAll(step.bulk.to, step.bulk.reason, null, owner, composition);
      this.#admit(this.#parts.seeds.originFailed(owner.origin, step.bulk.reason, outcome), null, composition);
    }
    composition.pin(owner.host);
    composition.pin(held.origin.host);
    if (step.settled) {
      this.#afterRobots(owner, step.sitemaps, composition);
    }
    this.#scheduler.refresh(owner.host);
  }

  #afterRobots(owner: Origin, sitemaps: string[], composition: Composition): void {
    const { host } = owner;
    if (owner.crawlDelayMs !== null && owner.crawlDelayMs > this.#options.maxCrawlDelayMs) {
      this.#parts.events.crawlDelayTooLong(host.name, owner.crawlDelayMs);
      return;
    }
    if (!this.#options.seekSitemaps || owner.sitemapsSought || !this.#parts.seeds.covers(owner.origin)) {
      return;
    }
    owner.sitemapsSought = true;
    const places = SITEMAP_PLACES.map((place) => `${owner.origin}${place}`);
    const urls = [...new Set([...sitemaps, ...places])].slice(0, MAX_SITEMAP_FILES - host.sitemapFiles);
    this.#admit(urls.map((url) => sitemapOffer(url, 0)), null, composition);
  }

  #putOff(host: Host, reason: string): void {
    host.toDefer = reason;
    this.#toDefer.add(host);
  }

  #deferHosts(composition: Composition): void {
    for (const host of this.#toDefer) {
      host.deferredReason = host.toDefer;
      host.toDefer = null;
      host.dirty = true;
      this.#moveAll(UrlState.deferred, host.deferredReason, host, null, composition);
      this.#scheduler.refresh(host);
    }
    this.#toDefer.clear();
  }

  #moveAll(to: UrlState, reason: string | null, host: Host | null, origin: Origin | null, composition: Composition): void {
    const members = origin !== null ? [origin] : host!.origins;
    for (const member of members) {
      this.#scheduler.clear(member, [0, 0, 0]);
    }
    composition.transaction.bulk.push({ host: host?.id ?? null, origin: origin?.id ?? null, from: UrlState.queued, to, reason });
    composition.bulkHosts.push({ host, origin });
    composition.pin(host ?? origin!.host);
    for (const member of members) {
      this.#abandonHops(member.origin, composition);
    }
  }

  /** Whose robots.txt moved to an origin that is given up shares its fate. */
  #abandonHops(at: string, composition: Composition): void {
    const target = this.#registry.origin(at);
    const problem = target?.robots === 'failed' ? target.problem : null;
    const [standing, to, reason] =
      problem === null ? (['unreachable', UrlState.deferred, 'robots_unreachable'] as const) : (['failed', UrlState.failed, problem] as const);
    for (const { id, owner } of this.#robots.abandoned(at, standing, reason, (id) => this.#leased.has(id))) {
      const fresh = composition.transaction.newUrls.find((url) => url.id === id);
      if (fresh !== undefined) {
        fresh.state = UrlState.failed;
      } else {
        composition.transaction.skipped.push({ id, reason, pattern: null });
        composition.settled.outstanding++;
      }
      this.#moveAll(to, reason, null, owner, composition);
      const seeds = this.#parts.seeds.originFailed(owner.origin, reason, { message: `its robots.txt moved to ${at}: ${reason}`, errorClass: null });
      this.#admit(seeds, null, composition);
    }
  }

  #lease(want: number, composition: Composition): Lease[] {
    const leases: Lease[] = [];
    if (want <= 0) {
      return leases;
    }
    const { picks, cut, probes } = this.#scheduler.pick(want, (item, host) => this.#cut(item, host));
    for (const { item, origin, reason, pattern } of cut) {
      composition.transaction.skipped.push({ id: item.id, reason, pattern });
      composition.settled.outstanding++;
      composition.settled.skipped++;
      composition.pin(origin.host);
      if (pattern !== null) {
        this.#countTrap(pattern);
      }
    }
    for (const host of probes) {
      this.#probe(host, composition);
    }
    for (const pick of picks) {
      leases.push(pick.what === 'robots' ? this.#leaseRobots(pick.origin, composition) : this.#leaseUrl(pick, composition));
    }
    return leases;
  }

  /** Its time has come: its URLs are queued again, and one of them goes to see. */
  #probe(host: Host, composition: Composition): void {
    host.deferredReason = null;
    host.probing = true;
    host.dirty = true;
    composition.transaction.bulk.push({ host: host.id, origin: null, from: UrlState.deferred, to: UrlState.queued, reason: null });
    composition.bulkHosts.push({ host, origin: null });
    composition.pin(host);
  }

  /** At the last moment: a limit or a trap keeps it from being fetched. */
  #cut(item: Waiting, host: Host): { reason: string; pattern: string | null } | null {
    if (item.kind !== UrlKind.page || item.attempts > 0) {
      return null;
    }
    const { maxUrlsPerHost, maxUrlsOfSeed } = this.#options;
    const ofSeed = maxUrlsOfSeed(item.seed);
    if ((maxUrlsPerHost > 0 && host.dispatched >= maxUrlsPerHost) || (ofSeed > 0 && (this.#seedUse.get(item.seed) ?? 0) >= ofSeed)) {
      return { reason: 'limit', pattern: null };
    }
    const pattern = (item.flags & UrlFlag.seed) !== 0 ? null : this.#parts.traps.cutBy(item.url);
    if (pattern !== null) {
      return { reason: 'trap', pattern };
    }
    this.#count(item, host, 1);
    return null;
  }

  #count(item: Waiting, host: Host, by: 1 | -1): void {
    this.#dispatched += by;
    host.dispatched += by;
    host.dirty = true;
    this.#seedUse.set(item.seed, (this.#seedUse.get(item.seed) ?? 0) + by);
    this.#closeWhenSpent();
  }

  /** No request was made for it after all. */
  #uncount(held: Held): void {
    if (held.item.kind === UrlKind.page && held.item.attempts === 1) {
      this.#count(held.item, held.origin.host, -1);
    }
  }

  #closeWhenSpent(): void {
    const { maxUrls } = this.#options;
    this.#scheduler.closed = maxUrls > 0 && this.#dispatched >= maxUrls;
  }

  #leaseUrl(pick: Extract<Pick, { what: 'url' }>, composition: Composition): Lease {
    const { origin } = pick;
    const item = { ...pick.item, attempts: pick.item.attempts + 1 };
    if (!this.#options.obeyRobots && !origin.sitemapsSought && isServer(origin.origin)) {
      // No robots.txt is waited for: its sitemaps are sought with the first of its URLs.
      origin.dirty = true;
      this.#afterRobots(origin, [], composition);
    }
    if (this.#options.maxUrlsPerHost > 0) {
      // Its count is saved with the lease, so that a kill does not lower it.
      composition.pin(origin.host);
    }
    composition.transaction.leased.push(item.id);
    const robotsOf = item.kind === UrlKind.robots ? this.#robots.ownerOf(item.id) : null;
    this.#leased.set(item.id, { item, origin, robotsOf, sentAt: this.#clock.now(), headersSeen: false, ended: false });
    origin.host.pinned++;
    if (origin.crawlDelayMs !== null && origin.crawlDelayMs > this.#options.maxCrawlDelayMs && item.kind === UrlKind.page) {
      // One page to see, the rest later: never faster than the host asks for.
      this.#putOff(origin.host, 'crawl_delay');
    }
    return this.#asLease(item, origin);
  }

  #leaseRobots(origin: Origin, composition: Composition): Lease {
    const url = `${origin.origin}/robots.txt`;
    const fresh = origin.robotsId === null;
    const id = origin.robotsId ?? this.#nextId++;
    const item: Waiting = {
      id,
      url,
      kind: UrlKind.robots,
      depth: 0,
      seed: 0,
      class: QueueClass.urgent,
      attempts: origin.robotsFailures + 1,
      notBefore: 0,
      hops: 0,
      flags: 0,
    };
    if (fresh) {
      origin.robotsId = id;
      const row: NewUrl = { ...item, key: [0, 0, 0, 0], origin: origin.id, parent: null, state: UrlState.leased, reason: null, unsure: false };
      composition.transaction.newUrls.push(row);
    } else {
      composition.transaction.leased.push(id);
    }
    origin.dirty = true;
    this.#robotsLeased++;
    this.#leased.set(id, { item, origin, robotsOf: origin, sentAt: this.#clock.now(), headersSeen: false, ended: false });
    origin.host.pinned++;
    return this.#asLease(item, origin);
  }

  #asLease(item: Waiting, origin: Origin): Lease {
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
      wantsText: item.kind === UrlKind.page && this.#parts.traps.wantsText(item.url),
    };
  }

  #countTrap(pattern: string): void {
    if (!this.trapCounts.has(pattern)) {
      this.#parts.events.trapCut(pattern);
    }
    this.trapCounts.set(pattern, (this.trapCounts.get(pattern) ?? 0) + 1);
  }

  #saveChanged(composition: Composition): void {
    const swaps = this.#parked > 0 && this.#parkedDue <= this.#clock.now();
    if (this.#registry.surplus > 0 || (swaps && this.#registry.surplus === 0 && !this.#evictionFutile)) {
      const rows = this.#registry.evict(this.#registry.surplus, swaps && this.#registry.surplus === 0);
      this.#evictionFutile = rows.length === 0;
      this.#parts.events.originsLeft(this.#registry.takeLeft());
      this.#scheduler.left(this.#registry.takeUrlsLeft());
      composition.transaction.hosts.push(...rows);
      for (const { parkedUntil } of rows) {
        if (parkedUntil !== null) {
          this.#parked++;
          this.#parkedDue = Math.min(this.#parkedDue, this.#clock.now() + Math.max(0, parkedUntil - this.#steady.wall()));
        }
      }
    }
    composition.transaction.hosts.push(...this.#toPark.values());
    this.#toPark.clear();
    for (const host of new Set(composition.pinned)) {
      this.#saveHost(host, composition);
    }
    composition.transaction.spilledKeys = this.#parts.keys.spill();
  }

  #saveHost(host: Host, composition: Composition): void {
    if (host.dirty) {
      host.dirty = false;
      composition.transaction.hosts.push(this.#registry.row(host));
    }
    for (const origin of host.origins) {
      if (origin.dirty) {
        origin.dirty = false;
        composition.transaction.origins.push(this.#registry.originRow(origin));
      }
    }
  }

  async #commit(composition: Composition): Promise<void> {
    composition.transaction.meta = this.#meta();
    const answer = await this.#parts.store.commit(composition.transaction);
    this.commitMs = answer.commitMs;
    composition.unpin();
    this.#learnFrom(composition, answer);
  }

  #meta(): Record<string, string> {
    return {
      dispatched: String(this.#dispatched),
      ...(this.trapCounts.size > 0 ? { trapCounts: JSON.stringify([...this.trapCounts]) } : {}),
      ...(this.#seedUse.size > 0 && this.#seedUse.size < 1000 ? { seedUse: JSON.stringify([...this.#seedUse]) } : {}),
    };
  }

  /** The commit is durable: now memory may know of it. */
  #learnFrom(composition: Composition, answer: CommitAnswer): void {
    const { transaction, settled } = composition;
    const newUrls = trulyNew(transaction.newUrls, answer);
    const fresh = this.#enterHosts(answer.hosts);
    for (const url of newUrls) {
      this.#cameNew(url, fresh);
    }
    for (const url of answer.queued) {
      this.#open++;
      this.#counts.skipped -= url.wasSkipped ? 1 : 0;
      this.#queueAgain(url, fresh);
    }
    for (const { key, depth, offered } of answer.lowered) {
      this.#parts.keys.lower(key, depth, offered);
    }
    for (const { item, origin } of composition.requeued) {
      const moved = origin.host.deferredReason !== null || origin.robots === 'unreachable' || origin.robots === 'failed';
      if (!moved || item.kind === UrlKind.robots) {
        this.#scheduler.add(origin, item);
      }
    }
    transaction.bulk.forEach((move, i) => {
      if (move.to === UrlState.queued) {
        this.#reload(answer.hosts.find(({ host }) => host.id === move.host)!);
      }
      this.#countBulk(move.to, answer.moved[i]!, composition.bulkHosts[i]!, move.reason);
    });
    this.#open -= settled.outstanding;
    this.#counts.done += settled.done;
    this.#counts.failed += settled.failed;
    this.#counts.skipped += settled.skipped;
    for (const host of new Set(composition.pinned)) {
      this.#scheduler.refresh(host);
    }
    this.#notePeaks();
    if (composition.pages.length > 0) {
      this.#parts.events.settled(composition.pages);
    }
  }

  #notePeaks(): void {
    this.peakOnDisk = Math.max(this.peakOnDisk, this.counts().queuedOnDisk);
    this.peakHosts = Math.max(this.peakHosts, this.#registry.size);
    this.peakParked = Math.max(this.peakParked, this.#parked);
  }

  /** Hosts that were not in memory when their URLs were composed: their queues come from disk, the new URLs included. */
  #enterHosts(hosts: HostSnapshot[]): Set<string> {
    const fresh = new Set<string>();
    for (const snapshot of hosts) {
      for (const { origin } of snapshot.origins) {
        if (this.#registry.origin(origin) === undefined) {
          fresh.add(origin);
        }
      }
      if (this.#registry.surplus < 0 || this.#registry.has(snapshot.host.id)) {
        this.#enter(snapshot);
      } else {
        this.#park(snapshot.host);
      }
    }
    return fresh;
  }

  /** There is no room for it in memory: with the next transaction it stands among those that wait on disk. */
  #park(host: HostSnapshot['host']): void {
    const parkedUntil = Math.max(host.nextAllowedAt, host.blockedUntil);
    this.#parked += this.#toPark.has(host.id) ? 0 : 1;
    this.#toPark.set(host.id, { ...host, parkedUntil });
    this.#parkedDue = Math.min(this.#parkedDue, this.#clock.now() + Math.max(0, parkedUntil - this.#steady.wall()));
  }

  #cameNew(url: NewUrl, fresh: Set<string>): void {
    if (url.unsure) {
      this.#parts.keys.insert(url.key, url.id, url.depth, url.state !== UrlState.unlisted && url.reason !== 'nofollow');
    }
    if (isListed(url) && url.state !== UrlState.queued) {
      const name = url.state === UrlState.skipped ? 'skipped' : url.state === UrlState.failed ? 'failed' : 'deferred';
      this.#counts[name]++;
    }
    if (!isWork(url)) {
      return;
    }
    this.#open++;
    const text = queueOriginOf(url.url);
    const origin = this.#registry.origin(text);
    if (origin !== undefined && !fresh.has(text) && origin.host.deferredReason === null && origin.robots !== 'failed') {
      this.#scheduler.add(origin, { ...url, attempts: 0, notBefore: 0 });
    }
  }

  #queueAgain(url: QueuedUrl & { origin: string }, fresh: Set<string>): void {
    const origin = this.#registry.origin(url.origin);
    if (origin !== undefined && !fresh.has(url.origin)) {
      this.#scheduler.add(origin, this.#waiting(url));
    }
  }

  /** After a bulk move back to queued: everything of the host waits on disk. */
  #reload(snapshot: HostSnapshot): void {
    for (const { origin: text, queued } of snapshot.origins) {
      const origin = this.#registry.origin(text);
      if (origin !== undefined) {
        this.#scheduler.clear(origin, queued);
      }
    }
  }

  #countBulk(to: UrlState, moved: number, { host, origin }: { host: Host | null; origin: Origin | null }, reason: string | null): void {
    if (to === UrlState.queued) {
      this.#open += moved;
      this.#counts.deferred -= moved;
      return;
    }
    this.#open -= moved;
    if (to === UrlState.failed) {
      this.#counts.failed += moved;
      return;
    }
    this.#counts.deferred += moved;
    const at = host ?? origin!.host;
    this.#parts.events.hostDeferred(at.name, reason ?? '', moved, at.blockedUntil);
  }
}

function redirectTarget(outcome: Outcome, newIds: number[]): number | null {
  if (outcome.redirect === null) {
    return null;
  }
  return 'id' in outcome.redirect ? outcome.redirect.id : newIds[outcome.redirect.offer]!;
}

/** What is kept of a request that got no answer. */
function failedPage(outcome: Outcome, wall: number): PageRow {
  return {
    status: outcome.status,
    message: outcome.message,
    contentType: null,
    bytes: 0,
    links: 0,
    title: null,
    description: null,
    canonical: null,
    lang: null,
    robotsMeta: null,
    hash: null,
    lastModified: null,
    etag: null,
    fetchedAt: wall,
    ttfbMs: outcome.ttfbMs ?? 0,
    totalMs: 0,
    malformed: null,
  };
}

const isFetchable = (offer: Offer): boolean => offer.reason !== 'scheme';

export function sitemapOffer(url: string, depth: number): Offer {
  return {
    url,
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    state: depth > MAX_SITEMAP_DEPTH ? UrlState.unlisted : UrlState.queued,
    reason: null,
    depth,
    class: QueueClass.seed,
    seed: 0,
    hops: 0,
    flags: 0,
    pattern: null,
  };
}

