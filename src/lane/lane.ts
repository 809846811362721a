import { isPromise } from 'node:util/types';
import { Chain, type Place } from '../base/chain.js';
import type { Clock } from '../base/clock.js';
import { type ErrorClass, FetchError } from '../base/errors.js';
import { maySend } from '../base/send-until.js';
import {
  type FetchHooks,
  type FetchRequest,
  type FetchResponse,
  NotSent,
  type PendingFetch,
} from '../fetch/contract.js';
import type { ResponseHeaders } from '../fetch/response-headers.js';
import { KeyTableView, type SegmentUpdate } from '../frontier/key-table.js';
import { failure, type Lease, type Outcome, type PagePiece, takeLight } from '../frontier/outcome.js';
import { isHostTrouble } from '../frontier/pace.js';
import type { HooksSetup, LaneHooks, RequestDecision } from '../hooks/lane-hooks.js';
import { expandRobots } from '../robots/compact.js';
import { RobotsMatcher } from '../robots/match.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { type AliasData, compileAliases } from '../url/aliases.js';
import { isHttp, pathOf } from '../url/host.js';
import type { IdentityOptions } from '../url/identity.js';
import type { CookieChange, KeptCookie } from '../url/kept-cookie.js';
import { isRoute, pageOfRoute } from '../url/routes.js';
import { ByteBudget } from './byte-budget.js';
import { CrawlScope, type CrawlScopeData } from './crawl-scope.js';
import { type EarlierAnswer, EarlierPages, type EarlierSetup } from './earlier-pages.js';
import { type JobSession, LaneCookies, type OpenJar } from './lane-cookies.js';
import { LinkJudge, LinkTargets, type OwnResolve } from './link-targets.js';
import { messageOf, RENDERED_TYPE, type RequestLimits, ResponseReader, requestFor } from './page-exchange.js';
import { PageReader } from './page-reader.js';
import { type FetchedPage, type OutcomeReading, type ReaderOptions, ReadingQueue } from './reading.js';
import { Shells } from './shells.js';
import { Stock, WirePlaces } from './stock.js';

/** A lease on its way to a lane. Rules travel only when the lane does not have them yet. */
export interface Job {
  lease: Lease;
  /** Order of dispatch: the oldest body is never paused. */
  sequence: number;
  newRules: boolean;
  /** Where the requests of its host on the wire are counted; null if no more are leased than may go out at once. */
  place: number | null;
  /** Where the crawl keeps cookies. */
  session?: JobSession;
}

export interface LaneSetup {
  lane: number;
  /** Cookies are kept. */
  keepsCookies?: boolean;
  /** Every exchange is archived. */
  archives?: boolean;
  reader: ReaderOptions;
  identity: IdentityOptions;
  aliases?: AliasData;
  scope: CrawlScopeData;
  robotsTimeoutMs: number;
  segments: Uint32Array[];
  budgetSlots: Float64Array;
  wireCells: Int32Array;
  budgetLimit: number;
  /** The user's hooks, if there are any. */
  hooks?: HooksSetup;
  /** The crawl whose unchanged pages are carried over, if there is one. */
  since?: EarlierSetup;
  /** Until when requests may be sent, if the crawl runs on several machines; left out means for ever. */
  sendUntil?: Float64Array;
}

/** A page as a browser left it. */
export interface RenderedHtml {
  id: number;
  url: string;
  depth: number;
  seed: number;
  flags: number;
  /** The page as a browser left it; null if it is read as it came. */
  html: string | null;
  /** The page as it came; null if a browser has rendered it. */
  came: { status: number; type: string | null; body: Uint8Array } | null;
  /** What the robots header and meta element said when it was fetched. */
  robots: string | null;
  seen: NonNullable<FetchedPage['rendered']>;
}

/** What a lane reports; always in batches, at the end of the turn of the event loop in which it happened. */
export interface LaneEvents {
  headers(ids: number[], ats: number[]): void;
  outcomes(outcomes: Outcome[]): void;
  /** Part of what a page leads to: the page is read on when the ids of it are given to `admitted`. At once, one of a page at a time. */
  piece(piece: PagePiece): void;
  /** Cookies that answers have set; ahead of the outcomes of those answers. */
  cookies?(changes: CookieChange[]): void;
}

