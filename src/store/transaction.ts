import type { Parcel } from '../base/parcel.js';
import type { SetCookie } from '../url/cookies.js';
import type { SealedPage } from './page-row.js';
import type { FoundAgain, Way } from './standing.js';
import type { QueueClass, UrlKind, UrlState } from './url-state.js';

/** What one commit changes, and what it answers. Everything in a transaction happens, or nothing of it. */
export interface Transaction {
  /** Wall time of the commit. */
  at: number;
  /** URLs seen for the first time, ids ascending. Those marked `unsure` may turn out to be known on disk. */
  newUrls: NewUrl[];
  settled: SettledUrl[];
  /** Pages that are settled already and have been through a browser. */
  rendered: RenderedPage[];
  /** Known URLs found again, nearer or by a link that may be followed. */
  found: FoundAgain[];
  leased: number[];
  /** Leases that were never sent: queued again, the attempt not counted. */
  returned: number[];
  skipped: { id: number; reason: string; pattern: string | null }[];
  /** Of the leased ones those that are part of a trap: they are asked for, and their links are not read. */
  unfollowed: { id: number; pattern: string }[];
  /** Of the new URLs those that are traps by their looks alone. */
  trapped: { id: number; pattern: string }[];
  hosts: HostRow[];
  origins: OriginRow[];
  /** All queued URLs of a host or origin at once. */
  bulk: BulkMove[];
  /** Keys that leave memory for the index on disk: four words and the id each. */
  spilledKeys: { segment: number; packed: Uint32Array }[];
  /** Scopes that count further URLs from now on: what was out of scope is looked at again. */
  widened: { seed: number; scopeUrls: string[] }[];
  /** A pattern that is a trap no longer: the first of the URLs that were cut under it are queued again. */
  letIn?: string;
  /** What other machines of the crawl are to have of this one's grant. */
  given?: readonly Gift[];
  /** Free-form state kept for the next run: counters, traps. */
  meta: Record<string, string>;
  /** Records that were added to the archive of the crawl; the store's own thread puts them here. */
  archived?: readonly ArchivedRecord[];
}

/** So many URLs of `--max-urls` that another slot may ask for in the place of this one. */
export interface Gift {
  slot: number;
  urls: number;
}

/** Where a record stands in the archive of the crawl. */
export interface ArchivedRecord {
  url: string;
  /** As indexes are sorted by. */
  surt: string;
  at: number;
  method: string;
  status: number;
  mime: string | null;
  digest: string;
  /** Its payload stands with an earlier record. */
  isRevisit: boolean;
  /** Its payload may stand for that of later ones. */
  isWhole: boolean;
  segment: number;
  offset: number;
  length: number;
}

/** What a URL is from the moment that it is known; each of the records that follow it adds what its own step knows. */
export interface KnownUrl {
  id: number;
  url: string;
  kind: UrlKind;
  depth: number;
  seed: number;
  /** Redirects that led to it in a row. */
  hops: number;
  flags: number;
}

export interface NewUrl extends KnownUrl {
  /** Id of an origin in memory, or its text where only the store can know it. */
  origin: number | string;
  parent: number | null;
  class: QueueClass;
  state: UrlState;
  reason: string | null;
  /** Four words of its key; absent for robots and sitemaps found only by their owner. */
  key: [number, number, number, number];
  unsure: boolean;
  /** What a user gave with it: text of JSON. */
  data?: string;
}

export interface SettledUrl {
  /** The server says that it is as it was. */
  unchanged?: true;
  id: number;
  state: UrlState;
  reason: string | null;
  /** Queued again: not before this wall time, with these flags; and what came of the attempt. A second look counts its attempts anew. */
  retry: { notBefore: number; flags: number; beginsAgain?: true; attempt: FailedAttempt } | null;
  page: SealedPage | null;
  /** The exchange as records of an archive, where there is to be one. */
  archived?: Parcel;
  redirectTo: number | null;
  /** Those that a redirect set. */
  cookies?: SetCookie[];
  /** It was asked for with cookies. */
  passesGate?: true;
  /** Final ids of the page's new URLs, for the PENDING words among its edges; null where its edges are not kept. */
  newIds: number[] | null;
  /** The depth its links were offered from; -1 where they have to be offered again (the scope grew meanwhile). */
  depth: number;
}

/** What a browser made of a page. */
export interface RenderedPage {
  id: number;
  /** Characters that there are to read; null if the browser came to no end. */
  text: number | null;
  /** Whether the body stays, or what the browser made of it; else it is dropped now that nobody waits for it. */
  keepsBody: boolean;
  /** Nobody has tried: nothing spoke for it. */
  isUntried?: true;
  /** What is read of it is the page as it came: a function of the user's has seen that. */
  isAsItCame?: true;
  /** What a hook of the user's threw: the page fails. */
  hookFailed?: string | null;
  /** What was read of the page that the browser made; null if the page stays as it came. */
  reading: (Pick<SettledUrl, 'newIds' | 'depth'> & { page: SealedPage }) | null;
}

/** A request after which the URL was asked for once more. */
export interface FailedAttempt {
  /** From 1. */
  number: number;
  /** Wall time. */
  at: number;
  status: number | null;
  message: string | null;
}

export interface HostRow {
  id: number;
  nextAllowedAt: number;
  blockedUntil: number;
  blockReason: string | null;
  failures: number;
  tunedLimit: number | null;
  /** At which the host has not refused. */
  learnedDelayMs: number;
  dispatched: number;
  sitemapFiles: number;
  deferredReason: string | null;
  address: string | null;
  parkedUntil: number | null;
}

