import { existsSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { shellWord } from '../base/text.js';
import { cookiesPath } from './cookie-store.js';
import { openKept, resumeCommand } from './directory.js';
import { DirectoryLock } from './lock.js';
import { hasMail } from './mailbox.js';
import { SCHEMA_VERSION } from './schema.js';
import type { Database } from './sqlite.js';
import { readMeta, readSeeds } from './store-file.js';
import type { SeedRow } from './transaction.js';

/** What a store says about itself if it is one of several. */
export interface PartFacts {
  crawlId: string;
  slot: number;
  nodes: number;
  incarnation: string;
}

/** A crawl that is only read, at one moment, while nobody else is at work on it. */
export class PartStore {
  readonly directory: string;
  readonly database: Database;
  readonly meta: Readonly<Record<string, string>>;
  readonly #lock: DirectoryLock | null;

  private constructor(directory: string, database: Database, lock: DirectoryLock | null) {
    this.directory = directory;
    this.database = database;
    this.#lock = lock;
    this.meta = readMeta(database);
  }

  static open(directory: string): PartStore {
    const database = openKept(directory);
    let lock: DirectoryLock | null = null;
    try {
      lock = lockOf(directory);
      database.exec('BEGIN');
      const store = new PartStore(directory, database, lock);
      store.#refuseUnfit();
      return store;
    } catch (error) {
      database.close();
      lock?.release();
      throw error;
    }
  }

  /** Null if the store is a whole crawl. */
  get part(): PartFacts | null {
    const { cluster } = this.meta;
    return cluster === undefined ? null : (JSON.parse(cluster) as PartFacts);
  }

  get seeds(): SeedRow[] {
    return readSeeds(this.database);
  }

  /** When its last run began; 0 where none has. */
  get latestRunAt(): number {
    return this.database.prepare('SELECT max(started_at) AS at FROM runs').get()?.at ?? 0;
  }

  close(): void {
    this.database.close();
    this.#lock?.release();
  }

  #refuseUnfit(): void {
    const { directory, meta } = this;
    const version: number = this.database.prepare('PRAGMA user_version').get()!.user_version;
    if (version !== SCHEMA_VERSION) {
      throw new StateError(
        'store_version',
        `${directory} has store version ${version}, and this is done with version ${SCHEMA_VERSION} alone: \`${resumeCommand(directory)}\` makes it that`,
      );
    }
    if (meta.command !== 'crawl') {
      throw new StateError(
        'other_command',
        `${directory} was made by \`gossamer ${meta.command}\`, and only a crawl is split and merged`,
      );
    }
    if (meta.customFetch === 'true' || meta.ownKeys === 'true') {
      throw new StateError(
        'own_functions',
        `${directory} was crawled with a \`fetch\` or a \`resolve\` of a program's own: its URLs belong to no hosts that machines could share`,
      );
    }
    if (existsSync(cookiesPath(directory))) {
      throw new StateError('cookies', `${directory} keeps cookies (--cookies), which cannot be shared by machines`);
    }
    if (hasMail(directory)) {
      throw new StateError(
        'added',
        `URLs were added to ${directory} that no run has taken up: \`${resumeCommand(directory)}\` first, or remove ${shellWord(`${directory}/added`)}`,
      );
    }
  }
}

/** A crawl on a disk that cannot be written to is at rest; one that runs is refused. */
function lockOf(directory: string): DirectoryLock | null {
  try {
    return DirectoryLock.take(directory);
  } catch (error) {
    if (!(error instanceof StateError) || error.code !== 'unwritable') {
      throw error;
    }
    DirectoryLock.refuseTaken(directory);
    return null;
  }
}
