import { counted, formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import type { GraphLevel } from '../config/option-spec.js';
import { degreeOf, type MeasuredGraph } from './measured-graph.js';

/** Some of very many, and how many there are. */
interface Some<T> {
  /** How many there are. */
  count: number;
  /** Some of them. */
  first: T[];
}

/** A link graph in figures. */
export interface GraphSummary {
  /** What a node is. */
  level: GraphLevel;
  /** How many there are. */
  nodes: number;
  /** From one node to another, each once. */
  edges: number;
  /** Links that the edges stand for. */
  links: number;
  /** The most clicks that a node is away from the nearest seed; null if there is none. */
  deepest: number | null;
  /** Nodes that no click leads to from a seed. */
  unreached: number;
  /** Those with the highest PageRank, the highest first. */
  top: { name: string; pagerank: number; inDegree: number }[];
  /** Nodes that no other leads to, seeds not counted. */
  orphans: Some<string>;
  /** Nodes that were read and lead to no other. */
  deadEnds: Some<string>;
  /** Groups within which every node can be reached from every other; `largest` are the nodes of the largest. */
  components: { count: number; largest: number };
  /** Groups of nodes that link to each other more than to the rest. Of the largest: its size, and its node with the highest PageRank. */
  communities: Some<{ nodes: number; name: string }> & { modularity: number };
}

const MOST_NAMED = 10;

export function summaryOf(graph: MeasuredGraph): GraphSummary {
  const { nodes, rank, edges, depths } = graph;
  let deepest = -1;
  let unreached = 0;
  for (const depth of depths) {
    deepest = Math.max(deepest, depth);
    unreached += depth === -1 ? 1 : 0;
  }
  const byRank = (a: number, b: number): number => rank[b]! - rank[a]! || a - b;
  const heads = new Map<number, number>();
  for (let node = 0; node < nodes; node++) {
    const community = graph.community[node]!;
    const head = heads.get(community);
    if (community <= MOST_NAMED && (head === undefined || byRank(node, head) < 0)) {
      heads.set(community, node);
    }
  }
  return {
    level: graph.level,
    nodes,
    edges: edges.out.ends.length,
    links: graph.outLinks.reduce((sum, each) => sum + each, 0),
    deepest: deepest === -1 ? null : deepest,
    unreached,
    top: highest(nodes, MOST_NAMED, byRank).map((node) => ({
      name: graph.nameOf(node),
      pagerank: rank[node]!,
      inDegree: degreeOf(edges.into.starts, node),
    })),
    orphans: some(graph, (node) => graph.isOrphan(node)),
    deadEnds: some(graph, (node) => graph.isDeadEnd(node)),
    components: { count: graph.componentSizes.length, largest: graph.componentSizes[0] ?? 0 },
    communities: {
      count: graph.communitySizes.length,
      first: [...heads]
        .sort(([a], [b]) => a - b)
        .map(([community, head]) => ({ nodes: graph.communitySizes[community - 1]!, name: graph.nameOf(head) })),
      modularity: graph.modularity,
    },
  };
}

/** The first few by an order, without sorting the rest. */
export function highest(nodes: number, most: number, order: (a: number, b: number) => number): number[] {
  const found: number[] = [];
  for (let node = 0; node < nodes; node++) {
    if (found.length < most || order(node, found.at(-1)!) < 0) {
      let place = found.length;
      while (place > 0 && order(node, found[place - 1]!) < 0) {
        place--;
      }
      found.splice(place, 0, node);
      found.length = Math.min(found.length, most);
    }
  }
  return found;
}

function some(graph: MeasuredGraph, is: (node: number) => boolean): Some<string> {
  const found: Some<string> = { count: 0, first: [] };
  for (let node = 0; node < graph.nodes; node++) {
    if (is(node) && ++found.count <= MOST_NAMED) {
      found.first.push(graph.nameOf(node));
    }
  }
  return found;
}

const NOUNS: Readonly<Record<GraphLevel, string>> = { page: 'page', folder: 'folder', host: 'host' };

/** For a terminal. */
export function summaryText(summary: GraphSummary): string {
  const noun = NOUNS[summary.level];
  const { top, orphans, deadEnds, components, communities } = summary;
  const lines = [
    `${counted(summary.nodes, noun)}, ${counted(summary.edges, 'edge')} (${counted(summary.links, 'link')})`,
    `depth          ${summary.deepest === null ? 'nothing is a seed' : `${counted(summary.deepest, 'click')} at most`}${summary.unreached === 0 ? '' : `; ${counted(summary.unreached, `${noun} is`, `${noun}s are`)} not reached by clicks`}`,
    `orphans        ${list(orphans)}`,
    `dead ends      ${list(deadEnds)}`,
    `components     ${formatCount(components.count)}, the largest with ${counted(components.largest, noun)}`,
    `communities    ${formatCount(communities.count)}, modularity ${communities.modularity.toFixed(3)}`,
    ...communities.first.map(({ nodes, name }) => `  ${formatCount(nodes).padStart(9)}  around ${printable(name)}`),
    `highest PageRank`,
    ...top.map(
      ({ name, pagerank, inDegree }) =>
        `  ${pagerank.toFixed(6)}  ${printable(name)}  (linked from ${formatCount(inDegree)})`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function list({ count, first }: Some<string>): string {
  const named = first.map((name) => `\n    ${printable(name)}`).join('');
  const more = count > first.length ? `\n    and ${formatCount(count - first.length)} more` : '';
  return `${formatCount(count)}${named}${more}`;
}
