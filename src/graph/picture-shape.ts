import type { GraphLevel } from '../config/option-spec.js';

/**
 * A graph as it is drawn: leaves with places, in a tree of folders, and edges between leaves. Plain arrays, because it travels as JSON. A leaf is
 * a node of the graph, or stands for several that are not drawn apart.
 */
export interface Picture {
  /** What it is of: a URL, folder or host, and the title of the page; '' where it has none. */
  readonly site: string;
  readonly title: string;
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

/** Colours of the ten largest communities: as far apart as ten can be, also for those who see fewer. */
export const COLORS = [
  ...['#3b78c3', '#e07b28', '#3f9b56', '#c44e52', '#8566b8'],
  ...['#0f9aa7', '#b5902f', '#d0629f', '#6d8b3c', '#8c6d5a'],
] as const;
/** All other communities share it. */
export const REST_COLOR = '#8a949e';

export const colorOf = (community: number): string => COLORS[community - 1] ?? REST_COLOR;

/** What a browser can hold and still answer at once. */
export const PAGE_BOUNDS = { leaves: 20_000, edges: 60_000 } as const;
