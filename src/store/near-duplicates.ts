import type { Database } from './sqlite.js';

/** Two pages with so much of their text in common are nearly the same. */
export const NEARLY_THE_SAME = 0.9;

const ROWS_AT_ONCE = 1_000;
const SKETCH_BYTES = 64;
const WORD_BYTES = 4;
const SKETCH_WORDS = SKETCH_BYTES / WORD_BYTES;
const WORDS_AT_ONCE = 4;
/**
 * Pages that agree in one of these words, each of four bins, are compared. Of two that share nine tenths, one pair in 5,000 agrees in none;
 * below that more and more do.
 */
const KEY_WORDS = 8;
/** So many sketches are in memory at once, 64 MiB; where there are more, they are gone through in parts. */
const MOST_AT_ONCE = 1 << 20;
/** Pages that agree in a word and in little else, as pages of one template may: no page is compared with more of them. */
const MOST_COMPARED = 16;

/** Only pages that were read as HTML have one. */
const SKETCHES = 'FROM pages WHERE sketch IS NOT NULL AND redirect_to IS NULL';

/**
 * Groups of pages whose texts are nearly the same. Who is like one of a group belongs to it. Memory: four bytes for each URL that is known,
 * and a bounded number of sketches.
 *
 * @param share of what two pages say that they have in common, three words at a time; an estimate, to about a twentieth
 * @returns by id, the number of its group from 1 in the order of ids; 0 for pages that are like no other
 */
export function nearDuplicates(database: Database, share: number, mostAtOnce: number = MOST_AT_ONCE): Int32Array {
  const ids = (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
  const groups = new Groups(ids);
  const count: number = database.prepare(`SELECT count(*) AS n ${SKETCHES}`).get()!.n;
  const parts = Math.ceil(count / mostAtOnce);
  if (parts <= 1) {
    const all = readSketches(database, count, () => true);
    for (let word = 0; word < KEY_WORDS; word++) {
      joinByWord(all, word, share, groups);
    }
    return groups.numbers();
  }
  for (let word = 0; word < KEY_WORDS; word++) {
    for (let part = 0; part < parts; part++) {
      const some = readSketches(database, mostAtOnce, (words, at) => hashOf(words[at + word]!) % parts === part);
      joinByWord(some, word, share, groups);
    }
  }
  return groups.numbers();
}

interface Sketches {
  count: number;
  ids: Int32Array;
  words: Uint32Array;
}

function readSketches(
  database: Database,
  expected: number,
  wants: (words: Uint32Array, at: number) => boolean,
): Sketches {
  let ids = new Int32Array(expected);
  let words = new Uint32Array(expected * SKETCH_WORDS);
  let bytes = Buffer.from(words.buffer);
  let count = 0;
  for (const [id, sketch] of sketchesOf(database)) {
    if (count === ids.length) {
      const more = count * 2 + 1;
      ids = withRoom(ids, new Int32Array(more));
      words = withRoom(words, new Uint32Array(more * SKETCH_WORDS));
      bytes = Buffer.from(words.buffer);
    }
    const length = bytes.write(sketch, count * SKETCH_BYTES, 'base64');
    if (length === SKETCH_BYTES && wants(words, count * SKETCH_WORDS)) {
      ids[count] = id;
      count++;
    }
  }
  return { count, ids, words };
}

/** Many in one row: each row costs more than what is in it. */
function* sketchesOf(database: Database): IterableIterator<[id: number, sketch: string]> {
  const select = database.prepare(
    `SELECT group_concat(id) AS ids, group_concat(sketch) AS sketches, max(id) AS last
     FROM (SELECT id, sketch ${SKETCHES} AND id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE})`,
  );
  for (let last = 0; ; ) {
    const row = select.get(last)!;
    if (row.last === null) {
      return;
    }
    const sketches: string[] = row.sketches.split(',');
    for (const [i, id] of (row.ids as string).split(',').entries()) {
      yield [Number(id), sketches[i] ?? ''];
    }
    last = row.last;
  }
}

function withRoom<T extends Int32Array | Uint32Array>(full: T, larger: T): T {
  larger.set(full);
  return larger;
}

/** Joins those that are nearly the same and agree in this word. */
function joinByWord({ count, ids, words }: Sketches, word: number, share: number, groups: Groups): void {
  const places = 2 ** Math.ceil(Math.log2(count * 2 + 2));
  const table = new Int32Array(places);
  // Beside the number of the page, so that a page of another word is passed over without a look at its sketch.
  const keys = new Uint32Array(places);
  for (let entry = 0; entry < count; entry++) {
    const at = entry * SKETCH_WORDS;
    const key = words[at + word]!;
    if (key === 0) {
      continue;
    }
    let place = hashOf(key) & (places - 1);
    let compared = 0;
    for (; table[place] !== 0 && compared < MOST_COMPARED; place = (place + 1) & (places - 1)) {
      if (keys[place] !== key) {
        continue;
      }
      const other = table[place]! - 1;
      compared++;
      if (groups.areJoined(ids[entry]!, ids[other]!)) {
        compared = MOST_COMPARED;
      } else if (haveInCommon(words, at, other * SKETCH_WORDS, share)) {
        groups.join(ids[entry]!, ids[other]!);
        compared = MOST_COMPARED;
      }
    }
    if (table[place] === 0) {
      table[place] = entry + 1;
      keys[place] = key;
    }
  }
}

/**
 * Whether two sketches have this share in common, of the bins that one of them has: four bins at a time, and no more of them once too many differ.
 */
function haveInCommon(words: Uint32Array, a: number, b: number, share: number): boolean {
  let same = 0;
  let none = 0;
  for (let i = 0; i < SKETCH_WORDS; i += WORDS_AT_ONCE) {
    for (let k = i; k < i + WORDS_AT_ONCE; k++) {
      const one = words[a + k]!;
      const other = words[b + k]!;
      same += emptyBytes(one ^ other);
      none += emptyBytes(one | other);
    }
    const different = (i + WORDS_AT_ONCE) * WORD_BYTES - sumOfBytes(same);
    if ((SKETCH_BYTES - different) / SKETCH_BYTES < share) {
      return false;
    }
  }
  const empty = sumOfBytes(none);
  return empty < SKETCH_BYTES && (sumOfBytes(same) - empty) / (SKETCH_BYTES - empty) >= share;
}

/** A 1 in each byte that is 0. Sixteen such can be added up before a byte overflows, and more. */
const emptyBytes = (word: number): number => ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f) >>> 7;

