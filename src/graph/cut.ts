import { LeafMark, type Picture } from './picture-shape.js';
import { childrenOf, openBranches, type Tree, worthOf } from './tree.js';

/** What is seen of a picture while some folders are open and others closed: leaves of open folders, and closed folders as one node each. */
export interface Cut {
  readonly units: readonly Unit[];
  /** Places in `units`. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
}

export interface Unit {
  /** A leaf or a branch, numbered together as in Tree. */
  readonly id: number;
  readonly isFolder: boolean;
  readonly name: string;
  readonly label: string;
  readonly title: string;
  /** Pages that it stands for. */
  readonly size: number;
  readonly rank: number;
  readonly x: number;
  readonly y: number;
  readonly depth: number;
  readonly community: number;
  readonly marks: number;
  readonly inDegree: number;
  readonly outDegree: number;
}

/** A picture that is folded and opened. */
export class FoldedPicture {
  readonly picture: Picture;
  readonly #tree: Tree;
  readonly #children: number[][];
  readonly #worth: Float64Array;
  #open: Set<number>;

  /** @param most so many units are seen at first, or fewer */
  constructor(picture: Picture, most: number) {
    const { branches, leaves } = picture;
    this.picture = picture;
    this.#tree = { branches: branches.names.length, parents: [...branches.parents, ...leaves.parents] };
    this.#children = childrenOf(this.#tree);
    this.#worth = worthOf(this.#tree, (leaf) => leaves.rank[leaf]!);
    this.#open = openBranches(this.#tree, this.#children, this.#worth, most);
  }

  /** Whether there is a folder that `closeAll` would close. */
  get hasFolders(): boolean {
    return this.#outermost().size < this.#tree.branches;
  }

  get hasClosed(): boolean {
    return this.#open.size < this.#tree.branches;
  }

  /** Whether it stands in a folder that can be closed. */
  isInFolder(id: number): boolean {
    return this.#tree.parents[id]! > 0;
  }

  /** Opens a folder, and those within that have nothing else in them. */
  open(branch: number): void {
    for (let at: number | undefined = branch; at !== undefined; ) {
      this.#open.add(at);
      const [only, ...others]: number[] = this.#children[at]!;
      at = others.length === 0 && only !== undefined && only < this.#tree.branches ? only : undefined;
    }
  }

  /** Closes the folder that a unit stands in, and returns it; null if that is the root. */
  closeAround(id: number): number | null {
    const branch = this.#tree.parents[id]!;
    if (branch <= 0) {
      return null;
    }
    for (const open of [...this.#open]) {
      if (this.#isWithin(open, branch)) {
        this.#open.delete(open);
      }
    }
    return branch;
  }

  /** Closes all folders but those that stand in none; of a single one, those that stand in it. */
  closeAll(): void {
    this.#open = this.#outermost();
  }

  #outermost(): Set<number> {
    const open = new Set([0]);
    for (let at = this.#children[0]!; at.length === 1 && at[0]! < this.#tree.branches; at = this.#children[at[0]!]!) {
      open.add(at[0]!);
    }
    return open;
  }

  openAll(): void {
    this.#open = new Set(Array.from({ length: this.#tree.branches }, (_, branch) => branch));
  }

  #isWithin(branch: number, outer: number): boolean {
    let at = branch;
    while (at > outer) {
      at = this.#tree.parents[at]!;
    }
    return at === outer;
  }

  cut(): Cut {
    const { leaves, drawn } = this.picture;
    const { branches } = this.#tree;
    const unitOf = new Int32Array(leaves.names.length);
    const members = new Map<number, number[]>();
    leaves.parents.forEach((_, leaf) => {
      const id = this.#seenAs(branches + leaf);
      const others = members.get(id);
      if (others === undefined) {
        members.set(id, [leaf]);
      } else {
        others.push(leaf);
      }
    });
    const ids = [...members.keys()];
    ids.forEach((id, place) => {
      for (const leaf of members.get(id)!) {
        unitOf[leaf] = place;
      }
    });
    const weights = new Map<number, number>();
    drawn.from.forEach((from, i) => {
      const [a, b] = [unitOf[from]!, unitOf[drawn.to[i]!]!];
      if (a !== b) {
        const key = a * ids.length + b;
        weights.set(key, (weights.get(key) ?? 0) + drawn.weight[i]!);
      }
    });
    const edges = [...weights].map(([key, weight]) => ({
      from: Math.floor(key / ids.length),
      to: key % ids.length,
      weight,
    }));
    const [ins, outs] = [new Uint32Array(ids.length), new Uint32Array(ids.length)];
    for (const { from, to } of edges) {
      outs[from]!++;
      ins[to]!++;
    }
    const units = ids.map((id, place) =>
      id < branches ? this.#folder(id, members.get(id)!, ins[place]!, outs[place]!) : this.#leaf(id - branches),
    );
    return { units, edges };
  }

  /** Itself, or the outermost closed folder that it stands in. */
  #seenAs(id: number): number {
    let seen = id;
    for (let at = this.#tree.parents[id]!; at > 0; at = this.#tree.parents[at]!) {
      seen = this.#open.has(at) ? seen : at;
    }
    return seen;
  }

  #leaf(leaf: number): Unit {
    const { leaves } = this.picture;
    return {
      id: this.#tree.branches + leaf,
      isFolder: false,
      name: leaves.names[leaf]!,
      label: leaves.titles[leaf] || leaves.labels[leaf]!,
      title: leaves.titles[leaf]!,
      size: leaves.sizes[leaf]!,
      rank: leaves.rank[leaf]!,
      x: leaves.x[leaf]!,
      y: leaves.y[leaf]!,
      depth: leaves.depths[leaf]!,
      community: leaves.communities[leaf]!,
      marks: leaves.marks[leaf]!,
      inDegree: leaves.inDegrees[leaf]!,
      outDegree: leaves.outDegrees[leaf]!,
    };
  }

  /** In the middle of what stands in it. */
  #folder(branch: number, members: readonly number[], inDegree: number, outDegree: number): Unit {
    const { leaves, branches } = this.picture;
    const ranks = new Map<number, number>();
    let [x, y, size, depth] = [0, 0, 0, -1];
    for (const leaf of members) {
      x += leaves.x[leaf]! / members.length;
      y += leaves.y[leaf]! / members.length;
      size += leaves.sizes[leaf]!;
      const own = leaves.depths[leaf]!;
      depth = own === -1 ? depth : depth === -1 ? own : Math.min(depth, own);
      const community = leaves.communities[leaf]!;
      ranks.set(community, (ranks.get(community) ?? 0) + leaves.rank[leaf]!);
    }
    const name = branches.names[branch]!;
    return {
      id: branch,
      isFolder: true,
      name,
      label: this.#shortName(branch),
      title: '',
      size,
      rank: this.#worth[branch]!,
      x,
      y,
      depth,
      community: [...ranks].reduce((a, b) => (b[1] > a[1] ? b : a))[0],
      marks: LeafMark.folded,
      inDegree,
      outDegree,
    };
  }

  /** Without what it stands in. */
  #shortName(branch: number): string {
    const { names, parents } = this.picture.branches;
    const [name, outer] = [names[branch]!, names[parents[branch]!] ?? ''];
    return outer === '' ? name.replace(/^https?:\/\//, '') : name.slice(outer.length);
  }
}
