import type { Gift, QueuedUrl, StoreSnapshot } from '../store/transaction.js';
import { MAX_SITEMAP_FILES, UrlKind } from '../store/url-state.js';
import type { Host } from './host.js';
import type { SchedulerOptions } from './options.js';

/** A lease by which a page counts. */
export const isFirstOfPage = ({ kind, attempts }: QueuedUrl): boolean => kind === UrlKind.page && attempts === 1;

/**
 * How many URLs were asked for: of the whole crawl, of each host and of each seed; and how many sitemap files of each host. The limits go by it.
 * A page counts once, from its first lease on, and not at all where no request was made for it.
 */
export class Budget {
  readonly #options: SchedulerOptions;
  /** Of seeds that have a budget of their own. */
  readonly #ofSeed: Map<number, number>;
  /** On several machines: so many of `maxUrls` are this one's, those that it has asked for among them. Null where the limit is its own. */
  #grant: number | null;
  #dispatched: number;
  #retries = 0;
  #isHeld = false;
  #refetched: number;

  constructor(options: SchedulerOptions, { meta, seedUse }: Pick<StoreSnapshot, 'meta' | 'seedUse'>) {
    this.#options = options;
    this.#ofSeed = new Map(seedUse);
    this.#dispatched = Number(meta.dispatched ?? 0);
    this.#grant = options.seat === undefined || options.maxUrls === 0 ? null : Number(meta.grant ?? 0);
    this.#refetched = Number(meta.refetched ?? 0);
  }

  /** No further URL may be asked for the first time. */
  get isSpent(): boolean {
    const { maxUrls } = this.#options;
    return this.#dispatched >= (this.#grant ?? (maxUrls > 0 ? maxUrls : Number.POSITIVE_INFINITY));
  }

  /** Of the grant, what is not used; null where there is none. */
  get unused(): number | null {
    return this.#grant === null ? null : this.#grant - this.#dispatched;
  }

  /** Another machine has given up so many. */
  granted(urls: number): void {
    this.#grant! += urls;
  }

  /** Gives up what others are to have, as far as it is there and not used. Returns what it is. */
  give(gifts: readonly Gift[]): Gift[] {
    const given: Gift[] = [];
    for (const { slot, urls } of gifts) {
      const most = Math.min(urls, this.unused ?? 0);
      if (most > 0) {
        this.#grant! -= most;
        given.push({ slot, urls: most });
      }
    }
    return given;
  }

  /** So for now, or for good. */
  get takesNoNew(): boolean {
    return this.#isHeld || this.isSpent;
  }

  hold(holds: boolean): void {
    this.#isHeld = holds;
  }

  /** `refetched`: of all runs, leases that may have been on the wire when their process or thread died. */
  get counts(): { dispatched: number; retries: number; refetched: number } {
    return { dispatched: this.#dispatched, retries: this.#retries, refetched: this.#refetched };
  }

  /** What the store keeps of it beside the rows of the hosts. */
  get meta(): Record<string, string> {
    return {
      ...{ dispatched: String(this.#dispatched), refetched: String(this.#refetched) },
      ...(this.#grant === null ? {} : { grant: String(this.#grant) }),
      ...(this.#options.savesHostsLate === true ? { hostsAreLate: 'true' } : {}),
    };
  }

  /** Whether the host and the seed of a page may have one more. */
  allows({ seed }: QueuedUrl, host: Host): boolean {
    const { maxUrlsPerHost, maxUrlsOfSeeds, limitsOf } = this.#options;
    const ofHost = limitsOf?.(host.name).maxUrls ?? maxUrlsPerHost;
    const ofSeed = maxUrlsOfSeeds.get(seed);
    return (
      (ofHost === 0 || host.dispatched < ofHost) && (ofSeed === undefined || (this.#ofSeed.get(seed) ?? 0) < ofSeed)
    );
  }

  count({ seed }: QueuedUrl, host: Host, by: 1 | -1 = 1): void {
    this.#dispatched += by;
    host.countPage(by);
    if (this.#options.maxUrlsOfSeeds.has(seed)) {
      this.#ofSeed.set(seed, (this.#ofSeed.get(seed) ?? 0) + by);
    }
  }

  /** No request was made for it after all. */
  uncount(item: QueuedUrl, host: Host): void {
    if (isFirstOfPage(item)) {
      this.count(item, host, -1);
    } else if (item.kind === UrlKind.sitemap && item.attempts === 1) {
      host.countSitemap(-1);
    }
  }

  /** One more sitemap file counts for the host: one that is asked of it, or one elsewhere that its own files name. False where it has had its share. */
  takeSitemap(host: Host): boolean {
    if (host.sitemapFiles >= MAX_SITEMAP_FILES) {
      return false;
    }
    host.countSitemap(1);
    return true;
  }

  retried(): void {
    this.#retries++;
  }

  refetched(): void {
    this.#refetched++;
  }
}
