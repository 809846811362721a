import type { CrawlOptions } from '../config/options.js';
import type { FetchOptions } from '../fetch/contract.js';
import type { FrontierCounts } from '../frontier/frontier.js';
import type { SchedulerOptions } from '../frontier/options.js';
import type { SeedFate } from '../frontier/seed-book.js';
import type { CrawlScopeData } from '../lane/crawl-scope.js';
import type { ReaderOptions } from '../lane/reading.js';
import type { Summary } from '../report/summary.js';
import type { StoreSnapshot } from '../store/transaction.js';
import type { AliasData } from '../url/aliases.js';
import type { WatchedRun } from '../watch/live.js';
import type { ClusterSeat } from './cluster-seat.js';
import type { CrawlEnd } from './ending.js';
import type { Browser } from './render/browser.js';
import type { EngineSettings } from './settings.js';
import type { Survey, SurveyQuestion } from './survey/survey.js';

/**
 * What a command asks of the engine, one profile for each round. The engine knows no command; a new command is a folder that makes
 * profiles. What a profile leaves out works as in `gossamer crawl`.
 */
export interface CrawlProfile {
  /** The name of the command. The store keeps it, so that no other command resumes what this one has begun. */
  readonly command: string;
  /** What a new store keeps besides the options, for the next run of the command. */
  readonly meta?: Readonly<Record<string, string>>;
  /** Whether nothing learnt about a URL under way could change how it is requested: then the next commit need not wait for the last. */
  readonly overlaps?: boolean;
  /** Whether it takes up URLs that are left in its directory before or while it runs. */
  readonly takesMail?: boolean;
  /** Whether pages.jsonl, sitemap.xml, summary.json and the reports that the options name are written. */
  readonly writesOutputs: boolean;
  /** What is followed besides what the options say. */
  readonly scope?: Partial<
    Pick<CrawlScopeData, 'checksBeyond' | 'ignoresExcluded' | 'ignore' | 'surveys' | 'onlyLocal'>
  >;
  /** URLs that stand for others. */
  readonly aliases?: AliasData;
  /** When a URL is asked for, and what its answer means next: pace, order, retries, second looks. */
  scheduler?(options: SchedulerOptions): SchedulerOptions;
  /** How a URL is requested. */
  fetch?(options: FetchOptions, lanes: number): FetchOptions;
  /** What is read of a page, and what of it is kept. */
  reader?(options: ReaderOptions): ReaderOptions;
  /** What is admitted before the first request, besides the seeds. */
  readonly beginsWith?: BeginsWith;
  readonly limits?: ProfileLimits;
  /** Sees the pages that `reader` says need one. Whoever made it closes it. */
  readonly browser?: Browser;
  /** This machine's part of a crawl on several machines; left out if it crawls alone. */
  readonly cluster?: ClusterSeat;
  /** Asked of the store when the round is over. */
  readonly survey?: SurveyQuestion;
  /** Called when the round is over: the next round on the same store, or null when there is none. */
  next?(ended: EndedRound): Promise<CrawlProfile | null>;
}

export interface BeginsWith {
  /** URLs about which enough is known: only those out of scope are admitted, and none of them is requested. */
  readonly known?: Iterable<string>;
  /** Further URLs whose folders count as those of a seed, by its number. */
  readonly widened?: ReadonlyMap<number, readonly string[]>;
  /** URLs that sitemaps named while they were out of scope. */
  readonly named?: Iterable<string>;
  /** Files requested besides pages, from any host: by its queue, robots.txt, delay and guard like any URL. They are kept as they come. */
  readonly assets?: Iterable<string>;
}

export interface ProfileLimits {
  /** Replaces --duration. */
  readonly durationMs?: number;
  /** For second looks, once nothing else is left. */
  readonly secondLookMs?: number;
  /** How much of its limits earlier rounds of the same run have used; by default what the store says of all runs. */
  readonly spent?: { readonly ms: number; readonly bytes: number };
}

export interface EndedRound {
  readonly result: SessionResult;
  readonly session: RunningSession;
}

/** The result of a session. */
export interface SessionResult {
  end: CrawlEnd;
  summary: Summary;
  seeds: readonly SeedFate[];
  allSeedsFailed: boolean;
  survey: Survey | null;
}

/** A session as seen by those who watch it or continue it. */
export interface RunningSession extends WatchedRun {
  readonly settings: EngineSettings;
  /** What the store held when it was opened. */
  readonly snapshot: StoreSnapshot;
  /** The time that second looks took after everything else was done. */
  readonly secondLookMs: number;
  stats(): SessionStats;
}

/** A moment of a session, in numbers. Times are monotonic. */
export interface SessionStats extends FrontierCounts {
  now: number;
  inFlight: number;
  elapsedMs: number;
  requests: number;
  cached: number;
  carriedOver: number;
  bytes: number;
  heldBytes: number;
  governorLimit: number;
  /** The host whose turn comes next. */
  waitingFor: { name: string; at: number } | null;
  /** Third parties that are being asked for URLs, and what about; null if there are none. */
  seeding: string | null;
  /** Pages that a browser is rendering. */
  rendering: number;
  isStopping: boolean;
  isDiskLow: boolean;
  /** When a limit ends the run; Infinity if none does. */
  endsAt: number;
}

/** `gossamer crawl` itself. */
export const PLAIN_CRAWL: CrawlProfile = { command: 'crawl', overlaps: true, takesMail: true, writesOutputs: true };

/** The same with a browser: rendered pages are committed between two exchanges, so no two exchanges overlap. */
export const renderingCrawl = (
  options: Pick<CrawlOptions, 'render' | 'hashRoutes'>,
  browser: Browser,
): CrawlProfile => ({
  ...PLAIN_CRAWL,
  overlaps: false,
  reader: (reader) => ({ ...reader, render: options.render, hashRoutes: options.hashRoutes }),
  browser,
});
