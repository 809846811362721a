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

/**
 * A Bloom filter that grows: when one layer has taken what it was sized for, a larger one with half its error is put before it,
 * so the whole stays below twice the rate asked for. It answers "certainly not" or "perhaps", never a wrong "not".
 */
interface Layer {
  bits: Uint32Array;
  bitCount: number;
  hashes: number;
  capacity: number;
  added: number;
}

export class GrowingFilter {
  readonly #layers: Layer[] = [];
  readonly #expected: number;
  readonly #rate: number;

  constructor(expected: number, falsePositiveRate: number) {
    this.#expected = Math.max(1, expected);
    this.#rate = falsePositiveRate;
  }

  get bytes(): number {
    return this.#layers.reduce((sum, layer) => sum + layer.bits.byteLength, 0);
  }

  /** Keys are four uniformly random words: two serve as each of the two hashes. */
  add(key: ArrayLike<number>): void {
    let layer = this.#layers[0];
    if (layer === undefined || layer.added >= layer.capacity) {
      layer = this.#grow();
    }
    layer.added++;
    eachBit(layer, key, (word, mask) => {
      layer.bits[word]! |= mask;
      return true;
    });
  }

  mayHave(key: ArrayLike<number>): boolean {
    return this.#layers.some((layer) => layerHas(layer, key));
  }

  #grow(): Layer {
    const generation = this.#layers.length;
    const capacity = this.#expected * 4 ** generation;
    const rate = this.#rate / 2 ** (generation + 1);
    const bitCount = Math.max(64, Math.ceil((-capacity * Math.log(rate)) / Math.LN2 ** 2));
    const hashes = Math.max(1, Math.round((bitCount / capacity) * Math.LN2));
    const layer = { bits: new Uint32Array(Math.ceil(bitCount / 32)), bitCount, hashes, capacity, added: 0 };
    this.#layers.unshift(layer);
    return layer;
  }
}

const layerHas = (layer: Layer, key: ArrayLike<number>): boolean =>
  eachBit(layer, key, (word, mask) => (layer.bits[word]! & mask) !== 0);

/** Double hashing: visits the key's bits until one is refused. False: one was. */
function eachBit(
  { bitCount, hashes }: Layer,
  key: ArrayLike<number>,
  visit: (word: number, mask: number) => boolean,
): boolean {
  const step = 1 + (exactly(key[1]!, key[0]!) % (bitCount - 1));
  let bit = exactly(key[2]!, key[3]!) % bitCount;
  for (let i = 0; i < hashes; i++) {
    if (!visit(Math.floor(bit / 32), 1 << (bit % 32))) {
      return false;
    }
    bit = (bit + step) % bitCount;
  }
  return true;
}

/** 53 bits of two words: with more, the number would be rounded and its remainder hit a few bits only. */
const exactly = (high: number, low: number): number => high * 0x20_0000 + (low >>> 11);
