import type { Breaks } from '../base/breaks.js';
import type { DiskWords, WordRoom } from './disk-words.js';
import type { Database } from './sqlite.js';

/** What a store of several knows under a number of its own. */
export interface Named {
  id: number;
  /** By which it is known in the other stores; null: no other store has it. */
  name: string | Uint8Array | null;
  /** Whose row counts where several have it: the least. */
  rank: number;
}

/** The best row of its name, or the only one. */
const BEST = 0xffff_ffff;

/**
 * New numbers for what several stores have under numbers of their own. Of each name one row counts. The order of numbers stays; where no two
 * stores use one number for different things, so do the numbers.
 */
export class Numbering {
  readonly #work: Database;
  readonly #table: string;
  readonly #stores: readonly { numbers: DiskWords; others: DiskWords }[];
  readonly #breaks: Breaks;

  constructor(work: Database, table: string, { room, stores, breaks }: NumberingParts) {
    this.#work = work;
    this.#table = table;
    this.#breaks = breaks;
    this.#stores = Array.from({ length: stores }, () => ({ numbers: room.array(), others: room.array() }));
    work.exec(`CREATE TABLE ${table} (name NOT NULL, rank REAL NOT NULL, store INTEGER NOT NULL, id INTEGER NOT NULL)`);
  }

  async add(store: number, rows: Iterable<Named>): Promise<void> {
    const insert = this.#work.prepare(`INSERT INTO ${this.#table} (name, rank, store, id) VALUES (?, ?, ?, ?)`);
    for (const { id, name, rank } of rows) {
      if (name === null) {
        this.#stores[store]!.numbers.set(id, BEST);
      } else {
        insert.run(name, rank, store, id);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** When all stores are there. `onBest` is told of the row that counts, of each name. */
  async settle(onBest: (store: number, id: number, rank: number) => void = () => {}): Promise<void> {
    await this.#chooseBest(onBest);
    this.#work.exec(`DROP TABLE ${this.#table}`);
    const most = Math.max(...this.#stores.map(({ numbers }) => numbers.largest));
    const stays = await this.#stay(most);
    let next = 1;
    for (let id = 0; id <= most; id++) {
      for (const { numbers } of this.#stores) {
        if (numbers.get(id) === BEST) {
          numbers.set(id, stays ? id : next++);
        }
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    for (const { numbers, others } of this.#stores) {
      for (let id = 0; id <= others.largest; id++) {
        const other = others.get(id);
        if (other !== 0) {
          numbers.set(id, this.#stores[numbers.get(id) - 1]!.numbers.get(other));
        }
        if (this.#breaks.isDue()) {
          await this.#breaks.take();
        }
      }
    }
  }

  /** 0: the store has nothing under this number. */
  of(store: number, id: number): number {
    return this.#stores[store]!.numbers.get(id);
  }

  /** Whether the row of this store is the one that counts. */
  isBest(store: number, id: number): boolean {
    const { numbers, others } = this.#stores[store]!;
    return others.get(id) === 0 && numbers.get(id) !== 0;
  }

  drop(): void {
    for (const { numbers, others } of this.#stores) {
      numbers.drop();
      others.drop();
    }
  }

  async #chooseBest(onBest: (store: number, id: number, rank: number) => void): Promise<void> {
    const sorted = this.#work.prepare(
      `SELECT name, store, id, rank FROM ${this.#table} ORDER BY name, rank, store, id`,
    );
    let best: { name: unknown; store: number; id: number } | null = null;
    for (const { name, store, id, rank } of sorted.iterate()) {
      const { numbers, others } = this.#stores[store]!;
      if (best !== null && isSame(best.name, name)) {
        numbers.set(id, best.store + 1);
        others.set(id, best.id);
      } else {
        best = { name, store, id };
        numbers.set(id, BEST);
        onBest(store, id, rank);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** Whether each number is used for one thing only. */
  async #stay(most: number): Promise<boolean> {
    for (let id = 0; id <= most; id++) {
      let uses = 0;
      for (const { numbers } of this.#stores) {
        uses += numbers.get(id) === BEST ? 1 : 0;
      }
      if (uses > 1) {
        return false;
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    return true;
  }
}

export interface NumberingParts {
  room: WordRoom;
  stores: number;
  breaks: Breaks;
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' || typeof b === 'string') {
    return a === b;
  }
  return Buffer.compare(a as Uint8Array, b as Uint8Array) === 0;
}
