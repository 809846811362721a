import type { Reader } from '../store/reader.js';
import { recordOutput } from './output.js';
import { pageLine } from './page-line.js';

/** pages.jsonl: a line of JSON for every URL, in the order they were found. */
export const pagesJsonl = recordOutput(lines);

function* lines(reader: Reader): IterableIterator<string> {
  for (const page of reader.pages()) {
    yield pageLine(page);
  }
}
