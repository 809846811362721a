import type { Clock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { EndReason } from '../crawl/limits.js';
import { CrawlSession } from '../crawl/session.js';
import type { CheckWishes, SessionEvents, SessionPlan, SessionResult } from '../crawl/session-plan.js';
import type { SeedRow } from '../store/transaction.js';
import type { FileAliases } from '../url/aliases.js';
import { hostKeyOf, hostnameOfKey } from '../url/host.js';
import { Scope, type ScopeKind } from '../url/scope.js';
import { suggestCopies } from './archive-copies.js';
import { type DumpedLink, dumpedLinks } from './dump.js';
import type { FindingTable } from './finding-table.js';
import { type LocalFolder, ServedFolders } from './local-folder.js';
import { type MadeReport, makeReport } from './make-report.js';
import { ResultCache } from './result-cache.js';
import { prepareRound } from './rounds.js';
import { CheckRules } from './rules.js';
import { secondLookBy } from './second-look.js';

export interface CheckEvents {
  /** A session begins: the first look, or a further one. */
  began?(session: CrawlSession, plan: SessionPlan, round: number): void;
  notice?(text: string): void;
}

export interface CheckPlan {
  resolved: ResolvedOptions<'check'>;
  /** `check` of the config file, and where it stands. */
  config: { value: unknown; path: string } | null;
  directory: string;
  seeds: SeedRow[];
  /** It begins; else the one that is kept in the directory goes on. */
  isNew: boolean;
  /** How far the kept one had come, and how long its second looks have taken. */
  round: number;
  spentMs: number;
  truncated: string | null;
  folders: readonly LocalFolder[];
  files: FileAliases;
  /** Of a new one. */
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

/** No check needs as many: what a second look brings to light is looked at twice too, and so on. */
const MOST_ROUNDS = 6;
const STOPPED: ReadonlySet<EndReason> = new Set(['interrupted', 'terminated', 'stopped']);

/** A check of links: a crawl, then rounds of looking again at what seems broken, then the verdicts. */
export class CheckRun {
  readonly #plan: CheckPlan;
  readonly #rules: CheckRules;
  readonly #startedAt: number;
  #session: CrawlSession | null = null;
  readonly #stop = new AbortController();
  #stopped: { reason: EndReason; graceMs: number } | null = null;
  #truncated: string | null;

  constructor(plan: CheckPlan) {
    this.#plan = plan;
    this.#rules = rulesOf(plan.resolved, plan.config);
    this.#startedAt = plan.clock.now();
    this.#truncated = plan.truncated;
  }

  /** Nothing new is asked for; the report is made of what is known. */
  stop(reason: EndReason, graceMs: number): void {
    this.#stopped = { reason, graceMs };
    this.#stop.abort();
    this.#session?.stop(reason, graceMs);
  }

  async run(): Promise<CheckOutcome> {
    const { cwd, folders, directory, resolved, clock } = this.#plan;
    const { options } = resolved;
    const { cache: cacheFile } = options;
    const cache = cacheFile === null ? null : await this.#loadCache(cacheFile);
    const served = await ServedFolders.open(folders, cwd);
    try {
      const result = await this.#rounds(served, cache);
      const report = await makeReport({
        directory,
        options,
        rules: this.#rules,
        cache,
        names: served,
        truncated: this.#truncated,
        end: result.end.reason,
        durationMs: clock.now() - this.#startedAt,
        clock,
        suggest: options.suggest && this.#stopped === null ? (table) => this.#suggest(table) : null,
      });
      return { report, result };
    } finally {
      await served.close();
    }
  }

  /** The links of what the user named, which alone is read. Calls `take` while the folders are there to name them. */
  async dump(take: (links: AsyncIterable<DumpedLink>) => Promise<void>): Promise<SessionResult> {
    const { folders, cwd, directory, seeds } = this.#plan;
    const { options } = this.#plan.resolved;
    const served = await ServedFolders.open(folders, cwd);
    try {
      const result = await this.#look(0, true, options.secondLookBudgetMs, served, null);
      const rules = seeds.flatMap(({ scope, scopeUrls }) =>
        scopeUrls.map((url) => ({ kind: scope as ScopeKind, url })),
      );
      const scope = new Scope(rules, { include: [...options.include], exclude: [...options.exclude] });
      await take(dumpedLinks(directory, served, (url) => options.external || scope.admits(url)));
      return result;
    } finally {
      await served.close();
    }
  }

  async #suggest(table: FindingTable): Promise<void> {
    const { resolved, clock, events } = this.#plan;
    const { suggestUrl, maxWaitMs, idleTimeoutMs } = resolved.options;
    const { scheduler, archiveFetch } = this.#session!.settings;
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

  async #rounds(served: ServedFolders, cache: ResultCache | null): Promise<SessionResult> {
    const { clock, directory, resolved } = this.#plan;
    const { secondLookBudgetMs, maxRedirects } = resolved.options;
    let { round } = this.#plan;
    let isNew = this.#plan.isNew;
    let { spentMs } = this.#plan;
    for (;;) {
      const leftMs = Math.min(secondLookBudgetMs - spentMs, this.#endsAt - clock.now());
      const since = clock.now();
      const result = await this.#look(round, isNew, leftMs, served, cache);
      isNew = false;
      spentMs += round === 0 ? this.#session!.secondLookMs : clock.now() - since;
      if (round === 0) {
        this.#truncated = result.end.truncated;
      }
      const isOver =
        STOPPED.has(result.end.reason) ||
        round >= MOST_ROUNDS ||
        spentMs >= secondLookBudgetMs ||
        clock.now() >= this.#endsAt;
      const queued = isOver
        ? 0
        : await prepareRound({
            directory,
            round: round + 1,
            maxRedirects,
            truncated: this.#truncated,
            spentMs,
            rules: this.#rules,
            ownOrigins: [...new Set(served.origins.map(({ origin }) => origin))],
          });
      if (queued === 0) {
        return result;
      }
      round++;
    }
  }

  async #look(
    round: number,
    isNew: boolean,
    leftMs: number,
    served: ServedFolders,
    cache: ResultCache | null,
  ): Promise<SessionResult> {
    const { directory, resolved, seeds, badSeeds, credentials, events, clock } = this.#plan;
    const plan: SessionPlan = {
      resolved: this.#asCrawl(),
      directory,
      seeds: isNew ? (resolved.options.dump ? seeds.map(byItself) : seeds) : null,
      ...(isNew ? {} : { storedSeeds: seeds }),
      ...(badSeeds === undefined ? {} : { badSeeds }),
      ...(credentials === undefined ? {} : { credentials }),
      events: events.session ?? {},
      check: this.#wishes(round, leftMs, served, isNew ? cache : null),
      clock,
    };
    const session = new CrawlSession(plan);
    await session.open();
    this.#session = session;
    events.began?.(session, plan, round);
    if (this.#stopped !== null) {
      session.stop(this.#stopped.reason, this.#stopped.graceMs);
    }
    return session.run();
  }

  /** The engine's options: what a check always does is not up to the user. */
  #asCrawl(): ResolvedOptions<'crawl'> {
    const { options, sources, notices } = this.#plan.resolved;
    return {
      // The causes of a failure are evidence.
      options: {
        ...options,
        ...(options.dump ? { external: false } : {}),
        anchorText: true,
        assets: true,
        json: false,
        verboseNetwork: true,
      },
      sources: { ...sources, anchorText: 'default', assets: 'default', json: 'default' },
      notices,
    };
  }

  #wishes(round: number, leftMs: number, served: ServedFolders, cache: ResultCache | null): CheckWishes {
    const { options } = this.#plan.resolved;
    const exclude = options.exclude.length === 0 ? [] : [{ match: options.exclude, ignore: true }];
    return {
      ignore: [...exclude, ...this.#rules.ignoreRules],
      folders: served.origins,
      folderSecrets: served.secrets,
      offline: options.offline,
      onlySeeds: options.dump,
      aliases: { remaps: options.remaps, ...this.#plan.files },
      headers: this.#rules.headerRules,
      delayMsOf: (host) => this.#delayMsOf(host),
      secondLook: leftMs <= 0 ? null : secondLookBy(this.#rules, new Set(served.origins.map(({ origin }) => origin))),
      secondLookMs: leftMs,
      round: round === 0 ? null : { durationMs: Math.max(1, leftMs) },
      known: cache === null ? [] : this.#fresh(cache),
      meta: { folders: JSON.stringify(this.#plan.folders), fileAliases: JSON.stringify(this.#plan.files) },
    };
  }

  /** Rules are by URL, delays by host: what holds for its home page holds for a host. */
  #delayMsOf(host: string): number | null {
    const name = hostnameOfKey(host);
    const delays = [`https://${name}/`, `http://${host}/`].map((url) => this.#rules.delayMsOf(url) ?? 0);
    return Math.max(...delays);
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

/** The seed's page alone is asked for, and no host but its own. */
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
