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

/** What a session tells while it runs. All of it may be left out. */
export interface SessionEvents {
  /** Once, before all else: what sees the whole run. */
  watched?(watch: RunWatch): void;
  tick?(session: RunningSession): void;
  notice?(text: string): void;
  /** Pages are settled for good. Those that a browser has to see first are told by `seen`, once it has or will not. */
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
  /** The rank at which a new URL waits, 0 to 7; null: its usual place. It must not throw. */
  rankOf?: RankOf;
  /** Someone listens to edges. */
  listensToEdges?: boolean;
  /** Someone wants the pages themselves: they come with what is settled. */
  handsOnBodies?: boolean;
  /** The addresses of what the user's fetcher is asked for are checked first. */
  guardsFetch?: boolean;
  /** How many more results there is a place for. */
  placesLeft?(): number;
  handOn?(): Promise<void>;
  /** At the end, in batches: the URLs that nothing was settled for (skipped, put off, failed with their host). */
  rest?(pages: PageResult[]): Promise<void>;
  clock?: Clock;
  /** Sees the whole run, of which this session may be one round; left out: the session is the run. */
  watch?: RunWatch;
}
