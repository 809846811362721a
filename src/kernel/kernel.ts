import { KERNEL_WASM } from './wasm.js';

/** The types of Node leave it out. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

type Constant = { readonly value: number };

/** What src/kernel/assembly/index.ts exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void };
  readonly ADDITION: Constant;
  readonly BASE: Constant;
  readonly HAS_RULE: Constant;
  readonly HREFS: Constant;
  readonly LONGEST_BASE: Constant;
  readonly MOST_HREFS: Constant;
  readonly PAGE: Constant;
  readonly SKETCH: Constant;
  readonly SKETCH_BYTES: Constant;
  /** Of the last question. */
  readonly folderLength: Constant;
  readonly additionLength: Constant;
  /** Of the page so far. */
  readonly words: Constant;
  findByte(from: number, length: number, byte: number): number;
  initialiseMarkup(): void;
  addJoining(name: bigint): void;
  beginWords(noBreakSpace: number): void;
  finishText(): void;
  passText(from: number, length: number): number;
  passPlainMarkup(from: number, length: number, takesAnchors: boolean): number;
  enterFolder(length: number, originLength: number): void;
  findUrl(start: number, end: number): number;
  rememberUrl(): number;
  forgetUrls(): void;
}

/** Memory that was once needed is never given back; larger pages are read without a kernel. */
const LARGEST_PAGE = 8 << 20;
/** Sixteen bytes are looked at in one go, at the end of a page too. */
const BLOCK = 16;
const MEMORY_PAGE = 65_536;
/** Of the hash of a text, which stands before its sketch. */
const HASH_BYTES = 8;

/** What `findUrl` says besides numbers. */
export const PAGE_ITSELF = 0;
export const UNKNOWN_URL = -1;
/** What `rememberUrl` says where everything must be forgotten before it can go on. */
export const NO_ROOM = -1;

let compiled: object | null = null;
let pagesEntered = 0;

/**
 * The innermost loops of a crawl, in WebAssembly: several times as fast as the same in JavaScript, and so from the first page on. It holds
 * one page at a time, and the URLs that it was told to remember. Everything that it does not know or is not sure of it says so.
 */
export class Kernel {
  /** How many addresses of anchors `passPlainMarkup` has passed, then the places of each: its first byte, and behind its last. */
  hrefs!: Uint32Array;
  /** The number of the page that it holds; no two kernels of a thread give the same. */
  page = 0;
  readonly #exports: Exports;
  readonly #pageStart: number;
  #memory!: Buffer;
  #pageLength = 0;
  #folder: string | null = null;

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_WASM, 'base64'));
    this.#exports = new WebAssembly.Instance(compiled).exports as Exports;
    this.#exports.initialiseMarkup();
    this.#pageStart = this.#exports.PAGE.value;
    this.#lookAtMemory();
  }

  /** Names of elements that must not be passed over, of two letters at least; others that begin so and are as long are not, either. */
  stopAt(names: Iterable<string>): void {
    for (const name of names) {
      const letters = ((name.charCodeAt(0) & 31) << 5) | (name.charCodeAt(1) & 31);
      this.#memory[this.#exports.HAS_RULE.value + (letters << 4) + name.length] = 1;
    }
  }

  /** Names of elements that stand within words, of seven letters at most; all others end the word before them. */
  joinWordsAt(names: Iterable<string>): void {
    for (const name of names) {
      const letters = Buffer.alloc(8);
      letters.write(name, 'latin1');
      this.#exports.addJoining(letters.readBigUInt64LE());
    }
  }

  /**
   * Makes it the page that the rest is about; false where it is too large. `noBreakSpace` is the byte that means it in an encoding of single bytes;
   * 0 for UTF-8.
   */
  enterPage(bytes: Uint8Array, noBreakSpace: number): boolean {
    if (bytes.length > LARGEST_PAGE) {
      return false;
    }
    const missing = this.#pageStart + bytes.length + BLOCK - this.#memory.length;
    if (missing > 0) {
      this.#exports.memory.grow(Math.ceil(missing / MEMORY_PAGE));
      this.#lookAtMemory();
    }
    this.#memory.set(bytes, this.#pageStart);
    // Behind its end there may be another page.
    this.#memory.fill(0, this.#pageStart + bytes.length, this.#pageStart + bytes.length + BLOCK);
    this.#pageLength = bytes.length;
    this.#exports.beginWords(noBreakSpace);
    this.page = ++pagesEntered;
    return true;
  }

  /** The page is over: counts the words of the text that `passPlainMarkup` and `passText` have passed. */
  countWords(): number {
    this.#exports.finishText();
    return this.#exports.words.value;
  }

  /**
   * What tells the text from other texts, once its words are counted: a hash of it, in hex, and its sketch in base64, a byte for each of 64 bins
   * (see assembly/text-print.ts).
   */
  textPrint(): { hash: string; sketch: string } {
    const { SKETCH, SKETCH_BYTES } = this.#exports;
    const at = SKETCH.value;
    const end = at + SKETCH_BYTES.value;
    return {
      hash: this.#memory.toString('hex', at, at + HASH_BYTES),
      sketch: this.#memory.toString('base64', at + HASH_BYTES, end),
    };
  }

  /** The place of the next `<`, or -1: as `find`, but the text before it is taken. */
  passText(from: number): number {
    return this.#exports.passText(from, this.#pageLength);
  }

  /** The place of the next `<` that must be looked at, or -1 at the end. */
  passPlainMarkup(from: number, takesAnchors: boolean): number {
    return this.#exports.passPlainMarkup(from, this.#pageLength, takesAnchors);
  }

  /** The place of the next such byte, or -1. */
  find(byte: number, from: number): number {
    return this.#exports.findByte(from, this.#pageLength, byte);
  }

  /** Makes it the folder that hrefs are seen from: a URL in normal form up to its last slash. */
  enterFolder(url: string, originLength: number): void {
    if (url === this.#folder) {
      return;
    }
    this.#folder = url;
    const fits = url.length <= this.#exports.LONGEST_BASE.value;
    if (fits) {
      this.#memory.write(url, this.#exports.BASE.value, 'latin1');
    }
    this.#exports.enterFolder(fits ? url.length : 0, originLength);
  }

  /**
   * The number (from 1) of the URL that the href between two places of the page means, where it is remembered. Else PAGE_ITSELF, UNKNOWN_URL,
   * or less where only a parser can tell.
   */
  findUrl(start: number, end: number): number {
    return this.#exports.findUrl(start, end);
  }

  /** Takes down the URL that was found to be unknown just now, and gives it a number; 0 where it is not this one, or NO_ROOM. */
  rememberUrl(url: string): number {
    return this.#isAsked(url) ? this.#exports.rememberUrl() : 0;
  }

  forgetUrls(): void {
    this.#exports.forgetUrls();
  }

  #isAsked(url: string): boolean {
    const { folderLength, additionLength, ADDITION } = this.#exports;
    const start = ADDITION.value;
    return (
      url.length === folderLength.value + additionLength.value &&
      (folderLength.value === 0 || url.startsWith(this.#folder!.slice(0, folderLength.value))) &&
      url.endsWith(this.#memory.toString('latin1', start, start + additionLength.value))
    );
  }

  #lookAtMemory(): void {
    const { memory, HREFS, MOST_HREFS } = this.#exports;
    this.#memory = Buffer.from(memory.buffer);
    this.hrefs = new Uint32Array(memory.buffer, HREFS.value, 1 + MOST_HREFS.value * 2);
  }
}
