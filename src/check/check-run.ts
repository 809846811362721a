import type { Clock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { ON_ONE_MACHINE } from '../config/options-cluster.js';
import { WITHOUT_HOOKS } from '../config/options-hooks.js';
import { WITHOUT_KEEPING } from '../config/options-keep.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { EndReason } from '../crawl/ending.js';
import type { KeptPages } from '../crawl/kept-pages.js';
import type { CrawlProfile, EndedRound, RunningSession, SessionResult } from '../crawl/profile.js';
import type { Browser } from '../crawl/render/browser.js';
import { browserFor } from '../crawl/renderer.js';
import { Rounds } from '../crawl/rounds.js';
import type { SessionEvents, SessionPlan } from '../crawl/session-plan.js';
import type { SecondLook } from '../frontier/verdict.js';
import type { SeedRow } from '../store/transaction.js';
import type { FileAliases } from '../url/aliases.js';
import { hostKeyOf } from '../url/host.js';
import { Scope, type ScopeKind, scopePatterns } from '../url/scope.js';
import { suggestCopies } from './archive-copies.js';
import { type DumpedLink, dumpedLinks } from './dump.js';
import type { FindingTable } from './finding-table.js';
import { type LocalFolder, ServedFolders } from './local-folder.js';
import { type MadeReport, makeReport } from './make-report.js';
import { checkProfile } from './profile.js';
import { ResultCache } from './result-cache.js';
import { prepareRound } from './rounds.js';
import { CheckRules } from './rules.js';
import { secondLookBy } from './second-look.js';

export interface CheckEvents {
  /** A session begins: the first look, or a further one. */
  began?(session: RunningSession, plan: SessionPlan, round: number): void;
  notice?(text: string): void;
}

export interface CheckPlan {
  resolved: ResolvedOptions<'check'>;
  /** `check` of the config file, and where it stands. */
  config: { value: unknown; path: string } | null;
  directory: string;
  seeds: SeedRow[];
  /** Whether the check begins; otherwise the one in the directory goes on. */
  isNew: boolean;
  /** How far the kept check is, and how long its second looks have taken. */
  round: number;
  spentMs: number;
  truncated: string | null;
  /** The crawl whose answers are taken, instead of asking for them. */
  kept?: KeptPages | undefined;
  folders: readonly LocalFolder[];
  files: FileAliases;
  /** Only a new check has these two. */
  badSeeds?: SessionPlan['badSeeds'];
  credentials?: SessionPlan['credentials'];
  events: CheckEvents & { session?: SessionEvents };
  cwd: string;
  clock: Clock;
}

export interface CheckOutcome {
  report: MadeReport;
  /** Of the last session. */
  result: SessionResult;
}

/** The most rounds of a check. A second look can find new failures, which get a second look too; no check needs this many. */
const MOST_ROUNDS = 6;
const STOPPED: ReadonlySet<EndReason> = new Set(['interrupted', 'terminated', 'stopped']);

/** A check of links: a crawl, then rounds of looking again at what seems broken, then the verdicts. */
export class CheckRun {
  readonly #plan: CheckPlan;
  readonly #rules: CheckRules;
  readonly #rounds: Rounds;
  readonly #startedAt: number;
  readonly #stop = new AbortController();
  readonly #browser: Browser;
  #round: number;
  /** How long second looks have taken so far. */
  #spentMs: number;
  #truncated: string | null;

  constructor(plan: CheckPlan) {
    const { resolved, directory, seeds, isNew, badSeeds, credentials, events, clock } = plan;
    this.#plan = plan;
    this.#rules = rulesOf(resolved, plan.config);
    this.#startedAt = clock.now();
    this.#round = plan.round;
    this.#spentMs = plan.spentMs;
    this.#truncated = plan.truncated;
    this.#browser = browserFor(resolved.options, clock, resolved.options.hashRoutes ? 'judged' : 'ignored');
    const asked = resolved.options.dump ? seeds.map(byItself) : seeds;
    this.#rounds = new Rounds({
      ...{ resolved: this.#asCrawl(), directory, clock, seeds: isNew ? asked : null, events: events.session ?? {} },
      storedSeeds: () => seeds,
      ...(badSeeds === undefined ? {} : { badSeeds }),
      ...(credentials === undefined ? {} : { credentials }),
      began: (session, sessionPlan) => events.began?.(session, sessionPlan, this.#round),
    });
  }

  /** Stops the check: no further URL is requested, and the report is made from what is known. */
  stop(reason: EndReason, graceMs: number): void {
    this.#stop.abort();
    this.#rounds.stop(reason, graceMs);
  }

  async run(): Promise<CheckOutcome> {
    const { cwd, folders, directory, resolved, clock } = this.#plan;
    const { options } = resolved;
    const { cache: cacheFile } = options;
    const cache = cacheFile === null ? null : await this.#loadCache(cacheFile);
    const served = await ServedFolders.open(folders, cwd);
    try {
      const result = await this.#rounds.run(this.#profile(served, this.#plan.isNew ? cache : null));
      const report = await makeReport({
        directory,
        options,
        rules: this.#rules,
        cache,
        names: served,
        truncated: this.#truncated,
        end: result.end.reason,
        durationMs: clock.now() - this.#startedAt,
        startedAt: this.#plan.kept?.startedAt,
        clock,
        suggest: options.suggest && this.#rounds.stoppedBy === null ? (table) => this.#suggest(table) : null,
      });
      this.#rounds.watch?.ended(result.end.reason);
      return { report, result };
    } finally {
      await this.#browser.close();
      await served.close();
    }
  }

  /** The links of what the user named, which alone is read. Calls `take` while the folders are there to name them. */
  async dump(take: (links: AsyncIterable<DumpedLink>) => Promise<void>): Promise<SessionResult> {
    const { folders, cwd, directory, seeds } = this.#plan;
    const { options } = this.#plan.resolved;
    const served = await ServedFolders.open(folders, cwd);
    try {
      const { next: _, ...onlyRound } = this.#profile(served, null);
      const result = await this.#rounds.run(onlyRound);
      const rules = seeds.flatMap(({ scope, scopeUrls }) =>
        scopeUrls.map((url) => ({ kind: scope as ScopeKind, url })),
      );
      const scope = new Scope(rules, scopePatterns(options));
      await take(dumpedLinks(directory, served, (url) => options.external || scope.admits(url)));
      this.#rounds.watch?.ended(result.end.reason);
      return result;
    } finally {
      await this.#browser.close();
      await served.close();
    }
  }

  async #suggest(table: FindingTable): Promise<void> {
    const { resolved, clock, events } = this.#plan;
    const { suggestUrl, maxWaitMs, idleTimeoutMs } = resolved.options;
    const { scheduler, archiveFetch } = this.#rounds.session!.settings;
    const url = new URL(suggestUrl).href;
    await suggestCopies(table, {
      ...{ url, clock, maxWaitMs, idleTimeoutMs, signal: this.#stop.signal, fetch: archiveFetch(url) },
      delayMs: scheduler.delayMsFor(hostKeyOf(url)),
      notice: (text) => events.notice?.(text),
    });
  }

  /** --duration bounds the run with all its looks. */
  get #endsAt(): number {
    const { durationMs } = this.#plan.resolved.options;
    return durationMs === null ? Number.POSITIVE_INFINITY : this.#startedAt + durationMs;
  }

  async #loadCache(file: string): Promise<ResultCache> {
    const { cacheAgeMs } = this.#plan.resolved.options;
    const cache = await ResultCache.load(file, {
      maxAgeMs: Math.max(cacheAgeMs, this.#rules.longestAgeMs),
      now: () => this.#plan.clock.wall(),
    });
    if (cache.damaged > 0) {
      this.#plan.events.notice?.(`${cache.damaged} lines of ${file} could not be read and are left out`);
    }
    return cache;
  }

  #profile(served: ServedFolders, cache: ResultCache | null): CrawlProfile {
    const { resolved, clock, files, folders } = this.#plan;
    const { options } = resolved;
    const leftMs = Math.min(options.secondLookBudgetMs - this.#spentMs, this.#endsAt - clock.now());
    const since = clock.now();
    return checkProfile({
      ignore: this.#rules.ignoreRules,
      served,
      offline: options.offline,
      onlySeeds: options.dump,
      aliases: { remaps: options.remaps, ...files },
      secondLook: leftMs <= 0 ? null : this.#secondLook(served),
      kept: this.#plan.kept,
      leftMs,
      isLater: this.#round > 0,
      known: cache === null ? [] : this.#fresh(cache),
      meta: { folders: JSON.stringify(folders), fileAliases: JSON.stringify(files) },
      render: options.render,
      hashRoutes: options.hashRoutes,
      browser: this.#browser,
      next: (ended) => this.#next(ended, since, served),
    });
  }

  /** A kept crawl or an archive answers. */
  get #asksNobody(): boolean {
    return this.#plan.kept !== undefined || this.#plan.resolved.options.from.length > 0;
  }

  #secondLook(served: ServedFolders): SecondLook {
    const looks = secondLookBy(this.#rules, new Set(served.origins.map(({ origin }) => origin)));
    return this.#asksNobody
      ? { ...looks, afterMs: (...asked) => (looks.afterMs(...asked) === null ? null : 0) }
      : looks;
  }

  /** Queues what seems broken for another look, as long as there is time for one and something to look at. */
  async #next({ result, session }: EndedRound, since: number, served: ServedFolders): Promise<CrawlProfile | null> {
    const { clock, directory, resolved } = this.#plan;
    const { secondLookBudgetMs, maxRedirects } = resolved.options;
    this.#spentMs += this.#round === 0 ? session.secondLookMs : clock.now() - since;
    if (this.#round === 0) {
      this.#truncated = result.end.truncated;
    }
    const isOver =
      STOPPED.has(result.end.reason) ||
      this.#round >= MOST_ROUNDS ||
      this.#spentMs >= secondLookBudgetMs ||
      clock.now() >= this.#endsAt;
    if (isOver) {
      return null;
    }
    const queued = await prepareRound({
      directory,
      round: this.#round + 1,
      maxRedirects,
      truncated: this.#truncated,
      spentMs: this.#spentMs,
      rules: this.#rules,
      hashRoutes: resolved.options.hashRoutes,
      ownOrigins: [...new Set(served.origins.map(({ origin }) => origin))],
      asksNobody: this.#asksNobody,
    });
    if (queued === 0) {
      return null;
    }
    this.#round++;
    return this.#profile(served, null);
  }

  /** The engine's options: what a check always does is not up to the user. */
  #asCrawl(): ResolvedOptions<'crawl'> {
    const { options, sources, notices } = this.#plan.resolved;
    return {
      // Reports show the causes of a failure as evidence.
      options: {
        ...options,
        ...ON_ONE_MACHINE.options,
        ...WITHOUT_HOOKS.options,
        ...WITHOUT_KEEPING.options,
        ...(options.dump ? { external: false } : {}),
        anchorText: true,
        facts: 'basic',
        extract: [],
        assets: true,
        json: false,
        verboseNetwork: true,
      },
      sources: {
        ...sources,
        ...ON_ONE_MACHINE.sources,
        ...WITHOUT_HOOKS.sources,
        ...WITHOUT_KEEPING.sources,
        anchorText: 'default',
        facts: 'default',
        extract: 'default',
        assets: 'default',
        json: 'default',
      },
      notices,
    };
  }

  *#fresh(cache: ResultCache): IterableIterator<string> {
    const { cacheAgeMs } = this.#plan.resolved.options;
    for (const url of cache.urls()) {
      if (cache.get(url, this.#rules.maxAgeMsOf(url) ?? cacheAgeMs) !== null) {
        yield url;
      }
    }
  }
}

