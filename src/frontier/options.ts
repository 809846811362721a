import type { Clock } from '../base/clock.js';
import type { SeedRow, StorePort, StoreSnapshot } from '../store/transaction.js';
import type { Seat } from '../url/slots.js';
import type { TrapWatch } from '../url/traps.js';
import type { KeyTable } from './key-table.js';
import type { Order, SettledPage } from './outcome.js';
import type { BackoffOptions } from './pace.js';
import type { SeedBook } from './seed-book.js';
import type { SecondLook } from './verdict.js';

/** What a frontier is made with. */
export interface FrontierParts {
  options: SchedulerOptions;
  clock: Clock;
  /** 0 ≤ x < 1 */
  random(): number;
  store: StorePort;
  snapshot: StoreSnapshot;
  keys: KeyTable;
  traps: TrapWatch;
  seeds: SeedBook;
  /** Address of a host name, for pacing by address. */
  resolveAddress(hostName: string): Promise<string | null>;
  /** The seed that lets a URL in, or -1. Left out where no names come from logs of certificates. */
  seedOf?(url: string): number;
  /** Of a new URL in a crawl by priority; left out: places go by depth and sitemaps. */
  rankOf?: RankOf;
  events: FrontierEvents;
}

/** A URL that is new to a crawl by priority. */
export interface NewLink {
  /** In normal form. */
  readonly url: string;
  /** Links from the nearest seed by this way. */
  readonly depth: number;
  /** The page or sitemap that leads to it; null where only its id is at hand, as for a page that a browser has rendered. */
  readonly from: string | null;
}

/** 0 goes first, 7 last; null leaves the URL where it would wait without it. */
export type RankOf = (link: NewLink) => number | null;

export interface FrontierEvents {
  /** A seed redirected out of what its scope counted: lanes have to judge by the new one. */
  scopeGrew(seed: SeedRow): void;
  hostDeferred(host: string, reason: string, urls: number, until: number): void;
  /** A page is asked for again; `afterMs` at the earliest. */
  retryLater(url: string, status: number | null, why: string, afterMs: number): void;
  crawlDelayTooLong(host: string, delayMs: number): void;
  /** Its robots.txt does not answer, and it is crawled all the same. */
  robotsUnanswered(origin: string): void;
  /** The first URL of a pattern was cut; told once that is durable. */
  trapCut(pattern: string): void;
  sitemapRead(url: string, urls: number): void;
  /** A host has more sitemap files than are read of it: told when the first is cut (null), and at the end with how many this run has cut. */
  sitemapsCut(host: string, files: number | null): void;
  /** Pages that are settled for good, in the order they came; told once their commit is durable. */
  settled(pages: SettledPage[]): void;
  /** Assets that are settled; `others`: any may be besides, where all that waited for a host was put off or failed together. */
  assets?(ids: number[], others: boolean): void;
  /** So many requests of the host may be on the wire from now on. */
  retuned?(host: string, limit: number): void;
  /** Nothing more may be sent to the host for now: what lanes have in stock for it is to come back. */
  recall?(host: string): void;
  /** Hosts left memory: whoever keeps something by origin may forget it. */
  originsLeft(origins: number[]): void;
  /** What other machines of the same crawl are to be told of is durable: by slot, the number of the last. */
  posted?(mail: readonly { slot: number; last: number }[]): void;
  /** Something may be ready earlier than `wakeAt` said. */
  wake(): void;
}

/** Which of so many waiting URLs goes next, counted from the oldest. */
export type Choose = (waiting: number) => number;

/** What the user has said of one host; what is left out is as for all others. */
export interface HostLimits {
  readonly delayMs?: number;
  readonly maxInflight?: number;
  readonly maxUrls?: number;
}

