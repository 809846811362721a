import { type Clock, systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { type ExportFormat, isExport, type ReportTarget } from '../config/option-spec.js';
import type { CrawlOptions } from '../config/options.js';
import { optionsToStore } from '../config/stored.js';
import { VERSION } from '../config/version.js';
import type { Frontier } from '../frontier/frontier.js';
import { assetOffers, knownOffers, namedOffers } from '../frontier/outcome.js';
import { prepareExtraction } from '../lane/extraction-door.js';
import { HostManners } from '../lane/host-manners.js';
import { loadJars } from '../lane/lane-cookies.js';
import type { LanePool } from '../lane/lane-pool.js';
import type { LayerFacts } from '../report/summary.js';
import { leaveCrashNote } from '../store/directory.js';
import type { SeedRow } from '../store/transaction.js';
import { isForeignTo } from '../url/slots.js';
import type { LiveSnapshot, RunControls } from '../watch/live.js';
import { RunWatch } from '../watch/run-watch.js';
import { type ArchiveWeb, openArchiveWeb, refuseWithArchive } from './archive-web.js';
import {
  CookieBook,
  type CookieJar,
  readCookieFile,
  refuseUnwritableCookieFile,
  writeCookieFile,
} from './cookie-book.js';
import type { Crawl } from './crawl.js';
import type { CrawlEnd, EndReason } from './ending.js';
import { Engine, scopeRules } from './engine.js';
import type { Governor } from './governor.js';
import { withoutWaiting } from './kept-pages.js';
import { Notices } from './notices.js';
import {
  type CrawlProfile,
  PLAIN_CRAWL,
  type RunningSession,
  renderingCrawl,
  type SessionResult,
  type SessionStats,
} from './profile.js';
import type { Browser } from './render/browser.js';
import { browserFor } from './renderer.js';
import type { SessionPlan } from './session-plan.js';
import { type EngineSettings, engineSettings } from './settings.js';
import { openSince, refuseMissingSince } from './since.js';
import type { StoreOpened, StoreSetup, StoreUse } from './store-host.js';
import { StoreThread } from './store-thread.js';
import { WatchedSession } from './watched-session.js';

/** Codes of store errors that a page may have caused; the machine causes all others. */
const OF_A_PAGE: ReadonlySet<string> = new Set(['store_defect', 'store_died', 'illegal_move']);

const SEEDS_A_COMMIT = 5_000;

interface SessionParts {
  plan: SessionPlan;
  profile: CrawlProfile;
  settings: EngineSettings;
  seeds: SeedRow[];
  clock: Clock;
  notices: Notices;
  store: StoreThread;
  opened: StoreOpened;
  watch: RunWatch;
  /** The browser of a plain crawl that renders; null if there is none, or if it belongs to a command. */
  ownBrowser: Browser | null;
  cookies: CookieBook | null;
  /** The archives that replace the web; null if there are none. */
  web: ArchiveWeb | null;
}

/** One run of a crawl: it opens the store, runs the loop to its end, and has the outputs written. */
export class CrawlSession implements RunningSession {
  readonly #parts: SessionParts;
  readonly #engine: Engine;
  #startedAt = 0;

  private constructor(parts: SessionParts, engine: Engine) {
    this.#parts = parts;
    this.#engine = engine;
  }

  /** Opens the store and puts the engine together. Nothing is fetched yet. */
  static async open(plan: SessionPlan): Promise<CrawlSession> {
    const seeds = plan.seeds ?? plan.storedSeeds ?? [];
    const clock = plan.clock ?? systemClock;
    const own = plan.profile === undefined ? ownBrowser(plan, clock) : null;
    const profile = plan.profile ?? (own === null ? PLAIN_CRAWL : renderingCrawl(plan.resolved.options, own));
    const settings = settingsOf(plan, profile, seeds);
    refuseWithArchives(plan);
    await prepareExtraction(settings.reader.extract);
    const { options } = plan.resolved;
    const watch =
      plan.watch ??
      new RunWatch({
        command: profile.command,
        directory: plan.directory,
        clock,
        maxUrls: options.maxUrls,
        stop: () => session.stop('interrupted', options.graceMs),
      });
    if (plan.watch === undefined) {
      plan.events.watched?.(watch);
    }
    const notices = new Notices((text, code, trap) => {
      // The governor's decisions are reported with their figures.
      if (code !== 'governed') {
        watch.notice(text, code, trap);
      }
      plan.events.notice?.(text);
    });
    for (const notice of settings.notices) {
      notices.add(notice);
    }
    const openJar = keepsCookies(options) ? await loadJars() : null;
    const file = options.cookieJar === null ? null : readCookieFile(options.cookieJar);
    if (options.cookieJar !== null) {
      refuseUnwritableCookieFile(options.cookieJar);
    }
    refuseMissingSince(plan);
    // This comes only now, so that a plan that is refused leaves no thread behind that keeps the process alive.
    const store = StoreThread.take();
    let session: CrawlSession;
    try {
      const manners = new HostManners(settings.reader);
      if (manners.needsBrowser) {
        await profile.browser?.start();
      }
      const since = await openSince(plan, settings, (directory) => store.earlier(directory));
      for (const notice of since.notices) {
        notices.add(notice);
      }
      const opened = await store.open(storeSetup(plan, profile, settings, seeds, clock.wall()));
      const web = options.from.length === 0 ? null : await openArchiveWeb(options, plan.directory);
      for (const notice of web?.notices ?? []) {
        notices.add(notice);
      }
      const shapes = manners.rendersAny ? await store.renderShapes() : null;
      const cookies = openJar === null ? null : new CookieBook(openJar, () => clock.wall(), opened.cookies);
      const parts = {
        ...{ plan, profile, seeds, clock, notices, store, opened, watch, openJar, cookies, web },
        settings: web === null ? settings : { ...settings, fetch: { ...settings.fetch, archive: web.fetch } },
        ownBrowser: own,
      };
      const engine = new Engine({ ...parts, shapes, since: since.setup, tick: () => plan.events.tick?.(session) });
      session = new CrawlSession(parts, engine);
      if (file !== null) {
        cookies?.takeFile(file.cookies, file.writtenAt);
      }
      await engine.disk.checkAtStart();
      watch.begins(
        new WatchedSession(() => session.stats(), engine, {
          options,
          settings,
          seeds,
          isResumed: opened.snapshot.resumed,
          cluster: profile.cluster,
        }),
      );
      return session;
    } catch (error) {
      await store.close();
      await own?.close();
      throw error;
    }
  }

  /** Runs to its end and writes the outputs. */
  async run(): Promise<SessionResult> {
    const { crawl, seeder } = this.#engine;
    this.#startedAt = this.#parts.clock.now();
    try {
      await this.#admitFirst();
      await this.#engine.hooks?.start();
      const ending = crawl.run();
      await this.#parts.profile.cluster?.begin(this.#engine.clusterDoors());
      seeder?.start();
      const result = await this.#finish(await ending);
      if (this.#parts.plan.watch === undefined) {
        this.#parts.watch.ended(result.end.reason);
      }
      return result;
    } catch (error) {
      this.#parts.watch.broke(error as Error);
      throw error;
    } finally {
      await this.#parts.profile.cluster?.close();
      await this.#engine.close();
      await this.#parts.store.close();
      this.#parts.web?.cleanUp();
      await this.#parts.ownBrowser?.close();
    }
  }

  async #admitFirst(): Promise<void> {
    const { frontier, seedBook } = this.#engine;
    const { known = [], widened = new Map<number, string[]>(), named = [] } = this.#parts.profile.beginsWith ?? {};
    // This is needed for a resumed crawl too: its last run may have been killed before it had recorded all of them.
    const { cluster } = this.#parts.profile;
    const isOurs = ({ url }: { url: string }): boolean => cluster === undefined || !isForeignTo(cluster.seat, url);
    for (const offers of seedBook.first(SEEDS_A_COMMIT)) {
      await frontier.admit(offers.filter(isOurs));
    }
    const scope = this.#engine.scope();
    const isOutside = (url: string): boolean => !scope.admits(url);
    for (const offers of knownOffers(filtered(known, isOutside), SEEDS_A_COMMIT)) {
      await frontier.admit(offers);
    }
    for (const [seed, urls] of widened) {
      await frontier.widen(seed, urls);
    }
    const wider = this.#engine.scope();
    const seedOf = (url: string): number => (wider.keptForm(url) === url ? wider.seedOf(url) : -1);
    for (const offers of namedOffers(named, seedOf, SEEDS_A_COMMIT)) {
      await frontier.admit(offers);
    }
    for (const offers of assetOffers(this.#parts.profile.beginsWith?.assets ?? [], SEEDS_A_COMMIT)) {
      await frontier.admit(offers);
    }
    await this.#engine.additions.begin((offers) => frontier.admit(offers));
  }

  /** Resolves with the URLs in normal form once they are in the store. */
  add(urls: unknown, options: unknown): Promise<string[]> {
    return this.#engine.additions.add(urls, options);
  }

  stop(reason: EndReason, graceMs: number): void {
    this.#engine.crawl.stop(reason, graceMs);
  }

  /** The cookies that the crawl keeps; null if it keeps none. */
  get cookies(): CookieJar | null {
    return this.#parts.cookies;
  }

  wake(): void {
    this.#engine.crawl.wake();
  }

  get settings(): EngineSettings {
    return this.#parts.settings;
  }

  get notices(): readonly string[] {
    return this.#parts.notices.kept;
  }

  get snapshot(): StoreOpened['snapshot'] {
    return this.#parts.opened.snapshot;
  }

  /** The time that second looks took after everything else was done. */
  get secondLookMs(): number {
    return this.#engine.limits.secondLookMs(this.#parts.clock.now());
  }

  stats(): SessionStats {
    const { crawl, frontier, budget, governor, seeder, renderer, disk, limits } = this.#engine;
    const now = this.#parts.clock.now();
    return {
      ...frontier.counts(),
      inFlight: crawl.inFlight,
      elapsedMs: now - this.#startedAt,
      requests: crawl.use.requests,
      cached: crawl.use.cached,
      carriedOver: crawl.use.carriedOver,
      bytes: crawl.use.bytes,
      heldBytes: budget.held,
      governorLimit: governor.limit,
      waitingFor: frontier.waitingFor(),
      seeding: seeder?.waitsFor ?? null,
      rendering: renderer?.visiting ?? 0,
      isStopping: crawl.isStopping,
      isDiskLow: disk.isLow,
      endsAt: limits.deadline,
      now,
    };
  }

  live(): LiveSnapshot {
    return this.#parts.watch.live();
  }

  get controls(): RunControls {
    return this.#parts.watch.controls;
  }

  async layers() {
    const { plan, settings, store } = this.#parts;
    const { crawl, frontier, lanes, governor } = this.#engine;
    const use = await store.use();
    return layerFacts({ options: plan.resolved.options, settings, crawl, frontier, lanes, governor, store: use });
  }

  async #finish(end: CrawlEnd): Promise<SessionResult> {
    const { plan, profile, clock, notices, store } = this.#parts;
    const { crawl, frontier, renderer, seeder, seedBook, settled } = this.#engine;
    const { options } = plan.resolved;
    this.#leaveCrashNote(end);
    this.#writeCookieFile();
    const storeAlive = !(end.error instanceof StateError && /^(?:store|disk_full)/.test(end.error.code));
    if (!storeAlive) {
      throw end.error;
    }
    await frontier.close();
    const missed = renderer?.missed ?? null;
    // It is said once, when all pages are there.
    if (missed !== null && profile.scope?.surveys !== true) {
      notices.add(missed);
    }
    for (const notice of this.#engine.hooks?.notices() ?? []) {
      notices.add(notice);
    }
    const counts = frontier.counts();
    const summary = await store.finish({
      facts: {
        reason: end.reason,
        truncated: end.truncated,
        settled,
        refetched: counts.refetched,
        requests: crawl.use.requests,
        cached: crawl.use.cached,
        carriedOver: crawl.use.carriedOver,
        retries: counts.retries,
        parseMs: crawl.use.parseMs,
        peakMemoryBytes: Math.max(crawl.memory.peakBytes, this.#engine.residentBytes()),
        durationMs: clock.now() - this.#startedAt,
        layers: await this.layers(),
        ignoredRobots: options.ignoreRobots,
        robotsUnreachable: options.robotsUnreachable,
        seeding: seeder?.facts ?? [],
        notices: notices.kept,
      },
      reports: reportsOf(plan, profile),
      sitemapExtras: options.sitemapExtras,
      wall: clock.wall(),
    });
    if (end.error !== null) {
      throw end.error;
    }
    await this.#engine.hooks?.end(summary);
    if (plan.rest !== undefined) {
      await this.#handOnRest(plan.rest);
    }
    // Seeds that redirect in circles fail only once the chain is looked at as a whole.
    const nothingReached = end.reason === 'complete' && summary.done === 0;
    // Another machine may have reached the seeds that this one does not ask for.
    const allSeedsFailed = profile.cluster === undefined && (seedBook.allFailed || nothingReached);
    const survey = profile.survey === undefined ? null : await store.survey(profile.survey);
    return { end, summary, seeds: seedBook.fates, allSeedsFailed, survey };
  }

  /** If the machine is not to blame, the next run fetches what was being settled one at a time. */
  #leaveCrashNote({ error, settling }: CrawlEnd): void {
    const { directory } = this.#parts.plan;
    const isOfMachine = error instanceof StateError && !OF_A_PAGE.has(error.code);
    if (error !== null && !isOfMachine && settling.length > 0 && directory !== null) {
      leaveCrashNote(directory, settling);
    }
  }

  #writeCookieFile(): void {
    const { plan, clock, cookies, notices } = this.#parts;
    const { cookieJar } = plan.resolved.options;
    if (cookies === null || cookieJar === null) {
      return;
    }
    try {
      writeCookieFile(cookieJar, cookies.all(), clock.wall());
    } catch (error) {
      notices.add(`--cookie-jar cannot be written, and has the cookies it had before: ${(error as Error).message}`);
    }
  }

  async #handOnRest(rest: NonNullable<SessionPlan['rest']>): Promise<void> {
    // When a crawl is not kept, no later run can render these pages.
    const withWaiting = this.#parts.plan.directory === null;
    for (let beyond = 0; ; ) {
      const { pages, last } = await this.#parts.store.unasked(beyond, withWaiting);
      if (last === null) {
        return;
      }
      await rest(pages);
      beyond = last;
    }
  }
}

