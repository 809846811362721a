import type { DeferredHost, SitemapFiles } from '../store/host-reader.js';
import type { Reader, Tally } from '../store/reader.js';
import type { TrapResult } from '../store/traps.js';
import { allowTrapFlag } from '../url/traps.js';
import type { OutputNotes } from './output.js';

/** What only the crawl that has just run knows. */
export interface RunFacts {
  reason: string;
  /** The limit that ended the crawl before it had seen all. */
  truncated: string | null;
  /** Pages that this run settled, not those of earlier runs of the same crawl. */
  settled: number;
  refetched: number;
  requests: number;
  cached: number;
  carriedOver: number;
  retries: number;
  parseMs: number;
  peakMemoryBytes: number;
  durationMs: number;
  layers: Readonly<Record<string, LayerFacts>>;
  ignoredRobots: boolean;
  robotsUnreachable: 'defer' | 'allow';
  seeding: readonly SeedingFacts[];
  /** Null if no sitemap was written. */
  sitemap: OutputNotes | null;
  notices: readonly string[];
}

/** What a third party was asked and what it told, over all runs of the crawl. */
export interface SeedingFacts {
  source: 'ct' | 'commoncrawl';
  host: string;
  /** Questions that were answered: domains, hosts or folders. */
  asked: number;
  /** Names, each once; or captures. */
  found: number;
  /** URLs, each once. */
  inScope: number;
  /** Null if it names URLs and not hosts. */
  withAddress: number | null;
  /** Why it was given up; null if it was not. */
  problem: string | null;
}

/** How far one layer of concurrency was used. */
export interface LayerFacts {
  /** The limit of the layer; null if it has none. */
  limit: number | null;
  /** The most that were in use at once. */
  peak: number;
  /** The most that waited for it at once. */
  peakWaiting: number;
}

type Counts = Record<string, number>;

/** A quarantined pattern, and the flag that lets it through. */
export interface TrapSummary extends TrapResult {
  allow: string;
}

/** summary.json */
export interface Summary {
  /** Why the run ended. */
  reason: string;
  /** The limit that cut it, or null. */
  truncated: string | null;
  /** Lines of pages.jsonl: URLs of which something has become. */
  total: number;
  /** Answered with a page, a file or a redirect that ends well. */
  done: number;
  /** Answered with 4xx or 5xx, unreadable, or not answered at all. */
  failed: number;
  /** Not asked for: robots.txt, nofollow, depth, traps, limits. */
  skipped: number;
  /** URLs put off with their host. */
  deferred: number;
  /** Still queued: an interruption left them there, and `resume` goes on with them. */
  unfinished: number;
  /** URLs out of scope that were looked at. */
  external: number;
  /** Of all runs: what may have been on the wire when a run was killed or a thread died, and was asked for again; robots.txt included. */
  refetched: number;
  /** URLs that failed by a time-out. */
  timeouts: number;
  /** Bytes of decoded bodies of pages, of all runs; without robots.txt and sitemaps. */
  bytes: number;
  /** Pages that this run settled; all other counts of URLs are those of all runs. */
  settled: number;
  /** Requests of this run. */
  requests: number;
  /** Answers that the cache gave in this run (`--http-cache`), robots.txt and sitemaps included: no request was made for them. */
  cached: number;
  /** Pages of this run that were carried over from an earlier crawl (`--since`), because they have not changed or are young. */
  carriedOver: number;
  /** Of them, those for pages that had failed before. */
  retries: number;
  /** Lines of pages.jsonl by HTTP status; those without an answer are in none. */
  byStatus: Counts;
  /** Failed URLs by error class. */
  byClass: Counts;
  /** Skipped URLs by their reason. */
  bySkipReason: Counts;
  /** Deferred URLs by their reason. */
  byDeferReason: Counts;
  /** Time for reading pages in this run, all threads together. */
  parseMs: number;
  /** URLs settled a second, those that robots.txt forbids included. */
  pagesPerSecond: number;
  /** The most memory that the process had. */
  peakMemoryBytes: number;
  /** How long the run took. */
  durationMs: number;
  /** Hosts that were put off, and why; `until` is when they may be asked again, null if nobody knows. */
  deferredHosts: DeferredHost[];
  /** The first five lines of pages.jsonl that failed; `parent` is null for seeds and what third parties named. */
  failures: {
    url: string;
    reason: string | null;
    status: number | null;
    message: string | null;
    parent: string | null;
  }[];
  /** Links that were left out of pages whose URLs are too much text, and how many pages those are. */
  linksCut: { pages: number; links: number };
  /** What `--search` looked for: on how many pages it stands, and how often in all (of one page up to 1,000). */
  found: { text: string; pages: number; count: number }[];
  /** What was cut as a trap, the largest first; of very many patterns the first thousand. */
  traps: TrapSummary[];
  /** How many patterns there are in all. */
  trapPatterns: number;
  /** Whether robots.txt was not obeyed. */
  ignoredRobots: boolean;
  /** --robots-unreachable, and how many hosts were crawled though their robots.txt could not be reached. */
  robotsUnreachable: { policy: 'defer' | 'allow'; crawledHosts: number };
  /** URLs and files of sitemap.xml (0 files: no page belonged in it), and what was left out by cause; null if none was asked for. */
  sitemap: { urls: number; files: number; leftOut: Readonly<Counts> } | null;
  /** Sitemaps that were read for URLs, over all runs; `cutHosts` have more than 1,000 files, the largest first. */
  sitemapFiles: SitemapFiles & { cutHosts: { host: string; files: number }[] };
  /** Third parties that were asked for URLs; `answered` of those that they were the first to name were there. */
  seeding: (SeedingFacts & { answered: number })[];
  /** Limit and use of each layer of concurrency. */
  layers: Readonly<Record<string, LayerFacts>>;
  /** Warnings and remarks of this run. */
  notices: readonly string[];
}

