import type { Writable } from 'node:stream';
import { UsageError } from '../base/errors.js';
import { describeValue, type OutputStream, readDirectory, readOptions, readOutputStream } from '../config/arguments.js';
import { GRAPH_FORMATS, GRAPH_LEVELS, type GraphFormat, type GraphLevel } from '../config/option-spec.js';
import { didYouMean, nearestName } from '../config/suggest.js';
import type { OutputNotes } from '../report/output.js';
import { openForReading } from '../store/directory.js';
import type { MeasuredGraph } from './measured-graph.js';
import { type GraphSummary, summaryOf } from './summary.js';
import { edgeRows, nodeRows } from './tables.js';
import { graphOf, writeGraph } from './write-graph.js';

/** What a link graph is made of. */
export interface GraphOptions {
  /** What a node is: `page` (default), `folder` or `host`. */
  level?: GraphLevel;
  /** Take in what links lead to outside of the crawl, such as pages of other hosts. */
  outside?: boolean;
}

/** A node of a link graph, with its measures. */
export interface GraphNodeResult {
  /** At level `page`. */
  url?: string;
  /** At level `folder`: the URL up to its last slash. */
  folder?: string;
  /** At level `host`: its name, with its port where that is not the usual one. */
  host?: string;
  /** Of a page, up to 200 characters; null if it has none. */
  title?: string | null;
  /** Of a page, as in pages.jsonl; `outside` where it is not among the pages. */
  state?: 'done' | 'failed' | 'skipped' | 'deferred' | 'outside';
  /** Of a page, that of the last HTTP answer; null if there was none. */
  status?: number | null;
  /** Of a folder or host: URLs in it. */
  pages?: number;
  /** Of a folder or host: links from one URL in it to another. */
  innerLinks?: number;
  /** The fewest clicks from a seed, redirects not counted; of a folder or host, to the nearest page in it; null if there is no way. */
  depth: number | null;
  /** All of them together are 1. */
  pagerank: number;
  /** Nodes that link to it. */
  inDegree: number;
  /** Nodes that it links to. */
  outDegree: number;
  /** Links to it, from other nodes. */
  inLinks: number;
  /** Links from it, to other nodes. */
  outLinks: number;
  /** The group of nodes that can all be reached from each other; 1 is the largest. */
  component: number;
  /** The group of nodes that link to each other more than to the rest; 1 is the largest. */
  community: number;
  /** No other node links to it, and it is no seed. */
  orphan: boolean;
  /** It was read, and links to no other node. */
  deadEnd: boolean;
}

/** All links from one node to another. */
export interface GraphEdge {
  /** The node that they stand on: a URL, folder or host. */
  from: string;
  /** The node that they lead to. */
  to: string;
  /** How many links there are. */
  weight: number;
}

/** The link graph of a kept crawl, in memory. */
export class KeptGraph {
  /** It in figures. */
  readonly summary: GraphSummary;
  readonly #graph: MeasuredGraph;

  constructor(directory: string, level: GraphLevel, outside: boolean) {
    this.#graph = openForReading(directory, (reader) => graphOf(reader, level, outside));
    this.summary = summaryOf(this.#graph);
  }

  /** Every node with its measures, in alphabetical order. */
  nodes(): IterableIterator<GraphNodeResult> {
    return nodeRows(this.#graph) as IterableIterator<object> as IterableIterator<GraphNodeResult>;
  }

  /** Every edge, in the order of the nodes. */
  edges(): IterableIterator<GraphEdge> {
    return edgeRows(this.#graph);
  }

  /**
   * Writes it to a file, which takes its name when it is complete, or to a stream, which stays open. `table` says what a table has
   * (`csv`, `jsonl`, `parquet`): edges, or nodes.
   */
  async write(
    format: GraphFormat,
    target: string | OutputStream,
    table: 'edges' | 'nodes' = 'edges',
  ): Promise<OutputNotes> {
    checkOneOf('the format of write', format, GRAPH_FORMATS);
    checkOneOf('the table of write', table, ['edges', 'nodes']);
    const place =
      typeof target === 'object' && target !== null
        ? { stdout: readOutputStream('the target of write', target) as Writable }
        : { path: readDirectory("write('gexf', 'site.gexf')", target, 'target') };
    return writeGraph(this.#graph, format, table, place);
  }
}

/** The link graph of a crawl that is kept in a directory, with its measures. The crawl may be under way: then it is the graph of this moment. */
export function graph(directory: string, options?: GraphOptions): KeptGraph {
  const call = "graph('gossamer-data/example.com', { level: 'page' })";
  const from = readDirectory(call, directory);
  const { level = 'page', outside = false, ...rest } = readOptions<GraphOptions>(call, options);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new UsageError(
      `graph has no option ${describeValue(unknown)}${didYouMean(nearestName(unknown, ['level', 'outside']))}`,
    );
  }
  checkOneOf('the level of graph', level, GRAPH_LEVELS);
  if (typeof outside !== 'boolean') {
    throw new UsageError(`the option outside of graph must be true or false, got ${describeValue(outside)}`);
  }
  return new KeptGraph(from, level, outside);
}

function checkOneOf(what: string, value: unknown, values: readonly string[]): void {
  if (!values.includes(value as string)) {
    const near = typeof value === 'string' ? nearestName(value, values) : null;
    throw new UsageError(`${what} must be one of ${values.join(', ')}, got ${describeValue(value)}${didYouMean(near)}`);
  }
}
