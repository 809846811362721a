import { createWriteStream, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StateError } from '../base/errors.js';
import type { ExportFormat } from '../config/option-spec.js';
import type { Reader } from '../store/reader.js';
import { AtomicFiles } from './atomic-file.js';
import { edgesJsonl } from './edges.js';
import { hostsJsonl } from './hosts.js';
import type { Output, OutputNotes } from './output.js';
import { pagesCsv } from './pages-csv.js';
import { pagesJsonl } from './pages-jsonl.js';
import { seedsFile } from './seeds.js';
import { sitemapOutput } from './sitemap.js';
import { StreamFiles } from './stream-files.js';

export const OUTPUTS: Readonly<Record<ExportFormat, Output>> = {
  jsonl: pagesJsonl,
  sitemap: sitemapOutput(),
  csv: pagesCsv,
  edges: edgesJsonl,
  hosts: hostsJsonl,
  seeds: seedsFile,
};

export type ExportTarget = { path: string } | { stdout: Writable };

/** Writes one output from the store. A file takes its name when it is complete; on failure the old one stays. */
export async function exportFormat(reader: Reader, format: ExportFormat, target: ExportTarget): Promise<OutputNotes> {
  const output = OUTPUTS[format];
  if ('stdout' in target) {
    return writeTo(new StreamFiles(target.stdout, 'stdout'), output, reader);
  }
  if (isSpecialFile(target.path)) {
    return writeToSpecialFile(target.path, output, reader);
  }
  return writeTo(new AtomicFiles(target.path), output, reader);
}

async function writeTo(files: AtomicFiles | StreamFiles, output: Output, reader: Reader): Promise<OutputNotes> {
  try {
    const notes = await output.write(reader, files);
    await files.commit();
    return notes;
  } catch (error) {
    files.discard();
    throw error;
  }
}

/** /dev/null, a named pipe: a file that is renamed to it would take its place. */
function isSpecialFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) {
    throw new StateError('output', `cannot write ${path}: it is a folder`);
  }
  return stats !== undefined && !stats.isFile();
}

async function writeToSpecialFile(path: string, output: Output, reader: Reader): Promise<OutputNotes> {
  const stream = createWriteStream(path);
  try {
    const notes = await writeTo(new StreamFiles(stream, path), output, reader);
    stream.end();
    await finished(stream);
    return notes;
  } finally {
    stream.destroy();
  }
}