/** The browser of a plain crawl; null if nothing is rendered. */
function ownBrowser({ resolved: { options }, resolve }: SessionPlan, clock: Clock): Browser | null {
  if (!new HostManners({ agent: '', render: options.render, hosts: options.hosts }).rendersAny) {
    return null;
  }
  if (resolve !== undefined) {
    throw new UsageError('render cannot be used with a resolve of your own: a browser knows pages only by their URLs');
  }
  return browserFor(options, clock, options.hashRoutes ? 'found' : 'ignored');
}

/** The settings of the options, as the profile changes them. */
function settingsOf(plan: SessionPlan, profile: CrawlProfile, seeds: SeedRow[]): EngineSettings {
  const settings = engineSettings({
    options: plan.resolved.options,
    delayIsDefault: plan.resolved.sources.delayMs === 'default',
    seeds,
    credentials: plan.credentials ?? new Map(),
    listensToEdges: plan.listensToEdges ?? false,
    handsOnBodies: plan.handsOnBodies ?? false,
  });
  const overlaps = profile.overlaps === true && plan.handOn === undefined && settings.scheduler.overlaps === true;
  const { maxUrlsPerHost, maxInflightPerIp, delayPerIpMs } = settings.scheduler;
  const countsUrls = maxUrlsPerHost > 0 || plan.resolved.options.hosts.some(({ maxUrls }) => maxUrls !== undefined);
  const savesHostsLate = overlaps && !countsUrls && maxInflightPerIp + delayPerIpMs === 0;
  const seat = profile.cluster === undefined ? {} : { seat: profile.cluster.seat };
  const together = { ...settings.scheduler, overlaps, savesHostsLate, ...seat };
  const scheduler = plan.resolved.options.from.length === 0 ? together : withoutWaiting(together);
  return {
    ...settings,
    scheduler: profile.scheduler?.(scheduler) ?? scheduler,
    fetch: profile.fetch?.(settings.fetch, settings.lanes) ?? settings.fetch,
    reader: profile.reader?.(settings.reader) ?? settings.reader,
  };
}

