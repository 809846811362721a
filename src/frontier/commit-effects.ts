import { standingOf } from '../store/standing.js';
import type { CommitAnswer, HostSnapshot, NewUrl, QueuedUrl } from '../store/transaction.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { queueOriginOf } from '../url/host.js';
import type { Admission } from './admission.js';
import type { Budget } from './budget.js';
import type { Draft } from './draft.js';
import type { Host } from './host.js';
import type { Hosts } from './hosts.js';
import type { Leases } from './leases.js';
import type { FrontierParts } from './options.js';
import type { Queues } from './queues.js';
import type { Scheduler } from './scheduler.js';
import type { SharedFate } from './shared-fate.js';

interface Surroundings {
  hosts: Hosts;
  queues: Queues;
  scheduler: Scheduler;
  leases: Leases;
  budget: Budget;
  admission: Admission;
  fate: SharedFate;
}

/**
 * What a durable commit changes in memory: new URLs enter their queues, the counters move, listeners are called. The counters follow the
 * store: they change only here, so they never count what the store does not have.
 */
export class CommitEffects {
  readonly #parts: Pick<FrontierParts, 'options' | 'clock' | 'keys' | 'seeds' | 'events'>;
  readonly #around: Surroundings;
  /** Sitemap files that this run has not read because of the limit, by host. */
  readonly #sitemapsCut = new Map<string, number>();
  readonly #counts: { done: number; failed: number; skipped: number; deferred: number };
  readonly #peaks = { onDisk: 0, hosts: 0, parked: 0 };
  #settling = 0;
  #open: number;

  constructor(parts: FrontierParts, around: Surroundings) {
    const { counts } = parts.snapshot;
    this.#parts = parts;
    this.#around = around;
    this.#counts = { done: counts.done ?? 0, failed: counts.failed ?? 0, skipped: counts.skipped ?? 0, deferred: 0 };
    this.#open = counts.open ?? 0;
  }

  /** URLs that are queued or leased, apart from a robots.txt in its own place. */
  get open(): number {
    return this.#open;
  }

  get counts(): Readonly<{ done: number; failed: number; skipped: number; deferred: number }> {
    return this.#counts;
  }

  /** Most that ever waited on disk, stood in memory, or were parked. */
  get peaks(): Readonly<{ onDisk: number; hosts: number; parked: number }> {
    return this.#peaks;
  }

  get queuedOnDisk(): number {
    const { queues, leases } = this.#around;
    return Math.max(0, this.#open - queues.inMemory - (leases.size - leases.ownRobots) - this.#settling);
  }

  /** How many leases are over but not durable yet: they wait nowhere. */
  composed(outcomes: number): void {
    this.#settling += outcomes;
  }

  /** @param outcomes that it has settled */
  apply(draft: Draft, answer: CommitAnswer, outcomes: number): void {
    this.#settling -= outcomes;
    const { hosts, scheduler, leases, budget } = this.#around;
    const { events, keys } = this.#parts;
    // The host's URLs in memory may leave now.
    draft.unpin();
    hosts.workEnded();
    const newUrls = trulyNew(draft.transaction.newUrls, answer);
    const fresh = this.#enterHosts(answer.hosts);
    this.#keepWhole(fresh, newUrls, answer.hosts);
    for (const url of newUrls) {
      this.#addNew(url, fresh);
    }
    this.#count(answer.change);
    this.#open += answer.change.queued;
    for (const [id, flags] of answer.reflagged) {
      leases.learnFlags(id, flags);
    }
    this.#widen(answer);
    if (answer.posted !== undefined) {
      events.posted?.(answer.posted);
    }
    for (const pattern of answer.trapped) {
      events.trapCut(pattern);
    }
    for (const [host, files] of draft.sitemapsCut) {
      this.#noteCut(host, files);
    }
    for (const url of answer.queued) {
      if (url.cookie !== undefined) {
        budget.refetched();
      }
      this.#queueAgain(url, fresh);
    }
    for (const { key, depth, standing } of answer.lowered) {
      keys.lower(key, depth, standing);
    }
    for (const { item, origin } of draft.requeued) {
      if (!origin.isGivenUp || item.kind === UrlKind.robots) {
        scheduler.add(origin, item);
      }
    }
    this.#beginAnew(answer);
    this.#noteMoves(draft, answer);
    this.#open -= draft.settled.outstanding;
    this.#count(draft.settled);
    for (const host of draft.pinned) {
      scheduler.refresh(host);
    }
    this.#notePeaks();
    const { assets, pages } = draft;
    const isMoved = draft.transaction.bulk.length > 0;
    if (assets.length > 0 || isMoved) {
      events.assets?.(assets, isMoved);
    }
    for (const [id, data] of answer.data ?? []) {
      const page = pages.find(({ outcome }) => outcome.id === id);
      if (page !== undefined) {
        page.data = data;
      }
    }
    if (pages.length > 0) {
      events.settled(pages);
    }
  }

  #count(by: { done: number; failed: number; skipped: number; deferred?: number }): void {
    this.#counts.done += by.done;
    this.#counts.failed += by.failed;
    this.#counts.skipped += by.skipped;
    this.#counts.deferred += by.deferred ?? 0;
  }

