import type { StoreScope } from './rediscovery.js';
import type { Database, Statement } from './sqlite.js';
import type { CommitAnswer } from './transaction.js';

/** A site can make patterns without end; those beyond this many are looked up. */
const MOST_REMEMBERED = 10_000;

/** Which URLs were cut as traps, and why. A row for each, in the commit that cuts it: so their number is right after any kill. */
export class TrapsTable {
  readonly #scope: StoreScope;
  readonly #find: Statement;
  readonly #insert: Statement;
  readonly #insertUrl: Statement;
  readonly #release: Statement;
  readonly #dropEmpty: Statement;
  readonly #ids = new Map<string, number>();

  constructor(database: Database, scope: StoreScope) {
    this.#scope = scope;
    this.#find = database.prepare('SELECT trap FROM traps WHERE pattern = ?');
    this.#insert = database.prepare('INSERT INTO traps (pattern, cause) VALUES (?, ?) RETURNING trap');
    this.#release = database.prepare('DELETE FROM trapped WHERE url = ?');
    this.#dropEmpty = database.prepare('DELETE FROM traps WHERE trap NOT IN (SELECT trap FROM trapped)');
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
