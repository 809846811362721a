import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { StateError } from '../base/errors.js';
import { ownUrl } from '../base/own-url.js';

/** The part of node:sqlite's interface that we use; both implementations have it. */
export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): IterableIterator<Row>;
}
export interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}
export type SqlValue = null | number | bigint | string | Uint8Array;
// biome-ignore lint/suspicious/noExplicitAny: a row has the shape that its SELECT gives it; each reader names it
export type Row = any;

interface SqliteModule {
  DatabaseSync: new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database;
}

const here = ownUrl(import.meta.url);
const require = createRequire(here);

/** The runtime's own SQLite where it has one that does what we ask (`isComplete`), else the one that the package carries, with the same interface. */
function loadSqlite(): SqliteModule {
  const emitWarning = process.emitWarning;
  try {
    // "SQLite is an experimental feature" is not something the user of a crawler can act on.
    process.emitWarning = () => {};
    const own = require('node:sqlite') as SqliteModule;
    return isComplete(own) ? own : (loadCarriedSqlite() as SqliteModule);
  } catch {
    return loadCarriedSqlite() as SqliteModule;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Whether it counts parameters that have a number. Node does so from 22.20 and 24.7 on; before, it took `?1` for a name. */
export function isComplete({ DatabaseSync }: SqliteModule): boolean {
  const database = new DatabaseSync(':memory:');
  try {
    return database.prepare('SELECT ?1 + ?2 + ?1 AS sum').get(1, 2)?.sum === 4;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

let sqlite: SqliteModule | null = null;

export function openDatabase(path: string, options: { readOnly?: boolean; timeoutMs?: number } = {}): Database {
  sqlite ??= loadSqlite();
  const database = new sqlite.DatabaseSync(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.timeoutMs ?? 5_000,
  });
  const prepare = database.prepare.bind(database);
  // Defined, not assigned: the methods of the carried one are not writable.
  Object.defineProperty(database, 'prepare', { value: (sql: string) => keepWhileIterated(prepare(sql)) });
  return database;
}

/** No text: an iterator of Node 22.13 and 22.14 has a property `statement` of its own, which cannot be written. */
const HELD = Symbol('statement');

/** The carried one's iterator does not hold its statement: collected in the middle of a loop, it takes the loop or the process down. */
function keepWhileIterated(statement: Statement): Statement {
  const iterate = statement.iterate.bind(statement);
  const value: Statement['iterate'] = (...values) => Object.assign(iterate(...values), { [HELD]: statement });
  return Object.defineProperty(statement, 'iterate', { value });
}

/** Whatever was begun; nothing where it had ended already. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // A COMMIT that failed may have rolled back, or nothing was begun.
  }
}

/** Prepares each statement once, when it is first asked for. */
export class Statements {
  /** Held: a statement alone does not keep its connection open. */
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  of(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

/**
 * The SQLite that the package carries for this machine, in dist/sqlite/ (scripts/build.js). Every thread takes it from the one file: two
 * copies of SQLite in a process undo each other's locks.
 */
export function loadCarriedSqlite(system: string = thisSystem()): unknown {
  try {
    return require(carriedFile(system));
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n');
    const lacking = `Node ${process.version} has no SQLite of its own that is recent enough, and the package's for ${system} does not load`;
    throw new StateError('no_sqlite', `${lacking}: use Node 22.20, 24.7 or later (${why})`, { cause });
  }
}

/** In the package, or where somebody who bundled the library put a copy: in the folder `sqlite` beside the bundle. */
function carriedFile(system: string): string {
  const beside = fileURLToPath(new URL(`./sqlite/${system}.node`, here));
  return existsSync(beside) ? beside : `#sqlite/${system}.node`;
}

function thisSystem(): string {
  const isMusl = process.platform === 'linux' && namesMusl(readHead(process.execPath));
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/** Whether a program of Linux is made for musl: the name of its loader stands right behind its headers. */
export const namesMusl = (head: Uint8Array): boolean => Buffer.from(head).includes('/ld-musl-');

function readHead(file: string): Buffer {
  const head = Buffer.alloc(4096);
  const handle = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(handle, head));
  } finally {
    closeSync(handle);
  }
}
