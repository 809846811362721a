import { edgesFromBlob } from './page-row.js';
import type { Database } from './sqlite.js';
import { UrlKind, UrlState } from './url-state.js';

export interface AnswerTimes {
  /** Requests for robots.txt and sitemaps. */
  others: number;
  headersMs: number;
  answerMs: number;
}

/** A host and one of its origins, with what its robots.txt says. */
export interface SurveyedOrigin {
  origin: number;
  host: string;
  robots: string;
  rules: string | null;
  crawlDelayMs: number | null;
  /** Why its pages are put off or have all failed, or null. */
  trouble: string | null;
  /** Pages that were answered, or failed on their own. */
  asked: number;
  /** Pages that wait. */
  queued: number;
  /** Pages that robots.txt forbade when their turn came. */
  refused: number;
  deferred: number;
}

export interface SurveyedSitemap {
  url: string;
  state: UrlState;
  reason: string | null;
  status: number | null;
  urls: number;
  message: string | null;
  /** Named by a sitemap index, or where such a one moved to. */
  named: boolean;
  /** It names other sitemaps, not pages. */
  isIndex: boolean;
}

export interface ListedPage {
  id: number;
  given: 0 | 1;
  named: 0 | 1;
}

const PAGE = `urls.kind = ${UrlKind.page}`;

