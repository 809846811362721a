import { NEARLY_THE_SAME, nearDuplicates } from './near-duplicates.js';
import { edgeKind } from './page-row.js';
import type { Database } from './sqlite.js';
import { columnsOfPages } from './store-file.js';
import { UrlKind, UrlState } from './url-state.js';

/** Links that lead a reader on, of LINK_KINDS: a, area, iframe, frame, refresh. */
const LAST_KIND_FOR_READERS = 4;

export const leadsReaders = (word: number): boolean => edgeKind(word) <= LAST_KIND_FOR_READERS;

/**
 * What only all pages together can tell of one: who links to it, and which others are nearly the same. It is worked out when it is first
 * asked for, in a temporary table that goes with the connection, and anew where another connection has written since.
 */
export class FoundTable {
  readonly #database: Database;
  /** What the database was like when it was made. */
  #version: number | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** SQL that joins it to `urls`. */
  join(): string {
    this.#make();
    return 'LEFT JOIN temp.found ON found.id = urls.id';
  }

  #make(): void {
    const version: number = this.#database.prepare('PRAGMA data_version').get()!.data_version;
    if (this.#version === version) {
      return;
    }
    const inlinks = countInlinks(this.#database);
    const hasSketches = columnsOfPages(this.#database).has('sketch');
    const groups = hasSketches ? nearDuplicates(this.#database, NEARLY_THE_SAME) : null;
    this.#database.exec(`DROP TABLE IF EXISTS temp.found;
      CREATE TEMP TABLE found (id INTEGER PRIMARY KEY, inlinks INTEGER NOT NULL, duplicate_group INTEGER);
      BEGIN`);
    const insert = this.#database.prepare('INSERT INTO temp.found (id, inlinks, duplicate_group) VALUES (?, ?, ?)');
    const pages = this.#database.prepare(
      `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND state <> ${UrlState.unlisted} AND id < ? ORDER BY id`,
    );
    for (const { id } of pages.iterate(inlinks.length)) {
      const group = groups?.[id] ?? 0;
      if (inlinks[id] !== 0 || group !== 0) {
        insert.run(id, inlinks[id]!, group === 0 ? null : group);
      }
    }
    this.#database.exec('COMMIT');
    this.#version = version;
  }
}

/** By id, the other pages that link to it, each once. Eight bytes for each URL that is known. */
export function countInlinks(database: Database): Int32Array {
  const ids = (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
  const inlinks = new Int32Array(ids);
  const lastFrom = new Int32Array(ids);
  // The edges of one page after the other stand in here: an array for each page costs more than to count.
  let edges = new Uint32Array(1_024);
  for (const { page, packed } of database.prepare('SELECT page, packed FROM edges').iterate()) {
    const count = packed.byteLength >> 2;
    if (count > edges.length) {
      edges = new Uint32Array(count * 2);
    }
    new Uint8Array(edges.buffer).set(packed);
    for (let i = 0; i < count; i += 2) {
      const to = edges[i]!;
      if (to < ids && to !== page && lastFrom[to] !== page && leadsReaders(edges[i + 1]!)) {
        lastFrom[to] = page;
        inlinks[to]!++;
      }
    }
  }
  return inlinks;
}
