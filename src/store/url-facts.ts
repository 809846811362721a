import { openForReading } from './directory.js';
import { LinkPass, type PassResult, type Some } from './link-pass.js';
import type { Reader } from './reader.js';
import type { Database, Row, Statement } from './sqlite.js';
import { UrlKind, UrlState } from './url-state.js';

/** A row of `urls`. */
export interface StoredUrl {
  id: number;
  url: string;
  kind: UrlKind;
  origin: number;
  depth: number;
  parent: number | null;
  seed: number;
  class: number;
  state: UrlState;
  reason: string | null;
  attempts: number;
  /** Wall time. */
  notBefore: number;
  flags: number;
}

/** The host and the origin of a URL, as the last commit left them. Times are wall times. */
export interface StoredPlace {
  host: string;
  hostId: number;
  nextAllowedAt: number;
  blockedUntil: number;
  blockReason: string | null;
  failures: number;
  tunedLimit: number | null;
  dispatched: number;
  deferredReason: string | null;
  parkedUntil: number | null;
  origin: string;
  robotsState: string;
  robotsRules: string | null;
  /** What came of the last request for robots.txt. */
  robotsStatus: number | null;
  robotsMessage: string | null;
  /** The longest that any origin of the host asks for. */
  crawlDelayMs: number | null;
}

export interface StoredAttempt {
  attempt: number;
  at: number;
  status: number | null;
  reason: string | null;
  message: string | null;
}

const URL_ROW = `id, url, kind, origin, depth, parent, seed, class, state, reason, attempts, not_before AS notBefore, flags FROM urls`;
const PLACE = `SELECT hosts.name AS host, hosts.id AS hostId, hosts.next_allowed_at AS nextAllowedAt, hosts.blocked_until AS blockedUntil,
    hosts.block_reason AS blockReason, hosts.failures AS failures, hosts.tuned_limit AS tunedLimit, hosts.dispatched AS dispatched,
    hosts.deferred_reason AS deferredReason, hosts.parked_until AS parkedUntil, origins.origin AS origin,
    origins.robots_state AS robotsState, origins.robots_rules AS robotsRules, robots.status AS robotsStatus, robots.message AS robotsMessage,
    (SELECT max(crawl_delay_ms) FROM origins AS others WHERE others.host = hosts.id) AS crawlDelayMs
  FROM origins JOIN hosts ON hosts.id = origins.host LEFT JOIN pages AS robots ON robots.id = origins.robots_id`;

/** Reads what the last commit left, all of it at one moment: a crawl that runs is not disturbed. */
export function readAtOneMoment<T>(directory: string, read: (reader: Reader, facts: UrlFacts) => T): T {
  return openForReading(directory, (reader, database) => {
    database.exec('BEGIN');
    try {
      return read(reader, new UrlFacts(database));
    } finally {
      database.exec('COMMIT');
    }
  });
}

