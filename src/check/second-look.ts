import { systemClock } from '../base/clock.js';
import type { SecondLook as SecondLookRules } from '../frontier/verdict.js';
import type { CheckQueueOptions } from '../store/check-queue.js';
import type { CheckReader } from '../store/check-reader.js';
import { UrlState } from '../store/url-state.js';
import { hostnameOf, isLoopbackHost, originOf } from '../url/host.js';
import type { CheckRules } from './rules.js';

/** Between the first look and the second. */
const SECOND_LOOK_AFTER_MS = 5_000;

/** Failures that a second look can tell more about. */
export const DOUBTFUL: readonly string[] = [
  'http_4xx',
  'http_5xx',
  'timeout',
  'too_slow',
  'connection_refused',
  'connection_reset',
  'tls',
  'dns',
  'auth_required',
  'rate_limited',
  'malformed_html',
  'redirect_limit',
  'invalid_url',
  'unknown',
];

const mediaType = (contentType: string | null): string => (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** Decides which failures get a second look, and when: after a pause, or at once where the server is on this machine. */
export const secondLookBy = (rules: Pick<CheckRules, 'accepts'>, ownOrigins: ReadonlySet<string>): SecondLookRules => ({
  isAccepted: (url, status) => rules.accepts(url, status),
  // A chain that is too long is known by its end alone, between two rounds.
  afterMs: (url, reason, status) =>
    !DOUBTFUL.includes(reason) || reason === 'redirect_limit' || rules.accepts(url, status)
      ? null
      : pauseBefore(originOf(url), ownOrigins),
});

/** A server of this machine gives the same answer whether one waits or not, so it is asked again at once. */
const pauseBefore = (origin: string, ownOrigins: ReadonlySet<string>): number =>
  ownOrigins.has(origin) || isLoopbackHost(hostnameOf(`${origin}/`)) ? 0 : SECOND_LOOK_AFTER_MS;

/** How looks that are queued between two rounds are paced. */
export function pacing(ownOrigins: readonly string[], asksNobody = false): CheckQueueOptions {
  const own = new Set(ownOrigins);
  return {
    ...{ now: systemClock.wall(), pauseMs: SECOND_LOOK_AFTER_MS },
    isOwn: (origin) => asksNobody || pauseBefore(origin, own) === 0,
  };
}

/**
 * Some servers answer HEAD as they do not answer GET. Of each host and media type one URL that only a HEAD has answered for is asked for
 * its first byte, the one whose name comes first, so that the order of answers decides nothing; where that is refused, all of the host.
 */
export function headsToConfirm(store: CheckReader, ownOrigins: readonly string[]): number[] {
  const own = new Set(ownOrigins);
  const asked = new Set<string>();
  // Here HEAD fails and GET answers; below it is the other way round.
  const liars = new Set(store.hostsThatHeadDenied());
  for (const { host, contentType, state, status } of store.askedAfterGoodHead()) {
    asked.add(`${host} ${mediaType(contentType)}`);
    if (state === UrlState.failed || (state === UrlState.done && (status ?? 200) >= 300)) {
      liars.add(host);
    }
  }
  const chosen: number[] = [];
  for (const { id, origin, host, contentType } of store.knownByHead()) {
    const key = `${host} ${mediaType(contentType)}`;
    if (!own.has(origin) && (liars.has(host) || !asked.has(key))) {
      asked.add(key);
      chosen.push(id);
    }
  }
  return chosen;
}
