/**
 * Folders within folders, and what stands in them. Branches and leaves are numbered together: branch 0 is the root, and whatever is numbered
 * below `branches` is a branch. A parent has a smaller number than its children.
 */
export interface Tree {
  readonly branches: number;
  /** Of each branch and leaf; -1 of the root. */
  readonly parents: ArrayLike<number>;
}

/** The children of every branch, in their order. */
export function childrenOf({ branches, parents }: Tree): number[][] {
  const children: number[][] = Array.from({ length: branches }, () => []);
  for (let each = 1; each < parents.length; each++) {
    children[parents[each]!]!.push(each);
  }
  return children;
}

/** What each branch counts for: as much as all that stands in it. */
export function worthOf({ branches, parents }: Tree, ofLeaf: (leaf: number) => number): Float64Array {
  const worth = new Float64Array(parents.length);
  for (let each = parents.length - 1; each > 0; each--) {
    worth[each]! += each < branches ? 0 : ofLeaf(each - branches);
    worth[parents[each]!]! += worth[each]!;
  }
  return worth;
}

/** Branches in the order in which they are opened: what counts for most first, and a branch never before the one that it stands in. */
export function inOpeningOrder(branches: number, worth: ArrayLike<number>): number[] {
  return Array.from({ length: branches }, (_, branch) => branch).sort((a, b) => worth[b]! - worth[a]! || a - b);
}

/** Which branches are open when no more than `most` of what stands in the tree is to be seen. The root always is. */
export function openBranches(
  tree: Tree,
  children: readonly number[][],
  worth: ArrayLike<number>,
  most: number,
): Set<number> {
  const open = new Set<number>();
  let seen = 1;
  for (const branch of inOpeningOrder(tree.branches, worth)) {
    const more = children[branch]!.length - 1;
    if (branch === 0 || (open.has(tree.parents[branch]!) && seen + more <= most)) {
      open.add(branch);
      seen += more;
    }
  }
  return open;
}
