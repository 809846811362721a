import { UsageError } from '../base/errors.js';
import { stoppedBy } from '../config/abort.js';
import { describeValue } from '../config/arguments.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import type { RankOf } from '../frontier/options.js';
import type { EdgeTargets, SettledPage } from '../frontier/outcome.js';
import type { SeedFate } from '../frontier/seed-book.js';
import { LazyContent, loadTreeTools, type PageContent, type TreeTools } from '../hooks/page-content.js';
import type { Summary } from '../report/summary.js';
import { fieldsOf, isJson, type NamedField, type RowField, unknownOf } from '../store/page-fields.js';
import { openPage, type PageRow } from '../store/page-row.js';
import type { CrawledPage, PageResult } from '../store/page-types.js';
import type { EdgeResult } from '../store/reader.js';
import { RANKS } from '../store/url-state.js';
import type { RunEvent } from '../watch/events.js';
import type { LiveSnapshot, Problem, RunControls } from '../watch/live.js';
import type { AddOptions } from './added-urls.js';
import { runIsOver } from './additions.js';
import { type CommittedPage, PageDelivery, ResultQueue } from './delivery.js';
import type { EndReason } from './ending.js';
import type { GovernorDecision } from './governor.js';
import type { RunOptions } from './library-options.js';
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
  /** The result of each seed. */
  seeds: readonly SeedFate[];
  /** Pages that are committed but were not delivered, because `onEdge` or `onPage` had not returned when the run had to end. */
  undelivered: number;
  /** Where the crawl is kept; null if it leaves nothing behind. */
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
  cached: 0,
  retries: 0,
  bytes: 0,
  elapsedMs: 0,
  hostsDelayed: 0,
  next: null,
  statusClasses: { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 },
  failures: {},
  latency: { count: 0, p50Ms: null, p90Ms: null, p99Ms: null },
  pagesPerSecond: 0,
  bytesPerSecond: 0,
};

/**
 * One crawl of a program. It begins when it is iterated or `finished` is read, not before. The iterating program sets the pace: while
 * `queueSize` results wait to be taken, nothing new is requested. If nobody iterates, no results wait.
 */
