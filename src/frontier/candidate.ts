import { UrlFlag, UrlState } from '../store/url-state.js';
import type { Offer } from './frontier.js';
import type { QueuePlaces } from './queue-place.js';
import { pageOffer } from './seed-book.js';

/** What third parties name stands where a sitemap's URLs stand. */
export const CANDIDATE_DEPTH = 1;

/** No connection by TLS; where there is no such name, or no public address, plain HTTP would not help. */
const NO_TLS: ReadonlySet<string | null> = new Set(['connection_refused', 'connection_reset', 'tls', 'timeout']);

/** A URL that only a third party names: no page until it answers, or a page leads to it. */
export function candidateOffer(url: string, seed: number, source: number, places: QueuePlaces): Offer {
  return {
    ...pageOffer(url, CANDIDATE_DEPTH),
    class: places.ofSitemap(url, null),
    seed,
    flags: UrlFlag.candidate | source,
  };
}

/** It looks like a trap: never asked for, but its pattern is counted and named. */
export const trappedCandidate = (url: string, seed: number, pattern: string): Offer => ({
  ...pageOffer(url, CANDIDATE_DEPTH),
  state: UrlState.unlisted,
  reason: 'candidate',
  seed,
  pattern,
});

/** The same name without TLS, where that may be why it did not answer, and it is in scope. */
export function plainCandidate(
  url: string,
  reason: string | null,
  seedOf: (url: string) => number,
  places: QueuePlaces,
): Offer | null {
  if (!url.startsWith('https://') || !NO_TLS.has(reason)) {
    return null;
  }
  const plain = `http://${url.slice('https://'.length)}`;
  const seed = seedOf(plain);
  return seed < 0 ? null : candidateOffer(plain, seed, UrlFlag.fromCertificates, places);
}
