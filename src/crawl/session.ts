import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, systemClock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import { type ExportFormat, isExport, type ReportTarget } from '../config/option-spec.js';
import { optionsToStore } from '../config/stored.js';
import { VERSION } from '../config/version.js';
import { EmbeddedFrontier } from '../frontier/embedded/embedded-frontier.js';
import type { FrontierEvents } from '../frontier/embedded/frontier-state.js';
import { KeyTable } from '../frontier/embedded/key-table.js';
import { knownOffers, namedOffers, SeedBook } from '../frontier/seed-book.js';
import { leaveCrashNote } from '../store/crash-note.js';
import type { SeedRow } from '../store/transaction.js';
import type { IdentityOptions } from '../url/identity.js';
import { TrapWatch } from '../url/traps.js';
import { ByteBudget } from './byte-budget.js';
import { Crawl, type CrawlEnd } from './crawl.js';
import { CrawlScope, type CrawlScopeData } from './crawl-scope.js';
import { frontierWords } from './crawl-words.js';
import { DiskWatch } from './disk-watch.js';
import { Governor, type GovernorDecision } from './governor.js';
import type { LaneSetup } from './lane.js';
import { LaneOpenings } from './lane-openings.js';
import { LanePool } from './lane-pool.js';
import { layerFacts } from './layers.js';
import { type EndReason, Limits } from './limits.js';
import { Notices } from './notices.js';
import { openRenderer } from './open-renderer.js';
import { openSeeder } from './open-seeder.js';
import type { Renderer } from './renderer.js';
import type { Seeder } from './seeder.js';
import type { SessionPlan, SessionResult } from './session-plan.js';
import { checkSettings, docsSettings, type EngineSettings, engineSettings, surveySettings } from './settings.js';
import type { StoreOpened } from './threads/store-host.js';
import { StoreThread } from './threads/store-thread.js';

/** V8 has a collection on demand only behind a flag, which may be set while it runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Codes of errors of the store that a page may have caused; all others are the machine's. */
const OF_A_PAGE: ReadonlySet<string> = new Set(['store_defect', 'store_died', 'illegal_move']);
const SEEDS_A_COMMIT = 5_000;
/** From so many known URLs on a crawl gets threads: a small site is done before they have started. */
const URLS_WORTH_THREADS = 64;

