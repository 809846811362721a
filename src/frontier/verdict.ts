import type { ErrorClass } from '../base/errors.js';
import { UrlFlag, UrlState } from '../store/url-state.js';
import type { Outcome } from './frontier.js';

/** What becomes of a page after one request. */
export type Verdict =
  | { state: typeof UrlState.done | typeof UrlState.failed | typeof UrlState.skipped; reason: string | null }
  | { state: 'retry'; afterMs: number; flags: number; reason: string | null };

export interface RetryRules {
  retries: number;
  retryDelayMs: number;
  maxRetryDelayMs: number;
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

const TRANSIENT: ReadonlySet<ErrorClass | null> = new Set([
  'timeout',
  'connection_refused',
  'connection_reset',
  'too_slow',
  'http_5xx',
  'rate_limited',
] as const);

/** Whether a request goes out because an earlier one failed. The GET after a refused HEAD is the same attempt. */
export const isRetry = (attempt: number, flags: number): boolean =>
  attempt - ((flags & (UrlFlag.rangedGet | UrlFlag.wholeGet)) !== 0 ? 1 : 0) > 1;

export function judge(outcome: Outcome, attempt: number, flags: number, rules: RetryRules): Verdict {
  if (outcome.unsent === 'robots') {
    return { state: UrlState.skipped, reason: 'robots' };
  }
  if (outcome.askAgain !== null) {
    const flag = outcome.askAgain === 'ranged' ? UrlFlag.rangedGet : UrlFlag.wholeGet;
    return { state: 'retry', afterMs: 0, flags: flags | flag, reason: null };
  }
  const problem = outcome.errorClass ?? (outcome.status === null ? 'unknown' : classOfStatus(outcome.status));
  if (problem === null) {
    return { state: UrlState.done, reason: null };
  }
  // The GET after a refused HEAD is the same attempt.
  const asked = (flags & (UrlFlag.rangedGet | UrlFlag.wholeGet)) !== 0 ? 1 : 0;
  // A second look has tries of its own, and so has what is asked with a cookie; what came before counts as one request.
  const used = Math.max(0, attempt - 1 - ((flags & (UrlFlag.secondLook | UrlFlag.gate)) !== 0 ? 1 : asked));
  if (TRANSIENT.has(problem) && used < rules.retries) {
    const afterMs = Math.min(rules.maxRetryDelayMs, rules.retryDelayMs * 2 ** used);
    return { state: 'retry', afterMs, flags, reason: problem };
  }
  return { state: UrlState.failed, reason: problem };
}
