import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { GIVEN_TABLE, hasGivenTable } from './given-data.js';
import { DirectoryLock } from './lock.js';
import { APPLICATION_ID, missingPageColumns, SCHEMA, SCHEMA_VERSION, UPGRADES } from './schema.js';
import { type Database, openDatabase, rollBack } from './sqlite.js';
import type { SeedRow } from './transaction.js';
import { STATE_NAMES, UNANSWERED, UrlKind, UrlState } from './url-state.js';

/**
 * The file crawl.sqlite: where it is, who may open it, and what everybody who has opened it asks for. Nothing is written to a file that is
 * refused, and an earlier version becomes this one only where somebody is about to write.
 */
export const storePath = (directory: string): string => join(directory, 'crawl.sqlite');

/** SQLite's name for a private temporary database, gone with its connection. */
export const TEMPORARY = '';

/** Opens or creates the file, and refuses what is not a store of ours. Nothing is written to a file that is refused. */
export function openStoreFile(path: string, options: { create: boolean; readOnly?: boolean }): Database {
  let database: Database;
  try {
    database = openDatabase(path, { readOnly: options.readOnly ?? false });
  } catch (error) {
    if (error instanceof StateError) {
      throw error;
    }
    throw new StateError('store_open', `cannot open ${path}: ${(error as Error).message}`, { cause: error });
  }
  try {
    if (options.create) {
      database.exec('PRAGMA journal_mode = WAL');
      createTables(database);
    } else {
      const version = verify(database, path);
      if (!options.readOnly) {
        upgrade(database, version);
      }
    }
    if (!options.readOnly) {
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16384',
      );
    }
    return database;
  } catch (error) {
    database.close();
    if (error instanceof StateError) {
      throw error;
    }
    throw new StateError('store_corrupt', `${path} is not a readable store: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** In an empty file. */
export function createTables(database: Database): void {
  database.exec(
    `BEGIN; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; ${SCHEMA} COMMIT;`,
  );
}

/** Returns the version of its tables. */
function verify(database: Database, path: string): number {
  const applicationId = database.prepare('PRAGMA application_id').get()?.application_id;
  const version = database.prepare('PRAGMA user_version').get()?.user_version;
  if (applicationId !== APPLICATION_ID) {
    throw new StateError('store_foreign', `${path} is an SQLite file, but not one of Gossamer's; it was left as it is`);
  }
  if (version !== SCHEMA_VERSION && !UPGRADES.has(version)) {
    throw new StateError(
      'store_version',
      `${path} has store version ${version}; this Gossamer reads version ${SCHEMA_VERSION}`,
    );
  }
  const check = database.prepare('PRAGMA quick_check(1)').get();
  const verdict = check === undefined ? 'no answer' : Object.values(check)[0];
  if (verdict !== 'ok') {
    throw new StateError('store_corrupt', `${path} is damaged: ${verdict}`);
  }
  return version;
}

/** A store of an earlier version becomes one of this version, all of it or nothing. Its caller holds the lock. */
function upgrade(database: Database, from: number): void {
  for (let version = from; version < SCHEMA_VERSION; version++) {
    database.exec(`BEGIN IMMEDIATE; ${UPGRADES.get(version)} PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
  const missing = missingPageColumns(columnsOfPages(database)) + (hasGivenTable(database) ? '' : GIVEN_TABLE);
  if (missing !== '') {
    database.exec(`BEGIN IMMEDIATE; ${missing} COMMIT;`);
  }
}

/** Their names. A store that was made by an earlier Gossamer may have fewer than this one knows. */
export const columnsOfPages = (database: Database): ReadonlySet<string> =>
  new Set(
    database
      .prepare("SELECT name FROM pragma_table_info('pages')")
      .all()
      .map(({ name }) => name),
  );

/** All that the work changes, or nothing of it. */
export async function inTransaction<T>(database: Database, work: () => T | Promise<T>): Promise<T> {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Works on the store of a crawl while no run does: under its lock, and with the file closed afterwards. */
export async function atStore<T>(directory: string, work: (database: Database) => Promise<T>): Promise<T> {
  const lock = DirectoryLock.take(directory);
  try {
    const database = openStoreFile(storePath(directory), { create: false });
    try {
      return await work(database);
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}

/** Null: the key goes. Its caller has begun a transaction. */
export function writeMeta(database: Database, values: Readonly<Record<string, string | null>>): void {
  const set = database.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const forget = database.prepare('DELETE FROM meta WHERE key = ?');
  for (const [key, value] of Object.entries(values)) {
    if (value === null) {
      forget.run(key);
    } else {
      set.run(key, value);
    }
  }
}

export function readMeta(database: Database): Record<string, string> {
  return Object.fromEntries(
    database
      .prepare('SELECT key, value FROM meta')
      .all()
      .map((row) => [row.key, row.value]),
  );
}

export function readSeeds(database: Database): SeedRow[] {
  return database
    .prepare('SELECT * FROM seeds ORDER BY seed')
    .all()
    .map((row) => ({
      seed: row.seed,
      url: row.url,
      label: row.label,
      scope: row.scope,
      depth: row.depth,
      maxUrls: row.max_urls,
      fallbacks: JSON.parse(row.fallbacks),
      scopeUrls: JSON.parse(row.scope_urls),
    }));
}

export function readCounts(database: Database): Record<string, number> {
  const open = database
    .prepare(`SELECT count(*) AS n FROM urls INDEXED BY urls_queued WHERE state = ${UrlState.queued}`)
    .get()!.n;
  const counts: Record<string, number> = { open, queued: 0, leased: 0, done: 0, failed: 0, skipped: 0, deferred: 0 };
  for (const row of database
    .prepare(
      `SELECT state, count(*) AS n FROM urls
       WHERE kind = ${UrlKind.page} AND state <> ${UrlState.unlisted} AND NOT ${UNANSWERED} GROUP BY state`,
    )
    .iterate()) {
    counts[STATE_NAMES[row.state as UrlState]] = row.n;
  }
  return counts;
}
