import { edgeKind, edgeRel, edgesFromBlob } from './packed-edges.js';
import { RedirectChains } from './redirect-chains.js';
import type { Database, Row, Statement } from './sqlite.js';
import { readCounts, readMeta, readSeeds } from './store.js';
import type { SeedRow } from './transaction.js';
import { STATE_NAMES, UrlFlag, UrlState } from './url-state.js';

/** One URL and what became of it: a line of pages.jsonl. */
export interface PageResult {
  url: string;
  state: 'done' | 'failed' | 'skipped' | 'deferred';
  reason: string | null;
  status: number | null;
  finalUrl: string | null;
  depth: number;
  parent: string | null;
  title: string | null;
  description: string | null;
  canonical: string | null;
  lang: string | null;
  robotsMeta: string | null;
  contentType: string | null;
  bytes: number;
  links: number;
  hash: string | null;
  attempts: number;
  lastModified: string | null;
  fetchedAt: number | null;
  ttfbMs: number | null;
  totalMs: number | null;
  malformed: string | null;
  message: string | null;
  /** Checked because a page in scope links to it; itself out of scope. */
  external: boolean;
}

export interface EdgeResult {
  from: string;
  to: string;
  /** Number of its kind; its name stands in LINK_KINDS. */
  kind: number;
  rel: string;
  text: string | null;
  /** Why the target is not among the pages: scope, scheme, asset; else null. */
  outside: string | null;
}

export interface HostResult {
  name: string;
  urls: number;
  done: number;
  failed: number;
  deferred: number;
  dispatched: number;
  deferredReason: string | null;
  robots: string | null;
  crawlDelayMs: number | null;
  address: string | null;
}

const RESULT_COLUMNS = `urls.id AS id, urls.url AS url, urls.state AS state, urls.reason AS reason, urls.depth AS depth, urls.attempts AS attempts,
  urls.flags AS flags, parents.url AS parent, pages.status AS status, pages.message AS message, pages.redirect_to AS redirectTo,
  pages.content_type AS contentType, pages.bytes AS bytes, pages.links AS links, pages.title AS title, pages.description AS description,
  pages.canonical AS canonical, pages.lang AS lang, pages.robots_meta AS robotsMeta, pages.hash AS hash, pages.last_modified AS lastModified,
  pages.fetched_at AS fetchedAt, pages.ttfb_ms AS ttfbMs, pages.total_ms AS totalMs, pages.malformed AS malformed
  FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN urls AS parents ON parents.id = urls.parent`;

