import type { Standing, Way } from '../store/standing.js';

/**
 * The exact seen set in memory: one table in shared memory, written by the coordinator, read by every lane.
 *
 * A key is the first 128 bits of the URL's SHA-256. Its first 12 bits choose one of 4,096 segments, so an entry need not hold them;
 * in their place stands what a lane has to know about the URL:
 *
 *   word 0   key bits 12–31 | standing (3 bits) | depth (9 bits)
 *   word 1–3 the rest of the key
 *   word 4   id, 0 while the slot is empty; written last
 *
 * Open addressing. All segments begin in one block, which every lane has from the start; one that is full is copied into one a quarter larger. A lane that still reads the old copy may miss a new
 * entry, never see a wrong one: "present" is final, "absent" is decided by the coordinator.
 */
export const SEGMENTS = 4096;
const ENTRY_WORDS = 5;
const MIN_SLOTS = 16;
const FIRST_WORDS = MIN_SLOTS * ENTRY_WORDS;
const MAX_LOAD = 0.78;
const GROWTH = 1.25;

const DEPTH_BITS = 9;
/** The table does not tell depths from here on apart: it reports them as infinite, and the store decides. */
export const DEEPEST: number = (1 << DEPTH_BITS) - 1;

export type Key = ArrayLike<number>;
export interface SegmentUpdate {
  segment: number;
  words: Uint32Array;
}
export interface KeyTableData {
  segments: Uint32Array[];
  counts: Uint32Array;
  fresh: Uint8Array;
  bytes: number;
  size: number;
}
export interface Entry extends Way {
  id: number;
}

const segmentOf = (key: Key): number => key[0]! >>> 20;
const slotOf = (key: Key, slots: number): number => Math.floor((key[1]! / 0x1_0000_0000) * slots);
const pack = (key: Key, depth: number, standing: Standing): number =>
  ((key[0]! << 12) | (standing << DEPTH_BITS) | Math.min(depth, DEEPEST)) >>> 0;

/** Index of the entry's first word, or of the free slot where it would go as -1 - index. */
function locate(words: Uint32Array, key: Key): number {
  const slots = words.length / ENTRY_WORDS;
  const top = (key[0]! << 12) >>> 12;
  for (let slot = slotOf(key, slots); ; slot = slot + 1 === slots ? 0 : slot + 1) {
    const at = slot * ENTRY_WORDS;
    if (Atomics.load(words, at + 4) === 0) {
      return -1 - at;
    }
    if (words[at]! >>> 12 === top && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3]) {
      return at;
    }
  }
}

/** What a lane holds: it reads, and takes over segments as they grow. */
export class KeyTableView {
  readonly segments: Uint32Array[];

  constructor(segments: Uint32Array[]) {
    this.segments = segments;
  }

  update(updates: SegmentUpdate[]): void {
    for (const { segment, words } of updates) {
      this.segments[segment] = words;
    }
  }

  find(key: Key): Entry | null {
    const words = this.segments[segmentOf(key)]!;
    const at = locate(words, key);
    if (at < 0) {
      return null;
    }
    const meta = words[at]!;
    const depth = meta & DEEPEST;
    return {
      id: words[at + 4]!,
      depth: depth === DEEPEST ? Number.POSITIVE_INFINITY : depth,
      standing: ((meta >>> DEPTH_BITS) & 7) as Standing,
    };
  }
}

export class KeyTable extends KeyTableView {
  readonly #counts = new Uint32Array(SEGMENTS);
  readonly #spilled = new Uint8Array(SEGMENTS);
  readonly #budgetBytes: number;
  /** 1 while nothing has been written to the segment: until then it does not count. */
  readonly #fresh = new Uint8Array(SEGMENTS).fill(1);
  readonly #changed = new Set<number>();
  #bytes = 0;
  #size = 0;
  #nextToSpill = 0;

  constructor(budgetBytes: number, spilledSegments: readonly number[] = []) {
    super(firstSegments());
    this.#budgetBytes = budgetBytes;
    for (const segment of spilledSegments) {
      this.#spilled[segment] = 1;
    }
  }

