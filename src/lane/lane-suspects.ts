/** A URL that this many lanes held when they died may be the cause: it gets the next lane to itself. */
const DEATHS_UNTIL_SUSPECT = 2;
/** And then it is what kills them. */
const DEATHS_UNTIL_FAILED = 3;

/** The URLs that lanes held when they died. One that was there at three deaths, the last time alone, has caused them. */
export class LaneSuspects {
  readonly #deaths = new Map<number, number>();

  isAmong(ids: Iterable<number>): boolean {
    return this.#deaths.size > 0 && [...ids].some((id) => this.has(id));
  }

  has(id: number): boolean {
    return (this.#deaths.get(id) ?? 0) >= DEATHS_UNTIL_SUSPECT;
  }

  /** A lane has died with it. Returns whether it is to blame. */
  died(id: number): boolean {
    const deaths = (this.#deaths.get(id) ?? 0) + 1;
    this.#deaths.set(id, deaths);
    return deaths >= DEATHS_UNTIL_FAILED;
  }

  /** It has come back from a lane that lives. */
  clear(id: number): void {
    this.#deaths.delete(id);
  }
}
