import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { readDirectory, readOptions } from '../config/arguments.js';
import type { AuditConfig } from '../config/audit-config.js';
import { checkOptionKeys } from '../config/names.js';
import { AUDIT_FORMATS, type AuditFormat } from '../config/option-spec.js';
import { auditCrawl } from './audit.js';
import { writeAuditFile } from './report/index.js';
import type { AuditFinding, AuditGap, AuditPlace, AuditSummary } from './report/result.js';
import { readAuditSettings } from './settings.js';

/** What `audit` takes: what stands under `audit` in a config file. */
export type AuditOptions = AuditConfig;

/** What an audit found. Places can be read until it is closed. */
export interface SiteAudit {
  /** Pages, counts by severity, and what a reader should know. */
  readonly summary: AuditSummary;
  /** One for each rule that found something, the worst first. */
  readonly findings: readonly AuditFinding[];
  /** Rules that this crawl cannot answer, and why. */
  readonly unanswered: readonly AuditGap[];
  /** The places of a rule, all of them; read from the store as they are asked for. */
  places(rule: string): Iterable<AuditPlace>;
  /** Writes a report, in the formats of --report. */
  write(format: AuditFormat, path: string): Promise<void>;
  /** Gives the store back: places cannot be read any more. */
  close(): void;
}

const CALL = "audit('gossamer-data/example.com', { failOn: 'error' })";

/** Looks at a kept crawl as the owner of the site would: broken links, titles, duplicates, what search engines are told. Nothing is fetched. */
export function audit(directory: string, options: AuditOptions = {}): SiteAudit {
  const path = resolve(readDirectory(CALL, directory));
  const given = readOptions(CALL, options) as AuditOptions;
  checkOptionKeys(given, ['rules', 'thresholds', 'failOn'], 'audit');
  const settings = readAuditSettings(given, null, (name, problem) => {
    throw new UsageError(`${name.replace(/^audit\.?/, '')} ${problem}`.trim());
  });
  const report = auditCrawl(path, settings);
  return {
    summary: report.summary,
    findings: report.findings,
    unanswered: report.gaps,
    places: (rule) => report.places(rule),
    write: async (format, file) => {
      if (!AUDIT_FORMATS.includes(format)) {
        throw new UsageError(`a report of an audit is one of ${AUDIT_FORMATS.join(', ')}`);
      }
      await writeAuditFile(report, format, file);
    },
    close: () => report.close(),
  };
}