/** What the scheduler has to know; all of it comes from the options of the crawl. */
export interface SchedulerOptions extends BackoffOptions {
  /** --delay as it applies to this host (0 on loopback unless it was given). */
  delayMsFor(hostName: string): number;
  /** What is said of some hosts, by the name that pacing goes by; the delay is in `delayMsFor` already. Left out: nothing. */
  limitsOf?(hostName: string): HostLimits;
  /** The most that any host may have on the wire, where some may have more than `maxInflightPerHost`. */
  mostInflight?: number;
  /** On the wire, here and for `autoTune`. */
  maxInflightPerHost: number;
  autoTune: boolean;
  /** So many URLs of a host without a delay may be leased beyond those that may be on the wire: lanes keep them in stock. Left out: none. */
  leasesInStock?: number;
  /** A transaction may be composed while the last one is being committed. Only where what is learnt of a URL never changes how it is asked for. */
  overlaps?: boolean;
  /**
   * The row of a host is not written with each page of it, but every ten seconds: a run that begins after a kill counts its pages anew, and lets
   * it wait its whole delay. Only where no limit goes by that count.
   */
  savesHostsLate?: boolean;
  frontierLimit: number;
  readyHeapLimit: number;
  robotsWorkers: number;
  /** Where it is not obeyed it is asked for all the same if sitemaps are sought, for it names them. */
  obeyRobots: boolean;
  /** An origin whose robots.txt does not answer is put off, or treated as if it forbade nothing. */
  robotsUnreachable: 'defer' | 'allow';
  /** Origins that are answered from this machine's own files: no robots.txt speaks for them. */
  ownOrigins?: readonly string[];
  /** A host that says 429 is asked at a longer delay from then on, and does not get faster again. */
  learnsDelay?: boolean;
  /** A robots.txt whose time runs out is asked for twice in all, and what came of it is the result of each URL that waits for it. */
  givesUpOnSilence?: boolean;
  /** What fails is looked at a second time; null or left out: it is not. */
  secondLook?: SecondLook | null;
  maxWaitMs: number;
  maxCrawlDelayMs: number;
  retries: number;
  retryDelayMs: number;
  order: Order;
  /** Is called once for each origin and returns what chooses the next of its URLs; null where they go out in their order. */
  choose: (() => Choose) | null;
  /** No page is asked for, only robots.txt and sitemaps. */
  surveyOnly: boolean;
  /** In a survey the seeds are asked for all the same, and what they redirect to. */
  surveysSeeds?: boolean;
  /** What waits has been asked for before: no limit on URLs keeps it, or its robots.txt, from being asked again. */
  asksAgain?: boolean;
  /** What is cut as a trap is asked for all the same; its links are not read. */
  asksTraps?: boolean;
  /** Pages of an earlier run are asked whether they have changed. */
  renews?: boolean;
  /** 0 = no limit, here and below. */
  maxUrls: number;
  maxUrlsPerHost: number;
  /** Of seeds that have a limit of their own. */
  maxUrlsOfSeeds: ReadonlyMap<number, number>;
  maxInflightPerIp: number;
  delayPerIpMs: number;
  seekSitemaps: boolean;
  /** Depth forbids all that a sitemap could name. */
  sitemapsAreBeyond?: boolean;
  maxRedirects: number;
  /** Of a crawl on several machines, the part that this one has: it asks for nothing of the others' hosts. Left out: all of it. */
  seat?: Seat;
}

export const MAX_RETRY_DELAY_MS = 30_000;
export const ROBOTS_AGE_MS = 24 * 3600 * 1000;
/** robots.txt that does not answer is asked twice more, after these pauses. */
export const ROBOTS_RETRIES_MS = [2_000, 4_000] as const;
/** Of a host that refuses connections it is asked again as a page would be. */
export const longestRobotsPauseMs = ({ retryDelayMs, retries }: SchedulerOptions): number =>
  Math.max(...ROBOTS_RETRIES_MS, retryDelayMs * 2 ** retries);
export const SITEMAP_PLACES = ['/sitemap.xml', '/sitemap_index.xml'] as const;
