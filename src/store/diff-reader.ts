import { openKept } from './directory.js';
import { type HostNames, renamed, renamedUrl } from './host-names.js';
import { edgeKind, edgesFromBlob } from './page-row.js';
import { listedWhere, Reader } from './reader.js';
import type { Database, Row, Statement } from './sqlite.js';
import { columnsOfPages } from './store-file.js';
import { STATE_NAMES, UrlFlag, UrlState } from './url-state.js';

/** The facts of one URL by which two crawls are compared. */
export interface ComparedPage {
  readonly id: number;
  /** As the other crawl would call it. */
  readonly url: string;
  /** As it is kept. */
  readonly ownUrl: string;
  readonly state: 'done' | 'failed' | 'skipped' | 'deferred';
  readonly reason: string | null;
  readonly status: number | null;
  readonly isExternal: boolean;
  readonly redirectsTo: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly h1: string | null;
  readonly canonical: string | null;
  readonly robots: string | null;
  readonly hash: string | null;
}

const COLUMNS = {
  status: 'status',
  title: 'title',
  description: 'description',
  h1: 'h1',
  canonical: 'canonical',
  robots: 'robots_meta',
  hash: 'hash',
} as const;
/** Most links of a site lead to the same pages: so many targets are remembered. */
const MOST_TARGETS = 100_000;

/** Reads a kept crawl in the order of its URLs, so that two of them can be laid side by side, however large they are. */
export class DiffReader {
  readonly crawl: Reader;
  readonly #database: Database;
  readonly #names: HostNames;
  readonly #edges: Statement;
  readonly #url: Statement;
  #targets = new Map<number, string>();

  constructor(database: Database, names: HostNames = new Map()) {
    this.crawl = new Reader(database);
    this.#database = database;
    this.#names = names;
    this.#edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
    this.#url = database.prepare('SELECT url FROM urls WHERE id = ?');
  }

  static open(directory: string, names?: HostNames): DiffReader {
    return new DiffReader(openKept(directory), names);
  }

  close(): void {
    this.#database.close();
  }

  /** What `pages` of the crawl lists, by the bytes of the URLs as the other crawl would call them. SQLite sorts on disk where they are many. */
  *pages(): IterableIterator<ComparedPage> {
    const present = columnsOfPages(this.#database);
    const columns = Object.entries(COLUMNS).map(([name, column]) =>
      present.has(column) ? `pages.${column} AS ${name}` : `NULL AS ${name}`,
    );
    const select = `SELECT urls.id AS id, ${renamedUrl(this.#database, this.#names, 'urls')} AS named, urls.url AS url, urls.state AS urlState, urls.reason AS reason,
        urls.flags AS flags, pages.redirect_to AS redirect, ${columns.join(', ')}
      FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE ${listedWhere(this.crawl.ended())} ORDER BY 2, 1`;
    for (const row of this.#database.prepare(select).iterate()) {
      yield this.#page(row);
    }
  }

  /** Of what stands on a page: where it leads, as the other crawl would call it, and the number of its kind. */
  *edgesOf(id: number): IterableIterator<{ to: string; kind: number }> {
    const row = this.#edges.get(id);
    if (row === undefined) {
      return;
    }
    const words = edgesFromBlob(row.packed);
    for (let i = 0; i < words.length; i += 2) {
      yield { to: this.#target(words[i]!), kind: edgeKind(words[i + 1]!) };
    }
  }

  /** As the other crawl would call it. */
  named(url: string): string {
    return renamed(url, this.#names);
  }

  #page(row: Row): ComparedPage {
    const waits = row.urlState === UrlState.queued || row.urlState === UrlState.leased;
    const { id, named: url, status, title, description, h1, robots, hash } = row;
    return {
      ...{ id, url, status, title, description, h1, robots, hash },
      ownUrl: row.url,
      // URLs that a limit left in the queue are listed as skipped.
      state: waits ? 'skipped' : (STATE_NAMES[row.urlState as UrlState] as ComparedPage['state']),
      reason: waits ? 'limit' : row.reason,
      isExternal: (row.flags & UrlFlag.external) !== 0,
      redirectsTo: row.redirect === null ? null : this.#target(row.redirect),
      canonical: row.canonical === null ? null : this.named(row.canonical),
    };
  }

  #target(id: number): string {
    let url = this.#targets.get(id);
    if (url === undefined) {
      url = this.named(this.#url.get(id)?.url ?? '');
      if (this.#targets.size >= MOST_TARGETS) {
        this.#targets = new Map();
      }
      this.#targets.set(id, url);
    }
    return url;
  }
}
