import { MAX_SITEMAP_DEPTH, QueueClass, UrlKind, UrlState } from '../../store/url-state.js';
import type { Offer } from '../frontier.js';
import { pageOffer, sitemapKey } from '../seed-book.js';

export function sitemapOffer(url: string, depth: number): Offer {
  return {
    ...pageOffer(url, depth),
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    ...(depth > MAX_SITEMAP_DEPTH
      ? { state: UrlState.skipped, reason: 'depth' }
      : { state: UrlState.queued, reason: null }),
    class: QueueClass.seed,
  };
}
