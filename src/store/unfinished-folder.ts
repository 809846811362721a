import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StateError } from '../base/errors.js';
import { syncFolder } from '../base/folders.js';
import { renameNow, whyNotRenamed } from '../base/rename.js';
import { DirectoryLock } from './lock.js';
import type { Database } from './sqlite.js';
import { openDatabase } from './sqlite.js';
import { createTables, storePath } from './store-file.js';

/** A store that is being made has this name. So nothing that was begun and left passes for a crawl. */
const HALF_MADE = 'crawl.sqlite.part';
const OURS = /^(?:lock\.sqlite(?:-journal|-wal|-shm)?|made|work)$/;

/**
 * Where directories of crawls are made before they take their place, all at once: `<output>.unfinished`, beside it. Whoever is killed leaves that
 * behind, and the next one who makes the same output clears it.
 */
export class UnfinishedFolder {
  readonly #output: string;
  readonly #path: string;
  readonly #lock: DirectoryLock;
  readonly #stores: { directory: string; database: Database }[] = [];

  private constructor(output: string, path: string, lock: DirectoryLock) {
    this.#output = output;
    this.#path = path;
    this.#lock = lock;
    for (const name of ['made', 'work']) {
      rmSync(join(path, name), { recursive: true, force: true });
      mkdirSync(join(path, name));
    }
  }

  static open(output: string): UnfinishedFolder {
    refuseTaken(output);
    const path = `${output}.unfinished`;
    try {
      mkdirSync(path, { recursive: true });
      if (readdirSync(path).some((name) => !OURS.test(name))) {
        throw new StateError(
          'occupied',
          `${path} is needed for a while and holds files of others: move them elsewhere`,
        );
      }
      return new UnfinishedFolder(output, path, DirectoryLock.take(path));
    } catch (error) {
      if (error instanceof StateError) {
        throw error;
      }
      throw new StateError('unwritable', `cannot write to ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** For what is needed only while the output is made. */
  get work(): string {
    return join(this.#path, 'work');
  }

  /** Where the output is made. */
  get made(): string {
    return join(this.#path, 'made');
  }

  /** A store in a directory of the output, open in one transaction that nobody waits for: it counts when all of it is on the disk. */
  createStore(directory: string, cacheKib: number): Database {
    mkdirSync(directory, { recursive: true });
    const database = openDatabase(join(directory, HALF_MADE));
    this.#stores.push({ directory, database });
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${cacheKib}`);
    createTables(database);
    database.exec('BEGIN');
    return database;
  }

  /** The stores get their names. */
  finishStores(): void {
    for (const { directory, database } of this.#stores.splice(0)) {
      database.exec('COMMIT; PRAGMA journal_mode = WAL');
      database.close();
      const path = join(directory, HALF_MADE);
      syncPath(path);
      renameNow(path, storePath(directory));
      syncFolder(directory);
    }
    syncFolder(this.made);
  }

  /** The output takes its place. */
  finish(): void {
    refuseTaken(this.#output);
    if (existsSync(this.#output)) {
      rmdirSync(this.#output);
    }
    try {
      renameNow(this.made, this.#output);
    } catch (error) {
      throw new StateError('unwritable', `cannot make ${this.#output}: ${whyNotRenamed(error)}`, { cause: error });
    }
    syncFolder(dirname(this.#output));
    this.close();
  }

  /** What is not finished goes. */
  close(): void {
    for (const { database } of this.#stores.splice(0)) {
      database.close();
    }
    this.#lock.release();
    rmSync(this.#path, { recursive: true, force: true });
  }
}

/** Only a new name or an empty folder: nothing that is there is written over. */
function refuseTaken(output: string): void {
  const stats = lstatSync(output, { throwIfNoEntry: false });
  if (stats !== undefined && (!stats.isDirectory() || readdirSync(output).length > 0)) {
    throw new StateError('occupied', `${output} is there already: name a folder that is not, or an empty one`);
  }
}

function syncPath(path: string): void {
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
