import { jsonLine } from '../../report/output.js';
import type { CheckReport } from './result.js';

/** Changes only when a reader of the old form could not read the new one. */
export const CHECK_SCHEMA = 'https://github.com/gossamer-crawler/gossamer/schema/check-1.json';

/** The exact report: nothing is cut or replaced. docs/schemas/check-1.json describes it. */
export function* jsonReport(report: CheckReport): Iterable<string> {
  yield jsonLine(headOf(report)).replace(/\}\n$/, ',"links":[\n');
  let separator = '';
  for (const link of report.links()) {
    yield `${separator}${jsonLine(link).trimEnd()}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

/** The same in lines: first what is said of the run, then a link a line. */
export function* jsonlReport(report: CheckReport): Iterable<string> {
  yield jsonLine(headOf(report));
  for (const link of report.links()) {
    yield jsonLine(link);
  }
}

const headOf = ({ startedAt, seeds, summary }: CheckReport) => ({ schema: CHECK_SCHEMA, startedAt, seeds, summary });
