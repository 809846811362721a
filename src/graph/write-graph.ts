import { UsageError } from '../base/errors.js';
import type { GraphFormat, GraphLevel } from '../config/option-spec.js';
import { type ExportTarget, writeOutput } from '../report/index.js';
import type { OutputFiles, OutputNotes } from '../report/output.js';
import type { Reader } from '../store/reader.js';
import { writeGraphFormat } from './graph-formats.js';
import { readLinkGraph } from './link-graph.js';
import { type MeasuredGraph, measured } from './measured-graph.js';
import { writeParquet } from './parquet.js';
import { summaryOf, summaryText } from './summary.js';
import { type Table, writeCsv, writeJsonl, writeText } from './tables.js';

export const graphOf = (reader: Reader, level: GraphLevel, withOutside: boolean): MeasuredGraph =>
  measured(readLinkGraph(reader, level, withOutside));

/** Formats that have either edges or nodes; the others have both. */
const TABLES: readonly GraphFormat[] = ['csv', 'jsonl', 'parquet'];

export function writeGraph(
  graph: MeasuredGraph,
  format: GraphFormat,
  table: Table,
  target: ExportTarget,
): Promise<OutputNotes> {
  if (table === 'nodes' && !TABLES.includes(format)) {
    throw new UsageError(`nodes can be written as ${TABLES.join(', ')}, but not as ${format}`);
  }
  return writeOutput(target, (files) => WRITERS[format](graph, files, table));
}

type GraphWriter = (graph: MeasuredGraph, files: OutputFiles, table: Table) => Promise<OutputNotes>;

const WRITERS: Readonly<Record<GraphFormat, GraphWriter>> = {
  terminal: (graph, files) =>
    writeText(files, async (text) => {
      await text.write(summaryText(summaryOf(graph)));
      return 1;
    }),
  csv: (graph, files, table) => writeCsv(graph, table, files),
  jsonl: (graph, files, table) => writeJsonl(graph, table, files),
  parquet: (graph, files, table) => writeParquet(graph, table, files),
  graphml: (graph, files) => writeGraphFormat('graphml', graph, files),
  gexf: (graph, files) => writeGraphFormat('gexf', graph, files),
  dot: (graph, files) => writeGraphFormat('dot', graph, files),
  html: async (graph, files) => (await import('./html.js')).writeHtml(graph, files),
  svg: async (graph, files) => (await import('./svg.js')).writeSvg(graph, files),
};
