import type { Csr } from './csr.js';

/** Of a random reader's next step, the share that is a click and no jump to any page at all. */
export const DAMPING = 0.85;
/** All nodes together have moved by less in a round. */
const SETTLED = 1e-10;
const MOST_ROUNDS = 500;

/**
 * How often somebody is at each node who clicks a random link, and now and then, or where there is none, goes anywhere. They add up to 1. A
 * link that stands twice is clicked twice as often, as networkx does with weights.
 */
export function pageRank({ starts, ends, weights }: Csr): Float64Array {
  const nodes = starts.length - 1;
  let rank = new Float64Array(nodes).fill(1 / nodes);
  let next = new Float64Array(nodes);
  const share = new Float64Array(nodes);
  for (let node = 0; node < nodes; node++) {
    let sum = 0;
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      sum += weights[i]!;
    }
    share[node] = sum === 0 ? 0 : DAMPING / sum;
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let stuck = 0;
    for (let node = 0; node < nodes; node++) {
      if (share[node] === 0) {
        stuck += rank[node]!;
      }
    }
    next.fill((1 - DAMPING + DAMPING * stuck) / nodes);
    for (let node = 0; node < nodes; node++) {
      const each = rank[node]! * share[node]!;
      for (let i = starts[node]!, end = starts[node + 1]!; i < end; i++) {
        next[ends[i]!]! += each * weights[i]!;
      }
    }
    let moved = 0;
    for (let node = 0; node < nodes; node++) {
      moved += Math.abs(next[node]! - rank[node]!);
    }
    [rank, next] = [next, rank];
    if (moved < SETTLED) {
      break;
    }
  }
  return rank;
}

/** The fewest clicks from a start; -1 where none leads there. A redirect is no click. */
export function clickDepth(
  { starts, ends }: Csr,
  isStart: (node: number) => boolean,
  isRedirect: (node: number) => boolean,
): Int32Array {
  const depth = new Int32Array(starts.length - 1).fill(-1);
  let near: number[] = [];
  for (let node = 0; node < depth.length; node++) {
    if (isStart(node)) {
      depth[node] = 0;
      near.push(node);
    }
  }
  for (let level = 0; near.length > 0; level++) {
    const far: number[] = [];
    // It grows while it is read: what redirects lead to is as near.
    for (let at = 0; at < near.length; at++) {
      const node = near[at]!;
      if (depth[node]! < level) {
        continue;
      }
      const goesOn = isRedirect(node);
      for (let i = starts[node]!; i < starts[node + 1]!; i++) {
        const to = ends[i]!;
        if (depth[to] === -1 || (goesOn && depth[to]! > level)) {
          depth[to] = goesOn ? level : level + 1;
          (goesOn ? near : far).push(to);
        }
      }
    }
    near = far;
  }
  return depth;
}

/**
 * Groups of nodes of which each can be reached from each other (strongly connected components), by Tarjan's algorithm without recursion: a
 * chain of a million pages is no deeper than an array. The group of each node is a number below `count`.
 */
export function components({ starts, ends }: Csr): { of: Uint32Array; count: number } {
  const nodes = starts.length - 1;
  const of = new Uint32Array(nodes);
  const order = new Uint32Array(nodes);
  const low = new Uint32Array(nodes);
  const isOpen = new Uint8Array(nodes);
  const open = new Uint32Array(nodes);
  const path = new Uint32Array(nodes);
  const edge = new Uint32Array(nodes);
  let [count, seen, opened, depth] = [0, 0, 0, 0];
  const enter = (node: number): void => {
    order[node] = low[node] = ++seen;
    isOpen[node] = 1;
    open[opened++] = node;
    edge[node] = starts[node]!;
    path[depth++] = node;
  };
  for (let first = 0; first < nodes; first++) {
    if (order[first] !== 0) {
      continue;
    }
    enter(first);
    while (depth > 0) {
      const node = path[depth - 1]!;
      if (edge[node]! < starts[node + 1]!) {
        const to = ends[edge[node]!++]!;
        if (order[to] === 0) {
          enter(to);
        } else if (isOpen[to] === 1) {
          low[node] = Math.min(low[node]!, order[to]!);
        }
        continue;
      }
      depth--;
      if (depth > 0) {
        const parent = path[depth - 1]!;
        low[parent] = Math.min(low[parent]!, low[node]!);
      }
      if (low[node] === order[node]) {
        for (let member = -1; member !== node; ) {
          member = open[--opened]!;
          isOpen[member] = 0;
          of[member] = count;
        }
        count++;
      }
    }
  }
  return { of, count };
}

/** Groups numbered anew from 1: the largest first, of two alike the one with the first node. */
export function bySize(of: Uint32Array, count: number): { of: Uint32Array; sizes: Uint32Array } {
  const sizes = new Uint32Array(count);
  const first = new Uint32Array(count);
  for (let node = of.length - 1; node >= 0; node--) {
    sizes[of[node]!]!++;
    first[of[node]!] = node;
  }
  const places = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => sizes[b]! - sizes[a]! || first[a]! - first[b]!,
  );
  const number = new Uint32Array(count);
  places.forEach((group, place) => {
    number[group] = place + 1;
  });
  return { of: of.map((group) => number[group]!), sizes: places.map((group) => sizes[group]!) };
}
