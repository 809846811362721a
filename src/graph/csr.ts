/**
 * A directed graph as lists of neighbours that stand one after the other: those of node v from `starts[v]` to `starts[v + 1]`. Eight bytes an
 * edge; an object for each edge would take a hundred.
 */
export interface Csr {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** How many links an edge stands for. */
  readonly weights: Uint32Array;
}

/** Neighbours of one node at a time, to be read over as often as it takes. Nodes may come in any order, each once. */
export type Rows = () => Iterable<{ node: number; ends: Uint32Array }>;

/**
 * Links become edges: several links from one node to another are one edge of that weight, and a link of a node to itself is none. Read twice,
 * so that nothing has to grow.
 *
 * @param indexOf what an end is called here; less than 0 where it is no node
 */
export function csrOf(nodes: number, rows: Rows, indexOf: (end: number) => number): Csr {
  const once = new Once(nodes);
  const starts = new Uint32Array(nodes + 1);
  for (const { node, ends } of rows()) {
    once.begin();
    let count = 0;
    for (const end of ends) {
      const to = indexOf(end);
      if (to >= 0 && to !== node && once.isNew(to)) {
        count++;
      }
    }
    starts[node + 1] = count;
  }
  sumUp(starts);
  const edges = starts[nodes]!;
  const out: Csr = { starts, ends: new Uint32Array(edges), weights: new Uint32Array(edges) };
  const place = new Uint32Array(nodes);
  for (const { node, ends } of rows()) {
    once.begin();
    let next = starts[node]!;
    for (const end of ends) {
      const to = indexOf(end);
      if (to < 0 || to === node) {
        continue;
      }
      if (once.isNew(to)) {
        place[to] = next;
        out.ends[next++] = to;
      }
      out.weights[place[to]!]!++;
    }
  }
  return out;
}

/** Tells what has come before since `begin`, without forgetting one by one. */
class Once {
  readonly #marks: Uint32Array;
  #mark = 0;

  constructor(nodes: number) {
    this.#marks = new Uint32Array(nodes);
  }

  begin(): void {
    this.#mark++;
  }

  isNew(node: number): boolean {
    const isNew = this.#marks[node] !== this.#mark;
    this.#marks[node] = this.#mark;
    return isNew;
  }
}

/** Counts at `starts[v + 1]` become places. */
export function sumUp(starts: Uint32Array): void {
  for (let i = 1; i < starts.length; i++) {
    starts[i]! += starts[i - 1]!;
  }
}

/** The same edges by where they lead. The neighbours of each node stand in ascending order. */
export function reversed({ starts, ends, weights }: Csr, into?: Csr): Csr {
  const nodes = starts.length - 1;
  const back: Csr = into ?? {
    starts: new Uint32Array(nodes + 1),
    ends: new Uint32Array(ends.length),
    weights: new Uint32Array(ends.length),
  };
  back.starts.fill(0);
  for (const end of ends) {
    back.starts[end + 1]!++;
  }
  sumUp(back.starts);
  const next = back.starts.slice(0, nodes);
  for (let node = 0; node < nodes; node++) {
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      const place = next[ends[i]!]!++;
      back.ends[place] = node;
      back.weights[place] = weights[i]!;
    }
  }
  return back;
}

/** Both directions of a graph, each with its neighbours in ascending order. */
export interface Edges {
  readonly out: Csr;
  readonly into: Csr;
}

export function bothWays(out: Csr): Edges {
  const into = reversed(out);
  // Reversed once more, and in place: so the neighbours of `out` are in order, too.
  return { out: reversed(into, out), into };
}

/** Nodes by group, in ascending order: those of group g from `starts[g]` to `starts[g + 1]`. */
export function membersOf(groupOf: Uint32Array, groups: number): { starts: Uint32Array; members: Uint32Array } {
  const starts = new Uint32Array(groups + 1);
  for (const group of groupOf) {
    starts[group + 1]!++;
  }
  sumUp(starts);
  const next = starts.slice(0, groups);
  const members = new Uint32Array(groupOf.length);
  for (let node = 0; node < groupOf.length; node++) {
    members[next[groupOf[node]!]!++] = node;
  }
  return { starts, members };
}

/** Groups as nodes. Links between two groups are one edge with the sum of their weights; links within a group are counted beside. */
export function folded(out: Csr, groupOf: Uint32Array, groups: number): { out: Csr; inner: Float64Array } {
  const { starts: from, members } = membersOf(groupOf, groups);
  const inner = new Float64Array(groups);
  const marks = new Uint32Array(groups);
  const place = new Uint32Array(groups);
  const starts = new Uint32Array(groups + 1);
  const over = (group: number, take: (to: number, weight: number) => void): void => {
    for (let m = from[group]!; m < from[group + 1]!; m++) {
      const node = members[m]!;
      for (let i = out.starts[node]!; i < out.starts[node + 1]!; i++) {
        take(groupOf[out.ends[i]!]!, out.weights[i]!);
      }
    }
  };
  for (let group = 0; group < groups; group++) {
    over(group, (to, weight) => {
      if (to === group) {
        inner[group]! += weight;
      } else if (marks[to] !== group + 1) {
        marks[to] = group + 1;
        starts[group + 1]!++;
      }
    });
  }
  sumUp(starts);
  const edges = starts[groups]!;
  const fold: Csr = { starts, ends: new Uint32Array(edges), weights: new Uint32Array(edges) };
  marks.fill(0);
  for (let group = 0; group < groups; group++) {
    let next = starts[group]!;
    over(group, (to, weight) => {
      if (to === group) {
        return;
      }
      if (marks[to] !== group + 1) {
        marks[to] = group + 1;
        place[to] = next;
        fold.ends[next++] = to;
      }
      fold.weights[place[to]!]! += weight;
    });
  }
  return { out: fold, inner };
}
