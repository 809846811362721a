import type { Clock } from '../base/clock.js';
import type { OptionsOf } from '../config/options.js';
import type { EndReason } from '../crawl/limits.js';
import { storePath } from '../store/directory.js';
import { Reader } from '../store/reader.js';
import { openStoreFile } from '../store/store.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { compareWithBaseline, readBaseline, updateBaseline, writeBaseline } from './baseline.js';
import { checkExitCode } from './exit-code.js';
import type { FindingTable } from './finding-table.js';
import { Findings, type PageNames } from './findings.js';
import type { CheckReport, CheckSummary } from './result.js';
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
  clock: Clock;
  /** Looks for copies of what is dead. */
  suggest: ((table: FindingTable) => Promise<void>) | null;
}

/** A report that can be read until it is closed. */
export interface MadeReport extends CheckReport {
  close(): void;
}

/** The verdicts of a check whose rounds are over, or were stopped. */
export async function makeReport(parts: ReportParts): Promise<MadeReport> {
  const { directory, options, rules, cache, names } = parts;
  const database = openStoreFile(storePath(directory), { create: false, readOnly: true });
  try {
    const reader = new Reader(database);
    const findings = await Findings.gather({
      database,
      maxRedirects: options.maxRedirects,
      rules,
      cache,
      names,
      leftBy: STOPS[parts.end] === undefined ? 'limit' : 'stop',
      remaps: options.remaps,
      identity: options,
      requireHttps: options.requireHttps,
    });
    const { table } = findings;
    await parts.suggest?.(table);
    const count = (sql: string): number => database.prepare(`SELECT count(*) AS n FROM ${sql}`).get()!.n;
    const neverAsked = `urls WHERE state = ${UrlState.queued} AND kind = ${UrlKind.page} AND attempts = 0`;
    const truncated = parts.truncated ?? STOPS[parts.end] ?? (count(neverAsked) > 0 ? 'second_look_budget' : null);
    const baseline = applyBaseline(table, options, truncated !== null, parts.clock);
    if (cache !== null) {
      await keepResults(cache, table, options.cache!, (url) => rules.maxAgeMsOf(url) ?? options.cacheAgeMs);
    }
    // A finding stands for all the links that are cut from a page.
    const { links: cut } = reader.cutLinks();
    const unchecked = cut === 0 ? table.unchecked : { ...table.unchecked, too_many_links: cut };
    const inside = `urls WHERE kind = ${UrlKind.page} AND state = ${UrlState.done} AND (flags & ${UrlFlag.external}) = 0`;
    // What a limit left unasked is not out of reach.
    const nothingReached = truncated === null && count(`${inside} AND NOT ${LEADS_AWAY}`) === 0;
    const found = table.failing > 0 || (truncated !== null && rules.failOn.truncated) ? 1 : 0;
    const summary: CheckSummary = {
      verdicts: table.verdicts,
      unchecked,
      links: table.size,
      pages: count(
        `link_facts JOIN urls ON urls.id = link_facts.page JOIN pages ON pages.id = link_facts.page
         WHERE (anchors IS NOT NULL OR places IS NOT NULL) AND pages.redirect_to IS NULL AND coalesce(pages.content_type, '') NOT LIKE 'image/svg+xml%' AND (urls.flags & ${UrlFlag.external}) = 0`,
      ),
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
      seeds: reader.seeds().map(({ label }) => names.url(label)),
      startedAt: new Date(Number(reader.meta().startedAt ?? 0)).toISOString(),
      links: () => table.links(),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A redirect to what is no page of the web, such as mailto:. */
const LEADS_AWAY = `EXISTS (SELECT 1 FROM pages JOIN urls AS ends ON ends.id = pages.redirect_to
  WHERE pages.id = urls.id AND ends.reason = 'scheme')`;

/** Ends that leave something unasked. */
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

/** What came from the cache keeps its date. */
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
