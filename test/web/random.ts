/** A small seeded generator (mulberry32): the same seed gives the same web on every machine and every version of Node. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1 */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer, both bounds included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) {
      throw new RangeError('nothing to pick from');
    }
    return items[Math.floor(this.fraction() * items.length)]!;
  }
}

const WORDS =
  'silk thread web dew morning garden hedge corner spiral anchor frame radius hub wind leaf branch window attic barn gate meadow autumn light drop rope knot weave line signal tremble wait patient moth fly night star lantern path stone river bridge harbour sail'.split(
    ' ',
  );

/** Prose that is the same for the same generator state and differs between pages. */
export function prose(random: Random, words: number): string {
  const parts: string[] = [];
  for (let i = 0; i < words; i++) {
    parts.push(random.pick(WORDS));
  }
  return parts.join(' ');
}

/** A number in words, different for each: text that stays different when digits are folded, as trap detection does. */
export function inWords(number: number): string {
  const parts: string[] = [];
  for (let rest = number; parts.length === 0 || rest > 0; rest = Math.floor(rest / WORDS.length)) {
    parts.push(WORDS[rest % WORDS.length]!);
  }
  return parts.join(' ');
}
