import type { Gift, QueuedUrl, StoreSnapshot } from '../store/transaction.js';
import { MAX_SITEMAP_FILES, UrlKind } from '../store/url-state.js';
import type { Host } from './host.js';
import type { SchedulerOptions } from './options.js';

/** A lease by which a page counts. */
export const isFirstOfPage = ({ kind, attempts }: QueuedUrl): boolean => kind === UrlKind.page && attempts === 1;

/**
 * Counts the requested URLs of the whole crawl, of each host and of each seed, and the sitemap files of each host. The limits use these counts.
 * A page counts once, from its first lease on, and not at all where no request was made for it.
 */
export class Budget {
  readonly #options: SchedulerOptions;
  /** Budgets of seeds that have their own. */
  readonly #ofSeed: Map<number, number>;
  /** On several machines: this machine's share of `maxUrls`, including what it has already requested. Null if the limit is its own. */
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

  /** Whether no further URL may be requested for the first time. */
  get isSpent(): boolean {
    const { maxUrls } = this.#options;
    return this.#dispatched >= (this.#grant ?? (maxUrls > 0 ? maxUrls : Number.POSITIVE_INFINITY));
  }

  /** The unused part of the grant; null if there is none. */
  get unused(): number | null {
    return this.#grant === null ? null : this.#grant - this.#dispatched;
  }

  /** Adds what another machine has given up. */
  granted(urls: number): void {
    this.#grant! += urls;
  }

  /** Gives up a part for other machines, as far as it is not used. Returns how much. */
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

  /** The limit is reached for now, or for good. */
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

  /** The counts that the store keeps besides the rows of the hosts. */
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

  /** Takes the count back: no request was made for it after all. */
  uncount(item: QueuedUrl, host: Host): void {
    if (isFirstOfPage(item)) {
      this.count(item, host, -1);
    } else if (item.kind === UrlKind.sitemap && item.attempts === 1) {
      host.countSitemap(-1);
    }
  }

  /** Counts one more sitemap file for the host: one requested from it, or one elsewhere that its own files name. False if its share is used up. */
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
