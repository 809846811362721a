import { extname, resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { GRAPH_FORMATS, type GraphFormat } from '../config/option-spec.js';
import { summaryOf } from '../graph/summary.js';
import { graphOf, writeGraph } from '../graph/write-graph.js';
import { openForReading } from '../store/directory.js';
import { type CommandInput, prepare, untilReaderLeaves, writeJson } from './command.js';
import { EXIT } from './exit.js';

/** gossamer graph <dir> */
export async function runGraph(input: CommandInput): Promise<number> {
  const ready = prepare('graph', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { options, sources } = ready.resolved;
  const { level, outside, nodes, json } = options;
  const output = options.output === '-' ? null : options.output;
  const format = sources.format === 'default' ? formatOf(output, nodes) : (options.format as GraphFormat);
  if (json && (nodes || output !== null || format !== 'terminal')) {
    throw new UsageError('--json prints the figures of a graph; for the graph itself use --format jsonl');
  }
  if (format === 'parquet' && output === null && process.stdout.isTTY) {
    throw new UsageError('parquet is not text for a terminal: name a file with --output');
  }
  const graph = openForReading(resolve(input.positionals[0]!), (reader) => graphOf(reader, level, outside));
  if (json) {
    writeJson(summaryOf(graph));
    return EXIT.ok;
  }
  const target = output === null ? { stdout: process.stdout } : { path: output };
  await untilReaderLeaves(writeGraph(graph, format, nodes ? 'nodes' : 'edges', target));
  return EXIT.ok;
}

/** What the name of the file says; without one, figures for the terminal, or the table that was asked for. */
function formatOf(output: string | null, nodes: boolean): GraphFormat {
  const named = output === null ? '' : extname(output).slice(1).toLowerCase();
  const found = GRAPH_FORMATS.find((format) => format === named && format !== 'terminal');
  if (output !== null && found === undefined) {
    throw new UsageError(`--output ${output} does not say what to write: add --format`);
  }
  return found ?? (nodes ? 'csv' : 'terminal');
}
