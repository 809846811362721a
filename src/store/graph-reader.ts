import { edgeKind, edgesFromBlob } from './page-row.js';
import type { RedirectChains } from './redirect-chains.js';
import type { Database } from './sqlite.js';
import { isUnanswered, STATE_NAMES, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** A URL as a node of the link graph. */
export interface GraphNode {
  id: number;
  url: string;
  title: string | null;
  /** As in pages.jsonl; `outside` for what is only the end of a link. */
  state: 'done' | 'failed' | 'skipped' | 'deferred' | 'outside';
  status: number | null;
  /** It was read as a page of HTML, so its links are known. */
  isRead: boolean;
  isRedirect: boolean;
  /** A click begins here: a seed, or what the user added. */
  isStart: boolean;
}

/** What kept lines of a title show in a picture or a table. */
const LONGEST_TITLE = 200;
/**
 * Kinds of links that take a reader from one page to another: a, area, iframe, frame, refresh; redirect; and those that a hook has added. What
 * stands in the head of a page for programs (next, prev, canonical, alternate), and what a page loads, does not.
 */
const CLICKED = [0, 1, 2, 3, 4, 18, 20].reduce((bits, kind) => bits | (1 << kind), 0);
const WAITING: ReadonlySet<UrlState> = new Set([UrlState.queued, UrlState.leased]);

/** Reads a store as a graph: its URLs in alphabetical order, and from page to page the links between them. */
export class GraphReader {
  readonly #database: Database;
  readonly #crawl: { listed(): string; chains(): RedirectChains };

  /** @param crawl the condition, in SQL, of the URLs that count as pages, and where their redirects end */
  constructor(database: Database, crawl: { listed(): string; chains(): RedirectChains }) {
    this.#database = database;
    this.#crawl = crawl;
  }

  /** Runs a reader that goes over the tables more than once: a crawl that is under way changes nothing for it meanwhile. */
  atOneMoment<T>(read: () => T): T {
    this.#database.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  /** Ids of URLs are no larger. */
  largestId(): number {
    return this.#database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0;
  }

  /** Links that are kept, of every kind and one per occurrence. SQLite knows the length of a blob without reading it. */
  linkCount(): number {
    return (this.#database.prepare('SELECT sum(length(packed)) AS bytes FROM edges').get()?.bytes ?? 0) / 8;
  }

  nodeCount(withOutside: boolean): number {
    return this.#database.prepare(`SELECT count(*) AS n FROM urls WHERE ${this.#isNode(withOutside)}`).get()!.n;
  }

  /** By URL, so that what is made of them does not depend on the order in which a crawl found them. */
  *nodes(withOutside: boolean): IterableIterator<GraphNode> {
    const rows = this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, urls.state AS state, urls.reason AS reason, urls.flags AS flags,
           urls.parent IS NULL AND urls.depth = 0 AS first, pages.status AS status, pages.redirect_to AS redirect,
           substr(pages.title, 1, ${LONGEST_TITLE}) AS title, pages.content_type AS type
         FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE ${this.#isNode(withOutside)} ORDER BY urls.url, urls.id`,
      )
      .iterate();
    for (const { id, url, state, reason, flags, first, status, redirect, title, type } of rows) {
      const isOutside = state === UrlState.unlisted || isUnanswered(flags, state, reason);
      const isBroken = redirect !== null && this.#crawl.chains().endOf(id).problem !== null;
      yield {
        id,
        url,
        title,
        state: isOutside
          ? 'outside'
          : isBroken
            ? 'failed'
            : WAITING.has(state)
              ? 'skipped'
              : (STATE_NAMES[state as UrlState] as GraphNode['state']),
        status,
        isRead: state === UrlState.done && redirect === null && /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type),
        isRedirect: redirect !== null,
        isStart: !isOutside && (first === 1 || (flags & (UrlFlag.seed | UrlFlag.added)) !== 0),
      };
    }
  }

  #isNode(withOutside: boolean): string {
    const outside = `OR (urls.kind = ${UrlKind.page} AND (urls.url LIKE 'http://%' OR urls.url LIKE 'https://%'))`;
    return `((${this.#crawl.listed()}) ${withOutside ? outside : ''})`;
  }

  /** Of each page, the ids that its links take a reader to, one per occurrence. */
  *links(): IterableIterator<{ page: number; targets: Uint32Array }> {
    for (const { page, packed } of this.#database.prepare('SELECT page, packed FROM edges ORDER BY page').iterate()) {
      const words = edgesFromBlob(packed);
      let count = 0;
      for (let i = 0; i < words.length; i += 2) {
        if (((CLICKED >> edgeKind(words[i + 1]!)) & 1) === 1) {
          words[count++] = words[i]!;
        }
      }
      yield { page, targets: words.subarray(0, count) };
    }
  }
}
