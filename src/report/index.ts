import { accessSync, constants, createWriteStream, rmSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StateError } from '../base/errors.js';
import type { ExportFormat, ReportTarget } from '../config/option-spec.js';
import type { Reader } from '../store/reader.js';
import { AtomicFiles, outputFailure, writeFileAtomically } from './atomic-file.js';
import { edgesJsonl, hostsJsonl, seedsFile } from './lists.js';
import type { Output, OutputFiles, OutputNotes } from './output.js';
import { PagesSink, pagesCsv, pagesJsonl } from './pages.js';
import type { Sink } from './sinks.js';
import { sitemapOutput } from './sitemap.js';
import { StreamFiles } from './stream-files.js';
import { type RunFacts, type Summary, summarise, summaryJson } from './summary.js';
import { waczOutput } from './wacz.js';
import { cdxjOutput, warcOutput } from './warc.js';

export const OUTPUTS: Readonly<Record<ExportFormat, Output>> = {
  jsonl: pagesJsonl,
  sitemap: sitemapOutput(),
  csv: pagesCsv,
  edges: edgesJsonl,
  hosts: hostsJsonl,
  seeds: seedsFile,
  warc: warcOutput,
  wacz: waczOutput,
  cdxj: cdxjOutput,
};

const PAGES_FILE = 'pages.jsonl';

/** What is written in the folder of a crawl while it goes on. */
export const sinksIn = (directory: string): Sink[] => [new PagesSink(join(directory, PAGES_FILE))];

/** What is written in the folder of a crawl at the end of each run, and then the outputs that were asked for beside it. */
export async function writeOutputs(
  reader: Reader,
  directory: string,
  facts: Omit<RunFacts, 'sitemap'>,
  reports: readonly ReportTarget<ExportFormat>[],
): Promise<Summary> {
  await exportFormat(reader, 'jsonl', { path: join(directory, PAGES_FILE) });
  const sitemap = await exportFormat(reader, 'sitemap', { path: join(directory, 'sitemap.xml') });
  const summary = summarise(reader, { ...facts, sitemap });
  writeFileAtomically(join(directory, 'summary.json'), summaryJson(summary));
  // Last: a path of the user's that cannot be written must not cost what is always there.
  for (const { format, path } of reports) {
    await exportFormat(reader, format, { path });
  }
  return summary;
}

export type ExportTarget = { path: string } | { stdout: Writable };

/** Writes one output from the store. */
export const exportFormat = (reader: Reader, format: ExportFormat, target: ExportTarget): Promise<OutputNotes> =>
  writeOutput(target, (files) => OUTPUTS[format].write(reader, files));

/** Writes one output. A file takes its name when it is complete; on failure the old one stays. */
export async function writeOutput(target: ExportTarget, write: WriteFiles): Promise<OutputNotes> {
  if ('stdout' in target) {
    return writeTo(new StreamFiles(target.stdout, 'stdout'), write);
  }
  if (isSpecialFile(target.path)) {
    return writeToSpecialFile(target.path, write);
  }
  const notes = await writeTo(new AtomicFiles(target.path), write);
  removeUnwritten(target.path, notes);
  return notes;
}

type WriteFiles = (files: OutputFiles) => Promise<OutputNotes>;

/** What an earlier run left under this name must not pass for the output of this one. */
function removeUnwritten(path: string, { files }: OutputNotes): void {
  if (files === 0) {
    rmSync(path, { force: true });
  }
}

/** Throws now what writing there would throw at the end of a crawl. Leaves nothing behind. */
export function refuseUnwritable(path: string): void {
  if (!isSpecialFile(path)) {
    const files = new AtomicFiles(path);
    files.create();
    files.discard();
    return;
  }
  try {
    // Not opened: a named pipe would wait for its reader.
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw outputFailure(path, error);
  }
}

async function writeTo(files: AtomicFiles | StreamFiles, write: WriteFiles): Promise<OutputNotes> {
  try {
    const notes = await write(files);
    await files.synced();
    files.commit();
    return notes;
  } catch (error) {
    // Only when none of them is on its way to the disk any more may they be discarded.
    await files.synced().catch(() => {});
    files.discard();
    throw error;
  }
}

/** /dev/null, a named pipe: a file that is renamed to it would take its place. */
function isSpecialFile(path: string): boolean {
  const stats = statsOf(path);
  if (stats?.isDirectory()) {
    throw new StateError('output', `cannot write ${path}: it is a folder`);
  }
  return stats !== undefined && !stats.isFile();
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw outputFailure(path, error);
  }
}

async function writeToSpecialFile(path: string, write: WriteFiles): Promise<OutputNotes> {
  const stream = createWriteStream(path);
  try {
    const notes = await writeTo(new StreamFiles(stream, path), write);
    stream.end();
    await finished(stream);
    return notes;
  } finally {
    stream.destroy();
  }
}
