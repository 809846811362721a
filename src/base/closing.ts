import { StateError } from './errors.js';

/** Something of which rows are read until it is closed, which may be done twice. */
export class Closing {
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
      throw new StateError('closed', `${this.#what} is closed: nothing can be read of it any more`);
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
      // It may have been closed meanwhile: then there is no next one to ask for.
      this.check();
    }
  }
}
