import { standingOf } from '../../store/standing.js';
import type { CommitAnswer, HostSnapshot, NewUrl, QueuedUrl } from '../../store/transaction.js';
import { UrlKind, UrlState } from '../../store/url-state.js';
import { queueOriginOf } from '../../url/place.js';
import { type Composition, isListed, isWork, trulyNew } from './composition.js';
import type { FrontierState } from './frontier-state.js';
import type { Host, Origin } from './host.js';
import type { HostMemory } from './host-memory.js';
import type { Waiting } from './queue-window.js';

/** No more than what has to be known of it while it waits: there may be very many. */
function waitingOf({ id, url, kind, depth, seed, class: queueClass, hops, flags }: NewUrl): Waiting {
  return { id, url, kind, depth, seed, class: queueClass, attempts: 0, notBefore: 0, hops, flags };
}

/** Nothing that waits there is asked for: its host is put off, or its robots.txt cannot be had. */
const isGivenUp = ({ host, robots }: Origin): boolean =>
  host.deferredReason !== null || robots === 'unreachable' || robots === 'failed';

/** The commit is durable: memory takes over what it says. */
export class Learning {
  readonly #state: FrontierState;
  readonly #hostMemory: HostMemory;

  constructor(state: FrontierState, hostMemory: HostMemory) {
    this.#state = state;
    this.#hostMemory = hostMemory;
  }

  /** The commit is durable: now memory may know of it. */
  learnFrom(composition: Composition, answer: CommitAnswer): void {
    const { transaction, settled } = composition;
    const newUrls = trulyNew(transaction.newUrls, answer);
    const fresh = this.#enterHosts(answer.hosts);
    this.#keepWhole(fresh, newUrls, answer.hosts);
    for (const url of newUrls) {
      this.#cameNew(url, fresh);
    }
    this.#state.open += answer.change.queued;
    this.#state.counts.done += answer.change.done;
    this.#state.counts.skipped += answer.change.skipped;
    this.#state.counts.failed += answer.change.failed;
    this.#state.counts.deferred += answer.change.deferred;
    for (const [id, flags] of answer.reflagged) {
      this.#state.reflagged.set(id, flags);
    }
    this.#widen(answer);
    for (const pattern of answer.trapped) {
      this.#state.parts.events.trapCut(pattern);
    }
    for (const [host, files] of composition.sitemapsCut) {
      this.#noteCut(host, files);
    }
    for (const url of answer.queued) {
      this.#state.refetched += url.cookie === undefined ? 0 : 1;
      this.#queueAgain(url, fresh);
    }
    for (const { key, depth, standing } of answer.lowered) {
      this.#state.parts.keys.lower(key, depth, standing);
    }
    for (const { item, origin } of composition.requeued) {
      if (!isGivenUp(origin) || item.kind === UrlKind.robots) {
        this.#state.scheduler.add(origin, item);
      }
    }
    this.#beginAnew(answer);
    transaction.bulk.forEach((move, i) => {
      if (move.to === UrlState.queued) {
        this.#reload(answer.hosts.find(({ host }) => host.id === move.host)!);
      }
      this.#countBulk(move.to, answer.moved[i]!, composition.bulkHosts[i]!, move.reason);
    });
    this.#state.open -= settled.outstanding;
    this.#state.counts.done += settled.done;
    this.#state.counts.failed += settled.failed;
    this.#state.counts.skipped += settled.skipped;
    for (const host of new Set(composition.pinned)) {
      this.#state.scheduler.refresh(host);
    }
    this.#notePeaks();
    if (composition.assets.length > 0 || transaction.bulk.length > 0) {
      this.#state.parts.events.assets?.(composition.assets, transaction.bulk.length > 0);
    }
    if (composition.pages.length > 0) {
      this.#state.parts.events.settled(composition.pages);
    }
  }