function storeSetup(
  plan: SessionPlan,
  profile: CrawlProfile,
  settings: EngineSettings,
  seeds: SeedRow[],
  wall: number,
): StoreSetup {
  const { resolved, directory } = plan;
  const { options } = resolved;
  const { rendersAny } = new HostManners(settings.reader);
  return {
    directory,
    create: plan.seeds !== null,
    keepsCookies: keepsCookies(options),
    meta: {
      version: VERSION,
      options: JSON.stringify(optionsToStore(resolved, profile.command)),
      startedAt: String(wall),
      maxRedirects: String(options.maxRedirects),
      ignoredRobots: String(options.ignoreRobots),
      userAgent: settings.userAgent,
      anchorText: String(options.anchorText),
      customFetch: String(plan.fetch !== undefined),
      ownKeys: String(plan.resolve !== undefined),
      command: profile.command,
      ...profile.meta,
    },
    seeds,
    badSeeds: plan.badSeeds ?? [],
    reports: reportsOf(plan, profile),
    hasOutputs: profile.writesOutputs,
    archives: isArchived(plan, profile)
      ? { userAgent: settings.userAgent, robots: options.ignoreRobots ? 'ignore' : 'obey' }
      : null,
    rendersAll: settings.reader.render === 'always',
    leavesUnrendered: !rendersAny && !settings.reader.keepsBodies,
    keepsBodies: settings.reader.keep !== 'none',
    dropsBodies: rendersAny && !settings.reader.keepsBodies,
    scope: scopeRules(plan, profile, settings),
    pid: process.pid,
    wall,
    hostsInMemory: options.readyHeapLimit,
    keyBudgetBytes: settings.keyBudgetBytes,
    expectedUrls: options.expectedUrls,
    falsePositiveRate: options.fpRate,
    lookupBatch: options.fpCheckLimit,
  };
}

