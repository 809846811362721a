import { type Csr, type Edges, membersOf, sumUp } from './csr.js';

/**
 * Communities by the method of Louvain (Blondel and others, 2008): nodes move to the community of a neighbour for as long as that makes the
 * modularity larger, then communities become nodes and it begins anew. Directions do not count, weights do. There is no lot in it: nodes go in
 * their order, and of two equal communities the smaller number wins, so the same graph always gives the same communities.
 */
export function communities({ out, into }: Edges): { of: Uint32Array; count: number; modularity: number } {
  const nodes = out.starts.length - 1;
  let of = Uint32Array.from({ length: nodes }, (_, node) => node);
  let count = nodes;
  let level: Level = { lists: [out, into], twiceInner: null, strength: strengthOf([out, into], null) };
  const total = level.strength.reduce((sum, each) => sum + each, 0);
  if (total === 0) {
    return { of, count, modularity: 0 };
  }
  for (;;) {
    const moved = movedIn(level, total);
    if (moved.count === count) {
      return { of, count, modularity: modularityOf(level, total) };
    }
    of = of.map((each) => moved.of[each]!);
    count = moved.count;
    level = communitiesAsNodes(level, moved.of, moved.count);
  }
}

/** A graph without directions: the neighbours of a node are those of all its lists. */
interface Level {
  readonly lists: readonly Weighted[];
  /** The weight within each node that stands for several, each edge counted from both ends. */
  readonly twiceInner: Float64Array | null;
  /** The weight of all that a node is on, what is within it included. */
  readonly strength: Float64Array;
}

type Weighted = Pick<Csr, 'starts' | 'ends'> & { readonly weights: Uint32Array | Float64Array };

function strengthOf(lists: readonly Weighted[], twiceInner: Float64Array | null): Float64Array {
  const nodes = lists[0]!.starts.length - 1;
  const strength = twiceInner === null ? new Float64Array(nodes) : twiceInner.slice();
  for (const { starts, weights } of lists) {
    for (let node = 0; node < nodes; node++) {
      for (let i = starts[node]!; i < starts[node + 1]!; i++) {
        strength[node]! += weights[i]!;
      }
    }
  }
  return strength;
}

/** So much has to be won, as a share of one edge: sums of fractions are never quite the same. */
const LEAST_GAIN = 1e-9;

/** Every node looks at its neighbours once; later only those look again of whom a neighbour has left. */
function movedIn({ lists, strength }: Level, total: number): { of: Uint32Array; count: number } {
  const nodes = strength.length;
  const of = Uint32Array.from({ length: nodes }, (_, node) => node);
  const sums = strength.slice();
  const toward = new Float64Array(nodes);
  const near = new Uint32Array(nodes);
  const waiting = Uint32Array.from({ length: nodes }, (_, node) => node);
  const waits = new Uint8Array(nodes).fill(1);
  let first = 0;
  for (let left = nodes; left > 0; ) {
    const node = waiting[first]!;
    first = first + 1 === nodes ? 0 : first + 1;
    left--;
    waits[node] = 0;
    const own = of[node]!;
    let found = 0;
    near[found++] = own;
    for (const { starts, ends, weights } of lists) {
      for (let i = starts[node]!, end = starts[node + 1]!; i < end; i++) {
        const group = of[ends[i]!]!;
        if (toward[group] === 0 && group !== own) {
          near[found++] = group;
        }
        toward[group]! += weights[i]!;
      }
    }
    const pull = strength[node]! / total;
    sums[own]! -= strength[node]!;
    let best = own;
    let most = toward[own]! - pull * sums[own]! + LEAST_GAIN;
    for (let i = 1; i < found; i++) {
      const group = near[i]!;
      const gain = toward[group]! - pull * sums[group]!;
      if (gain > most || (gain === most && best !== own && group < best)) {
        [best, most] = [group, gain];
      }
    }
    for (let i = 0; i < found; i++) {
      toward[near[i]!] = 0;
    }
    sums[best]! += strength[node]!;
    if (best === own) {
      continue;
    }
    of[node] = best;
    for (const { starts, ends } of lists) {
      for (let i = starts[node]!, end = starts[node + 1]!; i < end; i++) {
        const each = ends[i]!;
        if (waits[each] === 0 && of[each] !== best) {
          waits[each] = 1;
          waiting[(first + left) % nodes] = each;
          left++;
        }
      }
    }
  }
  return numbered(of);
}

/** Without gaps, in the order of their first nodes. */
function numbered(of: Uint32Array): { of: Uint32Array; count: number } {
  const numbers = new Int32Array(of.length).fill(-1);
  let count = 0;
  const result = of.map((group) => {
    if (numbers[group] === -1) {
      numbers[group] = count++;
    }
    return numbers[group]!;
  });
  return { of: result, count };
}

function communitiesAsNodes({ lists, twiceInner }: Level, of: Uint32Array, count: number): Level {
  const { starts: from, members } = membersOf(of, count);
  const inner = new Float64Array(count);
  const toward = new Float64Array(count);
  const near = new Uint32Array(count);
  const starts = new Uint32Array(count + 1);
  /** Gathers what a community is joined with, in ascending order. */
  const gather = (group: number): Uint32Array => {
    let found = 0;
    for (let m = from[group]!; m < from[group + 1]!; m++) {
      const node = members[m]!;
      for (const list of lists) {
        for (let i = list.starts[node]!, end = list.starts[node + 1]!; i < end; i++) {
          const to = of[list.ends[i]!]!;
          if (toward[to] === 0) {
            near[found++] = to;
          }
          toward[to]! += list.weights[i]!;
        }
      }
    }
    return near.subarray(0, found).sort();
  };
  for (let group = 0; group < count; group++) {
    for (const to of gather(group)) {
      starts[group + 1]! += to === group ? 0 : 1;
      toward[to] = 0;
    }
  }
  sumUp(starts);
  const ends = new Uint32Array(starts[count]!);
  const weights = new Float64Array(ends.length);
  let next = 0;
  for (let group = 0; group < count; group++) {
    for (const to of gather(group)) {
      if (to === group) {
        inner[group]! += toward[to]!;
      } else {
        ends[next] = to;
        weights[next++] = toward[to]!;
      }
      toward[to] = 0;
    }
  }
  of.forEach((group, node) => {
    inner[group]! += twiceInner?.[node] ?? 0;
  });
  const folded: Weighted[] = [{ starts, ends, weights }];
  return { lists: folded, twiceInner: inner, strength: strengthOf(folded, inner) };
}

/** Of a level on which every node is a community. */
function modularityOf({ twiceInner, strength }: Level, total: number): number {
  return strength.reduce((sum, each, node) => sum + (twiceInner?.[node] ?? 0) / total - (each / total) ** 2, 0);
}
