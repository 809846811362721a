import { fieldsOf } from '../store/page-fields.js';
import type { PageResult } from '../store/page-types.js';
import { type CsvCell, csvRow, jsonLine, pageRecordOutput, TextWriter } from './output.js';
import { type Sink, SinkFile } from './sinks.js';

/** pages.jsonl: a line of JSON for every URL, in the order they were found. */
export const pagesJsonl = pageRecordOutput(() => ({ record: pageLine }));

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

  page(page: PageResult): void {
    this.#lines.write(pageLine(page));
  }

  commit(): number {
    this.#lines.flush();
    return this.#file.length;
  }

  close(): void {
    this.#file.close();
  }
}

/** One line of pages.jsonl. */
export const pageLine = (page: PageResult): string => jsonLine(pageRecord(page));

const OPTIONAL = fieldsOf('jsonl').filter(({ isOptional }) => isOptional);
const TIMES = fieldsOf('jsonl').filter(({ type }) => type === 'time');

type PageRecord = Record<string, unknown>;

/** A page as the outputs show it. It has the fields of a line already, and in their order: only what reads otherwise is changed in a copy. */
export function pageRecord(page: PageResult): PageRecord {
  const record = { ...page } as unknown as PageRecord;
  for (const { name } of OPTIONAL) {
    if (record[name] === null || record[name] === 0 || record[name] === false) {
      record[name] = undefined;
    }
  }
  for (const { name } of TIMES) {
    const value = record[name];
    record[name] = typeof value === 'number' ? new Date(value).toISOString() : value;
  }
  return record;
}

const COLUMNS = columnsInOrder();

/** The pages for a spreadsheet (RFC 4180). What a spreadsheet or terminal would act on is defused; JSONL is the exact format. */
export const pagesCsv = pageRecordOutput((reader) => {
  const names = reader.dataNames();
  return {
    header: csvRow([...COLUMNS, ...names.map((name) => `data.${name}`)]),
    record(page) {
      const record = pageRecord(page);
      const cells = COLUMNS.map((column) => (record[column] ?? null) as CsvCell);
      return csvRow([...cells, ...names.map((name) => dataCell(page.data?.[name]))]);
    },
  };
});

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
