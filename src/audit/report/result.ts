import type { NamedPlace } from '../../store/audit-tables.js';
import type { HostNames } from '../../store/host-names.js';
import type { AuditRule, Severity } from './rules.js';

/** One place of a finding. */
export type AuditPlace = NamedPlace;

/** What one rule has found. */
export interface AuditFinding {
  /** Id of the rule. */
  readonly rule: string;
  /** What it is. */
  readonly title: string;
  /** Why it matters. */
  readonly why: string;
  /** What to do. */
  readonly advice: string;
  /** How bad it is. */
  readonly severity: Severity;
  /** Whether it makes the run fail. */
  readonly fails: boolean;
  /** How many places there are. */
  readonly count: number;
  /** The same in words, such as `12 pages`. */
  readonly counted: string;
}

/** A rule that could not be answered, or not for all pages. */
export interface AuditGap {
  /** Id of the rule. */
  readonly rule: string;
  /** What it looks for. */
  readonly title: string;
  /** Nothing at all is known; else the findings are those of some pages. */
  readonly isWhole: boolean;
  /** What is missing. */
  readonly reason: string;
}

/** An audit in numbers. */
export interface AuditSummary {
  /** Where the crawl is kept. */
  readonly directory: string;
  /** What the crawl began with. */
  readonly seeds: readonly string[];
  /** HTML pages that answered. */
  readonly pages: number;
  /** Those of them that search engines take. */
  readonly indexable: number;
  /** Rules by what they have found. */
  readonly rules: { readonly checked: number; readonly found: number; readonly unanswered: number };
  /** Places of all rules of each severity. */
  readonly places: Readonly<Record<Severity, number>>;
  /** Findings that make the run fail. */
  readonly failing: number;
  /** What a reader needs to know before the figures are trusted. */
  readonly remarks: readonly string[];
}

/** The findings of a kept crawl. Places are read from the store as often as wanted, until it is closed. */
export interface AuditReport {
  readonly summary: AuditSummary;
  /** The worst first. */
  readonly findings: readonly AuditFinding[];
  readonly gaps: readonly AuditGap[];
  /** What looked at nothing wrong. */
  readonly passed: readonly AuditRule[];
  places(rule: string, from?: number, most?: number): Iterable<AuditPlace>;
  /** The same by the bytes of page and target, so that two audits can be laid side by side: hosts have these names, and nothing is there twice. */
  sorted(rule: string, names: HostNames): Iterable<AuditPlace>;
  close(): void;
}
