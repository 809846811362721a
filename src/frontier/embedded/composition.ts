import type { CommitAnswer, NewUrl, Transaction } from '../../store/transaction.js';
import { UrlFlag, UrlKind, UrlState } from '../../store/url-state.js';
import type { SettledPage } from './frontier-state.js';
import type { Host, Origin } from './host.js';
import type { Waiting } from './queue-window.js';

/** A transaction in the making, and what memory does once it is committed. */
export class Composition {
  readonly transaction: Transaction;
  /** Retries and leases given back: they wait again when the store says so. */
  readonly requeued: { item: Waiting; origin: Origin }[] = [];
  /** URLs that are settled for good, by what they count as. */
  readonly settled = { outstanding: 0, done: 0, failed: 0, skipped: 0 };
  readonly pages: SettledPage[] = [];
  /** Ids of assets that are settled. */
  readonly assets: number[] = [];
  /** Sitemap files that are not read because their host, or the one that names them, has had its share; by that host. */
  readonly sitemapsCut = new Map<string, number>();
  /** For each bulk move: what its count changes. */
  readonly bulkHosts: { host: Host | null; origin: Origin | null }[] = [];
  /** Hosts that must not leave memory before this is committed. */
  readonly pinned: Host[] = [];

  constructor(at: number) {
    this.transaction = {
      at,
      newUrls: [],
      settled: [],
      rendered: [],
      found: [],
      leased: [],
      returned: [],
      skipped: [],
      unfollowed: [],
      trapped: [],
      hosts: [],
      origins: [],
      bulk: [],
      spilledKeys: [],
      widened: [],
      meta: {},
    };
  }

  get isEmpty(): boolean {
    const { transaction: t } = this;
    return (
      t.newUrls.length + t.settled.length + t.found.length + t.leased.length + t.returned.length + t.skipped.length ===
        0 && t.hosts.length + t.origins.length + t.bulk.length + t.widened.length + t.spilledKeys.length === 0
    );
  }

  pin(host: Host): void {
    host.pinned++;
    this.pinned.push(host);
  }

  unpin(): void {
    for (const host of this.pinned) {
      host.pinned--;
    }
  }
}

/** New URLs that really were new, once the store has said which were known on disk. */
export function trulyNew(newUrls: NewUrl[], answer: CommitAnswer): NewUrl[] {
  if (answer.known.length === 0) {
    return newUrls;
  }
  const known = new Set(answer.known.map(([id]) => id));
  return newUrls.filter((url) => !known.has(url.id));
}

/** Whether a new URL is work: it waits to be fetched. */
export const isWork = (url: NewUrl): boolean => url.state === UrlState.queued;
export const isListed = (url: NewUrl): boolean =>
  url.kind === UrlKind.page && url.state !== UrlState.unlisted && (url.flags & UrlFlag.candidate) === 0;
