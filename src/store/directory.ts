import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { foldersIn } from '../base/folders.js';
import { renameNow, whyNotRenamed } from '../base/rename.js';
import { shellWord } from '../base/text.js';
import { cookiesPath } from './cookie-store.js';
import { DirectoryLock } from './lock.js';
import { hasMail, MAIL_FOLDER } from './mailbox.js';
import { Reader, type Tally } from './reader.js';
import { APPLICATION_ID, SCHEMA_VERSION, UPGRADES } from './schema.js';
import { type Database, openDatabase } from './sqlite.js';
import { openStoreFile, storePath } from './store-file.js';

/** What a data directory holds. */
export type DirectoryState = 'empty' | 'unfinished' | 'finished';

const UNFINISHED_REASONS = new Set(['interrupted', 'terminated', 'stopped', 'memory', 'disk', 'error']);

/** Of SQLite, in bytes. */
const LARGEST_PAGE = 65_536;

/** The line to type that goes on with what a directory holds. */
export const resumeCommand = (directory: string, flag = ''): string =>
  `gossamer resume ${shellWord(directory)}${flag === '' ? '' : ` ${flag}`}`;

/** Opens the store of a directory to read from; throws a sentence when there is none, or nothing in it yet. */
export function openKept(directory: string): Database {
  const path = storePath(directory);
  if (!existsSync(path)) {
    throw new StateError('no_store', `there is no crawl in ${directory} (no crawl.sqlite)`);
  }
  if (isUnbegun(directory)) {
    throw new StateError(
      'not_begun',
      `nothing was crawled in ${directory} yet: its run ended before the first request; start it again with the command that it was started with`,
    );
  }
  return openStoreFile(path, { create: false, readOnly: true });
}

/** The same, closed again when it has been read. */
export function openForReading<T>(directory: string, read: (reader: Reader, database: Database) => T): T {
  const database = openKept(directory);
  let result: T;
  try {
    result = read(new Reader(database), database);
  } catch (error) {
    database.close();
    throw error;
  }
  if (result instanceof Promise) {
    return result.finally(() => database.close()) as T;
  }
  database.close();
  return result;
}

export function stateOf(directory: string): DirectoryState {
  if (!existsSync(storePath(directory)) || isUnbegun(directory)) {
    return 'empty';
  }
  return openForReading(directory, (reader) => keptState(reader.ended(), hasMail(directory)));
}

/** One that had ended has more to do once URLs were added to it. */
const keptState = (ended: ReturnType<Reader['ended']>, isAddedTo: boolean): 'unfinished' | 'finished' =>
  isAddedTo || ended === null || !ended.isWritten || UNFINISHED_REASONS.has(ended.reason) ? 'unfinished' : 'finished';

/** A process was killed before its crawl had begun here: there is nothing to resume, and nothing to lose. */
export function isUnbegun(directory: string): boolean {
  const path = storePath(directory);
  let database: Database | null = null;
  try {
    database = openDatabase(path, { readOnly: !isHalfWritten(path) });
    const applicationId = database.prepare('PRAGMA application_id').get()?.application_id;
    const tables = database.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.n;
    if (tables === 0) {
      return applicationId === 0 || applicationId === APPLICATION_ID;
    }
    const version = database.prepare('PRAGMA user_version').get()?.user_version;
    const isOurs = applicationId === APPLICATION_ID && (version === SCHEMA_VERSION || UPGRADES.has(version));
    return isOurs && database.prepare("SELECT value FROM meta WHERE key = 'options'").get() === undefined;
  } catch {
    // Not a database, or a damaged one: opening it says so.
    return false;
  } finally {
    database?.close();
  }
}

/** A kill while the first page of the file was written leaves a journal, and only who may write can roll that back. */
const isHalfWritten = (path: string): boolean => existsSync(`${path}-journal`) && statSync(path).size <= LARGEST_PAGE;

