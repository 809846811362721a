import { StateError } from './errors.js';

/** Guards a reader that can be closed: rows cannot be read after `close`, and `close` may be called twice. */
export class Closable {
  readonly #what: string;
  readonly #close: () => void;
  #isClosed = false;

  constructor(what: string, close: () => void) {
    this.#what = what;
    this.#close = close;
  }

  read<T>(rows: () => Iterable<T>): IterableIterator<T> {
    this.check();
    return this.#each(rows());
  }

  check(): void {
    if (this.#isClosed) {
      throw new StateError('closed', `${this.#what} is closed: you can no longer read from it`);
    }
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#close();
    }
  }

  *#each<T>(rows: Iterable<T>): IterableIterator<T> {
    this.check();
    for (const row of rows) {
      yield row;
      // The caller may have closed it while it handled the row: then the next row must not be asked for.
      this.check();
    }
  }
}
