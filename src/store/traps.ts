import type { Database, Row, Statement } from './sqlite.js';
import type { StoreScope } from './standing.js';
import type { CommitAnswer } from './transaction.js';
import { UrlMove } from './url-moves.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** A site can make patterns without end; those beyond this many are looked up. */
const MOST_REMEMBERED = 10_000;

/** So many are queued again by one commit: the others by the commits that follow. */
export const MOST_LET_IN = 2_000;

/** Which URLs were cut as traps, and why. A row for each, in the commit that cuts it: so their number is right after any kill. */
export class TrapsTable {
  readonly #scope: StoreScope;
  readonly #find: Statement;
  readonly #insert: Statement;
  readonly #insertUrl: Statement;
  readonly #release: Statement;
  readonly #dropEmpty: Statement;
  readonly #cut: Statement;
  readonly #queue: UrlMove;
  readonly #dropPage: Statement;
  readonly #ids = new Map<string, number>();

  constructor(database: Database, scope: StoreScope) {
    this.#scope = scope;
    this.#find = database.prepare('SELECT trap FROM traps WHERE pattern = ?');
    this.#insert = database.prepare('INSERT INTO traps (pattern, cause) VALUES (?, ?) RETURNING trap');
    this.#release = database.prepare('DELETE FROM trapped WHERE url = ?');
    this.#dropEmpty = database.prepare('DELETE FROM traps WHERE trap NOT IN (SELECT trap FROM trapped)');
    this.#cut = database.prepare(
      `SELECT urls.id AS id, kind, flags, origins.origin AS origin FROM trapped
       JOIN traps ON traps.trap = trapped.trap JOIN urls ON urls.id = trapped.url JOIN origins ON origins.id = urls.origin
       WHERE traps.pattern = ? AND state = ${UrlState.skipped} AND reason = 'trap' ORDER BY urls.id LIMIT ?`,
    );
    this.#queue = new UrlMove(database, {
      ...{ from: UrlState.skipped, to: UrlState.queued, set: `reason = NULL, class = ${QueueClass.rest}` },
    });
    this.#dropPage = database.prepare('DELETE FROM pages WHERE id = ?');
    this.#insertUrl = database.prepare('INSERT OR IGNORE INTO trapped (trap, url) VALUES (?, ?)');
  }

  add(url: number, pattern: string, answer: CommitAnswer): void {
    this.#insertUrl.run(this.#ids.get(pattern) ?? this.#idOf(pattern, answer), url);
  }

  /** It is a seed's: no trap, whatever it looks like. */
  release(url: number): void {
    this.#release.run(url);
    this.#dropEmpty.run();
    this.forget();
  }

  /** The first URLs that were cut under a pattern are queued again. */
  letIn(pattern: string, answer: CommitAnswer): void {
    const rows = this.#cut.all(pattern, MOST_LET_IN);
    for (const { id, kind, flags, origin } of rows) {
      this.#queue.run(id);
      this.#dropPage.run(id);
      this.#release.run(id);
      answer.change.queued++;
      // What only a third party has named is no page yet.
      answer.change.skipped -= kind === UrlKind.page && (flags & UrlFlag.candidate) === 0 ? 1 : 0;
      answer.reloaded.add(origin);
    }
    if (rows.length > 0) {
      this.#dropEmpty.run();
      this.forget();
    }
    answer.letIn = rows.length;
  }

  /** What was remembered of a transaction that is rolled back does not hold. */
  forget(): void {
    this.#ids.clear();
  }

  #idOf(pattern: string, answer: CommitAnswer): number {
    let id: number | undefined = this.#find.get(pattern)?.trap;
    if (id === undefined) {
      id = this.#insert.get(pattern, this.#scope.trapCause(pattern))!.trap as number;
      answer.trapped.push(pattern);
    }
    if (this.#ids.size >= MOST_REMEMBERED) {
      this.#ids.clear();
    }
    this.#ids.set(pattern, id);
    return id;
  }
}

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
