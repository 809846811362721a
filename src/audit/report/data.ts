import { csvRow, jsonLine } from '../../report/output.js';
import type { TableColumn } from '../../report/parquet.js';
import type { AuditReport } from './result.js';

/** All of it as one object of JSON, a place a line. docs/schemas/audit-1.json describes it. */
export function* jsonAudit(report: AuditReport): Iterable<string> {
  const { summary, findings, gaps, passed } = report;
  yield `{"version":1,"summary":${json(summary)},\n"findings":[`;
  for (const [place, finding] of findings.entries()) {
    yield `${place === 0 ? '' : ','}\n{"finding":${json(finding)},"places":[`;
    let isFirst = true;
    for (const each of report.places(finding.rule)) {
      yield `${isFirst ? '' : ','}\n${json(each)}`;
      isFirst = false;
    }
    yield '\n]}';
  }
  yield `\n],\n"unanswered":${json(gaps)},\n"passed":${json(passed.map(({ id }) => id))}}\n`;
}

const json = (value: unknown): string => jsonLine(value).trimEnd();

/** What a cell of the usual spreadsheet can hold is 32,767 characters. */
const CELL_LENGTH = 32_000;
export const AUDIT_COLUMNS: readonly TableColumn[] = [
  ...['rule', 'severity', 'title', 'url', 'target', 'detail', 'text'].map((name) => ({ name, type: 'text' as const })),
  { name: 'times', type: 'integer' },
];

/** For a spreadsheet: a row for each place. */
export function* csvAudit(report: AuditReport): Iterable<string> {
  yield csvRow(AUDIT_COLUMNS.map(({ name }) => name));
  for (const row of auditRows(report)) {
    yield csvRow(row.map(cut));
  }
}

export function* auditRows(report: AuditReport): Iterable<(string | number | null)[]> {
  for (const { rule, severity, title } of report.findings) {
    for (const { url, target, detail, text, times } of report.places(rule)) {
      yield [rule, severity, title, url, target, detail, text, times];
    }
  }
}

const cut = (cell: string | number | null): string | number | null =>
  typeof cell === 'string' && cell.length > CELL_LENGTH ? `${cell.slice(0, CELL_LENGTH - 1)}…` : cell;
