import { interner } from './interner.js';
import { readJsonLines } from './json-lines.js';
import type { Walk, WalkedPage } from './walker.js';

export interface SitePage {
  state: string;
  status: number | null;
  depth: number | null;
  reason: string | null;
}

/** What is known of a site, by a walk or by a crawl. */
export interface SiteFacts {
  pages: Map<string, SitePage>;
  /** By page, in document order. */
  edges: Map<string, string[]>;
}

export interface Difference {
  expected: number;
  actual: number;
  missing: string[];
  extra: string[];
  /** In both, but not the same: status or depth of a page, order of the edges of a page. */
  unlike: string[];
}

export interface Comparison {
  pages: Difference;
  edges: Difference;
}

export const isSame = ({ missing, extra, unlike }: Difference): boolean =>
  missing.length + extra.length + unlike.length === 0;

export function factsOfWalk(walk: Walk): SiteFacts {
  const facts: SiteFacts = { pages: new Map(), edges: new Map() };
  for (const page of walk.pages) {
    facts.pages.set(page.url, { state: stateOf(page), status: page.status, depth: page.depth, reason: null });
  }
  const intern = interner();
  for (const { from, to, kind, rel } of walk.edges) {
    addEdge(facts, from, intern(edgeText(to, kind, rel)));
  }
  return facts;
}

const stateOf = ({ status }: WalkedPage): string => (status < 400 ? 'done' : 'failed');

type Lines = Parameters<typeof readJsonLines>[0];

/** Reads what `export --format jsonl` and `--format edges` print. Fields beyond those compared are passed over. */
export async function factsOfExport(pages: Lines, edges: Lines, moved: (url: string) => string): Promise<SiteFacts> {
  const facts: SiteFacts = { pages: new Map(), edges: new Map() };
  for await (const line of readJsonLines(pages)) {
    const { url, state, status, depth, reason } = line as Record<string, unknown>;
    if (typeof url !== 'string' || typeof state !== 'string') {
      throw new Error(`no page: ${JSON.stringify(line)}`);
    }
    if (facts.pages.has(moved(url))) {
      throw new Error(`exported twice: ${url}`);
    }
    facts.pages.set(moved(url), {
      state,
      status: typeof status === 'number' ? status : null,
      depth: typeof depth === 'number' ? depth : null,
      reason: typeof reason === 'string' ? reason : null,
    });
  }
  const intern = interner();
  for await (const line of readJsonLines(edges)) {
    const { from, to, kind, rel } = line as Record<string, unknown>;
    if (typeof from !== 'string' || typeof to !== 'string') {
      throw new Error(`no edge: ${JSON.stringify(line)}`);
    }
    addEdge(facts, moved(from), intern(edgeText(moved(to), String(kind), typeof rel === 'string' ? rel : '')));
  }
  return facts;
}

function edgeText(to: string, kind: string, rel: string): string {
  return `${kind} ${to}${rel === '' ? '' : ` rel=${JSON.stringify(rel)}`}`;
}

function addEdge(facts: SiteFacts, from: string, edge: string): void {
  const edges = facts.edges.get(from);
  if (edges === undefined) {
    facts.edges.set(from, [edge]);
  } else {
    edges.push(edge);
  }
}

export function compare(expected: SiteFacts, actual: SiteFacts): Comparison {
  return { pages: comparePages(expected.pages, actual.pages), edges: compareEdges(expected.edges, actual.edges) };
}

/** URLs that were answered, well or not. What a crawl skipped or put off is no page, but is named where it is missing. */
function comparePages(expected: SiteFacts['pages'], actual: SiteFacts['pages']): Difference {
  const answered = [...actual].filter(([, { state }]) => state === 'done' || state === 'failed');
  const difference = noDifference(expected.size, answered.length);
  for (const [url, page] of expected) {
    const other = actual.get(url);
    if (other === undefined) {
      difference.missing.push(url);
    } else if (other.state !== 'done' && other.state !== 'failed') {
      difference.missing.push(`${url} (${other.state} ${other.reason ?? ''})`);
    } else if (shown(page) !== shown(other)) {
      difference.unlike.push(`${url} expected ${shown(page)}, got ${shown(other)}`);
    }
  }
  for (const [url, page] of answered) {
    if (!expected.has(url)) {
      difference.extra.push(`${url} (${shown(page)})`);
    }
  }
  return difference;
}

const shown = ({ state, status, depth }: SitePage): string => `${state} ${status} at depth ${depth}`;

function compareEdges(expected: SiteFacts['edges'], actual: SiteFacts['edges']): Difference {
  const difference = noDifference(countOf(expected), countOf(actual));
  for (const from of new Set([...expected.keys(), ...actual.keys()])) {
    const wanted = expected.get(from) ?? [];
    const got = actual.get(from) ?? [];
    if (wanted.length === got.length && wanted.every((edge, i) => edge === got[i])) {
      continue;
    }
    const missing = without(wanted, got);
    const extra = without(got, wanted);
    for (const edge of missing) {
      difference.missing.push(`${from} → ${edge}`);
    }
    for (const edge of extra) {
      difference.extra.push(`${from} → ${edge}`);
    }
    if (missing.length + extra.length === 0) {
      difference.unlike.push(`${from}: edges in another order`);
    }
  }
  return difference;
}

/** Difference of multisets: an edge that stands twice on a page counts twice. */
function without(edges: readonly string[], taken: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const edge of taken) {
    left.set(edge, (left.get(edge) ?? 0) + 1);
  }
  return edges.filter((edge) => {
    const count = left.get(edge) ?? 0;
    if (count > 0) {
      left.set(edge, count - 1);
    }
    return count === 0;
  });
}

const noDifference = (expected: number, actual: number): Difference => ({
  expected,
  actual,
  missing: [],
  extra: [],
  unlike: [],
});

const countOf = (edges: SiteFacts['edges']): number => [...edges.values()].reduce((sum, each) => sum + each.length, 0);
