import type { Clock } from '../base/clock.js';
import { FetchError } from '../base/errors.js';
import type { FetchRequest, FetchResponse, PendingFetch } from '../fetch/contract.js';
import { ENDED_EARLY } from '../fetch/decode.js';
import { parseRetryAfter } from '../fetch/retry-after.js';
import { KeyTableView, type SegmentUpdate } from '../frontier/embedded/key-table.js';
import type { Lease, Outcome, PagePiece } from '../frontier/frontier.js';
import { failure, takeLight } from '../frontier/outcome.js';
import { pageOffer } from '../frontier/seed-book.js';
import { expandRobots, RobotsMatcher } from '../hosts/robots.js';
import { sealPage } from '../store/page-row.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { type AliasData, compileAliases } from '../url/aliases.js';
import { readSetCookies } from '../url/cookies.js';
import { isHttp, pathOf } from '../url/host.js';
import type { IdentityOptions } from '../url/identity.js';
import { isShortened } from '../url/long-url.js';
import { ByteBudget } from './byte-budget.js';
import { CrawlScope, type CrawlScopeData } from './crawl-scope.js';
import { tellingHeaders } from './link-facts.js';
import { LinkJudge } from './link-judge.js';
import { LinkTargets, type OwnResolve } from './link-targets.js';
import { PageReader } from './page-reader.js';
import { afterHead, type RequestLimits, requestFor, statusOf } from './page-request.js';
import type { FetchedPage, PageReading, ReaderOptions, Reading } from './reading.js';
import { type OutcomeReading, ReadingQueue } from './reading-queue.js';
import { robotsAnswer, robotsFailure } from './robots-reading.js';

/** A lease on its way to a lane. Rules travel only when the lane does not have them yet. */
export interface Job {
  lease: Lease;
  /** Order of dispatch: the oldest body is never paused. */
  sequence: number;
  newRules: boolean;
}

export interface LaneSetup {
  lane: number;
  reader: ReaderOptions;
  identity: IdentityOptions;
  aliases?: AliasData;
  scope: CrawlScopeData;
  robotsTimeoutMs: number;
  segments: Uint32Array[];
  budgetSlots: Float64Array;
  budgetLimit: number;
}

/** A page as a browser left it. */
export interface RenderedHtml {
  id: number;
  url: string;
  depth: number;
  seed: number;
  flags: number;
  html: string;
  /** What robots.txt's kin, header and meta, said when it was fetched. */
  robots: string | null;
}

/** What a lane tells; always in batches, at the end of the turn of the event loop in which it happened. */
export interface LaneEvents {
  headers(ids: number[], ats: number[]): void;
  outcomes(outcomes: Outcome[]): void;
  /** Part of what a page leads to: the page is read on when the ids of it are given to `admitted`. At once, one of a page at a time. */
  piece(piece: PagePiece): void;
}

/** Where a lane gets its pages from: the net, or a function of the library's user. */
export interface PageSource {
  /** It knows no HEAD: each page is asked for once, whatever its name looks like. */
  readonly wholeOnly?: boolean;
  fetch(request: FetchRequest, hooks: { onHeaders?(at: number): void; onBytes?(count: number): void }): PendingFetch;
  resolve(host: string): Promise<string>;
  /** So many sockets from now on; a source without any need not care. */
  resize?(maxSockets: number): void;
  retire?(): number;
  close(): Promise<void>;
}

interface Fetching {
  job: Job;
  pending: PendingFetch | null;
  heldBytes: number;
  paused: boolean;
  startedAt: number;
}

const RENDERED_TYPE = 'text/html; charset=utf-8';

/**
 * Fetches and reads: exactly one request for each lease, and no byte of a page ever leaves it. A plain object: it runs in a worker
 * thread, or in the main thread for small sites, the simulator's tests and fetchers of the user's.
 */
