import type { Edges } from './csr.js';
import { layOut, type Springs } from './layout.js';
import { degreeOf } from './measured-graph.js';
import type { Leaves, Picture } from './picture-shape.js';
import type { Tree } from './tree.js';

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

/**
 * Leaves by their links, those of a folder and those of a community near each other. Folders and communities are laid out as well, for what hangs
 * on them, and then forgotten.
 */
export function placesOf(
  { branches, parents }: Tree,
  edges: Edges,
  facts: Pick<Leaves, 'communities' | 'parents'>,
): { x: number[]; y: number[] } {
  const count = facts.communities.length;
  const links = telling(edges, count * SPRINGS_A_LEAF);
  const degrees = new Uint32Array(count);
  links.from.forEach((from, i) => {
    degrees[from]!++;
    degrees[links.to[i]!]!++;
  });
  const groups = facts.communities.reduce((a, b) => Math.max(a, b), 0);
  const inGroup = new Float64Array(groups + 1);
  for (const community of facts.communities) {
    inGroup[community]!++;
  }
  const below = new Float64Array(branches);
  const children = new Float64Array(branches);
  for (let each = branches + count - 1; each > 0; each--) {
    below[parents[each]!]! += each < branches ? below[each]! : 1;
    children[parents[each]!]!++;
  }
  const springs = new SpringList();
  links.from.forEach((leaf, i) => {
    const other = links.to[i]!;
    springs.add(branches + leaf, branches + other, 0.6 / Math.min(degrees[leaf]!, degrees[other]!), 16);
  });
  for (let each = 1; each < branches + count; each++) {
    const parent = parents[each]!;
    if (parent > 0) {
      // What holds everything together holds nothing apart.
      springs.add(parent, each, 0.3 * (1 - below[parent]! / count), 8 + 3 * Math.sqrt(children[parent]!));
    }
  }
  const first = branches + count - 1;
  facts.communities.forEach((community, leaf) => {
    const size = inGroup[community]!;
    springs.add(first + community, branches + leaf, 0.18 * (1 - size / count), 4 * Math.sqrt(size));
  });
  const nodes = branches + count + groups;
  const push = new Float64Array(nodes).fill(1);
  push.fill(0.2, 0, branches);
  push[0] = 1e-6;
  for (let community = 1; community <= groups; community++) {
    push[first + community] = 0.2 + 0.25 * inGroup[community]!;
  }
  const leaves = Array.from({ length: count }, (_, leaf) => leaf).sort(
    (a, b) => facts.communities[a]! - facts.communities[b]! || facts.parents[a]! - facts.parents[b]! || a - b,
  );
  const others = Array.from({ length: nodes }, (_, node) => node).filter(
    (node) => node < branches || node >= branches + count,
  );
  const order = Uint32Array.from([...leaves.map((leaf) => branches + leaf), ...others]);
  const { x, y } = layOut({ nodes, ...springs.all(), push, order });
  const rounded = (all: Float64Array): number[] =>
    Array.from(all.subarray(branches, branches + count), (each) => Math.round(each * 10) / 10);
  return { x: rounded(x), y: rounded(y) };
}

class SpringList {
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #strength: number[] = [];
  readonly #length: number[] = [];

  add(from: number, to: number, strength: number, length: number): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#strength.push(strength);
    this.#length.push(length);
  }

  all(): Pick<Springs, 'from' | 'to' | 'strength' | 'length'> {
    return {
      from: Uint32Array.from(this.#from),
      to: Uint32Array.from(this.#to),
      strength: Float64Array.from(this.#strength),
      length: Float64Array.from(this.#length),
    };
  }
}
