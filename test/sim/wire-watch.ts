import type { Lease, Outcome } from '../../src/frontier/outcome.js';
import { UrlKind } from '../../src/store/url-state.js';
import type { HostOnWire } from './model-tables.js';

const TOLERANCE_MS = 1e-6;

/** Every request to every host, held against what the host may expect: its own robots.txt, not the crawler's opinion of it. */
export class WireWatch {
  readonly #obeysRobots: boolean;
  readonly #maxRetryAfterMs: number;

  constructor(options: { obeyRobots: boolean; maxRetryAfterMs: number }) {
    this.#obeysRobots = options.obeyRobots;
    this.#maxRetryAfterMs = options.maxRetryAfterMs;
  }

  sent(host: HostOnWire, lease: Lease, at: number): void {
    const delayMs = Math.max(host.delayMs, host.crawlDelayMs);
    if (delayMs > 0 && host.awaitingHeaders > 0) {
      throw new Error(`${lease.host} has a delay and is asked for ${lease.url} while it has not answered`);
    }
    if (at < host.answeredAt + delayMs - TOLERANCE_MS) {
      throw new Error(
        `${lease.host} is asked for ${lease.url} after ${at - host.answeredAt} ms, and its delay is ${delayMs} ms`,
      );
    }
    // Without a delay, what was leased before the answer came may still go out.
    if (delayMs > 0 && at < host.notBefore - TOLERANCE_MS) {
      throw new Error(
        `${lease.host} is asked for ${lease.url} ${host.notBefore - at} ms before its Retry-After is over`,
      );
    }
    if (this.#obeysRobots && lease.kind !== UrlKind.robots && !host.robotsSettled) {
      throw new Error(`${lease.url} is asked for before robots.txt is settled`);
    }
    host.awaitingHeaders++;
  }

  /** Its headers came, or it failed without. */
  answered(host: HostOnWire, at: number): void {
    host.awaitingHeaders--;
    host.answeredAt = Math.max(host.answeredAt, at);
  }

  ended(host: HostOnWire, outcome: Outcome): void {
    if (outcome.headersAt === null && outcome.unsent === null) {
      this.answered(host, outcome.endedAt);
    }
    if (outcome.retryAfterMs !== null && (outcome.status === 429 || outcome.status === 503)) {
      host.notBefore = Math.max(
        host.notBefore,
        outcome.endedAt + Math.min(this.#maxRetryAfterMs, outcome.retryAfterMs),
      );
    }
    if (outcome.robots?.standing === 'rules') {
      host.robotsSettled = true;
      host.crawlDelayMs = outcome.robots.crawlDelayMs ?? 0;
    }
  }
}
