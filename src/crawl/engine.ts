import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../base/clock.js';
import { sweepCache } from '../fetch/cache-files.js';
import { Frontier } from '../frontier/frontier.js';
import { KeyTable } from '../frontier/key-table.js';
import type { FrontierEvents } from '../frontier/options.js';
import type { RenderedOutcome, SettledPage } from '../frontier/outcome.js';
import { SeedBook } from '../frontier/seed-book.js';
import { ByteBudget } from '../lane/byte-budget.js';
import { CrawlScope, type CrawlScopeData } from '../lane/crawl-scope.js';
import type { EarlierSetup } from '../lane/earlier-pages.js';
import { HostManners } from '../lane/host-manners.js';
import type { LaneSetup } from '../lane/lane.js';
import type { OpenJar } from '../lane/lane-cookies.js';
import { LaneOpenings } from '../lane/lane-openings.js';
import { LanePool } from '../lane/lane-pool.js';
import { WirePlaces } from '../lane/stock.js';
import { archiveMark } from '../store/archive-table.js';
import type { SeedRow } from '../store/transaction.js';
import type { IdentityOptions } from '../url/identity.js';
import { scopePatterns } from '../url/scope.js';
import { TrapWatch } from '../url/traps.js';
import type { RunWatch } from '../watch/run-watch.js';
import { Additions } from './additions.js';
import type { ClusterDoors } from './cluster-seat.js';
import type { CookieBook } from './cookie-book.js';
import { Crawl } from './crawl.js';
import { Limits } from './ending.js';
import { DiskWatch, Governor, type GovernorDecision } from './governor.js';
import { HookRun } from './hook-run.js';
import { frontierWords, type Notices } from './notices.js';
import type { CrawlProfile } from './profile.js';
import { openRenderer, type Renderer } from './renderer.js';
import { openSeeder, type Seeder } from './seeder.js';
import type { SessionPlan } from './session-plan.js';
import { type EngineSettings, headersTo } from './settings.js';
import type { StoreOpened } from './store-host.js';
import type { StoreThread } from './store-thread.js';

export interface EngineParts {
  plan: SessionPlan;
  profile: CrawlProfile;
  settings: EngineSettings;
  seeds: SeedRow[];
  clock: Clock;
  notices: Notices;
  store: StoreThread;
  opened: StoreOpened;
  /** What is known about pages that a browser has rendered; null without a browser. */
  shapes: Awaited<ReturnType<StoreThread['renderShapes']>> | null;
  /** The crawl whose unchanged pages are carried over; null if there is none. */
  since: EarlierSetup | null;
  /** Called once a second while it runs. */
  tick(): void;
  watch: RunWatch;
  /** Both are null when no cookies are kept. */
  openJar: OpenJar | null;
  cookies: CookieBook | null;
}

/** The number of known URLs from which a crawl gets threads: a small site is done before they have started. */
const URLS_WORTH_THREADS = 64;

/**
 * All parts of one run, put together around an open store. They tell each other what happens only while the loop runs, so the order in which
 * they are made does not matter to them.
 */
