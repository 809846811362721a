import { fieldsOf, type NamedField, unknownOf } from './page-fields.js';
import { STATE_NAMES, UrlFlag, UrlState } from './url-state.js';

/**
 * A line of pages.jsonl, made by SQLite as one text. To hand over a row value by value, make an object of it and then a line costs three times
 * as much, and every page is written twice: when it is settled and at the end. What only JavaScript can tell, where a chain of redirects ends,
 * is left open: the place of such a line is `LEFT_OPEN`, the id, `LEFT_OPEN`.
 */
export const LEFT_OPEN = '\u0001';

const WAITS = `urls.state IN (${UrlState.queued}, ${UrlState.leased})`;
const STATE = `CASE ${STATE_NAMES.map((name, state) => `WHEN urls.state = ${state} THEN '"${waits(state) ? 'skipped' : name}"'`).join(' ')} END`;
const NOT_EXTERNAL = `(urls.flags & ${UrlFlag.external}) = 0`;
/** Fields that are no column: what `Reader` works out of other values. */
const WORKED_OUT: Readonly<Record<string, string>> = {
  state: STATE,
  reason: `json_quote(CASE WHEN ${WAITS} THEN 'limit' ELSE urls.reason END)`,
  finalUrl: `CASE WHEN pages.status IS NULL OR ${WAITS} OR urls.state = ${UrlState.skipped} THEN 'null' ELSE json_quote(urls.url) END`,
  attempts: `CASE WHEN urls.state = ${UrlState.skipped} AND urls.reason = 'robots' THEN max(0, urls.attempts - 1) ELSE urls.attempts END`,
  external: `'true'`,
};

function waits(state: number): boolean {
  return state === UrlState.queued || state === UrlState.leased;
}

/** The SQL of a line. `valueOf` is the SQL of a field that is a column, NULL where the store does not have it. */
export function lineOf(valueOf: (field: NamedField) => string): string {
  const fields = fieldsOf('jsonl').map((field, i) => {
    const key = `${i === 0 ? '{' : ','}"${field.name}":`;
    const stored = valueOf(field);
    const value = WORKED_OUT[field.name] ?? jsonOf(field, stored);
    return field.isOptional
      ? `CASE WHEN ${saysNothing(field, stored)} THEN '' ELSE '${key}' || ${value} END`
      : `'${key}' || ${value}`;
  });
  const open = `'${LEFT_OPEN}' || urls.id || '${LEFT_OPEN}'`;
  return `CASE WHEN pages.redirect_to IS NOT NULL THEN ${open} ELSE ${fields.join(' || ')} || '}\n' END`;
}

/** Of an optional field. */
const saysNothing = ({ name, type }: NamedField, value: string): string =>
  name === 'external' ? NOT_EXTERNAL : type === 'integer' ? `coalesce(${value}, 0) = 0` : `${value} IS NULL`;

/** Text of JSON as JavaScript writes it. */
function jsonOf(field: NamedField, value: string): string {
  const { type } = field;
  if (type === 'data') {
    return value;
  }
  if (type === 'time') {
    return `coalesce(${isoTime(value)}, 'null')`;
  }
  const unknown = unknownOf(field);
  const known = unknown === null ? value : `coalesce(${value}, ${unknown === '' ? "''" : Number(unknown)})`;
  const json = `json_quote(${known})`;
  // SQLite writes a whole number in a column of others as `5.0`.
  return type === 'number'
    ? `CASE WHEN ${json} GLOB '*.0' THEN substr(${json}, 1, length(${json}) - 2) ELSE ${json} END`
    : json;
}

/** Cut to whole milliseconds, as `Date` does. */
function isoTime(value: string): string {
  const ms = `CAST(${value} AS INTEGER)`;
  return `'"' || strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03dZ"', ${ms} % 1000)`;
}
