import type { DiffFormat } from '../../config/option-spec.js';
import { AtomicFiles } from '../../report/atomic-file.js';
import { type OutputFile, TextWriter } from '../../report/output.js';
import type { CrawlDiff } from '../result.js';
import { htmlDiff } from './html.js';
import { jsonDiff, jsonlDiff } from './json.js';
import { terminalDiff } from './terminal.js';
import type { Paint } from './words.js';

const PLAIN: Paint = (_color, text) => text;

const REPORTS: Readonly<Record<DiffFormat, (diff: CrawlDiff, paint: Paint) => Iterable<string>>> = {
  terminal: terminalDiff,
  json: jsonDiff,
  jsonl: jsonlDiff,
  html: htmlDiff,
};

/** Writes one report piece by piece; waits where the file asks for it. */
export async function writeDiff(diff: CrawlDiff, format: DiffFormat, file: OutputFile, paint = PLAIN): Promise<void> {
  const text = new TextWriter(file);
  for (const piece of REPORTS[format](diff, paint)) {
    const wait = text.write(piece);
    if (wait !== undefined) {
      await wait;
    }
  }
  await text.flush();
  await file.close();
}

/** Writes a report to a file; it takes its name when it is complete. */
export async function writeDiffFile(diff: CrawlDiff, format: DiffFormat, path: string): Promise<void> {
  const files = new AtomicFiles(path);
  try {
    await writeDiff(diff, format, files.create());
    files.commit();
  } catch (error) {
    files.discard();
    throw error;
  }
}
