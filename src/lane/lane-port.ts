import type { SegmentUpdate } from '../frontier/key-table.js';
import type { Outcome, PagePiece } from '../frontier/outcome.js';
import type { CookieChange, KeptCookie } from '../url/kept-cookie.js';
import type { Job, RenderedHtml } from './lane.js';
import type { StartedHooks } from './messages.js';

/** A lane as the coordinator sees it: in this thread or in another. */
export interface LanePort {
  take(jobs: Job[], updates: SegmentUpdate[]): void;
  widenScope(version: number, seed: number, scopeUrls: string[]): void;
  forgetRules(origins: number[]): void;
  dropCaches(): void;
  /** Looks for requests that may go on: bytes were settled, or another lane has left a place on the wire. */
  flow(): void;
  /** Asks for the stock of the host with this place, or (null) of all hosts, to come back unsent. */
  recall(place: number | null): void;
  /** A piece of what a page leads to is admitted: the ids of what it offered. */
  admitted(id: number, ids: readonly number[]): void;
  /** Reads a page that a browser has left. */
  read(page: RenderedHtml): Promise<Outcome>;
  /** Gives it cookies of one of its sites that were set elsewhere. */
  putCookies?(site: string, cookies: readonly KeptCookie[]): void;
  /** These sites have left it; only where cookies are kept. */
  forgetCookies?(sites: readonly string[]): void;
  resolve(host: string): Promise<string>;
  /** Sets how many sockets it may have open. */
  resizeSockets?(count: number): void;
  /** It gets no more jobs, and keeps only the sockets in use; returns their number. Only called on the inline lane. */
  retireSockets?(): number;
  /** For a lane in a thread: resolves when that has time to answer. */
  ping?(): Promise<void>;
  /** For a lane with the user's hooks: runs `start`, passes on its result, runs `end`. */
  startHooks?(): Promise<StartedHooks>;
  started?(started: string | null): void;
  endHooks?(summary: string): Promise<void>;
  close(): Promise<void>;
  /** The most pages that ever waited to be read. */
  peakWaiting(): number;
}

export interface LaneListener {
  headers(ids: number[], ats: number[]): void;
  outcomes(outcomes: Outcome[]): void;
  piece(piece: PagePiece): void;
  /** Cookies that answers have set; ahead of the outcomes of those answers. */
  cookies?(changes: CookieChange[]): void;
  /** The hook module threw when none of its hooks was running. */
  strayThrow?(words: string): void;
  /** The lane is gone, with what it held. */
  died(lane: number, error: Error): void;
}