const sumOfBytes = (word: number): number => Math.imul(word, 0x01010101) >>> 24;

function hashOf(key: number): number {
  const hash = Math.imul(key ^ (key >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Sets of ids; the smallest id of a set stands for it. */
class Groups {
  /** Of each id one of its set that is smaller; 0 for the smallest, and for those in no set. */
  readonly #smaller: Int32Array;

  constructor(ids: number) {
    this.#smaller = new Int32Array(ids);
  }

  areJoined(a: number, b: number): boolean {
    return this.#first(a) === this.#first(b);
  }

  join(a: number, b: number): void {
    const [first, second] = [this.#first(a), this.#first(b)];
    if (first !== second) {
      this.#smaller[Math.max(first, second)] = Math.min(first, second);
    }
  }

  /** In place of the links within a set, its number. */
  numbers(): Int32Array {
    const numbers = this.#smaller;
    const hasOthers = new Set<number>();
    for (let id = 1; id < numbers.length; id++) {
      if (numbers[id] !== 0) {
        const first = this.#first(id);
        hasOthers.add(first);
        numbers[id] = first;
      }
    }
    let last = 0;
    for (let id = 1; id < numbers.length; id++) {
      // The smallest of a set comes before the others, which then find its number there.
      numbers[id] = hasOthers.has(id) ? ++last : numbers[id] === 0 ? 0 : numbers[numbers[id]!]!;
    }
    return numbers;
  }

  #first(id: number): number {
    let first = id;
    while (this.#smaller[first] !== 0) {
      const next = this.#smaller[first]!;
      if (this.#smaller[next] !== 0) {
        this.#smaller[first] = this.#smaller[next]!;
      }
      first = next;
    }
    return first;
  }
}
