import { openKept } from './directory.js';
import { isJson, type PageFieldType, ROW_FIELDS } from './page-fields.js';
import { edgesFromBlob } from './page-row.js';
import type { Database } from './sqlite.js';
import { columnsOfPages, storePath } from './store-file.js';

/** What a JSON field has to be. */
const JSON_TYPES: Partial<Readonly<Record<PageFieldType, string>>> = {
  data: 'object',
  record: 'object',
  extras: 'object',
  list: 'array',
};

/**
 * A value in a store that no Gossamer has written, and that SQLite takes for whole: it has no checksums, so a flipped bit within a cell is a
 * value like others. It looks at everything, and so is asked only after something has failed. Null if nothing is wrong.
 */
export function damageIn(directory: string): string | null {
  const database = openKept(directory);
  try {
    const found = urlDamage(database) ?? pageDamage(database) ?? edgeDamage(database);
    return found === null ? null : `${storePath(directory)} is damaged: ${found}`;
  } finally {
    database.close();
  }
}

function urlDamage(database: Database): string | null {
  const row = database.prepare("SELECT id FROM urls WHERE typeof(url) <> 'text' LIMIT 1").get();
  return row === undefined ? null : `URL ${row.id} is no text`;
}

function pageDamage(database: Database): string | null {
  const present = columnsOfPages(database);
  const wrong = ROW_FIELDS.filter(({ columnName }) => present.has(columnName)).map((field) => {
    const column = `pages.${field.columnName}`;
    const json = JSON_TYPES[field.type];
    if (isJson(field)) {
      const isOther = `typeof(${column}) <> 'text' OR json_valid(${column}) = 0 OR json_type(${column}) <> '${json}'`;
      const isNoText =
        field.type === 'record'
          ? ` OR EXISTS (SELECT 1 FROM json_each(${column}) AS each WHERE each.type <> 'text')`
          : '';
      return [field.columnName, `${column} IS NOT NULL AND (${isOther}${isNoText})`];
    }
    const types = field.type === 'text' ? "'text', 'null'" : "'integer', 'real', 'null'";
    return [field.columnName, `typeof(${column}) NOT IN (${types})`];
  });
  wrong.push([
    'redirect_to',
    'redirect_to IS NOT NULL AND NOT EXISTS (SELECT 1 FROM urls WHERE urls.id = redirect_to)',
  ]);
  const row = database
    .prepare(
      `SELECT id, what FROM (SELECT id, CASE ${wrong.map(([name, is]) => `WHEN ${is} THEN '${name}'`).join(' ')} END AS what FROM pages)
       WHERE what IS NOT NULL LIMIT 1`,
    )
    .get();
  return row === undefined ? null : `${row.what} of page ${row.id} cannot be read`;
}

function edgeDamage(database: Database): string | null {
  const isList = (column: string): string =>
    `${column} IS NULL OR CASE WHEN typeof(${column}) = 'text' AND json_valid(${column}) THEN json_type(${column}) = 'array' ELSE 0 END`;
  const ids = (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
  const rows = database
    .prepare(
      `SELECT page, packed, typeof(packed) = 'blob' AND length(packed) % 8 = 0 AND (${isList('rels')}) AND (${isList('texts')}) AS isFine FROM edges`,
    )
    .iterate();
  for (const { page, packed, isFine } of rows) {
    if (isFine === 0) {
      return `the links of page ${page} cannot be read`;
    }
    if (edgesFromBlob(packed).some((id, i) => i % 2 === 0 && (id === 0 || id >= ids))) {
      return `a link of page ${page} leads to no URL`;
    }
  }
  return null;
}