  /** Told when it begins; how many it came to is told at the end. */
  #noteCut(host: string, files: number): void {
    const before = this.#state.sitemapsCut.get(host) ?? 0;
    this.#state.sitemapsCut.set(host, before + files);
    if (before === 0) {
      this.#state.parts.events.sitemapsCut(host, null);
    }
  }

  /** Seeds redirect: their scopes count where. */
  #widen({ widened, unsought }: CommitAnswer): void {
    const { seeds, events } = this.#state.parts;
    for (const { seed, scopeUrls, opens } of widened) {
      seeds.redirected(seed, scopeUrls);
      if (opens) {
        this.#state.scopeVersion++;
        events.scopeGrew(seeds.seeds[seed]!);
      }
    }
    for (const { origin: text, waits } of unsought) {
      const origin = this.#state.registry.origin(text);
      if (origin?.robots === 'ready' && this.#state.registry.asksRobots(text)) {
        origin.robots = 'unknown';
        origin.waitsForNothing = !waits;
        this.#state.scheduler.refresh(origin.host);
      }
    }
    if (widened.length > 0 && !this.#state.options.obeyRobots) {
      this.#askForSitemaps();
    }
  }

  /** Where rules are not obeyed, robots.txt is asked for only in scope: these have just come into it. */
  #askForSitemaps(): void {
    const { registry, scheduler } = this.#state;
    for (const host of registry.hosts()) {
      for (const origin of host.origins) {
        const waits = origin.queue.inMemory + origin.queue.onDisk > 0;
        if (waits && origin.robots === 'ready' && !origin.sitemapsSought && registry.asksRobots(origin.origin)) {
          origin.robots = 'unknown';
          scheduler.refresh(host);
        }
      }
    }
  }

  #notePeaks(): void {
    this.#state.peakOnDisk = Math.max(this.#state.peakOnDisk, this.#state.queuedOnDisk);
    this.#state.peakHosts = Math.max(this.#state.peakHosts, this.#state.registry.size);
    this.#state.peakParked = Math.max(this.#state.peakParked, this.#state.parked);
  }

  /** Hosts that were not in memory when their URLs were composed: their queues come from disk, the new URLs included. */
  #enterHosts(hosts: HostSnapshot[]): Set<string> {
    const fresh = new Set<string>();
    for (const snapshot of hosts) {
      for (const { origin } of snapshot.origins) {
        if (this.#state.registry.origin(origin) === undefined) {
          fresh.add(origin);
        }
      }
      if (this.#state.registry.surplus < 0 || this.#state.registry.has(snapshot.host.id)) {
        this.#hostMemory.enter(snapshot);
      } else {
        this.#hostMemory.park(snapshot.host);
      }
    }
    return fresh;
  }

  /** Where nothing waits on disk but what has just been composed, nothing has to be loaded. */
  #keepWhole(fresh: Set<string>, newUrls: NewUrl[], hosts: HostSnapshot[]): void {
    if (fresh.size === 0) {
      return;
    }
    const composed = new Map<string, number>();
    for (const url of newUrls.filter(isWork)) {
      const text = queueOriginOf(url.url);
      composed.set(text, (composed.get(text) ?? 0) + 1);
    }
    for (const { origin: text, queued } of hosts.flatMap(({ origins }) => origins)) {
      const origin = fresh.has(text) ? this.#state.registry.origin(text) : undefined;
      if (origin !== undefined && composed.get(text) === queued.reduce((sum, count) => sum + count)) {
        this.#state.scheduler.clear(origin, []);
        fresh.delete(text);
      }
    }
  }

  #cameNew(url: NewUrl, fresh: Set<string>): void {
    if (url.unsure) {
      this.#state.parts.keys.insert(url.key, url.id, url.depth, standingOf(url));
    }
    if (isListed(url) && url.state !== UrlState.queued) {
      const name = url.state === UrlState.skipped ? 'skipped' : url.state === UrlState.failed ? 'failed' : 'deferred';
      this.#state.counts[name]++;
    }
    if (!isWork(url)) {
      return;
    }
    this.#state.open++;
    const text = queueOriginOf(url.url);
    const origin = this.#state.registry.origin(text);
    if (origin !== undefined && !fresh.has(text) && origin.host.deferredReason === null && origin.robots !== 'failed') {
      this.#state.scheduler.add(origin, waitingOf(url));
    }
  }

  #queueAgain(url: QueuedUrl & { origin: string }, fresh: Set<string>): void {
    const origin = this.#state.registry.origin(url.origin);
    if (origin !== undefined && isGivenUp(origin)) {
      this.#state.toShareFate.add(origin);
    } else if (origin !== undefined && !fresh.has(url.origin)) {
      this.#state.scheduler.add(origin, this.#hostMemory.waiting(url));
    }
  }

  /** URLs wait on disk that have their place before those in memory. The urgent ones and the seeds stay: none of them is such a URL. */
  #beginAnew({ hosts, reloaded }: CommitAnswer): void {
    for (const { origin: text, queued } of hosts.flatMap(({ origins }) => origins)) {
      const origin = reloaded.has(text) ? this.#state.registry.origin(text) : undefined;
      if (origin !== undefined && isGivenUp(origin)) {
        this.#state.toShareFate.add(origin);
      } else if (origin !== undefined) {
        this.#state.scheduler.clearRest(origin, queued);
      }
    }
  }

  /** After a bulk move back to queued: everything of the host waits on disk. */
  #reload(snapshot: HostSnapshot): void {
    for (const { origin: text, queued } of snapshot.origins) {
      const origin = this.#state.registry.origin(text);
      if (origin !== undefined) {
        this.#state.scheduler.clear(origin, queued);
      }
    }
  }

  #countBulk(
    to: UrlState,
    { urls, pages }: { urls: number; pages: number },
    { host, origin }: { host: Host | null; origin: Origin | null },
    reason: string | null,
  ): void {
    if (to === UrlState.queued) {
      this.#state.open += urls;
      this.#state.counts.deferred -= pages;
      return;
    }
    this.#state.open -= urls;
    if (to === UrlState.failed) {
      this.#state.counts.failed += pages;
      return;
    }
    this.#state.counts.deferred += pages;
    if (pages === 0) {
      return;
    }
    const at = host ?? origin!.host;
    const waitMs = at.blockedUntil - this.#state.clock.now();
    const until = waitMs > 0 ? this.#state.clock.wall() + waitMs : 0;
    this.#state.parts.events.hostDeferred(at.name, reason ?? '', pages, until);
  }
}
