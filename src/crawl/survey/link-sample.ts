import type { SurveyReader } from '../../store/survey-reader.js';
import { type LinkGraph, linkGraph } from './link-graph.js';
import type { RobotsJudge } from './robots-judge.js';
import { firstPartOf } from './sample-order.js';
import { type SizeEstimate, siteSize } from './site-size.js';

/** The most links to new pages that are held in memory; a sample with more shows no end of the site. */
const MOST_LINKS = 4_000_000;
/** The role of a URL in the sample. */
const STRANGER = 0;
const KNOWN = 1;
const GIVEN = 2;

/** The size of the site, from what the store has of a sample of so many pages. */
export function sampledSize(reader: SurveyReader, sample: number, judge: RobotsJudge): SizeEstimate {
  const standing = standingOf(reader, judge);
  const known = standing.reduce((sum, each) => sum + (each === STRANGER ? 0 : 1), 0);
  const graph = graphOf(reader, standing, firstPartOf(sample));
  return graph === null ? { low: known, estimate: null, high: null } : siteSize(known, graph);
}

/** Where sitemaps say which pages there are, these and the seeds; null if they name none. */
export function namedSize(reader: SurveyReader, judge: RobotsJudge): SizeEstimate | null {
  const standing = standingOf(reader, judge);
  let given = 0;
  let named = 0;
  for (const page of reader.listed()) {
    if (standing[page.id] === GIVEN) {
      given++;
      named += page.named;
    }
  }
  return named === 0 ? null : { low: given, estimate: given, high: given };
}

/** By id: pages that a crawl requests, and which of them were given rather than found. */
function standingOf(reader: SurveyReader, judge: RobotsJudge): Uint8Array {
  const standing = new Uint8Array(reader.lastId() + 1);
  for (const { id, given } of reader.listed()) {
    standing[id] = given === 1 ? GIVEN : KNOWN;
  }
  for (const { origin, rules } of reader.origins()) {
    for (const { id, url } of rules === null ? [] : reader.waiting(origin)) {
      standing[id] = judge.ruleAgainst(rules, url) === null ? standing[id]! : STRANGER;
    }
  }
  return standing;
}

/** Null if there are too many links. */
function graphOf(reader: SurveyReader, standing: Uint8Array, firstPart: number): LinkGraph | null {
  const first = new Set<number>();
  const later: { id: number; targets: Uint32Array }[] = [];
  let held = 0;
  for (const { id, targets } of reader.links()) {
    if (first.size < firstPart) {
      first.add(id);
      standing[id] = GIVEN;
      for (const target of targets) {
        standing[target] = standing[target] === STRANGER ? STRANGER : GIVEN;
      }
      continue;
    }
    const found = unique(targets, (target) => standing[target] === KNOWN);
    held += found.length;
    if (held > MOST_LINKS) {
      return null;
    }
    later.push({ id, targets: found });
  }
  return numbered(standing, first, later);
}

function unique(ids: Uint32Array, isWanted: (id: number) => boolean): Uint32Array {
  return Uint32Array.from(new Set(ids.filter(isWanted)));
}

function numbered(
  standing: Uint8Array,
  first: ReadonlySet<number>,
  later: readonly { id: number; targets: Uint32Array }[],
): LinkGraph {
  const nodeOf = new Uint32Array(standing.length);
  let nodes = 1;
  standing.forEach((each, id) => {
    if (each === GIVEN && !first.has(id)) {
      nodeOf[id] = nodes++;
    }
  });
  // A page that was fetched before anything linked to it counts as given.
  const met = new Set<number>();
  const news = later.map(({ id, targets }) => {
    if (nodeOf[id] === 0 && !met.has(id)) {
      nodeOf[id] = nodes++;
    }
    const before = met.size;
    for (const target of targets) {
      met.add(target);
    }
    return met.size - before;
  });
  const base = nodes - 1;
  for (const target of met) {
    nodeOf[target] = nodeOf[target] === 0 ? nodes++ : nodeOf[target]!;
  }
  const fetched = new Uint8Array(nodes);
  const links: number[] = [];
  for (const { id, targets } of later) {
    fetched[nodeOf[id]!] = 1;
    for (const target of targets) {
      if (target !== id) {
        links.push(nodeOf[id]!, nodeOf[target]!);
      }
    }
  }
  return linkGraph(nodes, base, fetched, links, news);
}