export class CrawlRun implements AsyncIterable<CrawledPage, undefined> {
  readonly #plan: RunPlan;
  readonly #listening = new Listening();
  readonly #queue = new ResultQueue<CrawledPage>(() => this.#session?.wake());
  readonly #delivery: PageDelivery | null;
  /** What is needed to read the pages that are delivered. */
  #tools: TreeTools | null = null;
  #settled: CommittedPage[] = [];
  #reader: 'none' | 'reads' | 'gone' = 'none';
  #running: Promise<CrawlResult> | null = null;
  #begun = false;
  #isOver = false;
  /** Gives the session once it is open; null if there will be none. */
  #opened: Promise<CrawlSession | null>;
  #tellOpened: (session: CrawlSession | null) => void = () => {};
  #session: CrawlSession | null = null;
  #stopGraceMs: number | null = null;
  readonly #functions = new UserFunctions(() => this.#session?.stop('error', 0));

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#opened = new Promise((resolve) => {
      this.#tellOpened = resolve;
    });
    this.#delivery = plan.what === 'session' ? this.#deliveryFor(plan.options) : null;
  }

  #deliveryFor({ onEdge, onPage, edgePages }: RunOptions): PageDelivery | null {
    return onEdge === undefined && onPage === undefined
      ? null
      : new PageDelivery({
          onEdge,
          onPage: onPage === undefined ? undefined : (page) => onPage(page.page(), this.#contentOf(page)),
          pagesAtOnce: edgePages,
        });
  }

  #contentOf({ body }: CommittedPage): PageContent {
    return new LazyContent(body?.bytes ?? null, body?.type ?? null, this.#tools!);
  }

  /** Begins the crawl; resolves with its result, or rejects with the error that broke it off. */
  get finished(): Promise<CrawlResult> {
    // The crawl does not begin at once, so that an iterator taken in the same turn still gets every page.
    this.#running ??= new Promise<void>((resolve) => {
      setImmediate(resolve);
    }).then(() => this.#run());
    return this.#running;
  }

  /** Gives each URL once: a requested one as soon as it is committed, the others at the end. */
  [Symbol.asyncIterator](): AsyncIterableIterator<CrawledPage, undefined> {
    if (this.#reader !== 'none') {
      throw new UsageError('a crawl can be iterated once');
    }
    if (this.#begun) {
      throw new UsageError('the crawl has begun and nobody iterates it: iterate it before you await anything else');
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

  /** Sends no new requests, waits for those under way (`graceMs` at most) and ends; finished results can still be read. */
  stop(): Promise<CrawlResult> {
    this.#stop(this.#plan.what === 'session' ? this.#plan.options.resolved.options.graceMs : 0);
    return this.finished;
  }

  /**
   * Adds URLs to the crawl while it runs. Resolves with their normal forms once they are in the store. Like seeds, they are requested
   * whatever scope and depth say; their links are judged like all others. Rejects if the crawl has ended or has not begun. Also rejects
   * if one of them is not a URL, and then adds none.
   */
  async add(urls: string | readonly string[], options: AddOptions = {}): Promise<string[]> {
    if (this.#running === null) {
      throw new UsageError('the crawl has not begun: iterate it or await its `finished`, or give the URLs as seeds');
    }
    const session = await this.#opened;
    if (session === null || this.#isOver) {
      throw runIsOver();
    }
    return session.add(urls, options);
  }

  /** The figures of this moment. */
  stats(): CrawlStats {
    if (this.#session === null) {
      return NOTHING_YET;
    }
    const { queuedInMemory, queuedOnDisk, governorLimit, waitingFor, now, ...stats } = this.#session.stats();
    const { done, failed, skipped, deferred, inFlight, requests, cached, retries, elapsedMs, hostsDelayed } = stats;
    const { bytes, statusClasses, failures, latency, pagesPerSecond, bytesPerSecond } = this.#session.live();
    const { count, p50Ms, p90Ms, p99Ms } = latency;
    return {
      ...{ done, failed, skipped, deferred, inFlight, requests, cached, retries, bytes, elapsedMs, hostsDelayed },
      queued: queuedInMemory + queuedOnDisk,
      inFlightLimit: governorLimit,
      waitingResults: this.#queue.size,
      next: waitingFor === null ? null : { host: waitingFor.name, inMs: Math.max(0, waitingFor.at - now) },
      ...{ statusClasses, failures, pagesPerSecond, bytesPerSecond, latency: { count, p50Ms, p90Ms, p99Ms } },
    };
  }

  /** Everything that can be seen at this moment: what `--progress json` writes. Null before the store is open. */
  live(): LiveSnapshot | null {
    return this.#session?.live() ?? null;
  }

  /** The settings that can be changed while it runs. Null before the store is open: the first `tick` comes later. */
  get controls(): RunControls | null {
    return this.#session?.controls ?? null;
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
    } finally {
      this.#isOver = true;
      this.#tellOpened(null);
    }
  }

  async #runSession({ session: place, options, notices }: Extract<RunPlan, { what: 'session' }>): Promise<CrawlResult> {
    this.#tools = options.onPage === undefined ? null : await loadTreeTools();
    const session = await CrawlSession.open({
      ...place,
      resolved: options.resolved,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
      ...(options.priority === undefined ? {} : { rankOf: this.#rankBy(options.priority) }),
      guardsFetch: options.guardsFetch,
      listensToEdges: options.onEdge !== undefined,
      handsOnBodies: options.onPage !== undefined,
      placesLeft: () => this.#placesLeft(options.queueSize),
      handOn: () => this.#handOn(),
      rest: (pages) => this.#rest(pages.map(storedPage), options.queueSize),
      events: {
        watched: (watch) => watch.events.on('info', (event) => this.#event(event)),
        tick: () => this.#tell('tick', this.stats()),
        notice: (text) => this.#tell('notice', text),
        governed: (decision) => this.#tell('governed', decision),
        sitemapRead: (url, urls) => this.#tell('sitemap', { url, urls }),
        retryLater: (url, status, why, afterMs) => this.#tell('retry', { url, status, why, afterMs }),
        settled: (pages) => {
          for (const page of pages) {
            const { targets, body = null } = page.outcome;
            this.#settled.push({ url: page.url, targets, body, page: () => settledPage(page) });
          }
        },
        seen: (pages) => {
          for (const { page, edges, body } of pages) {
            this.#settled.push({ url: page.url, targets: targetsOf(edges), body, page: () => storedPage(page) });
          }
        },
      },
    });
    this.#session = session;
    this.#tellOpened(session);
    for (const notice of [...options.resolved.notices, ...notices]) {
      this.#tell('notice', notice);
    }
    if (this.#stopGraceMs !== null) {
      session.stop('stopped', this.#stopGraceMs);
    }
    const { end, summary, seeds } = await session.run();
    const undelivered = this.#delivery?.close() ?? 0;
    if (undelivered > 0) {
      const pages = undelivered === 1 ? '1 page is' : `${undelivered} pages are`;
      const name = options.onEdge === undefined ? 'onPage' : 'onEdge';
      this.#tell('notice', `${name} has not come back: ${pages} committed and not handed on`);
    }
    this.#functions.end();
    return { reason: end.reason, truncated: end.truncated, summary, seeds, undelivered, directory: place.directory };
  }

  /** An error or an invalid rank from the user's function ends the run; until then URLs wait in their usual places. */
  #rankBy(priority: NonNullable<RunOptions['priority']>): RankOf {
    return (link) => {
      try {
        const rank: unknown = priority(link);
        if (rank === null || rank === undefined) {
          return null;
        }
        if (!Number.isInteger(rank) || (rank as number) < 0 || (rank as number) >= RANKS) {
          throw new UsageError(
            `priority must return a whole number from 0 to ${RANKS - 1}, null or nothing, got ${describeValue(rank)} for ${link.url}`,
          );
        }
        return rank as number;
      } catch (error) {
        this.#functions.failed(error);
        return null;
      }
    };
  }

  /** Under its own name, and for those who want to know of some of them, under theirs. */
  #event(event: RunEvent): void {
    if (event.code === 'page_failed') {
      const { url, reason, status, cause } = event.fields as {
        url: string;
        reason: string;
        status: number | null;
        cause: string | null;
      };
      this.#tell('problem', { at: event.at, url, reason, status, message: cause });
    }
    this.#tell('event', event);
  }

  #placesLeft(queueSize: number): number {
    return this.#reader === 'reads' ? queueSize - this.#queue.size : Number.POSITIVE_INFINITY;
  }

  /** After each commit: the edges of its pages, the pages with their bodies, then the pages. */
  async #handOn(): Promise<void> {
    const pages = this.#settled;
    this.#settled = [];
    const give = ({ page }: CommittedPage): void => this.#give(page());
    if (this.#delivery === null) {
      pages.forEach(give);
      return;
    }
    try {
      await this.#delivery.deliver(pages, give);
    } catch (error) {
      this.#functions.failed(error);
      throw error;
    }
  }

  /**
   * The crawl is over; the remaining results still go no faster than they are taken. A stopped crawl has more to ask for, and whoever
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

  /** The reader has left its loop: requests under way are given up, and sent again on resume. */
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

