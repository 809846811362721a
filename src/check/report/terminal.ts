import { counted, formatCount } from '../../base/figures.js';
import type { CheckedLink, CheckReport, LinkSource, Verdict } from './result.js';
import { VERDICT_HELP } from './verdict-help.js';
import {
  findings,
  formatElapsed,
  isCopy,
  needsAttention,
  placeOf,
  plainText,
  reasonOf,
  remarks,
  TEXT_LENGTH,
  tally,
  targetOf,
  URL_LENGTH,
} from './words.js';
import type { ReportOptions } from './writer.js';

const SHOWN_SOURCES = 5;

/** For people at a terminal: by verdict, then by target, and below each where it stands. */
export function* terminalReport(report: CheckReport, { paint, verbose }: ReportOptions): Iterable<string> {
  const tallies = tally(report);
  let verdict: Verdict | null = null;
  for (const link of report.links()) {
    if (!verbose && !needsAttention(link)) {
      continue;
    }
    if (link.verdict !== verdict) {
      verdict = link.verdict;
      yield heading(verdict, tallies.get(verdict)!.links, paint);
    }
    yield* linkLines(link, paint);
  }
  if (verdict !== null) {
    yield '\n';
  }
  for (const remark of remarks(report.summary)) {
    yield `${paint('yellow', 'note:')} ${remark}\n`;
  }
  yield `${paint(report.summary.exitCode === 0 ? 'green' : 'red', lastLineOf(report, tallies))}\n`;
}

/** The whole result in one line. */
export function lastLineOf(report: CheckReport, tallies = tally(report)): string {
  const { summary } = report;
  return `check: ${findings(summary, tallies)} (${formatElapsed(summary.durationMs)}) → exit ${summary.exitCode}`;
}

function heading(verdict: Verdict, count: number, paint: ReportOptions['paint']): string {
  const { meaning, advice } = VERDICT_HELP[verdict];
  return `\n${paint('bold', `${verdict} (${formatCount(count)})`)}\n${paint('dim', `${meaning} ${advice}`)}\n`;
}

/** No line begins with text from the net: `::error` there would be a command to a CI system. */
function* linkLines(link: CheckedLink, paint: ReportOptions['paint']): Iterable<string> {
  yield `  ${mark(link, paint)} ${plainText(targetOf(link), URL_LENGTH)}\n`;
  const said = reasonOf(link);
  if (said !== '') {
    yield `      ${paint('dim', 'why')} ${said}\n`;
  }
  if (link.suggestion !== null) {
    yield `      ${paint('dim', isCopy(link) ? 'copy' : 'new')} ${plainText(link.suggestion, URL_LENGTH)}\n`;
  }
  if (link.firstSeen !== null) {
    yield `      ${paint('dim', 'known since')} ${plainText(link.firstSeen, TEXT_LENGTH)}\n`;
  }
  const shown = link.sources.slice(0, SHOWN_SOURCES);
  for (const source of shown) {
    yield `      ${paint('dim', 'on')}  ${placeOf(source)}${wordsOf(source)}\n`;
  }
  const rest = link.sourceCount - shown.length;
  if (shown.length > 0 && rest > 0) {
    yield `      ${paint('dim', `and ${formatCount(rest)} more`)}\n`;
  } else if (shown.length === 0 && rest > 0) {
    yield `      ${paint('dim', `in ${counted(rest, 'place', 'places')}`)}\n`;
  }
}

function mark({ fails, verdict }: CheckedLink, paint: ReportOptions['paint']): string {
  if (fails) {
    return paint('red', '✗');
  }
  return VERDICT_HELP[verdict].weight === 'attention' ? paint('yellow', '!') : paint('green', '·');
}

const wordsOf = ({ text }: LinkSource): string => (text === '' ? '' : ` “${plainText(text, TEXT_LENGTH)}”`);
