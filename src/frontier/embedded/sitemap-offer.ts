import { MAX_SITEMAP_DEPTH, QueueClass, UrlKind, UrlState } from '../../store/url-state.js';
import type { Offer } from '../frontier.js';
import { pageOffer, sitemapKey } from '../seed-book.js';

/** @param isBeyond depth forbids all that it could name: it is kept, and not asked for */
export function sitemapOffer(url: string, depth: number, isBeyond = false): Offer {
  return {
    ...pageOffer(url, depth),
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    ...(isBeyond || depth > MAX_SITEMAP_DEPTH
      ? { state: UrlState.skipped, reason: 'depth' }
      : { state: UrlState.queued, reason: null }),
    class: QueueClass.seed,
  };
}
