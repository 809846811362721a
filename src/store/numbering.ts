import { createHash } from 'node:crypto';
import type { Breaks } from '../base/breaks.js';
import { DEALT_WORDS, type DealtWords } from './dealt-words.js';
import type { DiskWords, WordRoom } from './disk-words.js';

/** What a store of several knows under a number of its own. */
export interface Named {
  id: number;
  /** By which it is known in the other stores: four words of a key, or a text; null: no other store has it. */
  name: string | Uint32Array | null;
  /** Whose row counts where several have it: the least. */
  rank: number;
}

/** The best row of its name, or the only one. */
const BEST = 0xffff_ffff;

/** A row that is dealt out: four words of its name, then these, then its rank as a number of 64 bits. */
const NAME_WORDS = 4;
const STORE = 4;
const ID = 5;
const RANK_WORDS = 6;
const RANKS_A_ROW = DEALT_WORDS / 2;
const RANK = RANK_WORDS / 2;

/**
 * New numbers for what several stores have under numbers of their own. Of each name one row counts. The order of numbers stays; where no two
 * stores use one number for different things, so do the numbers.
 */
export class Numbering {
  readonly #named: DealtWords;
  readonly #stores: readonly { numbers: DiskWords; others: DiskWords }[];
  readonly #breaks: Breaks;
  readonly #row: Uint32Array = new Uint32Array(DEALT_WORDS);
  readonly #rank: Float64Array = new Float64Array(1);
  readonly #rankWords: Uint32Array = new Uint32Array(this.#rank.buffer);

  constructor(named: DealtWords, { room, stores, breaks }: NumberingParts) {
    this.#named = named;
    this.#breaks = breaks;
    this.#stores = Array.from({ length: stores }, () => ({ numbers: room.array(), others: room.array() }));
  }

  async add(store: number, rows: Iterable<Named>): Promise<void> {
    const row = this.#row;
    for (const { id, name, rank } of rows) {
      if (name === null) {
        this.#stores[store]!.numbers.set(id, BEST);
      } else {
        row.set(typeof name === 'string' ? wordsOf(name) : name);
        this.#rank[0] = rank;
        row[STORE] = store;
        row[ID] = id;
        row.set(this.#rankWords, RANK_WORDS);
        this.#named.add(row);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** When all stores are there. `onBest` is told of the row that counts, of each name. */
  async settle(onBest: (store: number, id: number, rank: number) => void = () => {}): Promise<void> {
    for (const rows of this.#named.heaps()) {
      this.#chooseBest(rows, onBest);
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    this.#named.drop();
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

  /** All rows of a name are in one heap. */
  #chooseBest(rows: Uint32Array, onBest: (store: number, id: number, rank: number) => void): void {
    const ranks = new Float64Array(rows.buffer, rows.byteOffset, rows.length / 2);
    const count = rows.length / DEALT_WORDS;
    /** The first row of each name, plus one, at a place that its name decides. */
    const table = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
    const firsts = new Uint32Array(count);
    /** By first row. */
    const bests = new Uint32Array(count);
    for (let row = 0; row < count; row++) {
      let place = rows[row * DEALT_WORDS + 3]! & (table.length - 1);
      while (table[place] !== 0 && !isSameName(rows, table[place]! - 1, row)) {
        place = (place + 1) & (table.length - 1);
      }
      if (table[place] === 0) {
        table[place] = row + 1;
        bests[row] = row;
      }
      const first = table[place]! - 1;
      firsts[row] = first;
      if (isBefore(rows, ranks, row, bests[first]!)) {
        bests[first] = row;
      }
    }
    for (let row = 0; row < count; row++) {
      const best = bests[firsts[row]!]!;
      const [store, id] = [rows[row * DEALT_WORDS + STORE]!, rows[row * DEALT_WORDS + ID]!];
      const { numbers, others } = this.#stores[store]!;
      if (row === best) {
        numbers.set(id, BEST);
        onBest(store, id, ranks[row * RANKS_A_ROW + RANK]!);
      } else {
        numbers.set(id, rows[best * DEALT_WORDS + STORE]! + 1);
        others.set(id, rows[best * DEALT_WORDS + ID]!);
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

/** A text is known by as many bits of its hash as a URL is by its key. */
function wordsOf(name: string): Uint32Array {
  const hash = createHash('sha256').update(name).digest();
  return Uint32Array.from({ length: NAME_WORDS }, (_, i) => hash.readUInt32BE(i * 4));
}

function isSameName(rows: Uint32Array, a: number, b: number): boolean {
  const [at, to] = [a * DEALT_WORDS, b * DEALT_WORDS];
  return (
    rows[at] === rows[to] &&
    rows[at + 1] === rows[to + 1] &&
    rows[at + 2] === rows[to + 2] &&
    rows[at + 3] === rows[to + 3]
  );
}

/** By rank, store and id. */
function isBefore(rows: Uint32Array, ranks: Float64Array, a: number, b: number): boolean {
  const [rankA, rankB] = [ranks[a * RANKS_A_ROW + RANK]!, ranks[b * RANKS_A_ROW + RANK]!];
  if (rankA !== rankB) {
    return rankA < rankB;
  }
  const [at, to] = [a * DEALT_WORDS, b * DEALT_WORDS];
  return rows[at + STORE] !== rows[to + STORE]
    ? rows[at + STORE]! < rows[to + STORE]!
    : rows[at + ID]! < rows[to + ID]!;
}
