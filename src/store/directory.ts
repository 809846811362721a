import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { shellWord } from '../base/text.js';
import { DirectoryLock } from './lock.js';
import { type KeptCommand, Reader } from './reader.js';
import { APPLICATION_ID, SCHEMA_VERSION, UPGRADES } from './schema.js';
import { type Database, openDatabase } from './sqlite.js';
import { openStoreFile } from './store.js';

/** What a data directory holds. */
export type DirectoryState = 'empty' | 'unfinished' | 'finished';

const UNFINISHED_REASONS = new Set(['interrupted', 'terminated', 'stopped', 'memory', 'disk', 'error']);

/** Of SQLite, in bytes. */
const LARGEST_PAGE = 65_536;

export const storePath = (directory: string): string => join(directory, 'crawl.sqlite');

/** What a directory of each holds, in a word. */
export const NOUNS: Readonly<Record<KeptCommand, string>> = { crawl: 'crawl', check: 'check', docs: 'corpus' };
const RESUMED_BY = { crawl: 'resumeCrawl', check: 'resumeCheck', docs: 'resumeDocs' } as const;

/** Refuses to go on with what another command has begun. */
export const otherCommand = (directory: string, kept: KeptCommand, wanted: KeptCommand): StateError =>
  new StateError(
    'other_command',
    `${directory} holds a ${NOUNS[kept]}, not a ${NOUNS[wanted]}: \`${resumeCommand(directory)}\` goes on with it, in a program ${RESUMED_BY[kept]}()`,
  );

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
  return openForReading(directory, (reader) => {
    const ended = reader.ended();
    return ended === null || !ended.isWritten || UNFINISHED_REASONS.has(ended.reason) ? 'unfinished' : 'finished';
  });
}

/** Whoever was about to begin a crawl here was killed before it had begun: there is nothing in it to go on with, nor to lose. */
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
  }
}

/** A file name made of a host: nothing in it can leave the folder or hide. */
export function folderNameOf(host: string): string {
  const safe = host
    .replace(/[^a-z0-9.-]/gi, '_')
    .replace(/^\.+/, '_')
    .slice(0, 120);
  return safe === '' ? 'crawl' : safe;
}

/** Nothing is deleted by way of a link: who made it may have meant another name for the folder, not the folder. */
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
    renameSync(directory, target);
    return target;
  } finally {
    if (process.platform !== 'win32') {
      lock.release();
    }
  }
}