export function summarise(reader: Reader, run: RunFacts): Summary {
  const sum = sumUp(reader.tallies());
  const { queued = 0, leased = 0 } = reader.counts();
  const { sitemap } = run;
  return {
    reason: run.reason,
    truncated: run.truncated,
    total: sum.total,
    ...sum.byState,
    // What a limit left in the queue is listed as skipped.
    unfinished: reader.ended()?.truncated == null ? queued + leased : 0,
    external: sum.external,
    refetched: run.refetched,
    timeouts: sum.failed.get('timeout') ?? 0,
    bytes: sum.bytes,
    settled: run.settled,
    requests: run.requests,
    cached: run.cached,
    carriedOver: run.carriedOver,
    retries: run.retries,
    byStatus: sorted(sum.status),
    byClass: sorted(sum.failed),
    bySkipReason: sorted(sum.skipped),
    byDeferReason: sorted(sum.deferred),
    parseMs: run.parseMs,
    pagesPerSecond: run.durationMs > 0 ? Math.round((run.settled / run.durationMs) * 100_000) / 100 : 0,
    peakMemoryBytes: run.peakMemoryBytes,
    durationMs: run.durationMs,
    deferredHosts: reader.hosts.deferred(),
    failures: sum.byState.failed === 0 ? [] : firstFailures(reader),
    linksCut: reader.cutLinks(),
    found: reader.foundTexts(),
    ...summariseTraps(reader),
    ignoredRobots: run.ignoredRobots,
    robotsUnreachable: { policy: run.robotsUnreachable, crawledHosts: reader.hosts.withoutRobots() },
    sitemap: sitemap && { urls: sitemap.records, files: sitemap.files, leftOut: sitemap.leftOut ?? {} },
    sitemapFiles: summariseSitemapFiles(reader),
    seeding: answered(reader, run.seeding),
    layers: run.layers,
    notices: run.notices,
  };
}

function answered(reader: Reader, seeding: readonly SeedingFacts[]): Summary['seeding'] {
  if (seeding.length === 0) {
    return [];
  }
  const { certificates, commonCrawl } = reader.answeredCandidates();
  return seeding.map((facts) => ({ ...facts, answered: facts.source === 'ct' ? certificates : commonCrawl }));
}

const FAILURES_NAMED = 5;

const firstFailures = (reader: Reader): Summary['failures'] =>
  reader
    .firstFailures(FAILURES_NAMED)
    .map(({ url, reason, status, message, parent }) => ({ url, reason, status, message, parent }));

export const summaryJson = (summary: Summary): string => `${JSON.stringify(summary, null, 2)}\n`;

function sumUp(tallies: Iterable<Tally>) {
  const sum = {
    total: 0,
    external: 0,
    bytes: 0,
    byState: { done: 0, failed: 0, skipped: 0, deferred: 0 },
    status: new Map<string, number>(),
    failed: new Map<string, number>(),
    skipped: new Map<string, number>(),
    deferred: new Map<string, number>(),
  };
  for (const { state, status, reason, bytes, external, pages } of tallies) {
    sum.total += pages;
    sum.bytes += bytes;
    sum.byState[state] += pages;
    sum.external += external ? pages : 0;
    if (status !== null) {
      count(sum.status, String(status), pages);
    }
    if (state !== 'done') {
      count(sum[state], reason ?? 'unknown', pages);
    }
  }
  return sum;
}

function count(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

/** The most frequent first; statuses come in the order of their numbers whatever is done here. */
const sorted = (counts: ReadonlyMap<string, number>): Counts =>
  Object.fromEntries([...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1)));

const MOST_CUT_HOSTS = 1_000;

function summariseSitemapFiles(reader: Reader): Summary['sitemapFiles'] {
  const files = reader.sitemapFiles.count();
  return { ...files, cutHosts: files.notRead.limit === undefined ? [] : reader.sitemapFiles.cutHosts(MOST_CUT_HOSTS) };
}

const MOST_TRAPS = 1_000;

function summariseTraps(reader: Reader): Pick<Summary, 'traps' | 'trapPatterns'> {
  const { traps, patterns } = reader.traps.largest(MOST_TRAPS);
  return {
    traps: traps.map((trap) => ({ ...trap, allow: allowTrapFlag(trap.pattern) })),
    trapPatterns: patterns,
  };
}