/** Reads what a survey or a sample has found; see crawl/preview. */
export class SurveyReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Origins of pages, those of one host after each other. */
  origins(): IterableIterator<SurveyedOrigin> {
    return this.#database
      .prepare(
        `SELECT origins.id AS origin, hosts.name AS host, origins.robots_state AS robots, origins.robots_rules AS rules,
           origins.crawl_delay_ms AS crawlDelayMs,
           max(CASE WHEN urls.state = ${UrlState.deferred} OR (urls.state = ${UrlState.failed} AND urls.attempts = 0) THEN urls.reason END) AS trouble,
           sum(urls.state IN (${UrlState.done}, ${UrlState.failed}) AND urls.attempts > 0) AS asked,
           sum(urls.state IN (${UrlState.queued}, ${UrlState.leased})) AS queued,
           sum(urls.state = ${UrlState.skipped} AND urls.reason = 'robots') AS refused, sum(urls.state = ${UrlState.deferred}) AS deferred
         FROM urls JOIN origins ON origins.id = urls.origin JOIN hosts ON hosts.id = origins.host
         WHERE ${PAGE} AND urls.state <> ${UrlState.unlisted} GROUP BY origins.id ORDER BY hosts.id`,
      )
      .iterate() as IterableIterator<SurveyedOrigin>;
  }

  /** Pages of an origin that wait, or that robots.txt forbade when their turn came. */
  waiting(origin: number): IterableIterator<{ id: number; url: string }> {
    return this.#database
      .prepare(
        `SELECT id, url FROM urls WHERE origin = ? AND ${PAGE} AND
           (state IN (${UrlState.queued}, ${UrlState.leased}) OR (state = ${UrlState.skipped} AND reason = 'robots'))`,
      )
      .iterate(origin) as IterableIterator<{ id: number; url: string }>;
  }

  /** By host: the average of pages where some were asked for, else the fastest answer, since the first ones wait for connections. */
  answers(): Map<string, AnswerTimes> {
    const rows = this.#database
      .prepare(
        `SELECT hosts.name AS host, sum(urls.kind <> ${UrlKind.page}) AS others,
           coalesce(avg(CASE WHEN ${PAGE} THEN pages.ttfb_ms END), min(pages.ttfb_ms)) AS headersMs,
           coalesce(avg(CASE WHEN ${PAGE} THEN pages.total_ms END), min(pages.total_ms)) AS answerMs
         FROM pages JOIN urls ON urls.id = pages.id JOIN origins ON origins.id = urls.origin JOIN hosts ON hosts.id = origins.host
         WHERE pages.status IS NOT NULL GROUP BY hosts.id`,
      )
      .all();
    return new Map(rows.map(({ host, others, headersMs, answerMs }) => [host, { others, headersMs, answerMs }]));
  }

  *sitemaps(): IterableIterator<SurveyedSitemap> {
    const isParent = this.#database.prepare(`SELECT DISTINCT parent FROM urls WHERE kind = ${UrlKind.sitemap}`).all();
    const indexes = new Set(isParent.map(({ parent }) => parent));
    const rows = this.#database
      .prepare(
        `SELECT urls.id, urls.url, urls.state, urls.reason, urls.parent, pages.status, pages.links, pages.message
         FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE urls.kind = ${UrlKind.sitemap}`,
      )
      .iterate();
    for (const { id, url, state, reason, parent, status, links, message } of rows) {
      const urls = links ?? 0;
      yield { url, state, reason, status, urls, message, named: parent !== null, isIndex: indexes.has(id) };
    }
  }

  /** URLs of sitemaps that are out of scope, by host; the largest first. */
  outside(most: number): { urls: number; hosts: { host: string; urls: number }[] } {
    const from = `FROM urls JOIN urls AS parents ON parents.id = urls.parent AND parents.kind = ${UrlKind.sitemap}
      WHERE urls.state = ${UrlState.unlisted} AND urls.reason = 'scope'`;
    const urls: number = this.#database.prepare(`SELECT count(*) AS n ${from}`).get()!.n;
    const hosts = this.#database
      .prepare(
        `SELECT hosts.name AS host, sum(n) AS urls FROM (SELECT urls.origin AS origin, count(*) AS n ${from} GROUP BY 1) AS found
           JOIN origins ON origins.id = found.origin JOIN hosts ON hosts.id = origins.host GROUP BY hosts.id ORDER BY 2 DESC LIMIT ?`,
      )
      .all(most);
    return { urls, hosts: hosts as { host: string; urls: number }[] };
  }

  /** Pages that are known and not asked for, by cause; robots.txt aside. */
  skipped(): Record<string, number> {
    const rows = this.#database
      .prepare(
        `SELECT reason, count(*) AS n FROM urls WHERE ${PAGE} AND state = ${UrlState.skipped} AND reason <> 'robots' GROUP BY reason`,
      )
      .all();
    return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
  }

  /** What became of the pages that were asked for, by status. */
  statuses(): { status: number | null; isHtml: boolean; pages: number }[] {
    return this.#database
      .prepare(
        `SELECT pages.status AS status, pages.content_type LIKE '%html%' AS isHtml, count(*) AS pages
         FROM pages JOIN urls ON urls.id = pages.id WHERE ${PAGE} AND urls.state IN (${UrlState.done}, ${UrlState.failed}) GROUP BY 1, 2`,
      )
      .all()
      .map(({ status, isHtml, pages }) => ({ status, isHtml: isHtml === 1, pages }));
  }

  /** Pages that a crawl asks for, as far as their state says. `given`: a seed, or named in a sitemap; `named`: the latter. */
  listed(): IterableIterator<ListedPage> {
    return this.#database
      .prepare(
        `SELECT urls.id AS id, parents.id IS NULL OR parents.kind = ${UrlKind.sitemap} AS given,
           parents.kind IS ${UrlKind.sitemap} AS named FROM urls LEFT JOIN urls AS parents ON parents.id = urls.parent
         WHERE ${PAGE} AND (urls.state IN (${UrlState.queued}, ${UrlState.leased}) OR (urls.state IN (${UrlState.done}, ${UrlState.failed}) AND urls.attempts > 0))`,
      )
      .iterate() as IterableIterator<ListedPage>;
  }

  lastId(): number {
    return this.#database.prepare('SELECT coalesce(max(id), 0) AS id FROM urls').get()!.id;
  }

  /** Pages in the order they were answered, each with the ids of what it leads to. */
  *links(): IterableIterator<{ id: number; targets: Uint32Array }> {
    const rows = this.#database
      .prepare(
        `SELECT urls.id AS id, edges.packed AS packed FROM pages JOIN urls ON urls.id = pages.id LEFT JOIN edges ON edges.page = urls.id
         WHERE ${PAGE} AND urls.state IN (${UrlState.done}, ${UrlState.failed}) ORDER BY pages.seq`,
      )
      .iterate();
    for (const { id, packed } of rows) {
      const words = packed === null ? new Uint32Array(0) : edgesFromBlob(packed);
      yield { id, targets: words.filter((_, place) => place % 2 === 0) };
    }
  }

  /** Seeds that wait: where they are, and which of their spellings. */
  seeds(seedFlag: number): { seed: number; url: string; rules: string | null; robots: string }[] {
    return this.#database
      .prepare(
        `SELECT urls.seed AS seed, urls.url AS url, origins.robots_rules AS rules, origins.robots_state AS robots
         FROM urls JOIN origins ON origins.id = urls.origin
         WHERE ${PAGE} AND urls.state = ${UrlState.queued} AND (urls.flags & ?) <> 0`,
      )
      .all(seedFlag) as { seed: number; url: string; rules: string | null; robots: string }[];
  }
}
