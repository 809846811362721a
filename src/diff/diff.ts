import { type AuditSettings, readAuditSettings } from '../audit/settings.js';
import { UsageError } from '../base/errors.js';
import { checkKeys, describeValue, readDirectory, readOptions, readTexts } from '../config/arguments.js';
import type { AuditConfig } from '../config/audit-config.js';
import { checkMapHost } from '../config/checks.js';
import { DIFF_ASPECTS, DIFF_PARTS, type DiffPart } from '../config/option-spec.js';
import { ChangeSpool } from '../store/change-spool.js';
import { DiffReader } from '../store/diff-reader.js';
import type { HostNames } from '../store/host-names.js';
import { comparePages } from './compare.js';
import { type ComparedFindings, compareAudits } from './findings.js';
import { optionsOf, remarksOn } from './remarks.js';
import type { ComparedCrawl, CrawlDiff, DiffCounts, FindingChange, PageChange } from './result.js';

/** How two crawls are compared. */
export interface DiffOptions {
  /** What does not count. */
  ignore?: readonly DiffPart[];
  /** Hosts that are called otherwise in the later crawl, by the name in the earlier one: staging and production. */
  mapHosts?: Readonly<Record<string, string>>;
  /** Rules and thresholds of the audit that findings come from, as under `audit` in a config file. */
  audit?: AuditConfig;
}

const CALL = "diff('monday', 'tuesday', { ignore: ['assets'] })";
const CHANGES = ['added', 'removed', 'changed'] as const;
const FINDINGS = ['came', 'went'] as const;

/**
 * Compares two kept crawls, the earlier first. Both are only read. Memory does not grow with them: what differs goes to a temporary file, which
 * is gone when the answer is closed.
 */
export async function diff(before: string, after: string, options: DiffOptions = {}): Promise<CrawlDiff> {
  const directories = [
    readDirectory(CALL, before, 'earlier crawl'),
    readDirectory(CALL, after, 'later crawl'),
  ] as const;
  const { ignored, names, settings } = readDiffOptions(options);
  const old = DiffReader.open(directories[0], names);
  let now: DiffReader | null = null;
  let findings: ComparedFindings | null = null;
  const spool = new ChangeSpool();
  try {
    now = DiffReader.open(directories[1]);
    const counts = emptyCounts();
    await comparePages(
      old,
      now,
      { ignored, sameBytesMayDiffer: [old, now].some(mayDraw) },
      {
        unchanged: () => {
          counts.unchanged++;
        },
        change: (change) => {
          spool.add(change.change, change);
          counts[change.change]++;
          for (const aspect of DIFF_ASPECTS) {
            if (change.differences?.[aspect] !== undefined) {
              counts.byAspect[aspect] = (counts.byAspect[aspect] ?? 0) + 1;
            }
          }
        },
      },
    );
    if (!ignored.has('findings')) {
      findings = compareAudits(directories, names, settings);
      for (const finding of findings.changes) {
        spool.add(finding.change, finding);
        counts[finding.change === 'came' ? 'findingsCame' : 'findingsWent']++;
        counts.byRule[finding.rule] ??= { came: 0, went: 0 };
        counts.byRule[finding.rule]![finding.change]++;
      }
    }
    const { added, removed, changed, unchanged, findingsCame, findingsWent } = counts;
    return {
      before: factsOf(old, directories[0], removed + changed + unchanged),
      after: factsOf(now, directories[1], added + changed + unchanged),
      remarks: [...remarksOn(old, now, directories), ...(findings?.remarks ?? [])],
      ignored: DIFF_PARTS.filter((part) => ignored.has(part)),
      counts,
      differs: added + removed + changed + findingsCame + findingsWent > 0,
      changes: (change) => all<PageChange>(spool, change === undefined ? CHANGES : [change]),
      findings: (change) => all<FindingChange>(spool, change === undefined ? FINDINGS : [change]),
      close: () => spool.close(),
    };
  } catch (error) {
    spool.close();
    throw error;
  } finally {
    old.close();
    now?.close();
    findings?.close();
  }
}

const emptyCounts = (): DiffCounts => ({
  ...{ added: 0, removed: 0, changed: 0, unchanged: 0, byAspect: {} },
  ...{ findingsCame: 0, findingsWent: 0, byRule: {} },
});

function* all<T>(spool: ChangeSpool, sorts: readonly string[]): IterableIterator<T> {
  for (const sort of sorts) {
    yield* spool.of(sort) as IterableIterator<T>;
  }
}

/** What is in the store of a page may be a browser's or a hook's, while its hash is that of what the server sent. */
function mayDraw(crawl: DiffReader): boolean {
  const { values } = optionsOf(crawl);
  const drawsSome = (values.hosts ?? []).some(({ render }) => render !== undefined && render !== 'never');
  return (values.render ?? 'never') !== 'never' || (values.hooks ?? null) !== null || drawsSome;
}

const factsOf = ({ crawl }: DiffReader, directory: string, pages: number): ComparedCrawl => ({
  directory,
  seeds: crawl.seeds().map(({ label }) => label),
  startedAt: new Date(Number(crawl.meta().startedAt ?? 0)).toISOString(),
  pages,
});

function readDiffOptions(given: DiffOptions): {
  ignored: ReadonlySet<DiffPart>;
  names: HostNames;
  settings: AuditSettings;
} {
  const options = readOptions(CALL, given);
  checkKeys('diff', options, ['ignore', 'mapHosts', 'audit']);
  const ignored = new Set(
    (options.ignore === undefined ? [] : readTexts(CALL, options.ignore, 'ignore')) as DiffPart[],
  );
  for (const part of ignored) {
    if (!DIFF_PARTS.includes(part)) {
      throw new UsageError(`ignore must name parts of ${DIFF_PARTS.join(', ')}, got ${describeValue(part)}`);
    }
  }
  const { mapHosts = {}, audit } = options;
  const settings = readAuditSettings(audit, null, (name, problem) => {
    throw new UsageError(`${name} ${problem}`);
  });
  if (typeof mapHosts !== 'object' || mapHosts === null) {
    throw new UsageError(`mapHosts must be an object of hosts by hosts, got ${describeValue(mapHosts)}`);
  }
  const entries = Object.entries(mapHosts);
  for (const [old, name] of entries) {
    if (typeof name !== 'string' || checkMapHost(`${old}=${name}`) !== null) {
      throw new UsageError(
        `mapHosts must be an object of hosts by hosts, with ports where they have any, got ${describeValue(name)} for ${describeValue(old)}`,
      );
    }
  }
  return { ignored, names: new Map(entries), settings };
}
