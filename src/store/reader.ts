import { unicodeHost } from '../url/host-display.js';
import { edgeKind, edgeRel, edgesFromBlob } from './packed-edges.js';
import { type ChainEnd, RedirectChains } from './redirect-chains.js';
import { robotsTrouble } from './robots-trouble.js';
import { SitemapFilesReader } from './sitemap-files.js';
import type { Database, Row, Statement } from './sqlite.js';
import { readCounts, readMeta, readSeeds } from './store.js';
import type { BadSeed, SeedRow } from './transaction.js';
import { TrapReader } from './trap-reader.js';
import { isUnanswered, STATE_NAMES, UNANSWERED, UNANSWERED_ROBOTS, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** One URL and what became of it: a line of pages.jsonl. */
export interface PageResult {
  /** In the normal form. */
  url: string;
  /** What became of it. */
  state: 'done' | 'failed' | 'skipped' | 'deferred';
  /** Why it failed, was skipped or put off; null where it is done. */
  reason: string | null;
  /** Of the last answer; null where there was none. */
  status: number | null;
  /** Where its redirects end, its own URL where there are none; null where nothing answered, and for a loop. */
  finalUrl: string | null;
  /** Links from the nearest seed, redirects not counted; 1 for what a sitemap names. */
  depth: number;
  /** The page, sitemap or feed by which it came into the queue; null for seeds and what third parties named. */
  parent: string | null;
  /** Its title. */
  title: string | null;
  /** Its description. */
  description: string | null;
  /** What it calls its canonical URL. */
  canonical: string | null;
  /** Its language. */
  lang: string | null;
  /** Its robots meta and X-Robots-Tag. */
  robotsMeta: string | null;
  /** Of the answer. */
  contentType: string | null;
  /** Of the decoded body. */
  bytes: number;
  /** Links that stand on it. */
  links: number;
  /** SHA-256 of the decoded body. */
  hash: string | null;
  /** Requests for it. */
  attempts: number;
  /** Of the answer. */
  lastModified: string | null;
  /** When it was answered, in milliseconds since 1970 (in pages.jsonl ISO 8601). */
  fetchedAt: number | null;
  /** From the request to its headers. */
  ttfbMs: number | null;
  /** From the request to its end. */
  totalMs: number | null;
  /** What is wrong with a body that could not be read as a page (no text at all, cut short); null where nothing is. */
  malformed: string | null;
  /** What was out of the ordinary and no failure: `too_many_links`, `wrong_charset`, `undecodable_bytes`, joined by commas; else null. */
  note: string | null;
  /** Links that were left out because the text of their URLs is too much. */
  linksCut: number;
  /** Why it failed, in words. */
  message: string | null;
  /** Checked because a page in scope links to it; itself out of scope. */
  external: boolean;
}

export interface EdgeResult {
  /** The page that it stands on. */
  from: string;
  /** What it leads to. */
  to: string;
  /** Number of its kind; its name stands in LINK_KINDS. */
  kind: number;
  /** Its `rel`, or an empty text. */
  rel: string;
  /** Only with `anchorText`. */
  text: string | null;
  /** Why the target is not among the pages: scope, scheme, asset, candidate; else null. */
  outside: string | null;
}

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
  /** Why it was put off; null where it was not. */
  deferredReason: string | null;
  /**
   * What came of its robots.txt: `ready` (its rules are known, or there are none), `unknown`, `fetching`, `unreachable`, `failed`,
   * `unanswered` (crawled all the same, --robots-unreachable allow), `ignored` (--ignore-robots).
   */
  robots: string | null;
  /** Its Crawl-delay, the longest of its origins; null where it has none. */
  crawlDelayMs: number | null;
  /** The address last connected to; null where there was no connection. */
  address: string | null;
}

/**
 * A row as one text: a row of many columns costs more to hand over, value by value, than to find. Its values stand in the order of ResultRow.
 */
/** A URL that has failed with its host has no answer of its own: what is known is what the request for robots.txt met with. */
const MESSAGE = `CASE WHEN pages.id IS NULL AND urls.state = ${UrlState.failed} THEN
    (SELECT robots.message FROM origins JOIN pages AS robots ON robots.id = origins.robots_id WHERE origins.id = urls.origin)
  ELSE pages.message END`;
