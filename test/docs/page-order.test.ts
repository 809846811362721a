import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Breaks } from '../../src/base/breaks.js';
import { PageOrder } from '../../src/docs/page-order.js';
import { DocsReader } from '../../src/store/docs-reader.js';
import { FOLLOWED } from '../../src/store/page-row.js';
import { type Database, openDatabase } from '../../src/store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../../src/store/url-state.js';
import { temporaryFolder } from '../crawl/support.js';

const IDENTITY = { stripQuery: false, stripTracking: false, sortQuery: false };

const TABLES = `CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, kind INTEGER, flags INTEGER, parent INTEGER, seed INTEGER, state INTEGER);
  CREATE TABLE pages (id INTEGER PRIMARY KEY, status INTEGER, redirect_to INTEGER);
  CREATE TABLE bodies (page INTEGER PRIMARY KEY, content INTEGER);
  CREATE TABLE contents (id INTEGER PRIMARY KEY, packed BLOB);
  CREATE TABLE edges (page INTEGER PRIMARY KEY, packed BLOB)`;

it('a page may have more links than a call has arguments', async () => {
  const links = 130_000;
  const folder = temporaryFolder();
  const database = openDatabase(join(folder.path, 'crawl.sqlite'));
  try {
    database.exec(`${TABLES};
      INSERT INTO urls VALUES (1, 'https://a.test/', ${UrlKind.page}, ${UrlFlag.seed}, NULL, 0, ${UrlState.done});
      WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id <= ${links})
        INSERT INTO urls SELECT id, 'https://a.test/' || id, ${UrlKind.page}, 0, 1, 0, ${UrlState.done} FROM n`);
    const words = Uint32Array.from({ length: links * 2 }, (_, i) => (i % 2 === 0 ? 2 + i / 2 : FOLLOWED));
    database.prepare('INSERT INTO edges VALUES (1, ?)').run(new Uint8Array(words.buffer));
    const order = await PageOrder.of(new DocsReader(database), IDENTITY, new Breaks());
    expect(order.ofSeed(0)).toEqual(Array.from({ length: links + 1 }, (_, i) => i + 1));
  } finally {
    database.close();
    folder.remove();
  }
});

describe('many seeds', () => {
  const SEEDS = 40;
  /** The pages of seed n are 3n + 1 to 3n + 3: the seed, one that it links to, and one that only the seed before links to. */
  const pagesOf = (seed: number): number[] => [1, 2, 3].map((nth) => 3 * seed + nth);
  const sitemap = 3 * SEEDS + 1;

  async function ordered(named: number[]): Promise<{ order: number[][]; reads: Map<string, number> }> {
    const folder = temporaryFolder();
    const database = openDatabase(join(folder.path, 'crawl.sqlite'));
    try {
      database.exec(`${TABLES}; BEGIN`);
      const url = database.prepare('INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)');
      const edges = database.prepare('INSERT INTO edges VALUES (?, ?)');
      for (let seed = 0; seed < SEEDS; seed++) {
        for (const [nth, id] of pagesOf(seed).entries()) {
          const [flags, parent] = nth === 0 ? [UrlFlag.seed, null] : [0, 3 * seed + 1];
          url.run(id, `https://a.test/${id}`, UrlKind.page, flags, parent, seed, UrlState.done);
        }
        const words = Uint32Array.of(3 * seed + 2, FOLLOWED, 3 * ((seed + 1) % SEEDS) + 3, FOLLOWED);
        edges.run(3 * seed + 1, new Uint8Array(words.buffer));
      }
      const urls = named.map((id) => `<url><loc>https://a.test/${id}</loc></url>`).join('');
      url.run(sitemap, 'https://a.test/sitemap.xml', UrlKind.sitemap, 0, null, 0, UrlState.done);
      database.prepare('INSERT INTO contents VALUES (?, ?)').run(1, deflateRawSync(`<urlset>${urls}</urlset>`));
      database.prepare('INSERT INTO bodies VALUES (?, ?)').run(sitemap, 1);
      database.exec('COMMIT');
      const reads = new Map<string, number>();
      const order = await PageOrder.of(new DocsReader(counted(database, reads)), IDENTITY, new Breaks());
      expect(order.pages).toBe(3 * SEEDS);
      return { order: Array.from({ length: SEEDS }, (_, seed) => [...order.ofSeed(seed)]), reads };
    } finally {
      database.close();
      folder.remove();
    }
  }

  it('have each their own pages, those last that only other seeds lead to', async () => {
    const { order } = await ordered([]);
    expect(order).toEqual(Array.from({ length: SEEDS }, (_, seed) => pagesOf(seed)));
  });

  it('have them as the sitemap names them, where it does', async () => {
    const named = Array.from({ length: 3 * SEEDS }, (_, i) => 3 * SEEDS - i);
    const { order } = await ordered(named);
    expect(order).toEqual(Array.from({ length: SEEDS }, (_, seed) => pagesOf(seed).toReversed()));
  });

  it('cost one look at each sitemap and two at the links of each page, however many they are', async () => {
    const { reads } = await ordered([5]);
    expect(reads.get('SELECT packed FROM bodies JOIN contents ON contents.id = bodies.content WHERE page = ?')).toBe(1);
    expect(reads.get('SELECT packed FROM edges WHERE page = ?')).toBeLessThanOrEqual(2 * 3 * SEEDS);
  });
});

/** The same database; counts how often each statement is asked for a row. */
function counted(database: Database, reads: Map<string, number>): Database {
  const prepare: Database['prepare'] = (sql) => {
    const statement = database.prepare(sql);
    const get = statement.get.bind(statement);
    const value: typeof get = (...values) => {
      reads.set(sql, (reads.get(sql) ?? 0) + 1);
      return get(...values);
    };
    return Object.defineProperty(statement, 'get', { value });
  };
  return { prepare, exec: (sql) => database.exec(sql), close: () => database.close() };
}
