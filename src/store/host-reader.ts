import { unicodeHost } from '../url/host-display.js';
import type { RedirectChains } from './redirect-chains.js';
import type { Database } from './sqlite.js';
import { readMeta } from './store-file.js';
import { STATE_NAMES, UNANSWERED, UNANSWERED_ROBOTS, UrlKind, UrlState } from './url-state.js';

/** A host and what became of it. */
export interface HostResult {
  /** Its name, with the port where that counts. */
  name: string;
  /** The name in Unicode, where it has such a form that is safe to show. */
  unicodeName: string | null;
  /** Its lines in pages.jsonl. */
  urls: number;
  /** Of them, those answered with a page, a file or a redirect that ends well. */
  done: number;
  /** Of them, those answered with 4xx or 5xx, unreadable, or not answered at all. */
  failed: number;
  /** Of them, those not asked for: robots.txt, nofollow, depth, traps, limits. */
  skipped: number;
  /** Of them, those put off with it. */
  deferred: number;
  /** Of its lines, those that were asked for. */
  dispatched: number;
  /** Why it was put off; null if it was not. */
  deferredReason: string | null;
  /**
   * What came of its robots.txt: `ready` (its rules are known, or there are none), `unknown`, `fetching`, `unreachable`, `failed`,
   * `unanswered` (crawled all the same, --robots-unreachable allow), `ignored` (--ignore-robots).
   */
  robots: string | null;
  /** Its Crawl-delay, the longest of its origins; null if it has none. */
  crawlDelayMs: number | null;
  /** The address last connected to; null if there was no connection. */
  address: string | null;
}

/** A host that was put off. */
export interface DeferredHost {
  host: string;
  /** Why, as in pages.jsonl. */
  reason: string;
  /** How many of its URLs wait. */
  urls: number;
  /** ISO 8601; null if unknown. */
  until: string | null;
  /** What came of its robots.txt, where that is why; else null. */
  detail: string | null;
}

/** Reads what became of hosts: of their URLs, and of their robots.txt. */
export class HostReader {
  readonly #database: Database;
  readonly #crawl: { listed(): string; chains(): RedirectChains };

  /** @param crawl the condition, in SQL, of the URLs that count as pages, and where their redirects end */
  constructor(database: Database, crawl: { listed(): string; chains(): RedirectChains }) {
    this.#database = database;
    this.#crawl = crawl;
  }

  /** How many lines of `pages` each host has, and what became of them. */
  *all(): IterableIterator<HostResult> {
    const listed = this.#crawl.listed();
    const sum = (...states: UrlState[]): string =>
      `coalesce(sum(${listed} AND urls.state IN (${states.join(', ')})), 0)`;
    const { queued, leased, done, failed, skipped, deferred } = UrlState;
    const rows = this.#database
      .prepare(
        `SELECT hosts.id AS id, hosts.name AS name, sum(${listed}) AS urls, ${sum(done)} AS done, ${sum(failed)} AS failed,
           ${sum(queued, leased, skipped)} AS skipped, ${sum(deferred)} AS deferred, hosts.dispatched AS dispatched, hosts.deferred_reason AS deferredReason,
           max(origins.robots_state) AS robots, max(origins.crawl_delay_ms) AS crawlDelayMs, hosts.address AS address
         FROM hosts JOIN origins ON origins.host = hosts.id JOIN urls ON urls.origin = origins.id AND urls.kind = ${UrlKind.page}
             AND urls.state <> ${UrlState.unlisted}
           AND NOT ${UNANSWERED}
         GROUP BY hosts.id ORDER BY hosts.id`,
      )
      .iterate() as IterableIterator<Omit<HostResult, 'unicodeName'> & { id: number }>;
    const wrong = this.#wrongRedirects();
    const isIgnored = readMeta(this.#database).ignoredRobots === 'true';
    for (const { id, ...row } of rows) {
      const circles = wrong.get(id) ?? 0;
      const counts = { done: row.done - circles, failed: row.failed + circles };
      const robots = isIgnored ? 'ignored' : row.robots;
      yield { ...row, ...counts, robots, unicodeName: unicodeHost(row.name) };
    }
  }

  /** By host, redirects that were answered and whose chain goes wrong: they are `done` in their row, and `failed` in every list. */
  #wrongRedirects(): Map<number, number> {
    const redirects = this.#database
      .prepare(
        `SELECT urls.id AS id, origins.host AS host FROM pages JOIN urls ON urls.id = pages.id JOIN origins ON origins.id = urls.origin
         WHERE pages.redirect_to IS NOT NULL AND urls.state = ${UrlState.done} AND ${this.#crawl.listed()}`,
      )
      .iterate();
    const wrong = new Map<number, number>();
    for (const { id, host } of redirects) {
      if (this.#crawl.chains().endOf(id).problem !== null) {
        wrong.set(host, (wrong.get(host) ?? 0) + 1);
      }
    }
    return wrong;
  }

