import { csvRow, jsonLine, type OutputFiles, type OutputNotes, TextWriter } from '../report/output.js';
import { edgesOf, type MeasuredGraph, nodeColumns } from './measured-graph.js';

/** What a table has: a row for each edge, or one for each node. */
export type Table = 'edges' | 'nodes';

type Row = Record<string, string | number | boolean | null>;

/** A line of JSON for each row. */
export const writeJsonl = (graph: MeasuredGraph, table: Table, files: OutputFiles): Promise<OutputNotes> =>
  writeTable(files, '', rowsOf(graph, table), jsonLine);

/** RFC 4180, and nothing that a spreadsheet would run. */
export const writeCsv = (graph: MeasuredGraph, table: Table, files: OutputFiles): Promise<OutputNotes> =>
  writeTable(files, csvRow(columnNames(graph, table)), rowsOf(graph, table), (row) => csvRow(Object.values(row)));

const columnNames = (graph: MeasuredGraph, table: Table): string[] =>
  table === 'edges' ? ['from', 'to', 'weight'] : nodeColumns(graph).map(({ name }) => name);

export const rowsOf = (graph: MeasuredGraph, table: Table): IterableIterator<Row> =>
  table === 'edges' ? edgeRows(graph) : nodeRows(graph);

export function* edgeRows(graph: MeasuredGraph): IterableIterator<{ from: string; to: string; weight: number }> {
  let last = -1;
  let name = '';
  for (const { from, to, weight } of edgesOf(graph)) {
    if (from !== last) {
      last = from;
      name = graph.nameOf(from);
    }
    yield { from: name, to: graph.nameOf(to), weight };
  }
}

export function* nodeRows(graph: MeasuredGraph): IterableIterator<Row> {
  const columns = nodeColumns(graph);
  for (let node = 0; node < graph.nodes; node++) {
    yield Object.fromEntries(columns.map(({ name, value }) => [name, value(node)]));
  }
}

async function writeTable(
  files: OutputFiles,
  header: string,
  rows: Iterable<Row>,
  lineOf: (row: Row) => string,
): Promise<OutputNotes> {
  return writeText(files, async (text) => {
    await text.write(header);
    let records = 0;
    for (const row of rows) {
      const wait = text.write(lineOf(row));
      if (wait !== undefined) {
        await wait;
      }
      records++;
    }
    return records;
  });
}

/** One file of text; the writer says how many records it has. */
export async function writeText(
  files: OutputFiles,
  write: (text: TextWriter) => Promise<number>,
): Promise<OutputNotes> {
  const file = files.create();
  const text = new TextWriter(file);
  const records = await write(text);
  await text.flush();
  await file.close();
  return { records, files: 1 };
}
