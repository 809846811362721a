import { MAX_SITEMAP_DEPTH, QueueClass, UrlKind, UrlState } from '../../store/url-state.js';
import type { Offer } from '../frontier.js';
import { pageOffer, sitemapKey } from '../seed-book.js';

/** @param flags `UrlFlag.candidate` where nobody names it: it is looked for where sitemaps are wont to lie, and need not be there */
export function sitemapOffer(url: string, depth: number, flags = 0): Offer {
  return {
    ...pageOffer(url, depth),
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    ...(depth > MAX_SITEMAP_DEPTH
      ? { state: UrlState.skipped, reason: 'depth' }
      : { state: UrlState.queued, reason: null }),
    class: QueueClass.seed,
    flags,
  };
}