/** Outputs that need the bytes that were on the wire. */
const ARCHIVE_FORMATS: ReadonlySet<string> = new Set(['warc', 'wacz', 'cdxj']);

/** Refuses options that an archive cannot serve. */
function refuseWithArchives({ resolved: { options }, fetch, resolve, directory, seeds }: SessionPlan): void {
  if (options.from.length > 0) {
    if (fetch !== undefined || resolve !== undefined) {
      throw new UsageError('from cannot be used with a fetch or resolve of your own: the archive has the answers');
    }
    refuseWithArchive(options);
  }
  const wanted = options.reports.find(({ format }) => ARCHIVE_FORMATS.has(format));
  if (
    wanted !== undefined &&
    seeds !== null &&
    options.format !== 'warc' &&
    (wanted.format !== 'warc' || options.keep !== 'body')
  ) {
    throw new UsageError(`--report ${wanted.format} needs an archive: add --format warc`);
  }
  if (options.format === 'warc' && seeds !== null) {
    if (fetch !== undefined || resolve !== undefined) {
      throw new UsageError('format warc cannot be used with a fetch or resolve of your own: nothing is on the wire');
    }
    if (directory === null) {
      throw new UsageError('format warc needs a dataDir: the archive is written there');
    }
    if (options.httpCache !== null) {
      throw new UsageError(
        '--format warc cannot be used with --http-cache: answers from the cache are not on the wire',
      );
    }
    if (options.since !== null) {
      throw new UsageError(
        '--format warc cannot be used with --since: pages that are carried over are not on the wire',
      );
    }
  }
}

