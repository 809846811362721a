import { counted } from '../base/figures.js';
import { bothWays, type Edges, folded } from './csr.js';
import { degreeOf, type MeasuredGraph } from './measured-graph.js';
import { type Chosen, chooseLeaves, foldersOf, prunedFolders } from './picture-leaves.js';
import { placesOf, telling } from './picture-places.js';
import { LeafMark, type Leaves, type Picture } from './picture-shape.js';
import type { Tree } from './tree.js';

const LONGEST_LABEL = 80;

export interface PictureBounds {
  readonly leaves: number;
  readonly edges: number;
}

export function pictureOf(graph: MeasuredGraph, bounds: PictureBounds): Picture {
  const folders = foldersOf(graph);
  const leaves = chooseLeaves(graph, folders, bounds.leaves);
  const tree = prunedFolders(folders, leaves.leaves);
  const edges = bothWays(folded(graph.edges.out, leaves.of, leaves.leaves.length).out);
  const facts = leafFacts(graph, leaves, tree, edges);
  const drawn = telling(edges, bounds.edges);
  const places = placesOf(tree, edges, facts);
  const all = edges.out.ends.length;
  return {
    ...siteOf(graph),
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
    branches: { names: tree.names, parents: Array.from(tree.parents).slice(0, tree.branches) },
    leaves: { ...facts, ...places },
    drawn,
  };
}

/** The first start. */
function siteOf(graph: MeasuredGraph): Pick<Picture, 'site' | 'title'> {
  let start = 0;
  while (start < graph.nodes - 1 && !graph.isStart(start)) {
    start++;
  }
  return graph.nodes === 0
    ? { site: '', title: '' }
    : { site: graph.nameOf(start), title: graph.facts?.titles.at(start) ?? '' };
}

type Facts = Omit<Leaves, 'x' | 'y'>;

function leafFacts(graph: MeasuredGraph, { leaves, of }: Chosen, tree: Tree, { out, into }: Edges): Facts {
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
    parents: Array.from(tree.parents).slice(tree.branches),
    labels: names.map((name) => shortName(name)),
    names,
    titles: withoutCommonEnd(leaves.map(({ node }) => (node === null ? '' : (graph.facts?.titles.at(node) ?? '')))).map(
      shortened,
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
  return shortened(`${last}${rest}`);
}

const shortened = (text: string): string =>
  text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;

/** Titles of a site often end with its name: what most of them have behind a dash or a bar is left out. */
export function withoutCommonEnd(titles: readonly string[]): string[] {
  const ends = new Map<string, number>();
  for (const title of titles) {
    const end = /\s+[—–|·:-]\s+[^—–|·]+$/.exec(title)?.[0];
    if (end !== undefined) {
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  }
  const [common, times] = [...ends].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
  return times * 2 <= titles.length
    ? [...titles]
    : titles.map((title) => (title.endsWith(common) ? title.slice(0, -common.length) : title));
}
