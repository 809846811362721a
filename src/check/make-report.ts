import type { Clock } from '../base/clock.js';
import type { OptionsOf } from '../config/options.js';
import type { EndReason } from '../crawl/ending.js';
import { CheckReader } from '../store/check-reader.js';
import { compareWithBaseline, readBaseline, updateBaseline, writeBaseline } from './baseline.js';
import type { FindingTable } from './finding-table.js';
import { Findings } from './findings.js';
import type { PageNames } from './local-folder.js';
import type { CheckReport, CheckSummary } from './report/result.js';
import type { ResultCache } from './result-cache.js';
import type { CheckRules } from './rules.js';

export interface ReportParts {
  directory: string;
  options: OptionsOf<'check'>;
  rules: CheckRules;
  cache: ResultCache | null;
  names: PageNames;
  truncated: string | null;
  end: EndReason;
  durationMs: number;
  /** When the answers are from, where that is not when the check began. */
  startedAt?: number | undefined;
  clock: Clock;
  /** Asks an archive for copies of dead links. */
  suggest: ((table: FindingTable) => Promise<void>) | null;
}

/** A report that can be read until it is closed. */
export interface MadeReport extends CheckReport {
  close(): void;
}

/** The verdicts of a check whose rounds are over, or were stopped. */
export async function makeReport(parts: ReportParts): Promise<MadeReport> {
  const { directory, options, rules, cache, names } = parts;
  const store = CheckReader.open(directory);
  try {
    const crawl = store.crawl();
    const findings = await Findings.gather({
      store,
      maxRedirects: options.maxRedirects,
      rules,
      cache,
      names,
      leftBy: STOPS[parts.end] === undefined ? 'limit' : 'stop',
      remaps: options.remaps,
      identity: options,
      requireHttps: options.requireHttps,
      hashRoutes: options.hashRoutes,
      asksNobody: parts.startedAt !== undefined,
    });
    const { table } = findings;
    await parts.suggest?.(table);
    const truncated =
      parts.truncated ?? STOPS[parts.end] ?? (store.countNeverAsked() > 0 ? 'second_look_budget' : null);
    const baseline = applyBaseline(table, options, truncated !== null, parts.clock);
    if (cache !== null) {
      await keepResults(cache, table, options.cache!, (url) => rules.maxAgeMsOf(url) ?? options.cacheAgeMs);
    }
    // A page whose links were cut has one finding, which stands for all of them.
    const { links: cut } = crawl.cutLinks();
    const unchecked = cut === 0 ? table.unchecked : { ...table.unchecked, too_many_links: cut };
    // A URL that a limit left unasked does not count as unreachable.
    const nothingReached = truncated === null && store.countReached() === 0;
    const found = table.failing > 0 || (truncated !== null && rules.failOn.truncated) ? 1 : 0;
    const summary: CheckSummary = {
      verdicts: table.verdicts,
      unchecked,
      links: table.size,
      pages: store.countRead(),
      failing: table.failing,
      ignored: findings.ignored,
      baseline,
      truncated,
      ignoredRobots: options.ignoreRobots,
      durationMs: Math.round(parts.durationMs),
      exitCode: checkExitCode(found, nothingReached, parts.end),
    };
    return {
      summary,
      seeds: crawl.seeds().map(({ label }) => names.url(label)),
      startedAt: new Date(parts.startedAt ?? Number(crawl.meta().startedAt ?? 0)).toISOString(),
      links: () => table.links(),
      close: () => store.close(),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Reasons for the end of a run that leave URLs unasked. */
const STOPS: Partial<Record<EndReason, string>> = {
  interrupted: 'interrupted',
  terminated: 'interrupted',
  stopped: 'interrupted',
};

function applyBaseline(
  table: FindingTable,
  { baseline: file, updateBaseline: update }: OptionsOf<'check'>,
  isTruncated: boolean,
  clock: Clock,
): CheckSummary['baseline'] {
  if (file === null) {
    return null;
  }
  const before = readBaseline(file) ?? new Map();
  const comparison = compareWithBaseline(table.links(false), before, isTruncated);
  table.acquit(comparison.known);
  if (update) {
    writeBaseline(file, updateBaseline(before, comparison, new Date(clock.wall()).toISOString().slice(0, 10)));
  }
  return { new: comparison.new.length, fixed: comparison.fixed, known: comparison.known.length };
}

/** A result that was taken from the cache keeps its date. */
async function keepResults(
  cache: ResultCache,
  table: FindingTable,
  file: string,
  maxAgeMsOf: (url: string) => number,
): Promise<void> {
  for (const link of table.links(false)) {
    if (link.external && link.fragment === null && cache.get(link.url, maxAgeMsOf(link.url)) === null) {
      cache.put(link);
    }
  }
  await cache.save(file);
}

/** The exit code of a check. A check that a program stops has the same code as a command that Ctrl+C stops. */
export function checkExitCode(found: 0 | 1, nothingReached: boolean, reason: EndReason): number {
  if (reason === 'interrupted' || reason === 'stopped') {
    return 130;
  }
  if (reason === 'terminated') {
    return 143;
  }
  return nothingReached ? 4 : found;
}
