import { expect, it } from 'vitest';
import { FindingTable } from '../../src/check/finding-table.js';
import { FindingRows } from '../../src/store/check-tables.js';
import { openDatabase } from '../../src/store/sqlite.js';
import { checkedLink } from './links.js';

it('finds each link that a baseline knows without reading all the others', () => {
  const database = openDatabase('', { readOnly: false });
  const prepared: string[] = [];
  const spied = {
    exec: (sql: string) => database.exec(sql),
    prepare: (sql: string) => {
      prepared.push(sql);
      return database.prepare(sql);
    },
  } as typeof database;
  const table = new FindingTable(new FindingRows(spied));
  const link = checkedLink('https://a.test/', 'dead');
  table.add(link, 1);
  table.complete();
  table.acquit([{ ...link, firstSeen: '2026-01-01' }]);
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${prepared.at(-1)}`).all();
  expect(plan.map(({ detail }) => detail).join()).toMatch(/SEARCH \S*findings USING INDEX/);
  expect([...table.links()]).toMatchObject([{ fails: false, firstSeen: '2026-01-01' }]);
  expect(table.failing).toBe(0);
  database.close();
});
