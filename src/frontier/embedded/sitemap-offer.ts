import { QueueClass, UrlKind, UrlState } from '../../store/url-state.js';
import type { Offer } from '../frontier.js';
import { pageOffer, sitemapKey } from '../seed-book.js';
import { MAX_SITEMAP_DEPTH } from './options.js';

export function sitemapOffer(url: string, depth: number): Offer {
  return {
    ...pageOffer(url, depth),
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    state: depth > MAX_SITEMAP_DEPTH ? UrlState.unlisted : UrlState.queued,
    class: QueueClass.seed,
  };
}
