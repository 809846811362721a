import type { Database, Row, Statement } from './sqlite.js';
import type { BulkMove, HostRow, HostSnapshot, OriginRow, OriginSnapshot } from './transaction.js';
import { moveAll } from './url-moves.js';
import { QUEUE_CLASSES, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** Hosts and origins on disk: made on first use, saved when they change, parked when memory has no room for them. */
export class HostsTable {
  readonly #statements: Record<string, Statement>;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = {
      findOrigin: database.prepare('SELECT id, host FROM origins WHERE origin = ?'),
      addHost: database.prepare('INSERT INTO hosts (name) VALUES (?) ON CONFLICT (name) DO NOTHING'),
      findHost: database.prepare('SELECT id FROM hosts WHERE name = ?'),
      addOrigin: database.prepare('INSERT INTO origins (origin, host) VALUES (?, ?) RETURNING id'),
      host: database.prepare('SELECT * FROM hosts WHERE id = ?'),
      origins: database.prepare('SELECT * FROM origins WHERE host = ?'),
      queued: database.prepare(
        `SELECT class, count(*) AS n FROM urls INDEXED BY urls_queued WHERE origin = ? AND state = ${UrlState.queued} GROUP BY class`,
      ),
      deferred: database.prepare(
        `SELECT count(*) AS n FROM urls INDEXED BY urls_deferred WHERE origin = ? AND state = ${UrlState.deferred}`,
      ),
      unpark: database.prepare('UPDATE hosts SET parked_until = NULL WHERE id = ?'),
      saveHost: database.prepare(
        `UPDATE hosts SET next_allowed_at = ?, blocked_until = ?, block_reason = ?, failures = ?, tuned_limit = ?, learned_delay_ms = ?, dispatched = ?,
           sitemap_files = ?, deferred_reason = ?, address = ?, parked_until = ? WHERE id = ?`,
      ),
      saveOrigin: database.prepare(
        `UPDATE origins SET robots_id = ?, robots_state = ?, robots_rules = ?, robots_at = ?, robots_expires_at = ?, crawl_delay_ms = ?,
           sitemaps_sought = ?, robots_tries = ?, robots_retry_at = ? WHERE id = ?`,
      ),
      due: database.prepare(
        'SELECT id FROM hosts WHERE parked_until IS NOT NULL AND parked_until <= ? ORDER BY parked_until LIMIT ?',
      ),
      nextDue: database.prepare(
        'SELECT min(parked_until) AS due, count(*) AS n FROM hosts WHERE parked_until IS NOT NULL',
      ),
    };
  }

  ensure(origin: string, hostName: string): { origin: number; host: number } {
    const existing = this.#statements.findOrigin!.get(origin);
    if (existing !== undefined) {
      return { origin: existing.id, host: existing.host };
    }
    this.#statements.addHost!.run(hostName);
    const host = this.#statements.findHost!.get(hostName)!.id as number;
    return { origin: this.#statements.addOrigin!.get(origin, host)!.id, host };
  }

  /** The host as it is on disk. What is asked for comes into memory, so it is no longer parked. */
  snapshot(host: number): HostSnapshot {
    this.#statements.unpark!.run(host);
    const row = this.#statements.host!.get(host)!;
    return {
      host: { ...hostRow(row), name: row.name, parkedUntil: null },
      origins: this.#statements.origins!.all(host).map((origin) => this.#originSnapshot(origin)),
    };
  }

  #originSnapshot(row: Row): OriginSnapshot {
    const queued: number[] = new Array(QUEUE_CLASSES).fill(0);
    for (const { class: place, n } of this.#statements.queued!.all(row.id)) {
      queued[place] = n;
    }
    return { row: originRow(row), origin: row.origin, queued, deferred: this.#statements.deferred!.get(row.id)!.n };
  }

  save(hosts: HostRow[], origins: OriginRow[]): void {
    for (const host of hosts) {
      this.#statements.saveHost!.run(
        host.nextAllowedAt,
        host.blockedUntil,
        host.blockReason,
        host.failures,
        host.tunedLimit,
        host.learnedDelayMs,
        host.dispatched,
        host.sitemapFiles,
        host.deferredReason,
        host.address,
        host.parkedUntil,
        host.id,
      );
    }
    for (const origin of origins) {
      this.#statements.saveOrigin!.run(
        origin.robotsId,
        origin.robotsState,
        origin.robotsRules,
        origin.robotsAt,
        origin.robotsExpiresAt,
        origin.crawlDelayMs,
        origin.sitemapsSought ? 1 : 0,
        origin.robotsTries,
        origin.robotsRetryAt,
        origin.id,
      );
    }
  }

  moveAll(move: BulkMove): { urls: number; pages: number } {
    const where = move.origin !== null ? 'origin = ?' : 'origin IN (SELECT id FROM origins WHERE host = ?)';
    const place = move.origin ?? move.host;
    const moved = (which: string) =>
      moveAll(
        this.#database,
        { from: move.from, to: move.to, set: 'reason = ?', where: `${which} AND ${where}` },
        move.reason,
        place,
      );
    const pages = moved(`kind = ${UrlKind.page} AND (flags & ${UrlFlag.candidate}) = 0`);
    // What is left are candidates and sitemaps. robots.txt itself is not put off with the pages that wait for it.
    return { urls: pages + moved(`kind <> ${UrlKind.robots}`), pages };
  }

  due(wall: number, limit: number): { hosts: HostSnapshot[]; nextDue: number | null; parked: number } {
    const ids = limit > 0 ? this.#statements.due!.all(wall, limit) : [];
    const hosts = ids.map((row) => this.snapshot(row.id));
    const next = this.#statements.nextDue!.get()!;
    return { hosts, nextDue: next.due, parked: next.n };
  }
}

const hostRow = (row: Row): HostRow => ({
  id: row.id,
  nextAllowedAt: row.next_allowed_at,
  blockedUntil: row.blocked_until,
  blockReason: row.block_reason,
  failures: row.failures,
  tunedLimit: row.tuned_limit,
  learnedDelayMs: row.learned_delay_ms,
  dispatched: row.dispatched,
  sitemapFiles: row.sitemap_files,
  deferredReason: row.deferred_reason,
  address: row.address,
  parkedUntil: row.parked_until,
});

const originRow = (row: Row): OriginRow => ({
  id: row.id,
  robotsId: row.robots_id,
  robotsState: row.robots_state,
  robotsRules: row.robots_rules,
  robotsAt: row.robots_at,
  robotsExpiresAt: row.robots_expires_at,
  crawlDelayMs: row.crawl_delay_ms,
  sitemapsSought: row.sitemaps_sought === 1,
  robotsTries: row.robots_tries,
  robotsRetryAt: row.robots_retry_at,
});