/** Makes room for a new store where one was never begun. Refuses where there is one; its caller holds the lock. */
export function clearUnbegun(directory: string): void {
  const path = storePath(directory);
  if (existsSync(path) && !isUnbegun(directory)) {
    throw new StateError('occupied', `${directory} holds a crawl that was begun meanwhile`);
  }
  for (const suffix of ['-journal', '-wal', '-shm', '']) {
    rmSync(path + suffix, { force: true });
    rmSync(cookiesPath(directory) + suffix, { force: true });
  }
}

/** Names of devices on Windows, with any extension: nothing can be kept in a folder that is called `nul.example`. */
const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)\d)(?=\.|$)/i;

/** A file name made of a host, on every system: nothing in it can leave the folder or hide, and Windows would neither refuse nor shorten it. */
export function folderNameOf(host: string): string {
  const safe = host
    .replace(/[^a-z0-9.-]/gi, '_')
    .replace(/^\.+/, '_')
    .slice(0, 120)
    .replace(/\.+$/, '_');
  return safe === '' ? 'crawl' : DEVICE.test(safe) ? `_${safe}` : safe;
}

/** Nothing is deleted through a link: its maker may have meant another name for the folder, not the folder. */
export function refuseLink(directory: string): void {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StateError(
      'link',
      `${directory} is a link to ${readlinkSync(directory)}: nothing was deleted; name the folder itself, or remove the link with rm`,
    );
  }
}

/** Moves a crawl aside, so that its name is free; returns where it went. One that someone writes to is refused. */
export function moveAside(directory: string): string {
  const lock = DirectoryLock.take(directory);
  try {
    let number = 1;
    while (existsSync(`${directory}.old-${number}`)) {
      number++;
    }
    const target = `${directory}.old-${number}`;
    if (process.platform === 'win32') {
      // A folder with an open file cannot be renamed there.
      lock.release();
    }
    try {
      renameNow(directory, target);
    } catch (error) {
      throw new StateError('unwritable', `cannot move ${directory} aside: ${whyNotRenamed(error)}`, { cause: error });
    }
    return target;
  } finally {
    if (process.platform !== 'win32') {
      lock.release();
    }
  }
}

/**
 * A run that breaks from inside leaves word of what it was settling: by then the store may be what broke, so the word stands in a file
 * beside it. The next run takes it up and removes it.
 */
const noteOf = (directory: string): string => join(directory, 'crashed.json');

export function leaveCrashNote(directory: string, ids: readonly number[]): void {
  try {
    writeFileSync(noteOf(directory), JSON.stringify(ids));
  } catch {
    // The run ends with another error, and that one is reported.
  }
}

/** Ids of the URLs that were being settled when the last run broke; none where it did not. */
export function takeCrashNote(directory: string): number[] {
  try {
    const ids: unknown = JSON.parse(readFileSync(noteOf(directory), 'utf8'));
    rmSync(noteOf(directory));
    return Array.isArray(ids) ? ids.filter(Number.isSafeInteger) : [];
  } catch {
    return [];
  }
}

/** A crawl seen from outside, running or not. */
export interface CrawlStatus {
  /** Where it is kept. */
  directory: string;
  /** Whether it runs, waits to be gone on with, or is finished. */
  state: 'running' | 'unfinished' | 'finished';
  /** Why its last run ended; null if none has. */
  reason: string | null;
  /** The limit that cut it, or null. */
  truncated: string | null;
  /** URLs by their state. */
  counts: Record<string, number>;
  /** What it began with. */
  seeds: string[];
}

export const statusOf = (directory: string): CrawlStatus =>
  openForReading(directory, (reader) => statusIn(directory, reader, reader.tallies()));

/** @param tallies what the reader says became of the pages, which it looks at one by one */
export function statusIn(directory: string, reader: Reader, tallies: Iterable<Tally>): CrawlStatus {
  const ended = reader.ended();
  const running = DirectoryLock.isTaken(directory);
  const { open: _open, queued = 0, leased = 0 } = reader.counts();
  // URLs that a limit left in the queue count as skipped here too, as in every output.
  const isCut = (ended?.truncated ?? null) !== null;
  const counts = {
    queued: isCut ? 0 : queued,
    leased: isCut ? 0 : leased,
    done: 0,
    failed: 0,
    skipped: 0,
    deferred: 0,
  };
  for (const { state, pages } of tallies) {
    counts[state] += pages;
  }
  return {
    directory,
    state: running ? 'running' : keptState(ended, hasMail(directory)),
    reason: running ? null : (ended?.reason ?? null),
    truncated: ended?.truncated ?? null,
    counts,
    seeds: reader.seeds().map(({ label }) => label),
  };
}

