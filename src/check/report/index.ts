import type { CheckFormat } from '../../config/option-spec.js';
import { AtomicFiles } from '../../report/atomic-file.js';
import { type OutputFile, TextWriter } from '../../report/output.js';
import { csvReport } from './csv.js';
import { githubReport } from './github.js';
import { htmlReport } from './html.js';
import { jsonlReport, jsonReport } from './json.js';
import { junitReport } from './junit.js';
import { markdownReport } from './markdown.js';
import type { CheckReport } from './result.js';
import { sarifReport } from './sarif.js';
import { terminalReport } from './terminal.js';
import type { ReportOptions, ReportWriter } from './writer.js';

export { CHECK_FORMATS, type CheckFormat } from '../../config/option-spec.js';
export { githubStepSummary } from './github.js';
export { lastLineOf } from './terminal.js';
export type { Paint, ReportOptions } from './writer.js';

export const CHECK_REPORTS: Readonly<Record<CheckFormat, ReportWriter>> = {
  terminal: terminalReport,
  json: jsonReport,
  jsonl: jsonlReport,
  csv: csvReport,
  junit: junitReport,
  sarif: sarifReport,
  github: githubReport,
  markdown: markdownReport,
  html: htmlReport,
};

/** Nothing but text: for a file or a pipe. */
export const PLAIN_REPORT: ReportOptions = { paint: (_color, text) => text, verbose: false };

/** Writes one report piece by piece; waits where the file asks for it. */
export async function writeCheckReport(
  report: CheckReport,
  format: CheckFormat,
  file: OutputFile,
  options = PLAIN_REPORT,
): Promise<void> {
  const text = new TextWriter(file);
  for (const piece of CHECK_REPORTS[format](report, options)) {
    const wait = text.write(piece);
    if (wait !== undefined) {
      await wait;
    }
  }
  await text.flush();
  await file.close();
}

/** Writes a report to a file; it takes its name when it is complete. */
export async function writeReportFile(report: CheckReport, format: CheckFormat, path: string): Promise<void> {
  const files = new AtomicFiles(path);
  try {
    await writeCheckReport(report, format, files.create());
    files.commit();
  } catch (error) {
    files.discard();
    throw error;
  }
}