/** Only the page of the seed is requested, and no other host. */
const byItself = (seed: SeedRow): SeedRow => ({ ...seed, scope: 'page', scopeUrls: [seed.url, ...seed.fallbacks] });

/** The rules of the options and of the config file; what is wrong in them is refused under the name it was given by. */
export function rulesOf({ options, sources }: CheckPlan['resolved'], config: CheckPlan['config']): CheckRules {
  const { accept, failOn } = options;
  return new CheckRules({ accept, failOn, rules: ruleList(config) }, (name, problem) => {
    if (!name.startsWith('--')) {
      throw new StateError('config', `${config?.path}: check.${name} ${problem}`);
    }
    const key = name === '--accept' ? 'accept' : 'failOn';
    const [, kind, place] = /^(variable|config file) (.*)$/s.exec(sources[key]) ?? [];
    if (kind === 'config file') {
      throw new StateError('config', `${place}: ${key} ${problem}`);
    }
    throw new UsageError(`${place ?? name} ${problem}`);
  });
}

function ruleList(config: CheckPlan['config']): unknown {
  if (config === null || config.value === undefined) {
    return null;
  }
  const { value, path } = config;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StateError('config', `${path}: check must be an object`);
  }
  const other = Object.keys(value).find((key) => key !== 'rules');
  if (other !== undefined) {
    throw new StateError('config', `${path}: check has an unknown key ${other}; it has rules`);
  }
  return (value as { rules?: unknown }).rules;
}
