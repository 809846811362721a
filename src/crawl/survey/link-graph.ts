/**
 * What a sample has seen of a site's links. Node 0 stands for all that was known before; `base` nodes after it hang from that, the rest was found on
 * pages that were chosen by lot. Lists of links and of pages that lead to a node stand one after the other: those of node v from `starts[v]` to `starts[v + 1]`.
 */
export interface LinkGraph {
  readonly nodes: number;
  readonly base: number;
  /** 1 where the node was fetched. */
  readonly fetched: Uint8Array;
  readonly targets: Adjacency;
  readonly sources: Adjacency;
  /** URLs that nobody knew before, for each page drawn by lot, in their order. */
  readonly news: readonly number[];
}

export interface Adjacency {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** @param links pairs of nodes, from and to; each once */
export function linkGraph(
  nodes: number,
  base: number,
  fetched: Uint8Array,
  links: readonly number[],
  news: readonly number[],
): LinkGraph {
  const all: number[] = [];
  for (let node = 1; node <= base; node++) {
    all.push(0, node);
  }
  for (let i = 0; i < links.length; i += 2) {
    // URLs that were known before were not found by a page.
    if (links[i + 1]! > base) {
      all.push(links[i]!, links[i + 1]!);
    }
  }
  return { nodes, base, fetched, targets: adjacency(nodes, all, 0), sources: adjacency(nodes, all, 1), news };
}

function adjacency(nodes: number, links: readonly number[], side: 0 | 1): Adjacency {
  const starts = new Uint32Array(nodes + 1);
  for (let i = side; i < links.length; i += 2) {
    starts[links[i]! + 1]!++;
  }
  for (let node = 0; node < nodes; node++) {
    starts[node + 1]! += starts[node]!;
  }
  const next = starts.slice();
  const ends = new Uint32Array(links.length / 2);
  for (let i = 0; i < links.length; i += 2) {
    ends[next[links[i + side]!]!++] = links[i + 1 - side]!;
  }
  return { starts, ends };
}
