import { QueueClass, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { Offer } from './frontier.js';
import { keyOf } from './seed-book.js';

/** What third parties name stands where a sitemap's URLs stand. */
export const CANDIDATE_DEPTH = 1;

/** No connection by TLS; where there is no such name, or no public address, plain HTTP would not help. */
const NO_TLS: ReadonlySet<string | null> = new Set(['connection_refused', 'connection_reset', 'tls', 'timeout']);

/** A URL that only a third party names: no page until it answers, or a page leads to it. */
export function candidateOffer(url: string, seed: number, source: number): Offer {
  return {
    url,
    key: keyOf(url),
    kind: UrlKind.page,
    state: UrlState.queued,
    reason: null,
    depth: CANDIDATE_DEPTH,
    class: QueueClass.rest,
    seed,
    hops: 0,
    flags: UrlFlag.candidate | source,
    pattern: null,
  };
}

/** It looks like a trap: never asked for, but its pattern is counted and named. */
export const trappedCandidate = (url: string, seed: number, pattern: string): Offer => ({
  ...candidateOffer(url, seed, 0),
  state: UrlState.unlisted,
  reason: 'candidate',
  flags: 0,
  pattern,
});

/** The same name without TLS, where that may be why it did not answer, and it is in scope. */
export function plainCandidate(url: string, reason: string | null, seedOf: (url: string) => number): Offer | null {
  if (!url.startsWith('https://') || !NO_TLS.has(reason)) {
    return null;
  }
  const plain = `http://${url.slice('https://'.length)}`;
  const seed = seedOf(plain);
  return seed < 0 ? null : candidateOffer(plain, seed, UrlFlag.fromCertificates);
}
