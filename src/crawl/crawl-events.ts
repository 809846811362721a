import { UsageError } from '../base/errors.js';
import { describe } from '../config/arguments.js';
import { didYouMean, nearest } from '../config/suggest.js';
import type { CrawledPage } from './crawled-page.js';
import type { GovernorDecision } from './governor.js';

/** A moment of a crawl, in numbers. */
export interface CrawlStats {
  /** Of all runs: answered with a page, a file or a redirect that ends well. */
  done: number;
  /** Of all runs: answered with 4xx or 5xx, unreadable, or not answered at all. */
  failed: number;
  /** Of all runs: not asked for (robots.txt, nofollow, depth, traps, limits). */
  skipped: number;
  /** URLs that are put off with their host. */
  deferred: number;
  /** URLs that wait to be asked for, in memory and on disk. */
  queued: number;
  /** Requests under way. */
  inFlight: number;
  /** In flight at most, as the governor has it now. */
  inFlightLimit: number;
  /** Results that wait to be taken from the iterator. */
  waitingResults: number;
  /** Requests of this run. */
  requests: number;
  /** Of them, those for pages that had failed before. */
  retries: number;
  /** Bytes of bodies of this run, robots.txt and sitemaps included. */
  bytes: number;
  /** Since the run began. */
  elapsedMs: number;
  /** Hosts that wait for their next allowed time. */
  hostsDelayed: number;
  /** The host whose turn comes next, and in how many milliseconds; null where there is none. */
  next: { host: string; inMs: number } | null;
}

/** What a run tells, by the name to listen under. */
export interface RunEvents {
  /** The same results as the iteration gives, for those who do not iterate. */
  page: CrawledPage;
  /** A sentence that a user should see. */
  notice: string;
  /** Once a second. */
  tick: CrawlStats;
  /** What the governor decided; the limit need not have changed. */
  governed: GovernorDecision;
  /** A sitemap was read, with the number of its URLs. */
  sitemap: { url: string; urls: number };
}

type Listeners = { [Name in keyof RunEvents]: Set<(event: RunEvents[Name]) => void> };

export class Listening {
  readonly #listeners: Listeners = {
    page: new Set(),
    notice: new Set(),
    tick: new Set(),
    governed: new Set(),
    sitemap: new Set(),
  };

  add<Name extends keyof RunEvents>(name: Name, listener: (event: RunEvents[Name]) => void): void {
    this.#listeners[name].add(listener);
  }

  remove<Name extends keyof RunEvents>(name: Name, listener: (event: RunEvents[Name]) => void): void {
    this.#listeners[name].delete(listener);
  }

  of<Name extends keyof RunEvents>(name: Name): readonly ((event: RunEvents[Name]) => void)[] {
    return [...this.#listeners[name]];
  }

  check(name: unknown, listener: unknown): void {
    const names = Object.keys(this.#listeners);
    if (typeof name !== 'string' || !names.includes(name)) {
      const near = typeof name === 'string' ? nearest(name, names) : null;
      throw new UsageError(`a run has the events ${names.join(', ')}, got ${describe(name)}${didYouMean(near)}`);
    }
    if (typeof listener !== 'function') {
      throw new UsageError(`the listener of ${name} must be a function, got ${describe(listener)}`);
    }
  }
}
