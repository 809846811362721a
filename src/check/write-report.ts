import { AtomicFiles } from '../report/atomic-file.js';
import { type CheckFormat, writeCheckReport } from './report/index.js';
import type { CheckReport } from './result.js';

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
