import type { OutputFile } from './output.js';

/** So many rows are in memory at once, and make a row group of the file. */
const ROWS_AT_ONCE = 65_536;

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const;

/** A column of a table. A time is in milliseconds since 1970. */
export interface TableColumn {
  readonly name: string;
  readonly type: keyof typeof TYPES;
}

export type TableCell = string | number | boolean | null;

/** Columns for programs that read tables, such as DuckDB and pandas; returns how many rows there were. The writer of the format is loaded by the first who asks for it. */
export async function writeParquet(
  file: OutputFile,
  columns: readonly TableColumn[],
  rows: Iterable<readonly TableCell[]>,
): Promise<number> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const handOn = async (): Promise<void> => {
    // A copy: the writer goes on in the same buffer.
    const piece = bytes.getBytes().slice();
    bytes.index = 0;
    await file.write(piece);
  };
  const writer = new ParquetWriter({
    writer: bytes,
    createdBy: 'gossamer',
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({ name, ...TYPES[type], repetition_type: 'OPTIONAL' as const })),
    ],
  });
  let count = 0;
  let values: unknown[][] = columns.map(() => []);
  const writeRows = async (): Promise<void> => {
    const columnData = columns.map(({ name }, place) => ({ name, data: values[place]! }));
    await writer.write({ columnData, rowGroupSize: ROWS_AT_ONCE });
    await handOn();
    values = columns.map(() => []);
  };
  for (const row of rows) {
    columns.forEach(({ type }, place) => {
      values[place]!.push(parquetValue(type, row[place] ?? null));
    });
    if (++count % ROWS_AT_ONCE === 0) {
      await writeRows();
    }
  }
  if (values[0]!.length > 0) {
    await writeRows();
  }
  await writer.finish();
  await handOn();
  await file.close();
  return count;
}

/** Text is well-formed Unicode there, or readers refuse the whole file. */
function parquetValue(type: TableColumn['type'], cell: TableCell): unknown {
  if (cell === null) {
    return undefined;
  }
  switch (type) {
    case 'text':
      return wellFormed(String(cell));
    case 'integer':
      return BigInt(Math.round(Number(cell)));
    case 'time':
      return new Date(Number(cell));
    default:
      return cell;
  }
}

/** A surrogate without the other half is no character. */
const wellFormed = (text: string): string =>
  text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
