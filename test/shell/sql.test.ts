import { expect, it } from 'vitest';
import { projectFiles, read } from './repository.js';

const SOURCES = projectFiles().filter((path) => /^src\/.*\.ts$/.test(path));

/** How SQL is written, or handed to a database. */
const SQL = [
  /\bSELECT\s+(?:\S.*\sFROM|count\(|max\(|1\b)/,
  /\bINSERT (?:OR \w+ )?INTO\b/,
  /\bUPDATE [\w.]+ SET\b/,
  /\bDELETE FROM\b/,
  /\b(?:CREATE|DROP|ALTER) (?:TEMP |VIRTUAL |UNIQUE )?(?:TABLE|INDEX|VIEW)\b/,
  /\bPRAGMA \w+/,
  /['"`](?:BEGIN|COMMIT|ROLLBACK)\b/,
  /\.prepare\(/,
  /\.exec\(\s*['"`]/,
  /\/sqlite\.js'/,
];

const sqlIn = (source: string): string[] => SQL.flatMap((pattern) => pattern.exec(source)?.[0] ?? []);

/** How a file gets hold of a connection without its type: from what opens the store, or from a callback that is given one. */
const CONNECTION = [
  /\b(?:openDatabase|openStoreFile|openKept|atStore|inTransaction|writeMeta)\b/,
  /\b(?:const|let) database\b/,
  /[(,]\s*_?database\s*[,):]/,
  /\bopenForReading\(\s*\w+,\s*\(\w+, \w+\) =>/,
];

/**
 * Those who open the one store of a run. The store's own thread hands the connection to the writer and to readers of its kind; a kept crawl
 * holds it open for the user of the library.
 */
const OPENERS = ['src/crawl/kept-crawl.ts', 'src/crawl/store-host.ts'];

const connectionsIn = (source: string): string[] => CONNECTION.flatMap((pattern) => pattern.exec(source)?.[0] ?? []);

const outside = SOURCES.filter((path) => !path.startsWith('src/store/'));

it('every statement of SQL stands in src/store/, and nobody else holds a connection by its type', () => {
  expect(outside.length).toBeGreaterThan(100);
  expect(outside.filter((path) => sqlIn(read(path)).length > 0)).toEqual([]);
});

it('only those who open the store of a run hold a connection; others are handed a reader or a queue', () => {
  expect(outside.filter((path) => connectionsIn(read(path)).length > 0)).toEqual(OPENERS);
});

it('a connection is seen however a file comes by it', () => {
  for (const source of [
    "import { atStore } from '../store/store-file.js';",
    'const database = reader.connection();',
    'return openForReading(directory, (reader, handle) => new DocsReader(handle));',
    'openForReading(\n  directory,\n  (_reader, handle) => new DocsReader(handle),\n);',
    'within(directory, async (database) => count(new CheckReader(database)));',
  ]) {
    expect(connectionsIn(source), source).not.toEqual([]);
  }
  expect(connectionsIn('openForReading(directory, (reader) => reader.seeds()); // the database (SQLite)')).toEqual([]);
});

it('SQL is seen in whatever form it is written', () => {
  for (const source of [
    "const urls = database.prepare('x');",
    "database.exec('x');",
    'database.exec(`x`)',
    "const TABLE = 'CREATE TEMP TABLE t (a)';",
    'const WHICH = `SELECT a AS b\n  FROM urls`',
    "import type { Database } from '../store/sqlite.js';",
    "const BEGIN = 'BEGIN IMMEDIATE';",
  ]) {
    expect(sqlIn(source.replaceAll('\n', ' ')), source).not.toEqual([]);
  }
  expect(sqlIn("const [, name] = /a(b)/.exec(text) ?? []; const said = 'Select a page to begin.';")).toEqual([]);
});

it('states, kinds, classes and flags stand in SQL by their names', () => {
  const BARE =
    /\b(?:state|kind|class|rendering)\b"?(?:\s*(?:=|<>|<|>|>=|<=|IS|IS NOT|BETWEEN)\s*|\s+(?:NOT )?IN \()\d|\bflags\s*[&|]\s*~?\d/;
  const bare = SOURCES.filter((path) => path.startsWith('src/store/')).flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => BARE.test(line) && !/^\s*(?:\*|\/\/)/.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(bare).toEqual([]);
});
