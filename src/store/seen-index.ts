import { GrowingFilter } from './filter.js';
import type { Database, Statement } from './sqlite.js';

/**
 * The part of the seen set that is on disk: exact, behind a filter that saves look-ups of URLs that are certainly new.
 * Look-ups go in batches of at most `batchLimit` (layer 9).
 */
export class SeenIndex {
  readonly #filter: GrowingFilter;
  readonly #batchLimit: number;
  readonly #insert: Statement;
  readonly #select: Statement;
  readonly use = { asked: 0, saved: 0, hits: 0, peakBatch: 0, peakWaiting: 0 };

  constructor(database: Database, options: { expectedUrls: number; falsePositiveRate: number; batchLimit: number }) {
    this.#batchLimit = options.batchLimit;
    this.#filter = new GrowingFilter(options.expectedUrls, options.falsePositiveRate);
    this.#insert = database.prepare('INSERT OR IGNORE INTO seen (key, id) VALUES (?, ?)');
    this.#select = database.prepare('SELECT id FROM seen WHERE key = ?');
    for (const row of database.prepare('SELECT key FROM seen').iterate()) {
      this.#filter.add(keyWords(row.key));
    }
  }

  add(key: ArrayLike<number>, id: number): void {
    this.#insert.run(keyBytes(key), id);
    this.#filter.add(key);
  }

  /** Ids of those that are known, by place in `keys`. */
  find(keys: readonly ArrayLike<number>[]): Map<number, number> {
    const found = new Map<number, number>();
    const candidates: number[] = [];
    keys.forEach((key, place) => {
      if (this.#filter.mayHave(key)) {
        candidates.push(place);
      }
    });
    this.use.asked += keys.length;
    this.use.saved += keys.length - candidates.length;
    for (let start = 0; start < candidates.length; start += this.#batchLimit) {
      const batch = candidates.slice(start, start + this.#batchLimit);
      this.use.peakBatch = Math.max(this.use.peakBatch, batch.length);
      this.use.peakWaiting = Math.max(this.use.peakWaiting, candidates.length - start - batch.length);
      this.#lookUp(keys, batch, found);
    }
    return found;
  }

  #lookUp(keys: readonly ArrayLike<number>[], batch: number[], found: Map<number, number>): void {
    for (const place of batch) {
      const row = this.#select.get(keyBytes(keys[place]!));
      if (row !== undefined) {
        found.set(place, row.id);
        this.use.hits++;
      }
    }
  }
}

function keyBytes(key: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 4; i++) {
    view.setUint32(i * 4, key[i]!);
  }
  return bytes;
}

function keyWords(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
}
