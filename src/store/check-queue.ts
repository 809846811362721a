import { urlKey } from '../url/identity.js';
import { CheckReader, FAILED_WITH_ROBOTS, ROBOTS_WAS_SILENT } from './check-reader.js';
import type { Database } from './sqlite.js';
import { atStore, inTransaction, writeMeta } from './store-file.js';
import { type Move, moveAll } from './url-moves.js';
import { QueueClass, UNANSWERED, UrlFlag, UrlKind, UrlState } from './url-state.js';

export interface CheckQueueOptions {
  /** Wall time. */
  now: number;
  /** Between the first look at a URL and the second. */
  pauseMs: number;
  /** Whether an origin is asked again at once. */
  isOwn(origin: string): boolean;
}

/** Queues what the next round asks for and notes how far the check is: all that `change` does is stored, or nothing of it. */
export type ChangeCheck = <T>(options: CheckQueueOptions, change: (queue: CheckQueue) => T) => Promise<T>;

/** Works on the store of a check between two rounds: under its lock, and with the file closed afterwards. */
export function betweenCheckRounds<T>(
  directory: string,
  work: (reader: CheckReader, change: ChangeCheck) => Promise<T>,
): Promise<T> {
  return atStore(directory, (database) =>
    work(new CheckReader(database), (options, change) =>
      inTransaction(database, () => change(new CheckQueue(database, options))),
    ),
  );
}

const { queued, leased, done, failed, skipped, deferred } = UrlState;
const CHOSEN = 'id IN (SELECT id FROM temp.chosen)';
const PAGE_OR_SITEMAP = `kind IN (${UrlKind.page}, ${UrlKind.sitemap})`;
/** First in line, and with tries of its own. */
const ANEW = `class = ${QueueClass.urgent}, attempts = 1, reason = NULL`;

/** Queues the URLs that the next round of a check requests. `betweenCheckRounds` gives it a transaction, and nobody else uses the store. */
export class CheckQueue {
  readonly #database: Database;
  readonly #options: CheckQueueOptions;
  #queued = 0;

  constructor(database: Database, options: CheckQueueOptions) {
    this.#database = database;
    this.#options = options;
    database.exec('DROP TABLE IF EXISTS temp.own; CREATE TEMP TABLE own (origin INTEGER PRIMARY KEY)');
    const add = database.prepare('INSERT INTO temp.own (origin) VALUES (?)');
    for (const { id, origin } of database.prepare('SELECT id, origin FROM origins').all()) {
      if (options.isOwn(origin)) {
        add.run(id);
      }
    }
  }

  /** Notes values of `meta`; null removes a key. */
  note(values: Readonly<Record<string, string | null>>): void {
    writeMeta(this.#database, values);
  }

  /** How many URLs were queued so far. */
  get queued(): number {
    return this.#queued;
  }

  /** All that failed for one of these reasons and was looked at only once, but for what the user takes for fine. */
  lookAgainAtFailed(reasons: readonly string[], isAccepted: (url: string, status: number | null) => boolean): void {
    const inDoubt = `urls.state = ${failed} AND urls.reason IN (${reasons.map((reason) => `'${reason}'`).join(', ')})
      AND (urls.flags & ${UrlFlag.secondLook}) = 0 AND NOT ${UNANSWERED} AND NOT ${FAILED_WITH_ROBOTS}`;
    const accepted: number[] = [];
    for (const { id, url, status } of this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, pages.status AS status FROM urls JOIN pages ON pages.id = urls.id WHERE ${inDoubt}`,
      )
      .iterate()) {
      if (isAccepted(url, status)) {
        accepted.push(id);
      }
    }
    this.#choose(accepted);
    this.#lookAgain(`${inDoubt} AND NOT urls.${CHOSEN}`);
  }

  /** Of these, those that were not looked at twice. */
  lookAgainAt(ids: Iterable<number>): void {
    this.#choose(ids);
    this.#lookAgain(`urls.${CHOSEN} AND (urls.flags & ${UrlFlag.secondLook}) = 0`);
  }

  /** Second looks whose host was put off before their turn: it gets its chance once more. */
  lookAgainAtPutOff(): void {
    this.#move({
      ...{ from: deferred, to: queued, set: `class = ${QueueClass.urgent}, reason = NULL` },
      where: `kind = ${UrlKind.page} AND (flags & ${UrlFlag.secondLook}) <> 0 AND reason IN ('backoff', 'quarantine')`,
    });
  }

  /** Pages elsewhere that were only asked for with HEAD, or are known from an earlier run: links name places on them. */
  askForAnchors(ids: Iterable<number>): void {
    this.#choose(ids);
    this.#move({
      ...{ from: [done, skipped], to: queued },
      set: `${ANEW}, flags = (flags | ${UrlFlag.anchors}) & ~${UrlFlag.rangedGet}`,
      where: `${CHOSEN} AND (state = ${done} OR reason = 'known') AND (flags & ${UrlFlag.anchors}) = 0`,
    });
  }

  /** The answer to HEAD is kept as an attempt, which shows what was requested. */
  askForFirstByte(ids: Iterable<number>): void {
    this.#choose(ids);
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO attempts (url, look, attempt, at, status, reason, message)
         SELECT urls.id, 1, urls.attempts, coalesce(pages.fetched_at, ?), pages.status, NULL, NULL FROM urls
           JOIN pages ON pages.id = urls.id WHERE urls.${CHOSEN}`,
      )
      .run(this.#options.now);
    this.#move({ from: done, to: queued, set: `${ANEW}, flags = flags | ${UrlFlag.rangedGet}`, where: CHOSEN });
  }

  /** What failed and these, as if nothing had been asked of them yet. */
  askAnew(ids: Iterable<number>): void {
    this.#choose(ids);
    const isGuess = `kind = ${UrlKind.sitemap} AND (flags & ${UrlFlag.candidate}) <> 0`;
    const which = `${PAGE_OR_SITEMAP} AND NOT (${isGuess}) AND (state = ${failed} AND reason <> 'internal' OR ${CHOSEN})`;
    this.#database.exec(`DELETE FROM attempts WHERE url IN (SELECT id FROM urls WHERE ${which})`);
    this.#move({
      ...{ from: [queued, leased, done, failed, skipped, deferred], to: queued },
      set: `${ANEW}, not_before = 0, flags = flags & ~${UrlFlag.secondLook | UrlFlag.rangedGet}`,
      where: which,
    });
  }

