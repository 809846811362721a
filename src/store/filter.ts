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
