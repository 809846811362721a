import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { communities } from '../../src/graph/communities.js';
import { folded } from '../../src/graph/csr.js';
import { bySize, clickDepth, components, DAMPING, pageRank } from '../../src/graph/measures.js';
import { edgesOfPairs, matrixOf, outOf } from './graphs.js';

const graphs = fc.integer({ min: 1, max: 12 }).chain((nodes) =>
  fc.record({
    nodes: fc.constant(nodes),
    pairs: fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 40 }),
  }),
);

/** The textbook: the ranks are what solves r = (1 - d)/n + d · Σ r(u) · w(u, v) / w(u), found by elimination and not by rounds. */
function solvedRanks(weights: readonly number[][]): number[] {
  const n = weights.length;
  const step = weights.map((row) => {
    const sum = row.reduce((a, b) => a + b, 0);
    return row.map((weight) => (sum === 0 ? 1 / n : weight / sum));
  });
  const rows = Array.from({ length: n }, (_, v) => [
    ...Array.from({ length: n }, (_, u) => (u === v ? 1 : 0) - DAMPING * step[u]![v]!),
    (1 - DAMPING) / n,
  ]);
  for (let i = 0; i < n; i++) {
    const pivot = rows.slice(i).reduce((best, row) => (Math.abs(row[i]!) > Math.abs(best[i]!) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(i, 0, pivot);
    rows.forEach((row, k) => {
      const factor = row[i]! / pivot[i]!;
      if (k !== i) {
        row.forEach((_, j) => {
          row[j]! -= factor * pivot[j]!;
        });
      }
    });
  }
  return rows.map((row, i) => row[n]! / row[i]!);
}

describe('PageRank', () => {
  it('is what the equations of the textbook say, for any small graph', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, pairs }) => {
        const out = outOf(nodes, pairs);
        const ranks = pageRank(out);
        solvedRanks(matrixOf(out)).forEach((rank, node) => {
          expect(ranks[node]).toBeCloseTo(rank, 8);
        });
      }),
    );
  });

  it('of two pages that link to a third which links back to one of them', () => {
    // By hand: c = 0.05 + 0.85 (a + b), a = 0.05 + 0.85 c, b = 0.05.
    const [a, b, c] = pageRank(
      outOf(3, [
        [0, 2],
        [1, 2],
        [2, 0],
      ]),
    );
    const exact = (0.05 + 0.85 * (0.05 + 0.05)) / (1 - 0.85 ** 2);
    expect([a, b, c].map((rank) => rank!.toFixed(9))).toEqual(
      [0.05 + 0.85 * exact, 0.05, exact].map((rank) => rank.toFixed(9)),
    );
  });

  it('counts a link that stands twice for two', () => {
    const [, once, twice] = pageRank(
      outOf(3, [
        [0, 1],
        [0, 2],
        [0, 2],
      ]),
    );
    expect((twice! - once!) / 0.85).toBeCloseTo(
      pageRank(
        outOf(3, [
          [0, 1],
          [0, 2],
          [0, 2],
        ]),
      )[0]! / 3,
      9,
    );
  });
});

describe('components', () => {
  it('are the groups in which each can be reached from each other', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, pairs }) => {
        const out = outOf(nodes, pairs);
        const reach = matrixOf(out).map((row, i) => row.map((weight, j) => weight > 0 || i === j));
        for (let k = 0; k < nodes; k++) {
          for (let i = 0; i < nodes; i++) {
            for (let j = 0; j < nodes; j++) {
              reach[i]![j] ||= reach[i]![k]! && reach[k]![j]!;
            }
          }
        }
        const { of } = components(out);
        for (let i = 0; i < nodes; i++) {
          for (let j = 0; j < nodes; j++) {
            expect(of[i] === of[j]).toBe(reach[i]![j]! && reach[j]![i]!);
          }
        }
      }),
    );
  });

  it('of a chain of 100,000 pages that ends where it began is one', () => {
    const pairs = Array.from({ length: 100_000 }, (_, i) => [i, (i + 1) % 100_000] as const);
    expect(components(outOf(100_000, pairs)).count).toBe(1);
  });

  it('are numbered by size, of two alike by their first page', () => {
    const { of, sizes } = bySize(Uint32Array.from([3, 1, 0, 1, 0, 2]), 4);
    expect([...of]).toEqual([3, 1, 2, 1, 2, 4]);
    expect([...sizes]).toEqual([2, 2, 1, 1]);
  });
});