  /** Reported when it begins; the end reports how many there were. */
  #noteCut(host: string, files: number): void {
    const before = this.#sitemapsCut.get(host) ?? 0;
    this.#sitemapsCut.set(host, before + files);
    if (before === 0) {
      this.#parts.events.sitemapsCut(host, null);
    }
  }

  /** The run is over. */
  close(): void {
    for (const [host, files] of this.#sitemapsCut) {
      this.#parts.events.sitemapsCut(host, files);
    }
  }

  /** Seeds redirect: their scopes grow by the targets. */
  #widen({ widened, unsought }: CommitAnswer): void {
    const { hosts, scheduler, admission } = this.#around;
    const { seeds, options } = this.#parts;
    for (const { seed, scopeUrls, opens } of widened) {
      seeds.redirected(seed, scopeUrls);
      if (opens) {
        admission.scopeGrew(seeds.seeds[seed]!);
      }
    }
    for (const { origin: text, waits } of unsought) {
      const origin = hosts.origin(text);
      if (origin?.robots.state === 'ready' && hosts.asksRobots(text)) {
        scheduler.askRobotsAgain(origin, !waits);
      }
    }
    if (widened.length > 0 && !options.obeyRobots) {
      this.#askForSitemaps();
    }
  }

  /** When rules are not obeyed, robots.txt is requested only in scope: these origins have just come into it. */
  #askForSitemaps(): void {
    const { hosts, scheduler } = this.#around;
    for (const origin of [...hosts.all()].flatMap((host) => host.origins)) {
      const { robots } = origin;
      const isUnsought = origin.waiting > 0 && robots.state === 'ready' && !robots.sitemapsSought;
      if (isUnsought && hosts.asksRobots(origin.origin)) {
        scheduler.askRobotsAgain(origin);
      }
    }
  }

  #notePeaks(): void {
    const { hosts } = this.#around;
    this.#peaks.onDisk = Math.max(this.#peaks.onDisk, this.queuedOnDisk);
    this.#peaks.hosts = Math.max(this.#peaks.hosts, hosts.size);
    this.#peaks.parked = Math.max(this.#peaks.parked, hosts.parked);
  }

  /** Hosts that were not in memory when their URLs were composed: their queues come from disk, the new URLs included. */
  #enterHosts(snapshots: HostSnapshot[]): Set<string> {
    const { hosts, scheduler } = this.#around;
    const fresh = new Set<string>();
    for (const snapshot of snapshots) {
      for (const { origin } of snapshot.origins) {
        if (hosts.origin(origin) === undefined) {
          fresh.add(origin);
        }
      }
      if (hosts.hasRoom || hosts.has(snapshot.host.id)) {
        scheduler.enter(snapshot);
      } else {
        hosts.park(snapshot.host);
      }
    }
    return fresh;
  }

  /** If only the URLs of this transaction wait on disk, nothing has to be loaded. */
  #keepWhole(fresh: Set<string>, newUrls: NewUrl[], snapshots: HostSnapshot[]): void {
    if (fresh.size === 0) {
      return;
    }
    const composed = new Map<string, number>();
    for (const { url } of newUrls.filter(isWork)) {
      const text = queueOriginOf(url);
      composed.set(text, (composed.get(text) ?? 0) + 1);
    }
    for (const { origin: text, queued } of snapshots.flatMap(({ origins }) => origins)) {
      const origin = fresh.has(text) ? this.#around.hosts.origin(text) : undefined;
      if (origin !== undefined && composed.get(text) === queued.reduce((sum, count) => sum + count)) {
        this.#around.queues.clear(origin, []);
        fresh.delete(text);
      }
    }
  }

  #addNew(url: NewUrl, fresh: Set<string>): void {
    const { hosts, scheduler } = this.#around;
    if (url.unsure) {
      this.#parts.keys.insert(url.key, url.id, url.depth, standingOf(url));
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
    const origin = hosts.origin(text);
    const isWanted = origin?.host.deferredReason === null && origin.robots.state !== 'failed';
    if (isWanted && !fresh.has(text)) {
      scheduler.add(origin, waitingOf(url));
    }
  }

  #queueAgain(url: QueuedUrl & { origin: string }, fresh: Set<string>): void {
    const { hosts, queues, scheduler, fate } = this.#around;
    const origin = hosts.origin(url.origin);
    if (origin?.isGivenUp) {
      fate.addLate(origin);
    } else if (origin !== undefined && !fresh.has(url.origin)) {
      scheduler.add(origin, queues.timed(url));
    }
  }

  /** Some URLs on disk come before those in memory, which make room. Urgent ones and seeds stay, because they come first anyway. */
  #beginAnew({ hosts: snapshots, reloaded }: CommitAnswer): void {
    const { hosts, scheduler, fate } = this.#around;
    for (const { origin: text, queued } of snapshots.flatMap(({ origins }) => origins)) {
      const origin = reloaded.has(text) ? hosts.origin(text) : undefined;
      if (origin?.isGivenUp) {
        fate.addLate(origin);
      } else if (origin !== undefined) {
        scheduler.clearRest(origin, queued);
      }
    }
  }

  /** All that waited for a host or at an origin was put off, has failed, or is queued again. */
  #noteMoves({ transaction, movedAt }: Draft, { moved, hosts }: CommitAnswer): void {
    transaction.bulk.forEach(({ to, host, reason }, i) => {
      const { urls, pages } = moved[i]!;
      if (to === UrlState.queued) {
        this.#reload(hosts.find((snapshot) => snapshot.host.id === host)!);
        this.#open += urls;
        this.#counts.deferred -= pages;
        return;
      }
      this.#open -= urls;
      this.#counts[to === UrlState.failed ? 'failed' : 'deferred'] += pages;
      if (to !== UrlState.failed && pages > 0) {
        this.#tellDeferred(movedAt[i]!, reason, pages);
      }
    });
  }

  #tellDeferred({ name, blockedUntil }: Host, reason: string | null, pages: number): void {
    const { clock, events } = this.#parts;
    const waitMs = blockedUntil - clock.now();
    events.hostDeferred(name, reason ?? '', pages, waitMs > 0 ? clock.wall() + waitMs : 0);
  }

  /** After a bulk move back to queued: everything of the host waits on disk. */
  #reload({ origins }: HostSnapshot): void {
    for (const { origin: text, queued } of origins) {
      const origin = this.#around.hosts.origin(text);
      if (origin !== undefined) {
        this.#around.queues.clear(origin, queued);
      }
    }
  }
}

/** The URLs that really are new, once the store has said which were known on disk. */
function trulyNew(newUrls: NewUrl[], answer: CommitAnswer): NewUrl[] {
  if (answer.known.length === 0) {
    return newUrls;
  }
  const known = new Set(answer.known.map(([id]) => id));
  return newUrls.filter((url) => !known.has(url.id));
}

/** Whether a new URL is work: it waits to be fetched. */
const isWork = (url: NewUrl): boolean => url.state === UrlState.queued;

const isListed = (url: NewUrl): boolean =>
  url.kind === UrlKind.page && url.state !== UrlState.unlisted && (url.flags & UrlFlag.candidate) === 0;

/** Holds only what a waiting URL needs, because there may be very many. */
function waitingOf({ id, url, kind, depth, seed, class: queueClass, hops, flags }: NewUrl): QueuedUrl {
  return { id, url, kind, depth, seed, class: queueClass, attempts: 0, notBefore: 0, hops, flags };
}