const columns = (
  note: string,
  linksCut: string,
): string => `json_array(urls.id, urls.url, urls.state, urls.reason, urls.depth, urls.attempts, urls.flags, parents.url, pages.redirect_to,
  pages.status, ${MESSAGE}, pages.content_type, pages.bytes, pages.links, pages.title, pages.description, pages.canonical, pages.lang,
  pages.robots_meta, pages.hash, pages.last_modified, pages.fetched_at, pages.ttfb_ms, pages.total_ms, pages.malformed, ${note}, ${linksCut}) AS result`;
const COLUMNS = columns('pages.note', 'pages.links_cut');
/** Version 3 of the tables, as it is read before it is upgraded. */
const COLUMNS_OF_3 = columns('NULL', 'NULL');
const TABLES = 'urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN urls AS parents ON parents.id = urls.parent';
/** By their ids, given as one array of JSON, in that order: each question for a single row would cost more than the row. */
const BY_ID = `FROM json_each(?) AS wanted CROSS JOIN ${TABLES} WHERE urls.id = wanted.value`;
const IDS_AT_ONCE = 200;
type Text = string | null;
type ResultRow = [
  ...[id: number, url: string, state: UrlState, reason: Text, depth: number, attempts: number, flags: number],
  ...[parent: Text, redirectTo: number | null, status: number | null, message: Text, contentType: Text],
  ...[bytes: number | null, links: number | null, title: Text, description: Text, canonical: Text, lang: Text],
  ...[robotsMeta: Text, hash: Text, lastModified: Text, fetchedAt: number | null, ttfbMs: number | null],
  ...[totalMs: number | null, malformed: Text, note: Text, linksCut: number | null],
];

/** A host that was put off. */
export interface DeferredHost {
  host: string;
  /** Why, as in pages.jsonl. */
  reason: string;
  /** How many of its URLs wait. */
  urls: number;
  /** ISO 8601; null where nobody knows. */
  until: string | null;
  /** What came of its robots.txt, where that is why; else null. */
  detail: string | null;
}

/** So many pages with the same fate. */
export interface Tally {
  state: PageResult['state'];
  reason: string | null;
  status: number | null;
  external: boolean;
  pages: number;
  bytes: number;
}

/** Whose store it is. */
export type KeptCommand = 'crawl' | 'check' | 'docs';

/** Reads a store, also one that is being written: nothing it does disturbs the writer. */
export class Reader {
  readonly traps: TrapReader;
  readonly sitemapFiles: SitemapFilesReader;
  readonly #database: Database;
  readonly #url: Statement;
  readonly #hasNotes: boolean;
  readonly #columns: string;
  #chains: RedirectChains | null = null;
  #byId: Statement | null = null;

  constructor(database: Database) {
    this.traps = new TrapReader(database);
    this.sitemapFiles = new SitemapFilesReader(database);
    this.#database = database;
    this.#hasNotes = database.prepare('PRAGMA user_version').get()?.user_version !== 3;
    this.#columns = this.#hasNotes ? COLUMNS : COLUMNS_OF_3;
    this.#url = database.prepare('SELECT url, state, reason, flags FROM urls WHERE id = ?');
  }

