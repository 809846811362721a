import { existsSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { shellWord } from '../base/text.js';
import { nounOf } from '../config/commands.js';
import { cookiesPath } from '../store/cookie-store.js';
import { openKept, resumeCommand } from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import { hasMail } from '../store/mailbox.js';
import { SCHEMA_VERSION } from '../store/schema.js';
import type { Database } from '../store/sqlite.js';
import { readMeta } from '../store/store-file.js';

/** What a store says of itself where it is one of several. */
export interface PartFacts {
  crawlId: string;
  slot: number;
  nodes: number;
  incarnation: string;
}

/** A crawl that is only read, at one moment, while nobody else is at work on it. */
export class KeptStore {
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

  static open(directory: string): KeptStore {
    const database = openKept(directory);
    let lock: DirectoryLock | null = null;
    try {
      lock = lockOf(directory);
      database.exec('BEGIN');
      const store = new KeptStore(directory, database, lock);
      store.#refuseUnfit();
      return store;
    } catch (error) {
      database.close();
      lock?.release();
      throw error;
    }
  }

  /** Null where the store is a whole crawl. */
  get part(): PartFacts | null {
    const { cluster } = this.meta;
    return cluster === undefined ? null : (JSON.parse(cluster) as PartFacts);
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
        `${directory} holds a ${nounOf(meta.command ?? 'crawl')}, and only a crawl is split and merged`,
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
