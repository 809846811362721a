import { bothWays, type Csr, csrOf, type Edges } from '../../src/graph/csr.js';
import type { LinkGraph } from '../../src/graph/link-graph.js';
import { type MeasuredGraph, measured } from '../../src/graph/measured-graph.js';
import type { OutputFiles, OutputNotes } from '../../src/report/output.js';

/** A graph of pairs. A pair that stands twice is an edge of weight 2. */
export function edgesOfPairs(nodes: number, pairs: readonly (readonly [number, number])[]): Edges {
  const rows = new Map<number, number[]>();
  for (const [from, to] of pairs) {
    rows.set(from, [...(rows.get(from) ?? []), to]);
  }
  const read = () => [...rows].map(([node, ends]) => ({ node, ends: Uint32Array.from(ends) }));
  return bothWays(csrOf(nodes, read, (end) => end));
}

export const outOf = (nodes: number, pairs: readonly (readonly [number, number])[]): Csr =>
  edgesOfPairs(nodes, pairs).out;

/** Weights as a table. */
export function matrixOf({ starts, ends, weights }: Csr): number[][] {
  const nodes = starts.length - 1;
  const matrix = Array.from({ length: nodes }, () => new Array<number>(nodes).fill(0));
  for (let node = 0; node < nodes; node++) {
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      matrix[node]![ends[i]!] = weights[i]!;
    }
  }
  return matrix;
}

/** A graph of hosts: names without pages. */
export function namedGraph(names: readonly string[], pairs: readonly (readonly [number, number])[]): MeasuredGraph {
  const graph: LinkGraph = {
    level: 'host',
    nodes: names.length,
    edges: edgesOfPairs(names.length, pairs),
    nameOf: (node) => names[node]!,
    depths: new Int32Array(names.length),
    isStart: (node) => node === 0,
    pages: new Uint32Array(names.length).fill(1),
    inner: new Float64Array(names.length),
    facts: null,
    isRead: () => true,
  };
  return measured(graph);
}

/** The bytes that a writer writes to its one file. */
export async function bytesOf(write: (files: OutputFiles) => Promise<OutputNotes>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const file = { write: (bytes: Uint8Array) => void pieces.push(bytes), close() {}, place: () => 'out' };
  await write({ several: false, create: () => file });
  return Buffer.concat(pieces);
}
