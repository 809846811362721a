import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { StateError, UsageError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import type { FetchOptions } from '../fetch/contract.js';
import { ArchiveIndexWriter, archiveIndexOf } from '../store/archive-index.js';
import { saidBy, seedsIn } from '../warc/captures.js';
import { type ArchivePart, noArchive } from '../warc/files.js';
import { nothingReadYet, partsOf, type ReadingNotes, recordsIn } from '../warc/reader.js';

/** Archives as a web: with `--from` a crawl replays them and sends no requests. */
export interface ArchiveWeb {
  fetch: NonNullable<FetchOptions['archive']>;
  /** For the user: what could not be read. */
  notices: readonly string[];
  /** Removes what is not needed once the crawl is over. */
  cleanUp(): void;
}

/** A record larger than this cannot be a page that a crawl would read. */
const LEAST_RECORD = 64 * 1024 * 1024;
/** How much the headers and the record's own lines may add to a body. */
const HEADS = 1024 * 1024;
/** After so many records the rest of the program gets its turn. */
const AT_ONCE = 64;
/** Ids of requests whose answers have not been seen yet, and the other way round. */
const MOST_OPEN = 1_000;
/** How many records are searched for the URLs that the archived crawl began with. */
const MOST_LOOKED_AT = 10_000;

export const mostRecordBytes = (maxBodyBytes: number): number => Math.max(LEAST_RECORD, maxBodyBytes + HEADS);

/**
 * @param directory where the crawl is kept; null if it is not kept
 * @param isStopped asked now and then
 */
export async function openArchiveWeb(
  options: Pick<CrawlOptions, 'from' | 'maxBodyBytes'>,
  directory: string | null,
): Promise<ArchiveWeb> {
  const parts = partsOf(options.from);
  const folder = directory ?? mkdtempSync(join(tmpdir(), 'gossamer-from-'));
  const index = join(folder, 'from.sqlite');
  const mostBytes = mostRecordBytes(options.maxBodyBytes);
  const of = JSON.stringify([mostBytes, parts.map((part) => [part, stampOf(part.path)])]);
  const notes = archiveIndexOf(index) === of ? null : await makeIndex(index, parts, mostBytes, of);
  return {
    fetch: { index, parts, mostRecordBytes: mostBytes },
    notices: notes === null ? [] : wordsFor(notes),
    cleanUp: () => {
      if (directory === null) {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function stampOf(path: string): [size: number, changed: number] {
  const { size, mtimeMs } = statSync(path);
  return [size, mtimeMs];
}

async function makeIndex(
  path: string,
  parts: readonly ArchivePart[],
  mostBytes: number,
  of: string,
): Promise<ReadingNotes> {
  const notes = nothingReadYet();
  const writer = new ArchiveIndexWriter(path);
  try {
    for (const [place, part] of parts.entries()) {
      const before = notes.records;
      await indexPart(writer, part, place, mostBytes, notes);
      if (notes.records === before) {
        throw noArchive(part.name, 'no record in it can be read');
      }
    }
    writer.finish(of);
    return notes;
  } catch (error) {
    writer.close();
    throw error;
  }
}

async function indexPart(
  writer: ArchiveIndexWriter,
  part: ArchivePart,
  place: number,
  mostBytes: number,
  notes: ReadingNotes,
): Promise<void> {
  const methods = new Recent<string>();
  const answers = new Recent<number>();
  let count = 0;
  for (const record of recordsIn(part, mostBytes, notes)) {
    if (++count % AT_ONCE === 0) {
      await setImmediate();
    }
    const said = saidBy(record);
    const { offset, length } = record;
    if (said?.what === 'failure') {
      const { url, at, error, message } = said;
      writer.add({
        ...{ url, at, error, message, part: place, offset, length, method: null, digest: null, isRevisit: false },
      });
    } else if (said?.what === 'answer') {
      const method = (said.concurrentTo === null ? undefined : methods.get(said.concurrentTo)) ?? null;
      const id = writer.add({ ...said.capture, method, part: place, offset, length, error: null, message: null });
      answers.set(said.id, id);
    } else if (said?.what === 'request') {
      methods.set(said.id, said.method);
      const answer = said.concurrentTo === null ? undefined : answers.get(said.concurrentTo);
      if (answer !== undefined) {
        writer.setMethod(answer, said.method);
      }
    }
  }
}

/** The last ones. */
class Recent<T> {
  readonly #values = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.set(key, value);
    if (this.#values.size > MOST_OPEN) {
      this.#values.delete(this.#values.keys().next().value!);
    }
  }
}

const wordsFor = ({ damaged, tooLarge }: ReadingNotes): string[] => [
  ...(damaged === 0 ? [] : [`${formatCount(damaged)} records of the archive are damaged and were passed over`]),
  ...(tooLarge === 0
    ? []
    : [
        `${formatCount(tooLarge)} records of the archive are larger than a page may be (--max-body) and were passed over`,
      ]),
];

/** The URLs that archives were made from: those that they name, otherwise their first page. */
export function seedsOfArchives(paths: readonly string[], maxBodyBytes: number): { seeds: string[]; isGuess: boolean } {
  const seeds = new Set<string>();
  let first: string | null = null;
  for (const part of partsOf(paths)) {
    let looked = 0;
    for (const record of recordsIn(part, mostRecordBytes(maxBodyBytes), nothingReadYet())) {
      const named = seedsIn(record);
      for (const seed of named) {
        seeds.add(seed);
      }
      const said = saidBy(record);
      if (first === null && said?.what === 'answer' && isPage(record.block)) {
        first = said.capture.url;
      }
      if (named.length > 0 || first !== null || ++looked >= MOST_LOOKED_AT) {
        break;
      }
    }
  }
  if (seeds.size === 0 && first === null) {
    throw new StateError(
      'archive',
      `there is no page to begin with at the beginning of ${printable(paths.join(', '))}: name a URL`,
    );
  }
  return seeds.size > 0 ? { seeds: [...seeds], isGuess: false } : { seeds: [first!], isGuess: true };
}

/** What a command reads: what the user names, otherwise what its archives were made from. `guess` is such a URL that no archive names. */
export function namedOrArchived(
  positionals: readonly string[],
  options: Pick<CrawlOptions, 'from' | 'startUrls' | 'seedsFiles' | 'maxBodyBytes'>,
): { named: readonly string[]; guess: string | null } {
  const { from, startUrls, seedsFiles, maxBodyBytes } = options;
  if (from.length === 0 || positionals.length + startUrls.length + seedsFiles.length > 0) {
    return { named: positionals, guess: null };
  }
  const { seeds, isGuess } = seedsOfArchives(from, maxBodyBytes);
  return { named: seeds, guess: isGuess ? seeds[0]! : null };
}

/** One sentence for the user. */
export const guessed = (url: string): string =>
  `the archive does not say where it began: beginning at its first page, ${printable(url, 200)}; name URLs to begin elsewhere`;

/** Whether an answer is an HTML page that was found. */
function isPage(block: Buffer): boolean {
  const head = block
    .subarray(0, 64 * 1024)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1)[0]!;
  return /^HTTP\/\d(?:\.\d)? 200\b/.test(head) && /^content-type:[ \t]*(?:text\/html|application\/xhtml)/im.test(head);
}

/** Options that send requests, or that mean nothing when no requests are sent. */
const FOR_THE_WEB = [
  ['since', 'since'],
  ['httpCache', 'http-cache'],
  ['proxy', 'proxy'],
  ['cookieJar', 'cookie-jar'],
] as const;

export function refuseWithArchive(options: CrawlOptions): void {
  const given = FOR_THE_WEB.find(([key]) => {
    const value = options[key];
    return Array.isArray(value) ? value.length > 0 : value !== null;
  });
  if (given !== undefined) {
    throw new UsageError(`--${given[1]} has no meaning for an archive, which asks no server: leave it out`);
  }
  if (options.render !== 'never') {
    throw new UsageError('--render cannot be used with --from: an archive does not have what a browser would request');
  }
  if (options.format === 'warc') {
    throw new UsageError('--format warc cannot be used with --from: the archive is there already');
  }
}
