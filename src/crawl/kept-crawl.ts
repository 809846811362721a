import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Closable } from '../base/closable.js';
import { UsageError } from '../base/errors.js';
import {
  checkFunction,
  describeValue,
  type OutputStream,
  readDirectory,
  readOutputStream,
} from '../config/arguments.js';
import { EXPORT_FORMATS, type ExportFormat } from '../config/option-spec.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import { LINK_KINDS, type LinkKind } from '../parse/links.js';
import { exportFormat } from '../report/index.js';
import type { OutputNotes } from '../report/output.js';
import type { Summary } from '../report/summary.js';
import {
  type CrawlStatus,
  deleteCrawl as deleteIn,
  listCrawls as listIn,
  openForReading,
  openKept,
  statusOf,
} from '../store/directory.js';
import type { HostResult } from '../store/host-reader.js';
import type { PageResult } from '../store/page-types.js';
import { type EdgeResult, Reader } from '../store/reader.js';

/** An edge of a kept crawl. */
export interface KeptEdge extends Omit<EdgeResult, 'kind'> {
  /** What kind of link it is. */
  kind: LinkKind;
}

/** A crawl on disk, running or not, open to be read. Reading disturbs nobody; close it when you are done. */
export class KeptCrawl {
  /** Where it is kept. */
  readonly directory: string;
  readonly #open: Closable;
  readonly #reader: Reader;

  constructor(directory: string) {
    this.directory = directory;
    const database = openKept(directory);
    this.#open = new Closable(`the crawl in ${directory}`, () => database.close());
    this.#reader = new Reader(database);
  }

  /** How far the crawl is now. */
  status(): CrawlStatus {
    return statusOf(this.directory);
  }

  /** summary.json; null while the first run has not ended. */
  summary(): Summary | null {
    const path = join(this.directory, 'summary.json');
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Summary) : null;
  }

  /** Every URL and its result, in the order they were found. */
  pages(): IterableIterator<PageResult> {
    return this.#open.read(() => this.#reader.pages());
  }

  /** Every edge, one per occurrence: by page, and within a page in document order. */
  edges(): IterableIterator<KeptEdge> {
    return this.#open.read(() => this.#keptEdges());
  }

  *#keptEdges(): IterableIterator<KeptEdge> {
    for (const edge of this.#reader.edges()) {
      yield { ...edge, kind: LINK_KINDS[edge.kind]! };
    }
  }

  /** Every host and its result. */
  hosts(): IterableIterator<HostResult> {
    return this.#open.read(() => this.#reader.hosts.all());
  }

  /** Closes the store: pages, edges and hosts cannot be read any more. A second call does nothing. */
  close(): void {
    this.#open.close();
  }
}

/** Opens a crawl on disk, running or not, to be read. */
export const readCrawl = (directory: string): KeptCrawl =>
  new KeptCrawl(readDirectory("readCrawl('gossamer-data/example.com')", directory));

/** How far a crawl on disk has come, read without disturbing it. */
export const crawlStatus = (directory: string): CrawlStatus =>
  statusOf(readDirectory("crawlStatus('gossamer-data/example.com')", directory));

/** The crawls in the folders of `root`. Throws at one that cannot be read, unless `onUnreadable` is given: then that is called. */
export function listCrawls(root: string, onUnreadable: (name: string, error: Error) => void = rethrow): CrawlStatus[] {
  checkFunction('onUnreadable', onUnreadable);
  return listIn(readDirectory("listCrawls('gossamer-data')", root, 'root'), onUnreadable);
}

const rethrow = (_name: string, error: Error): never => {
  throw error;
};

/** Deletes a crawl that is not running. Files that are not the crawl's stay, and with them the directory. Returns how many such files there are. */
export const deleteCrawl = (directory: string): number =>
  deleteIn(readDirectory("deleteCrawl('gossamer-data/example.com')", directory));

const EXPORT_CALL = "exportCrawl('gossamer-data/example.com', 'csv', 'pages.csv')";

/** Writes an output of a kept crawl to a file, which takes its name when it is complete, or to a stream, which stays open. */
export async function exportCrawl(
  directory: string,
  format: ExportFormat,
  target: string | OutputStream,
): Promise<OutputNotes> {
  const from = readDirectory(EXPORT_CALL, directory);
  if (!EXPORT_FORMATS.includes(format)) {
    const near = typeof format === 'string' ? nearestName(format, EXPORT_FORMATS) : null;
    throw new UsageError(
      `the format of exportCrawl must be one of ${EXPORT_FORMATS.join(', ')}, got ${describeValue(format)}${didYouMean(near)}`,
    );
  }
  const place =
    typeof target === 'object' && target !== null
      ? { stdout: readOutputStream('the target of exportCrawl', target) as Writable }
      : { path: readDirectory(EXPORT_CALL, target, 'target') };
  return openForReading(from, (reader) => exportFormat(reader, format, place));
}
