import type { Adjacency, LinkGraph } from './link-graph.js';

/** Real sites need two to five; a site made to need one for each page must not hold anyone up. */
const MOST_PASSES = 50;

/**
 * For each node the last one that every path from node 0 to it passes: without that page it would not be known. (K. Cooper, T. Harvey, K. Kennedy: A Simple,
 * Fast Dominance Algorithm.) Every node must be reachable.
 */
export function dominators({ nodes, targets, sources }: LinkGraph): { above: Int32Array; order: Uint32Array } {
  const order = reversePostorder(nodes, targets);
  const place = new Uint32Array(nodes);
  order.forEach((node, i) => {
    place[node] = i;
  });
  const above = new Int32Array(nodes).fill(-1);
  above[0] = 0;
  const meet = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) {
      if (place[a]! > place[b]!) {
        a = above[a]!;
      } else {
        b = above[b]!;
      }
    }
    return a;
  };
  let changed = true;
  for (let pass = 0; changed && pass < MOST_PASSES; pass++) {
    changed = false;
    for (const node of order) {
      let common = -1;
      for (let i = sources.starts[node]!; node > 0 && i < sources.starts[node + 1]!; i++) {
        const source = sources.ends[i]!;
        if (above[source] !== -1) {
          common = common === -1 ? source : meet(source, common);
        }
      }
      if (node > 0 && above[node] !== common) {
        above[node] = common;
        changed = true;
      }
    }
  }
  return { above, order };
}

function reversePostorder(nodes: number, { starts, ends }: Adjacency): Uint32Array {
  const order = new Uint32Array(nodes);
  const next = starts.slice();
  const isSeen = new Uint8Array(nodes);
  const path = [0];
  isSeen[0] = 1;
  let free = nodes;
  while (path.length > 0) {
    const node = path.at(-1)!;
    if (next[node]! < starts[node + 1]!) {
      const target = ends[next[node]!++]!;
      if (isSeen[target] === 0) {
        isSeen[target] = 1;
        path.push(target);
      }
    } else {
      order[--free] = node;
      path.pop();
    }
  }
  return order.subarray(free);
}