describe('click depth', () => {
  it('is the fewest clicks from a start, and a redirect is none', () => {
    const out = outOf(6, [
      [0, 1],
      [1, 2],
      [2, 3],
      [0, 4],
      [4, 3],
    ]);
    const from = (redirects: readonly number[]) => [
      ...clickDepth(
        out,
        (node) => node === 0,
        (node) => redirects.includes(node),
      ),
    ];
    expect(from([])).toEqual([0, 1, 2, 2, 1, -1]);
    expect(from([4])).toEqual([0, 1, 2, 1, 1, -1]);
    expect(from([1, 2])).toEqual([0, 1, 1, 1, 1, -1]);
    expect(from([0])).toEqual([0, 0, 1, 1, 0, -1]);
  });
});

/** By its definition, pair by pair. */
function modularityOf(weights: readonly number[][], of: ArrayLike<number>): number {
  const n = weights.length;
  const both = weights.map((row, i) => row.map((weight, j) => weight + weights[j]![i]!));
  const strength = both.map((row) => row.reduce((a, b) => a + b, 0));
  const total = strength.reduce((a, b) => a + b, 0);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      sum += of[i] === of[j] ? both[i]![j]! / total - (strength[i]! * strength[j]!) / total ** 2 : 0;
    }
  }
  return sum;
}

const clique = (from: number, size: number): [number, number][] =>
  Array.from({ length: size }, (_, i) => i).flatMap((i) =>
    Array.from({ length: size }, (_, j) => [from + i, from + j] as [number, number]).filter(([a, b]) => a !== b),
  );

describe('communities', () => {
  it('are the cliques of a ring of cliques', () => {
    const pairs = [0, 5, 10, 15].flatMap((from) => [...clique(from, 5), [from, (from + 5) % 20] as [number, number]]);
    const { of, count } = communities(edgesOfPairs(20, pairs));
    expect(count).toBe(4);
    expect([...of]).toEqual(Array.from({ length: 20 }, (_, node) => Math.floor(node / 5)));
  });

  it('have the modularity that is said, never less than none at all, and are always the same', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, pairs }) => {
        const edges = edgesOfPairs(nodes, pairs);
        const { of, modularity } = communities(edges);
        const again = communities(edgesOfPairs(nodes, [...pairs].reverse()));
        expect([...again.of]).toEqual([...of]);
        if (edges.out.ends.length === 0) {
          expect(modularity).toBe(0);
          return;
        }
        const weights = matrixOf(edges.out);
        expect(modularity).toBeCloseTo(modularityOf(weights, of), 9);
        expect(modularity).toBeGreaterThanOrEqual(
          modularityOf(
            weights,
            [...of].map((_, i) => i),
          ) - 1e-9,
        );
        expect(modularity).toBeGreaterThanOrEqual(-1e-9);
      }),
    );
  });
});

describe('folding', () => {
  it('adds up the links between two groups, and counts those within one beside', () => {
    fc.assert(
      fc.property(graphs, fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }), ({ nodes, pairs }, groups) => {
        const out = outOf(nodes, pairs);
        const groupOf = Uint32Array.from(groups.slice(0, nodes));
        const fold = folded(out, groupOf, 4);
        const expected = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
        const inner = [0, 0, 0, 0];
        for (const [from, to] of pairs.filter(([a, b]) => a !== b)) {
          const [a, b] = [groupOf[from]!, groupOf[to]!];
          if (a === b) {
            inner[a]!++;
          } else {
            expected[a]![b]!++;
          }
        }
        expect(matrixOf(fold.out)).toEqual(expected);
        expect([...fold.inner]).toEqual(inner);
      }),
    );
  });
});
