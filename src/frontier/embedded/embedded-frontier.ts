import type { CommitAnswer, RenderedPage } from '../../store/transaction.js';
import { UrlKind } from '../../store/url-state.js';
import type { Frontier, FrontierCounts, Lease, Offer, Outcome, PagePiece, RenderedOutcome } from '../frontier.js';
import { Admission } from './admission.js';
import { Composition } from './composition.js';
import { Deferral } from './deferral.js';
import { type EmbeddedFrontierParts, FrontierState } from './frontier-state.js';
import type { Host } from './host.js';
import { HostMemory } from './host-memory.js';
import { Learning } from './learning.js';
import { Leasing } from './leasing.js';
import { Responses } from './responses.js';
import type { Scheduler } from './scheduler.js';
import { Settlement } from './settlement.js';
import { UrlBudget } from './url-budget.js';

/** The frontier on one machine: the schedule in memory, everything that must not be lost in the store. */
export class EmbeddedFrontier implements Frontier {
  readonly #state: FrontierState;
  readonly #budget: UrlBudget;
  readonly #admission: Admission;
  readonly #deferral: Deferral;
  readonly #responses: Responses;
  readonly #settlement: Settlement;
  readonly #leasing: Leasing;
  readonly #hostMemory: HostMemory;
  readonly #learning: Learning;

  constructor(parts: EmbeddedFrontierParts) {
    const state = new FrontierState(parts);
    this.#state = state;
    this.#budget = new UrlBudget(state);
    this.#admission = new Admission(state, this.#budget);
    this.#deferral = new Deferral(state, this.#admission);
    this.#responses = new Responses(state, this.#deferral);
    this.#settlement = new Settlement(state, this.#admission, this.#budget, this.#deferral, this.#responses);
    this.#leasing = new Leasing(state, this.#admission, this.#budget, this.#deferral);
    this.#hostMemory = new HostMemory(state, this.#deferral);
    this.#learning = new Learning(state, this.#hostMemory);
    this.#budget.closeWhenSpent();
    for (const host of parts.snapshot.hosts) {
      this.#hostMemory.enter(host);
    }
  }

  get scopeVersion(): number {
    return this.#state.scopeVersion;
  }

  get commitMs(): number {
    return this.#state.commitMs;
  }

  /** Most that ever waited on disk, stood in memory, or were parked. */
  get peaks(): { onDisk: number; hosts: number; parked: number } {
    const { peakOnDisk: onDisk, peakHosts: hosts, peakParked: parked } = this.#state;
    return { onDisk, hosts, parked };
  }

  headers(id: number, at: number): void {
    this.#responses.headers(id, at);
  }

  ended(outcome: Outcome): void {
    this.#responses.ended(outcome);
  }