/** A resumed crawl is archived if it was from its beginning. */
const isArchived = ({ resolved, seeds, directory }: SessionPlan, { writesOutputs }: CrawlProfile): boolean =>
  writesOutputs && seeds !== null && directory !== null && resolved.options.format === 'warc';

const reportsOf = ({ resolved }: SessionPlan, { writesOutputs }: CrawlProfile): ReportTarget<ExportFormat>[] =>
  writesOutputs ? resolved.options.reports.filter(isExport) : [];

/** A cookie file needs a crawl that keeps cookies. */
const keepsCookies = ({ cookies, cookieJar }: CrawlOptions): boolean => cookies || cookieJar !== null;

function* filtered(urls: Iterable<string>, isWanted: (url: string) => boolean): IterableIterator<string> {
  for (const url of urls) {
    if (isWanted(url)) {
      yield url;
    }
  }
}

/** The twelve layers of concurrency: what each allows, how far it was used, and how many ever waited on it. */
function layerFacts(parts: {
  options: CrawlOptions;
  settings: EngineSettings;
  crawl: Crawl;
  frontier: Frontier;
  lanes: LanePool;
  governor: Governor;
  store: StoreUse;
}): Record<string, LayerFacts> {
  const { options, settings, crawl, frontier, lanes, store } = parts;
  const counts = frontier.counts();
  const { peaks } = frontier;
  const layer = (limit: number | null, peak: number, peakWaiting: number): LayerFacts => ({ limit, peak, peakWaiting });
  return {
    workers: layer(options.workers, crawl.use.peakInFlight, crawl.use.peakWaiting),
    inflightPerHost: layer(
      settings.scheduler.mostInflight ?? options.maxInflightPerHost,
      peaks.host,
      peaks.hostWaiting,
    ),
    frontier: layer(settings.scheduler.frontierLimit, peaks.queuedInMemory, peaks.queuedOnDisk),
    delay: layer(options.delayMs, counts.hostsInMemory, peaks.hostsDelayed),
    backoff: layer(options.maxBackoffMs, peaks.troubles, peaks.troubles),
    filter: layer(options.expectedUrls, store.asked, store.saved),
    lanes: layer(lanes.size, lanes.peakInUse, lanes.peakWaiting),
    robots: layer(options.robotsWorkers, peaks.robotsInFlight, peaks.robotsWaiting),
    lookups: layer(options.fpCheckLimit, store.peakBatch, store.peakWaiting),
    hosts: layer(options.readyHeapLimit, peaks.hostsInMemory, peaks.hostsParked),
    bytes: layer(options.parseBufferBytes, crawl.use.peakHeldBytes, crawl.use.peakPaused),
    governor: layer(options.workers, parts.governor.limit, parts.governor.decisions),
  };
}
