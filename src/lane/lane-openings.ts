import type { Clock } from '../base/clock.js';
import { ownUrl } from '../base/own-url.js';
import { WorkerThread, YOUNG_MIB_FOR_PAGES } from '../base/worker-thread.js';
import type { FetchOptions } from '../fetch/fetcher.js';
import type { SegmentUpdate } from '../frontier/key-table.js';
import type { Outcome } from '../frontier/outcome.js';
import type { KeptCookie } from '../url/kept-cookie.js';
import { type CustomFetch, CustomSource } from './custom-source.js';
import { openSource } from './kept-source.js';
import { type Job, Lane, type LaneSetup, type PageSource, type RenderedHtml } from './lane.js';
import type { OpenJar } from './lane-cookies.js';
import type { LaneListener, LanePort } from './lane-port.js';
import type { OwnResolve } from './link-targets.js';
import { LANE_NEWS, LANE_ORDERS, type StartedHooks } from './messages.js';

export interface LaneOpeningsParts {
  fetchOptions: FetchOptions;
  clock: Clock;
  /** The settings for a lane of this number when it opens. */
  setupOf(lane: number): LaneSetup;
  /** The user's own functions, which no other thread can have. */
  fetch?: CustomFetch | undefined;
  resolve?: OwnResolve | undefined;
  guardsFetch: boolean;
  /** Only where cookies are kept. */
  openJar?: OpenJar | undefined;
  /** The memory limit of a lane's thread, so that hooks of the user's cannot take all there is. */
  maxHeapMib?: number;
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
    const { setupOf, fetchOptions, maxHeapMib } = this.#parts;
    return new LaneThread(setupOf(lane), { ...fetchOptions, maxSockets }, listener, maxHeapMib);
  }

  here(number: number, listener: LaneListener): LanePort {
    const { clock, openJar, resolve, setupOf } = this.#parts;
    const lane = new Lane(setupOf(number), this.#source(), listener, clock, resolve, openJar);
    return {
      take: (jobs, updates) => lane.take(jobs, updates),
      widenScope: (version, seed, scopeUrls) => lane.widenScope(version, seed, scopeUrls),
      forgetRules: (origins) => lane.forgetRules(origins),
      flow: () => lane.flow(),
      recall: (place) => lane.recall(place),
      admitted: (id, ids) => lane.admitted(id, ids),
      dropCaches: () => lane.dropCaches(),
      putCookies: (site, cookies) => lane.putCookies(site, cookies),
      forgetCookies: (sites) => lane.forgetCookies(sites),
      read: (page) => lane.read(page),
      resolve: (host) => lane.resolve(host),
      resizeSockets: (count) => lane.resizeSockets(count),
      retireSockets: () => lane.retireSockets(),
      close: () => lane.close(),
      peakWaiting: () => lane.peakWaiting,
    };
  }

  #source(): PageSource {
    const { clock, fetch, fetchOptions, guardsFetch } = this.#parts;
    return fetch === undefined
      ? openSource(fetchOptions, clock)
      : new CustomSource(fetch, fetchOptions, guardsFetch, clock);
  }
}

/** A lane in a thread of its own. */
export class LaneThread implements LanePort {
  readonly #thread: WorkerThread<typeof LANE_ORDERS, typeof LANE_NEWS>;
  #peakWaiting = 0;

  constructor(setup: LaneSetup, fetchOptions: FetchOptions, listener: LaneListener, maxHeapMib?: number) {
    this.#thread = new WorkerThread({
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_MIB_FOR_PAGES,
        ...(maxHeapMib === undefined ? {} : { maxOldGenerationSizeMb: maxHeapMib }),
      },
      file: new URL('./lane-worker.js', ownUrl(import.meta.url)),
      data: { setup, fetchOptions },
      orders: LANE_ORDERS,
      news: LANE_NEWS,
      on: {
        headers: ({ ids, ats }) => listener.headers(ids, ats),
        outcomes: ({ outcomes, peakWaiting }) => {
          this.#peakWaiting = peakWaiting;
          listener.outcomes(outcomes);
        },
        piece: (piece) => listener.piece(piece),
        cookies: (changes) => listener.cookies?.(changes),
        strayThrow: (words) => listener.strayThrow?.(words),
      },
      died: (error) => listener.died(setup.lane, error),
    });
  }

  take(jobs: Job[], updates: SegmentUpdate[]): void {
    this.#thread.tell('take', { jobs, updates });
  }

  widenScope(version: number, seed: number, scopeUrls: string[]): void {
    this.#thread.tell('widenScope', { version, seed, scopeUrls });
  }

  forgetRules(origins: number[]): void {
    this.#thread.tell('forgetRules', origins);
  }

  flow(): void {
    this.#thread.tell('flow', undefined);
  }

  recall(place: number | null): void {
    this.#thread.tell('recall', { place });
  }

  dropCaches(): void {
    this.#thread.tell('dropCaches', undefined);
  }

  admitted(id: number, ids: readonly number[]): void {
    this.#thread.tell('admitted', { id, ids });
  }

  putCookies(site: string, cookies: readonly KeptCookie[]): void {
    this.#thread.tell('putCookies', { site, cookies });
  }

  forgetCookies(sites: readonly string[]): void {
    this.#thread.tell('forgetCookies', sites);
  }

  resizeSockets(count: number): void {
    this.#thread.tell('resizeSockets', count);
  }

  resolve(host: string): Promise<string> {
    return this.#thread.ask('resolve', host);
  }

  read(page: RenderedHtml): Promise<Outcome> {
    return this.#thread.ask('read', page);
  }

  ping(): Promise<void> {
    return this.#thread.ask('ping', undefined);
  }

  startHooks(): Promise<StartedHooks> {
    return this.#thread.ask('startHooks', undefined);
  }

  started(started: string | null): void {
    this.#thread.tell('started', { started });
  }

  endHooks(summary: string): Promise<void> {
    return this.#thread.ask('endHooks', summary);
  }

  peakWaiting(): number {
    return this.#peakWaiting;
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}
