import type { Database, Statement } from './sqlite.js';

export interface ChainEnd {
  id: number;
  /** Why the chain has no end that counts. */
  problem: 'redirect_loop' | 'redirect_limit' | null;
}

/** Where each redirecting URL ends. Read from the stored hops: a redirect is stored only as a pointer to its target. */
export class RedirectChains {
  readonly #next = new Map<number, number>();
  readonly #ends = new Map<number, ChainEnd>();
  readonly #maxRedirects: number;
  readonly #reason: Statement;

  constructor(database: Database, maxRedirects: number) {
    this.#maxRedirects = maxRedirects;
    this.#reason = database.prepare('SELECT reason FROM urls WHERE id = ?');
    for (const row of database.prepare('SELECT id, redirect_to FROM pages WHERE redirect_to IS NOT NULL').iterate()) {
      this.#next.set(row.id, row.redirect_to);
    }
  }

  endOf(id: number): ChainEnd {
    const known = this.#ends.get(id);
    if (known !== undefined) {
      return known;
    }
    const path: number[] = [];
    const onPath = new Set<number>();
    let at = id;
    let end: ChainEnd | undefined;
    for (;;) {
      if (onPath.has(at)) {
        end = { id: at, problem: 'redirect_loop' };
        break;
      }
      const next = this.#next.get(at);
      if (next === undefined) {
        // Where the limit cut a chain its last hop says so, for all that lead there.
        const cut = path.length > 0 && this.#reason.get(at)?.reason === 'redirect_limit';
        end = { id: at, problem: cut ? 'redirect_limit' : null };
        break;
      }
      path.push(at);
      onPath.add(at);
      at = next;
    }
    path.forEach((member, place) => {
      const hops = path.length - place;
      const tooLong = end.problem === null && this.#maxRedirects > 0 && hops > this.#maxRedirects;
      this.#ends.set(member, tooLong ? { id: end.id, problem: 'redirect_limit' } : end);
    });
    return this.#ends.get(id) ?? end;
  }
}