  /** Everything another thread needs to go on with the table; this one must not write to it any more. */
  handOver(): KeyTableData {
    return { segments: this.segments, counts: this.#counts, fresh: this.#fresh, bytes: this.#bytes, size: this.#size };
  }

  takeOver(data: KeyTableData): this {
    data.segments.forEach((words, segment) => {
      this.segments[segment] = words;
    });
    this.#fresh.set(data.fresh);
    this.#counts.set(data.counts);
    this.#bytes = data.bytes;
    this.#size = data.size;
    return this;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether a key that is not in the table may still be known on disk. */
  mayBeOnDisk(key: Key): boolean {
    return this.#spilled[segmentOf(key)] === 1;
  }

  /** False when the key was there already. */
  insert(key: Key, id: number, depth: number, standing: Standing): boolean {
    const segment = segmentOf(key);
    const words = this.#roomIn(segment);
    const found = locate(words, key);
    if (found >= 0) {
      return false;
    }
    this.#write(words, -1 - found, key, pack(key, depth, standing), id);
    this.#counts[segment]!++;
    this.#size++;
    return true;
  }

  lower(key: Key, depth: number, standing: Standing): void {
    const words = this.segments[segmentOf(key)]!;
    const at = locate(words, key);
    if (at >= 0) {
      words[at] = pack(key, depth, standing);
    }
  }

  /** Segments that lanes do not have yet. */
  takeChanged(): SegmentUpdate[] {
    const updates = [...this.#changed].map((segment) => ({ segment, words: this.segments[segment]! }));
    this.#changed.clear();
    return updates;
  }

  /**
   * While the table is over its share of memory, one segment after the other is emptied: the keys of one that was whole go to the
   * index on disk (they are returned), one that is there already was only a cache.
   */
  spill(): { segment: number; packed: Uint32Array }[] {
    const spilled: { segment: number; packed: Uint32Array }[] = [];
    for (let tries = 0; this.#bytes > this.#budgetBytes && tries < SEGMENTS; tries++) {
      const segment = this.#nextToSpill;
      this.#nextToSpill = (segment + 1) % SEGMENTS;
      const words = this.segments[segment]!;
      if (this.#counts[segment] === 0) {
        continue;
      }
      if (this.#spilled[segment] === 0) {
        this.#spilled[segment] = 1;
        spilled.push({ segment, packed: wholeEntries(words, segment) });
      }
      this.#empty(segment, words);
    }
    return spilled;
  }

  #empty(segment: number, words: Uint32Array): void {
    this.#bytes -= words.byteLength;
    this.#size -= this.#counts[segment]!;
    this.#counts[segment] = 0;
    this.#replace(segment, this.#allocate(MIN_SLOTS));
  }

  #roomIn(segment: number): Uint32Array {
    const words = this.segments[segment]!;
    if (this.#fresh[segment] === 1) {
      this.#fresh[segment] = 0;
      this.#bytes += words.byteLength;
    }
    const slots = words.length / ENTRY_WORDS;
    if (this.#counts[segment]! + 1 <= slots * MAX_LOAD) {
      return words;
    }
    const larger = this.#allocate(Math.ceil(slots * GROWTH) + 1);
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      const id = words[at + 4]!;
      if (id !== 0) {
        const key = keyAt(words, at, segment);
        this.#write(larger, -1 - locate(larger, key), key, words[at]!, id);
      }
    }
    this.#bytes -= words.byteLength;
    return this.#replace(segment, larger);
  }

  #replace(segment: number, words: Uint32Array): Uint32Array {
    this.segments[segment] = words;
    this.#changed.add(segment);
    return words;
  }

  #allocate(slots: number): Uint32Array {
    const bytes = slots * ENTRY_WORDS * 4;
    this.#bytes += bytes;
    return new Uint32Array(new SharedArrayBuffer(bytes));
  }

  #write(words: Uint32Array, at: number, key: Key, meta: number, id: number): void {
    words[at] = meta;
    words[at + 1] = key[1]!;
    words[at + 2] = key[2]!;
    words[at + 3] = key[3]!;
    Atomics.store(words, at + 4, id);
  }
}

/** All segments begin in one block: a lane that starts with it needs no further segments for the first 50,000 URLs. */
function firstSegments(): Uint32Array[] {
  const block = new SharedArrayBuffer(SEGMENTS * FIRST_WORDS * 4);
  return Array.from(
    { length: SEGMENTS },
    (_, segment) => new Uint32Array(block, segment * FIRST_WORDS * 4, FIRST_WORDS),
  );
}

const keyAt = (words: Uint32Array, at: number, segment: number): Key => [
  ((segment << 20) | (words[at]! >>> 12)) >>> 0,
  words[at + 1]!,
  words[at + 2]!,
  words[at + 3]!,
];

function wholeEntries(words: Uint32Array, segment: number): Uint32Array {
  const entries: number[] = [];
  for (let at = 0; at < words.length; at += ENTRY_WORDS) {
    if (words[at + 4] !== 0) {
      const key = keyAt(words, at, segment);
      entries.push(key[0]!, key[1]!, key[2]!, key[3]!, words[at + 4]!);
    }
  }
  return Uint32Array.from(entries);
}
