import type { Database } from '../store/sqlite.js';
import { UNANSWERED, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';

/** Between the first look and the second. */
const SECOND_LOOK_AFTER_MS = 5_000;

/** Failures that a second look can tell more about. */
const DOUBTFUL = [
  'http_4xx',
  'http_5xx',
  'timeout',
  'too_slow',
  'connection_refused',
  'connection_reset',
  'tls',
  'dns',
  'auth_required',
  'rate_limited',
  'malformed_html',
  'redirect_limit',
  'invalid_url',
  'unknown',
];

/** Queues what is to be looked at once more. Whoever calls it has begun a transaction, and nobody else has the store. */
export class SecondLook {
  readonly #database: Database;
  readonly #now: number;
  #queued = 0;

  /**
   * @param now wall time
   * @param ownOrigins those of files of this machine: they say the same at once
   */
  constructor(database: Database, now: number, ownOrigins: readonly string[]) {
    this.#database = database;
    this.#now = now;
    database.exec('DROP TABLE IF EXISTS temp.own; CREATE TEMP TABLE own (origin INTEGER PRIMARY KEY)');
    const add = database.prepare('INSERT INTO temp.own SELECT id FROM origins WHERE origin = ?');
    for (const origin of ownOrigins) {
      add.run(origin);
    }
  }

  get queued(): number {
    return this.#queued;
  }

  /** All that failed and was looked at only once. */
  failed(): void {
    const reasons = DOUBTFUL.map((reason) => `'${reason}'`).join(', ');
    this.#again(
      `urls.state = ${UrlState.failed} AND urls.reason IN (${reasons}) AND (urls.flags & ${UrlFlag.secondLook}) = 0 AND NOT ${UNANSWERED}`,
    );
  }

  /** Of these, those that were not looked at twice. */
  these(ids: Iterable<number>): void {
    this.#fill(ids);
    this.#again(`urls.id IN (SELECT id FROM temp.chosen) AND (urls.flags & ${UrlFlag.secondLook}) = 0`);
  }

  /** Pages that were only asked for with HEAD, being too deep, until a shorter way to them was found. */
  neverRead(): void {
    const change = this.#database
      .prepare(
        `UPDATE urls SET state = ${UrlState.queued}, class = 0, attempts = 1, reason = NULL, flags = flags | ${UrlFlag.wholeGet}
         WHERE kind = ${UrlKind.page} AND state = ${UrlState.done} AND (flags & ${UrlFlag.external | UrlFlag.wholeGet}) = 0 AND id IN (
           SELECT pages.id FROM pages JOIN link_facts ON link_facts.page = pages.id
           WHERE pages.redirect_to IS NULL AND link_facts.anchors IS NULL AND pages.content_type LIKE 'text/html%')`,
      )
      .run();
    this.#queued += Number(change.changes);
  }

  /** Pages elsewhere that were only asked for with HEAD, or are known from an earlier run: links name places on them. */
  unread(ids: Iterable<number>): void {
    this.#fill(ids);
    const change = this.#database
      .prepare(
        `UPDATE urls SET state = ${UrlState.queued}, class = 0, attempts = 1, reason = NULL, flags = (flags | ${UrlFlag.anchors}) & ~${UrlFlag.rangedGet}
         WHERE id IN (SELECT id FROM temp.chosen) AND (state = ${UrlState.done} OR reason = 'known') AND (flags & ${UrlFlag.anchors}) = 0`,
      )
      .run();
    this.#queued += Number(change.changes);
  }

  /** What failed and these, as if nothing had been asked of them yet. */
  forget(ids: Iterable<number>): void {
    this.#fill(ids);
    const which = `kind = ${UrlKind.page} AND (state = ${UrlState.failed} AND reason <> 'internal' OR id IN (SELECT id FROM temp.chosen))`;
    this.#database.exec(`DELETE FROM attempts WHERE url IN (SELECT id FROM urls WHERE ${which})`);
    const change = this.#database
      .prepare(
        `UPDATE urls SET state = ${UrlState.queued}, class = 0, attempts = 1, reason = NULL, not_before = 0,
           flags = flags & ~${UrlFlag.secondLook | UrlFlag.rangedGet} WHERE ${which}`,
      )
      .run();
    this.#queued += Number(change.changes);
  }

  /** What refused connections or was put off gets its chance at once; only what asked for time itself keeps it. */
  forgiveHosts(): void {
    this.#database.exec(
      `UPDATE hosts SET blocked_until = 0, failures = 0, block_reason = NULL WHERE block_reason IS NOT 'retry_after';
       UPDATE hosts SET failures = 0;
       UPDATE origins SET robots_tries = 0, robots_retry_at = 0 WHERE robots_state = 'failed'`,
    );
  }

  /** A limit has ended the run: what it left is not to be asked for now. */
  leaveRest(): void {
    this.#database.exec(
      `UPDATE urls SET state = ${UrlState.skipped}, reason = 'limit' WHERE state = ${UrlState.queued} AND kind <> ${UrlKind.robots}`,
    );
  }

  /** The limit is another now: what it had left is asked for. */
  takeUpRest(): void {
    this.#database.exec(
      `UPDATE urls SET state = ${UrlState.queued}, reason = NULL
       WHERE state = ${UrlState.skipped} AND reason = 'limit' AND kind <> ${UrlKind.robots}`,
    );
  }

  #fill(ids: Iterable<number>): void {
    this.#database.exec('DROP TABLE IF EXISTS temp.chosen; CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY)');
    const insert = this.#database.prepare('INSERT OR IGNORE INTO temp.chosen (id) VALUES (?)');
    for (const id of ids) {
      insert.run(id);
    }
  }

  /** What came of the first look is kept as its last attempt. */
  #again(which: string): void {
    const asked = `urls.kind = ${UrlKind.page} AND urls.state IN (${UrlState.done}, ${UrlState.failed}) AND ${which}`;
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO attempts (url, look, attempt, at, status, reason, message)
         SELECT urls.id, 1, urls.attempts, coalesce(nullif(pages.fetched_at, 0), ?), pages.status, urls.reason,
           CASE WHEN pages.id IS NULL THEN robots.message ELSE pages.message END
         FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN origins ON origins.id = urls.origin
           LEFT JOIN pages AS robots ON robots.id = origins.robots_id WHERE ${asked}`,
      )
      .run(this.#now);
    const change = this.#database
      .prepare(
        `UPDATE urls SET state = ${UrlState.queued}, class = 0, attempts = 1, reason = NULL,
           flags = (flags | ${UrlFlag.secondLook}) & ~${UrlFlag.rangedGet},
           not_before = CASE WHEN origin IN (SELECT origin FROM temp.own) THEN 0 ELSE
             (SELECT at FROM attempts WHERE url = urls.id AND look = 1 ORDER BY attempt DESC LIMIT 1) + ${SECOND_LOOK_AFTER_MS} END
         WHERE ${asked}`,
      )
      .run();
    this.#queued += Number(change.changes);
  }
}