/** One run of a crawl, from the open store to the written outputs: puts the parts together and takes them apart again. */
export class CrawlSession {
  readonly #plan: SessionPlan;
  readonly settings: EngineSettings;
  readonly #clock: Clock;
  #store!: StoreThread;
  readonly #seeds: SeedRow[];
  readonly #notices: Notices;
  #crawl!: Crawl;
  #frontier!: EmbeddedFrontier;
  #lanes!: LanePool;
  #budget!: ByteBudget;
  #governor!: Governor;
  #seedBook!: SeedBook;
  #opened!: StoreOpened;
  #startedAt = 0;
  #lastResidentBytes = 0;
  #disk!: DiskWatch;
  #limits!: Limits;
  #seeder: Seeder | null = null;
  #renderer: Renderer | null = null;

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    this.#notices = new Notices((text) => plan.events.notice?.(text));
    this.#clock = plan.clock ?? systemClock;
    this.#seeds = plan.seeds ?? plan.storedSeeds ?? [];
    const settings = engineSettings({
      options: plan.resolved.options,
      delayIsDefault: plan.resolved.sources.delayMs === 'default',
      seeds: this.#seeds,
      credentials: plan.credentials ?? new Map(),
      listensToEdges: plan.listensToEdges ?? false,
    });
    this.settings =
      plan.preview !== undefined
        ? surveySettings(settings, plan.preview)
        : plan.check !== undefined
          ? checkSettings(settings, plan.check)
          : plan.docs !== undefined
            ? docsSettings(settings, plan.docs)
            : settings;
  }

  /** Opens the store and the frontier. Nothing is fetched yet. */
  async open(): Promise<void> {
    const { resolved, directory, seeds } = this.#plan;
    const { options } = resolved;
    for (const notice of this.settings.notices) {
      this.#notices.add(notice);
    }
    // Not before: whoever is refused while the plan is read leaves no thread behind that keeps the process alive.
    this.#store = StoreThread.take();
    try {
      if (this.settings.reader.render === 'always') {
        await this.#plan.docs?.browser.start();
      }
      this.#opened = await this.#store.open({
        directory,
        create: seeds !== null,
        meta: {
          version: VERSION,
          options: JSON.stringify(optionsToStore(resolved, this.#command)),
          startedAt: String(this.#clock.wall()),
          maxRedirects: String(options.maxRedirects),
          ignoredRobots: String(options.ignoreRobots),
          userAgent: this.settings.userAgent,
          anchorText: String(options.anchorText),
          customFetch: String(this.#plan.fetch !== undefined),
          ownKeys: String(this.#plan.resolve !== undefined),
          command: this.#command,
          ...this.#plan.check?.meta,
          ...this.#plan.docs?.meta,
        },
        seeds: this.#seeds,
        badSeeds: this.#plan.badSeeds ?? [],
        reports: this.#reports(),
        hasOutputs: this.#plan.check === undefined && this.#plan.docs === undefined && this.#plan.preview === undefined,
        rendersAll: this.settings.reader.render === 'always',
        scope: this.#scope(),
        pid: process.pid,
        wall: this.#clock.wall(),
        hostsInMemory: options.readyHeapLimit,
        keyBudgetBytes: this.settings.keyBudgetBytes,
        expectedUrls: options.expectedUrls,
        falsePositiveRate: options.fpRate,
        lookupBatch: options.fpCheckLimit,
      });
      this.#renderer = await this.#openRenderer();
      this.#build();
      await this.#disk.checkAtStart();
    } catch (error) {
      await this.#store.close();
      throw error;
    }
  }

  /** Runs to its end and writes the outputs. */
  async run(): Promise<SessionResult> {
    this.#startedAt = this.#clock.now();
    try {
      // Of a resumed crawl too: its last run may have been killed before it had put all of them down.
      for (const offers of this.#seedBook.first(SEEDS_A_COMMIT)) {
        await this.#frontier.admit(offers);
      }
      for (const offers of knownOffers(this.#knownOutside(), SEEDS_A_COMMIT)) {
        await this.#frontier.admit(offers);
      }
      await this.#openFurther();
      const ending = this.#crawl.run();
      this.#seeder?.start();
      const end = await ending;
      return await this.#finish(end);
    } finally {
      await this.#seeder?.close();
      await this.#renderer?.close();
      await this.#lanes.close();
      await this.#store.close();
    }
  }

  /** What has come into scope since the last session of a corpus. */
  async #openFurther(): Promise<void> {
    const { widened = new Map<number, string[]>(), named = [] } = this.#plan.docs ?? {};
    for (const [seed, urls] of widened) {
      await this.#frontier.widen(seed, urls);
    }
    const scope = new CrawlScope({ seeds: structuredClone(this.#seeds), ...this.#scope() });
    for (const offers of namedOffers(
      named,
      (url) => (scope.keptForm(url) === url ? scope.seedOf(url) : -1),
      SEEDS_A_COMMIT,
    )) {
      await this.#frontier.admit(offers);
    }
  }

  *#knownOutside(): IterableIterator<string> {
    const scope = new CrawlScope({ seeds: structuredClone(this.#seeds), ...this.#scope() });
    for (const url of this.#plan.check?.known ?? []) {
      if (!scope.admits(url)) {
        yield url;
      }
    }
  }

  stop(reason: EndReason, graceMs: number): void {
    this.#crawl.stop(reason, graceMs);
  }

  wake(): void {
    this.#crawl.wake();
  }

  get notices(): readonly string[] {
    return this.#notices.kept;
  }

  stats() {
    const counts = this.#frontier.counts();
    return {
      ...counts,
      inFlight: this.#crawl.inFlight,
      elapsedMs: this.#clock.now() - this.#startedAt,
      requests: this.#crawl.use.requests,
      bytes: this.#crawl.use.bytes,
      heldBytes: this.#budget.held,
      governorLimit: this.#governor.limit,
      waitingFor: this.#frontier.waitingFor(),
      /** Third parties that are asked for URLs, and what about; null where none is. */
      seeding: this.#seeder?.waitsFor ?? null,
      /** Pages that a browser is at. */
      rendering: this.#renderer?.visiting ?? 0,
      isStopping: this.#crawl.isStopping,
      isDiskLow: this.#disk.isLow,
      /** When a limit ends the run; Infinity where none does. */
      endsAt: this.#limits.deadline,
      now: this.#clock.now(),
    };
  }

  /** What second looks have taken, beyond everything else. */
  get secondLookMs(): number {
    return this.#limits.secondLookMs(this.#clock.now());
  }

  get snapshot(): StoreOpened['snapshot'] {
    return this.#opened.snapshot;
  }

  async #finish(end: CrawlEnd): Promise<SessionResult> {
    const { options } = this.#plan.resolved;
    this.#leaveCrashNote(end);
    const storeAlive = !(end.error instanceof StateError && /^(?:store|disk_full)/.test(end.error.code));
    if (!storeAlive) {
      throw end.error;
    }
    await this.#frontier.close(end.reason);
    const missed = this.#renderer?.missed ?? null;
    // It is said once, when all pages are there.
    if (missed !== null && this.#plan.docs?.surveys !== true) {
      this.#notices.add(missed);
    }
    const counts = this.#frontier.counts();
    const summary = await this.#store.finish({
      facts: {
        reason: end.reason,
        truncated: end.truncated,
        settled: this.#settled,
        refetched: counts.refetched,
        requests: this.#crawl.use.requests,
        retries: counts.retries,
        parseMs: this.#crawl.use.parseMs,
        peakMemoryBytes: Math.max(this.#crawl.use.peakRssBytes, this.#residentBytes()),
        durationMs: this.#clock.now() - this.#startedAt,
        layers: await this.layers(),
        ignoredRobots: options.ignoreRobots,
        robotsUnreachable: options.robotsUnreachable,
        seeding: this.#seeder?.facts ?? [],
        notices: this.#notices.kept,
      },
      reports: this.#reports(),
      wall: this.#clock.wall(),
    });
    if (end.error !== null) {
      throw end.error;
    }
    if (this.#plan.rest !== undefined) {
      await this.#tellRest(this.#plan.rest);
    }
    // Seeds that redirect in circles fail only once the chain is looked at as a whole.
    const nothingReached = end.reason === 'complete' && summary.done === 0;
    const allSeedsFailed = this.#seedBook.allFailed || nothingReached;
    const survey = this.#plan.preview === undefined ? null : await this.#store.survey(this.#plan.preview.question);
    return { end, summary, seeds: this.#seedBook.fates, allSeedsFailed, survey };
  }

  /** Where it is not the machine that failed: what was being settled is fetched alone by the next run. */
  #leaveCrashNote({ error, settling }: CrawlEnd): void {
    const isOfMachine = error instanceof StateError && !OF_A_PAGE.has(error.code);
    if (error !== null && !isOfMachine && settling.length > 0 && this.#plan.directory !== null) {
      leaveCrashNote(this.#plan.directory, settling);
    }
  }

  async #tellRest(rest: NonNullable<SessionPlan['rest']>): Promise<void> {
    for (let beyond = 0; ; ) {
      const { pages, last } = await this.#store.unasked(beyond);
      if (last === null) {
        return;
      }
      await rest(pages);
      beyond = last;
    }
  }

  async layers() {
    return layerFacts({
      options: this.#plan.resolved.options,
      settings: this.settings,
      crawl: this.#crawl,
      frontier: this.#frontier,
      lanes: this.#lanes,
      governor: this.#governor,
      store: await this.#store.use(),
    });
  }

  #settled = 0;

  #build(): void {
    const { resolved, events } = this.#plan;
    const { options } = resolved;
    const { snapshot, keys: keyData } = this.#opened;
    const keys = new KeyTable(this.settings.keyBudgetBytes, snapshot.spilledSegments).takeOver(keyData);
    this.#seedBook = new SeedBook(this.#seeds);
    if (snapshot.resumed && (snapshot.counts.done ?? 0) > 0) {
      for (const { seed } of this.#seeds) {
        this.#seedBook.reached(seed);
      }
    }
    // Slot 0 is the inline lane's.
    this.#budget = new ByteBudget(options.parseBufferBytes, this.settings.lanes + 1);
    this.#governor = new Governor({
      enabled: options.governor,
      memoryLimitBytes: this.settings.memoryLimitBytes,
      maxInFlight: options.workers,
    });
    const openings = new LaneOpenings({
      settings: this.settings,
      clock: this.#clock,
      setupOf: (lane) => this.#laneSetup(lane, keys),
      fetch: this.#plan.fetch,
      resolve: this.#plan.resolve,
      guardsFetch: this.#plan.guardsFetch ?? false,
    });
    this.#lanes = new LanePool(
      {
        lanes: this.settings.lanes,
        sockets: this.settings.fetch.maxSockets,
        openInline: (lane, listener) => openings.here(lane, listener),
        openThread: openings.canUseThreads
          ? (lane, listener, sockets) => openings.inThread(lane, listener, sockets)
          : null,
        isWorthThreads: () => this.#frontier.counts().outstanding >= URLS_WORTH_THREADS,
      },
      keys,
      {
        headers: (ids, ats) => this.#crawl.headers(ids, ats),
        outcomes: (outcomes) => this.#crawl.came(outcomes),
        piece: (piece, answer) => this.#crawl.piece(piece, answer),
      },
    );
    this.#seeder = this.#openSeeder(snapshot.meta.seeding);
    this.#frontier = new EmbeddedFrontier({
      options: this.settings.scheduler,
      clock: this.#clock,
      random: Math.random,
      store: this.#store,
      snapshot,
      keys,
      traps: this.#traps(snapshot.meta.traps),
      seeds: this.#seedBook,
      resolveAddress: (host) => this.#lanes.resolve(host),
      ...(this.#seeder === null ? {} : { seedOf: (url) => this.#seeder!.seedOf(url) }),
      events: this.#frontierEvents(),
    });
    this.#disk = new DiskWatch({
      minFreeBytes: options.minFreeDiskBytes,
      freeBytes: () => this.#store.freeBytes(),
      stop: (error) => this.#crawl.stop('disk', options.graceMs, error),
    });
    this.#limits = new Limits({
      startedAt: this.#clock.now() - (this.#plan.docs?.spent.ms ?? 0),
      durationMs: this.#plan.check?.round?.durationMs ?? options.durationMs,
      ...(this.#plan.check === undefined ? {} : { secondLookMs: this.#plan.check.secondLookMs }),
      maxBytes: options.maxBytes,
      bytesBefore: this.#plan.docs?.spent.bytes ?? snapshot.bytes,
    });
    this.#crawl = new Crawl({
      clock: this.#clock,
      frontier: this.#frontier,
      lanes: this.#lanes,
      budget: this.#budget,
      governor: this.#governor,
      limits: this.#limits,
      graceMs: options.graceMs,
      events: {
        tick: () => {
          this.#disk.tick(this.#clock.now());
          events.tick?.(this);
        },
        governed: (decision) => this.#governed(decision),
        laneDied: (_lane, error) =>
          this.#notices.add(`a thread died and was replaced: ${error.message}`, 'threads that died'),
      },
      ...(this.#seeder === null ? {} : { seeding: this.#seeder }),
      ...(this.#renderer === null ? {} : { rendering: this.#renderer }),
      suspects: snapshot.suspects,
      rssBytes: () => this.#residentBytes(),
      isHeldBack: () => this.#disk.isLow || (this.#plan.placesLeft?.() ?? 1) <= 0,
      ...(this.#plan.placesLeft === undefined ? {} : { placesLeft: this.#plan.placesLeft }),
      handOn: this.#plan.handOn ?? (async () => {}),
    });
    this.#store.onDeath = (error) => this.#crawl.stop('error', 0, error);
  }

  /** To read it takes a descriptor: while there is none, what was read last stands. */
  #residentBytes(): number {
    try {
      this.#lastResidentBytes = process.memoryUsage.rss();
    } catch {
      // Whatever else needs one says so.
    }
    return this.#lastResidentBytes;
  }

  /** Null where no third party is to be asked. */
  #openSeeder(kept: string | undefined): Seeder | null {
    return openSeeder({
      options: this.#plan.resolved.options,
      settings: this.settings,
      clock: this.#clock,
      seeds: this.#seeds,
      scope: new CrawlScope({ seeds: structuredClone(this.#seeds), ...this.#scope() }),
      identity: this.#identity(),
      kept,
      admit: (offers, meta) => this.#crawl.admit(offers, meta),
      resolve: (host) => this.#lanes.resolve(host),
      notice: (text) => this.#notices.add(text),
      ended: (error) => (error === null ? this.#crawl.wake() : this.#crawl.stop('error', 0, error)),
    });
  }

  /** Null where no browser is to see any page. */
  async #openRenderer(): Promise<Renderer | null> {
    const { docs } = this.#plan;
    if (docs === undefined) {
      return null;
    }
    const scope = new CrawlScope({ seeds: structuredClone(this.#seeds), ...this.#scope() });
    return openRenderer({
      mode: this.settings.reader.render,
      browser: docs.browser,
      store: this.#store,
      admit: (offers) => this.#crawl.admit(offers),
      isTrap: (url) => scope.trap(url) !== null,
      isGuarded: (origin) => this.settings.fetch.originHeaders[origin] !== undefined,
      read: (page) => this.#lanes.read(page),
      rendered: (pages) => this.#crawl.rendered(pages),
      notice: (text) => this.#notices.add(text),
      changed: (error) => (error === null ? this.#crawl.wake() : this.#crawl.stop('error', 0, error)),
    });
  }

  #traps(kept: string | undefined): TrapWatch {
    const { maxQueryVariants, maxShapeVariants, allowTraps } = this.#plan.resolved.options;
    const watch = { maxQueryVariants, maxShapeVariants, allow: [...allowTraps] };
    return kept === undefined ? new TrapWatch(watch) : TrapWatch.fromJSON(JSON.parse(kept), watch);
  }

  #governed(decision: GovernorDecision): void {
    this.#notices.add(`governor: ${decision.limit} in flight (${decision.cause})`, 'decisions of the governor');
    if (decision.dropCaches) {
      this.#lanes.dropCaches();
    }
    if (decision.collect) {
      collectGarbage();
    }
    this.#plan.events.governed?.(decision);
  }

  #frontierEvents(): FrontierEvents {
    const { options } = this.#plan.resolved;
    const { originHeaders } = this.settings.fetch;
    const hasSecrets = Object.keys(originHeaders).length > 0;
    const words = frontierWords(
      this.#notices,
      options,
      this.settings.scheduler.asksTraps === true,
      hasSecrets ? (origin) => originHeaders[origin] !== undefined : null,
    );
    return {
      ...words,
      scopeGrew: (seed) => {
        this.#lanes.widenScope(this.#frontier.scopeVersion, seed.seed, seed.scopeUrls);
        this.#seeder?.widened(seed);
        words.scopeGrew(seed);
      },
      retryLater: (...retry) => this.#plan.events.retryLater?.(...retry),
      sitemapRead: (url, urls) => this.#plan.events.sitemapRead?.(url, urls),
      assets: (ids, others) => this.#renderer?.assetsSettled(ids, others),
      settled: (pages) => {
        this.#settled += pages.length;
        this.#renderer?.settled(pages);
        this.#plan.events.settled?.(pages);
      },
      originsLeft: (origins) => this.#lanes.forgetRules(origins),
      wake: () => this.#crawl.wake(),
    };
  }

  get #command(): 'crawl' | 'check' | 'docs' {
    return this.#plan.check !== undefined ? 'check' : this.#plan.docs !== undefined ? 'docs' : 'crawl';
  }

  /** Those of a check are made of verdicts, not by the store's thread. */
  #reports(): ReportTarget<ExportFormat>[] {
    return this.#command === 'crawl' ? this.#plan.resolved.options.reports.filter(isExport) : [];
  }

  #scope(): Omit<CrawlScopeData, 'seeds'> {
    const { options } = this.#plan.resolved;
    return {
      patterns: { include: [...options.include], exclude: [...options.exclude] },
      maxDepth: options.depth,
      traps: {
        maxUrlLength: options.maxUrlLength,
        maxPathSegments: options.maxPathSegments,
        maxSegmentRepeats: options.maxSegmentRepeats,
        maxQueryVariants: options.maxQueryVariants,
        maxShapeVariants: options.maxShapeVariants,
        allow: [...options.allowTraps],
      },
      ownKeys: this.#plan.resolve !== undefined,
      external: options.external,
      checksBeyond: this.#plan.check !== undefined,
      ignore: this.#plan.check?.ignore ?? [],
      surveys: this.#plan.docs?.surveys ?? false,
      onlyLocal: this.#plan.check?.offline === true ? this.#plan.check.folders : null,
      seeksSitemaps: this.settings.scheduler.seekSitemaps,
    };
  }

  #identity(): IdentityOptions {
    const { stripQuery, stripTracking, sortQuery } = this.#plan.resolved.options;
    return { stripQuery, stripTracking, sortQuery };
  }

  #laneSetup(lane: number, keys: KeyTable): LaneSetup {
    const { options } = this.#plan.resolved;
    return {
      lane,
      reader: this.settings.reader,
      identity: this.#identity(),
      ...(this.#plan.check === undefined ? {} : { aliases: this.#plan.check.aliases }),
      scope: { seeds: structuredClone(this.#seeds), ...this.#scope() },
      robotsTimeoutMs: options.robotsTimeoutMs,
      segments: [...keys.segments],
      budgetSlots: this.#budget.slots,
      budgetLimit: options.parseBufferBytes,
    };
  }
}