/** Where a lane gets its pages from: the network, or a function of the library's user. */
export interface PageSource {
  /** Whether it has no HEAD: each page is requested once, whatever its name looks like. */
  readonly wholeOnly?: boolean;
  /** Whether it sends no requests: its answers and failures move no clock of a host. */
  readonly asksNobody?: boolean;
  /** Whether answers go into an archive: URLs in scope are requested in full. */
  readonly archives?: boolean;
  fetch(request: FetchRequest, hooks: FetchHooks): PendingFetch;
  resolve(host: string): Promise<string>;
  /** So many sockets from now on; a source without any need not care. */
  resize?(maxSockets: number): void;
  retire?(): number;
  close(): Promise<void>;
}

const hookRequest = ({ url, kind, depth, attempt }: Lease, { method }: FetchRequest) => ({
  ...{ url, depth, attempt },
  method: method as 'GET' | 'HEAD',
  kind:
    kind === UrlKind.sitemap ? ('sitemap' as const) : kind === UrlKind.asset ? ('asset' as const) : ('page' as const),
});

/** A lane with this many requests is busy. */
const BUSY = 8;
/** A busy lane reports this many outcomes at once, or after this time. */
const FULL_MESSAGE = 16;
const PATIENCE_MS = 4;

interface Fetching {
  job: Job;
  /** Among all that the lane fetches. */
  place: Place<Fetching> | null;
  pending: PendingFetch | null;
  heldBytes: number;
  paused: boolean;
  startedAt: number;
  hasHeaders: boolean;
  /** What an earlier crawl has of it. */
  earlier: EarlierAnswer | null;
}

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
  readonly #responses: ResponseReader;
  readonly #judge: LinkJudge;
  readonly #targets: LinkTargets;
  readonly #scope: CrawlScope;
  readonly #requestLimits: RequestLimits;
  readonly #matchers = new Map<number, { version: number; matcher: RobotsMatcher | null }>();
  readonly #fetching = new Chain<Fetching>();
  readonly #reading: ReadingQueue;
  readonly #stock: Stock<Job>;
  readonly #shells = new Shells();
  readonly #cookies: LaneCookies<Job> | null;
  readonly #hooks: LaneHooks | null;
  readonly #earlier: EarlierPages | null;
  /** Null if no other machine could have the hosts of this one. */
  readonly #maySend: (() => boolean) | null;
  #headerIds: number[] = [];
  #headerTimes: number[] = [];
  #outcomes: Outcome[] = [];
  #flushing = false;
  #isClosed = false;
  /** Something in stock could have gone, but for the bytes in memory. */
  #holdsBack = false;
  #cancelFlush: (() => void) | null = null;

  /** @param openJar only where cookies are kept; @param hooks only where the user has some */
  constructor(
    setup: LaneSetup,
    source: PageSource,
    events: LaneEvents,
    clock: Clock,
    resolve?: OwnResolve,
    openJar?: OpenJar,
    hooks: LaneHooks | null = null,
  ) {
    this.#setup = setup;
    this.#cookies = openJar === undefined ? null : new LaneCookies(openJar, clock);
    this.#hooks = hooks;
    this.#earlier = setup.since === undefined ? null : new EarlierPages(setup.since, clock);
    const { sendUntil } = setup;
    this.#maySend = sendUntil === undefined ? null : () => maySend(sendUntil, clock);
    this.#source = source;
    this.#events = events;
    this.#clock = clock;
    this.#requestLimits = {
      robotsTimeoutMs: setup.robotsTimeoutMs,
      sitemapMaxBytes: setup.reader.sitemapMaxBytes,
      wholeOnly: source.wholeOnly ?? false,
      hasRoutes: setup.reader.hashRoutes,
      archives: (setup.archives ?? false) || (source.archives ?? false),
      readsPdf: setup.reader.contentTypes.includes('application/pdf'),
    };
    this.#reading = new ReadingQueue((piece) => events.piece(piece));
    this.#keys = new KeyTableView(setup.segments);
    this.#budget = new ByteBudget(setup.budgetLimit, 0, setup.budgetSlots);
    this.#stock = new Stock(setup.lane, new WirePlaces(0, setup.wireCells), (job) => this.#start(job));
    this.#scope = new CrawlScope(setup.scope);
    this.#judge = new LinkJudge(this.#keys, this.#scope);
    this.#targets = new LinkTargets(
      setup.identity,
      this.#judge,
      resolve ?? null,
      setup.aliases === undefined ? null : compileAliases(setup.aliases),
    );
    const pages = new PageReader(setup.reader, this.#judge, this.#targets, hooks);
    this.#responses = new ResponseReader(setup.reader, pages, clock, source.wholeOnly ?? false, source.asksNobody);
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
      this.#cookies?.open(job);
      try {
        this.#takeOne(job);
      } catch (error) {
        this.#give(failure(job.lease, this.#clock.now(), 'internal', messageOf(error)));
      }
    }
    this.#sendMore();
  }

  #takeOne(job: Job): void {
    const refusal = job.lease.kind === UrlKind.robots ? null : this.#refusal(job);
    if (refusal !== null) {
      this.#give({ ...failure(job.lease, this.#clock.now(), null, refusal), unsent: 'robots' });
    } else if (job.place === null) {
      this.#start(job);
    } else {
      this.#stock.add(job);
    }
  }

  /** What is in stock for a host, or for all, comes back unsent. */
  recall(place: number | null): void {
    for (const job of this.#cookies?.takeBack(place) ?? []) {
      this.#stock.ended(job);
      this.#giveBack(job);
    }
    for (const job of this.#stock.takeBack(place)) {
      this.#giveBack(job);
    }
  }

  #giveBack({ lease }: Job): void {
    this.#give({ ...failure(lease, this.#clock.now(), null, null), unsent: 'returned' });
  }

  /** Cookies of a site that somebody else has set. */
  putCookies(site: string, cookies: readonly KeptCookie[]): void {
    this.#cookies?.put(site, cookies);
  }

  forgetCookies(sites: readonly string[]): void {
    this.#cookies?.forget(sites);
  }

  /** Over the limit on bytes in memory only one request at a time goes out; its end starts the next. */
  readonly #mayGo = (): boolean => {
    const mayGo = this.#fetching.size === 0 || !this.#budget.isOver;
    this.#holdsBack ||= !mayGo;
    return mayGo;
  };

  #sendMore(place: number | null = null): void {
    if (this.#stock.size > 0) {
      this.#stock.sendMore(this.#mayGo, place);
    }
  }

  widenScope(version: number, seed: number, scopeUrls: string[]): void {
    this.#responses.scopeVersion = version;
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

  /** Bytes were settled while bodies were paused: some may go on. */
  flow(): void {
    const isOver = this.#budget.isOver;
    const oldest = this.#budget.oldestOfAll;
    let paused = 0;
    for (const fetching of this.#fetching.items()) {
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
    this.#sendMore();
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
    this.#isClosed = true;
    this.#cancelFlush?.();
    // What is aborted now must not let the next requests go.
    this.#stock.takeBack();
    this.#cookies?.takeBack(null);
    await this.#source.close();
    this.#earlier?.close();
  }

  #start(job: Job): void {
    if (this.#cookies !== null && !this.#cookies.mayGo(job)) {
      return;
    }
    try {
      this.#fetch(job);
    } catch (error) {
      this.#startNext(this.#cookies?.failed(job) ?? null);
      this.#failedToStart(job, error);
    }
  }

  #failedToStart(job: Job, error: unknown): void {
    for (const fetching of this.#fetching.items()) {
      if (fetching.job === job) {
        this.#fetching.remove(fetching.place!);
      }
    }
    this.#publishOldest();
    this.#stock.ended(job);
    this.#give(failure(job.lease, this.#clock.now(), 'internal', messageOf(error)));
  }

  #fetch(job: Job): void {
    const { lease } = job;
    const startedAt = this.#clock.now();
    const request = this.#withCookies(requestFor(lease, this.#requestLimits), job);
    const earlier = this.#earlier?.answerTo(lease, request) ?? null;
    const fetching: Fetching = {
      ...{ job, place: null, pending: null, heldBytes: 0, paused: false, startedAt, hasHeaders: false, earlier },
    };
    fetching.place = this.#fetching.add(fetching);
    this.#publishOldest();
    if (earlier?.isYoung) {
      this.#carryOver(fetching, earlier);
      return;
    }
    if (earlier !== null && earlier.ifModified !== null) {
      request.ifModified = earlier.ifModified!;
    }
    if (this.#hooks === null || !this.#hooks.hasRequest || lease.kind === UrlKind.robots) {
      this.#sendOrShare(fetching, request);
      return;
    }
    const decision = this.#hooks.request(hookRequest(lease, request), lease.id);
    if (isPromise(decision)) {
      void decision.then((late) => this.#sendDecided(fetching, request, late));
    } else {
      this.#sendDecided(fetching, request, decision);
    }
  }

  /** As a hook of the user's wants it. */
  #sendDecided(fetching: Fetching, request: FetchRequest, decision: RequestDecision): void {
    const { lease } = fetching.job;
    if (decision === null || 'headers' in decision) {
      this.#sendOrShare(fetching, decision === null ? request : { ...request, headers: decision.headers });
      return;
    }
    this.#done(fetching, null, null);
    const [errorClass, words] = 'failed' in decision ? (['hook', decision.failed] as const) : [null, decision.skip];
    this.#give({ ...failure(lease, this.#clock.now(), errorClass, words), unsent: 'hook' });
  }

  /** Routes of one page share its answer. */
  #sendOrShare(fetching: Fetching, request: FetchRequest): void {
    const { job } = fetching;
    const { lease } = job;
    const hasShell = this.#setup.reader.hashRoutes && isRoute(lease.url) && (lease.flags & UrlFlag.secondLook) === 0;
    const shell = hasShell ? this.#shells.get(request.url) : null;
    if (shell !== null) {
      void shell
        .then((response) => this.#takeShell(fetching, request, response))
        .catch((error: unknown) => this.#failedToStart(job, error));
      return;
    }
    this.#send(fetching, request);
    if (hasShell) {
      this.#shells.add(request.url, fetching.pending!);
    }
  }

  /** The page of a route is here already; if it failed, it is requested once more. */
  #takeShell(fetching: Fetching, request: FetchRequest, shell: FetchResponse | null): void {
    if (shell === null) {
      if (!this.#isClosed) {
        this.#send(fetching, request);
      }
      return;
    }
    const { lease } = fetching.job;
    const now = this.#clock.now();
    this.#headers(lease, now);
    this.#done(fetching, shell.status, null);
    const response = { ...shell, headersAt: now, endedAt: now };
    this.#reading.add(lease, this.#answered(fetching, request, response), 0, (outcome) =>
      this.#give({ ...outcome, isShared: true }),
    );
  }

  /** A page that is young enough stands for its answer: nobody is asked. Later, because whoever hands it out has not yet counted it as sent. */
  #carryOver(fetching: Fetching, earlier: EarlierAnswer): void {
    const { lease } = fetching.job;
    setImmediate(() => {
      if (this.#isClosed) {
        return;
      }
      this.#takeCookies(fetching, null);
      this.#done(fetching, null, null);
      this.#reading.add(lease, this.#responses.readYoung(lease, earlier), 0, (outcome) => this.#give(outcome));
    });
  }

  #send(fetching: Fetching, request: FetchRequest): void {
    const { lease } = fetching.job;
    fetching.pending = this.#source.fetch(request, {
      onHeaders: (at, headers) => {
        this.#headers(lease, at);
        this.#takeCookies(fetching, headers);
      },
      onBytes: (count) => this.#bytes(fetching, count),
      ...(this.#maySend === null ? {} : { maySend: this.#maySend }),
    });
    const give = (outcome: Outcome): void => this.#give(outcome);
    fetching.pending.promise.then(
      (response) => {
        this.#done(fetching, response.status, null);
        this.#reading.add(lease, this.#answered(fetching, request, response), fetching.heldBytes, give);
      },
      (error: unknown) => {
        this.#takeCookies(fetching, null);
        if (error instanceof NotSent) {
          this.#done(fetching, null, null);
          this.#giveBack(fetching.job);
          return;
        }
        this.#done(fetching, null, error instanceof FetchError ? error.errorClass : null);
        this.#reading.add(lease, this.#failed(fetching, error), 0, give);
      },
    );
  }

  /** If cookies are kept, the jar alone decides what is sent: it has the cookies of a gate, and may have newer ones. */
  #withCookies(request: FetchRequest, job: Job): FetchRequest {
    if (this.#cookies === null) {
      return request;
    }
    const { cookie: _ofGate, ...rest } = request;
    const cookie = this.#cookies.header(job);
    return cookie === null ? rest : { ...rest, cookie };
  }

  /** @param headers null if none have come */
  #takeCookies(fetching: Fetching, headers: ResponseHeaders | null): void {
    if (this.#cookies === null || fetching.hasHeaders) {
      return;
    }
    fetching.hasHeaders = true;
    const { job } = fetching;
    const next = headers === null ? this.#cookies.failed(job) : this.#cookies.answered(job, headers.all('set-cookie'));
    if (this.#cookies.hasChanged) {
      this.#flushSoon();
    }
    this.#startNext(next);
  }

  /** Later, because the connection must not get its next request from within its report on the last one. */
  #startNext(job: Job | null): void {
    if (job !== null) {
      queueMicrotask(() => this.#start(job));
    }
  }

  /** The line of robots.txt that forbids the URL, or null. */
  #refusal({ lease, newRules }: Job): string | null {
    let known = this.#matchers.get(lease.origin);
    if (newRules || known?.version !== lease.rulesVersion) {
      const matcher = lease.rules === null ? null : new RobotsMatcher(expandRobots(lease.rules));
      known = { version: lease.rulesVersion, matcher };
      this.#matchers.set(lease.origin, known);
    }
    const verdict = isHttp(lease.url)
      ? known?.matcher?.match(pathOf(this.#setup.reader.hashRoutes ? pageOfRoute(lease.url) : lease.url))
      : undefined;
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
    // Jobs come in the order of their sequence, and a chain keeps it.
    this.#budget.oldest(this.#setup.lane, this.#fetching.first?.job.sequence ?? Number.POSITIVE_INFINITY);
  }

  /** The piece of this page is admitted; these are the ids of what it offered. */
  admitted(id: number, ids: readonly number[]): void {
    this.#reading.admitted(id, ids);
  }

  *#answered(fetching: Fetching, request: FetchRequest, response: FetchResponse): OutcomeReading {
    const { lease } = fetching.job;
    const totalMs = response.endedAt - fetching.startedAt;
    const outcome = yield* this.#responses.read(lease, request, response, totalMs, fetching.earlier);
    outcome.heldBytes = fetching.heldBytes;
    response.release?.();
    return outcome;
  }

  /** A page that is fetched already, as a browser left it. */
  read(page: RenderedHtml): Promise<Outcome> {
    const { html, came, robots, seen, ...known } = page;
    const lease: Lease = {
      ...{ ...known, kind: UrlKind.page, hops: 0, attempt: 1, host: '', paced: false, wireLimit: 1, origin: 0 },
      ...{ rules: null, rulesVersion: 0, wantsText: true },
    };
    return new Promise((resolve) => {
      const drawn = { status: 200, type: RENDERED_TYPE, body: Buffer.from(html ?? '') };
      const answer = { ...(came ?? drawn), isAsItCame: came !== null };
      this.#reading.add(lease, this.#responses.readRendered(lease, answer, robots, seen), answer.body.length, resolve);
    });
  }

  // biome-ignore lint/correctness/useYield: an outcome like the others, without pieces.
  *#failed(fetching: Fetching, error: unknown): OutcomeReading {
    return { ...this.#responses.failed(fetching.job.lease, error), heldBytes: fetching.heldBytes };
  }

  /** It has left the wire, and the next of its host goes out before it is read. A host in trouble gets nothing more: the coordinator says when. */
  #done({ job, place: among }: Fetching, status: number | null, errorClass: ErrorClass | null): void {
    this.#fetching.remove(among!);
    this.#publishOldest();
    this.#stock.ended(job);
    if (job.place !== null && isHostTrouble(status, errorClass)) {
      this.recall(job.place);
    }
    // What was held back for want of memory may be of any host.
    const place = this.#holdsBack ? null : job.place;
    this.#holdsBack = false;
    this.#sendMore(place);
  }

  /** While much is under way, outcomes wait a moment for others: the lane has its next requests in stock, and one message can carry many. */
  #give(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    const isBusy = this.#fetching.size + this.#stock.size + this.#reading.waiting >= BUSY;
    if (isBusy && this.#outcomes.length < FULL_MESSAGE) {
      this.#cancelFlush ??= this.#clock.at(this.#clock.now() + PATIENCE_MS, () => this.#flush());
    } else {
      this.#flushSoon();
    }
  }

  #flushSoon(): void {
    if (!this.#flushing) {
      this.#flushing = true;
      setImmediate(() => this.#flush());
    }
  }

  #flush(): void {
    this.#flushing = false;
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    // First: headers let the next request of a host with a delay be leased, and its lease is stored behind these.
    if (this.#cookies?.hasChanged) {
      this.#events.cookies?.(this.#cookies.takeChanged());
    }
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
