import type { Adjacency, LinkGraph } from './link-graph.js';

/** How many URLs a site has, estimated from a sample. */
export interface SizeEstimate {
  /** URLs that are known. */
  readonly low: number;
  /** Null if every page still leads to more: then nobody can say. */
  readonly estimate: number | null;
  /** Null if the sample sees no end. */
  readonly high: number | null;
}

/** The pages that stand equally far from what was known before the lot was drawn, and what they brought. */
interface Generation {
  size: number;
  fetched: number;
  /** URLs that hang on a single page: had it not been drawn, they would not be known. */
  once: number;
  /** URLs that two independent pages lead to. */
  twice: number;
  /** Of `once`, by the page that brought them. */
  brought: number[];
}

/** How cautious a figure is: `unseen` times what is estimated to be hidden, so many standard errors, so many pages that nobody has met. */
interface Caution {
  unseen: number;
  errors: number;
  unmet: number;
}

const PLAIN: Caution = { unseen: 1, errors: 0, unmet: 0 };

/** Found by trying them on sites of many shapes (docs/PREVIEW.md). */
const CAUTIOUS: Caution = { unseen: 4, errors: 2, unmet: 3 };

/** A generation with fewer pages is judged together with its neighbours. */
const FEWEST_PAGES = 8;

/** A page of a kind that nobody has met may well be a list. */
const FEWEST_OF_UNMET = 3;

/** A range wider than this is no answer. */
const WIDEST = 20;

/** If this much of the known site was fetched and each page still brought this many new URLs, what is known is only how far the sample has walked. */
const WALKED_SHARE = 0.45;

const WALKED_NEWS = 0.6;

/**
 * It rests on two ideas. A page that is not fetched yet brings about as many new URLs as the drawn pages of its generation (Good, Turing); and the
 * more of the URLs are met twice, the fewer are left to be met at all (Chao). Generations follow each other: what is to come of the next one is
 * worked out from what is to come of this one, and beyond the last the same ratio goes on.
 *
 * @param known all URLs that are known, fetched ones included
 */
export function siteSize(known: number, graph: LinkGraph): SizeEstimate {
  const generations = generationsOf(graph);
  if (generations.every(({ size, fetched }) => size === fetched)) {
    return { low: known, estimate: known, high: known };
  }
  const high = known + unknown(generations, CAUTIOUS);
  return high > WIDEST * known || isOnTheWay(known, generations, graph.news)
    ? { low: known, estimate: null, high: null }
    : { low: known, estimate: Math.round(known + unknown(generations, PLAIN)), high: Math.ceil(high) };
}

/** In a chain of lists, for example, each fetched page leads to the next, and nothing tells how many there are. */
function isOnTheWay(known: number, generations: Generation[], news: readonly number[]): boolean {
  const waiting = generations.reduce((sum, { size, fetched }) => sum + size - fetched, 0);
  const late = news.slice(news.length >> 1);
  const perPage = late.reduce((sum, count) => sum + count, 0) / Math.max(1, late.length);
  return (known - waiting) / known > WALKED_SHARE && perPage > WALKED_NEWS;
}

/** URLs that are still to be found. */
function unknown(generations: Generation[], caution: Caution): number {
  const perMeeting = Math.max(FEWEST_OF_UNMET, meanOfPositive(generations.flatMap(({ brought }) => brought)));
  const yields = generations.map((_, place) => yieldOf(around(generations, place), perMeeting, caution));
  let total = 0;
  let found = 0;
  generations.forEach(({ size, fetched }, place) => {
    found = extrapolate(yields[place]!, size - fetched + found);
    total += found;
  });
  if (found > 0) {
    const ratio = yields.at(-1)!.once / yields.at(-1)!.pages;
    total += ratio < 1 ? (found * ratio) / (1 - ratio) : Number.POSITIVE_INFINITY;
  }
  const whole = yieldOf(together(generations), perMeeting, caution);
  return whole.pages === 0 ? Number.POSITIVE_INFINITY : Math.min(total, whole.hidden);
}

interface Yield {
  pages: number;
  once: number;
  /** URLs that would be found if one could go on for ever. */
  hidden: number;
}

function yieldOf({ fetched, once, twice, brought }: Generation, perMeeting: number, caution: Caution): Yield {
  const mean = fetched === 0 ? 0 : once / fetched;
  const squares = brought.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const error = fetched < 2 ? 0 : Math.sqrt((squares / (fetched - 1)) * fetched);
  const cautious = once + caution.errors * error + caution.unmet * perMeeting;
  const hidden = (caution.unseen * cautious * Math.max(cautious - 1, 0.5)) / (2 * (twice + 1));
  return { pages: fetched, once: cautious, hidden };
}

/** How many URLs this many more pages bring: less and less of what is hidden (Chao et al. 2014, equation 18 for incidence data). */
function extrapolate({ pages, once, hidden }: Yield, more: number): number {
  if (more <= 0 || hidden <= 0) {
    return 0;
  }
  return pages === 0 ? Number.POSITIVE_INFINITY : hidden * (1 - (1 - once / (pages * hidden + once)) ** more);
}