/** What the store knows of single URLs, for people who ask why. Reads only; nothing of it grows with the store. */
export class UrlFacts {
  readonly #database: Database;
  readonly #byId: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#byId = database.prepare(`SELECT ${URL_ROW} WHERE id = ?`);
  }

  /** Those of the given URLs that are known. There is no index of URLs: one look at all of them, whatever is asked for. */
  find(urls: readonly string[]): StoredUrl[] {
    const places = urls.map(() => '?').join(', ');
    return this.#database
      .prepare(`SELECT ${URL_ROW} WHERE url IN (${places}) ORDER BY kind, id`)
      .all(...urls) as StoredUrl[];
  }

  byId(id: number): StoredUrl | undefined {
    return this.#byId.get(id) as StoredUrl | undefined;
  }

  place(origin: number | string): StoredPlace | null {
    const where = typeof origin === 'number' ? 'origins.id = ?' : 'origins.origin = ?';
    return (this.#database.prepare(`${PLACE} WHERE ${where}`).get(origin) as StoredPlace | undefined) ?? null;
  }

  /** Who links to the URL, and over which pages it is nearest: one pass over all links. */
  linksTo(url: StoredUrl, most: number): PassResult {
    return new LinkPass(this.#database, url, most).take();
  }

  /** Where it redirects to, or null. */
  redirectOf(id: number): number | null {
    return this.#database.prepare('SELECT redirect_to AS "to" FROM pages WHERE id = ?').get(id)?.to ?? null;
  }

  /** When something came of the URL: its answer, or the failure of it. */
  fetchedAt(id: number): number | null {
    const at = this.#database.prepare('SELECT fetched_at AS at FROM pages WHERE id = ?').get(id)?.at ?? null;
    return at === 0 ? null : at;
  }

  /** Requests after which it was asked for once more, in order. */
  failedAttempts(id: number): StoredAttempt[] {
    return this.#database
      .prepare('SELECT attempt, at, status, reason, message FROM attempts WHERE url = ? ORDER BY look, attempt')
      .all(id) as StoredAttempt[];
  }

  /** Whether requests for other URLs of the host failed, between two times, in a way that makes a crawl leave the host alone. */
  failedBetween(host: number, url: number, from: number, to: number): boolean {
    const ofHost = 'JOIN origins ON origins.id = urls.origin WHERE origins.host = ? AND urls.id <> ?';
    return (
      this.#database
        .prepare(
          `SELECT 1 FROM attempts JOIN urls ON urls.id = attempts.url ${ofHost} AND attempts.reason IS NOT NULL AND attempts.at BETWEEN ? AND ?
           UNION ALL SELECT 1 FROM pages JOIN urls ON urls.id = pages.id ${ofHost} AND pages.fetched_at BETWEEN ? AND ? AND urls.state = ${UrlState.failed}
             AND urls.reason IN ('timeout', 'connection_refused', 'connection_reset', 'http_5xx', 'rate_limited', 'too_slow') LIMIT 1`,
        )
        .get(host, url, from, to, host, url, from, to) !== undefined
    );
  }

  /** Other pages with the very same body. */
  sameContent(id: number, most: number): Some<string> {
    const from = `FROM pages JOIN urls ON urls.id = pages.id WHERE urls.state = ${UrlState.done} AND urls.kind = ${UrlKind.page} AND pages.bytes > 0 AND pages.id <> ?1
      AND pages.hash = (SELECT hash FROM pages WHERE id = ?1)`;
    return this.#some(from, [id], most);
  }

  /** Other pages that name the URL as their canonical one. */
  canonicalOf({ id, url }: { id: number; url: string }, most: number): Some<string> {
    return this.#some(
      'FROM pages JOIN urls ON urls.id = pages.id WHERE pages.canonical = ? AND pages.id <> ?',
      [url, id],
      most,
    );
  }

  /** URLs of the host that wait, all of them and those with their place before this one. */
  waiting(host: number, url: StoredUrl, newestFirst: boolean): { all: number; before: number } {
    const select = `SELECT count(*) AS n FROM urls INDEXED BY urls_queued WHERE state = ${UrlState.queued} AND origin IN (SELECT id FROM origins WHERE host = ?)`;
    const before = `${select} AND (class < ? OR (class = ? AND id ${newestFirst ? '>' : '<'} ?))`;
    return {
      all: this.#database.prepare(select).get(host)!.n,
      before: this.#database.prepare(before).get(host, url.class, url.class, url.id)!.n,
    };
  }

  /** Requests that are under way, of all hosts and of this one. */
  underWay(host: number): { all: number; ofHost: number } {
    const row: Row = this.#database
      .prepare(
        `SELECT count(*) AS "all", coalesce(sum(origins.host = ?), 0) AS ofHost FROM urls INDEXED BY urls_leased
         JOIN origins ON origins.id = urls.origin WHERE urls.state = ${UrlState.leased}`,
      )
      .get(host)!;
    return { all: row.all, ofHost: row.ofHost };
  }

  /** Leased URLs of the host with lower ids: those that were to go out before this one. */
  leasedBefore(host: number, id: number): number {
    const row: Row = this.#database
      .prepare(
        `SELECT count(*) AS n FROM urls INDEXED BY urls_leased
         JOIN origins ON origins.id = urls.origin WHERE urls.state = ${UrlState.leased} AND origins.host = ? AND urls.id < ?`,
      )
      .get(host, id)!;
    return row.n;
  }

  #some(from: string, values: (number | string)[], most: number): Some<string> {
    const rows = this.#database
      .prepare(`SELECT urls.url AS url, count(*) OVER () AS n ${from} ORDER BY urls.id LIMIT ${most}`)
      .all(...values);
    return { total: rows[0]?.n ?? 0, first: rows.map(({ url }) => url) };
  }
}
