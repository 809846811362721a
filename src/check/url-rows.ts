import type { Database, Row, Statement } from '../store/sqlite.js';
import { UNANSWERED, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { Look } from './result.js';
import type { Answer, LookResult } from './ruling.js';
import { FAILED_WITH_ROBOTS } from './silent-robots.js';

/** A URL as a check sees it. */
export interface UrlRow {
  id: number;
  url: string;
  state: UrlState;
  reason: string | null;
  flags: number;
  host: number | null;
  attempts: number;
  status: number | null;
  message: string | null;
  title: string | null;
  fetchedAt: number | null;
  redirectTo: number | null;
  contentType: string | null;
  headers: string | null;
  /** Why not all of a page or sitemap could be read, or null. */
  malformed: string | null;
  /** The first that led to it, or null. */
  parent: string | null;
  parentKind: UrlKind | null;
  /** The sitemap that names it, or null. */
  sitemap: string | null;
  /** 1 where both looks for its robots.txt ran out of time, which were those at this URL. */
  failedWithRobots: number;
}

/** Of a URL that shares the fate of its host there is no page of its own: what is known is what robots.txt met with. */
const ROW = `SELECT urls.id AS id, urls.url AS url, urls.state AS state, urls.reason AS reason, urls.flags AS flags, origins.host AS host,
    urls.attempts AS attempts, pages.status AS status, CASE WHEN pages.id IS NULL THEN robots.message ELSE pages.message END AS message,
    pages.title AS title, CASE WHEN pages.id IS NULL THEN robots.fetched_at ELSE pages.fetched_at END AS fetchedAt,
    pages.redirect_to AS redirectTo, pages.content_type AS contentType, link_facts.headers AS headers,
    pages.malformed AS malformed, parents.url AS parent, parents.kind AS parentKind,
    CASE WHEN parents.kind = ${UrlKind.sitemap} THEN parents.url ELSE sitemaps.url END AS sitemap,
    ${FAILED_WITH_ROBOTS} AS failedWithRobots
  FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN link_facts ON link_facts.page = urls.id
    LEFT JOIN origins ON origins.id = urls.origin LEFT JOIN pages AS robots ON robots.id = origins.robots_id
    LEFT JOIN urls AS parents ON parents.id = urls.parent LEFT JOIN sitemap_finds ON sitemap_finds.url = urls.id
    LEFT JOIN urls AS sitemaps ON sitemaps.id = sitemap_finds.sitemap`;

/** Statuses that the reason of a failure stems from; any other failure has no answer of its own. */
const ANSWERED: ReadonlySet<string | null> = new Set([
  null,
  'http_4xx',
  'http_5xx',
  'auth_required',
  'rate_limited',
  'malformed_html',
  'redirect_limit',
  'redirect_loop',
  'invalid_url',
  'too_large',
]);
const FEWEST_TO_JUDGE_A_HOST = 3;

/** Reads what a verdict is made from. */
export class UrlRows {
  readonly #database: Database;
  readonly #byId: Statement;
  readonly #attempts: Statement;
  /** Hosts that answer 403 to all that they are asked, and how many URLs that was. */
  readonly #forbidding: ReadonlyMap<number, number>;

  constructor(database: Database) {
    this.#database = database;
    this.#byId = database.prepare(`${ROW} WHERE urls.id = ?`);
    this.#attempts = database.prepare(
      'SELECT look, at, status, reason, message FROM attempts WHERE url = ? ORDER BY look, attempt',
    );
    this.#forbidding = forbiddingHosts(database);
  }

  /** All that links can lead to, in the order in which they were found. */
  all(): IterableIterator<UrlRow> {
    return this.#database
      .prepare(`${ROW} WHERE urls.kind = ${UrlKind.page} AND NOT ${UNANSWERED} ORDER BY urls.id`)
      .iterate() as IterableIterator<UrlRow>;
  }

  /** Sitemaps that were not read, or not wholly, but for those that are only guessed; and feeds, where the link to one does not tell. */
  unreadSitemaps(): IterableIterator<UrlRow> {
    return this.#database
      .prepare(
        `${ROW} WHERE urls.kind = ${UrlKind.sitemap} AND NOT ${UNANSWERED}
           AND (pages.malformed IS NOT NULL OR (urls.state <> ${UrlState.done} AND parents.kind IS NOT ${UrlKind.page})) ORDER BY urls.id`,
      )
      .iterate() as IterableIterator<UrlRow>;
  }

  get(id: number): UrlRow {
    return this.#byId.get(id) as unknown as UrlRow;
  }

  answerOf(row: UrlRow): Answer {
    const isMarked = (row.flags & UrlFlag.secondLook) !== 0;
    const isSilent = !isMarked && row.failedWithRobots === 1;
    return {
      state: row.state,
      ...resultOf(row),
      headers: row.headers === null ? {} : JSON.parse(row.headers),
      title: row.title,
      first: isMarked ? this.#firstLook(row.id) : isSilent ? resultOf(row) : null,
      wasDoubted: isMarked || isSilent,
      last: row.state === UrlState.done || row.state === UrlState.failed ? null : this.#lastLook(row.id),
      forbiddenByHost: row.host === null ? 0 : (this.#forbidding.get(row.host) ?? 0),
    };
  }

  /** All requests for a URL, in their order. */
  looksOf(row: UrlRow): Look[] {
    const looks = this.#attempts.all(row.id).map(lookOf);
    const isSettled = row.state === UrlState.done || row.state === UrlState.failed;
    if (isSettled && (row.attempts > 0 || row.reason !== null)) {
      looks.push(lookOf({ at: row.fetchedAt, ...resultOf(row) }));
    }
    return looks;
  }

  #firstLook(id: number): LookResult | null {
    const first = this.#attempts.all(id).findLast(({ look }) => look === 1);
    return first === undefined ? null : lookResult(first);
  }

  #lastLook(id: number): LookResult | null {
    const last = this.#attempts.all(id).at(-1);
    return last === undefined ? null : lookResult(last);
  }
}

const resultOf = ({ reason, status, message }: UrlRow): LookResult => ({
  reason,
  status: ANSWERED.has(reason) ? status : null,
  message,
});

const lookResult = ({ reason, status, message }: Row): LookResult => ({ reason, status, message });

const lookOf = ({ at, status, reason, message }: Row): Look => ({
  at: new Date(at ?? 0).toISOString(),
  status,
  error: reason,
  message,
});

function forbiddingHosts(database: Database): Map<number, number> {
  const rows = database
    .prepare(
      `SELECT origins.host AS host, count(*) AS asked FROM urls JOIN pages ON pages.id = urls.id JOIN origins ON origins.id = urls.origin
       WHERE urls.kind = ${UrlKind.page} AND pages.status IS NOT NULL GROUP BY origins.host
       HAVING count(*) >= ${FEWEST_TO_JUDGE_A_HOST} AND sum(pages.status <> 403) = 0`,
    )
    .all();
  return new Map(rows.map(({ host, asked }) => [host, asked]));
}
