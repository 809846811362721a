import type { GraphLevel } from '../config/option-spec.js';
import type { GraphNode } from '../store/graph-reader.js';
import type { Reader } from '../store/reader.js';
import { folderOf, hostnameOf, originOf } from '../url/host.js';
import { bothWays, type Csr, csrOf, type Edges, folded } from './csr.js';
import { clickDepth } from './measures.js';
import { TextTable } from './text-table.js';

export const STATES = ['done', 'failed', 'skipped', 'deferred', 'outside'] as const;
export type NodeState = (typeof STATES)[number];

/** What is known of each page, by its number. Pages are numbered in the order of their URLs. */
export interface PageFacts {
  readonly urls: TextTable;
  /** Empty where there is none. */
  readonly titles: TextTable;
  /** Places in STATES. */
  readonly states: Uint8Array;
  /** 0 where nothing answered. */
  readonly statuses: Uint16Array;
  /** Bits of NodeMark. */
  readonly marks: Uint8Array;
}

const NodeMark = { start: 1, redirect: 2, read: 4 } as const;

/** A graph of pages, folders or hosts. */
export interface LinkGraph {
  readonly level: GraphLevel;
  readonly nodes: number;
  readonly edges: Edges;
  /** A URL, the URL of a folder, or a host with its port. */
  nameOf(node: number): string;
  /** Clicks from a start to the node, or to the nearest page in it; -1 where there is no way. */
  readonly depths: Int32Array;
  /** It is a start, or has one in it. */
  isStart(node: number): boolean;
  /** Pages that it stands for. */
  readonly pages: Uint32Array;
  /** Links within it, from one of its pages to another. */
  readonly inner: Float64Array;
  /** Of pages alone. */
  readonly facts: PageFacts | null;
  /** Whether its links are known: a page that was read, or what has one in it. */
  isRead(node: number): boolean;
}

/** The link graph of a crawl, as it is at this moment. */
export function readLinkGraph(reader: Reader, level: GraphLevel, withOutside: boolean): LinkGraph {
  const pages = reader.graph.atOneMoment(() => pageGraph(reader, withOutside));
  return level === 'page' ? pages : groupedGraph(pages, level);
}

function pageGraph({ graph }: Reader, withOutside: boolean): LinkGraph {
  const most = graph.nodeCount(withOutside);
  const facts = {
    urls: new TextTable(most),
    titles: new TextTable(most),
    states: new Uint8Array(most),
    statuses: new Uint16Array(most),
    marks: new Uint8Array(most),
  };
  const ids = graph.largestId() + 1;
  const places = new Int32Array(ids).fill(-1);
  const isLinked = withOutside ? linkedIds(graph.links(), ids) : null;
  let nodes = 0;
  for (const node of graph.nodes(withOutside)) {
    // Images and style sheets are known as well, and no reader gets there.
    if (node.state === 'outside' && isLinked?.[node.id] !== 1) {
      continue;
    }
    places[node.id] = nodes;
    facts.urls.add(node.url);
    facts.titles.add(node.title ?? '');
    facts.states[nodes] = STATES.indexOf(node.state);
    facts.statuses[nodes] = node.status ?? 0;
    facts.marks[nodes] = marksOf(node);
    nodes++;
  }
  const out = csrOf(
    nodes,
    () => rowsOf(graph.links(), places),
    (id) => places[id] ?? -1,
  );
  const edges = bothWays(out);
  const has = (node: number, mark: number): boolean => (facts.marks[node]! & mark) !== 0;
  const isStart = (node: number): boolean => has(node, NodeMark.start);
  return {
    level: 'page',
    nodes,
    edges,
    nameOf: (node) => facts.urls.at(node),
    depths: clickDepth(edges.out, isStart, (node) => has(node, NodeMark.redirect)),
    isStart,
    pages: new Uint32Array(nodes).fill(1),
    inner: new Float64Array(nodes),
    facts,
    isRead: (node) => has(node, NodeMark.read),
  };
}

function linkedIds(links: Iterable<{ targets: Uint32Array }>, ids: number): Uint8Array {
  const isLinked = new Uint8Array(ids);
  for (const { targets } of links) {
    for (const target of targets) {
      isLinked[target] = 1;
    }
  }
  return isLinked;
}

const marksOf = ({ isStart, isRedirect, isRead }: GraphNode): number =>
  (isStart ? NodeMark.start : 0) | (isRedirect ? NodeMark.redirect : 0) | (isRead ? NodeMark.read : 0);

function* rowsOf(
  links: Iterable<{ page: number; targets: Uint32Array }>,
  places: Int32Array,
): Iterable<{ node: number; ends: Uint32Array }> {
  for (const { page, targets } of links) {
    const node = places[page] ?? -1;
    if (node >= 0) {
      yield { node, ends: targets };
    }
  }
}

/** Pages become nodes of what they stand in: their folder or their host. */
function groupedGraph(pages: LinkGraph, level: 'folder' | 'host'): LinkGraph {
  const { names, groupOf } = groupsOf(pages, level === 'host' ? hostOf : folderOf);
  const { out, inner } = folded(pages.edges.out, groupOf, names.length);
  const sizes = new Uint32Array(names.length);
  const depths = new Int32Array(names.length).fill(-1);
  const isStart = new Uint8Array(names.length);
  const isRead = new Uint8Array(names.length);
  groupOf.forEach((group, page) => {
    sizes[group]!++;
    const depth = pages.depths[page]!;
    if (depth >= 0 && (depths[group] === -1 || depth < depths[group]!)) {
      depths[group] = depth;
    }
    isStart[group]! |= pages.isStart(page) ? 1 : 0;
    isRead[group]! |= pages.isRead(page) ? 1 : 0;
  });
  return {
    level,
    nodes: names.length,
    edges: bothWays(out),
    nameOf: (node) => names[node]!,
    depths,
    isStart: (node) => isStart[node] === 1,
    pages: sizes,
    inner,
    facts: null,
    isRead: (node) => isRead[node] === 1,
  };
}

/** Host and port as they stand in the URL; a key of a custom fetcher has neither. */
const hostOf = (url: string): string => originOf(url).replace(/^https?:\/\//, '') || hostnameOf(url);

/** Groups in alphabetical order, and the group of each page. */
export function groupsOf(
  { nodes, nameOf }: LinkGraph,
  keyOf: (url: string) => string,
): { names: string[]; groupOf: Uint32Array } {
  const numbers = new Map<string, number>();
  const found = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const key = keyOf(nameOf(node));
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    found[node] = number;
  }
  const names = [...numbers.keys()].sort(byBytes);
  const places = new Uint32Array(names.length);
  names.forEach((name, place) => {
    places[numbers.get(name)!] = place;
  });
  return { names, groupOf: found.map((number) => places[number]!) };
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Weights of all edges of each node together. */
export function linkSums({ starts, weights }: Csr): Float64Array {
  const sums = new Float64Array(starts.length - 1);
  for (let node = 0; node < sums.length; node++) {
    for (let i = starts[node]!; i < starts[node + 1]!; i++) {
      sums[node]! += weights[i]!;
    }
  }
  return sums;
}
