import { createRequire } from 'node:module';
import { ownUrl } from '../base/own-url.js';
import { loadCarriedSqlite } from './carried-sqlite.js';

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

const require = createRequire(ownUrl(import.meta.url));

/** The runtime's own SQLite where it has one (Node 22.13 and later), else the one that the package carries, with the same interface. */
function loadSqlite(): SqliteModule {
  const emitWarning = process.emitWarning;
  try {
    // "SQLite is an experimental feature" is not something the user of a crawler can act on.
    process.emitWarning = () => {};
    return require('node:sqlite') as SqliteModule;
  } catch {
    return loadCarriedSqlite() as SqliteModule;
  } finally {
    process.emitWarning = emitWarning;
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

/** The carried one's iterator does not hold its statement: collected in the middle of a loop, it takes the loop or the process down. */
function keepWhileIterated(statement: Statement): Statement {
  const iterate = statement.iterate.bind(statement);
  const value: Statement['iterate'] = (...values) => Object.assign(iterate(...values), { statement });
  return Object.defineProperty(statement, 'iterate', { value });
}
