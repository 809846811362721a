import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Breaks } from '../../src/base/breaks.js';
import { WordRoom } from '../../src/store/disk-words.js';
import { type MergedStore, type Part, StoreMerge } from '../../src/store/merge-stores.js';
import { blobOf, edgesFromBlob } from '../../src/store/page-row.js';
import { StoreSplit } from '../../src/store/split-store.js';
import { type Database, openDatabase } from '../../src/store/sqlite.js';
import type { Store } from '../../src/store/store.js';
import { createTables } from '../../src/store/store-file.js';

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gossamer-split-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Room for a few pages of words only: what a test has is more. */
const LITTLE = 4 * 65_536;

function empty(): Database {
  const database = openDatabase(':memory:');
  createTables(database);
  return database;
}

export async function splitStore(whole: Database, nodes: number, work = folder()): Promise<Database[]> {
  const parts = Array.from({ length: nodes }, empty);
  const room = new WordRoom(work, LITTLE);
  await new StoreSplit(whole, parts, room, new Breaks()).run((slot) => ({
    cluster: JSON.stringify({ crawlId: '', slot, nodes, incarnation: `part ${slot}` }),
  }));
  room.close();
  return parts;
}

/** @param storeOf with the scope of its crawl, to take what was under way between the parts */
export async function mergeStores(
  parts: readonly (Pick<Part, 'database' | 'slot'> & { age?: number })[],
  storeOf?: (whole: Database) => Store,
  workFolder = folder(),
): Promise<{ whole: Database; merged: MergedStore }> {
  const whole = empty();
  const work = openDatabase(':memory:');
  const room = new WordRoom(workFolder, LITTLE);
  const all = parts.map((part) => ({ name: `part ${part.slot}`, age: 0, ...part }));
  const merge = new StoreMerge(all, whole, work, { room, folder: workFolder, breaks: new Breaks() });
  const merged = await merge.run();
  if (storeOf !== undefined) {
    merge.deliver(storeOf(whole), merged, 0);
  }
  room.close();
  work.close();
  return { whole, merged };
}

const ORDERED: Readonly<Record<string, string>> = {
  ...{ runs: 'run', hosts: 'id', origins: 'id', urls: 'id', pages: 'id', edges: 'page', link_facts: 'page' },
  ...{ bodies: 'page', contents: 'id', attempts: 'url, look, attempt', traps: 'trap', trapped: 'trap, url' },
  ...{
    sitemap_finds: 'url',
    cookies: 'url',
    given: 'url',
    seen: 'key',
    seeds: 'seed',
    bad_seeds: 'rowid',
    meta: 'key',
  },
};
/** They tell of a store as a part, or of a file beside it. */
const NOT_OF_A_WHOLE = new Set(['cluster', 'split', 'pagesStream']);

/** All that stands in a store. */
export function contentOf(database: Database): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  for (const [table, order] of Object.entries(ORDERED)) {
    const rows = database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).all();
    content[table] = rows.filter(({ key }) => table !== 'meta' || !NOT_OF_A_WHOLE.has(key));
  }
  const keys: string[] = [];
  for (const { packed } of database.prepare('SELECT packed FROM keys ORDER BY first').all()) {
    const bytes = Buffer.from(packed);
    for (let at = 0; at < bytes.length; at += 20) {
      keys.push(bytes.toString('hex', at, at + 20));
    }
  }
  return { ...content, keys };
}

/** The tables of a store that a test does not know would be lost unseen. */
export const tablesOf = (database: Database): string[] =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    .sort();

export const KNOWN_TABLES: string[] = [...Object.keys(ORDERED), 'keys', 'outbox', 'peers'].sort();

const REFERENCES: Readonly<Record<string, readonly [table: string, column: string][]>> = {
  urls: [
    ...([
      ['urls', 'id'],
      ['urls', 'parent'],
      ['pages', 'id'],
      ['pages', 'redirect_to'],
      ['edges', 'page'],
    ] as const),
    ...([
      ['link_facts', 'page'],
      ['bodies', 'page'],
      ['attempts', 'url'],
      ['trapped', 'url'],
    ] as const),
    ...([
      ['sitemap_finds', 'url'],
      ['sitemap_finds', 'sitemap'],
      ['cookies', 'url'],
      ['given', 'url'],
    ] as const),
    ...([
      ['origins', 'robots_id'],
      ['seen', 'id'],
    ] as const),
  ].map((each) => [...each]),
  hosts: [
    ['hosts', 'id'],
    ['origins', 'host'],
  ],
  origins: [
    ['origins', 'id'],
    ['urls', 'origin'],
  ],
  contents: [
    ['contents', 'id'],
    ['bodies', 'content'],
  ],
  traps: [
    ['traps', 'trap'],
    ['trapped', 'trap'],
  ],
  pages: [['pages', 'seq']],
};
const NUMBER: Readonly<Record<string, string>> = { traps: 'trap', pages: 'seq' };

/** Gives everything in a store the numbers that it would have if nobody else had any: 1, 2, 3 … as every node does. */
export function renumber(database: Database): void {
  database.exec('BEGIN');
  const ids = new Map<number, number>();
  for (const [table, columns] of Object.entries(REFERENCES)) {
    const column = NUMBER[table] ?? 'id';
    database.exec(`CREATE TEMP TABLE ranks AS SELECT ${column} AS id, row_number() OVER (ORDER BY ${column}) AS rank FROM ${table};
      CREATE UNIQUE INDEX temp.ranks_id ON ranks (id)`);
    if (table === 'urls') {
      for (const { id, rank } of database.prepare('SELECT id, rank FROM ranks').all()) {
        ids.set(id, rank);
      }
    }
    for (const [other, reference] of columns) {
      // Below zero first: on its way no number meets another.
      database.exec(`UPDATE ${other} SET ${reference} = -(SELECT rank FROM ranks WHERE ranks.id = ${other}.${reference}) WHERE ${reference} > 0;
        UPDATE ${other} SET ${reference} = -${reference} WHERE ${reference} < 0`);
    }
    database.exec('DROP TABLE temp.ranks');
  }
  const update = database.prepare('UPDATE edges SET packed = ? WHERE page = ?');
  for (const { page, packed } of database.prepare('SELECT page, packed FROM edges').all()) {
    const words = edgesFromBlob(packed);
    for (let i = 0; i < words.length; i += 2) {
      words[i] = ids.get(words[i]!)!;
    }
    update.run(blobOf(words), page);
  }
  const keys = database.prepare('SELECT packed FROM keys ORDER BY first').all();
  database.exec('DELETE FROM keys');
  for (const { packed } of keys) {
    const words = edgesFromBlob(packed);
    for (let i = 4; i < words.length; i += 5) {
      words[i] = ids.get(words[i]!)!;
    }
    database.prepare('INSERT INTO keys (first, packed) VALUES (?, ?)').run(words[4]!, blobOf(words));
  }
  database.exec('COMMIT');
}
