import type { Clock } from '../base/clock.js';
import { Fetcher } from '../fetch/fetcher.js';
import { type CustomFetch, CustomSource } from './custom-source.js';
import { Lane, type LaneSetup, type PageSource } from './lane.js';
import type { LaneListener, LanePort } from './lane-pool.js';
import type { OwnResolve } from './link-targets.js';
import type { EngineSettings } from './settings.js';
import { LaneThread } from './threads/lane-thread.js';

export interface LaneOpeningsParts {
  settings: EngineSettings;
  clock: Clock;
  /** What a lane of this number is told when it opens. */
  setupOf(lane: number): LaneSetup;
  /** The user's own functions: no other thread can have them. */
  fetch?: CustomFetch | undefined;
  resolve?: OwnResolve | undefined;
  guardsFetch: boolean;
}

/** How lanes are opened: in a thread of their own, or, for small sites and the user's own functions, here. */
export class LaneOpenings {
  readonly #parts: LaneOpeningsParts;

  constructor(parts: LaneOpeningsParts) {
    this.#parts = parts;
  }

  get canUseThreads(): boolean {
    return this.#parts.fetch === undefined && this.#parts.resolve === undefined;
  }

  inThread(lane: number, listener: LaneListener, maxSockets: number): LanePort {
    return new LaneThread(this.#parts.setupOf(lane), { ...this.#parts.settings.fetch, maxSockets }, listener);
  }

  here(number: number, listener: LaneListener): LanePort {
    const { clock, resolve, setupOf } = this.#parts;
    const lane = new Lane(setupOf(number), this.#source(), listener, clock, resolve);
    return {
      take: (jobs, updates) => lane.take(jobs, updates),
      widenScope: (version, seed, scopeUrls) => lane.widenScope(version, seed, scopeUrls),
      forgetRules: (origins) => lane.forgetRules(origins),
      flow: () => lane.flow(),
      admitted: (id, ids) => lane.admitted(id, ids),
      dropCaches: () => lane.dropCaches(),
      read: (page) => lane.read(page),
      resolve: (host) => lane.resolve(host),
      resizeSockets: (count) => lane.resizeSockets(count),
      retireSockets: () => lane.retireSockets(),
      close: () => lane.close(),
      peakWaiting: () => lane.peakWaiting,
    };
  }

  #source(): PageSource {
    const { clock, fetch, guardsFetch, settings } = this.#parts;
    return fetch === undefined
      ? new Fetcher(settings.fetch, clock)
      : new CustomSource(fetch, settings.fetch, guardsFetch, clock);
  }
}
