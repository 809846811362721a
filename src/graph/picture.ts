import { counted } from '../base/figures.js';
import type { GraphLevel } from '../config/option-spec.js';
import { folderOf } from '../url/host.js';
import { bothWays, type Edges, folded } from './csr.js';
import { layOut } from './layout.js';
import { degreeOf, type MeasuredGraph } from './measured-graph.js';
import { inOpeningOrder, type Tree } from './tree.js';

/** Of a folder that does not fit as a whole, so much of the room is for its best pages. */
const SHARE_OF_A_FOLDER = 0.25;
const LONGEST_LABEL = 80;

/**
 * A graph as it is drawn: leaves with places, in a tree of folders, and edges between leaves. Plain arrays, because it travels as JSON. A leaf is
 * a node of the graph, or stands for several that are not drawn apart.
 */
export interface Picture {
  /** What it is of. */
  readonly site: string;
  readonly level: GraphLevel;
  readonly nodes: number;
  readonly edges: number;
  readonly links: number;
  /** What is not drawn, in sentences. */
  readonly notes: readonly string[];
  /** Folders, the root first; see Tree. */
  readonly branches: { readonly names: readonly string[]; readonly parents: readonly number[] };
  readonly leaves: Leaves;
  readonly drawn: {
    readonly from: readonly number[];
    readonly to: readonly number[];
    readonly weight: readonly number[];
  };
}

