import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { type Database, openDatabase } from './sqlite.js';

/** Whoever looks whether the lock is taken stands in its way for less than a millisecond; a busy machine may stop him in the middle of it. */
const PATIENCE_WITH_LOOKERS_MS = 1_000;

/**
 * One process a directory. The lock is an exclusive transaction on a small SQLite file of its own: the operating system frees it with the
 * process, a kill -9 included, and whoever only reads the store does not meet it.
 */
export class DirectoryLock {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  static take(directory: string): DirectoryLock {
    let database: Database | null = null;
    try {
      database = openDatabase(join(directory, 'lock.sqlite'), { timeoutMs: PATIENCE_WITH_LOOKERS_MS });
      // Nothing is kept in it: there is nothing to wait for the disk for.
      database.exec('PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return new DirectoryLock(database);
    } catch (error) {
      database?.close();
      if (isBusy(error)) {
        throw inUse(directory);
      }
      if (error instanceof StateError) {
        throw error;
      }
      throw new StateError('unwritable', `cannot write to ${directory}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Throws if a process is at work there, with a sentence that says which. */
  static refuseTaken(directory: string): void {
    if (DirectoryLock.isTaken(directory)) {
      throw inUse(directory);
    }
  }

  /**
   * Whether someone has it, without taking it: a read transaction meets an exclusive one, but not other readers, and `take` waits until it
   * is over. The pid that the store has of its last run would tell less: it may be another's by now, or of another container.
   */
  static isTaken(directory: string): boolean {
    const path = join(directory, 'lock.sqlite');
    if (!existsSync(path)) {
      return false;
    }
    let database: Database | null = null;
    try {
      database = openDatabase(path, { readOnly: true, timeoutMs: 0 });
      database.prepare('SELECT count(*) FROM sqlite_master').get();
      return false;
    } catch (error) {
      return isBusy(error);
    } finally {
      database?.close();
    }
  }

  release(): void {
    this.#database.close();
  }
}

function inUse(directory: string): StateError {
  const pid = pidOf(directory);
  return new StateError(
    'in_use',
    `another gossamer${pid === null ? '' : ` (process ${pid})`} is at work in ${directory}`,
  );
}

/** Who runs, as the store has it; null while it is still being made, or where what has the lock is no run. */
function pidOf(directory: string): number | null {
  const path = join(directory, 'crawl.sqlite');
  let database: Database | null = null;
  try {
    database = existsSync(path) ? openDatabase(path, { readOnly: true, timeoutMs: 0 }) : null;
    return (
      database?.prepare('SELECT pid FROM runs WHERE ended_at IS NULL ORDER BY run DESC LIMIT 1').get()?.pid ?? null
    );
  } catch {
    return null;
  } finally {
    database?.close();
  }
}

const isBusy = (error: unknown): boolean => /locked|busy/i.test((error as Error).message);
