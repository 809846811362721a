import { existsSync, lstatSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { DirectoryLock } from './lock.js';
import { Reader } from './reader.js';
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.js';
import { type Database, openDatabase } from './sqlite.js';
import { openStoreFile } from './store.js';

/** What a data directory holds. */
export type DirectoryState = 'empty' | 'unfinished' | 'finished';

const UNFINISHED_REASONS = new Set(['interrupted', 'terminated', 'stopped', 'memory', 'disk', 'error']);

export const storePath = (directory: string): string => join(directory, 'crawl.sqlite');

/** Opens the store of a directory to read from; throws a sentence when there is none. */
export function openForReading<T>(directory: string, read: (reader: Reader, database: Database) => T): T {
  const path = storePath(directory);
  if (!existsSync(path)) {
    throw new StateError('no_store', `there is no crawl in ${directory} (no crawl.sqlite)`);
  }
  const database = openStoreFile(path, { create: false, readOnly: true });
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
    return ended === null || UNFINISHED_REASONS.has(ended.reason) ? 'unfinished' : 'finished';
  });
}

/** Whoever was about to begin a crawl here was killed before it had begun: there is nothing in it to go on with, nor to lose. */
function isUnbegun(directory: string): boolean {
  let database: Database | null = null;
  try {
    database = openDatabase(storePath(directory), { readOnly: true });
    const applicationId = database.prepare('PRAGMA application_id').get()?.application_id;
    const tables = database.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.n;
    if (tables === 0) {
      return applicationId === 0 || applicationId === APPLICATION_ID;
    }
    const isOurs =
      applicationId === APPLICATION_ID &&
      database.prepare('PRAGMA user_version').get()?.user_version === SCHEMA_VERSION;
    return isOurs && database.prepare("SELECT value FROM meta WHERE key = 'options'").get() === undefined;
  } catch {
    // Not a database, or a damaged one: opening it says so.
    return false;
  } finally {
    database?.close();
  }
}

/** Makes room for a new store where one was never begun. Refuses where there is one; its caller holds the lock. */
export function clearUnbegun(directory: string): void {
  const path = storePath(directory);
  if (!existsSync(path)) {
    return;
  }
  if (!isUnbegun(directory)) {
    throw new StateError('occupied', `${directory} holds a crawl that was begun meanwhile`);
  }
  for (const suffix of ['-wal', '-shm', '']) {
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

/** Moves a crawl aside, so that its name is free; returns where it went. */
export function moveAside(directory: string): string {
  // Not while someone writes to it.
  DirectoryLock.take(directory).release();
  for (let number = 1; ; number++) {
    const target = `${directory}.old-${number}`;
    if (!existsSync(target)) {
      renameSync(directory, target);
      return target;
    }
  }
}