/** By leaf. */
export interface Leaves {
  readonly parents: readonly number[];
  readonly labels: readonly string[];
  readonly names: readonly string[];
  readonly titles: readonly string[];
  /** Nodes of the graph that it stands for. */
  readonly sizes: readonly number[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly rank: readonly number[];
  /** -1 where no click leads there. */
  readonly depths: readonly number[];
  readonly inDegrees: readonly number[];
  readonly outDegrees: readonly number[];
  readonly communities: readonly number[];
  /** Bits of LeafMark. */
  readonly marks: readonly number[];
}

export const LeafMark = { orphan: 1, deadEnd: 2, broken: 4, folded: 8 } as const;

export interface PictureBounds {
  readonly leaves: number;
  readonly edges: number;
}

export function pictureOf(graph: MeasuredGraph, bounds: PictureBounds): Picture {
  const folders = foldersOf(graph);
  const leaves = chooseLeaves(graph, folders, bounds.leaves);
  const edges = bothWays(folded(graph.edges.out, leaves.of, leaves.leaves.length).out);
  const facts = leafFacts(graph, leaves, edges);
  const drawn = telling(edges, bounds.edges);
  const tree = {
    branches: folders.names.length,
    parents: [...folders.parents, ...leaves.leaves.map(({ branch }) => branch)],
  };
  const places = placesOf(tree, edges, facts);
  const all = edges.out.ends.length;
  return {
    site: siteOf(graph),
    level: graph.level,
    nodes: graph.nodes,
    edges: graph.edges.out.ends.length,
    links: graph.outLinks.reduce((sum, each) => sum + each, 0),
    notes: [
      ...(leaves.leaves.length === graph.nodes
        ? []
        : [
            `The ${counted(graph.nodes, graph.level)} are drawn as ${counted(leaves.leaves.length, 'node')}: a folder whose pages are not drawn apart stands for them.`,
          ]),
      ...(drawn.from.length === all
        ? []
        : [
            `Of ${counted(all, 'edge')} the ${counted(drawn.from.length, 'most telling one is', 'most telling ones are')} drawn: links from few pages, or to few.`,
          ]),
    ],
    branches: { names: folders.names, parents: [...folders.parents] },
    leaves: { ...facts, ...places },
    drawn,
  };
}

/** The first start, or the node that all lead to. */
function siteOf(graph: MeasuredGraph): string {
  for (let node = 0; node < graph.nodes; node++) {
    if (graph.isStart(node)) {
      return graph.nameOf(node);
    }
  }
  return graph.nodes === 0 ? '' : graph.nameOf(0);
}

/** Folders as a tree, in alphabetical order behind the root; a folder that has one folder in it and nothing else is one with that. */
interface Folders {
  readonly names: string[];
  readonly parents: number[];
  /** Of each node. */
  readonly of: Uint32Array;
}

function foldersOf(graph: MeasuredGraph): Folders {
  const upward = graph.level === 'host' ? () => '' : graph.level === 'folder' ? parentFolder : folderOf;
  const own = new Map<string, number>();
  const keys: string[] = [];
  for (let node = 0; node < graph.nodes; node++) {
    const key = upward(graph.nameOf(node));
    keys.push(key);
    own.set(key, (own.get(key) ?? 0) + 1);
  }
  const branches = new Map<string, number>();
  for (const key of own.keys()) {
    for (let folder = key; folder !== '' && !branches.has(folder); folder = parentFolder(folder)) {
      branches.set(folder, 0);
    }
  }
  for (const folder of branches.keys()) {
    const parent = parentFolder(folder);
    branches.set(parent, (branches.get(parent) ?? 0) + 1);
  }
  branches.delete('');
  const names = [...branches.keys()].filter((name) => own.has(name) || branches.get(name)! > 1).sort();
  const numbers = new Map(names.map((name, place) => [name, place + 1]));
  const numberOf = (folder: string): number => {
    let at = folder;
    while (at !== '' && !numbers.has(at)) {
      at = parentFolder(at);
    }
    return numbers.get(at) ?? 0;
  };
  return {
    names: ['', ...names],
    parents: [-1, ...names.map((name) => numberOf(parentFolder(name)))],
    of: Uint32Array.from(keys, numberOf),
  };
}

/** Of a folder; the host is the last one, and stands in ''. */
function parentFolder(folder: string): string {
  const parent = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  return /^https?:\/\/$/.test(parent) ? '' : parent;
}

interface ChosenLeaf {
  readonly branch: number;
  /** The node that it is; null where it stands for several. */
  readonly node: number | null;
  /** Of several: what they are. */
  readonly label: string;
}

interface Chosen {
  readonly leaves: ChosenLeaf[];
  /** The leaf of each node. */
  readonly of: Uint32Array;
}

/** The folders that count for most are opened for as long as there is room; one that is too large for it shows its best pages. */
function chooseLeaves(graph: MeasuredGraph, folders: Folders, most: number): Chosen {
  const branches = folders.names.length;
  const worth = new Float64Array(branches);
  const pages: number[][] = folders.names.map(() => []);
  const folderCount = new Uint32Array(branches);
  for (let node = 0; node < graph.nodes; node++) {
    worth[folders.of[node]!]! += graph.rank[node]!;
    pages[folders.of[node]!]!.push(node);
  }
  for (let branch = branches - 1; branch > 0; branch--) {
    worth[folders.parents[branch]!]! += worth[branch]!;
    folderCount[folders.parents[branch]!]!++;
  }
  /** How many pages of an open branch are leaves of their own. */
  const shown = new Map<number, number>();
  let seen = 1;
  for (const branch of inOpeningOrder(branches, worth)) {
    const isReachable = branch === 0 || shown.has(folders.parents[branch]!);
    const [room, wanted] = [most - seen + 1 - folderCount[branch]!, pages[branch]!.length];
    const part = Math.min(room - 1, Math.floor(most * SHARE_OF_A_FOLDER));
    if (isReachable && wanted <= room) {
      shown.set(branch, wanted);
      seen += folderCount[branch]! + wanted - 1;
    } else if (isReachable && (branch === 0 || (part > 0 && wanted > part))) {
      shown.set(branch, Math.max(0, part));
      seen += folderCount[branch]! + Math.max(0, part);
    }
  }
  const of = new Uint32Array(graph.nodes);
  const leaves: ChosenLeaf[] = [];
  const closedLeaf = new Map<number, number>();
  for (let branch = 0; branch < branches; branch++) {
    const open = openAncestor(branch, folders.parents, shown);
    if (open !== branch) {
      const top = open === null ? branch : open;
      const leaf =
        closedLeaf.get(top) ??
        leaves.push({ branch: folders.parents[top]!, node: null, label: folders.names[top]! }) - 1;
      closedLeaf.set(top, leaf);
      for (const node of pages[branch]!) {
        of[node] = leaf;
      }
      continue;
    }
    const byRank = [...pages[branch]!].sort((a, b) => graph.rank[b]! - graph.rank[a]! || a - b);
    const apart = new Set(byRank.slice(0, shown.get(branch)));
    const rest = pages[branch]!.length - apart.size;
    let others = -1;
    for (const node of pages[branch]!) {
      if (apart.has(node)) {
        of[node] = leaves.push({ branch, node, label: '' }) - 1;
      } else {
        others =
          others === -1
            ? leaves.push({ branch, node: null, label: `${folders.names[branch]} (${counted(rest, 'more page')})` }) - 1
            : others;
        of[node] = others;
      }
    }
  }
  return { leaves, of };
}

/** The branch itself where it is open; else the outermost one around it that is closed. */
function openAncestor(branch: number, parents: readonly number[], open: ReadonlyMap<number, number>): number | null {
  let top: number | null = null;
  for (let at = branch; at > 0; at = parents[at]!) {
    if (!open.has(at)) {
      top = at;
    }
  }
  return top ?? branch;
}

type Facts = Omit<Leaves, 'x' | 'y'>;

function leafFacts(graph: MeasuredGraph, { leaves, of }: Chosen, { out, into }: Edges): Facts {
  const count = leaves.length;
  const sizes = new Array<number>(count).fill(0);
  const rank = new Array<number>(count).fill(0);
  const depths = new Array<number>(count).fill(-1);
  const heads = new Array<number>(count).fill(-1);
  for (let node = 0; node < graph.nodes; node++) {
    const leaf = of[node]!;
    sizes[leaf]!++;
    rank[leaf]! += graph.rank[node]!;
    const depth = graph.depths[node]!;
    depths[leaf] = depth === -1 ? depths[leaf]! : depths[leaf] === -1 ? depth : Math.min(depth, depths[leaf]!);
    if (heads[leaf] === -1 || graph.rank[node]! > graph.rank[heads[leaf]!]!) {
      heads[leaf] = node;
    }
  }
  const names = leaves.map(({ node, label }) => (node === null ? label : graph.nameOf(node)));
  return {
    parents: leaves.map(({ branch }) => branch),
    labels: names.map((name) => shortName(name)),
    names,
    titles: leaves.map(({ node }) =>
      (node === null ? '' : (graph.facts?.titles.at(node) ?? '')).slice(0, LONGEST_LABEL),
    ),
    sizes,
    rank: rank.map((each) => Number(each.toPrecision(6))),
    depths,
    inDegrees: leaves.map((_, leaf) => degreeOf(into.starts, leaf)),
    outDegrees: leaves.map((_, leaf) => degreeOf(out.starts, leaf)),
    communities: heads.map((head) => graph.community[head]!),
    marks: leaves.map(({ node }) => marksOf(graph, node)),
  };
}

function marksOf(graph: MeasuredGraph, node: number | null): number {
  if (node === null) {
    return LeafMark.folded;
  }
  const isBroken = graph.facts !== null && graph.facts.states[node] === 1;
  return (
    (graph.isOrphan(node) ? LeafMark.orphan : 0) |
    (graph.isDeadEnd(node) ? LeafMark.deadEnd : 0) |
    (isBroken ? LeafMark.broken : 0)
  );
}

/** The last part of a URL, or its host. */
export function shortName(name: string): string {
  const [bare = ''] = name.replace(/^https?:\/\//, '').split(/[?#]/, 1);
  const rest = name.replace(/^https?:\/\//, '').slice(bare.length);
  const slash = bare.lastIndexOf('/', bare.length - 2);
  const last = slash < 0 ? bare.replace(/\/$/, '') : bare.slice(slash + 1);
  const text = `${last}${rest}`;
  return text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;
}

/**
 * Of very many edges those that say most: links of pages that have few, to pages that are linked from few. What every page links to is told by
 * the size of its node.
 */
export function telling({ out, into }: Edges, most: number): Picture['drawn'] {
  const { starts, ends, weights } = out;
  const scores = new Float32Array(ends.length);
  const nodes = starts.length - 1;
  for (let node = 0; node < nodes; node++) {
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      scores[i] = 1 / (degreeOf(out.starts, node) * degreeOf(into.starts, ends[i]!));
    }
  }
  const least = ends.length <= most ? 0 : scores.slice().sort()[ends.length - most]!;
  let equal = most;
  for (const score of scores) {
    equal -= score > least ? 1 : 0;
  }
  const drawn = { from: [] as number[], to: [] as number[], weight: [] as number[] };
  for (let node = 0; node < nodes; node++) {
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      if (scores[i]! > least || (scores[i] === least && equal-- > 0)) {
        drawn.from.push(node);
        drawn.to.push(ends[i]!);
        drawn.weight.push(weights[i]!);
      }
    }
  }
  return drawn;
}

/** So many edges for each leaf tell where it belongs; more would only draw everything to the middle. */
const SPRINGS_A_LEAF = 5;

/** Leaves by their links, and those of a folder near each other. Branches are laid out as well, for what hangs on them, and then forgotten. */
function placesOf({ branches, parents }: Tree, edges: Edges, facts: Facts): { x: number[]; y: number[] } {
  const count = facts.names.length;
  const nodes = branches + count;
  const links = telling(edges, count * SPRINGS_A_LEAF);
  const degrees = new Uint32Array(count);
  links.from.forEach((from, i) => {
    degrees[from]!++;
    degrees[links.to[i]!]!++;
  });
  const below = new Float64Array(branches);
  const children = new Float64Array(branches);
  for (let each = nodes - 1; each > 0; each--) {
    below[parents[each]!]! += each < branches ? below[each]! : 1;
    children[parents[each]!]!++;
  }
  const held = Array.from({ length: nodes - 1 }, (_, i) => i + 1).filter((each) => parents[each]! > 0);
  const springs = links.from.length + held.length;
  const from = new Uint32Array(springs);
  const to = new Uint32Array(springs);
  const strength = new Float64Array(springs);
  const length = new Float64Array(springs);
  links.from.forEach((leaf, i) => {
    const other = links.to[i]!;
    from[i] = branches + leaf;
    to[i] = branches + other;
    strength[i] = 0.7 / Math.min(degrees[leaf]!, degrees[other]!);
    length[i] = 18;
  });
  held.forEach((each, i) => {
    const parent = parents[each]!;
    const at = links.from.length + i;
    from[at] = parent;
    to[at] = each;
    // What holds everything together holds nothing apart.
    strength[at] = 0.35 * (1 - below[parent]! / count);
    length[at] = 8 + 3 * Math.sqrt(children[parent]!);
  });
  const push = new Float64Array(nodes).fill(1);
  push.fill(0.2, 0, branches);
  push[0] = 1e-6;
  const leaves = Array.from({ length: count }, (_, leaf) => leaf).sort(
    (a, b) => facts.communities[a]! - facts.communities[b]! || facts.parents[a]! - facts.parents[b]! || a - b,
  );
  const order = Uint32Array.from([
    ...leaves.map((leaf) => branches + leaf),
    ...Array.from({ length: branches }, (_, i) => i),
  ]);
  const { x, y } = layOut({ nodes, from, to, strength, length, push, order });
  const rounded = (all: Float64Array): number[] =>
    Array.from(all.subarray(branches), (each) => Math.round(each * 10) / 10);
  return { x: rounded(x), y: rounded(y) };
}
