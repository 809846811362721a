import type { ExportTable } from '../config/option-spec.js';
import { LINK_KINDS } from '../parse/links.js';
import { fieldsOf, type NamedField, type PageFieldType } from '../store/page-fields.js';
import type { PageResult } from '../store/page-types.js';
import type { Reader } from '../store/reader.js';
import { type CsvCell, csvRow, type Output, type OutputOptions, TextWriter } from './output.js';
import { type TableCell, type TableColumn, writeParquet } from './parquet.js';

/** A column and where its values come from. The JSON Schema of its line and docs are made of the sentence. */
interface Column<Row> extends TableColumn {
  readonly sentence: string;
  /** Text leaves it out where it says nothing. */
  readonly isOptional?: true;
  /** It may be unknown. */
  readonly isNullable?: true;
  value(row: Row): TableCell;
}

interface Table<Row> {
  columns(reader: Reader): readonly Column<Row>[];
  rows(reader: Reader): Iterable<Row>;
}

const TYPES: Readonly<Record<PageFieldType, TableColumn['type']>> = {
  text: 'text',
  integer: 'integer',
  number: 'number',
  time: 'time',
  flag: 'boolean',
  state: 'text',
  data: 'text',
  list: 'text',
  record: 'text',
  extras: 'text',
};

const pageColumn = ({ name, type, sentence, isOptional }: NamedField): Column<PageResult> => ({
  ...(isOptional ? { isOptional } : {}),
  name,
  type: TYPES[type],
  sentence,
  value: (page) => cellOf(page[name as keyof PageResult]),
});

/** What is no plain value, such as a list, is JSON in its cell. */
function cellOf(value: unknown): TableCell {
  return value === undefined || value === null
    ? null
    : typeof value === 'object'
      ? JSON.stringify(value)
      : (value as TableCell);
}

const PAGES: Table<PageResult> = {
  columns: (reader) => [
    ...pageFields().map(pageColumn),
    ...reader.dataNames().map(
      (name): Column<PageResult> => ({
        name: `data.${name}`,
        type: 'text',
        sentence: '',
        value: ({ data }) => {
          const value = cellOf(data?.[name]);
          return value === null ? null : String(value);
        },
      }),
    ),
  ],
  rows: (reader) => reader.pages(),
};

/** In the order of the columns of CSV, which programs read by position. */
function pageFields(): NamedField[] {
  const fields = fieldsOf('csv').filter(({ type }) => type !== 'data');
  const ordered = fields.filter(({ csvAfter }) => csvAfter === undefined);
  for (const field of fields) {
    if (field.csvAfter !== undefined) {
      ordered.splice(ordered.findIndex(({ name }) => name === field.csvAfter) + 1, 0, field);
    }
  }
  return ordered;
}

type Link = ReturnType<Reader['edges']> extends Iterable<infer E> ? E : never;

export const LINK_COLUMNS: readonly Column<Link>[] = [
  { name: 'from', type: 'text', sentence: 'The page that the link stands on.', value: ({ from }) => from },
  { name: 'to', type: 'text', sentence: 'What it leads to.', value: ({ to }) => to },
  {
    name: 'kind',
    type: 'text',
    sentence: 'What kind of link it is, such as `a`, `img` or `redirect`.',
    value: ({ kind }) => LINK_KINDS[kind] ?? String(kind),
  },
  { name: 'rel', type: 'text', sentence: 'Its `rel`, or an empty text.', value: ({ rel }) => rel },
  {
    name: 'text',
    type: 'text',
    isNullable: true,
    sentence: 'Its text; null unless the crawl was made with --anchor-text.',
    value: ({ text }) => text,
  },
  {
    name: 'outside',
    type: 'text',
    isOptional: true,
    sentence: 'Why its target is not among the pages: `scope`, `scheme`, `asset`, `candidate`.',
    value: ({ outside }) => outside,
  },
];

const LINKS: Table<Link> = { columns: () => LINK_COLUMNS, rows: (reader) => reader.edges() };

type Host = ReturnType<Reader['hosts']['all']> extends Iterable<infer H> ? H : never;

const hostColumn = (
  name: keyof Host,
  type: TableColumn['type'],
  sentence: string,
  isNullable?: true,
): Column<Host> => ({
  ...{ name, type, sentence },
  ...(isNullable ? { isNullable } : {}),
  value: (host) => host[name],
});

export const HOST_COLUMNS: readonly Column<Host>[] = [
  hostColumn('name', 'text', 'Its name, with the port where that counts.'),
  hostColumn('unicodeName', 'text', 'The name in Unicode, where it has such a form that is safe to show.', true),
  hostColumn('urls', 'integer', 'Its lines in pages.jsonl.'),
  hostColumn('done', 'integer', 'Of them, those answered with a page, a file or a redirect that ends well.'),
  hostColumn('failed', 'integer', 'Of them, those answered with 4xx or 5xx, unreadable, or not answered at all.'),
  hostColumn('skipped', 'integer', 'Of them, those not asked for: robots.txt, nofollow, depth, traps, limits.'),
  hostColumn('deferred', 'integer', 'Of them, those put off with it.'),
  hostColumn('dispatched', 'integer', 'Of its lines, those that were asked for.'),
  hostColumn('deferredReason', 'text', 'Why it was put off; null where it was not.', true),
  hostColumn('robots', 'text', 'What came of its robots.txt.', true),
  hostColumn('crawlDelayMs', 'number', 'Its Crawl-delay, the longest of its origins; null where it has none.', true),
  hostColumn('address', 'text', 'The address last connected to; null where there was no connection.', true),
];

const HOSTS: Table<Host> = { columns: () => HOST_COLUMNS, rows: (reader) => reader.hosts.all() };

const TABLES: Readonly<Record<ExportTable, Table<never>>> = {
  pages: PAGES,
  links: LINKS,
  hosts: HOSTS,
} as unknown as Readonly<Record<ExportTable, Table<never>>>;

/** A table for a spreadsheet (RFC 4180). What a spreadsheet or terminal would act on is defused; JSONL is the exact format. */
export const csvOutput: Output = {
  async write(reader, files, { table = 'pages', bom = false }: OutputOptions = {}) {
    const { columns, rows } = TABLES[table];
    const all = columns(reader);
    const file = files.create();
    const text = new TextWriter(file);
    let records = 0;
    await text.write((bom ? BOM : '') + csvRow(all.map(({ name }) => name)));
    for (const row of rows(reader)) {
      const wait = text.write(csvRow(all.map((column) => csvCell(column, column.value(row)))));
      if (wait !== undefined) {
        await wait;
      }
      records++;
    }
    await text.flush();
    await file.close();
    return { records, files: 1 };
  },
};

export const parquetOutput: Output = {
  async write(reader, files, { table = 'pages' }: OutputOptions = {}) {
    const { columns, rows } = TABLES[table];
    const all = columns(reader);
    const cells = function* () {
      for (const row of rows(reader)) {
        yield all.map(({ value }) => value(row));
      }
    };
    return { records: await writeParquet(files.create(), all, cells()), files: 1 };
  },
};

/** By it the usual spreadsheet knows that a file is UTF-8. */
export const BOM = '\ufeff';

/** Times as in pages.jsonl, and no more digits than somebody measures. */
function csvCell({ type, isOptional }: Column<never>, cell: TableCell): CsvCell {
  if (isOptional && (cell === 0 || cell === false)) {
    return null;
  }
  if (typeof cell !== 'number') {
    return cell;
  }
  return type === 'time' ? new Date(cell).toISOString() : type === 'number' ? Math.round(cell * 10) / 10 : cell;
}
