import type { PageResult, Reader } from '../store/reader.js';
import { recordOutput } from './output.js';
import { pageRecord } from './page-line.js';

const COLUMNS = [
  'url',
  'state',
  'reason',
  'status',
  'finalUrl',
  'depth',
  'parent',
  'title',
  'contentType',
  'bytes',
  'links',
  'hash',
  'attempts',
  'description',
  'canonical',
  'lang',
  'robotsMeta',
  'lastModified',
  'fetchedAt',
  'ttfbMs',
  'totalMs',
  'malformed',
  'message',
  'external',
  'note',
  'linksCut',
] as const satisfies readonly (keyof PageResult)[];

/** The pages for a spreadsheet (RFC 4180). What a spreadsheet or terminal would act on is defused; JSONL is the exact format. */
export const pagesCsv = recordOutput(rows, () => csvRow(COLUMNS));

function* rows(reader: Reader): IterableIterator<string> {
  for (const page of reader.pages()) {
    const record = pageRecord(page);
    yield csvRow(COLUMNS.map((column) => record[column] ?? null));
  }
}

export function csvRow(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? csvText(cell) : String(cell ?? ''))).join(',')}\r\n`;
}

/** Tab and line ends can stand in a quoted cell; all other controls and the marks that reorder or hide text cannot be wanted. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

export function csvText(text: string): string {
  const clean = text.replace(UNPRINTABLE, '\ufffd');
  const defused = FORMULA.test(clean) ? `'${clean}` : clean;
  return /[",\t\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}
