/** A list that the server gives a screenful at a time, each beginning where the one before it ended. */

export interface Screenful<Row, Key> {
  readonly rows: readonly Row[];
  readonly next: Key | null;
  /** How far the server has looked, where it looks at a part at a time. */
  readonly searched?: number;
  readonly all?: number;
  /** How many rows there are in all, where the server knows. */
  readonly total?: number | null;
}

interface Piece<Row, Key> {
  /** Where it begins. */
  readonly after: Key | null;
  /** The place of its first row in the list. */
  first: number;
  length: number;
  /** Null if it was let go: it is asked for again when somebody scrolls back to it. */
  rows: readonly Row[] | null;
}

/** Rows that are kept; a list of a million must not fill the browser's memory. */
const MOST_PIECES = 40;

export class KeysetList<Row, Key> {
  readonly #ask: (after: Key | null) => Promise<Screenful<Row, Key>>;
  readonly #changed: () => void;
  readonly #pieces: Piece<Row, Key>[] = [];
  readonly #asking = new Set<Piece<Row, Key>>();
  #next: Key | null = null;
  #isBegun = false;
  #isLoading = false;
  #isClosed = false;
  #wanted = 0;
  problem: string | null = null;
  searched: number | null = null;
  all: number | null = null;
  total: number | null = null;

  constructor(ask: (after: Key | null) => Promise<Screenful<Row, Key>>, changed: () => void) {
    this.#ask = ask;
    this.#changed = changed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Rows that are known of. */
  get length(): number {
    const last = this.#pieces.at(-1);
    return last === undefined ? 0 : last.first + last.length;
  }

  get isAtEnd(): boolean {
    return this.#isBegun && this.#next === null;
  }

  get isLoading(): boolean {
    return this.#isLoading;
  }

  /** Sees to it that the rows up to a place are there, or are asked for. */
  want(from: number, to: number): void {
    this.#wanted = to;
    for (const piece of this.#within(from, to)) {
      if (piece.rows === null) {
        void this.#load(piece);
      }
    }
    this.#letGo(from, to);
    if (to >= this.length && !this.isAtEnd) {
      void this.#more();
    }
  }

  row(place: number): Row | null {
    const piece = this.#pieceAt(place);
    return piece?.rows?.[place - piece.first] ?? null;
  }

  /** Asks again for what is seen. */
  async refresh(from: number, to: number): Promise<void> {
    await Promise.all(this.#within(from, to).map((piece) => this.#load(piece)));
  }

  async #more(): Promise<void> {
    if (this.#isLoading || this.problem !== null) {
      return;
    }
    this.#isLoading = true;
    this.#changed();
    try {
      // An answer may have no row and still not be the end: the server looks at a part of a long list at a time.
      do {
        const after = this.#next;
        const answer = await this.#ask(after);
        if (this.#isClosed) {
          return;
        }
        if (answer.rows.length > 0) {
          this.#pieces.push({ after, first: this.length, length: answer.rows.length, rows: answer.rows });
        }
        this.#isBegun = true;
        this.#next = answer.next;
        this.searched = answer.searched ?? null;
        this.all = answer.all ?? null;
        this.total = answer.total ?? null;
        this.#changed();
      } while (this.#next !== null && this.length <= this.#wanted);
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.#isLoading = false;
      if (!this.#isClosed) {
        this.#changed();
      }
    }
  }

  async #load(piece: Piece<Row, Key>): Promise<void> {
    if (this.#asking.has(piece)) {
      return;
    }
    this.#asking.add(piece);
    try {
      const { rows, next, total = null } = await this.#ask(piece.after);
      this.total = total;
      const isLast = piece === this.#pieces.at(-1);
      // Rows before the last piece keep their number: what follows begins where it began.
      piece.rows = isLast ? rows : rows.slice(0, piece.length);
      if (isLast && !this.#isLoading) {
        piece.length = rows.length;
        this.#next = next;
      }
    } catch {
      // It is asked for again with the next look.
    } finally {
      this.#asking.delete(piece);
      if (!this.#isClosed) {
        this.#changed();
      }
    }
  }

  #within(from: number, to: number): Piece<Row, Key>[] {
    const first = this.#indexAt(from);
    const found: Piece<Row, Key>[] = [];
    for (let i = Math.max(0, first); i < this.#pieces.length && this.#pieces[i]!.first <= to; i++) {
      found.push(this.#pieces[i]!);
    }
    return found;
  }

  #letGo(from: number, to: number): void {
    const held = this.#pieces.filter(({ rows }) => rows !== null);
    if (held.length <= MOST_PIECES) {
      return;
    }
    const middle = (from + to) / 2;
    held.sort((a, b) => Math.abs(a.first - middle) - Math.abs(b.first - middle));
    for (const piece of held.slice(MOST_PIECES / 2)) {
      piece.rows = null;
    }
  }

  #pieceAt(place: number): Piece<Row, Key> | null {
    const piece = this.#pieces[this.#indexAt(place)];
    return piece !== undefined && place < piece.first + piece.length ? piece : null;
  }

  #indexAt(place: number): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pieces[middle]!.first <= place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
