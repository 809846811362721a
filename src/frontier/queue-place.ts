import { QueueClass, RANKS } from '../store/url-state.js';
import { pathOf } from '../url/host.js';
import type { Order } from './embedded/options.js';

/** What the protocol takes a URL of a sitemap for that says nothing else. */
const USUAL_PRIORITY = 0.5;
/** Ranks from the highest priority of a sitemap to the lowest. */
const SITEMAP_RANKS = 4;

/** Where a new URL waits at its host, by the order of the crawl. It keeps its place, by whichever way it is found again. */
export class QueuePlaces {
  readonly #ranks: boolean;

  constructor(order: Order) {
    this.#ranks = order === 'priority';
  }

  /** In a crawl for a corpus, where on the page the link stands counts; null in any other. */
  ofLink(url: string, depth: number, zone: number | null = null): QueueClass {
    return zone === null || this.#ranks ? this.#place(url, depth - 1) : QueueClass.rest + zone;
  }

  /** As if it stood in the place of what redirects to it, which has had its turn. */
  ofRedirect(url: string): QueueClass {
    return this.#ranks && isHomePage(url) ? QueueClass.seed : QueueClass.urgent;
  }

  ofSitemap(url: string, priority: number | null): QueueClass {
    return this.#place(url, Math.round((1 - (priority ?? USUAL_PRIORITY)) * SITEMAP_RANKS));
  }

  #place(url: string, rank: number): QueueClass {
    if (!this.#ranks) {
      return QueueClass.rest;
    }
    return isHomePage(url) ? QueueClass.seed : QueueClass.rest + Math.max(0, Math.min(RANKS - 1, rank));
  }
}

const isHomePage = (url: string): boolean => pathOf(url) === '/';
