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

  /** Keys are four uniformly random words, so two of them serve as the two hashes of double hashing. */
  add(key: ArrayLike<number>): void {
    let layer = this.#layers[0];
    if (layer === undefined || layer.added >= layer.capacity) {
      layer = this.#grow();
    }
    layer.added++;
    for (let i = 0; i < layer.hashes; i++) {
      const bit = bitOf(key, i, layer.bitCount);
      layer.bits[bit >>> 5]! |= 1 << (bit & 31);
    }
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

const bitOf = (key: ArrayLike<number>, i: number, bitCount: number): number =>
  (key[2]! * 0x1_0000_0000 + ((key[3]! + Math.imul(i, key[1]! | 1)) >>> 0)) % bitCount;

function layerHas(layer: Layer, key: ArrayLike<number>): boolean {
  for (let i = 0; i < layer.hashes; i++) {
    const bit = bitOf(key, i, layer.bitCount);
    if ((layer.bits[bit >>> 5]! & (1 << (bit & 31))) === 0) {
      return false;
    }
  }
  return true;
}
