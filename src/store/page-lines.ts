import { fieldsOf, isJson, type NamedField, unknownOf } from './page-fields.js';
import { STATE_NAMES, UrlFlag, UrlState } from './url-state.js';

/**
 * A line of pages.jsonl, made by SQLite as one text. To hand over a row value by value, make an object of it and then a line costs three times
 * as much, and every page is written twice: when it is settled and at the end. What only JavaScript can tell, where a chain of redirects ends,
 * is left open: the place of such a line is `LEFT_OPEN`, the id, `LEFT_OPEN`.
 */
export const LEFT_OPEN = '\u0001';

const WAITS = `urls.state IN (${UrlState.queued}, ${UrlState.leased})`;
const STATE = `CASE urls.state ${STATE_NAMES.map((name, state) => `WHEN ${state} THEN '${waits(state) ? 'skipped' : name}'`).join(' ')} END`;
const NOT_EXTERNAL = `(urls.flags & ${UrlFlag.external}) = 0`;
const IS_NOINDEX = (directive: string): string => `instr(',' || pages.robots_meta || ',', ',${directive},') > 0`;
/** Why a search engine would leave a page out, or `yes`: the SQL of the field `indexable`. */
export const INDEXABLE = `CASE
    WHEN (urls.flags & ${UrlFlag.external | UrlFlag.asset}) <> 0 THEN NULL
    WHEN urls.state = ${UrlState.skipped} THEN CASE WHEN urls.reason = 'robots' THEN 'robots' END
    WHEN pages.redirect_to IS NOT NULL THEN 'redirect'
    WHEN pages.status NOT BETWEEN 200 AND 299 THEN 'status'
    WHEN urls.state = ${UrlState.failed} THEN 'failed'
    WHEN urls.state <> ${UrlState.done} OR NOT (pages.content_type LIKE 'text/html%' OR pages.content_type LIKE 'application/xhtml%'
      OR pages.content_type IS NULL AND pages.title IS NOT NULL) THEN NULL
    WHEN ${IS_NOINDEX('noindex')} OR ${IS_NOINDEX('none')} THEN 'noindex'
    WHEN pages.canonical <> urls.url AND pages.canonical LIKE 'http%' THEN 'canonical'
    ELSE 'yes' END`;
/** Fields that are no column: what `Reader` works out of other values. */
const WORKED_OUT: Readonly<Record<string, string>> = {
  state: STATE,
  reason: `CASE WHEN ${WAITS} THEN 'limit' ELSE urls.reason END`,
  finalUrl: `CASE WHEN pages.status IS NULL OR ${WAITS} OR urls.state = ${UrlState.skipped} THEN NULL ELSE urls.url END`,
  attempts: `CASE WHEN urls.state = ${UrlState.skipped} AND urls.reason IN ('robots', 'hook') THEN max(0, urls.attempts - 1) ELSE urls.attempts END`,
  indexable: INDEXABLE,
};

function waits(state: number): boolean {
  return state === UrlState.queued || state === UrlState.leased;
}

/** The SQL of a line. `storedIn` is the SQL of a field that is a column, NULL where the store does not have it. */
export function lineOf(storedIn: (field: NamedField) => string): string {
  const fields = fieldsOf('jsonl');
  const optional = fields.filter(({ isOptional }) => isOptional);
  const numbers = fields.filter(({ type }) => type === 'number').map(storedIn);
  // Nearly every page: one call makes the whole line.
  const isPlain = [
    ...optional.map((field) => saysNothing(field, storedIn(field))),
    ...numbers.map(
      (value) => `(${value} IS NULL OR ${value} = round(${value}) OR abs(${value} - round(${value})) > 1e-6)`,
    ),
  ];
  const plain = fields.filter((field) => !optional.includes(field));
  const pairs = plain.map((field) => `'${field.name}', ${plainOf(field, storedIn(field))}`);
  return `CASE
    WHEN pages.redirect_to IS NOT NULL THEN '${LEFT_OPEN}' || urls.id || '${LEFT_OPEN}'
    WHEN ${isPlain.join(' AND ')} THEN json_object(${pairs.join(', ')}) || '\n'
    ELSE ${fields.map((field, i) => pieceOf(field, i === 0, storedIn(field))).join(' || ')} || '}\n' END`;
}

/** The value of a field as `json_object` takes it. */
function plainOf(field: NamedField, value: string): string {
  const known = WORKED_OUT[field.name] ?? knownOf(field, value);
  if (field.type === 'time') {
    return isoTime(known);
  }
  if (isJson(field)) {
    return `json(${known})`;
  }
  // SQLite writes a whole number in a column of others as `5.0`.
  return field.type === 'number'
    ? `CASE WHEN ${known} = round(${known}) THEN CAST(${known} AS INTEGER) ELSE ${known} END`
    : known;
}

/** A field as a piece of text, or nothing where it is optional and says nothing. */
function pieceOf(field: NamedField, isFirst: boolean, value: string): string {
  const key = `'${isFirst ? '{' : ','}"${field.name}":'`;
  if (field.isOptional) {
    const json = field.name === 'external' ? `'true'` : isJson(field) ? value : `json_quote(${value})`;
    return `CASE WHEN ${saysNothing(field, value)} THEN '' ELSE ${key} || ${json} END`;
  }
  const json = `json_quote(${plainOf(field, value)})`;
  return field.type === 'number'
    ? `${key} || CASE WHEN ${json} GLOB '*.0' THEN substr(${json}, 1, length(${json}) - 2) ELSE ${json} END`
    : `${key} || ${json}`;
}

/** For an optional field. */
const saysNothing = ({ name, type }: NamedField, value: string): string =>
  name === 'external' ? NOT_EXTERNAL : type === 'integer' ? `coalesce(${value}, 0) = 0` : `${value} IS NULL`;

function knownOf(field: NamedField, value: string): string {
  const unknown = unknownOf(field);
  return unknown === null ? value : `coalesce(${value}, ${unknown === '' ? "''" : Number(unknown)})`;
}

/** Cut to whole milliseconds, as `Date` does. */
function isoTime(value: string): string {
  const ms = `CAST(${value} AS INTEGER)`;
  return `strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03dZ', ${ms} % 1000)`;
}