/** What a lane says of a page, and a page that is given out has. */
const FROM_ROW = fieldsOf('live').filter(({ column }) => column?.startsWith('pages.'));

type FromRow = Pick<CrawledPage, RowField & keyof CrawledPage>;

function settledPage({ url, depth, attempts, state, reason, external, data, outcome }: SettledPage): CrawledPage {
  const row = outcome.page === null ? null : openPage(outcome.page);
  const known = Object.fromEntries(
    FROM_ROW.map((field) => [
      field.name,
      row === null ? unknownOf(field) : resultOf(field, row[field.name as RowField]),
    ]),
  ) as unknown as FromRow;
  return {
    ...known,
    url,
    state,
    reason,
    status: outcome.status,
    redirectsTo: outcome.redirectUrl,
    depth,
    attempts,
    ttfbMs: known.ttfbMs ?? outcome.ttfbMs,
    message: outcome.message ?? known.message,
    external,
    ...(data === undefined ? {} : { data: JSON.parse(data) }),
  };
}

const resultOf = (field: NamedField, stored: PageRow[RowField]): unknown =>
  isJson(field) && stored !== null ? JSON.parse(stored as string) : stored;

/** As a lane would have said it. */
function targetsOf(edges: readonly EdgeResult[]): EdgeTargets {
  return {
    urls: edges.map(({ to }) => to),
    places: edges.map((_, place) => place),
    kinds: edges.map(({ kind }) => kind),
    rels: edges.map(({ rel }) => rel),
    texts: edges.some(({ text }) => text !== null) ? edges.map(({ text }) => text ?? '') : null,
  };
}