  meta(): Record<string, string> {
    return readMeta(this.#database);
  }

  command(): KeptCommand {
    return (this.meta().command ?? 'crawl') as KeptCommand;
  }

  /** Whether a URL was left out for this reason. */
  hasSkipped(reason: string): boolean {
    const skipped = `SELECT 1 FROM urls WHERE kind = ${UrlKind.page} AND state = ${UrlState.skipped} AND reason = ? LIMIT 1`;
    return this.#database.prepare(skipped).get(reason) !== undefined;
  }

  counts(): Record<string, number> {
    return readCounts(this.#database);
  }

  seeds(): SeedRow[] {
    return readSeeds(this.#database);
  }

  badSeeds(): IterableIterator<BadSeed> {
    return this.#database.prepare('SELECT place, text, problem FROM bad_seeds').iterate() as IterableIterator<BadSeed>;
  }

  /** Why the crawl ended, or null while it is under way or was killed; and whether its outputs were written too. */
  ended(): { reason: string; truncated: string | null; isWritten: boolean } | null {
    const value = this.meta().ended;
    return value === undefined ? null : { isWritten: true, ...JSON.parse(value) };
  }

  /**
   * All URLs in the order they were found. What a limit left in the queue is skipped, `limit`; what an interruption left there is not
   * listed: nothing has become of it yet.
   */
  pages(): IterableIterator<PageResult> {
    return this.#results(`SELECT ${this.#columns} FROM ${TABLES} WHERE ${this.#listed()} ORDER BY urls.id`);
  }

  /** What `pages` lists, counted. */
  *tallies(): IterableIterator<Tally> {
    const rows = this.#database
      .prepare(
        `SELECT urls.state AS state, urls.reason AS reason, pages.status AS status, urls.flags & ${UrlFlag.external} AS external,
           count(*) AS pages, coalesce(sum(pages.bytes), 0) AS bytes
         FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE ${this.#listed()} AND pages.redirect_to IS NULL GROUP BY 1, 2, 3, 4`,
      )
      .all();
    for (const { status, external, pages, bytes, ...row } of rows) {
      yield { ...standing(row.state, row.reason), status, external: external !== 0, pages, bytes };
    }
    // Where a chain of redirects goes wrong is seen only by following it.
    for (const page of this.#results(
      `SELECT ${this.#columns} FROM ${TABLES} WHERE ${this.#listed()} AND pages.redirect_to IS NOT NULL`,
    )) {
      yield { ...page, pages: 1 };
    }
  }

  /** Those of the given ids that are pages, in the order of the ids. */
  *pagesById(ids: Iterable<number>): IterableIterator<PageResult> {
    let batch: number[] = [];
    for (const id of ids) {
      batch.push(id);
      if (batch.length === IDS_AT_ONCE) {
        yield* this.#batchById(batch);
        batch = [];
      }
    }
    yield* this.#batchById(batch);
  }

  *#batchById(ids: readonly number[]): IterableIterator<PageResult> {
    this.#byId ??= this.#database.prepare(`SELECT ${this.#columns} ${BY_ID} AND urls.kind = 0 AND NOT ${UNANSWERED}`);
    for (const { result } of this.#byId.all(JSON.stringify(ids))) {
      yield this.#result(JSON.parse(result));
    }
  }

  /** Whatever it is: a page, a sitemap, or only the end of a link. */
  page(id: number): PageResult | null {
    const row = this.#database.prepare(`SELECT ${this.#columns} FROM ${TABLES} WHERE urls.id = ?`).get(id);
    return row === undefined ? null : this.#result(JSON.parse(row.result));
  }

  /** Ids of pages settled after `seq`, in that order. */
  settledAfter(seq: number): number[] {
    return this.#database
      .prepare('SELECT id FROM pages WHERE seq > ? ORDER BY seq')
      .all(seq)
      .map((row) => row.id);
  }

  /**
   * Of what `pages` lists, the first URLs after `beyond` that nothing was settled for, or that were settled unseen; `last` is null when
   * there are no more.
   */
  unasked(beyond: number, limit: number): { pages: PageResult[]; last: number | null } {
    const rows = this.#database
      .prepare(
        `SELECT urls.id AS id, ${this.#columns} FROM ${TABLES} WHERE ${this.#listed()} AND (pages.id IS NULL OR (urls.flags & ${UrlFlag.untold}) <> 0)
           AND urls.id > ? ORDER BY urls.id LIMIT ?`,
      )
      .all(beyond, limit);
    return { pages: rows.map(({ result }) => this.#result(JSON.parse(result))), last: rows.at(-1)?.id ?? null };
  }

  /** What `pages` lists, but the URLs of an origin follow one another. SQLite sorts, so memory stays flat. */
  pagesByOrigin(): IterableIterator<PageResult> {
    return this.pagesById(this.#idsByOrigin());
  }

  *#idsByOrigin(): IterableIterator<number> {
    const rows = this.#database.prepare(`SELECT id FROM urls WHERE ${this.#listed()} ORDER BY origin, id`).iterate();
    for (const { id } of rows) {
      yield id;
    }
  }

  /** The seeds, and what they redirect to, as far as something has become of them. */
  seedPages(): IterableIterator<PageResult> {
    return this.#results(
      `SELECT ${this.#columns} FROM ${TABLES} WHERE urls.kind = 0 AND urls.state BETWEEN 2 AND 5 AND (urls.flags & ${UrlFlag.seed}) <> 0`,
    );
  }

  /** Condition of what is listed. */
  #listed(): string {
    const unfinished = (this.ended()?.truncated ?? null) === null ? 'AND urls.state NOT IN (0, 1)' : '';
    return `urls.kind = 0 AND urls.state <> ${UrlState.unlisted} AND NOT ${UNANSWERED} ${unfinished}`;
  }

  *#results(select: string): IterableIterator<PageResult> {
    for (const { result } of this.#database.prepare(select).iterate()) {
      yield this.#result(JSON.parse(result));
    }
  }

