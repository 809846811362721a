import type { AuditFormat } from '../../config/option-spec.js';
import { AtomicFiles } from '../../report/atomic-file.js';
import { type OutputFile, TextWriter } from '../../report/output.js';
import { writeParquet } from '../../report/parquet.js';
import { BOM } from '../../report/tables.js';
import { AUDIT_COLUMNS, auditRows, csvAudit, jsonAudit } from './data.js';
import { htmlAudit } from './html.js';
import { markdownAudit } from './markdown.js';
import type { AuditReport } from './result.js';
import { sarifAudit } from './sarif.js';
import { terminalAudit } from './terminal.js';
import type { AuditReportOptions, AuditReportWriter } from './writer.js';

export type { AuditPaint, AuditReportOptions } from './writer.js';

const AUDIT_REPORTS: Readonly<Record<Exclude<AuditFormat, 'parquet'>, AuditReportWriter>> = {
  terminal: terminalAudit,
  json: jsonAudit,
  csv: csvAudit,
  markdown: markdownAudit,
  sarif: sarifAudit,
  html: htmlAudit,
};

/** Nothing but text: for a file or a pipe. */
export const PLAIN: AuditReportOptions = { paint: (_color, text) => text };

/** Writes one report piece by piece; waits where the file asks for it. */
export async function writeAuditReport(
  report: AuditReport,
  format: AuditFormat,
  file: OutputFile,
  options = PLAIN,
): Promise<void> {
  if (format === 'parquet') {
    await writeParquet(file, AUDIT_COLUMNS, auditRows(report));
    return;
  }
  const text = new TextWriter(file);
  await text.write(format === 'csv' && options.bom === true ? BOM : '');
  for (const piece of AUDIT_REPORTS[format](report, options)) {
    const wait = text.write(piece);
    if (wait !== undefined) {
      await wait;
    }
  }
  await text.flush();
  await file.close();
}

/** Writes a report to a file; it takes its name when it is complete. */
export async function writeAuditFile(
  report: AuditReport,
  format: AuditFormat,
  path: string,
  options = PLAIN,
): Promise<void> {
  const files = new AtomicFiles(path);
  try {
    await writeAuditReport(report, format, files.create(), options);
    files.commit();
  } catch (error) {
    files.discard();
    throw error;
  }
}
