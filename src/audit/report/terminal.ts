import { counted, formatCount } from '../../base/figures.js';
import type { AuditReport, AuditSummary } from './result.js';
import { SEVERITIES, type Severity } from './rules.js';
import { type AuditReportOptions, placeWords, plainText, URL_LENGTH } from './writer.js';

const SHOWN = 3;
const COLORS = { error: 'red', warning: 'yellow', notice: 'dim' } as const satisfies Record<Severity, string>;
const MARKS = { error: '✗', warning: '!', notice: '·' } as const satisfies Record<Severity, string>;

/** A line a finding with its first places, the worst first; then what could not be answered, and a sum. */
export function* terminalAudit(report: AuditReport, { paint }: AuditReportOptions): Iterable<string> {
  const { summary, findings, gaps, passed } = report;
  for (const { rule, title, severity, count, counted: words, why, fails } of findings) {
    const mark = paint(COLORS[severity], `${MARKS[severity]} ${severity.padEnd(7)}`);
    yield `${mark} ${paint('bold', title)}: ${words}${fails ? paint('red', ' (fails)') : ''} ${paint('dim', rule)}\n`;
    yield `          ${paint('dim', why)}\n`;
    for (const place of report.places(rule, 0, SHOWN)) {
      const more = placeWords(place);
      yield `          ${plainText(place.url, URL_LENGTH)}${more === '' ? '' : paint('dim', `  ${more}`)}\n`;
    }
    if (count > SHOWN) {
      yield `          ${paint('dim', `and ${formatCount(count - SHOWN)} more`)}\n`;
    }
  }
  for (const { title, reason, isWhole, rule } of gaps) {
    yield `${paint('yellow', '? ')}${isWhole ? 'not answered' : 'answered in part'}: ${title} (${reason}) ${paint('dim', rule)}\n`;
  }
  if (passed.length > 0) {
    yield `${paint('green', '✓')} nothing found by ${counted(passed.length, 'rule')}: ${passed.map(({ id }) => id).join(', ')}\n`;
  }
  for (const remark of summary.remarks) {
    yield `${paint('dim', `note: ${remark}`)}\n`;
  }
  yield `${sumOf(summary)}\n`;
}

/** `12 errors, 40 warnings and 310 notices on 1,169 pages`. */
export function sumOf({ places, pages, rules }: AuditSummary): string {
  const parts = SEVERITIES.map((severity) => counted(places[severity], severity));
  const unanswered = rules.unanswered === 0 ? '' : `; ${counted(rules.unanswered, 'rule')} not answered`;
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)} on ${counted(pages, 'page')}${unanswered}`;
}
