import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite.js';

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
