import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Database, isComplete, loadCarriedSqlite, namesMusl, openDatabase } from '../../src/store/sqlite.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('goes through all rows though nobody but the loop holds the statement', async () => {
  const database = openDatabase(':memory:');
  database.exec(
    'CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n',
  );
  let rows = 0;
  for (const _row of database.prepare('SELECT i FROM t').iterate()) {
    rows++;
    collect();
    // Finalizers run between two turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(rows).toBe(100);
  database.close();
});

it('is not the one of Node 22.13 to 22.19 and 24.0 to 24.6, which takes the number of a parameter for a name', () => {
  const { DatabaseSync } = loadCarriedSqlite() as { DatabaseSync: new (path: string) => Database };
  expect(isComplete({ DatabaseSync })).toBe(true);
  class Older extends DatabaseSync {
    override prepare(sql: string) {
      if (/\?\d/.test(sql)) {
        throw new Error('column index out of range');
      }
      return super.prepare(sql);
    }
  }
  expect(isComplete({ DatabaseSync: Older })).toBe(false);
});

describe('the SQLite that the package carries', () => {
  it('works on this machine, whatever its Node brings', () => {
    const { DatabaseSync } = loadCarriedSqlite() as { DatabaseSync: new (path: string) => Database };
    const database = new DatabaseSync(':memory:');
    expect(database.prepare('SELECT 1 + ? AS sum').get(2)).toEqual({ sum: 3 });
    database.close();
  });

  it('is there for every system that is supported, with its licence', () => {
    expect(readdirSync(new URL('../../dist/sqlite', import.meta.url)).sort()).toEqual([
      'LICENSES.txt',
      'darwin-arm64.node',
      'darwin-x64.node',
      'linux-arm64-musl.node',
      'linux-arm64.node',
      'linux-x64-musl.node',
      'linux-x64.node',
      'win32-arm64.node',
      'win32-x64.node',
    ]);
  });

  it('is that of musl where Node was made for it, by the loader that it names', () => {
    const program = (loader: string) => Buffer.from(`\x7fELF\x02\x01${'\0'.repeat(600)}${loader}\0GNU`, 'latin1');
    expect(namesMusl(program('/lib/ld-musl-x86_64.so.1'))).toBe(true);
    expect(namesMusl(program('/lib/ld-musl-aarch64.so.1'))).toBe(true);
    expect(namesMusl(program('/lib64/ld-linux-x86-64.so.2'))).toBe(false);
  });

  it('is missed in one sentence that says what to do', () => {
    expect(() => loadCarriedSqlite('aix-ppc64')).toThrow(
      new RegExp(
        `^Node ${process.version} has no SQLite of its own that is recent enough, and the package's for aix-ppc64 does not load: use Node 22\\.20, 24\\.7 or later \\(Cannot find module '[^\\n]*aix-ppc64\\.node'\\)$`,
      ),
    );
  });
});