/** The crawls kept in the folders of `root`; those that cannot be read are told and left out. */
export function listCrawls(root: string, onUnreadable: (name: string, error: Error) => void): CrawlStatus[] {
  const crawls = foldersIn(root).filter((name) => existsSync(storePath(join(root, name))));
  return crawls.flatMap((name) => {
    try {
      return [statusOf(join(root, name))];
    } catch (error) {
      onUnreadable(name, error as Error);
      return [];
    }
  });
}

/** Files that a crawl makes. Nothing else in its directory is ever touched. */
const OURS =
  /^(?:crawl\.sqlite(?:-wal|-shm|-journal)?|lock\.sqlite(?:-journal|-wal|-shm)?|pages\.jsonl|search-\d+\.db(?:\.tmp)?|summary\.json|crashed\.json|cookies\.sqlite(?:-wal|-shm|-journal)?|converted\.sqlite(?:-wal|-shm|-journal)?|from\.sqlite|sitemap[\w.-]*\.xml)$/;

const OUR_MAIL = /^\.?\d{15}-[\da-f]{12}-\d{6}\.json(?:\.tmp|\.refused)?$/;

/** Within a kept crawl: where a corpus is worked out of it. It goes when that is done, and with the crawl where it was not. */
export const workFolderOf = (directory: string): string => join(directory, 'docs-work');

/** Deletes what a command that was killed has left there. What is none of ours is refused. */
export function clearWorkFolder(directory: string): void {
  const folder = workFolderOf(directory);
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return;
  }
  if (existsSync(join(folder, 'lock.sqlite'))) {
    DirectoryLock.refuseTaken(folder);
  }
  if (readdirSync(folder).some((name) => !OURS.test(name))) {
    throw new StateError('occupied', `${folder} is needed for a while and holds files of others: move them elsewhere`);
  }
  rmSync(folder, { recursive: true });
}

/** Deletes a crawl that is not running. Returns how many files of others stand in its directory, which then stays. */
export function deleteCrawl(directory: string): number {
  refuseLink(directory);
  // Only a directory with a store of ours, if only half made, and none that is being written.
  if (!isUnbegun(directory)) {
    openForReading(directory, () => null);
  }
  DirectoryLock.take(directory).release();
  deleteMail(directory);
  deleteArchive(directory);
  clearWorkFolder(directory);
  for (const name of readdirSync(directory)) {
    if (OURS.test(name)) {
      rmSync(join(directory, name));
    }
  }
  const others = readdirSync(directory);
  if (others.length === 0) {
    rmdirSync(directory);
  }
  return others.length;
}

/** Within a crawl: where its archive stands. */
export const ARCHIVE_FOLDER = 'archive';

const OF_ARCHIVE = /^(?:gossamer-\d{5,}\.warc\.gz|index\.cdxj)$/;

/** Files that others have put beside the archive stay. */
function deleteArchive(directory: string): void {
  const folder = join(directory, ARCHIVE_FOLDER);
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return;
  }
  const names = readdirSync(folder);
  for (const name of names.filter((each) => OF_ARCHIVE.test(each))) {
    rmSync(join(folder, name));
  }
  if (names.every((name) => OF_ARCHIVE.test(name))) {
    rmdirSync(folder);
  }
}

/** URLs that were added and not taken up go with their crawl; what else lies in that folder stays. */
function deleteMail(directory: string): void {
  const folder = join(directory, MAIL_FOLDER);
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return;
  }
  const names = readdirSync(folder);
  for (const name of names.filter((each) => OUR_MAIL.test(each))) {
    rmSync(join(folder, name));
  }
  if (names.every((name) => OUR_MAIL.test(name))) {
    rmdirSync(folder);
  }
}
