import type { Clock } from '../base/clock.js';
import type { QueuedUrl, StorePort } from '../store/transaction.js';
import { QueueClass } from '../store/url-state.js';
import type { Host, Origin } from './host.js';
import type { Hosts } from './hosts.js';
import { MAX_RETRY_DELAY_MS, type SchedulerOptions } from './options.js';

const MOST_LOADED = 1_000;

/**
 * The waiting URLs of all origins together: how many of them are in memory (layer 3), and which origins are to load theirs from disk. Leaving
 * memory costs nothing, for the rows are on disk anyway; so those that hold most make room for those that hold nothing.
 */
export class Queues {
  readonly #options: SchedulerOptions;
  /** Its wall time does not jump. */
  readonly #clock: Clock;
  readonly #hosts: Hosts;
  readonly #wantsLoad = new Set<Origin>();
  /** Whether there was no room for what has to be loaded; false when that may have changed. */
  #full = false;
  #inMemory = 0;
  #peakInMemory = 0;
  #secondLooks = 0;

  constructor(options: SchedulerOptions, clock: Clock, hosts: Hosts) {
    this.#options = options;
    this.#clock = clock;
    this.#hosts = hosts;
  }

  get inMemory(): number {
    return this.#inMemory;
  }

  get peakInMemory(): number {
    return this.#peakInMemory;
  }

  /** Second looks that wait in memory. */
  get secondLooks(): number {
    return this.#secondLooks;
  }

  /** Whether something is to be loaded and there may be room for it. */
  get wantLoad(): boolean {
    return this.#wantsLoad.size > 0 && !this.#full;
  }

  add({ queue }: Origin, item: QueuedUrl): void {
    const room = this.#inMemory < this.#options.frontierLimit && !this.isHeld(item.class);
    const waited = queue.secondLooks;
    this.#enter(queue.add(item, room));
    this.#secondLooks += queue.secondLooks - waited;
  }

  /** Pages of a survey stay on disk: they are not requested. */
  isHeld(place: QueueClass): boolean {
    return this.#options.surveyOnly && place >= QueueClass.rest;
  }

  /** The next that may go now, of those that are allowed. */
  take({ queue }: Origin, now: number, allowed: (item: QueuedUrl) => boolean): QueuedUrl | undefined {
    const waited = queue.secondLooks;
    const item = queue.take(now, allowed);
    if (item !== undefined) {
      this.#leave(1);
      this.#secondLooks -= waited - queue.secondLooks;
    }
    return item;
  }

  /** The next URLs of the origin are on disk, and it waits for them. */
  want(origin: Origin): void {
    this.#wantsLoad.add(origin);
    this.#full = false;
    origin.setLoading(true);
  }

  /** An origin waits for URLs that are on disk. */
  get wantsLoad(): boolean {
    return this.#wantsLoad.size > 0;
  }

  /**
   * Origins whose next URLs are on disk, and how many each may load, so that none starves because others fill the memory.
   *
   * @param isStuck nothing is under way and no host may be asked now. Retries and redirects are never on disk only: if they alone fill the
   * memory, and none of them may go, one URL goes past them.
   */
  takeLoads(isStuck: boolean): { origins: Origin[]; each: number } {
    if (this.#wantsLoad.size > 0 && this.#inMemory >= this.#options.frontierLimit) {
      this.#makeRoom();
    }
    const free = Math.max(0, this.#options.frontierLimit - this.#inMemory, isStuck ? 1 : 0);
    this.#full = free === 0;
    const origins = [...this.#wantsLoad].slice(0, free);
    for (const origin of origins) {
      this.#wantsLoad.delete(origin);
    }
    return { origins, each: Math.min(MOST_LOADED, Math.floor(free / Math.max(1, origins.length))) };
  }

  /** @param loaded called with each host once its URLs are there */
  async load(store: StorePort, origins: Origin[], each: number, loaded: (host: Host) => void): Promise<void> {
    const loads = origins.flatMap((origin) => {
      const wanted = origin.queue.wanting();
      if (wanted === null) {
        // Something has come into memory since, or all of it was put off.
        origin.setLoading(false);
        loaded(origin.host);
        return [];
      }
      const renews = this.#options.renews ?? false;
      return [{ from: origin, load: { origin: origin.id, ...wanted, limit: each, renews } }];
    });
    const rows = await store.loadQueue(loads.map(({ load }) => load));
    loads.forEach(({ from, load }, i) => {
      from.setLoading(false);
      const { queue } = from;
      const waited = queue.secondLooks;
      this.#enter(
        queue.addLoaded(
          load.class,
          rows[i]!.map((row) => this.timed(row)),
        ),
      );
      this.#secondLooks += queue.secondLooks - waited;
      loaded(from.host);
    });
  }

  /** A URL as it waits in memory: its own time is monotonic, and 0 where it may go at once. */
  timed(row: QueuedUrl): QueuedUrl {
    const waitMs = row.notBefore - this.#clock.wall();
    return { ...row, notBefore: waitMs > 0 ? this.#clock.now() + Math.min(waitMs, MAX_RETRY_DELAY_MS) : 0 };
  }

  /** The host has left memory with all that waits for it. */
  leftWith(host: Host): void {
    this.#leave(host.inMemory);
    for (const { queue } of host.origins) {
      this.#secondLooks -= queue.secondLooks;
    }
  }

  /** Nothing of the origin waits in memory any more. */
  clear({ queue }: Origin, onDisk: readonly number[]): void {
    this.#secondLooks -= queue.secondLooks;
    this.#leave(queue.reset(onDisk));
  }

  /** The same for those of its URLs that are neither urgent nor seeds. */
  clearRest({ queue }: Origin, onDisk: readonly number[]): void {
    this.#leave(queue.resetRest(onDisk));
  }

  /** Hosts with more than their share give back what they hold; then those whose turn is not near. */
  #makeRoom(): void {
    const { frontierLimit } = this.#options;
    const holders = [...this.#hosts.all()].filter((host) => host.inMemory > 0);
    const share = Math.max(1, Math.floor((frontierLimit * 0.9) / Math.max(1, holders.length)));
    const now = this.#clock.now();
    for (const host of holders) {
      const keep = host.readyAt > now && frontierLimit <= holders.length ? 0 : share;
      for (const origin of host.origins) {
        // A host that waits for URLs of an earlier class cannot use those that it holds.
        this.#leave(origin.queue.trim(this.#wantsLoad.has(origin) ? 0 : keep));
      }
    }
  }

  #enter(count: number): void {
    this.#inMemory += count;
    this.#peakInMemory = Math.max(this.#peakInMemory, this.#inMemory);
  }

  #leave(count: number): void {
    this.#inMemory -= count;
    this.#full &&= count === 0;
  }
}
