import { counted } from '../base/figures.js';
import { folderOf } from '../url/host.js';
import type { MeasuredGraph } from './measured-graph.js';
import { inOpeningOrder, type Tree } from './tree.js';

/** Of a folder that does not fit as a whole, so much of the room is for its best pages. */
const SHARE_OF_A_FOLDER = 0.25;

/** Folders as a tree, in alphabetical order behind the root; a folder that has one folder in it and nothing else is one with that. */
export interface Folders {
  readonly names: string[];
  readonly parents: number[];
  /** Of each node. */
  readonly of: Uint32Array;
}

export function foldersOf(graph: MeasuredGraph): Folders {
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

export interface ChosenLeaf {
  readonly branch: number;
  /** The node that it is; null where it stands for several. */
  readonly node: number | null;
  /** Of several: what they are. */
  readonly label: string;
}

export interface Chosen {
  readonly leaves: ChosenLeaf[];
  /** The leaf of each node. */
  readonly of: Uint32Array;
}

/** The folders that count for most are opened for as long as there is room; one that is too large for it shows its best pages. */
export function chooseLeaves(graph: MeasuredGraph, folders: Folders, most: number): Chosen {
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
    const closed = outermostClosed(branch, folders.parents, shown);
    if (closed !== null) {
      const leaf =
        closedLeaf.get(closed) ??
        leaves.push({ branch: folders.parents[closed]!, node: null, label: folders.names[closed]! }) - 1;
      closedLeaf.set(closed, leaf);
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

/** Of a branch and those around it; null where all of them are open. */
function outermostClosed(branch: number, parents: readonly number[], open: ReadonlyMap<number, number>): number | null {
  let outermost: number | null = null;
  for (let at = branch; at > 0; at = parents[at]!) {
    outermost = open.has(at) ? outermost : at;
  }
  return outermost;
}

/** Only folders that have a leaf in them. */
export function prunedFolders(
  { names, parents }: Folders,
  leaves: readonly ChosenLeaf[],
): Tree & {
  readonly names: string[];
} {
  const isNeeded = new Uint8Array(names.length);
  isNeeded[0] = 1;
  for (const { branch } of leaves) {
    for (let at = branch; at > 0 && isNeeded[at] === 0; at = parents[at]!) {
      isNeeded[at] = 1;
    }
  }
  const kept = names.flatMap((_, branch) => (isNeeded[branch] === 1 ? [branch] : []));
  const numbers = new Map(kept.map((branch, place) => [branch, place]));
  return {
    names: kept.map((branch) => names[branch]!),
    branches: kept.length,
    parents: [...kept, ...leaves].map(
      (each) => numbers.get(typeof each === 'number' ? parents[each]! : each.branch) ?? -1,
    ),
  };
}