  /** URLs that no page names, each beside a page whose origin, depth and seed it shares. */
  askForProbes(probes: readonly { url: string; beside: { origin: number; depth: number; seed: number } }[]): void {
    let { id } = this.#database.prepare('SELECT coalesce(max(id), 0) AS id FROM urls').get()!;
    const insert = this.#database.prepare(
      `INSERT INTO urls (id, url, kind, origin, depth, seed, class, state)
       VALUES (?, ?, ${UrlKind.probe}, ?, ?, ?, ${QueueClass.rest}, ${queued})`,
    );
    for (const { url, beside } of probes) {
      insert.run(++id, url, beside.origin, beside.depth, beside.seed);
    }
    this.#queued += probes.length;
  }

  /** Routes of pages that are drawn by them, which no page but others has named: they are pages like those that theirs has named. */
  askForRoutes(routes: ReadonlyMap<string, number>): void {
    let { id } = this.#database.prepare('SELECT coalesce(max(id), 0) AS id FROM urls').get()!;
    const insert = this.#database.prepare(
      `INSERT INTO urls (id, url, kind, origin, depth, parent, seed, class, state)
       SELECT ?, ?, ${UrlKind.page}, origin, depth, id, seed, ${QueueClass.rest}, ${queued} FROM urls WHERE id = ?`,
    );
    const insertKey = this.#database.prepare('INSERT INTO keys (first, packed) VALUES (?, ?)');
    for (const [url, page] of routes) {
      insert.run(++id, url, page);
      const packed = new Uint32Array(5);
      urlKey(url, packed, 0);
      packed[4] = id;
      insertKey.run(id, new Uint8Array(packed.buffer));
    }
    this.#queued += routes.size;
  }

  /** Hosts that refused connections or were put off get their chance at once; only those that asked for time themselves keep it. */
  forgiveHosts(): void {
    this.#database.exec(
      `UPDATE hosts SET blocked_until = 0, failures = 0, block_reason = NULL WHERE block_reason IS NOT 'retry_after';
       UPDATE hosts SET failures = 0;
       UPDATE origins SET robots_tries = 0, robots_retry_at = 0 WHERE robots_state = 'failed' AND NOT ${ROBOTS_WAS_SILENT}`,
    );
  }

  /** What looks have shown of robots.txt that lets its time run out counts no more. */
  forgetSilentRobots(): void {
    this.#database.exec(`UPDATE origins SET robots_tries = 0 WHERE ${ROBOTS_WAS_SILENT}`);
  }

  /** A limit has ended the run: the URLs that it left are not to be requested now. */
  leaveRest(): void {
    moveAll(this.#database, {
      ...{ from: queued, to: skipped, set: "reason = 'limit'" },
      where: `kind <> ${UrlKind.robots}`,
    });
  }

  /** The limit has changed: the URLs that it had left are requested. */
  takeUpRest(): void {
    moveAll(this.#database, {
      ...{ from: skipped, to: queued, set: 'reason = NULL' },
      where: `reason = 'limit' AND kind <> ${UrlKind.robots}`,
    });
  }

  /** The result of the first look is kept as its last attempt. */
  #lookAgain(which: string): void {
    const asked = `urls.${PAGE_OR_SITEMAP} AND urls.state IN (${done}, ${failed}) AND ${which}`;
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO attempts (url, look, attempt, at, status, reason, message)
         SELECT urls.id, 1, urls.attempts, coalesce(nullif(pages.fetched_at, 0), ?), pages.status, urls.reason,
           CASE WHEN pages.id IS NULL THEN robots.message ELSE pages.message END
         FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN origins ON origins.id = urls.origin
           LEFT JOIN pages AS robots ON robots.id = origins.robots_id WHERE ${asked}`,
      )
      .run(this.#options.now);
    this.#move({
      ...{ from: [done, failed], to: queued },
      set: `${ANEW}, flags = (flags | ${UrlFlag.secondLook}) & ~${UrlFlag.rangedGet},
        not_before = CASE WHEN origin IN (SELECT origin FROM temp.own) THEN 0 ELSE
          (SELECT at FROM attempts WHERE url = urls.id AND look = 1 ORDER BY attempt DESC LIMIT 1) + ${this.#options.pauseMs} END`,
      where: asked,
    });
  }

  #move(move: Move): void {
    this.#queued += moveAll(this.#database, move);
  }

  #choose(ids: Iterable<number>): void {
    this.#database.exec('DROP TABLE IF EXISTS temp.chosen; CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY)');
    const insert = this.#database.prepare('INSERT OR IGNORE INTO temp.chosen (id) VALUES (?)');
    for (const id of ids) {
      insert.run(id);
    }
  }
}
