import type { BackoffOptions } from '../../hosts/backoff.js';
import type { SecondLook } from '../verdict.js';
import type { Choose } from './queue-window.js';

export type Order = 'bfs' | 'dfs' | 'priority';

/** What the scheduler has to know; all of it comes from the options of the crawl. */
export interface SchedulerOptions extends BackoffOptions {
  /** --delay as it applies to this host (0 on loopback unless it was given). */
  delayMsFor(hostName: string): number;
  maxInflightPerHost: number;
  autoTune: boolean;
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
  /** Makes, for each origin, what chooses the next of its URLs; null: in their order. */
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
  maxUrlsOfSeed(seed: number): number;
  maxInflightPerIp: number;
  delayPerIpMs: number;
  seekSitemaps: boolean;
  /** Depth forbids all that a sitemap could name. */
  sitemapsAreBeyond?: boolean;
  maxRedirects: number;
}

export const MAX_RETRY_DELAY_MS = 30_000;
export const ROBOTS_AGE_MS = 24 * 3600 * 1000;
/** robots.txt that does not answer is asked twice more, after these pauses. */
export const ROBOTS_RETRIES_MS = [2_000, 4_000] as const;
/** How often it is asked for where two looks are all that silence gets. */
export const ROBOTS_LOOKS = 2;
/** Of a host that refuses connections it is asked again as a page would be. */
export const longestRobotsPauseMs = ({ retryDelayMs, retries }: SchedulerOptions): number =>
  Math.max(...ROBOTS_RETRIES_MS, retryDelayMs * 2 ** retries);
export const SITEMAP_PLACES = ['/sitemap.xml', '/sitemap_index.xml'] as const;
