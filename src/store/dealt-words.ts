import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

/** Of a row. The first word decides where it goes: it has to be spread evenly, as those of hashes are. */
export const DEALT_WORDS = 8;

const HEAPS = 256;
const ROWS_A_PIECE = 256;
const PIECE_WORDS = ROWS_A_PIECE * DEALT_WORDS;
const PIECE_BYTES = PIECE_WORDS * 4;

interface Heap {
  /** Words that are not in the file yet. */
  words: Uint32Array;
  length: number;
  /** Places in the file, in pieces. */
  pieces: number[];
}

/**
 * Rows of a few words each, dealt out to heaps by their first word, more than fit in memory: all but the last of a heap stand in a file. Rows with
 * the same first word are in the same heap, and one heap fits in memory.
 */
export class DealtWords {
  readonly #path: string;
  readonly #heaps: (Heap | undefined)[] = new Array(HEAPS);
  #handle: number | null = null;
  #written = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Its words are taken over. */
  add(row: Uint32Array): void {
    const place = row[0]! >>> 24;
    let heap = this.#heaps[place];
    if (heap === undefined) {
      heap = { words: new Uint32Array(PIECE_WORDS), length: 0, pieces: [] };
      this.#heaps[place] = heap;
    }
    heap.words.set(row, heap.length);
    heap.length += DEALT_WORDS;
    if (heap.length === PIECE_WORDS) {
      this.#write(heap);
    }
  }

  #write(heap: Heap): void {
    this.#handle ??= openSync(this.#path, 'w+');
    const bytes = new Uint8Array(heap.words.buffer);
    for (let at = 0; at < PIECE_BYTES; ) {
      at += writeSync(this.#handle, bytes, at, PIECE_BYTES - at, this.#written * PIECE_BYTES + at);
    }
    heap.pieces.push(this.#written++);
    heap.length = 0;
  }

  /** One heap after the other; each is good until the next is taken. */
  *heaps(): IterableIterator<Uint32Array> {
    for (const heap of this.#heaps) {
      if (heap !== undefined) {
        const { words, length, pieces } = heap;
        const all = new Uint32Array(pieces.length * PIECE_WORDS + length);
        const bytes = new Uint8Array(all.buffer);
        for (const [i, piece] of pieces.entries()) {
          readSync(this.#handle!, bytes, i * PIECE_BYTES, PIECE_BYTES, piece * PIECE_BYTES);
        }
        all.set(words.subarray(0, length), pieces.length * PIECE_WORDS);
        yield all;
      }
    }
  }

  /** It is not used any more. */
  drop(): void {
    this.#heaps.length = 0;
    if (this.#handle !== null) {
      closeSync(this.#handle);
      this.#handle = null;
      rmSync(this.#path, { force: true });
    }
  }
}
