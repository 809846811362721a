import { counted, formatCount } from '../../base/figures.js';
import { printable } from '../../base/text.js';
import {
  type CheckedLink,
  type CheckReport,
  type CheckSummary,
  type LinkSource,
  VERDICTS,
  type Verdict,
} from './result.js';
import { isOnlyCounted, UNCHECKED_CAUSES, UNCHECKED_WORDS, uncheckedTotal } from './unchecked.js';
import { VERDICT_HELP } from './verdict-help.js';

/** Longest text of a page, and longest URL, that a report for people shows. */
export const TEXT_LENGTH = 200;
export const URL_LENGTH = 2000;

/** A link as it is to be written, the fragment included. */
export const targetOf = ({ url, fragment }: CheckedLink): string => (fragment === null ? url : `${url}#${fragment}`);

/** Text from the net in a line that a CI system may read: `##[` and `##vso[` would be commands to it wherever they stand. */
export const plainText = (text: string, maxLength: number): string =>
  printable(text, maxLength).replace(/##(?=\w*\[)/g, '#\ufffd');

/** Whether a link fails, or is not known to work and not in the baseline. */
export const needsAttention = ({ fails, verdict, unchecked, firstSeen }: CheckedLink): boolean =>
  fails || (VERDICT_HELP[verdict].weight === 'attention' && !isOnlyCounted(unchecked) && firstSeen === null);

export const isUrl = (page: string): boolean => /^(?:https?|file):\/\//i.test(page);

/** `docs/a.md:12:5`, which editors and terminals open, and `https://a.test/ 12:5`, because that would be another URL. */
export function placeOf({ page, line, column }: LinkSource): string {
  const position = line === null ? '' : `${isUrl(page) ? ' ' : ':'}${line}${column === null ? '' : `:${column}`}`;
  return `${plainText(page, URL_LENGTH)}${position}`;
}

/** The status, and why the verdict was given. */
export function reasonOf({ status, evidence }: CheckedLink): string {
  const why = plainText(evidence.why, 500);
  return status === null || why.includes(String(status)) ? why : `${status}: ${why}`;
}

/** Whether the suggestion of a link is a copy in an archive, as it is for a dead one. */
export const isCopy = ({ verdict }: CheckedLink): boolean => verdict === 'dead' || verdict === 'dns';

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

/** `3 dead, 1 missing fragment of 1,204 links, 15 not looked at: …`, `1,189 links fine, 15 not looked at: …`, or `1,204 links, all fine`. */
export function findings(summary: CheckSummary, tallies: ReadonlyMap<Verdict, Tally>): string {
  const parts = [...tallies].flatMap(([verdict, { links, failing }]) => {
    const count = VERDICT_HELP[verdict].weight === 'attention' ? links : failing;
    return count === 0 || verdict === 'unchecked' ? [] : [countedVerdict(count, verdict)];
  });
  const cut = summary.truncated === null ? null : `cut short by ${plainText(summary.truncated, TEXT_LENGTH)}`;
  const rest = notLookedAt(summary) ?? cut;
  if (parts.length > 0) {
    return `${parts.join(', ')} of ${counted(summary.links, 'link', 'links')}${rest === null ? '' : `, ${rest}`}`;
  }
  const unasked = (tallies.get('skipped')?.links ?? 0) + (tallies.get('unchecked')?.links ?? 0);
  const fine = counted(summary.links - unasked, 'link', 'links');
  return rest === null ? `${fine}, all fine` : `${fine} fine, ${rest}`;
}

/** `15 not looked at: 3 too long, 12 robots.txt`, or null where all were. */
export function notLookedAt({ unchecked }: CheckSummary): string | null {
  const causes = UNCHECKED_CAUSES.flatMap((cause) => {
    const count = unchecked[cause] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${UNCHECKED_WORDS[cause]}`];
  });
  return causes.length === 0 ? null : `${formatCount(uncheckedTotal(unchecked))} not looked at: ${causes.join(', ')}`;
}

/** Notes that a reader needs before they trust the figures. */
export function remarks({ truncated, ignoredRobots, baseline, ignored }: CheckSummary): string[] {
  return [
    ...(truncated === null ? [] : [`cut short by ${plainText(truncated, TEXT_LENGTH)}: not every link was looked at`]),
    ...(ignoredRobots ? ['robots.txt was ignored'] : []),
    ...(baseline === null
      ? []
      : [
          `against the baseline: ${formatCount(baseline.new)} new, ${formatCount(baseline.known)} known, ${formatCount(baseline.fixed.length)} fixed`,
        ]),
    ...(ignored === 0 ? [] : [`${counted(ignored, 'link was', 'links were')} left out by rules`]),
  ];
}
