import type { OutputFiles, OutputNotes } from '../report/output.js';
import { type MeasuredGraph, nodeColumns } from './measured-graph.js';
import { rowsOf, type Table } from './tables.js';

/** So many rows are in memory at once, and make a row group of the file. */
const ROWS_AT_ONCE = 65_536;

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const;

type Type = keyof typeof TYPES;

const EDGE_COLUMNS: readonly { name: string; type: Type }[] = [
  { name: 'from', type: 'text' },
  { name: 'to', type: 'text' },
  { name: 'weight', type: 'integer' },
];

/** Columns for programs that read tables, such as DuckDB and pandas. The writer of the format is loaded by the first who asks for it. */
export async function writeParquet(graph: MeasuredGraph, table: Table, files: OutputFiles): Promise<OutputNotes> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const columns = table === 'edges' ? EDGE_COLUMNS : nodeColumns(graph);
  const file = files.create();
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
  let records = 0;
  let values: unknown[][] = columns.map(() => []);
  const writeRows = async (): Promise<void> => {
    const columnData = columns.map(({ name }, place) => ({ name, data: values[place]! }));
    await writer.write({ columnData, rowGroupSize: ROWS_AT_ONCE });
    await handOn();
    values = columns.map(() => []);
  };
  for (const row of rowsOf(graph, table)) {
    columns.forEach(({ name, type }, place) => {
      const value = row[name]!;
      values[place]!.push(type === 'integer' && value !== null ? BigInt(value as number) : (value ?? undefined));
    });
    if (++records % ROWS_AT_ONCE === 0) {
      await writeRows();
    }
  }
  if (values[0]!.length > 0) {
    await writeRows();
  }
  await writer.finish();
  await handOn();
  await file.close();
  return { records, files: 1 };
}