export class Engine {
  readonly crawl: Crawl;
  readonly frontier: Frontier;
  readonly lanes: LanePool;
  readonly budget: ByteBudget;
  readonly governor: Governor;
  readonly limits: Limits;
  readonly disk: DiskWatch;
  readonly seedBook: SeedBook;
  readonly keys: KeyTable;
  readonly seeder: Seeder | null;
  readonly renderer: Renderer | null;
  readonly additions: Additions;
  /** Null if the user has none. */
  readonly hooks: HookRun | null;
  /** Pages that were settled in this run. */
  settled = 0;
  readonly #parts: EngineParts;
  readonly #wire: WirePlaces;
  #lastResidentBytes = 0;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { plan, settings, clock, store } = parts;
    const { options } = plan.resolved;
    const { snapshot } = parts.opened;
    const keys = new KeyTable(settings.keyBudgetBytes, snapshot.spilledSegments).takeOver(parts.opened.keys);
    this.keys = keys;
    this.seedBook = new SeedBook(parts.seeds);
    if (snapshot.resumed && (snapshot.counts.done ?? 0) > 0) {
      for (const { seed } of parts.seeds) {
        this.seedBook.reached(seed);
      }
    }
    // Slot 0 is the inline lane's.
    this.budget = new ByteBudget(options.parseBufferBytes, settings.lanes + 1);
    this.#wire = new WirePlaces(settings.lanes + 1);
    this.governor = new Governor({
      enabled: options.governor,
      memoryLimitBytes: settings.memoryLimitBytes,
      maxInFlight: options.workers,
    });
    this.hooks = this.#hookRun();
    this.lanes = this.#openLanes(keys);
    this.seeder = this.#openSeeder(snapshot.meta.seeding);
    this.renderer = this.#openRenderer();
    this.frontier = new Frontier({
      options: settings.scheduler,
      clock,
      random: Math.random,
      store,
      snapshot,
      keys,
      traps: this.#traps(snapshot.meta.traps),
      seeds: this.seedBook,
      resolveAddress: (host) => this.lanes.resolve(host),
      ...(this.seeder === null ? {} : { seedOf: (url) => this.seeder!.seedOf(url) }),
      ...(plan.rankOf === undefined ? {} : { rankOf: plan.rankOf }),
      events: this.#frontierEvents(),
    });
    this.disk = new DiskWatch({
      minFreeBytes: options.minFreeDiskBytes,
      freeBytes: () => store.freeBytes(),
      stop: (error) => this.crawl.stop('disk', options.graceMs, error),
    });
    this.limits = this.#limits();
    this.additions = this.#openAdditions();
    this.crawl = this.#loop();
    this.#followCookies();
    store.onDeath = (error) => this.crawl.stop('error', 0, error);
  }

  /** Reading it takes a descriptor: while none is free, the last value stands. */
  residentBytes(): number {
    try {
      this.#lastResidentBytes = process.memoryUsage.rss();
    } catch {
      // Other users of descriptors report their own shortage.
    }
    return this.#lastResidentBytes;
  }

  /** The seed's own scope, as it is when the run begins. */
  scope(): CrawlScope {
    return new CrawlScope(this.#scopeData());
  }

  /** What the other machines of the same crawl may ask of this one. */
  clusterDoors(): ClusterDoors {
    const { store, settings, opened, notices } = this.#parts;
    const { intake } = this.crawl;
    return {
      store: {
        peers: () => store.mailPeers(),
        takeMail: (slot, from, size) => store.takeMail(slot, from, size),
        acknowledgedMail: (slot, seq) => store.acknowledgedMail(slot, seq),
        beginMail: (slot, incarnation, after) => store.beginMail(slot, incarnation, after),
        keep: (meta) => store.keepMeta(meta),
      },
      meta: opened.snapshot.meta,
      scope: () => this.scope(),
      scopeVersion: () => this.frontier.scopeVersion,
      sitemapsAreBeyond: settings.scheduler.sitemapsAreBeyond ?? false,
      widen: (widened) => intake.widen(widened),
      admit: (offers, meta, granted) => intake.admit(offers, meta, granted),
      give: (gifts) => intake.give(gifts),
      grant: () => {
        const { unusedGrant } = this.frontier;
        return unusedGrant === null
          ? null
          : { unused: unusedGrant, waiting: Math.max(0, this.frontier.counts().outstanding - this.crawl.inFlight) };
      },
      endsAt: (at) => this.limits.endsAt(at),
      figures: () => {
        const { done, failed, outstanding } = this.frontier.counts();
        return { done, failed, outstanding, inFlight: this.crawl.inFlight, bytes: this.limits.bytes };
      },
      wake: () => this.crawl.wake(),
      stop: (reason, error) => this.crawl.stop(reason, this.#parts.plan.resolved.options.graceMs, error),
      notice: (text) => notices.add(text, 'words of the connection to Redis'),
    };
  }

  async close(): Promise<void> {
    await this.additions.close();
    await this.seeder?.close();
    await this.renderer?.close();
    this.hooks?.close();
    await this.lanes.close();
    const { cache } = this.#parts.settings.fetch;
    if (cache !== undefined) {
      // Threads that have ended do not count what they wrote, so the cache is cut to its size after each run.
      await sweepCache(cache.directory, cache.maxBytes);
    }
  }

  #scopeData(): CrawlScopeData {
    const { plan, profile, settings, seeds } = this.#parts;
    return { seeds: structuredClone(seeds), ...scopeRules(plan, profile, settings) };
  }

  #loop(): Crawl {
    const { plan, profile, clock, notices, opened, tick, watch } = this.#parts;
    return new Crawl({
      clock,
      frontier: this.frontier,
      lanes: this.lanes,
      budget: this.budget,
      governor: this.governor,
      limits: this.limits,
      graceMs: plan.resolved.options.graceMs,
      events: {
        tick: () => {
          this.disk.tick(clock.now());
          watch.tick();
          tick();
        },
        governed: (decision) => this.#governed(decision),
        answered: ({ status, ttfbMs }) => watch.answered(status, ttfbMs),
        cached: ({ status }) => watch.cached(status),
        laneDied: (_lane, error) =>
          notices.add(`a thread died and was replaced: ${this.#deathWords(error)}`, 'threads that died'),
      },
      ...(this.hooks === null ? {} : { review: this.hooks.review }),
      sources: [...(this.seeder === null ? [] : [this.seeder]), this.additions],
      ...(this.renderer === null ? {} : { rendering: this.renderer }),
      suspects: opened.snapshot.suspects,
      isPaced: plan.resolved.options.delayMs > 0,
      rssBytes: () => this.residentBytes(),
      disk: this.disk,
      ...(profile.cluster === undefined ? {} : { cluster: profile.cluster }),
      ...(plan.placesLeft === undefined ? {} : { placesLeft: plan.placesLeft }),
      handOn: plan.handOn ?? (async () => {}),
    });
  }

  #limits(): Limits {
    const { plan, profile, clock, opened } = this.#parts;
    const { durationMs, secondLookMs, spent } = profile.limits ?? {};
    const { options } = plan.resolved;
    // On several machines both limits are for the whole crawl: the other machines say when they are reached.
    const isAlone = profile.cluster === undefined;
    return new Limits({
      startedAt: clock.now() - (spent?.ms ?? 0),
      durationMs: isAlone ? (durationMs ?? options.durationMs) : null,
      ...(secondLookMs === undefined ? {} : { secondLookMs }),
      maxBytes: isAlone ? options.maxBytes : null,
      bytesBefore: spent?.bytes ?? opened.snapshot.bytes,
    });
  }

  #hookRun(): HookRun | null {
    const { settings, clock, profile } = this.#parts;
    return settings.hooks === null
      ? null
      : new HookRun({
          cookies: (lines) => this.#takeCookies(lines),
          settings: settings.hooks,
          clock,
          laneCount: settings.lanes,
          contentTypes: settings.reader.contentTypes,
          isTogether: profile.cluster !== undefined,
          lanes: () => this.lanes,
          stop: (error) => this.crawl.stop('error', 0, error),
        });
  }

  /** Cookies of the login that the `start` hook made. */
  #takeCookies(lines: readonly { url: string; line: string }[]): void {
    const { cookies, notices } = this.#parts;
    if (cookies === null && lines.length > 0) {
      notices.add('the hook `start` was given cookies, and the crawl keeps none: add --cookies');
    }
    for (const { url, line } of lines) {
      cookies?.set(url, line);
    }
  }

  /** When a thread has used up its memory, a hook that keeps what it has seen is the likely cause. */
  #deathWords({ message, ...error }: Error & { code?: string }): string {
    return this.hooks !== null && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `it has used up its ${this.hooks.maxHeapMib} MiB of memory; do the hooks keep something of every page?`
      : message;
  }

  #openLanes(keys: KeyTable): LanePool {
    const { plan, settings, clock, cookies, openJar, notices } = this.#parts;
    const openings = new LaneOpenings({
      fetchOptions: settings.fetch,
      clock,
      setupOf: (lane) => this.#laneSetup(lane, keys),
      fetch: plan.fetch,
      resolve: plan.resolve,
      guardsFetch: plan.guardsFetch ?? false,
      ...(openJar === null ? {} : { openJar }),
      ...(this.hooks === null ? {} : { maxHeapMib: this.hooks.maxHeapMib }),
    });
    return new LanePool(
      {
        lanes: settings.lanes,
        wire: this.#wire,
        sockets: settings.fetch.maxSockets,
        openInline: (lane, listener) => openings.here(lane, listener),
        openThread: openings.canUseThreads
          ? (lane, listener, sockets) => openings.inThread(lane, listener, sockets)
          : null,
        isWorthThreads: () => this.hooks !== null || this.frontier.counts().outstanding >= URLS_WORTH_THREADS,
        ...(cookies === null ? {} : { cookies }),
        ...(this.hooks === null ? {} : { hookWatch: this.hooks.watch }),
      },
      keys,
      {
        headers: (ids, ats) => this.crawl.headers(ids, ats),
        outcomes: (outcomes) => this.crawl.arrived(outcomes),
        piece: (piece, answer) => this.crawl.intake.piece(piece, answer),
        cookies: (changes) => cookies?.changed(changes),
        strayThrow: (words) =>
          notices.add(
            `the hook module threw outside its hooks, in a timer or a promise that nobody waits for: ${words}`,
            'throws outside hooks',
          ),
      },
    );
  }

  #followCookies(): void {
    const { cookies, store, notices } = this.#parts;
    if (cookies === null) {
      return;
    }
    cookies.onSet = (site, set) => this.lanes.putCookies(site, set);
    cookies.onFull = (words) => notices.add(words);
    cookies.onChanges = (changes) => {
      if (changes.length > 0) {
        store.keepCookies(changes).catch((error: Error) => this.crawl.stop('error', 0, error));
      }
    };
  }

  #laneSetup(lane: number, keys: KeyTable): LaneSetup {
    const { plan, profile, settings } = this.#parts;
    const { options } = plan.resolved;
    return {
      lane,
      keepsCookies: this.#parts.cookies !== null,
      archives: archiveMark(this.#parts.opened.snapshot.meta) !== null,
      reader: settings.reader,
      identity: identityOf(plan),
      ...(profile.aliases === undefined ? {} : { aliases: profile.aliases }),
      scope: this.#scopeData(),
      robotsTimeoutMs: options.robotsTimeoutMs,
      segments: [...keys.segments],
      budgetSlots: this.budget.slots,
      wireCells: this.#wire.cells,
      budgetLimit: options.parseBufferBytes,
      ...(this.hooks === null ? {} : { hooks: this.hooks.setup }),
      ...(this.#parts.since === null ? {} : { since: this.#parts.since }),
      ...(profile.cluster === undefined ? {} : { sendUntil: profile.cluster.sendUntil }),
    };
  }

  #openAdditions(): Additions {
    const { plan, profile, notices } = this.#parts;
    return new Additions({
      directory: profile.takesMail === true ? plan.directory : null,
      identity: identityOf(plan),
      ownKeys: plan.resolve !== undefined,
      ranks: plan.resolved.options.order === 'priority',
      scopeVersion: () => this.frontier.scopeVersion,
      scope: () => this.scope(),
      admit: (offers) => this.crawl.intake.admit(offers),
      notice: (text) => notices.add(text, 'lists of URLs that were added'),
      rests: () => this.crawl.wake(),
    });
  }

  /** Null if no third party is to be asked. */
  #openSeeder(kept: string | undefined): Seeder | null {
    const { plan, settings, clock, seeds, notices } = this.#parts;
    return openSeeder({
      options: plan.resolved.options,
      settings,
      clock,
      seeds,
      scope: this.scope(),
      identity: identityOf(plan),
      kept,
      admit: (offers, meta) => this.crawl.intake.admit(offers, meta),
      resolve: (host) => this.lanes.resolve(host),
      notice: (text) => notices.add(text),
      ended: (error) => (error === null ? this.crawl.wake() : this.crawl.stop('error', 0, error)),
    });
  }

  /** Null if no browser is used. */
  #openRenderer(): Renderer | null {
    const { profile, settings, store, notices, shapes } = this.#parts;
    const manners = new HostManners(settings.reader);
    if (profile.browser === undefined || shapes === null || !manners.rendersAny) {
      return null;
    }
    const scope = this.scope();
    return openRenderer({
      manners,
      keepsBodies: settings.reader.keepsBodies,
      browser: profile.browser,
      store,
      shapes: shapes.facts,
      waitingAtStart: shapes.waiting,
      hold: (holds) => this.frontier.holdPages(holds),
      admit: (offers) => this.crawl.intake.admit(offers),
      isTrap: (url) => scope.trap(url) !== null,
      isGuarded: (origin) => this.#isGuarded(origin),
      read: (page) => this.lanes.read(page),
      showsAll: this.hooks !== null || settings.reader.handsOnBodies,
      rendered: (pages) => this.#rendered(this.hooks?.reviewRendered(pages) ?? pages),
      notice: (text) => notices.add(text),
      changed: (error) => (error === null ? this.crawl.wake() : this.crawl.stop('error', 0, error)),
    });
  }

  /** When bodies are not kept, a page's record describes the rendered page. */
  get #tellsLate(): boolean {
    const { reader } = this.#parts.settings;
    return new HostManners(reader).rendersAny && !reader.keepsBodies;
  }

  async #rendered(pages: RenderedOutcome[]): Promise<void> {
    if (pages.length > 0) {
      await this.crawl.intake.rendered(pages, () => this.#tellSeen(pages));
    }
  }

  async #tellSeen(pages: readonly RenderedOutcome[]): Promise<void> {
    const { plan, store, watch } = this.#parts;
    for (const { page, outcome, asItCame } of pages) {
      const read = outcome ?? asItCame;
      if (read?.errorClass === 'hook') {
        watch.failed(page.url, 'hook', read.status, read.message);
      }
    }
    if (this.#tellsLate && plan.events.seen !== undefined) {
      const ids = pages.map(({ page }) => page.id);
      const bodies = new Map(pages.map(({ page, outcome, asItCame }) => [page.url, (outcome ?? asItCame)?.body]));
      const seen = await store.seen(ids, plan.listensToEdges ?? false);
      plan.events.seen(seen.map((each) => ({ ...each, body: bodies.get(each.page.url) ?? null })));
    }
  }

  /** Whether this origin gets something that only the user has: a header, a certificate, a cookie. */
  #isGuarded(origin: string): boolean {
    const { settings, cookies } = this.#parts;
    const { clientCertificates = {} } = settings.fetch;
    const hasCookies = cookies !== null && cookies.cookiesOf(cookies.siteOf(origin)).length > 0;
    return hasCookies || (headersTo(settings.fetch)?.(origin) ?? false) || clientCertificates[origin] !== undefined;
  }

  #traps(kept: string | undefined): TrapWatch {
    const { maxQueryVariants, maxShapeVariants, allowTraps } = this.#parts.plan.resolved.options;
    const watch = { maxQueryVariants, maxShapeVariants, allow: [...allowTraps] };
    return kept === undefined ? new TrapWatch(watch) : TrapWatch.fromJSON(JSON.parse(kept), watch);
  }

  #governed(decision: GovernorDecision): void {
    const { notices, plan, watch } = this.#parts;
    watch.governed(decision.limit, decision.cause);
    notices.add(`governor: ${decision.limit} in flight (${decision.cause})`, 'decisions of the governor');
    if (decision.dropCaches) {
      this.lanes.dropCaches();
    }
    if (decision.collect) {
      collectGarbage();
    }
    plan.events.governed?.(decision);
  }

  #notePages(pages: readonly SettledPage[]): void {
    const { watch } = this.#parts;
    for (const { url, state, reason, outcome } of pages) {
      watch.kept(outcome.page?.bytes ?? 0);
      if (state === 'failed') {
        watch.failed(url, reason ?? 'internal', outcome.status, outcome.message);
      }
    }
    if (watch.events.wants('page_done')) {
      this.#tellPages(pages);
    }
  }

  #tellPages(pages: readonly SettledPage[]): void {
    const { events } = this.#parts.watch;
    for (const { url, state, reason, depth, outcome } of pages) {
      const { status, ttfbMs, page } = outcome;
      if (state === 'done') {
        events.tell('page_done', `${url} is done`, { url, status, depth, ttfbMs, bytes: page?.bytes ?? 0 });
      } else if (state === 'skipped') {
        events.tell('page_skipped', `${url} is skipped: ${reason}`, { url, reason });
      }
    }
  }

  #frontierEvents(): FrontierEvents {
    const { plan, profile, settings, notices, watch } = this.#parts;
    const words = frontierWords(
      notices,
      plan.resolved.options,
      settings.scheduler.asksTraps === true,
      headersTo(settings.fetch),
    );
    return {
      ...words,
      scopeGrew: (seed) => {
        this.lanes.widenScope(this.frontier.scopeVersion, seed.seed, seed.scopeUrls);
        this.seeder?.widened(seed);
        words.scopeGrew(seed);
      },
      retryLater: (url, status, why, afterMs) => {
        watch.events.tell('retry', `${url} is asked for again: ${why}`, { url, status, why, afterMs });
        plan.events.retryLater?.(url, status, why, afterMs);
      },
      sitemapRead: (url, urls) => {
        watch.events.tell('sitemap_read', `${url} names ${urls} URLs`, { url, urls });
        plan.events.sitemapRead?.(url, urls);
      },
      assets: (ids, others) => this.renderer?.assetsSettled(ids, others),
      settled: (pages) => {
        this.settled += pages.length;
        this.#notePages(pages);
        this.renderer?.settled(pages);
        plan.events.settled?.(this.#tellsLate ? pages.filter((page) => !waitsForBrowser(page)) : pages);
      },
      retuned: (host, limit) => this.crawl.room.retuned(host, limit),
      recall: (host) => this.lanes.recall(host),
      ...(profile.cluster === undefined ? {} : { posted: (mail) => profile.cluster!.posted(mail) }),
      originsLeft: (origins) => this.lanes.forgetRules(origins),
      wake: () => this.crawl.wake(),
    };
  }
}

