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
  /** The seed that lets a URL in, or -1. Left out if no names come from certificate logs. */
  seedOf?(url: string): number;
  /** The rank of a new URL in a crawl by priority; by default ranks go by depth and sitemaps. */
  rankOf?: RankOf;
  events: FrontierEvents;
}

/** A URL that is new to a crawl by priority. */
export interface NewLink {
  /** In normal form. */
  readonly url: string;
  /** Links from the nearest seed by this way. */
  readonly depth: number;
  /** The page or sitemap that leads to it; null if only its id is at hand, as for a page that a browser has rendered. */
  readonly from: string | null;
}

/** 0 goes first, 7 last; null leaves the URL where it would wait without it. */
export type RankOf = (link: NewLink) => number | null;

export interface FrontierEvents {
  /** A seed redirected out of what its scope counted: lanes have to judge by the new one. */
  scopeGrew(seed: SeedRow): void;
  hostDeferred(host: string, reason: string, urls: number, until: number): void;
  /** A page is requested again, after `afterMs` at the earliest. */
  retryLater(url: string, status: number | null, why: string, afterMs: number): void;
  crawlDelayTooLong(host: string, delayMs: number): void;
  /** Its robots.txt does not answer, and it is crawled all the same. */
  robotsUnanswered(origin: string): void;
  /** The first URL of a pattern was cut; told once that is durable. */
  trapCut(pattern: string): void;
  sitemapRead(url: string, urls: number): void;
  /** A host has more sitemap files than are read: called when the first is cut (null), and at the end with how many this run has cut. */
  sitemapsCut(host: string, files: number | null): void;
  /** Pages that are settled for good, in the order they came; told once their commit is durable. */
  settled(pages: SettledPage[]): void;
  /** Assets that are settled; `others` means that any others may be too, because all that waited for a host was put off or failed together. */
  assets?(ids: number[], others: boolean): void;
  /** How many requests of the host may be on the wire from now on. */
  retuned?(host: string, limit: number): void;
  /** Nothing more may be sent to the host for now: lanes are to give back their stock for it. */
  recall?(host: string): void;
  /** Hosts left memory: data that is kept by origin may be forgotten. */
  originsLeft(origins: number[]): void;
  /** Mail to other machines of the same crawl is durable: by slot, the number of the last. */
  posted?(mail: readonly { slot: number; last: number }[]): void;
  /** Something may be ready earlier than `wakeAt` said. */
  wake(): void;
}

/** Which of so many waiting URLs goes next, counted from the oldest. */
export type Choose = (waiting: number) => number;

/** The user's settings for one host; those left out are as for all others. */
export interface HostLimits {
  readonly delayMs?: number;
  readonly maxInflight?: number;
  readonly maxUrls?: number;
}

/** What the scheduler has to know; all of it comes from the options of the crawl. */
export interface SchedulerOptions extends BackoffOptions {
  /** --delay as it applies to this host (0 on loopback unless it was given). */
  delayMsFor(hostName: string): number;
  /** Settings for some hosts, by the name that pacing goes by; the delay is in `delayMsFor` already. */
  limitsOf?(hostName: string): HostLimits;
  /** The most that any host may have on the wire, where some may have more than `maxInflightPerHost`. */
  mostInflight?: number;
  /** On the wire, here and for `autoTune`. */
  maxInflightPerHost: number;
  autoTune: boolean;
  /** How many URLs of a host without a delay may be leased beyond those on the wire: lanes keep them in stock. None by default. */
  leasesInStock?: number;
  /** Whether a transaction may be composed while the last one is being committed: only if nothing learnt about a URL changes how it is requested. */
  overlaps?: boolean;
  /**
   * Whether a host's row is written every ten seconds and not with each of its pages: a run after a kill counts its pages anew, and lets
   * it wait its whole delay. Only if no limit uses that count.
   */
  savesHostsLate?: boolean;
  frontierLimit: number;
  readyHeapLimit: number;
  robotsWorkers: number;
  /** If robots.txt is not obeyed, it is still requested when sitemaps are sought, because it names them. */
  obeyRobots: boolean;
  /** Whether an origin whose robots.txt does not answer is put off, or treated as if it forbade nothing. */
  robotsUnreachable: 'defer' | 'allow';
  /** Origins that are answered from this machine's own files: no robots.txt speaks for them. */
  ownOrigins?: readonly string[];
  /** A host that says 429 is asked at a longer delay from then on, and does not get faster again. */
  learnsDelay?: boolean;
  /** A robots.txt that times out is requested twice in all, and its result is the result of each URL that waits for it. */
  givesUpOnSilence?: boolean;
  /** Settings for second looks at URLs that failed; null or left out if there are none. */
  secondLook?: SecondLook | null;
  maxWaitMs: number;
  maxCrawlDelayMs: number;
  retries: number;
  retryDelayMs: number;
  order: Order;
  /** Called once for each origin; returns the function that chooses the next of its URLs. Null if they go out in their order. */
  choose: (() => Choose) | null;
  /** Whether no page is requested, only robots.txt and sitemaps. */
  surveyOnly: boolean;
  /** Whether a survey still requests the seeds, and what they redirect to. */
  surveysSeeds?: boolean;
  /** Whether all waiting URLs were requested before: then no limit on URLs stops them, or their robots.txt. */
  asksAgain?: boolean;
  /** Whether URLs that are cut as traps are still requested; their links are not read. */
  asksTraps?: boolean;
  /** Whether servers are asked if pages of an earlier run have changed. */
  renews?: boolean;
  /** 0 = no limit, here and below. */
  maxUrls: number;
  maxUrlsPerHost: number;
  /** Of seeds that have a limit of their own. */
  maxUrlsOfSeeds: ReadonlyMap<number, number>;
  maxInflightPerIp: number;
  delayPerIpMs: number;
  seekSitemaps: boolean;
  /** Whether depth forbids everything that a sitemap could name. */
  sitemapsAreBeyond?: boolean;
  maxRedirects: number;
  /** This machine's part of a crawl on several: it sends no requests to the others' hosts. Left out if it crawls alone. */
  seat?: Seat;
}

export const MAX_RETRY_DELAY_MS = 30_000;
export const ROBOTS_AGE_MS = 24 * 3600 * 1000;
/** A robots.txt that does not answer is requested twice more, after these pauses. */
export const ROBOTS_RETRIES_MS = [2_000, 4_000] as const;
/** Of a host that refuses connections it is asked again as a page would be. */
export const longestRobotsPauseMs = ({ retryDelayMs, retries }: SchedulerOptions): number =>
  Math.max(...ROBOTS_RETRIES_MS, retryDelayMs * 2 ** retries);
export const SITEMAP_PLACES = ['/sitemap.xml', '/sitemap_index.xml'] as const;
