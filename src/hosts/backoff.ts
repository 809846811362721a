import type { ErrorClass } from '../base/errors.js';

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
