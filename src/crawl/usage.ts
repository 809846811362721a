import type { Outcome } from '../frontier/outcome.js';
import type { ByteBudget } from '../lane/byte-budget.js';

/** What a run has asked for, and how far it came up to its limits. */
export class Usage {
  requests = 0;
  /** Answers of the cache, without a request. */
  cached = 0;
  /** Pages of an earlier crawl that were carried over, with or without a request that confirmed them. */
  carriedOver = 0;
  bytes = 0;
  parseMs = 0;
  skippedLinks = 0;
  peakInFlight = 0;
  peakWaiting = 0;
  peakHeldBytes = 0;
  peakPaused = 0;

  /** Returns whether a request was made for it, or the cache asked; null if neither was. */
  ended(outcome: Outcome): 'answered' | 'cached' | null {
    this.parseMs += outcome.parseMs;
    this.bytes += outcome.page?.bytes ?? 0;
    this.skippedLinks += outcome.skippedLinks;
    this.carriedOver += outcome.isCarriedOver === undefined ? 0 : 1;
    if (outcome.fromCache !== undefined) {
      this.cached += outcome.status === null || outcome.isCarriedOver !== undefined ? 0 : 1;
      return 'cached';
    }
    if (outcome.unsent === null && outcome.isShared === undefined) {
      this.requests++;
      return 'answered';
    }
    return null;
  }

  sawInFlight(count: number): void {
    this.peakInFlight = Math.max(this.peakInFlight, count);
  }

  /** URLs in memory that wait only for a place. */
  sawWaiting(count: number): void {
    this.peakWaiting = Math.max(this.peakWaiting, count);
  }

  sawHeld({ held, pausedBodies }: ByteBudget): void {
    this.peakHeldBytes = Math.max(this.peakHeldBytes, held);
    this.peakPaused = Math.max(this.peakPaused, pausedBodies);
  }
}
