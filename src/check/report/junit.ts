import { formatCount } from '../../base/figures.js';
import { xmlText } from '../../report/output.js';
import type { CheckedLink, CheckReport, Verdict } from './result.js';
import { VERDICT_HELP } from './verdict-help.js';
import {
  isCopy,
  needsAttention,
  notLookedAt,
  placeOf,
  plainText,
  reasonOf,
  remarks,
  type Tally,
  TEXT_LENGTH,
  tally,
  targetOf,
  URL_LENGTH,
} from './words.js';

const SHOWN_SOURCES = 20;

/**
 * A suite a verdict, a case a target. CI systems know a case again by its class and name: these stay the same whatever becomes of the
 * link, so that it is shown as newly broken or as repaired. What needs attention and does not fail is `skipped`.
 */
export function* junitReport(report: CheckReport): Iterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n';
  const tallies = tally(report);
  const skipped = skippedByVerdict(report);
  let verdict: Verdict | null = null;
  let id = 0;
  for (const link of report.links()) {
    if (link.verdict !== verdict) {
      yield verdict === null ? '' : SUITE_END;
      verdict = link.verdict;
      yield suiteStart(report, id, verdict, tallies.get(verdict)!, skipped.get(verdict) ?? 0);
      id++;
    }
    yield testCase(link);
  }
  yield `${verdict === null ? '' : SUITE_END}</testsuites>\n`;
}

const SUITE_END = '<system-out/>\n<system-err/>\n</testsuite>\n';

function suiteStart(
  report: CheckReport,
  id: number,
  verdict: Verdict,
  { links, failing }: Tally,
  skipped: number,
): string {
  const { startedAt, seeds, summary } = report;
  const attributes = {
    id,
    name: verdict,
    package: 'gossamer.check',
    // The schema of JUnit allows no time zone.
    timestamp: startedAt.slice(0, 19),
    hostname: 'localhost',
    tests: links,
    failures: failing,
    errors: 0,
    skipped,
    // The time of the whole run stands in one suite only, so that the sum is right.
    time: id === 0 ? (summary.durationMs / 1000).toFixed(3) : 0,
  };
  const properties = [
    ...seeds.slice(0, SHOWN_SOURCES).map((seed) => ({ name: 'seed', value: plainText(seed, URL_LENGTH) })),
    ...[notLookedAt(summary) ?? [], remarks(summary)].flat().map((remark) => ({ name: 'note', value: remark })),
  ];
  return `${tag('testsuite', attributes)}\n<properties>${properties.map((property) => `${tag('property', property)}</property>`).join('')}</properties>\n`;
}

function testCase(link: CheckedLink): string {
  const start = tag('testcase', {
    name: plainText(targetOf(link), URL_LENGTH),
    classname: 'gossamer.check',
    time: 0,
  });
  const message = `${link.verdict}: ${reasonOf(link)}`;
  if (link.fails) {
    return `${start}${tag('failure', { message, type: link.verdict })}${xmlText(explanation(link))}</failure></testcase>\n`;
  }
  return `${start}${isSkipped(link) ? `${tag('skipped', { message })}</skipped>` : ''}</testcase>\n`;
}

const isSkipped = (link: CheckedLink): boolean =>
  !link.fails && (link.verdict === 'skipped' || link.verdict === 'unchecked' || needsAttention(link));

function skippedByVerdict(report: CheckReport): Map<Verdict, number> {
  const counts = new Map<Verdict, number>();
  for (const link of report.links()) {
    counts.set(link.verdict, (counts.get(link.verdict) ?? 0) + (isSkipped(link) ? 1 : 0));
  }
  return counts;
}

function explanation(link: CheckedLink): string {
  const { meaning, advice } = VERDICT_HELP[link.verdict];
  const shown = link.sources.slice(0, SHOWN_SOURCES);
  const rest = link.sourceCount - shown.length;
  return [
    plainText(targetOf(link), URL_LENGTH),
    `${meaning} ${advice}`,
    ...(link.suggestion === null
      ? []
      : [`${isCopy(link) ? 'archived copy' : 'new'}: ${plainText(link.suggestion, URL_LENGTH)}`]),
    ...shown.map((source) => `on ${placeOf(source)} ${plainText(source.text, TEXT_LENGTH)}`.trimEnd()),
    ...(rest > 0 ? [`and ${formatCount(rest)} more`] : []),
    '',
  ].join('\n');
}

function tag(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(String(value))}"`);
  return `<${name}${written.join('')}>`;
}
