import { fieldsOf } from '../store/page-fields.js';
import type { Reader } from '../store/reader.js';
import { type CsvCell, csvRow, printableJson, recordOutput, TextWriter } from './output.js';
import { pageLine, pageRecord } from './page-line.js';
import { type Sink, SinkFile } from './sinks.js';

/** pages.jsonl: a line of JSON for every URL, in the order they were found. */
export const pagesJsonl = recordOutput(function* (reader: Reader) {
  for (const { text, count } of reader.lines(pageLine)) {
    yield { text: printableJson(text), count };
  }
});

/** pages.jsonl while the crawl goes on: the same lines, in the order of settling. */
export class PagesSink implements Sink {
  // Stores of earlier versions have the mark under this name.
  readonly key = 'pagesStream';
  readonly isRewritten = true;
  readonly #file: SinkFile;
  #lines: TextWriter;

  constructor(path: string) {
    this.#file = new SinkFile(path, Buffer.from('\n'));
    this.#lines = new TextWriter(this.#file);
  }

  open(at: number): boolean {
    // What a failure left of earlier lines goes with the old one.
    this.#lines = new TextWriter(this.#file);
    return this.#file.open(at);
  }

  lines(text: string): void {
    this.#lines.write(text);
  }

  commit(): number {
    this.#lines.flush();
    return this.#file.length;
  }

  close(): void {
    this.#file.close();
  }
}

const COLUMNS = columnsInOrder();

/** The pages for a spreadsheet (RFC 4180). What a spreadsheet or terminal would act on is defused; JSONL is the exact format. */
export const pagesCsv = recordOutput(
  function* (reader: Reader) {
    const names = reader.dataNames();
    for (const page of reader.pages()) {
      const record = pageRecord(page);
      const cells = COLUMNS.map((column) => dataCell(record[column]));
      yield csvRow([...cells, ...names.map((name) => dataCell(page.data?.[name]))]);
    }
  },
  (reader) => csvRow([...COLUMNS, ...reader.dataNames().map((name) => `data.${name}`)]),
);

/** What is no plain value, such as a list, is JSON in its cell. */
function dataCell(value: unknown): CsvCell {
  return value === undefined || value === null
    ? null
    : typeof value === 'object'
      ? JSON.stringify(value)
      : (value as CsvCell);
}

function columnsInOrder(): string[] {
  const fields = fieldsOf('csv').filter(({ type }) => type !== 'data');
  const columns = fields.filter(({ csvAfter }) => csvAfter === undefined).map(({ name }) => name as string);
  for (const { name, csvAfter } of fields) {
    if (csvAfter !== undefined) {
      columns.splice(columns.indexOf(csvAfter) + 1, 0, name);
    }
  }
  return columns;
}
