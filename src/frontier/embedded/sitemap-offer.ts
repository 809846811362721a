import { MAX_SITEMAP_DEPTH, QueueClass, UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import type { Offer } from '../frontier.js';
import { pageOffer, sitemapKey } from '../seed-book.js';

export interface SitemapOfferOptions {
  /** Depth forbids all that it could name: it is kept, and not asked for. */
  isBeyond?: boolean | undefined;
  /** Nobody names it: it is looked for where sitemaps are wont to lie, and need not be there. */
  isGuess?: boolean;
}

export function sitemapOffer(url: string, depth: number, { isBeyond, isGuess }: SitemapOfferOptions = {}): Offer {
  return {
    ...pageOffer(url, depth),
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    ...(isBeyond === true || depth > MAX_SITEMAP_DEPTH
      ? { state: UrlState.skipped, reason: 'depth' }
      : { state: UrlState.queued, reason: null }),
    class: QueueClass.seed,
    flags: isGuess === true ? UrlFlag.candidate : 0,
  };
}