  async admit(offers: Offer[], meta: Record<string, string> = {}): Promise<number[]> {
    const composition = new Composition(this.#state.clock.wall());
    const ids = this.#admission.admit(offers, null, composition);
    const known = new Map(await this.#commit(composition, meta));
    return ids.map((id) => known.get(id) ?? id);
  }

  async admitFrom({ page, offers, found }: PagePiece): Promise<number[]> {
    const composition = new Composition(this.#state.clock.wall());
    this.#settlement.notePiece(page.id, offers);
    const leads = { offers, found, redirect: null, redirectUrl: null };
    const host = this.#state.leased.get(page.id)?.origin.host ?? null;
    const ids = this.#admission.admitFrom(page, leads, composition, host);
    const known = new Map(await this.#commit(composition));
    return ids.map((id) => known.get(id) ?? id);
  }

  async rendered(pages: RenderedOutcome[]): Promise<void> {
    const composition = new Composition(this.#state.clock.wall());
    for (const { page, text, outcome } of pages) {
      composition.transaction.rendered.push({
        id: page.id,
        text,
        reading: outcome === null ? null : this.#readingOf(page, outcome, composition),
      });
    }
    await this.#commit(composition);
  }

  #readingOf(page: RenderedOutcome['page'], outcome: Outcome, composition: Composition): RenderedPage['reading'] {
    const newIds = this.#admission.admitFrom({ ...page, kind: UrlKind.page }, outcome, composition);
    const { edges, rels, texts } = outcome;
    const depth = outcome.scopeVersion === this.#state.scopeVersion ? page.depth : -1;
    return { page: outcome.page!, edges, rels, texts, newIds, depth };
  }

  /** Before anything is asked for: further URLs whose surroundings belong to a seed. */
  async widen(seed: number, urls: readonly string[]): Promise<void> {
    const composition = new Composition(this.#state.clock.wall());
    this.#admission.widen(this.#state.parts.seeds.seeds[seed]!, urls, composition);
    if (!composition.isEmpty) {
      await this.#commit(composition);
    }
  }

  async settle(outcomes: Outcome[], want: number): Promise<Lease[]> {
    if (this.#state.options.order !== 'bfs' && outcomes.length > 0 && want > 0) {
      // What these pages lead to may go before all that waits: it has to be known when the next are chosen.
      await this.settle(outcomes, 0);
      return this.settle([], want);
    }
    await this.#hostMemory.bringIn();
    const composition = new Composition(this.#state.clock.wall());
    for (const outcome of outcomes) {
      this.#settlement.settleOne(outcome, composition);
    }
    this.#deferral.deferHosts(composition);
    const leases = this.#leasing.lease(want, composition);
    this.#hostMemory.findAddresses();
    this.#hostMemory.saveChanged(composition);
    if (!composition.isEmpty) {
      await this.#commit(composition);
    }
    return leases;
  }

  wakeAt(): number {
    if (this.#state.toShareFate.size + this.#state.toDefer.size > 0) {
      return 0;
    }
    const canTurn = this.#state.parked > 0 && (this.#state.registry.surplus < 0 || !this.#state.evictionFutile);
    const dueAt = canTurn ? this.#state.parkedDue : Number.POSITIVE_INFINITY;
    return Math.min(this.#state.scheduler.nextAt, dueAt);
  }

  /** What the crawl waits for, when it waits. */
  waitingFor(): { name: string; at: number } | null {
    return this.#state.scheduler.next();
  }

  counts(): FrontierCounts {
    const { use, robotsPlaces } = this.#state.scheduler;
    return {
      outstanding: this.#state.open + this.#state.robotsLeased,
      queuedInMemory: use.inMemory,
      queuedOnDisk: this.#state.queuedOnDisk,
      hostsInMemory: this.#state.registry.size,
      hostsParked: this.#state.parked,
      hostsDelayed: this.#state.scheduler.delayedHosts,
      leased: this.#state.leased.size,
      secondLooks: this.#state.scheduler.secondLooks,
      dispatched: this.#state.dispatched,
      ...this.#state.counts,
      retries: this.#state.retries,
      refetched: this.#state.refetched,
      robotsInFlight: robotsPlaces.inFlight,
      robotsWaiting: robotsPlaces.waiting,
    };
  }

  get layerUse(): Scheduler['use'] {
    return this.#state.scheduler.use;
  }

  get robotsUse(): { peak: number; peakWaiting: number } {
    return this.#state.scheduler.robotsPlaces;
  }

  /** Addresses are being looked up; their hosts wait for nothing else. */
  get isLookingUp(): boolean {
    return this.#state.lookingUp > 0;
  }

  /** What keeps all that is queued from being fetched, or null. */
  get spent(): 'max_urls' | 'surveyed' | null {
    return this.#state.options.surveyOnly ? 'surveyed' : this.#state.scheduler.closed ? 'max_urls' : null;
  }

  /** For the simulator: every place a URL or host can be in. */
  inspect(): { heap: Iterable<Host>; hosts: Iterable<Host>; leased: ReadonlyMap<number, unknown> } {
    return { heap: this.#state.scheduler.heap(), hosts: this.#state.registry.hosts(), leased: this.#state.leased };
  }

  async close(_reason: string): Promise<void> {
    const composition = new Composition(this.#state.clock.wall());
    for (const host of this.#state.registry.hosts()) {
      if (host.awaitingHeaders > 0) {
        // Its request is cut off with the run; whoever resumes has to keep the distance to it.
        host.nextAllowedAt = Math.max(host.nextAllowedAt, this.#state.clock.now() + host.delayMs);
      }
      const row = this.#state.registry.row(host);
      // The next run goes by the time as it is then.
      const driftMs = this.#state.clock.wall() - this.#state.steady.wall();
      composition.transaction.hosts.push({
        ...row,
        nextAllowedAt: row.nextAllowedAt + driftMs,
        blockedUntil: row.blockedUntil + driftMs,
      });
    }
    composition.transaction.meta = { ...this.#budget.meta(), traps: JSON.stringify(this.#state.parts.traps) };
    await this.#state.parts.store.commit(composition.transaction);
    for (const [host, files] of this.#state.sitemapsCut) {
      this.#state.parts.events.sitemapsCut(host, files);
    }
  }

  /** Ids that turned out to be others, and the ids their URLs are known by. */
  async #commit(composition: Composition, meta: Record<string, string> = {}): Promise<CommitAnswer['known']> {
    composition.transaction.meta = { ...this.#budget.meta(), ...meta };
    const answer = await this.#state.parts.store.commit(composition.transaction);
    this.#state.commitMs = answer.commitMs;
    composition.unpin();
    // What it held in memory may leave now.
    this.#state.evictionFutile = false;
    this.#learning.learnFrom(composition, answer);
    return answer.known;
  }
}
