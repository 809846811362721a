import { NEARLY_THE_SAME, nearDuplicates } from './near-duplicates.js';
import { edgeKind } from './page-row.js';
import type { Database } from './sqlite.js';
import { columnsOfPages } from './store-file.js';
import { UrlKind, UrlState } from './url-state.js';

/** Links that lead a reader on, of LINK_KINDS: a, area, iframe, frame, refresh. */
const LAST_KIND_FOR_READERS = 4;

export const leadsReaders = (word: number): boolean => edgeKind(word) <= LAST_KIND_FOR_READERS;

const AT_ONCE = 10_000;

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
      CREATE TEMP TABLE found (id INTEGER PRIMARY KEY, inlinks INTEGER NOT NULL DEFAULT 0, duplicate_group INTEGER);
      BEGIN`);
    this.#tell('inlinks', inlinks);
    if (groups !== null) {
      this.#tell('duplicate_group', groups);
    }
    this.#database.exec('COMMIT');
    this.#version = version;
  }

  /** Many pages in a statement: to hand over each by itself takes longer than to find out what there is to say. */
  #tell(column: 'inlinks' | 'duplicate_group', byId: Int32Array): void {
    const insert = this.#database.prepare(
      `INSERT INTO temp.found (id, ${column}) SELECT urls.id, told.value FROM json_each(?) AS told JOIN urls ON urls.id = told.key + ?
       WHERE told.value <> 0 AND urls.kind = ${UrlKind.page} AND urls.state <> ${UrlState.unlisted}
       ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`,
    );
    for (let first = 0; first < byId.length; first += AT_ONCE) {
      insert.run(JSON.stringify(Array.from(byId.subarray(first, first + AT_ONCE))), first);
    }
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
