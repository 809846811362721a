import { linkGraph } from '../../src/crawl/survey/link-graph.js';
import { firstPartOf, sampleOrder } from '../../src/crawl/survey/sample-order.js';
import { type SizeEstimate, siteSize } from '../../src/crawl/survey/site-size.js';
import type { LinkSite } from './shapes.js';

/** Samples a site in the order of the real thing, one page after the other. */
export function sampleSite({ links }: LinkSite, sample: number, seed: number): SizeEstimate {
  const choose = sampleOrder(sample, seed)();
  const known = new Set([0]);
  const waiting = [0];
  const fetched: number[] = [];
  const news: number[] = [];
  let base: ReadonlySet<number> | null = null;
  while (fetched.length < sample && waiting.length > 0) {
    if (fetched.length === firstPartOf(sample)) {
      base = new Set(waiting);
    }
    const [page] = waiting.splice(choose(waiting.length), 1) as [number];
    fetched.push(page);
    const before = known.size;
    for (const target of links[page]!) {
      if (!known.has(target)) {
        known.add(target);
        waiting.push(target);
      }
    }
    news.push(known.size - before);
  }
  const first = new Set(fetched.slice(0, firstPartOf(sample)));
  const given = [...(base ?? [])];
  const found = [...known].filter((page) => !first.has(page) && !base?.has(page));
  const nodes = [...given, ...found];
  const nodeOf = new Map(nodes.map((page, i) => [page, i + 1]));
  const isFetched = new Uint8Array(nodes.length + 1);
  const pairs: number[] = [];
  for (const page of fetched.slice(first.size)) {
    const node = nodeOf.get(page)!;
    isFetched[node] = 1;
    for (const target of links[page]!) {
      const to = nodeOf.get(target);
      if (to !== undefined) {
        pairs.push(node, to);
      }
    }
  }
  return siteSize(known.size, linkGraph(nodes.length + 1, given.length, isFetched, pairs, news.slice(first.size)));
}
