import { UsageError } from '../base/errors.js';
import { stoppedBy } from '../config/abort.js';
import type { SettledPage } from '../frontier/embedded/frontier-state.js';
import type { SeedFate } from '../frontier/seed-book.js';
import type { Summary } from '../report/summary.js';
import { type CrawlStats, Listening, type RunEvents } from './crawl-events.js';
import { type CrawledPage, settledPage, unaskedPage } from './crawled-page.js';
import { EdgeDelivery } from './edge-delivery.js';
import type { RunOptions } from './library-options.js';
import type { EndReason } from './limits.js';
import { ResultQueue } from './result-queue.js';
import { CrawlSession } from './session.js';
import type { SessionPlan } from './session-plan.js';
import { UserFunctions } from './user-functions.js';

/** What a crawl comes to. */
export interface CrawlResult {
  /** Why the run ended. */
  reason: EndReason;
  /** The limit that cut it, or null. */
  truncated: string | null;
  /** summary.json. */
  summary: Summary;
  /** What became of each seed. */
  seeds: readonly SeedFate[];
  /** Pages that are committed and were not handed on, because `onEdge` had not come back when the run had to end. */
  undelivered: number;
  /** Where it is kept; null where nothing is left of it. */
  directory: string | null;
}

/** What a run is made of: a session to run, or a crawl that is already finished. */
export type RunPlan =
  | {
      what: 'session';
      session: Pick<SessionPlan, 'directory' | 'seeds' | 'badSeeds' | 'storedSeeds' | 'credentials'>;
      options: RunOptions;
      notices: string[];
    }
  | { what: 'finished'; result: CrawlResult };

const NOTHING_YET: CrawlStats = {
  done: 0,
  failed: 0,
  skipped: 0,
  deferred: 0,
  queued: 0,
  inFlight: 0,
  inFlightLimit: 0,
  waitingResults: 0,
  requests: 0,
  retries: 0,
  bytes: 0,
  elapsedMs: 0,
  hostsDelayed: 0,
  next: null,
};

/**
 * One crawl of a program. It begins when it is iterated or `finished` is asked for, not before. Who iterates sets the pace: while
 * `queueSize` results wait to be taken, nothing new is asked for. Where nobody does, nothing waits.
 */
