import type { ErrorClass } from '../base/errors.js';

/** What answers mean for the pace of their host: how long it is left alone after trouble, and how many requests it gets at once. */

export type BlockReason = 'backoff' | 'retry_after' | 'quarantine';

export interface BackoffOptions {
  maxBackoffMs: number;
  quarantineAfter: number;
  maxRetryAfterMs: number;
}

/** Connect errors, time-outs, 5xx and 429 show that the host is in trouble; other 4xx say nothing about it. */
export function isHostTrouble(status: number | null, errorClass: ErrorClass | null): boolean {
  if (status !== null) {
    return status === 429 || status >= 500;
  }
  return (
    errorClass === 'timeout' ||
    errorClass === 'connection_refused' ||
    errorClass === 'connection_reset' ||
    errorClass === 'dns' ||
    errorClass === 'tls' ||
    errorClass === 'too_slow'
  );
}

/** How long a host is left alone after its n-th failure in a row: 2^n seconds, somewhat more or less so that hosts do not come back at once. */
export function blockFor(
  failures: number,
  retryAfterMs: number | null,
  random: number,
  options: BackoffOptions,
): { ms: number; reason: BlockReason } {
  const backoffMs = Math.min(options.maxBackoffMs, 2 ** Math.min(failures, 30) * 1000 * (0.75 + random / 2));
  if (failures >= options.quarantineAfter) {
    return { ms: Math.max(options.maxBackoffMs, retryAfterMs ?? 0), reason: 'quarantine' };
  }
  if (retryAfterMs !== null) {
    return { ms: Math.min(retryAfterMs, options.maxRetryAfterMs), reason: 'retry_after' };
  }
  return { ms: backoffMs, reason: 'backoff' };
}

/** Below this, a slower answer says more about this machine than about the server. */
const NOISE_MS = 20;
const ANSWERS_PER_STEP = 5;

/**
 * How many requests a host gets at once (layer 2). Every five answers
 *   limit ← ½·limit + ½·(limit × clamp(1.2 · best/average, ½, 1) + 1)
 * on the time to first byte: it creeps up while more requests do not make the server slower, and settles near 1.2 k + 1 for one that serves
 * k at once. Halved when the server says it has enough.
 */
export class Tuner {
  readonly #ceiling: number;
  readonly #tunes: boolean;
  #limit: number;
  #bestMs = Number.POSITIVE_INFINITY;
  #sumMs = 0;
  #answers = 0;

  constructor(options: { ceiling: number; start: number; tunes: boolean }) {
    this.#ceiling = options.ceiling;
    this.#tunes = options.tunes;
    this.#limit = options.tunes ? Math.min(options.start, options.ceiling) : options.ceiling;
  }

  /** Requests allowed at once. */
  get limit(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** What is kept across restarts. */
  get exact(): number {
    return this.#limit;
  }

  /** The time to first byte of a first attempt. */
  answered(ttfbMs: number): void {
    if (!this.#tunes) {
      return;
    }
    this.#sumMs += Math.max(NOISE_MS, ttfbMs);
    this.#answers++;
    if (this.#answers < ANSWERS_PER_STEP) {
      return;
    }
    const average = this.#sumMs / this.#answers;
    this.#bestMs = Math.min(this.#bestMs, average);
    this.#sumMs = 0;
    this.#answers = 0;
    const factor = Math.min(1, Math.max(0.5, (1.2 * this.#bestMs) / average));
    this.#set(0.5 * this.#limit + 0.5 * (this.#limit * factor + 1));
  }

  /** A time-out, 429 or 503. */
  overloaded(): void {
    if (this.#tunes) {
      this.#set(this.#limit / 2);
    }
  }

  #set(limit: number): void {
    this.#limit = Math.min(this.#ceiling, Math.max(1, limit));
  }
}
