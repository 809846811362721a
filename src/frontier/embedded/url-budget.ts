import { MAX_SITEMAP_FILES, UrlKind } from '../../store/url-state.js';
import type { Composition } from './composition.js';
import type { FrontierState, Held } from './frontier-state.js';
import type { Host } from './host.js';
import type { Waiting } from './queue-window.js';

/** A lease by which a page counts. */
export const isFirstOfPage = ({ kind, attempts }: Waiting): boolean => kind === UrlKind.page && attempts === 1;

/** How many URLs were asked for the first time: of the whole crawl, of each host and of each seed; and how many sitemap files. Limits go by it. */
export class UrlBudget {
  readonly #state: FrontierState;

  constructor(state: FrontierState) {
    this.#state = state;
  }

  count(item: Waiting, host: Host, by: 1 | -1): void {
    this.#state.dispatched += by;
    host.dispatched += by;
    host.dirty = true;
    if (this.#state.options.maxUrlsOfSeed(item.seed) > 0) {
      this.#state.seedUse.set(item.seed, (this.#state.seedUse.get(item.seed) ?? 0) + by);
    }
    this.closeWhenSpent();
  }

  /** Something has come of it: with the same transaction the store counts it. */
  ended({ item, origin }: Held): void {
    if (isFirstOfPage(item)) {
      origin.host.firstUnderWay--;
      origin.host.dirty = true;
    }
  }

  /** No request was made for it after all. */
  uncount(held: Held): void {
    if (isFirstOfPage(held.item)) {
      this.count(held.item, held.origin.host, -1);
    } else if (held.item.kind === UrlKind.sitemap && held.item.attempts === 1) {
      held.origin.host.sitemapFiles--;
      held.origin.host.dirty = true;
    }
  }

  /** One more sitemap file counts for the host: one that is asked of it, or one elsewhere that its own files name. False where it has had its share. */
  takeSitemap(host: Host): boolean {
    if (host.sitemapFiles >= MAX_SITEMAP_FILES) {
      return false;
    }
    host.sitemapFiles++;
    host.dirty = true;
    return true;
  }

  /** A sitemap file is not read because of that. */
  noteCut(host: Host, composition: Composition): void {
    composition.sitemapsCut.set(host.name, (composition.sitemapsCut.get(host.name) ?? 0) + 1);
  }

  closeWhenSpent(): void {
    const { maxUrls } = this.#state.options;
    this.#state.scheduler.closed = maxUrls > 0 && this.#state.dispatched >= maxUrls;
  }

  meta(): Record<string, string> {
    return {
      dispatched: String(this.#state.dispatched),
      refetched: String(this.#state.refetched),
    };
  }
}
