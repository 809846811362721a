import type { Lease, Outcome } from '../../src/frontier/frontier.js';
import { UrlKind } from '../../src/store/url-state.js';

interface HostOnWire {
  answeredAt: number;
  awaitingHeaders: number;
  crawlDelayMs: number;
  robotsSettled: boolean;
  /** It asked to be left alone until then. */
  notBefore: number;
}

const TOLERANCE_MS = 1e-6;

/** Every request to every host, held against what the host may expect: its own robots.txt, not the crawler's opinion of it. */
export class WireWatch {
  readonly #hosts = new Map<string, HostOnWire>();
  readonly #delayMsFor: (hostName: string) => number;
  readonly #obeysRobots: boolean;
  readonly #maxRetryAfterMs: number;

  constructor(options: { delayMsFor(hostName: string): number; obeyRobots: boolean; maxRetryAfterMs: number }) {
    this.#delayMsFor = options.delayMsFor;
    this.#obeysRobots = options.obeyRobots;
    this.#maxRetryAfterMs = options.maxRetryAfterMs;
  }

  sent(lease: Lease, at: number): void {
    const host = this.#of(lease.host);
    const delayMs = this.#delayOf(lease.host, host);
    if (delayMs > 0 && host.awaitingHeaders > 0) {
      throw new Error(`${lease.host} has a delay and is asked for ${lease.url} while it has not answered`);
    }
    if (at < host.answeredAt + delayMs - TOLERANCE_MS) {
      throw new Error(`${lease.host} is asked for ${lease.url} after ${at - host.answeredAt} ms, and its delay is ${delayMs} ms`);
    }
    if (delayMs > 0 && at < host.notBefore - TOLERANCE_MS) {
      throw new Error(`${lease.host} is asked for ${lease.url} ${host.notBefore - at} ms before its Retry-After is over`);
    }
    if (this.#obeysRobots && lease.kind !== UrlKind.robots && !host.robotsSettled) {
      throw new Error(`${lease.url} is asked for before robots.txt is settled`);
    }
    host.awaitingHeaders++;
  }

  answered(lease: Lease, at: number): void {
    const host = this.#of(lease.host);
    host.awaitingHeaders--;
    host.answeredAt = Math.max(host.answeredAt, at);
  }

  ended(lease: Lease, outcome: Outcome): void {
    const host = this.#of(lease.host);
    if (outcome.headersAt === null && outcome.unsent === null) {
      this.answered(lease, outcome.endedAt);
    }
    if (outcome.retryAfterMs !== null && (outcome.status === 429 || outcome.status === 503)) {
      host.notBefore = Math.max(host.notBefore, outcome.endedAt + Math.min(this.#maxRetryAfterMs, outcome.retryAfterMs));
    }
    if (outcome.robots?.standing === 'rules') {
      host.robotsSettled = true;
      host.crawlDelayMs = outcome.robots.crawlDelayMs ?? 0;
    }
  }

  /** The connection is gone with whoever held it. */
  lost(lease: Lease, headersSeen: boolean, at: number): void {
    if (!headersSeen) {
      this.answered(lease, at);
    }
  }

  #delayOf(name: string, host: HostOnWire): number {
    return Math.max(this.#delayMsFor(name), host.crawlDelayMs);
  }

  #of(name: string): HostOnWire {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = { answeredAt: Number.NEGATIVE_INFINITY, awaitingHeaders: 0, crawlDelayMs: 0, robotsSettled: false, notBefore: 0 };
      this.#hosts.set(name, host);
    }
    return host;
  }
}
