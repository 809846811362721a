import type { CheckWishes } from '../crawl/session-plan.js';
import type { Database } from '../store/sqlite.js';
import { UNANSWERED, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { hostnameOf, isLoopbackHost, originOf } from '../url/host.js';
import type { CheckRules } from './rules.js';
import { FAILED_WITH_ROBOTS, ROBOTS_WAS_SILENT } from './silent-robots.js';

/** Between the first look and the second. */
const SECOND_LOOK_AFTER_MS = 5_000;

/** Failures that a second look can tell more about. */
const DOUBTFUL: readonly string[] = [
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

const ASKED_BY_GET =
  UrlFlag.rangedGet | UrlFlag.wholeGet | UrlFlag.secondLook | UrlFlag.anchors | UrlFlag.seed | UrlFlag.candidate;

const mediaType = (contentType: string | null): string => (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** What the looks of a session go by: who failed is asked again once the pause since then is over, on this machine at once. */
export const secondLookBy = (
  rules: Pick<CheckRules, 'accepts'>,
  ownOrigins: ReadonlySet<string>,
): NonNullable<CheckWishes['secondLook']> => ({
  isAccepted: (url, status) => rules.accepts(url, status),
  // A chain that is too long is known by its end alone, between two rounds.
  afterMs: (url, reason, status) =>
    !DOUBTFUL.includes(reason) || reason === 'redirect_limit' || rules.accepts(url, status)
      ? null
      : pauseBefore(originOf(url), ownOrigins),
});

/** A server of this machine, or a folder, says the same at once. */
const pauseBefore = (origin: string, ownOrigins: ReadonlySet<string>): number =>
  ownOrigins.has(origin) || isLoopbackHost(hostnameOf(`${origin}/`)) ? 0 : SECOND_LOOK_AFTER_MS;

/** Queues what is to be looked at once more. Whoever calls it has begun a transaction, and nobody else has the store. */
export class SecondLook {
  readonly #database: Database;
  readonly #now: number;
  #queued = 0;

  /**
   * @param now wall time
   * @param ownOrigins those of files of this machine
   */
  constructor(database: Database, now: number, ownOrigins: readonly string[]) {
    this.#database = database;
    this.#now = now;
    database.exec('DROP TABLE IF EXISTS temp.own; CREATE TEMP TABLE own (origin INTEGER PRIMARY KEY)');
    const add = database.prepare('INSERT INTO temp.own (origin) VALUES (?)');
    const own = new Set(ownOrigins);
    for (const { id, origin } of database.prepare('SELECT id, origin FROM origins').all()) {
      if (pauseBefore(origin, own) === 0) {
        add.run(id);
      }
    }
  }

  get queued(): number {
    return this.#queued;
  }

  /** All that failed and was looked at only once, but for what the user takes for fine. */
  failed(rules: Pick<CheckRules, 'accepts'>): void {
    const reasons = DOUBTFUL.map((reason) => `'${reason}'`).join(', ');
    const inDoubt = `urls.state = ${UrlState.failed} AND urls.reason IN (${reasons}) AND (urls.flags & ${UrlFlag.secondLook}) = 0 AND NOT ${UNANSWERED} AND NOT ${FAILED_WITH_ROBOTS}`;
    const accepted: number[] = [];
    for (const { id, url, status } of this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, pages.status AS status FROM urls JOIN pages ON pages.id = urls.id WHERE ${inDoubt}`,
      )
      .iterate()) {
      if (rules.accepts(url, status)) {
        accepted.push(id);
      }
    }
    this.#fill(accepted);
    this.#again(`${inDoubt} AND urls.id NOT IN (SELECT id FROM temp.chosen)`);
  }

  /** Second looks whose host was put off before their turn: it gets its chance once more. */
  putOff(): void {
    const change = this.#database
      .prepare(
        `UPDATE urls SET state = ${UrlState.queued}, class = 0, reason = NULL
         WHERE state = ${UrlState.deferred} AND kind = ${UrlKind.page} AND (flags & ${UrlFlag.secondLook}) <> 0
           AND reason IN ('backoff', 'quarantine')`,
      )
      .run();
    this.#queued += Number(change.changes);
  }

  /** Of these, those that were not looked at twice. */
  these(ids: Iterable<number>): void {
    this.#fill(ids);
    this.#again(`urls.id IN (SELECT id FROM temp.chosen) AND (urls.flags & ${UrlFlag.secondLook}) = 0`);
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

  /**
   * Some servers answer HEAD as they do not answer GET. Of each host and media type one URL that only a HEAD has answered for is asked for
   * its first byte, the one whose name comes first, so that the order of answers decides nothing; where that is refused, all of the host.
   * What HEAD said is kept as an attempt: so it is known who was asked.
   */
  confirmHeads(ownOrigins: readonly string[]): void {
    const own = new Set(ownOrigins);
    const asked = new Set<string>();
    const liars = new Set<number>();
    for (const { host, type, state, status } of this.#database
      .prepare(
        `SELECT DISTINCT origins.host AS host, pages.content_type AS type, urls.state AS state, pages.status AS status
         FROM attempts JOIN urls ON urls.id = attempts.url JOIN origins ON origins.id = urls.origin JOIN pages ON pages.id = urls.id
         WHERE attempts.look = 1 AND attempts.reason IS NULL AND attempts.status BETWEEN 200 AND 299 AND urls.kind = ${UrlKind.page}`,
      )
      .iterate()) {
      asked.add(`${host} ${mediaType(type)}`);
      if (state === UrlState.failed || (state === UrlState.done && (status ?? 200) >= 300)) {
        liars.add(host);
      }
    }
    // The other way round: what HEAD says is gone is there.
    for (const { host } of this.#database
      .prepare(
        `SELECT DISTINCT origins.host AS host FROM attempts JOIN urls ON urls.id = attempts.url JOIN origins ON origins.id = urls.origin
         WHERE attempts.look = 1 AND attempts.status IN (404, 410) AND urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}
           AND (urls.flags & ${UrlFlag.rangedGet}) <> 0`,
      )
      .iterate()) {
      liars.add(host);
    }
    this.#fill([]);
    const choose = this.#database.prepare('INSERT INTO temp.chosen (id) VALUES (?)');
    const chosen: number[] = [];
    for (const { id, origin, host, type } of this.#database
      .prepare(
        `SELECT urls.id AS id, origins.origin AS origin, origins.host AS host, pages.content_type AS type FROM urls
           JOIN pages ON pages.id = urls.id JOIN origins ON origins.id = urls.origin
         WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done} AND pages.status BETWEEN 200 AND 299 AND pages.hash IS NULL
           AND (urls.flags & ${UrlFlag.external | UrlFlag.asset}) <> 0 AND (urls.flags & ${ASKED_BY_GET}) = 0
         ORDER BY urls.url`,
      )
      .iterate()) {
      const key = `${host} ${mediaType(type)}`;
      if (!own.has(origin) && (liars.has(host) || !asked.has(key))) {
        asked.add(key);
        chosen.push(id);
      }
    }
    for (const id of chosen) {
      choose.run(id);
    }
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO attempts (url, look, attempt, at, status, reason, message)
         SELECT urls.id, 1, urls.attempts, coalesce(pages.fetched_at, ?), pages.status, NULL, NULL FROM urls
           JOIN pages ON pages.id = urls.id WHERE urls.id IN (SELECT id FROM temp.chosen)`,
      )
      .run(this.#now);
    const change = this.#database
      .prepare(
        `UPDATE urls SET state = ${UrlState.queued}, class = 0, attempts = 1, reason = NULL, flags = flags | ${UrlFlag.rangedGet}
         WHERE id IN (SELECT id FROM temp.chosen)`,
      )
      .run();
    this.#queued += Number(change.changes);
  }

  /** What failed and these, as if nothing had been asked of them yet. */
  forget(ids: Iterable<number>): void {
    this.#fill(ids);
    const isGuess = `kind = ${UrlKind.sitemap} AND (flags & ${UrlFlag.candidate}) <> 0`;
    const which = `kind IN (${UrlKind.page}, ${UrlKind.sitemap}) AND NOT (${isGuess}) AND (state = ${UrlState.failed} AND reason <> 'internal' OR id IN (SELECT id FROM temp.chosen))`;
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
       UPDATE origins SET robots_tries = 0, robots_retry_at = 0 WHERE robots_state = 'failed' AND NOT ${ROBOTS_WAS_SILENT}`,
    );
  }

  /** What looks have shown of robots.txt that lets its time run out counts no more. */
  forgetSilence(): void {
    this.#database.exec(`UPDATE origins SET robots_tries = 0 WHERE ${ROBOTS_WAS_SILENT}`);
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
    const asked = `urls.kind IN (${UrlKind.page}, ${UrlKind.sitemap}) AND urls.state IN (${UrlState.done}, ${UrlState.failed}) AND ${which}`;
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
