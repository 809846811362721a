import type { Lease, LinkPiece, Outcome, PagePiece } from '../frontier/frontier.js';

/** An outcome in the making: pieces of what the page leads to come first. */
export type OutcomeReading = Generator<LinkPiece, Outcome, readonly number[]>;

/** A page that is here in full and is read, or waits for that. */
interface OpenPage {
  lease: Lease;
  reading: OutcomeReading;
  bytes: number;
  /** Of the last piece. */
  ids: readonly number[];
  parseMs: number;
  /** Who gets the outcome. */
  give(outcome: Outcome): void;
}

/** Of pages larger than this one is open at a time: each may lead to very much. */
const LARGE_PAGE = 1 << 20;
/** Pages are read one after the other; after so long the event loop gets its turn for the sockets. */
const READ_SLICE_MS = 5;

/**
 * The pages of a lane that are here in full. They are read one after the other. A page that comes in pieces waits for the ids of each, and
 * others are read meanwhile.
 */
export class ReadingQueue {
  readonly #handOn: (piece: PagePiece) => void;
  readonly #toRead: OpenPage[] = [];
  /** Pages that wait for the ids of a piece. */
  readonly #open = new Map<number, OpenPage>();
  #large: OpenPage | null = null;
  readonly #largeWaiting: OpenPage[] = [];
  #isReading = false;
  peakWaiting = 0;

  constructor(handOn: (piece: PagePiece) => void) {
    this.#handOn = handOn;
  }

  get waiting(): number {
    return this.#toRead.length + this.#largeWaiting.length;
  }

  add(lease: Lease, reading: OutcomeReading, bytes: number, give: (outcome: Outcome) => void): void {
    this.#wait({ lease, reading, bytes, ids: [], parseMs: 0, give });
  }

  /** The piece of this page is admitted; these are the ids of what it offered. */
  admitted(id: number, ids: readonly number[]): void {
    const page = this.#open.get(id);
    if (page !== undefined) {
      this.#open.delete(id);
      page.ids = ids;
      this.#wait(page);
    }
  }

  #wait(page: OpenPage): void {
    this.#toRead.push(page);
    this.peakWaiting = Math.max(this.peakWaiting, this.waiting - 1);
    if (!this.#isReading) {
      this.#isReading = true;
      setImmediate(() => this.#readAll());
    }
  }

  #readAll(): void {
    const until = performance.now() + READ_SLICE_MS;
    for (let page = this.#toRead.shift(); page !== undefined; page = this.#toRead.shift()) {
      if (page.bytes > LARGE_PAGE && this.#large !== null && this.#large !== page) {
        this.#largeWaiting.push(page);
        continue;
      }
      this.#readOn(page);
      if (performance.now() >= until && this.#toRead.length > 0) {
        setImmediate(() => this.#readAll());
        return;
      }
    }
    this.#isReading = false;
  }

  /** Up to the next piece, or to the end. */
  #readOn(page: OpenPage): void {
    const startedAt = performance.now();
    const { done, value } = page.reading.next(page.ids);
    page.parseMs += performance.now() - startedAt;
    if (done) {
      value.parseMs = page.parseMs;
      page.give(value);
      this.#closeLarge(page);
      return;
    }
    const { id, kind, depth, seed, flags } = page.lease;
    this.#large = page.bytes > LARGE_PAGE ? page : this.#large;
    this.#open.set(id, page);
    this.#handOn({ page: { id, kind, depth, seed, flags }, ...value });
  }

  #closeLarge(page: OpenPage): void {
    if (this.#large === page) {
      this.#large = null;
      this.#toRead.push(...this.#largeWaiting.splice(0));
    }
  }
}
