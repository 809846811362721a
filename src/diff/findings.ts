import { auditCrawl } from '../audit/audit.js';
import type { AuditReport } from '../audit/report/result.js';
import { AUDIT_RULES, type AuditRule, type Severity } from '../audit/report/rules.js';
import type { AuditSettings } from '../audit/settings.js';
import type { HostNames } from '../store/host-names.js';
import { compareBytes } from './order.js';
import type { FindingChange } from './result.js';

const RULES: readonly AuditRule[] = AUDIT_RULES;
const NO_NAMES: HostNames = new Map();

/** Something that is wrong in a crawl. Two of the same rule, page and target are the same finding, whatever their words. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly url: string;
  readonly target: string | null;
  readonly detail: string | null;
}

/** What an audit says of both crawls. */
export interface ComparedFindings {
  readonly changes: IterableIterator<FindingChange>;
  /** Rules that only one of the crawls can answer, and why the other cannot. */
  readonly remarks: readonly string[];
  /** Has to be called when the changes are read. */
  close(): void;
}

/**
 * Audits both crawls, and compares what was found rule by rule. A rule that one of them cannot answer is left out: nobody knows what came or went.
 *
 * @param names hosts of the earlier crawl that are called otherwise in the later one
 */
export function compareAudits(
  directories: readonly [string, string],
  names: HostNames,
  settings: AuditSettings,
): ComparedFindings {
  // How long an answer took is another time each time.
  const severities = new Map(settings.severities);
  for (const { id } of RULES.filter(({ isMeasured }) => isMeasured === true)) {
    severities.set(id, null);
  }
  const reports: AuditReport[] = [];
  const close = (): void => {
    for (const report of reports) {
      report.close();
    }
  };
  try {
    for (const directory of directories) {
      reports.push(auditCrawl(directory, { ...settings, severities }));
    }
    const [before, after] = reports as [AuditReport, AuditReport];
    const gaps = reports.map((report) => gapsOf(report));
    const left = new Set(gaps.flatMap((each) => [...each.keys()]));
    return {
      changes: compareFindings(findingsOf(before, left, names), findingsOf(after, left, NO_NAMES)),
      remarks: gaps.flatMap((own, place) => remarksOn(own, gaps[1 - place]!, directories[place]!)),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Rules of which a crawl knows nothing, or not of all its pages. */
const gapsOf = ({ gaps }: AuditReport): Map<string, string> => new Map(gaps.map(({ rule, reason }) => [rule, reason]));

function remarksOn(own: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>, directory: string): string[] {
  const byReason = new Map<string, string[]>();
  for (const [rule, reason] of own) {
    if (!others.has(rule)) {
      byReason.set(reason, [...(byReason.get(reason) ?? []), rule]);
    }
  }
  return [...byReason].map(
    ([reason, rules]) => `Findings of ${rules.join(', ')} are not compared: of the crawl in ${directory}, ${reason}.`,
  );
}

/** All findings of a crawl, in the order of their rules, and within each in that of the bytes of page and target. */
function* findingsOf(report: AuditReport, left: ReadonlySet<string>, names: HostNames): IterableIterator<Finding> {
  const severities = new Map(report.findings.map(({ rule, severity }) => [rule, severity]));
  for (const { id: rule, by } of RULES) {
    const severity = severities.get(rule);
    if (severity === undefined || left.has(rule)) {
      continue;
    }
    // The number of its group is another one where pages were found in another order.
    const isGrouped = 'own' in by && by.own === 'nearDuplicate';
    for (const { url, target, detail } of report.sorted(rule, names)) {
      yield { rule, severity, url, target, detail: isGrouped ? null : detail };
    }
  }
}

/** Which of them came and which went, by one walk over both. */
export function* compareFindings(before: Iterator<Finding>, after: Iterator<Finding>): IterableIterator<FindingChange> {
  let [old, now] = [before.next(), after.next()];
  while (!old.done || !now.done) {
    const order = old.done ? 1 : now.done ? -1 : compareFindingPlaces(old.value, now.value);
    if (order < 0) {
      yield { change: 'went', ...old.value! };
    } else if (order > 0) {
      yield { change: 'came', ...now.value! };
    }
    if (order <= 0) {
      old = before.next();
    }
    if (order >= 0) {
      now = after.next();
    }
  }
}

const RULE_PLACES = new Map(RULES.map(({ id }, place) => [id, place]));

/** No target comes before any, as SQLite has it. */
const compareFindingPlaces = (a: Finding, b: Finding): number =>
  RULE_PLACES.get(a.rule)! - RULE_PLACES.get(b.rule)! ||
  compareBytes(a.url, b.url) ||
  compareBytes(a.target ?? '', b.target ?? '');
