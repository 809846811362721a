import type { ErrorClass } from '../base/errors.js';
import type { QueuedUrl } from '../store/transaction.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { Outcome } from './outcome.js';

/** What an answer means for the URL that was asked for. */

/** What happens to a page after one request. */
export type Verdict =
  | { state: typeof UrlState.done | typeof UrlState.failed | typeof UrlState.skipped; reason: string | null }
  /** `look`: the one that this request was part of, where it is over and the second begins. */
  | { state: 'retry'; afterMs: number; flags: number; reason: string | null; look?: 1 };

export interface RetryRules {
  retries: number;
  retryDelayMs: number;
  maxRetryDelayMs: number;
  /** A URL that failed is looked at a second time, some time later. */
  secondLook?: SecondLook;
}

/** What a check requests once more before it reports a failure. */
export interface SecondLook {
  /** How long after the first look; null if the user accepts this answer, or nothing more would be learnt. */
  afterMs(url: string, reason: string, status: number | null): number | null;
  /** Whether the user accepts this answer. */
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

/** One such request takes so long that there is no third one. */
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

/** Only these are looked at a second time: others link to them, and a reader misses them if they are broken. */
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
