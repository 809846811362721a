import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const PAGE_BITS = 14;
const PAGE_WORDS = 1 << PAGE_BITS;
const PAGE_BYTES = PAGE_WORDS * 4;

interface WordPage {
  readonly of: DiskWords;
  readonly number: number;
  readonly words: Uint32Array;
  isUsed: boolean;
  isChanged: boolean;
}

/**
 * Room for numbered words that may be more than fit in memory: pages of them stand in files, and those that were used lately in memory. All
 * arrays of one room share it. Where ids that belong together lie near each other, as in a crawl, nearly every look-up is one in memory.
 */
export class WordRoom {
  readonly #folder: string;
  readonly #mostPages: number;
  readonly #pages: WordPage[] = [];
  readonly #arrays: DiskWords[] = [];
  #hand = 0;

  constructor(folder: string, bytes: number) {
    this.#folder = folder;
    this.#mostPages = Math.max(4, Math.floor(bytes / PAGE_BYTES));
  }

  array(): DiskWords {
    const array: DiskWords = new DiskWords(join(this.#folder, `words-${this.#arrays.length}`), (number) =>
      this.#load(array, number),
    );
    this.#arrays.push(array);
    return array;
  }

  close(): void {
    for (const array of this.#arrays) {
      array.drop();
    }
    this.#pages.length = 0;
  }

  #load(of: DiskWords, number: number): WordPage {
    const place = this.#freePlace();
    const words = this.#pages[place]?.words ?? new Uint32Array(PAGE_WORDS);
    of.read(number, words);
    const page = { of, number, words, isUsed: true, isChanged: false };
    this.#pages[place] = page;
    return page;
  }

  /** Of a page that nobody has asked for since the hand came by last. */
  #freePlace(): number {
    if (this.#pages.length < this.#mostPages) {
      return this.#pages.length;
    }
    for (;;) {
      const place = this.#hand;
      this.#hand = (place + 1) % this.#mostPages;
      const page = this.#pages[place]!;
      if (!page.isUsed) {
        page.of.leave(page);
        return place;
      }
      page.isUsed = false;
    }
  }
}

/** Words by their number, 0 where none was set. */
export class DiskWords {
  readonly #path: string;
  readonly #load: (number: number) => WordPage;
  readonly #pages: (WordPage | undefined)[] = [];
  #handle: number | null = null;
  /** Pages that were ever written out. */
  #written = 0;
  #most = -1;
  #isDropped = false;

  constructor(path: string, load: (number: number) => WordPage) {
    this.#path = path;
    this.#load = load;
  }

  /** The largest number that was set; -1 where none was. */
  get largest(): number {
    return this.#most;
  }

  get(number: number): number {
    return number > this.#most ? 0 : this.#page(number).words[number & (PAGE_WORDS - 1)]!;
  }

  set(number: number, word: number): void {
    const page = this.#page(number);
    page.words[number & (PAGE_WORDS - 1)] = word;
    page.isChanged = true;
    this.#most = Math.max(this.#most, number);
  }

  #page(number: number): WordPage {
    const place = number >>> PAGE_BITS;
    let page = this.#pages[place];
    if (page === undefined) {
      page = this.#load(place);
      this.#pages[place] = page;
    }
    page.isUsed = true;
    return page;
  }

  read(number: number, words: Uint32Array): void {
    const bytes = new Uint8Array(words.buffer);
    const read =
      number < this.#written && this.#handle !== null
        ? readSync(this.#handle, bytes, 0, PAGE_BYTES, number * PAGE_BYTES)
        : 0;
    bytes.fill(0, read);
  }

  /** Its room needs the place. */
  leave({ number, words, isChanged }: WordPage): void {
    this.#pages[number] = undefined;
    if (isChanged && !this.#isDropped) {
      this.#handle ??= openSync(this.#path, 'w+');
      const bytes = new Uint8Array(words.buffer);
      for (let at = 0; at < PAGE_BYTES; ) {
        at += writeSync(this.#handle, bytes, at, PAGE_BYTES - at, number * PAGE_BYTES + at);
      }
      this.#written = Math.max(this.#written, number + 1);
    }
  }

  /** Nothing is asked of it any more. */
  drop(): void {
    this.#isDropped = true;
    this.#most = -1;
    this.#pages.length = 0;
    if (this.#handle !== null) {
      closeSync(this.#handle);
      this.#handle = null;
      rmSync(this.#path, { force: true });
    }
  }
}
