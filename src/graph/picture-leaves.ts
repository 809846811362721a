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
  // A key of a custom fetcher may be nothing but slashes.
  return parent.length >= folder.length || /^https?:\/\/$/.test(parent) ? '' : parent;
}

export interface ChosenLeaf {
  readonly branch: number;
  /** The node that it is; null if it stands for several. */
  readonly node: number | null;
  /** Of several: what they are. */
  readonly label: string;
}

export interface Chosen {
  readonly leaves: ChosenLeaf[];
  /** The leaf of each node. */
  readonly of: Uint32Array;
}

/**
 * The folders that count for most are opened for as long as there is room. One that is too large for it, or the root, shows the best of what stands
 * in it, and one leaf for the rest.
 */
export function chooseLeaves(graph: MeasuredGraph, folders: Folders, most: number): Chosen {
  const inside = insideOf(graph, folders);
  const open = openedWithin(inside, folders.parents, most);
  const of = new Uint32Array(graph.nodes);
  const leaves: ChosenLeaf[] = [];
  const shared = new Map<string, number>();
  /** The leaf of several nodes: made when the first of them comes. */
  const sharedLeaf = (key: string, leaf: () => ChosenLeaf): number => {
    const place = shared.get(key) ?? leaves.push(leaf()) - 1;
    shared.set(key, place);
    return place;
  };
  const nameOf = (branch: number): string => folders.names[branch]!;
  const restOf = (branch: number): number =>
    sharedLeaf(`rest ${branch}`, () => ({ branch, node: null, label: `${nameOf(branch)} (and more)`.trim() }));
  for (let branch = 0; branch < folders.names.length; branch++) {
    const closed = outermostClosed(branch, folders.parents, open);
    const around = closed === null ? -1 : folders.parents[closed]!;
    for (const node of inside.pages[branch]!) {
      if (closed === null) {
        of[node] = open.get(branch)!.has(pageKey(node)) ? leaves.push({ branch, node, label: '' }) - 1 : restOf(branch);
      } else if (open.get(around)!.has(closed)) {
        of[node] = sharedLeaf(`folder ${closed}`, () => ({ branch: around, node: null, label: nameOf(closed) }));
      } else {
        of[node] = restOf(around);
      }
    }
  }
  return { leaves, of };
}

/** A page among folders, which are numbered from 1. */
const pageKey = (node: number): number => -1 - node;

interface Inside {
  /** Of each folder, its own pages. */
  readonly pages: number[][];
  /** Of each folder, the folders and pages in it. */
  readonly count: Uint32Array;
  /** What a folder counts for, with all that stands in it. */
  readonly worth: Float64Array;
  /** The best of what stands in a folder, as keys. */
  best(branch: number, most: number): number[];
}

function insideOf(graph: MeasuredGraph, { names, parents, of }: Folders): Inside {
  const worth = new Float64Array(names.length);
  const pages: number[][] = names.map(() => []);
  const folders: number[][] = names.map(() => []);
  const count = new Uint32Array(names.length);
  for (let node = 0; node < graph.nodes; node++) {
    worth[of[node]!]! += graph.rank[node]!;
    pages[of[node]!]!.push(node);
    count[of[node]!]!++;
  }
  for (let branch = names.length - 1; branch > 0; branch--) {
    worth[parents[branch]!]! += worth[branch]!;
    folders[parents[branch]!]!.push(branch);
    count[parents[branch]!]!++;
  }
  const worthOf = (key: number): number => (key < 0 ? graph.rank[-1 - key]! : worth[key]!);
  const best = (branch: number, most: number): number[] =>
    [...folders[branch]!, ...pages[branch]!.map(pageKey)]
      .sort((a, b) => worthOf(b) - worthOf(a) || b - a)
      .slice(0, most);
  return { pages, count, worth, best };
}

/** Open folders, each with what is seen of it apart. */
function openedWithin(inside: Inside, parents: readonly number[], most: number): Map<number, ReadonlySet<number>> {
  const open = new Map<number, ReadonlySet<number>>();
  let seen = 1;
  for (const branch of inOpeningOrder(parents.length, inside.worth)) {
    if (branch !== 0 && open.get(parents[branch]!)?.has(branch) !== true) {
      continue;
    }
    const room = most - seen + 1;
    const wanted = inside.count[branch]!;
    // One place is for the rest of it.
    const part = Math.min(room - 1, branch === 0 ? most - 1 : Math.floor(most * SHARE_OF_A_FOLDER));
    if (wanted <= room) {
      open.set(branch, new Set(inside.best(branch, wanted)));
      seen += wanted - 1;
    } else if (branch === 0 || (part > 0 && wanted > most * SHARE_OF_A_FOLDER)) {
      open.set(branch, new Set(inside.best(branch, part)));
      seen += part;
    }
  }
  return open;
}

/** Of a branch and those around it; null where all of them are open. */
function outermostClosed(
  branch: number,
  parents: readonly number[],
  open: ReadonlyMap<number, unknown>,
): number | null {
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
