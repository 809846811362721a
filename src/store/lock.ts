import { join } from 'node:path';
import { StateError } from '../base/errors.js';
import { type Database, openDatabase } from './sqlite.js';

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
      database = openDatabase(join(directory, 'lock.sqlite'), { timeoutMs: 0 });
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return new DirectoryLock(database);
    } catch (error) {
      database?.close();
      if (/locked|busy/i.test((error as Error).message)) {
        throw new StateError('in_use', `another gossamer is at work in ${directory}`);
      }
      throw new StateError('unwritable', `cannot write to ${directory}: ${(error as Error).message}`, { cause: error });
    }
  }

  release(): void {
    this.#database.close();
  }
}