  /** What an output has to say about the crawl as a whole. */
  remarks(): string[] {
    const truncated = this.ended()?.truncated ?? null;
    const withoutRobots = this.hostsWithoutRobots();
    return [
      ...(truncated === null ? [] : [`truncated: ${truncated}`]),
      ...(this.meta().ignoredRobots === 'true' ? ['robots.txt was ignored'] : []),
      ...(withoutRobots > 0
        ? [
            `robots.txt could not be reached and was passed over: ${withoutRobots} ${withoutRobots === 1 ? 'host' : 'hosts'}`,
          ]
        : []),
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

  /** How many lines of `pages` each host has, and what became of them. */
  *hosts(): IterableIterator<HostResult> {
    const listed = this.#listed();
    const sum = (states: string): string => `coalesce(sum(${listed} AND urls.state ${states}), 0)`;
    const rows = this.#database
      .prepare(
        `SELECT hosts.id AS id, hosts.name AS name, sum(${listed}) AS urls, ${sum('= 2')} AS done, ${sum('= 3')} AS failed,
           ${sum('IN (0, 1, 4)')} AS skipped, ${sum('= 5')} AS deferred, hosts.dispatched AS dispatched, hosts.deferred_reason AS deferredReason,
           max(origins.robots_state) AS robots, max(origins.crawl_delay_ms) AS crawlDelayMs, hosts.address AS address
         FROM hosts JOIN origins ON origins.host = hosts.id JOIN urls ON urls.origin = origins.id AND urls.kind = 0 AND urls.state <> 6
           AND NOT ${UNANSWERED}
         GROUP BY hosts.id ORDER BY hosts.id`,
      )
      .iterate() as IterableIterator<Omit<HostResult, 'unicodeName'> & { id: number }>;
    const wrong = this.#wrongRedirects();
    const isIgnored = this.meta().ignoredRobots === 'true';
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
         WHERE pages.redirect_to IS NOT NULL AND urls.state = ${UrlState.done} AND ${this.#listed()}`,
      )
      .iterate();
    const wrong = new Map<number, number>();
    for (const { id, host } of redirects) {
      if (this.#redirectChains().endOf(id).problem !== null) {
        wrong.set(host, (wrong.get(host) ?? 0) + 1);
      }
    }
    return wrong;
  }

  /** Of what `pages` lists, the first that failed. */
  firstFailures(most: number): PageResult[] {
    const failures: PageResult[] = [];
    for (const page of this.#results(
      `SELECT ${this.#columns} FROM ${TABLES} WHERE ${this.#listed()} AND (urls.state = ${UrlState.failed} OR pages.redirect_to IS NOT NULL)
       ORDER BY urls.id`,
    )) {
      if (page.state === 'failed' && failures.push(page) >= most) {
        break;
      }
    }
    return failures;
  }

  /** Hosts whose robots.txt could not be reached and that were crawled all the same. */
  hostsWithoutRobots(): number {
    return this.#database
      .prepare(`SELECT count(DISTINCT host) AS n FROM origins WHERE robots_state = '${UNANSWERED_ROBOTS}'`)
      .get()!.n;
  }

  /** Pages that a third party was the first to name, and that were there. */
  answeredCandidates(): { certificates: number; commonCrawl: number } {
    const count = (flag: number): number =>
      this.#database
        .prepare(`SELECT count(*) AS n FROM urls WHERE (flags & ${flag}) <> 0 AND state = ${UrlState.done}`)
        .get()!.n;
    return { certificates: count(UrlFlag.fromCertificates), commonCrawl: count(UrlFlag.fromCommonCrawl) };
  }

  /** Pages that lead to more than is kept, and the links of theirs that were left out. */
  cutLinks(): { pages: number; links: number } {
    if (!this.#hasNotes) {
      return { pages: 0, links: 0 };
    }
    return this.#database
      .prepare('SELECT count(*) AS pages, coalesce(sum(links_cut), 0) AS links FROM pages WHERE links_cut > 0')
      .get() as { pages: number; links: number };
  }

  /** Deferred URLs by host and cause. */
  deferred(): DeferredHost[] {
    return this.#database
      .prepare(
        `SELECT hosts.name AS host, urls.reason AS reason, sum(urls.kind = ${UrlKind.page}) AS urls, hosts.blocked_until AS until,
           max(robots.id) AS robots, robots.status AS status, robots.message AS message
         FROM urls INDEXED BY urls_deferred
         JOIN origins ON origins.id = urls.origin JOIN hosts ON hosts.id = origins.host
         LEFT JOIN pages AS robots ON robots.id = origins.robots_id WHERE urls.state = 5 AND NOT ${UNANSWERED}
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

  #result(row: ResultRow): PageResult {
    const [
      id,
      url,
      ownState,
      ownReason,
      depth,
      attempts,
      flags,
      parent,
      redirectTo,
      status,
      message,
      contentType,
      bytes,
      links,
      ...more
    ] = row;
    const [title, description, canonical, lang, robotsMeta, hash, lastModified, ...rest] = more;
    const [fetchedAt, ttfbMs, totalMs, malformed, note, linksCut] = rest;
    const chain = redirectTo === null ? null : this.#redirectChains().endOf(id);
    const problem = chain?.problem ?? null;
    const { state, reason } =
      problem === null ? standing(ownState, ownReason) : { state: 'failed' as const, reason: problem };
    return {
      url,
      state,
      reason,
      status,
      finalUrl: chain === null ? finalUrl(url, status, state) : this.#endUrl(chain),
      depth,
      parent,
      title,
      description,
      canonical,
      lang,
      robotsMeta,
      contentType,
      bytes: bytes ?? 0,
      links: links ?? 0,
      hash,
      // The lease of what robots.txt forbids is given back unsent.
      attempts: ownState === UrlState.skipped && ownReason === 'robots' ? Math.max(0, attempts - 1) : attempts,
      lastModified,
      fetchedAt,
      ttfbMs,
      totalMs,
      malformed,
      note,
      linksCut: linksCut ?? 0,
      message,
      external: (flags & UrlFlag.external) !== 0,
    };
  }

  /** A loop has no end. */
  #endUrl({ id, problem }: ChainEnd): string | null {
    return problem === null ? (this.#url.get(id)?.url ?? null) : null;
  }

  #redirectChains(): RedirectChains {
    this.#chains ??= new RedirectChains(this.#database, Number(this.meta().maxRedirects ?? 0));
    return this.#chains;
  }
}

const outsideOf = ({ state, reason, flags }: Row): string | null =>
  state === UrlState.unlisted ? reason : isUnanswered(flags, state, reason) ? 'candidate' : null;

/** What a limit left in the queue counts as skipped. */
function standing(state: UrlState, reason: string | null): { state: PageResult['state']; reason: string | null } {
  const waits = state === UrlState.queued || state === UrlState.leased;
  return waits ? { state: 'skipped', reason: 'limit' } : { state: STATE_NAMES[state] as PageResult['state'], reason };
}

/** The URL whose answer counts: where nothing redirects, itself once it was answered. */
const finalUrl = (url: string, status: number | null, state: PageResult['state']): string | null =>
  status !== null && state !== 'skipped' ? url : null;

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
      target = { url: row?.url ?? '', outside: row === undefined ? null : outsideOf(row) };
      if (this.#young.size >= 100_000) {
        this.#old = this.#young;
        this.#young = new Map();
      }
      this.#young.set(id, target);
    }
    return target;
  }
}
