import { describe, expect, it } from 'vitest';
import { linkGraph } from '../../src/crawl/survey/link-graph.js';
import { dominators } from '../../src/crawl/survey/site-size.js';
import { Random } from '../web/random.js';
import { sampleSite } from './sample-site.js';
import { type LinkSite, SHAPES } from './shapes.js';

const SEEDS = Array.from({ length: 10 }, (_, i) => i + 1);
const SIZES = [100, 200, 400];

interface Sampled {
  size: number;
  low: number;
  estimate: number | null;
  high: number | null;
}
const sampled = new Map<string, ReadonlyMap<number, readonly Sampled[]>>();
/** Each site is built once, and sampled in every size: several tests look at the same samples. */
function samplesOf(name: string, sample: number): readonly Sampled[] {
  let samples = sampled.get(name);
  if (samples === undefined) {
    const bySeed = SEEDS.map((seed) => {
      const site = SHAPES[name]!(seed);
      return SIZES.map((size) => ({ size: site.links.length, ...sampleSite(site, size, seed) }));
    });
    samples = new Map(SIZES.map((size, place) => [size, bySeed.map((each) => each[place]!)]));
    sampled.set(name, samples);
  }
  return samples.get(sample)!;
}
const isMissed = ({ size, low, high }: Sampled): boolean => size < low || size > (high ?? Number.POSITIVE_INFINITY);
/** Times the known pages. */
const widths = (samples: readonly Sampled[]): number[] =>
  samples.map(({ low, high }) => (high ?? Number.POSITIVE_INFINITY) / low).sort((a, b) => a - b);
const median = (numbers: number[]): number => numbers[numbers.length >> 1]!;

describe.each(SIZES)('the size of a site, from a sample of %i pages', (sample) => {
  it.each(Object.keys(SHAPES))('%s: lies in the range on at least eight of ten sites', (name) => {
    const missed = samplesOf(name, sample).filter(isMissed);
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(2);
  });

  it.each(Object.keys(SHAPES))('%s: the estimate lies in its range, and no range is wider than twentyfold', (name) => {
    for (const { low, estimate, high } of samplesOf(name, sample)) {
      expect(high === null).toBe(estimate === null);
      expect(high ?? low).toBeLessThanOrEqual(20 * low);
      expect(estimate ?? low).toBeGreaterThanOrEqual(low);
      expect(estimate ?? low).toBeLessThanOrEqual(high ?? low);
    }
  });
});

describe('a sample says more than that there are many', () => {
  // The median width at 200 and at 400 pages, with room for other seeds.
  it.each([
    ['flat', 1.1, 1.05],
    ['docs', 1.1, 1.05],
    ['reference', 2.2, 2],
    ['dense', 2.5, 1.4],
    ['wiki', 4, 3],
    ['shop', 8, 4],
    ['sections', 10, 4],
  ])('%s: the range is at most %d-fold at 200 pages and %d-fold at 400', (name, at200, at400) => {
    expect(median(widths(samplesOf(name, 200)))).toBeLessThanOrEqual(at200);
    expect(median(widths(samplesOf(name, 400)))).toBeLessThanOrEqual(at400);
  });

  it.each(['flat', 'docs', 'reference', 'dense', 'wiki', 'shop'])(
    '%s: half of the estimates are within a quarter',
    (name) => {
      const errors = samplesOf(name, 200).map(({ size, estimate }) => Math.abs((estimate ?? 0) / size - 1));
      expect(median(errors.sort((a, b) => a - b))).toBeLessThan(0.25);
    },
  );

  it('chains have no end in sight, and that is said', () => {
    for (const one of samplesOf('chains', 200)) {
      expect(one).toMatchObject({ estimate: null, high: null });
    }
  });

  it('a site that was seen whole is known', () => {
    const chain: LinkSite = { links: Array.from({ length: 50 }, (_, page) => (page < 49 ? [page + 1] : [])) };
    expect(sampleSite(chain, 60, 1)).toEqual({ low: 50, estimate: 50, high: 50 });
    expect(sampleSite({ links: [[]] }, 10, 1)).toEqual({ low: 1, estimate: 1, high: 1 });
  });

  it('the same seed draws the same pages, another one others', () => {
    const site = SHAPES.shop!(1);
    expect(sampleSite(site, 200, 5)).toEqual(sampleSite(site, 200, 5));
    expect(sampleSite(site, 200, 5)).not.toEqual(sampleSite(site, 200, 6));
  });
});

describe('dominators', () => {
  /** Whether every path to `node` passes `gate`: by taking the gate out and looking. */
  const isGate = (links: readonly number[], gate: number, node: number): boolean => {
    const reached = new Set([0]);
    for (const page of reached) {
      for (let i = 0; i < links.length; i += 2) {
        if (links[i] === page && links[i + 1] !== gate) {
          reached.add(links[i + 1]!);
        }
      }
    }
    return !reached.has(node);
  };

  it.each(SEEDS)('are those that a site cannot be walked without (seed %i)', (seed) => {
    const random = new Random(seed);
    const nodes = 40;
    const links: number[] = [];
    for (let node = 1; node < nodes; node++) {
      links.push(random.between(0, node - 1), node);
    }
    for (let i = 0; i < 25; i++) {
      links.push(random.between(1, nodes - 1), random.between(1, nodes - 1));
    }
    const { above } = dominators(linkGraph(nodes, 0, new Uint8Array(nodes), links, []));
    for (let node = 1; node < nodes; node++) {
      const gates = Array.from({ length: nodes - 1 }, (_, i) => i + 1).filter(
        (gate) => gate !== node && isGate(links, gate, node),
      );
      const chain: number[] = [];
      for (let at = above[node]!; at !== 0; at = above[at]!) {
        chain.push(at);
      }
      expect(chain.sort((a, b) => a - b)).toEqual(gates);
    }
  });
});
