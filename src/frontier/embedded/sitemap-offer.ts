import { QueueClass, UrlKind, UrlState } from '../../store/url-state.js';
import type { Offer } from '../frontier.js';
import { sitemapKey } from '../seed-book.js';
import { MAX_SITEMAP_DEPTH } from './options.js';

export function sitemapOffer(url: string, depth: number): Offer {
  return {
    url,
    key: sitemapKey(url),
    kind: UrlKind.sitemap,
    state: depth > MAX_SITEMAP_DEPTH ? UrlState.unlisted : UrlState.queued,
    reason: null,
    depth,
    class: QueueClass.seed,
    seed: 0,
    hops: 0,
    flags: 0,
    pattern: null,
  };
}
