import type { BulkMove, QueuedUrl, Transaction } from '../store/transaction.js';
import type { Host, Origin } from './host.js';
import type { SettledPage } from './outcome.js';

/**
 * A transaction in the making, and what memory does once it is durable. Each part of the frontier puts its rows into it; nothing that the end
 * of the crawl or its outputs depend on changes in memory before the store has answered.
 */
export class Draft {
  readonly transaction: Transaction;
  /** Retries and returned leases: they wait again when the store says so. */
  readonly requeued: { item: QueuedUrl; origin: Origin }[] = [];
  /** URLs that are settled for good, by the counter that they belong to. */
  readonly settled = { outstanding: 0, done: 0, failed: 0, skipped: 0 };
  readonly pages: SettledPage[] = [];
  /** Ids of assets that are settled. */
  readonly assets: number[] = [];
  /** Sitemap files that are not read because their host, or the one that names them, has had its share; by that host. */
  readonly sitemapsCut = new Map<string, number>();
  /** The host of each bulk move, in their order. */
  readonly movedAt: Host[] = [];
  /** The limit on requests changes with this transaction, so nothing is composed on top of it. */
  changesGrant = false;
  readonly #pinned = new Set<Host>();

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

  /**
   * Whether the store's answer can only be that it is durable: pages that are done or failed, new URLs at origins in memory, leases. The next
   * transaction does not have to wait for such an answer.
   */
  get isPlain(): boolean {
    const { transaction: t } = this;
    const odd =
      t.found.length +
      t.rendered.length +
      t.returned.length +
      t.skipped.length +
      t.unfollowed.length +
      t.trapped.length;
    return (
      odd + t.bulk.length + t.spilledKeys.length + t.widened.length + this.requeued.length === 0 &&
      t.letIn === undefined &&
      !this.changesGrant &&
      t.newUrls.every(({ unsure, origin }) => !unsure && typeof origin === 'number') &&
      t.settled.every(({ redirectTo, cookies, passesGate, retry, depth }) => {
        return redirectTo === null && cookies === undefined && !passesGate && retry === null && depth >= 0;
      })
    );
  }

  /** Hosts that must not leave memory before this is committed; their changes are saved with it. */
  get pinned(): ReadonlySet<Host> {
    return this.#pinned;
  }

  pin(host: Host): void {
    if (!this.#pinned.has(host)) {
      host.pin();
      this.#pinned.add(host);
    }
  }

  unpin(): void {
    for (const host of this.#pinned) {
      host.unpin();
    }
  }

  /** Moves all that waits for a host, or at one of its origins. */
  move(to: { host: Host } | { origin: Origin }, move: Omit<BulkMove, 'host' | 'origin'>): void {
    const at = 'host' in to ? to.host : to.origin.host;
    const id = 'host' in to ? { host: at.id, origin: null } : { host: null, origin: to.origin.id };
    this.transaction.bulk.push({ ...id, ...move });
    this.movedAt.push(at);
    this.pin(at);
  }

  /** A sitemap file is not read because the host has had its share. */
  cutSitemap(host: Host): void {
    this.sitemapsCut.set(host.name, (this.sitemapsCut.get(host.name) ?? 0) + 1);
  }

  /** A waiting URL is not requested after all. */
  skip(id: number, reason: string, pattern: string | null): void {
    this.transaction.skipped.push({ id, reason, pattern });
    this.settled.outstanding++;
  }
}
