import type { ErrorClass } from '../base/errors.js';
import type { QueuedUrl } from '../store/transaction.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { Outcome } from './outcome.js';

/** What an answer means: here for the URL that was asked for, below for the pace of its host. */

/** What becomes of a page after one request. */
export type Verdict =
  | { state: typeof UrlState.done | typeof UrlState.failed | typeof UrlState.skipped; reason: string | null }
  /** `look`: the one that this request was part of, where it is over and the second begins. */
  | { state: 'retry'; afterMs: number; flags: number; reason: string | null; look?: 1 };

export interface RetryRules {
  retries: number;
  retryDelayMs: number;
  maxRetryDelayMs: number;
  /** What failed is looked at a second time, some time later. */
  secondLook?: SecondLook;
}

/** What a check asks for once more before it accuses anybody. */
export interface SecondLook {
  /** How long after the first look; null: the user takes this answer for fine, or nothing more would be learnt. */
  afterMs(url: string, reason: string, status: number | null): number | null;
  /** The user takes this answer for fine. */
  isAccepted(url: string, status: number | null): boolean;
}

export function classOfStatus(status: number): ErrorClass | null {
  if (status < 400) {
    return null;
  }
  if (status === 401 || status === 403 || status === 407) {
    return 'auth_required';
  }
  if (status === 429) {
    return 'rate_limited';
  }
  return status < 500 ? 'http_4xx' : 'http_5xx';
}

/** So long does one such request take that nobody waits for it a third time. */
const SLOW: ReadonlySet<ErrorClass | null> = new Set(['timeout', 'too_slow'] as const);
const TRANSIENT: ReadonlySet<ErrorClass | null> = new Set([
  'timeout',
  'connection_refused',
  'connection_reset',
  'too_slow',
  'http_5xx',
  'rate_limited',
] as const);

/**
 * Requests for it that failed in the same way before this one. The GET after a refused HEAD is the same attempt; a second look has tries of its
 * own, and so has what is asked with a cookie: what came before counts as one request.
 */
function failedBefore(attempt: number, flags: number): number {
  const before = UrlFlag.secondLook | UrlFlag.gate | UrlFlag.rangedGet | UrlFlag.wholeGet;
  return Math.max(0, attempt - 1 - ((flags & before) !== 0 ? 1 : 0));
}

/** Whether a request goes out because an earlier one failed. */
export const isRetry = (attempt: number, flags: number): boolean => failedBefore(attempt, flags) > 0;

/** Only these are looked at a second time: others link to them, and somebody misses them where they are broken. */
const LOOKED_AT_TWICE: ReadonlySet<UrlKind> = new Set([UrlKind.page, UrlKind.sitemap]);
/** These get no second look: one that had it, a seed, whose other spellings are tried instead, and a candidate, which is no page until it answers. */
const LOOKED_AT_ELSEWISE = UrlFlag.secondLook | UrlFlag.seed | UrlFlag.candidate;

export function judge(
  outcome: Outcome,
  asked: Pick<QueuedUrl, 'url' | 'kind' | 'flags' | 'attempts'>,
  rules: RetryRules,
): Verdict {
  const { url, kind, attempts, flags } = asked;
  if (outcome.unsent === 'robots') {
    return { state: UrlState.skipped, reason: 'robots' };
  }
  if (outcome.unsent === 'hook' && outcome.errorClass === null) {
    return { state: UrlState.skipped, reason: 'hook' };
  }
  if (outcome.askAgain !== null) {
    const flag = outcome.askAgain === 'ranged' ? UrlFlag.rangedGet : UrlFlag.wholeGet;
    return { state: 'retry', afterMs: 0, flags: flags | flag, reason: null };
  }
  const problem = outcome.errorClass ?? (outcome.status === null ? 'unknown' : classOfStatus(outcome.status));
  if (problem === null) {
    return { state: UrlState.done, reason: null };
  }
  const { secondLook } = rules;
  const looksAgain = secondLook !== undefined && LOOKED_AT_TWICE.has(kind) && (flags & LOOKED_AT_ELSEWISE) === 0;
  const again = looksAgain ? secondLook.afterMs(url, problem, outcome.status) : null;
  if (again !== null) {
    const marked = (flags | UrlFlag.secondLook) & ~UrlFlag.rangedGet;
    return { state: 'retry', afterMs: again, flags: marked, reason: problem, look: 1 };
  }
  const used = failedBefore(attempts, flags);
  const isFinal = secondLook !== undefined && (SLOW.has(problem) || secondLook.isAccepted(url, outcome.status));
  if (TRANSIENT.has(problem) && used < rules.retries && !isFinal) {
    const afterMs = Math.min(rules.maxRetryDelayMs, rules.retryDelayMs * 2 ** used);
    return { state: 'retry', afterMs, flags, reason: problem };
  }
  return { state: UrlState.failed, reason: problem };
}

export type BlockReason = 'backoff' | 'retry_after' | 'quarantine';

export interface BackoffOptions {
  maxBackoffMs: number;
  quarantineAfter: number;
  maxRetryAfterMs: number;
}

/** Connect errors, time-outs, 5xx and 429 tell that the host is in trouble; other 4xx tell nothing about it. */
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

  /** To be kept across restarts. */
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