/** The generation, joined with as many later and then earlier ones as an estimate needs. */
function around(generations: Generation[], place: number): Generation {
  let from = place;
  let to = place + 1;
  const fetched = () => generations.slice(from, to).reduce((sum, each) => sum + each.fetched, 0);
  while (fetched() < FEWEST_PAGES && to < generations.length) {
    to++;
  }
  while (fetched() < FEWEST_PAGES && from > 0) {
    from--;
  }
  return together(generations.slice(from, to));
}

function together(generations: Generation[]): Generation {
  const sum = (of: (each: Generation) => number) => generations.reduce((total, each) => total + of(each), 0);
  return {
    size: sum(({ size }) => size),
    fetched: sum(({ fetched }) => fetched),
    once: sum(({ once }) => once),
    twice: sum(({ twice }) => twice),
    brought: generations.flatMap(({ brought }) => brought),
  };
}

function meanOfPositive(counts: readonly number[]): number {
  const positive = counts.filter((count) => count > 0);
  return positive.length === 0 ? 0 : positive.reduce((sum, count) => sum + count, 0) / positive.length;
}

function generationsOf(graph: LinkGraph): Generation[] {
  const { nodes, base, fetched, sources } = graph;
  const ages = agesOf(graph);
  const { above, order } = dominators(graph);
  // The page next to the root on the way to a node: nodes with different ones were found independently.
  const branch = new Uint32Array(nodes);
  for (const node of order) {
    branch[node] = node === 0 || above[node] === 0 ? node : branch[above[node]!]!;
  }
  const generations = Array.from({ length: ages.reduce((a, b) => Math.max(a, b)) + 1 }, () => emptyGeneration());
  const brought = new Float64Array(nodes);
  for (let node = base + 1; node < nodes; node++) {
    const from = sources.ends.subarray(sources.starts[node], sources.starts[node + 1]);
    const parents = generations[ages[node]! - 1]!;
    if (above[node] === 0) {
      const branches = new Set(from.map((each) => branch[each]!));
      branches.delete(node);
      parents.twice += branches.size === 2 ? 1 : 0;
      continue;
    }
    parents.once++;
    const nearest = from.filter((each) => ages[each] === ages[node]! - 1);
    for (const each of nearest) {
      brought[each]! += 1 / nearest.length;
    }
  }
  for (let node = 1; node < nodes; node++) {
    const generation = generations[ages[node]!]!;
    generation.size++;
    if (fetched[node] === 1) {
      generation.fetched++;
      generation.brought.push(brought[node]!);
    }
  }
  return generations;
}

const emptyGeneration = (): Generation => ({ size: 0, fetched: 0, once: 0, twice: 0, brought: [] });

/** Links from the base, at least; 0 for the base itself. */
function agesOf({ nodes, base, targets }: LinkGraph): Int32Array {
  const ages = new Int32Array(nodes).fill(-1);
  ages.fill(0, 0, base + 1);
  const queue = new Uint32Array(nodes);
  for (let node = 0; node <= base; node++) {
    queue[node] = node;
  }
  let last = base + 1;
  for (let next = 1; next < last; next++) {
    const node = queue[next]!;
    for (let i = targets.starts[node]!; i < targets.starts[node + 1]!; i++) {
      const target = targets.ends[i]!;
      if (ages[target] === -1) {
        ages[target] = ages[node]! + 1;
        queue[last++] = target;
      }
    }
  }
  return ages;
}

/** Real sites need two to five rounds; a site built to need one for each page must not hold anyone up. */
const MOST_PASSES = 50;

/**
 * For each node the last one that every path from node 0 to it passes: without that page it would not be known. (K. Cooper, T. Harvey, K. Kennedy: A Simple,
 * Fast Dominance Algorithm.) Every node must be reachable.
 */
export function dominators({ nodes, targets, sources }: LinkGraph): { above: Int32Array; order: Uint32Array } {
  const order = reversePostorder(nodes, targets);
  const place = new Uint32Array(nodes);
  order.forEach((node, i) => {
    place[node] = i;
  });
  const above = new Int32Array(nodes).fill(-1);
  above[0] = 0;
  const meet = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) {
      if (place[a]! > place[b]!) {
        a = above[a]!;
      } else {
        b = above[b]!;
      }
    }
    return a;
  };
  let changed = true;
  for (let pass = 0; changed && pass < MOST_PASSES; pass++) {
    changed = false;
    for (const node of order) {
      let common = -1;
      for (let i = sources.starts[node]!; node > 0 && i < sources.starts[node + 1]!; i++) {
        const source = sources.ends[i]!;
        if (above[source] !== -1) {
          common = common === -1 ? source : meet(source, common);
        }
      }
      if (node > 0 && above[node] !== common) {
        above[node] = common;
        changed = true;
      }
    }
  }
  return { above, order };
}

function reversePostorder(nodes: number, { starts, ends }: Adjacency): Uint32Array {
  const order = new Uint32Array(nodes);
  const next = starts.slice();
  const isSeen = new Uint8Array(nodes);
  const path = [0];
  isSeen[0] = 1;
  let free = nodes;
  while (path.length > 0) {
    const node = path.at(-1)!;
    if (next[node]! < starts[node + 1]!) {
      const target = ends[next[node]!++]!;
      if (isSeen[target] === 0) {
        isSeen[target] = 1;
        path.push(target);
      }
    } else {
      order[--free] = node;
      path.pop();
    }
  }
  return order.subarray(free);
}
