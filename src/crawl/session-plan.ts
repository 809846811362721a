import type { Clock } from '../base/clock.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { FolderOrigin, Header, HeaderRule } from '../fetch/contract.js';
import type { SettledPage } from '../frontier/embedded/frontier-state.js';
import type { SchedulerOptions } from '../frontier/embedded/options.js';
import type { SeedFate } from '../frontier/seed-book.js';
import type { SecondLook } from '../frontier/verdict.js';
import type { Browser } from '../render/browser.js';
import type { Summary } from '../report/summary.js';
import type { PageResult } from '../store/reader.js';
import type { BadSeed, SeedRow } from '../store/transaction.js';
import type { AliasData } from '../url/aliases.js';
import type { Credentials } from '../url/identity.js';
import type { CrawlEnd } from './crawl.js';
import type { IgnoreRule } from './crawl-scope.js';
import type { CustomFetch } from './custom-source.js';
import type { GovernorDecision } from './governor.js';
import type { Survey, SurveyQuestion } from './preview/survey.js';
import type { RenderMode } from './reading.js';
import type { CrawlSession } from './session.js';

/** What a session tells while it runs. All of it may be left out. */
export interface SessionEvents {
  tick?(session: CrawlSession): void;
  notice?(text: string): void;
  settled?(pages: SettledPage[]): void;
  governed?(decision: GovernorDecision): void;
  retryLater?(url: string, status: number | null, why: string, afterMs: number): void;
  sitemapRead?(url: string, urls: number): void;
}

export interface SessionPlan {
  resolved: ResolvedOptions<'crawl'>;
  /** Null: the store leaves nothing behind. */
  directory: string | null;
  /** Seeds of a new crawl; null goes on with the one that is in the directory. */
  seeds: SeedRow[] | null;
  /** Lines that were to be seeds of a new crawl and are none. */
  badSeeds?: BadSeed[];
  /** The seeds that the directory's crawl has, when it is resumed. */
  storedSeeds?: SeedRow[];
  credentials?: Map<string, Credentials>;
  events: SessionEvents;
  fetch?: CustomFetch;
  resolve?: (href: string, from: string) => string | null;
  /** Someone listens to edges. */
  listensToEdges?: boolean;
  /** The addresses of what the user's fetcher is asked for are checked first. */
  guardsFetch?: boolean;
  /** How many more results there is a place for. */
  placesLeft?(): number;
  handOn?(): Promise<void>;
  /** At the end, in batches: the URLs that nothing was settled for (skipped, put off, failed with their host). */
  rest?(pages: PageResult[]): Promise<void>;
  /** Nothing is crawled: robots.txt and sitemaps are read, or a sample of the pages, and the store is asked this. */
  preview?: PreviewWishes;
  /** Links are checked: more is kept of each page, and no outputs are written. */
  check?: CheckWishes;
  /** Pages are kept for a corpus, and no outputs are written. */
  docs?: DocsWishes;
  clock?: Clock;
}

/** What a preview wants otherwise than a crawl. */
export interface PreviewWishes {
  question: SurveyQuestion;
  choose: SchedulerOptions['choose'];
  /** The bodies of the sample stay in the directory. */
  keepsPages: boolean;
}

/** What a check wants otherwise than a crawl. */
export interface CheckWishes {
  /** Links that are left out. */
  ignore: readonly IgnoreRule[];
  /** Sites that are answered from a folder of this machine. */
  folders: readonly FolderOrigin[];
  /** What the servers of those folders want to be shown, by their origin. */
  folderSecrets: Readonly<Record<string, Header[]>>;
  /** Nothing is asked of the net: what is not in these folders is left. */
  offline: boolean;
  /** Only what the user named is read, and nothing else is asked for. */
  onlySeeds: boolean;
  aliases: AliasData;
  /** Headers for URLs that match. */
  headers: readonly HeaderRule[];
  /** A delay that the user wants for a host, or null. */
  delayMsOf(host: string): number | null;
  /** What fails is looked at again in its own time; null: there is no time for it. */
  secondLook: SecondLook | null;
  /** So long at most, once nothing is left but second looks. */
  secondLookMs: number;
  /** A round: what seems broken for other reasons is asked again, one request of a host at a time; so long at most. */
  round: { durationMs: number } | null;
  /** URLs of which an earlier run knows enough. */
  known: Iterable<string>;
  /** Kept in the store, for whoever goes on with it. */
  meta: Record<string, string>;
}

/** What a corpus wants otherwise than a crawl. */
export interface DocsWishes {
  /** First it is seen what there is: nothing is asked for but robots.txt, sitemaps and the seeds. */
  surveys: boolean;
  /** Pages of an earlier run are asked whether they have changed. */
  renews: boolean;
  /** Seeds whose sitemaps name their pages: links lead nowhere. */
  unfollowed: readonly number[];
  /** Further URLs whose folders count as those of a seed, by its number. */
  widened: ReadonlyMap<number, readonly string[]>;
  /** URLs that sitemaps name, and that were out of scope when these were read. */
  named: Iterable<string>;
  /** What earlier sessions of the same run have used of its limits. */
  spent: { ms: number; bytes: number };
  /** Which pages are seen by a browser. */
  render: RenderMode;
  /** Started when it is needed; whoever made it closes it. */
  browser: Browser;
  /** Kept in the store, for whoever goes on with it. */
  meta: Record<string, string>;
}

export interface SessionResult {
  end: CrawlEnd;
  summary: Summary;
  seeds: readonly SeedFate[];
  allSeedsFailed: boolean;
  survey: Survey | null;
}