export class Lane {
  readonly #setup: LaneSetup;
  readonly #source: PageSource;
  readonly #events: LaneEvents;
  readonly #clock: Clock;
  readonly #keys: KeyTableView;
  readonly #budget: ByteBudget;
  readonly #reader: PageReader;
  readonly #judge: LinkJudge;
  readonly #targets: LinkTargets;
  readonly #scope: CrawlScope;
  readonly #requestLimits: RequestLimits;
  #scopeVersion = 0;
  readonly #matchers = new Map<number, { version: number; matcher: RobotsMatcher | null }>();
  readonly #fetching = new Map<number, Fetching>();
  readonly #reading: ReadingQueue;
  #headerIds: number[] = [];
  #headerTimes: number[] = [];
  #outcomes: Outcome[] = [];
  #flushing = false;
  constructor(setup: LaneSetup, source: PageSource, events: LaneEvents, clock: Clock, resolve?: OwnResolve) {
    this.#setup = setup;
    this.#source = source;
    this.#events = events;
    this.#clock = clock;
    this.#requestLimits = {
      robotsTimeoutMs: setup.robotsTimeoutMs,
      sitemapMaxBytes: setup.reader.sitemapMaxBytes,
      wholeOnly: source.wholeOnly ?? false,
    };
    this.#reading = new ReadingQueue((piece) => events.piece(piece));
    this.#keys = new KeyTableView(setup.segments);
    this.#budget = new ByteBudget(setup.budgetLimit, 0, setup.budgetSlots);
    this.#scope = new CrawlScope(setup.scope);
    this.#judge = new LinkJudge(this.#keys, this.#scope);
    this.#targets = new LinkTargets(
      setup.identity,
      this.#judge,
      resolve ?? null,
      setup.aliases === undefined ? null : compileAliases(setup.aliases),
    );
    this.#reader = new PageReader(setup.reader, this.#judge, this.#targets);
  }

  /** Pages that are here in full and wait to be read. */
  get waiting(): number {
    return this.#reading.waiting;
  }

  /** Most that ever did. */
  get peakWaiting(): number {
    return this.#reading.peakWaiting;
  }

  take(jobs: Job[], updates: SegmentUpdate[]): void {
    this.#keys.update(updates);
    for (const job of jobs) {
      try {
        this.#start(job);
      } catch (error) {
        this.#fetching.delete(job.lease.id);
        this.#publishOldest();
        this.#give(failure(job.lease, this.#clock.now(), 'internal', messageOf(error)));
      }
    }
  }

  widenScope(version: number, seed: number, scopeUrls: string[]): void {
    this.#scopeVersion = version;
    if (this.#scope.widen(seed, scopeUrls)) {
      this.#forgetTargets();
    }
  }

  dropCaches(): void {
    this.#forgetTargets();
  }

  #forgetTargets(): void {
    this.#judge.forget();
    this.#targets.forget();
  }

  forgetRules(origins: number[]): void {
    for (const origin of origins) {
      this.#matchers.delete(origin);
    }
  }

  /** Something was settled while bodies were paused: see who may go on. */
  flow(): void {
    const isOver = this.#budget.isOver;
    const oldest = this.#budget.oldestOfAll;
    let paused = 0;
    for (const fetching of this.#fetching.values()) {
      const mustPause = isOver && fetching.job.sequence !== oldest;
      if (mustPause !== fetching.paused && fetching.pending !== null) {
        fetching.paused = mustPause;
        if (mustPause) {
          fetching.pending.pause();
        } else {
          fetching.pending.resume();
        }
      }
      paused += mustPause ? 1 : 0;
    }
    this.#budget.paused(this.#setup.lane, paused);
  }

  resolve(host: string): Promise<string> {
    return this.#source.resolve(host);
  }

  resizeSockets(count: number): void {
    this.#source.resize?.(count);
  }

  retireSockets(): number {
    return this.#source.retire?.() ?? 0;
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  #start(job: Job): void {
    const { lease } = job;
    const refusal = lease.kind === UrlKind.robots ? null : this.#refusal(job);
    if (refusal !== null) {
      this.#give({ ...failure(lease, this.#clock.now(), null, refusal), unsent: 'robots' });
      return;
    }
    const fetching: Fetching = { job, pending: null, heldBytes: 0, paused: false, startedAt: this.#clock.now() };
    this.#fetching.set(lease.id, fetching);
    this.#publishOldest();
    const request = requestFor(lease, this.#requestLimits);
    fetching.pending = this.#source.fetch(request, {
      onHeaders: (at) => this.#headers(lease, at),
      onBytes: (count) => this.#bytes(fetching, count),
    });
    const give = (outcome: Outcome): void => this.#give(outcome);
    fetching.pending.promise.then(
      (response) => this.#reading.add(lease, this.#answered(fetching, request, response), fetching.heldBytes, give),
      (error: unknown) => this.#reading.add(lease, this.#failed(fetching, error), 0, give),
    );
  }

  /** The line of robots.txt that forbids the URL, or null. */
  #refusal({ lease, newRules }: Job): string | null {
    let known = this.#matchers.get(lease.origin);
    if (newRules || known?.version !== lease.rulesVersion) {
      const matcher = lease.rules === null ? null : new RobotsMatcher(expandRobots(lease.rules));
      known = { version: lease.rulesVersion, matcher };
      this.#matchers.set(lease.origin, known);
    }
    const verdict = isHttp(lease.url) ? known?.matcher?.match(pathOf(lease.url)) : undefined;
    if (verdict === undefined || verdict.allowed) {
      return null;
    }
    return verdict.rule === null ? 'robots.txt' : `robots.txt line ${verdict.rule.line}: ${verdict.rule.text}`;
  }

  #headers(lease: Lease, at: number): void {
    if (lease.paced) {
      this.#headerIds.push(lease.id);
      this.#headerTimes.push(at);
      this.#flushSoon();
    }
  }

  #bytes(fetching: Fetching, count: number): void {
    fetching.heldBytes += count;
    this.#budget.arrived(this.#setup.lane, count);
    if (this.#budget.isOver) {
      this.flow();
    }
  }

  #publishOldest(): void {
    // Jobs come in the order of their sequence, and a Map keeps it.
    const first = this.#fetching.values().next().value;
    this.#budget.oldest(this.#setup.lane, first?.job.sequence ?? Number.POSITIVE_INFINITY);
  }

  /** The piece of this page is admitted; these are the ids of what it offered. */
  admitted(id: number, ids: readonly number[]): void {
    this.#reading.admitted(id, ids);
  }

  *#answered(fetching: Fetching, request: FetchRequest, response: FetchResponse): OutcomeReading {
    const { lease } = fetching.job;
    this.#done(fetching);
    try {
      const outcome = yield* this.#read(lease, request, response, response.endedAt - fetching.startedAt);
      outcome.heldBytes = fetching.heldBytes;
      return outcome;
    } catch (error) {
      return { ...failure(lease, this.#clock.now(), 'internal', messageOf(error)), heldBytes: fetching.heldBytes };
    }
  }

  *#read(lease: Lease, request: FetchRequest, response: FetchResponse, totalMs: number): OutcomeReading {
    const { headers } = response;
    const status = statusOf(request, response.status);
    const contentType = headers.get('content-type');
    const outcome = failure(lease, response.endedAt, null, null);
    outcome.status = status;
    outcome.headersAt = response.headersAt;
    outcome.ttfbMs = response.ttfbMs;
    outcome.address = response.remoteAddress;
    outcome.retryAfterMs = parseRetryAfter(headers.get('retry-after'), this.#clock.wall());
    outcome.askAgain = request.method === 'HEAD' ? this.#afterHead(lease, status, contentType) : null;
    outcome.scopeVersion = this.#scopeVersion;
    if (status === 304 && lease.ifModified !== undefined) {
      outcome.unchanged = true;
      return outcome;
    }
    const page: FetchedPage = {
      status,
      contentType,
      location: headers.url('location'),
      robotsTags: headers.all('x-robots-tag'),
      lastModified: headers.get('last-modified'),
      etag: headers.get('etag'),
      body: response.body,
      links: (response as { links?: string[] }).links ?? null,
      truncated: response.truncated,
      damage: response.damage,
      telling: this.#setup.reader.linkFacts && status >= 400 ? tellingHeaders(headers) : null,
    };
    const reading = yield* lease.kind === UrlKind.robots
      ? this.#readRobots(lease, page, outcome)
      : this.#readPage(lease, page);
    if (response.endedEarly && lease.kind !== UrlKind.robots && status >= 200 && status < 300) {
      // As if the connection had been reset: asked again, and at last failed, with what could be read of it.
      reading.errorClass = 'connection_reset';
      reading.message = ENDED_EARLY;
      reading.page.malformed = null;
    } else if (status > 599) {
      reading.message ??= `HTTP has no status ${status}`;
    }
    const keepsCookies = lease.kind === UrlKind.page || lease.kind === UrlKind.robots;
    if (reading.redirect !== null && keepsCookies && !this.#requestLimits.wholeOnly) {
      const cookies = readSetCookies(headers.all('set-cookie'), lease.url, this.#clock.wall());
      if (cookies.length > 0) {
        outcome.cookies = cookies;
      }
    }
    const { page: row, ...read } = reading;
    row.fetchedAt = this.#clock.wall();
    row.ttfbMs = response.ttfbMs;
    row.totalMs = totalMs;
    row.message = reading.message;
    return Object.assign(outcome, read, { page: sealPage(row) });
  }

  #afterHead(lease: Lease, status: number, contentType: string | null): Outcome['askAgain'] {
    return afterHead(lease, status, contentType, this.#setup.reader.linkFacts);
  }

  #readPage(lease: Lease, page: FetchedPage): PageReading {
    if (lease.kind === UrlKind.asset) {
      return atOnce(this.#reader.readAsset(lease, page));
    }
    return lease.kind === UrlKind.sitemap ? this.#reader.readSitemap(lease, page) : this.#reader.read(lease, page);
  }

  /** A page that is fetched already, as a browser left it. */
  read(page: RenderedHtml): Promise<Outcome> {
    const { html, robots, ...known } = page;
    const lease: Lease = {
      ...{ ...known, kind: UrlKind.page, hops: 0, attempt: 1, host: '', paced: false, origin: 0 },
      ...{ rules: null, rulesVersion: 0, wantsText: false },
    };
    return new Promise((resolve) => {
      this.#reading.add(lease, this.#readRendered(lease, html, robots), html.length, resolve);
    });
  }

  *#readRendered(lease: Lease, html: string, robots: string | null): OutcomeReading {
    const outcome = failure(lease, this.#clock.now(), null, null);
    outcome.scopeVersion = this.#scopeVersion;
    try {
      const { page: row, ...read } = yield* this.#reader.read(lease, {
        ...{
          status: 200,
          contentType: RENDERED_TYPE,
          body: Buffer.from(html),
          robotsTags: robots === null ? [] : [robots],
        },
        ...{
          location: null,
          lastModified: null,
          etag: null,
          links: null,
          truncated: false,
          damage: null,
          telling: null,
        },
      });
      return Object.assign(outcome, read, { page: sealPage(row) });
    } catch (error) {
      return failure(lease, this.#clock.now(), 'internal', messageOf(error));
    }
  }

  *#readRobots(lease: Lease, page: FetchedPage, outcome: Outcome): PageReading {
    const reading = yield* this.#reader.read({ ...lease, flags: UrlFlag.external }, page);
    const { redirect, redirectUrl } = reading;
    if (redirect !== null && redirectUrl !== null && isHttp(redirectUrl) && !isShortened(redirectUrl)) {
      reading.offers = [pageOffer(redirectUrl, 0)];
      reading.redirect = { offer: 0 };
      return reading;
    }
    reading.redirect = null;
    reading.offers = [];
    reading.errorClass = null;
    const answer = robotsAnswer(page, this.#setup.reader.agent, lease.url);
    outcome.robots =
      answer.standing === 'rules'
        ? { ...answer, sitemaps: this.#reader.sitemapUrls(answer.sitemaps, lease.url) }
        : answer;
    return reading;
  }

  // biome-ignore lint/correctness/useYield: an outcome like the others, without pieces.
  *#failed(fetching: Fetching, error: unknown): OutcomeReading {
    const { lease } = fetching.job;
    this.#done(fetching);
    const errorClass = error instanceof FetchError ? error.errorClass : 'internal';
    const outcome = failure(lease, this.#clock.now(), errorClass, messageOf(error));
    outcome.heldBytes = fetching.heldBytes;
    outcome.scopeVersion = this.#scopeVersion;
    if (lease.kind === UrlKind.robots) {
      outcome.robots = robotsFailure(errorClass);
    }
    return outcome;
  }

  #done(fetching: Fetching): void {
    this.#fetching.delete(fetching.job.lease.id);
    this.#publishOldest();
  }

  #give(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (!this.#flushing) {
      this.#flushing = true;
      setImmediate(() => this.#flush());
    }
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#headerIds.length > 0) {
      const ids = this.#headerIds;
      const times = this.#headerTimes;
      this.#headerIds = [];
      this.#headerTimes = [];
      this.#events.headers(ids, times);
    }
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    while (outcomes.length > 0) {
      this.#events.outcomes(takeLight(outcomes));
    }
  }
}

// biome-ignore lint/correctness/useYield: read like the others, without pieces.
function* atOnce(reading: Reading): PageReading {
  return reading;
}

/** Whatever is thrown has a message; what cannot even be turned into text must not take the lane down. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, 500);
  } catch {
    return 'something without a text was thrown';
  }
}