/** Reads a store, also one that is being written: nothing it does disturbs the writer. */
export class Reader {
  readonly #database: Database;
  readonly #url: Statement;
  #chains: RedirectChains | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.#url = database.prepare('SELECT url, state, reason FROM urls WHERE id = ?');
  }

  meta(): Record<string, string> {
    return readMeta(this.#database);
  }

  counts(): Record<string, number> {
    return readCounts(this.#database);
  }

  seeds(): SeedRow[] {
    return readSeeds(this.#database);
  }

  /** Why the crawl ended, or null while it is under way or was killed. */
  ended(): { reason: string; truncated: string | null } | null {
    const value = this.meta().ended;
    return value === undefined ? null : JSON.parse(value);
  }

  /**
   * All URLs in the order they were found. What a limit left in the queue is skipped, `limit`; what an interruption left there is not
   * listed: nothing has become of it yet.
   */
  *pages(): IterableIterator<PageResult> {
    const truncated = this.ended()?.truncated ?? null;
    const unfinished = truncated === null ? 'AND urls.state NOT IN (0, 1)' : '';
    const rows = this.#database
      .prepare(
        `SELECT ${RESULT_COLUMNS} WHERE urls.kind = 0 AND urls.state <> ${UrlState.unlisted} ${unfinished} ORDER BY urls.id`,
      )
      .iterate();
    for (const row of rows) {
      yield this.#result(row);
    }
  }

  /** Those of the given ids that are pages. */
  *pagesById(ids: Iterable<number>): IterableIterator<PageResult> {
    const select = this.#database.prepare(`SELECT ${RESULT_COLUMNS} WHERE urls.id = ? AND urls.kind = 0`);
    for (const id of ids) {
      const row = select.get(id);
      if (row !== undefined) {
        yield this.#result(row);
      }
    }
  }

  /** Ids of pages settled after `seq`, in that order. */
  settledAfter(seq: number): number[] {
    return this.#database
      .prepare('SELECT id FROM pages WHERE seq > ? ORDER BY seq')
      .all(seq)
      .map((row) => row.id);
  }

  /** Of what `pages` lists, the first URLs after `beyond` that nothing was settled for; `last` is null when there are no more. */
  unasked(beyond: number, limit: number): { pages: PageResult[]; last: number | null } {
    const truncated = this.ended()?.truncated ?? null;
    const unfinished = truncated === null ? 'AND urls.state NOT IN (0, 1)' : '';
    const rows = this.#database
      .prepare(
        `SELECT ${RESULT_COLUMNS} WHERE urls.kind = 0 AND urls.state <> ${UrlState.unlisted} ${unfinished} AND pages.id IS NULL AND urls.id > ?
         ORDER BY urls.id LIMIT ?`,
      )
      .all(beyond, limit);
    return { pages: rows.map((row) => this.#result(row)), last: rows.at(-1)?.id ?? null };
  }

  /** What `pages` lists, but the URLs of an origin follow one another. SQLite sorts, so memory stays flat. */
  *pagesByOrigin(): IterableIterator<PageResult> {
    const truncated = this.ended()?.truncated ?? null;
    const unfinished = truncated === null ? 'AND state NOT IN (0, 1)' : '';
    const rows = this.#database
      .prepare(`SELECT id FROM urls WHERE kind = 0 AND state <> ${UrlState.unlisted} ${unfinished} ORDER BY origin, id`)
      .iterate();
    const select = this.#database.prepare(`SELECT ${RESULT_COLUMNS} WHERE urls.id = ?`);
    for (const { id } of rows) {
      yield this.#result(select.get(id));
    }
  }

  /** The seeds, and what they redirect to, as far as something has become of them. */
  *seedPages(): IterableIterator<PageResult> {
    const rows = this.#database
      .prepare(
        `SELECT ${RESULT_COLUMNS} WHERE urls.kind = 0 AND urls.state BETWEEN 2 AND 5 AND (urls.flags & ${UrlFlag.seed}) <> 0`,
      )
      .iterate();
    for (const row of rows) {
      yield this.#result(row);
    }
  }

  /** What an output has to say about the crawl as a whole. */
  remarks(): string[] {
    const truncated = this.ended()?.truncated ?? null;
    return [
      ...(truncated === null ? [] : [`truncated: ${truncated}`]),
      ...(this.meta().ignoredRobots === 'true' ? ['robots.txt was ignored'] : []),
    ];
  }

  /** Every edge, one per occurrence, in the order of the pages and within each in document order. */
  *edges(): IterableIterator<EdgeResult> {
    const rows = this.#database
      .prepare('SELECT edges.*, urls.url AS url FROM edges JOIN urls ON urls.id = edges.page ORDER BY edges.page')
      .iterate();
    const targets = new TargetCache((id) => this.#url.get(id));
    for (const row of rows) {
      const edges = edgesFromBlob(row.packed);
      const rels: string[] = row.rels === null ? [] : JSON.parse(row.rels);
      const texts: string[] | null = row.texts === null ? null : JSON.parse(row.texts);
      for (let i = 0; i < edges.length; i += 2) {
        const target = targets.get(edges[i]!);
        const word = edges[i + 1]!;
        yield {
          from: row.url,
          to: target.url,
          kind: edgeKind(word),
          rel: edgeRel(word) === 0 ? '' : rels[edgeRel(word) - 1]!,
          text: texts === null ? null : texts[i >> 1]!,
          outside: target.outside,
        };
      }
    }
  }

  *hosts(): IterableIterator<HostResult> {
    yield* this.#database
      .prepare(
        `SELECT hosts.name AS name, count(urls.id) AS urls, coalesce(sum(urls.state = 2), 0) AS done, coalesce(sum(urls.state = 3), 0) AS failed,
           coalesce(sum(urls.state = 5), 0) AS deferred, hosts.dispatched AS dispatched, hosts.deferred_reason AS deferredReason,
           max(origins.robots_state) AS robots, max(origins.crawl_delay_ms) AS crawlDelayMs, hosts.address AS address
         FROM hosts JOIN origins ON origins.host = hosts.id JOIN urls ON urls.origin = origins.id AND urls.kind = 0 AND urls.state <> 6
         GROUP BY hosts.id ORDER BY hosts.id`,
      )
      .iterate() as IterableIterator<HostResult>;
  }

  /** Deferred URLs by host and cause. */
  deferred(): { host: string; reason: string; urls: number }[] {
    return this.#database
      .prepare(
        `SELECT hosts.name AS host, urls.reason AS reason, count(*) AS urls FROM urls INDEXED BY urls_deferred
         JOIN origins ON origins.id = urls.origin JOIN hosts ON hosts.id = origins.host WHERE urls.state = 5
         GROUP BY hosts.id, urls.reason ORDER BY urls DESC`,
      )
      .all() as { host: string; reason: string; urls: number }[];
  }

  #result(row: Row): PageResult {
    const chain = row.redirectTo === null ? null : this.#redirectChains().endOf(row.id);
    let state: UrlState = row.state;
    let reason: string | null = row.reason;
    if (state === UrlState.queued || state === UrlState.leased) {
      state = UrlState.skipped;
      reason = 'limit';
    } else if (chain?.problem !== null && chain !== null) {
      state = UrlState.failed;
      reason = chain.problem;
    }
    const { id: _id, redirectTo: _redirectTo, flags, ...facts } = row;
    return {
      ...facts,
      state: STATE_NAMES[state] as PageResult['state'],
      reason,
      bytes: row.bytes ?? 0,
      links: row.links ?? 0,
      finalUrl: finalUrl(row, state, chain, (id) => this.#url.get(id)?.url),
      external: (flags & 1) !== 0,
    };
  }

  #redirectChains(): RedirectChains {
    this.#chains ??= new RedirectChains(this.#database, Number(this.meta().maxRedirects ?? 0));
    return this.#chains;
  }
}

/** The URL whose answer counts: the end of its redirects, or itself once it was answered. A loop has no end. */
function finalUrl(
  row: Row,
  state: UrlState,
  chain: { id: number; problem: string | null } | null,
  urlOf: (id: number) => string | undefined,
): string | null {
  if (chain !== null) {
    return chain.problem === null ? (urlOf(chain.id) ?? null) : null;
  }
  return row.status !== null && state !== UrlState.skipped ? row.url : null;
}

/** Most edges lead to few targets: keeps the last ones. Two generations, so it is bounded without bookkeeping per use. */
class TargetCache {
  #young = new Map<number, { url: string; outside: string | null }>();
  #old = new Map<number, { url: string; outside: string | null }>();
  readonly #load: (id: number) => Row | undefined;

  constructor(load: (id: number) => Row | undefined) {
    this.#load = load;
  }

  get(id: number): { url: string; outside: string | null } {
    let target = this.#young.get(id) ?? this.#old.get(id);
    if (target === undefined) {
      const row = this.#load(id);
      target = { url: row?.url ?? '', outside: row?.state === UrlState.unlisted ? row.reason : null };
      if (this.#young.size >= 100_000) {
        this.#old = this.#young;
        this.#young = new Map();
      }
      this.#young.set(id, target);
    }
    return target;
  }
}
