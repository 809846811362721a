/** Of each sort so many are told while the crawl runs: ten thousand seeds may all redirect, a hostile site make a trap of every folder. */
const MOST_TOLD_OF_A_SORT = 20;
const MOST_KEPT = 1_000;

/** What happened to be worth a sentence. */
export class Notices {
  /** For the summary, whatever its sort. */
  readonly kept: string[] = [];
  readonly #tell: (text: string) => void;
  readonly #told = new Map<string, number>();

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** @param sort what it is about, in words that follow "more of": null where there can be only few. */
  add(text: string, sort: string | null = null): void {
    if (this.kept.length < MOST_KEPT) {
      this.kept.push(text);
    }
    const told = (this.#told.get(sort ?? '') ?? 0) + 1;
    this.#told.set(sort ?? '', told);
    if (sort === null || told <= MOST_TOLD_OF_A_SORT) {
      this.#tell(text);
    } else if (told === MOST_TOLD_OF_A_SORT + 1) {
      this.#tell(`and more ${sort}: those that follow are not shown; summary.json has the first ${MOST_KEPT} notices`);
    }
  }
}
