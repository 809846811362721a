import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Breaks } from '../../src/base/breaks.js';
import { PageOrder } from '../../src/docs/page-order.js';
import { FOLLOWED } from '../../src/store/packed-edges.js';
import { openDatabase } from '../../src/store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../../src/store/url-state.js';
import { temporaryFolder } from '../crawl/support.js';

const IDENTITY = { stripQuery: false, stripTracking: false, sortQuery: false };

it('a page may have more links than a call has arguments', async () => {
  const links = 130_000;
  const folder = temporaryFolder();
  const database = openDatabase(join(folder.path, 'crawl.sqlite'));
  try {
    database.exec(`CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, kind INTEGER, flags INTEGER, parent INTEGER, seed INTEGER, state INTEGER);
      CREATE TABLE pages (id INTEGER PRIMARY KEY, status INTEGER, redirect_to INTEGER);
      CREATE TABLE bodies (page INTEGER PRIMARY KEY, packed BLOB);
      CREATE TABLE edges (page INTEGER PRIMARY KEY, packed BLOB);
      INSERT INTO urls VALUES (1, 'https://a.test/', ${UrlKind.page}, ${UrlFlag.seed}, NULL, 0, ${UrlState.done});
      WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id <= ${links})
        INSERT INTO urls SELECT id, 'https://a.test/' || id, ${UrlKind.page}, 0, 1, 0, ${UrlState.done} FROM n`);
    const words = Uint32Array.from({ length: links * 2 }, (_, i) => (i % 2 === 0 ? 2 + i / 2 : FOLLOWED));
    database.prepare('INSERT INTO edges VALUES (1, ?)').run(new Uint8Array(words.buffer));
    const order = await PageOrder.of(database, IDENTITY, new Breaks());
    expect(order.ofSeed(0)).toEqual(Array.from({ length: links + 1 }, (_, i) => i + 1));
  } finally {
    database.close();
    folder.remove();
  }
});
