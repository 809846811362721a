/** Columns of a chart whose values stand on each other's shoulders. */

export type Values = readonly (number | null)[];

export interface Stack {
  /** From the bottom up; the last one is the sum of all. */
  readonly tops: readonly Values[];
  /** The same, but only where a column has something to show: the edge of one that is 0 would look like that of one that is not. */
  readonly edges: readonly Values[];
}

export function stackOf(columns: readonly Values[]): Stack {
  const tops: Values[] = [];
  for (const column of columns) {
    const below = tops.at(-1);
    tops.push(column.map((value, place) => (value ?? 0) + (below?.[place] ?? 0)));
  }
  // A point beside one that is not 0 is where its line comes up from.
  const isShown = (column: Values, place: number): boolean =>
    [place - 1, place, place + 1].some((each) => (column[each] ?? 0) > 0);
  return {
    tops,
    edges: columns.map((column, row) => tops[row]!.map((top, place) => (isShown(column, place) ? top : null))),
  };
}