export class CrawlRun implements AsyncIterable<CrawledPage, undefined> {
  readonly #plan: RunPlan;
  readonly #listening = new Listening();
  readonly #queue = new ResultQueue<CrawledPage>(() => this.#session?.wake());
  readonly #edges: EdgeDelivery | null;
  #settled: SettledPage[] = [];
  #reader: 'none' | 'reads' | 'gone' = 'none';
  #running: Promise<CrawlResult> | null = null;
  #begun = false;
  #session: CrawlSession | null = null;
  #stopGraceMs: number | null = null;
  readonly #functions = new UserFunctions(() => this.#session?.stop('error', 0));

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#edges =
      plan.what === 'session' && plan.options.onEdge !== undefined
        ? new EdgeDelivery(plan.options.onEdge, plan.options.edgePages)
        : null;
  }

  /** Begins the crawl; resolves with what it came to, rejects with what broke it off. */
  get finished(): Promise<CrawlResult> {
    // Not at once: an iterator that is taken in the same turn still gets every page.
    this.#running ??= new Promise<void>((resolve) => {
      setImmediate(resolve);
    }).then(() => this.#run());
    return this.#running;
  }

  /** Each URL once: those that were asked for as soon as they are committed, at the end those that were not. */
  [Symbol.asyncIterator](): AsyncIterableIterator<CrawledPage, undefined> {
    if (this.#reader !== 'none') {
      throw new UsageError('a crawl can be iterated once');
    }
    if (this.#begun) {
      throw new UsageError('the crawl has begun without a reader: iterate it before anything else is awaited');
    }
    this.#reader = 'reads';
    // What breaks the crawl off is thrown to the reader.
    this.finished.catch(() => {});
    const iterator: AsyncIterableIterator<CrawledPage, undefined> = {
      next: () => this.#queue.next(),
      return: () => this.#leave(),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /** Asks for nothing new, waits for what is under way (`graceMs` at most) and ends; what is done can still be read. */
  stop(): Promise<CrawlResult> {
    this.#stop(this.#plan.what === 'session' ? this.#plan.options.resolved.options.graceMs : 0);
    return this.finished;
  }

  /** Numbers of this moment. */
  stats(): CrawlStats {
    if (this.#session === null) {
      return NOTHING_YET;
    }
    const { queuedInMemory, queuedOnDisk, governorLimit, waitingFor, now, ...stats } = this.#session.stats();
    const { done, failed, skipped, deferred, inFlight, requests, retries, bytes, elapsedMs, hostsDelayed } = stats;
    return {
      ...{ done, failed, skipped, deferred, inFlight, requests, retries, bytes, elapsedMs, hostsDelayed },
      queued: queuedInMemory + queuedOnDisk,
      inFlightLimit: governorLimit,
      waitingResults: this.#queue.size,
      next: waitingFor === null ? null : { host: waitingFor.name, inMs: Math.max(0, waitingFor.at - now) },
    };
  }

  /** Listeners are called at once, one after the other; what one throws ends the crawl. */
  on<Name extends keyof RunEvents>(name: Name, listener: (event: RunEvents[Name]) => void): this {
    this.#listening.check(name, listener);
    this.#listening.add(name, listener);
    return this;
  }

  /** Takes a listener away. */
  off<Name extends keyof RunEvents>(name: Name, listener: (event: RunEvents[Name]) => void): this {
    this.#listening.check(name, listener);
    this.#listening.remove(name, listener);
    return this;
  }

  async #run(): Promise<CrawlResult> {
    this.#begun = true;
    try {
      const plan = this.#plan;
      const result =
        plan.what === 'finished'
          ? plan.result
          : await stoppedBy(
              plan.options.signal,
              () => this.#stop(plan.options.resolved.options.graceMs),
              () => this.#runSession(plan),
            );
      this.#queue.end();
      return result;
    } catch (error) {
      this.#queue.fail(error);
      throw error;
    }
  }

  async #runSession({ session: place, options, notices }: Extract<RunPlan, { what: 'session' }>): Promise<CrawlResult> {
    const session = new CrawlSession({
      ...place,
      resolved: options.resolved,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
      guardsFetch: options.guardsFetch,
      listensToEdges: this.#edges !== null,
      placesLeft: () => this.#placesLeft(options.queueSize),
      handOn: () => this.#handOn(),
      rest: (pages) => this.#rest(pages.map(unaskedPage), options.queueSize),
      events: {
        tick: () => this.#tell('tick', this.stats()),
        notice: (text) => this.#tell('notice', text),
        governed: (decision) => this.#tell('governed', decision),
        sitemapRead: (url, urls) => this.#tell('sitemap', { url, urls }),
        settled: (pages) => {
          this.#settled.push(...pages);
        },
      },
    });
    await session.open();
    this.#session = session;
    for (const notice of [...options.resolved.notices, ...notices]) {
      this.#tell('notice', notice);
    }
    if (this.#stopGraceMs !== null) {
      session.stop('stopped', this.#stopGraceMs);
    }
    const { end, summary, seeds } = await session.run();
    const undelivered = this.#edges?.close() ?? 0;
    if (undelivered > 0) {
      const pages = undelivered === 1 ? '1 page is' : `${undelivered} pages are`;
      this.#tell('notice', `onEdge has not come back: ${pages} committed and not handed on`);
    }
    this.#functions.end();
    return { reason: end.reason, truncated: end.truncated, summary, seeds, undelivered, directory: place.directory };
  }

  #placesLeft(queueSize: number): number {
    return this.#reader === 'reads' ? queueSize - this.#queue.size : Number.POSITIVE_INFINITY;
  }

  /** After each commit: the edges of its pages, then the pages. */
  async #handOn(): Promise<void> {
    const pages = this.#settled;
    this.#settled = [];
    const give = (page: SettledPage): void => this.#give(settledPage(page));
    if (this.#edges === null) {
      pages.forEach(give);
      return;
    }
    try {
      await this.#edges.deliver(pages, give);
    } catch (error) {
      this.#functions.failed(error);
      throw error;
    }
  }

  /**
   * The crawl is over; what is left to tell still goes no faster than it is taken. One that was stopped has more to ask, and whoever
   * stopped it may have stopped reading.
   */
  async #rest(pages: CrawledPage[], queueSize: number): Promise<void> {
    for (const page of pages) {
      while (this.#placesLeft(queueSize) <= 0 && this.#stopGraceMs === null) {
        await this.#queue.taken();
      }
      if (this.#stopGraceMs !== null) {
        return;
      }
      this.#give(page);
    }
  }

  #give(page: CrawledPage): void {
    this.#tell('page', page);
    if (this.#reader === 'reads') {
      this.#queue.push(page);
    }
  }

  #tell<Name extends keyof RunEvents>(name: Name, event: RunEvents[Name]): void {
    for (const listener of this.#listening.of(name)) {
      this.#functions.call(listener, event);
    }
  }

  /** The reader has left its loop: what is under way is given up, and asked for again on resume. */
  async #leave(): Promise<IteratorReturnResult<undefined>> {
    this.#reader = 'gone';
    this.#queue.drop();
    this.#stop(0);
    await this.finished;
    return { done: true, value: undefined };
  }

  #stop(graceMs: number): void {
    this.#stopGraceMs = Math.min(graceMs, this.#stopGraceMs ?? graceMs);
    this.#session?.stop('stopped', graceMs);
    this.#queue.letGo();
  }
}
