import { communities } from './communities.js';
import { type LinkGraph, linkSums, type NodeState, STATES } from './link-graph.js';
import { bySize, components, pageRank } from './measures.js';

/** A graph with its measures: everything that is written of it. */
export interface MeasuredGraph extends LinkGraph {
  readonly rank: Float64Array;
  readonly inLinks: Float64Array;
  readonly outLinks: Float64Array;
  /** Numbered from 1, the largest first. */
  readonly component: Uint32Array;
  readonly componentSizes: Uint32Array;
  readonly community: Uint32Array;
  readonly communitySizes: Uint32Array;
  readonly modularity: number;
  /** No other node leads there, and it is no start. */
  isOrphan(node: number): boolean;
  /** It was read, and leads to no other node. */
  isDeadEnd(node: number): boolean;
}

export function measured(graph: LinkGraph): MeasuredGraph {
  const { out, into } = graph.edges;
  const strong = components(out);
  const component = bySize(strong.of, strong.count);
  const found = communities(graph.edges);
  const community = bySize(found.of, found.count);
  return {
    ...graph,
    rank: pageRank(out),
    inLinks: linkSums(into),
    outLinks: linkSums(out),
    component: component.of,
    componentSizes: component.sizes,
    community: community.of,
    communitySizes: community.sizes,
    modularity: found.modularity,
    isOrphan: (node) => into.starts[node] === into.starts[node + 1] && !graph.isStart(node),
    isDeadEnd: (node) => out.starts[node] === out.starts[node + 1] && graph.isRead(node),
  };
}

export type CellValue = string | number | boolean | null;

/** A column of the table of nodes, and an attribute of nodes in the formats of graphs. */
export interface NodeColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'number' | 'boolean';
  value(node: number): CellValue;
}

export const nodeColumns = (graph: MeasuredGraph): NodeColumn[] => [
  { name: nameOfNodes(graph), type: 'text', value: (node) => graph.nameOf(node) },
  ...(graph.facts === null ? columnsOfGroups(graph) : columnsOfPages(graph)),
  { name: 'depth', type: 'integer', value: (node) => (graph.depths[node] === -1 ? null : graph.depths[node]!) },
  { name: 'pagerank', type: 'number', value: (node) => graph.rank[node]! },
  { name: 'inDegree', type: 'integer', value: (node) => degreeOf(graph.edges.into.starts, node) },
  { name: 'outDegree', type: 'integer', value: (node) => degreeOf(graph.edges.out.starts, node) },
  { name: 'inLinks', type: 'integer', value: (node) => graph.inLinks[node]! },
  { name: 'outLinks', type: 'integer', value: (node) => graph.outLinks[node]! },
  { name: 'component', type: 'integer', value: (node) => graph.component[node]! },
  { name: 'community', type: 'integer', value: (node) => graph.community[node]! },
  { name: 'orphan', type: 'boolean', value: (node) => graph.isOrphan(node) },
  { name: 'deadEnd', type: 'boolean', value: (node) => graph.isDeadEnd(node) },
];

export const nameOfNodes = ({ level }: LinkGraph): string => (level === 'page' ? 'url' : level);

export const degreeOf = (starts: Uint32Array, node: number): number => starts[node + 1]! - starts[node]!;

function columnsOfPages({ facts }: MeasuredGraph): NodeColumn[] {
  const { titles, states, statuses } = facts!;
  return [
    { name: 'title', type: 'text', value: (node) => titles.at(node) || null },
    { name: 'state', type: 'text', value: (node): NodeState => STATES[states[node]!]! },
    { name: 'status', type: 'integer', value: (node) => statuses[node] || null },
  ];
}

const columnsOfGroups = ({ pages, inner }: MeasuredGraph): NodeColumn[] => [
  { name: 'pages', type: 'integer', value: (node) => pages[node]! },
  { name: 'innerLinks', type: 'integer', value: (node) => inner[node]! },
];

/** One edge after the other, by the node that it leads from and then by the one that it leads to. */
export function* edgesOf({ nodes, edges }: LinkGraph): IterableIterator<{ from: number; to: number; weight: number }> {
  const { starts, ends, weights } = edges.out;
  for (let from = 0; from < nodes; from++) {
    for (let i = starts[from]!; i < starts[from + 1]!; i++) {
      yield { from, to: ends[i]!, weight: weights[i]! };
    }
  }
}