const waitsForBrowser = ({ state, outcome }: SettledPage): boolean =>
  state === 'done' && outcome.measured?.needsBrowser === true;

/** What is in scope besides what the seeds open. */
export function scopeRules(
  { resolved: { options }, resolve }: SessionPlan,
  { scope, cluster }: CrawlProfile,
  { scheduler }: EngineSettings,
): Omit<CrawlScopeData, 'seeds'> {
  return {
    patterns: scopePatterns(options),
    maxDepth: options.depth,
    traps: {
      maxUrlLength: options.maxUrlLength,
      maxPathSegments: options.maxPathSegments,
      maxSegmentRepeats: options.maxSegmentRepeats,
      maxQueryVariants: options.maxQueryVariants,
      maxShapeVariants: options.maxShapeVariants,
      allow: [...options.allowTraps],
    },
    ownKeys: resolve !== undefined,
    external: options.external,
    checksBeyond: false,
    ignore: [],
    surveys: false,
    onlyLocal: null,
    seeksSitemaps: scheduler.seekSitemaps,
    ...(cluster === undefined ? {} : { seat: cluster.seat }),
    ...scope,
  };
}

function identityOf({ resolved }: SessionPlan): IdentityOptions {
  const { stripQuery, stripTracking, sortQuery } = resolved.options;
  return { stripQuery, stripTracking, sortQuery };
}

/** V8 has a collection on demand only behind a flag, which may be set while it runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
