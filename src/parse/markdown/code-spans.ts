/** Finds the ends of code spans; all searches of one text together are one pass over it. */
export class CodeSpans {
  readonly #text: string;
  /** By length, the places of the runs of backticks, and how many of them are behind us. */
  #runs: Map<number, { places: number[]; passed: number }> | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the run ends that closes the one of this length which ends at `from`, or -1. */
  closedAt(from: number, length: number): number {
    this.#runs ??= this.#findRuns();
    const runs = this.#runs.get(length);
    if (runs === undefined) return -1;
    while (runs.passed < runs.places.length && runs.places[runs.passed]! < from) runs.passed++;
    const place = runs.places[runs.passed];
    return place === undefined ? -1 : place + length;
  }

  #findRuns(): Map<number, { places: number[]; passed: number }> {
    const found = new Map<number, { places: number[]; passed: number }>();
    for (const { index, 0: run } of this.#text.matchAll(/`+/g)) {
      const runs = found.get(run.length);
      if (runs === undefined) found.set(run.length, { places: [index], passed: 0 });
      else runs.places.push(index);
    }
    return found;
  }
}
