import { createHash } from 'node:crypto';

const FIELDS = 3;
const ENTRIES = 1_024;

/** A hash over what was dispatched when, a thousand entries at a time: a line of text for each would cost more than the schedule. */
export class ScheduleHash {
  readonly #hash = createHash('sha256');
  readonly #buffer = new Float64Array(ENTRIES * FIELDS);
  #used = 0;

  add(at: number, id: number, attempt: number): void {
    this.#buffer[this.#used] = at;
    this.#buffer[this.#used + 1] = id;
    this.#buffer[this.#used + 2] = attempt;
    this.#used += FIELDS;
    if (this.#used === this.#buffer.length) {
      this.#flush();
    }
  }

  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}
