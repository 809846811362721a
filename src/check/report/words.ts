import { printable } from '../../base/text.js';
import {
  type CheckedLink,
  type CheckReport,
  type CheckSummary,
  type LinkSource,
  VERDICTS,
  type Verdict,
} from '../result.js';
import { VERDICT_HELP } from '../verdict-help.js';

/** Longest text of a page, and longest URL, that a report for people shows. */
export const TEXT_LENGTH = 200;
export const URL_LENGTH = 2000;

/** A link as it is to be written, the fragment included. */
export const targetOf = ({ url, fragment }: CheckedLink): string => (fragment === null ? url : `${url}#${fragment}`);

/** Text from the net in a line that a CI system may read: `##[` and `##vso[` would be commands to it wherever they stand. */
export const plain = (text: string, maxLength: number): string =>
  printable(text, maxLength).replace(/##(?=\w*\[)/g, '#\ufffd');

/** It fails, or nobody knows whether it works. What a baseline knows already is left in peace. */
export const needsAttention = ({ fails, verdict, firstSeen }: CheckedLink): boolean =>
  fails || (VERDICT_HELP[verdict].weight === 'attention' && firstSeen === null);

export const isUrl = (page: string): boolean => /^(?:https?|file):\/\//i.test(page);

/** `docs/a.md:12:5`, which editors and terminals open, and `https://a.test/ 12:5`, because that would be another URL. */
export function placeOf({ page, line, column }: LinkSource): string {
  const position = line === null ? '' : `${isUrl(page) ? ' ' : ':'}${line}${column === null ? '' : `:${column}`}`;
  return `${plain(page, URL_LENGTH)}${position}`;
}

/** The status, and why the verdict was given. */
export function reasonOf({ status, evidence }: CheckedLink): string {
  const why = plain(evidence.why, 500);
  return status === null || why.includes(String(status)) ? why : `${status}: ${why}`;
}

/** `1,234,567`. */
export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US');

export const counted = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export const countedVerdict = (count: number, verdict: Verdict): string =>
  counted(count, ...VERDICT_HELP[verdict].counted);

/** `310 ms`, `4.2 s`, `2 m 10 s`, `1 h 05 m`. */
export function formatElapsed(ms: number): string {
  if (ms < 1000) {
    return `${Math.max(0, Math.round(ms))} ms`;
  }
  if (ms < 59_950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  const two = (figure: number) => String(figure).padStart(2, '0');
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`
    : `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} m`;
}

export interface Tally {
  links: number;
  failing: number;
}

/** What is in a report, in the order of verdicts; only those that there are. */
export function tally(report: CheckReport): Map<Verdict, Tally> {
  const found = new Map<Verdict, Tally>();
  for (const { verdict, fails } of report.links()) {
    const sum = found.get(verdict) ?? { links: 0, failing: 0 };
    found.set(verdict, { links: sum.links + 1, failing: sum.failing + (fails ? 1 : 0) });
  }
  return new Map(VERDICTS.flatMap((verdict) => (found.has(verdict) ? [[verdict, found.get(verdict)!]] : [])));
}

/** `3 dead, 1 missing fragment, 12 unverifiable of 1,204 links`, or `1,204 links, all fine`. */
export function findings(summary: CheckSummary, tallies: ReadonlyMap<Verdict, Tally>): string {
  const parts = [...tallies].flatMap(([verdict, { links, failing }]) => {
    const count = VERDICT_HELP[verdict].weight === 'attention' ? links : failing;
    return count === 0 ? [] : [countedVerdict(count, verdict)];
  });
  const all = counted(summary.links, 'link', 'links');
  return parts.length === 0 ? `${all}, all fine` : `${parts.join(', ')} of ${all}`;
}

/** What a reader has to know before they trust the figures. */
export function remarks({ truncated, ignoredRobots, baseline, ignored }: CheckSummary): string[] {
  return [
    ...(truncated === null ? [] : [`cut short by ${plain(truncated, TEXT_LENGTH)}: not every link was looked at`]),
    ...(ignoredRobots ? ['robots.txt was ignored'] : []),
    ...(baseline === null
      ? []
      : [
          `against the baseline: ${formatCount(baseline.new)} new, ${formatCount(baseline.known)} known, ${formatCount(baseline.fixed.length)} fixed`,
        ]),
    ...(ignored === 0 ? [] : [`${counted(ignored, 'link was', 'links were')} left out by rules`]),
  ];
}
