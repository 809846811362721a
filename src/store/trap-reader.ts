import type { Database, Row } from './sqlite.js';

/** URLs that were cut as a trap under one pattern. */
export interface TrapResult {
  pattern: string;
  /** Why, in words. */
  cause: string;
  count: number;
  /** The first of them. */
  examples: string[];
}

const EXAMPLES = 3;
const COUNTED =
  'SELECT traps.trap AS trap, pattern, cause, count(*) AS count FROM traps JOIN trapped ON trapped.trap = traps.trap';

/** What was cut as a trap. */
export class TrapReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Patterns, those of most URLs first; `patterns` counts all of them. */
  largest(most: number): { traps: TrapResult[]; patterns: number } {
    const rows = this.#database
      .prepare(`${COUNTED} GROUP BY traps.trap ORDER BY count(*) DESC, traps.trap LIMIT ?`)
      .all(most);
    return {
      traps: rows.map((row) => this.#result(row)),
      patterns: this.#database.prepare('SELECT count(DISTINCT trap) AS n FROM trapped').get()!.n,
    };
  }

  /** The pattern that a URL was cut under. */
  ofUrl(id: number): TrapResult | null {
    return this.#one('traps.trap = (SELECT trap FROM trapped WHERE url = ?)', id);
  }

  named(pattern: string): TrapResult | null {
    return this.#one('pattern = ?', pattern);
  }

  #one(where: string, value: number | string): TrapResult | null {
    const row = this.#database.prepare(`${COUNTED} WHERE ${where} GROUP BY traps.trap`).get(value);
    return row === undefined ? null : this.#result(row);
  }

  #result({ trap, pattern, cause, count }: Row): TrapResult {
    const examples = this.#database
      .prepare(
        'SELECT urls.url AS url FROM trapped JOIN urls ON urls.id = trapped.url WHERE trap = ? ORDER BY trapped.url LIMIT ?',
      )
      .all(trap, EXAMPLES);
    return { pattern, cause, count, examples: examples.map(({ url }) => url) };
  }
}
