import type { Counts, Score } from './measure.js';
import { scoreOf } from './measure.js';
import type { Entry } from './sample.js';

/** What an extractor made of a page. */
export interface Result {
  readonly page: Entry;
  readonly extractor: string;
  readonly counts: Counts;
  readonly ms: number;
}

export const HEADINGS = ['', 'pages', 'main kept', 'furniture left', 'precision', 'F1', 'code', 'cells', 'ms/page'];

/** A row for each extractor. Every page counts the same for the shares of words; code and cells are added up. */
export function rowsOf(results: readonly Result[]): string[][] {
  const names = [...new Set(results.map(({ extractor }) => extractor))];
  return names.map((name) => {
    const own = results.filter(({ extractor }) => extractor === name);
    const mean = (of: (score: Score) => number): string =>
      percent(sum(own, ({ counts }) => of(scoreOf(counts))) / own.length);
    return [
      name,
      String(own.length),
      mean(({ recall }) => recall),
      mean(({ left }) => left),
      mean(({ precision }) => precision),
      (sum(own, ({ counts }) => scoreOf(counts).f1) / own.length).toFixed(3),
      ofAll(own, ({ codeKept, code }) => [codeKept, code]),
      ofAll(own, ({ cellsKept, cells }) => [cellsKept, cells]),
      (sum(own, ({ ms }) => ms) / own.length).toFixed(0),
    ];
  });
}

const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

function ofAll(results: readonly Result[], pick: (counts: Counts) => [number, number]): string {
  const whole = sum(results, ({ counts }) => pick(counts)[1]);
  return whole === 0 ? '–' : percent(sum(results, ({ counts }) => pick(counts)[0]) / whole);
}
