import type { Clock } from '../base/clock.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { RankOf } from '../frontier/options.js';
import type { Outcome, SettledPage } from '../frontier/outcome.js';
import type { CustomFetch } from '../lane/custom-source.js';
import type { PageResult } from '../store/page-types.js';
import type { BadSeed, SeedRow } from '../store/transaction.js';
import type { Credentials } from '../url/identity.js';
import type { RunWatch } from '../watch/run-watch.js';
import type { GovernorDecision } from './governor.js';
import type { CrawlProfile, RunningSession } from './profile.js';
import type { SeenPage } from './store-host.js';

/** What a session reports while it runs. Each function may be left out. */
export interface SessionEvents {
  /** Called once, before everything else, with the view of the whole run. */
  watched?(watch: RunWatch): void;
  tick?(session: RunningSession): void;
  notice?(text: string): void;
  /** Called with pages that are settled for good. Those that a browser has to render first come with `seen`, once it has or will not. */
  settled?(pages: SettledPage[]): void;
  seen?(pages: (SeenPage & { body: Outcome['body'] | null })[]): void;
  governed?(decision: GovernorDecision): void;
  retryLater?(url: string, status: number | null, why: string, afterMs: number): void;
  sitemapRead?(url: string, urls: number): void;
}

export interface SessionPlan {
  resolved: ResolvedOptions<'crawl'>;
  /** What the command wants of the engine; left out: a plain crawl. */
  profile?: CrawlProfile;
  /** Null if the store is to leave nothing behind. */
  directory: string | null;
  /** Seeds of a new crawl; null goes on with the one that is in the directory. */
  seeds: SeedRow[] | null;
  /** Lines that were meant as seeds of a new crawl and are not. */
  badSeeds?: BadSeed[];
  /** The seeds of the directory's crawl when it is resumed. */
  storedSeeds?: SeedRow[];
  credentials?: Map<string, Credentials>;
  events: SessionEvents;
  fetch?: CustomFetch;
  resolve?: (href: string, from: string) => string | null;
  /** The rank at which a new URL waits, 0 to 7; null: its usual place. It must not throw. */
  rankOf?: RankOf;
  /** Whether someone listens to edges. */
  listensToEdges?: boolean;
  /** Whether someone wants the pages themselves: they come with the settled results. */
  handsOnBodies?: boolean;
  /** Whether the addresses of URLs are checked before the user's fetcher gets them. */
  guardsFetch?: boolean;
  /** How many more results there is room for. */
  placesLeft?(): number;
  handOn?(): Promise<void>;
  /** Called at the end, in batches, with the URLs that were not settled one by one (skipped, put off, failed with their host). */
  rest?(pages: PageResult[]): Promise<void>;
  clock?: Clock;
  /** Sees the whole run, of which this session may be one round; left out: the session is the run. */
  watch?: RunWatch;
}