  /** Hosts whose robots.txt could not be reached and that were crawled all the same. */
  withoutRobots(): number {
    return this.#database
      .prepare(`SELECT count(DISTINCT host) AS n FROM origins WHERE robots_state = '${UNANSWERED_ROBOTS}'`)
      .get()!.n;
  }

  /** Deferred URLs by host and cause. */
  deferred(): DeferredHost[] {
    return this.#database
      .prepare(
        `SELECT hosts.name AS host, urls.reason AS reason, sum(urls.kind = ${UrlKind.page}) AS urls, hosts.blocked_until AS until,
           max(robots.id) AS robots, robots.status AS status, robots.message AS message
         FROM urls INDEXED BY urls_deferred
         JOIN origins ON origins.id = urls.origin JOIN hosts ON hosts.id = origins.host
         LEFT JOIN pages AS robots ON robots.id = origins.robots_id WHERE urls.state = ${UrlState.deferred} AND NOT ${UNANSWERED}
         GROUP BY hosts.id, urls.reason HAVING sum(urls.kind = ${UrlKind.page}) > 0 ORDER BY urls DESC`,
      )
      .all()
      .map(({ host, reason, urls, until, status, message }) => {
        // Nobody knows when a robots.txt will answer, and a long Crawl-delay has no end.
        const hasEnd = until > 0 && ['backoff', 'retry_after', 'quarantine'].includes(reason);
        const detail = reason === 'robots_unreachable' ? robotsTrouble(status, message) : null;
        return { host, reason, urls, until: hasEnd ? new Date(until).toISOString() : null, detail };
      });
  }
}

/** Why the robots.txt of an origin cannot be read: what the answer was, or why there was none. */
export function robotsTrouble(status: number | null, message: string | null): string {
  if (status !== null) {
    return status === 429 || status >= 500
      ? `robots.txt was answered with HTTP ${status}`
      : 'the answer to robots.txt broke off';
  }
  return message === null ? 'robots.txt was not answered' : `robots.txt was not answered: ${message}`;
}

/** What became of the sitemap files that robots.txt, the usual places and other sitemaps name. */
export interface SitemapFiles {
  /** Answered with a file, or a redirect to one. */
  read: number;
  /** Asked for and not had; at the usual places there need not be any. */
  failed: number;
  /** Not asked for, by cause: `limit` (1,000 files a host), `depth` (nested too deep), `robots`, why its host is put off, or `queued` where the run ended first. */
  notRead: Record<string, number>;
}

/** Counts sitemap files. There is no index of them: each question looks at every URL once. */
export class SitemapFilesReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Of all hosts, or of one. */
  count(host: number | null = null): SitemapFiles {
    const ofHost = host === null ? '' : 'AND origin IN (SELECT id FROM origins WHERE host = ?)';
    const rows = this.#database
      .prepare(
        `SELECT state, reason, count(*) AS n FROM urls WHERE kind = ${UrlKind.sitemap} ${ofHost} GROUP BY 1, 2 ORDER BY 3 DESC`,
      )
      .all(...(host === null ? [] : [host]));
    const files: SitemapFiles = { read: 0, failed: 0, notRead: {} };
    for (const { state, reason, n } of rows as { state: UrlState; reason: string | null; n: number }[]) {
      if (state === UrlState.done) {
        files.read += n;
      } else if (state === UrlState.failed) {
        files.failed += n;
      } else {
        const waits = state === UrlState.queued || state === UrlState.leased;
        const cause = waits ? 'queued' : (reason ?? STATE_NAMES[state]);
        files.notRead[cause] = (files.notRead[cause] ?? 0) + n;
      }
    }
    return files;
  }

  /** Hosts of files that were left because of the limit, and how many; the largest first. */
  cutHosts(most: number): { host: string; files: number }[] {
    return this.#database
      .prepare(
        `SELECT hosts.name AS host, count(*) AS files FROM urls JOIN origins ON origins.id = urls.origin JOIN hosts ON hosts.id = origins.host
         WHERE urls.kind = ${UrlKind.sitemap} AND urls.state = ${UrlState.skipped} AND urls.reason = 'limit'
         GROUP BY hosts.id ORDER BY files DESC, hosts.id LIMIT ?`,
      )
      .all(most) as { host: string; files: number }[];
  }
}
