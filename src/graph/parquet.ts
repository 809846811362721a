import type { OutputFiles, OutputNotes } from '../report/output.js';
import { type TableColumn, writeParquet as writeColumns } from '../report/parquet.js';
import { type MeasuredGraph, nodeColumns } from './measured-graph.js';
import { rowsOf, type Table } from './tables.js';

const EDGE_COLUMNS: readonly TableColumn[] = [
  { name: 'from', type: 'text' },
  { name: 'to', type: 'text' },
  { name: 'weight', type: 'integer' },
];

/** Columns for programs that read tables, such as DuckDB and pandas. */
export async function writeParquet(graph: MeasuredGraph, table: Table, files: OutputFiles): Promise<OutputNotes> {
  const columns = table === 'edges' ? EDGE_COLUMNS : nodeColumns(graph);
  return { records: await writeColumns(files.create(), columns, rows(graph, table)), files: 1 };
}

function* rows(graph: MeasuredGraph, table: Table) {
  for (const row of rowsOf(graph, table)) {
    yield Object.values(row);
  }
}
