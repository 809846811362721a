import { QueueClass, UrlKind } from '../store/url-state.js';
import type { Offer } from './frontier.js';
import { keyOf, pageOffer } from './seed-book.js';

/** What a page loads while it is rendered: from any host, and a page of none. Somebody waits for it, so it goes first at its host. */
export const assetOffer = (url: string, hops = 0): Offer => ({
  ...pageOffer(url, 0),
  key: keyOf(`asset ${url}`),
  kind: UrlKind.asset,
  class: QueueClass.urgent,
  hops,
});
