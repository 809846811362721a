import type { Database } from './sqlite.js';
import { STATE_NAMES, UrlKind, UrlState } from './url-state.js';

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
