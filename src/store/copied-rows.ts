import type { Database, Row, SqlValue, Statement } from './sqlite.js';

/** Of an entry in `keys.packed`: the key, and the id. */
const KEY_WORDS = 5;
const KEYS_A_ROW = 4_096;

export const columnsOf = (database: Database, table: string): string[] =>
  database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name as string);

/** Inserts rows as they were read from another store. */
export class RowWriter {
  readonly #insert: Statement;
  readonly #columns: readonly string[];

  constructor(database: Database, table: string, columns: readonly string[]) {
    this.#columns = columns;
    this.#insert = database.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
  }

  write(row: Row): void {
    const { length } = this.#columns;
    const values = new Array<SqlValue>(length);
    for (let i = 0; i < length; i++) {
      values[i] = row[this.#columns[i]!];
    }
    this.#insert.run(...values);
  }
}

export interface KeptKey {
  id: number;
  /** Four words. */
  key: Uint32Array;
}

/** The keys of a store, ids ascending. */
export function* keysIn(database: Database): IterableIterator<KeptKey> {
  for (const { packed } of database.prepare('SELECT packed FROM keys ORDER BY first').iterate()) {
    const words = new Uint32Array(packed.byteLength >> 2);
    new Uint8Array(words.buffer).set(packed);
    for (let i = 0; i < words.length; i += KEY_WORDS) {
      yield { id: words[i + 4]!, key: words.subarray(i, i + 4) };
    }
  }
}

/** Writes keys, ids ascending, many in a row of `keys`. */
export class KeyWriter {
  readonly #insert: Statement;
  readonly #words: Uint32Array = new Uint32Array(KEYS_A_ROW * KEY_WORDS);
  #length = 0;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO keys (first, packed) VALUES (?, ?)');
  }

  write(key: Uint32Array, id: number): void {
    this.#words.set(key, this.#length);
    this.#words[this.#length + 4] = id;
    this.#length += KEY_WORDS;
    if (this.#length === this.#words.length) {
      this.end();
    }
  }

  end(): void {
    if (this.#length > 0) {
      this.#insert.run(this.#words[4]!, new Uint8Array(this.#words.buffer, 0, this.#length * 4));
      this.#length = 0;
    }
  }
}