export interface OriginRow {
  id: number;
  robotsId: number | null;
  robotsState: string;
  robotsRules: string | null;
  robotsAt: number | null;
  robotsExpiresAt: number | null;
  crawlDelayMs: number | null;
  sitemapsSought: boolean;
  /** How often in a row robots.txt could not be had. */
  robotsTries: number;
  /** Wall time: it is not asked again before. */
  robotsRetryAt: number;
}

/** All queued (or deferred) URLs of a host, or of one origin, move together. */
export interface BulkMove {
  host: number | null;
  origin: number | null;
  from: UrlState;
  to: UrlState;
  reason: string | null;
}

export interface QueuedUrl extends KnownUrl {
  class: QueueClass;
  attempts: number;
  /** Wall time. */
  notBefore: number;
  /** Of a page that is known from an earlier run. */
  etag?: string | null;
  lastModified?: string | null;
  /** The header to ask with, where redirects ran in a circle without it. */
  cookie?: string | null;
}

/** A host as it stands on disk, with what is queued for it. */
export interface HostSnapshot {
  host: HostRow & { name: string };
  origins: OriginSnapshot[];
}
export interface OriginSnapshot {
  row: OriginRow;
  origin: string;
  /** By class. */
  queued: readonly number[];
  deferred: number;
}

export interface CommitAnswer {
  /** Hosts of new URLs whose origin was given by text. */
  hosts: HostSnapshot[];
  /** Of the unsure ones: the id it is known by, when it is known. */
  known: [id: number, knownId: number][];
  /**
   * How many became queued by the store's decision (found again, scope widened), and by how many the pages of each state are more, or
   * fewer: candidates are among them once a page leads to them.
   */
  change: { queued: number; done: number; skipped: number; failed: number; deferred: number };
  /** The new flags of URLs that are queued or leased, where memory may have old ones. */
  reflagged: [id: number, flags: number][];
  /** Seeds redirected: their scopes count these URLs from now on; `opens`: that lets in more than before. */
  widened: { seed: number; scopeUrls: string[]; opens: boolean }[];
  /**
   * Origins that the scope has grown to since their robots.txt was read: it is asked for again, for the sitemaps
   * that it names. `waits`: something is queued there that waits for it.
   */
  unsought: { origin: string; waits: boolean }[];
  /** The first of the URLs that became queued with this commit. They are urgent, so memory gets them at once. */
  queued: (QueuedUrl & { origin: string })[];
  /** Origins where the others wait, among those with lower and higher ids: what memory has of their queues is no longer the beginning. */
  reloaded: Set<string>;
  /** Patterns of traps that cut a URL for the first time. */
  trapped: string[];
  /** How URLs that were known are led to by now, for the table in memory. */
  lowered: ({ key: [number, number, number, number]; id: number } & Way)[];
  /** How many each bulk move moved, in order; sitemaps and candidates are URLs too. */
  moved: { urls: number; pages: number }[];
  /** Of settled pages that a user gave data with: what their records say now. Left out where there is none. */
  data?: [id: number, data: string][];
  /** How many were queued again because their pattern is a trap no longer. */
  letIn?: number;
  /** Of a crawl on several machines: to which slots mail was written, and the number of the last. Left out where there was none. */
  posted?: { slot: number; last: number }[];
  lookups: { asked: number; saved: number; hits: number };
  commitMs: number;
}

export interface QueueLoad {
  origin: number;
  class: QueueClass;
  /** Ids after this one, or before it when the newest go first. */
  beyond: number;
  newestFirst: boolean;
  limit: number;
  /** Pages of an earlier run are among them: what asks whether they have changed is wanted too. */
  renews?: boolean;
}

/** What a run starts from. */
export interface StoreSnapshot {
  run: number;
  resumed: boolean;
  /** Requests that were under way when the last run was killed: queued again. */
  refetched: number;
  /** Under way at kill after kill, at last alone, and nothing settled meanwhile: failed now. */
  abandoned: number;
  /** Of those queued again: how many may be what takes the process down. So many are fetched one at a time. */
  suspects: number;
  nextId: number;
  nextSeq: number;
  /** After a kill a host waits its whole delay: nobody knows when its last request went out. */
  unclean: boolean;
  meta: Record<string, string>;
  hosts: HostSnapshot[];
  /** Hosts with queued URLs that were left on disk. */
  parkedHosts: number;
  /** Hosts that the store knows, finished ones too; left out: none. */
  knownHosts?: number;
  counts: Record<string, number>;
  /** Of all pages of earlier runs. */
  bytes: number;
  /** URLs that were asked for, of seeds that have a budget. */
  seedUse: [seed: number, urls: number][];
  /** Segments of the key table that are on disk. */
  spilledSegments: number[];
  seeds: SeedRow[];
}

/** A line of a seeds file that is no seed. */
export interface BadSeed {
  /** File and line. */
  place: string;
  text: string;
  problem: string;
}

export interface SeedRow {
  seed: number;
  url: string;
  label: string;
  scope: string;
  depth: number | null;
  maxUrls: number | null;
  fallbacks: string[];
  /** The URLs whose host and directory the seed's scope counts: its own and what it redirected to. */
  scopeUrls: string[];
}

/** The store as the frontier sees it: behind it a thread, or in the simulator a model. */
export interface StorePort {
  commit(transaction: Transaction): Promise<CommitAnswer>;
  loadQueue(loads: QueueLoad[]): Promise<QueuedUrl[][]>;
  /** Parked hosts that are due, at most `limit`; they are no longer parked. */
  loadDue(wall: number, limit: number): Promise<{ hosts: HostSnapshot[]; nextDue: number | null; parked: number }>;
}
