import { fieldsOf } from '../store/page-fields.js';
import type { PageResult } from '../store/page-types.js';
import { jsonLine } from './output.js';

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