/** One that was read from the store. */
function storedPage(stored: PageResult): CrawledPage {
  const {
    parent: _parent,
    finalUrl: _finalUrl,
    inlinks: _inlinks,
    indexable: _indexable,
    duplicateGroup: _group,
    ...page
  } = stored;
  return { ...page, redirectsTo: null };
}

/** A moment of a crawl, in numbers. */
export interface CrawlStats {
  /** URLs of all runs that were answered with a page, a file or a redirect that ends well. */
  done: number;
  /** URLs of all runs that were answered with 4xx or 5xx, were unreadable, or were not answered at all. */
  failed: number;
  /** URLs of all runs that were not requested (robots.txt, nofollow, depth, traps, limits). */
  skipped: number;
  /** URLs that are put off with their host. */
  deferred: number;
  /** URLs that wait to be requested, in memory and on disk. */
  queued: number;
  /** Requests under way. */
  inFlight: number;
  /** How many requests in flight the governor allows now. */
  inFlightLimit: number;
  /** Results that wait to be taken from the iterator. */
  waitingResults: number;
  /** Requests of this run. */
  requests: number;
  /** Answers of this run that the cache gave (`httpCache`), without a request. */
  cached: number;
  /** Those among them that were for pages that had failed before. */
  retries: number;
  /** Bytes of the bodies of pages of this run, as in the summary: without robots.txt and sitemaps. */
  bytes: number;
  /** Time since the run began. */
  elapsedMs: number;
  /** Hosts that wait for their next allowed time. */
  hostsDelayed: number;
  /** The host whose turn comes next, and in how many milliseconds; null if there is none. */
  next: { host: string; inMs: number } | null;
  /** Answers of this run by the first digit of their status; `none` where no answer came. */
  statusClasses: LiveSnapshot['statusClasses'];
  /** Pages of this run that failed, by error class. */
  failures: Readonly<Record<string, number>>;
  /** Time to the first byte of the answers of this run, in milliseconds; null if there was none. */
  latency: { count: number; p50Ms: number | null; p90Ms: number | null; p99Ms: number | null };
  /** Pages a second over the last half minute, or over a few pages at least. */
  pagesPerSecond: number;
  /** The same, for the bytes of bodies. */
  bytesPerSecond: number;
}

/** The events of a run, by name. */
export interface RunEvents {
  /** The same results as the iteration gives, for programs that do not iterate. */
  page: CrawledPage;
  /** A sentence that a user should see. */
  notice: string;
  /** Once a second. */
  tick: CrawlStats;
  /** The governor's decision; the limit need not have changed. */
  governed: GovernorDecision;
  /** A sitemap was read, with the number of its URLs. */
  sitemap: { url: string; urls: number };
  /** A page has failed for good and the failure is committed; `reason` is its error class. */
  problem: Problem;
  /** A page is requested again. */
  retry: { url: string; status: number | null; why: string; afterMs: number };
  /** Everything that the log file would have, each with its code. */
  event: RunEvent;
}

type Listeners = { [Name in keyof RunEvents]: Set<(event: RunEvents[Name]) => void> };

class Listening {
  readonly #listeners: Listeners = {
    page: new Set(),
    notice: new Set(),
    tick: new Set(),
    governed: new Set(),
    sitemap: new Set(),
    problem: new Set(),
    retry: new Set(),
    event: new Set(),
  };

  add<Name extends keyof RunEvents>(name: Name, listener: (event: RunEvents[Name]) => void): void {
    this.#listeners[name].add(listener);
  }

  remove<Name extends keyof RunEvents>(name: Name, listener: (event: RunEvents[Name]) => void): void {
    this.#listeners[name].delete(listener);
  }

  of<Name extends keyof RunEvents>(name: Name): readonly ((event: RunEvents[Name]) => void)[] {
    return [...this.#listeners[name]];
  }

  check(name: unknown, listener: unknown): void {
    const names = Object.keys(this.#listeners);
    if (typeof name !== 'string' || !names.includes(name)) {
      const near = typeof name === 'string' ? nearestName(name, names) : null;
      throw new UsageError(`a run has the events ${names.join(', ')}, got ${describeValue(name)}${didYouMean(near)}`);
    }
    if (typeof listener !== 'function') {
      throw new UsageError(`the listener of ${name} must be a function, got ${describeValue(listener)}`);
    }
  }
}
