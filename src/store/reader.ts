import { dirname } from 'node:path';
import { ArchiveReader } from './archive-table.js';
import { FoundTable } from './found-table.js';
import { hasGivenTable } from './given-data.js';
import { GraphReader } from './graph-reader.js';
import { HostReader, SitemapFilesReader } from './host-reader.js';
import { type KeptExchange, keptExchanges } from './kept-answers.js';
import { fieldsOf, isJson, type NamedField, unknownOf } from './page-fields.js';
import { INDEXABLE, LEFT_OPEN, lineOf as pageLineOf } from './page-lines.js';
import { edgeKind, edgesFromBlob, relOfEdge } from './page-row.js';
import type { PageResult } from './page-types.js';
import { type ChainEnd, RedirectChains } from './redirect-chains.js';
import type { Database, Row, Statement } from './sqlite.js';
import { columnsOfPages, readCounts, readMeta, readSeeds } from './store-file.js';
import type { BadSeed, SeedRow } from './transaction.js';
import { TrapReader } from './traps.js';
import { isUnanswered, Rendering, STATE_NAMES, UNANSWERED, UrlFlag, UrlKind, UrlState } from './url-state.js';

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

/** A URL that has failed with its host has no answer of its own: what is known is what the request for robots.txt met with. */
const MESSAGE = `CASE WHEN pages.id IS NULL AND urls.state = ${UrlState.failed} THEN
    (SELECT robots.message FROM origins JOIN pages AS robots ON robots.id = origins.robots_id WHERE origins.id = urls.origin)
  ELSE pages.message END`;
/** A URL that was given data and has no page, because nothing was asked for, has it all the same. */
const DATA = 'coalesce(pages.data, (SELECT data FROM given WHERE given.url = urls.id))';
/** What the fields that are worked out are made of. */
const PARTS = ['urls.id', 'urls.state', 'urls.reason', 'urls.attempts', 'urls.flags', 'pages.redirect_to'];
type Parts = [id: number, state: UrlState, reason: string | null, attempts: number, flags: number, to: number | null];
/**
 * A row as one text: a row of many columns costs more to hand over, value by value, than to find. First come the values of PARTS, then the
 * page with all its fields, so that every page is made in one go and has one shape; what is worked out is null until then. `pages` of an
 * earlier Gossamer may lack columns.
 */
function selectedFrom(kept: KeptColumns, names: readonly string[] | null = null): string {
  const fields = fieldsOf('kept').filter(({ name }) => names === null || names.includes(name));
  const values = fields.map((field) => {
    const value = valueIn(kept, field);
    const stored = isJson(field) ? `json(${value})` : value;
    const unknown = unknownOf(field);
    return `'${field.name}', ${field.column === null || unknown === null ? stored : `coalesce(${stored}, ${unknown === '' ? "''" : Number(unknown)})`}`;
  });
  return `json_array(json_array(${PARTS.join(', ')}), json_object(${values.join(', ')})) AS result`;
}

function valueIn({ ofPages, hasGiven, hasFound }: KeptColumns, { name, type, column }: NamedField): string {
  const [table, columnName] = (column ?? '').split('.') as [string, string];
  if (table === 'found') {
    return !hasFound ? 'NULL' : name === 'inlinks' ? `coalesce(${column}, 0)` : column!;
  }
  if (name === 'indexable') {
    return INDEXABLE;
  }
  const isThere = column !== null && (table !== 'pages' || ofPages.has(columnName));
  if (name === 'message') {
    return MESSAGE;
  }
  return !isThere ? 'NULL' : type === 'data' && hasGiven ? DATA : column;
}

/** What a store has: one of an earlier Gossamer may lack some of it. */
interface KeptColumns {
  ofPages: ReadonlySet<string>;
  hasGiven: boolean;
  /** Whether what all pages together tell is joined. */
  hasFound: boolean;
}
const TABLES = 'urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN urls AS parents ON parents.id = urls.parent';
/** By their ids, given as one array of JSON, in that order: each question for a single row would cost more than the row. */
const BY_ID = `FROM json_each(?) AS wanted CROSS JOIN ${TABLES} WHERE urls.id = wanted.value`;
const IDS_AT_ONCE = 200;
/** So many lines are one text. */
const LINES_AT_ONCE = 500;
const LEFT_OPEN_LINE = new RegExp(`${LEFT_OPEN}(\\d+)${LEFT_OPEN}`, 'g');
/** Something has become of them; nothing has yet. */
const BECOME = [UrlState.done, UrlState.failed, UrlState.skipped, UrlState.deferred].join(', ');
const UNDECIDED = [UrlState.queued, UrlState.leased].join(', ');

/** So many pages with the same fate. */
export interface Tally {
  state: PageResult['state'];
  reason: string | null;
  status: number | null;
  external: boolean;
  pages: number;
  bytes: number;
}

/** Condition of what is listed, by how the crawl ended: what a limit left in the queue is, what an interruption left there is not. */
export function listedWhere(ended: { truncated: string | null } | null): string {
  const unfinished = (ended?.truncated ?? null) === null ? `AND urls.state NOT IN (${UNDECIDED})` : '';
  return `urls.kind = ${UrlKind.page} AND urls.state <> ${UrlState.unlisted} AND NOT ${UNANSWERED} ${unfinished}`;
}

/** Reads a store, also one that is being written: nothing it does disturbs the writer. */
export class Reader {
  readonly traps: TrapReader;
  readonly sitemapFiles: SitemapFilesReader;
  readonly hosts: HostReader;
  readonly graph: GraphReader;
  readonly archive: ArchiveReader;
  readonly #database: Database;
  readonly #url: Statement;
  readonly #columnsOfPages: ReadonlySet<string>;
  readonly #hasGiven: boolean;
  readonly #kept: KeptColumns;
  readonly #columns: string;
  readonly #found: FoundTable;
  /** SQL of a line of JSON. */
  readonly #line: string;
  #linesById: Statement | null = null;
  #chains: RedirectChains | null = null;
  #byId: Statement | null = null;

  constructor(database: Database) {
    this.traps = new TrapReader(database);
    this.sitemapFiles = new SitemapFilesReader(database);
    const crawl = { listed: () => this.#listed(), chains: () => this.#redirectChains() };
    this.hosts = new HostReader(database, crawl);
    this.graph = new GraphReader(database, crawl);
    this.archive = new ArchiveReader(database);
    this.#database = database;
    this.#columnsOfPages = columnsOfPages(database);
    this.#hasGiven = hasGivenTable(database);
    this.#kept = { ofPages: this.#columnsOfPages, hasGiven: this.#hasGiven, hasFound: false };
    this.#found = new FoundTable(database);
    this.#columns = selectedFrom(this.#kept);
    this.#line = pageLineOf((field) => valueIn(this.#kept, field));
    this.#url = database.prepare('SELECT url, state, reason, flags FROM urls WHERE id = ?');
  }

  meta(): Record<string, string> {
    return readMeta(this.#database);
  }

  /** Every answer with its body, of a crawl that has kept them. */
  keptExchanges(): IterableIterator<KeptExchange> {
    return keptExchanges(this.#database);
  }

  /** The folder of the store's file. */
  directory(): string {
    return dirname(this.#database.prepare('PRAGMA database_list').get()!.file);
  }

  /** The command that has begun it. */
  command(): string {
    return this.meta().command ?? 'crawl';
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
    return this.#results(
      `SELECT ${selectedFrom(this.#whole)} FROM ${TABLES} ${this.#found.join()} WHERE ${this.#listed()} ORDER BY urls.id`,
    );
  }

  /** With what all pages together tell. */
  get #whole(): KeptColumns {
    return { ...this.#kept, hasFound: true };
  }

  /** The same with no more than these fields, and those that are worked out, each with its number. SQLite sorts by origin where the URLs of one have to follow one another. */
  *pagesWithIds<F extends keyof PageResult>(
    names: readonly F[],
    order: 'found' | 'origin',
  ): IterableIterator<[page: Pick<PageResult, F>, id: number]> {
    const by = order === 'found' ? 'urls.id' : 'urls.origin, urls.id';
    const isWhole = fieldsOf('kept').some(
      ({ name, column }) => column?.startsWith('found.') && names.includes(name as F),
    );
    const columns = selectedFrom(isWhole ? this.#whole : this.#kept, names);
    const found = isWhole ? this.#found.join() : '';
    const select = `SELECT ${columns} FROM ${TABLES} ${found} WHERE ${this.#listed()} ORDER BY ${by}`;
    for (const { result } of this.#database.prepare(select).iterate()) {
      const parts: [Parts, PageResult] = JSON.parse(result);
      yield [this.#result(parts), parts[0][0]];
    }
  }

  /**
   * What `pages` lists as lines of JSON, many in a text. `lineOf` makes those of which only JavaScript can tell everything. What is not fit for a
   * terminal is not escaped yet.
   */
  *lines(lineOf: (page: PageResult) => string): IterableIterator<{ text: string; count: number }> {
    const line = pageLineOf((field) => valueIn(this.#whole, field));
    const statement = this.#database.prepare(
      `SELECT group_concat(line, '') AS text, max(id) AS last, count(*) AS count FROM (
         SELECT urls.id AS id, ${line} AS line FROM ${TABLES} ${this.#found.join()} WHERE ${this.#listed()} AND urls.id > ? ORDER BY urls.id LIMIT ${LINES_AT_ONCE})`,
    );
    for (let beyond = 0; ; ) {
      const { text, last, count } = statement.get(beyond)!;
      if (count === 0) {
        return;
      }
      yield { text: this.#closed(text, (id) => lineOf(this.page(id, true)!)), count };
      beyond = last;
    }
  }

  /** The same for those of the given ids that are pages, in the order of the ids. */
  *linesById(ids: readonly number[], lineOf: (page: PageResult) => string): IterableIterator<string> {
    this.#linesById ??= this.#database.prepare(
      `SELECT coalesce(group_concat(${this.#line}, ''), '') AS text ${BY_ID} AND urls.kind = ${UrlKind.page} AND NOT ${UNANSWERED}`,
    );
    for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
      yield this.#closed(this.#linesById.get(JSON.stringify(ids.slice(i, i + IDS_AT_ONCE)))!.text, (id) =>
        lineOf(this.page(id)!),
      );
    }
  }

  #closed(text: string, lineOf: (id: number) => string): string {
    return text.includes(LEFT_OPEN) ? text.replace(LEFT_OPEN_LINE, (_, id: string) => lineOf(Number(id))) : text;
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
    // Only following a chain of redirects shows where it goes wrong.
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
    this.#byId ??= this.#database.prepare(
      `SELECT ${this.#columns} ${BY_ID} AND urls.kind = ${UrlKind.page} AND NOT ${UNANSWERED}`,
    );
    for (const { result } of this.#byId.all(JSON.stringify(ids))) {
      yield this.#result(JSON.parse(result));
    }
  }

  /** Whatever it is: a page, a sitemap, or only the end of a link. `isWhole`: with what all pages together tell. */
  page(id: number, isWhole = false): PageResult | null {
    const columns = isWhole ? selectedFrom(this.#whole) : this.#columns;
    const found = isWhole ? this.#found.join() : '';
    const row = this.#database.prepare(`SELECT ${columns} FROM ${TABLES} ${found} WHERE urls.id = ?`).get(id);
    return row === undefined ? null : this.#result(JSON.parse(row.result));
  }

  /** Of these, the pages that wait for a browser: nothing is told of them before. */
  waiting(ids: readonly number[]): Set<number> {
    return new Set(
      this.#database
        .prepare(
          `SELECT page FROM bodies WHERE rendering = ${Rendering.wanted} AND page IN (SELECT value FROM json_each(?))`,
        )
        .all(JSON.stringify(ids))
        .map(({ page }) => page),
    );
  }

  /** Ids of pages settled after `seq`, in that order, but for those that wait for a browser. */
  settledAfter(seq: number): number[] {
    return this.#database
      .prepare(
        `SELECT id FROM pages WHERE seq > ? AND id NOT IN (SELECT page FROM bodies WHERE rendering = ${Rendering.wanted}) ORDER BY seq`,
      )
      .all(seq)
      .map((row) => row.id);
  }

  /**
   * Of what `pages` lists, the first URLs after `beyond` that nothing was settled for, or that were settled unseen; `last` is null when
   * there are no more. `withWaiting`: those that wait for a browser, too.
   */
  unasked(beyond: number, limit: number, withWaiting = false): { pages: PageResult[]; last: number | null } {
    const waits = withWaiting ? `OR urls.id IN (SELECT page FROM bodies WHERE rendering = ${Rendering.wanted})` : '';
    const rows = this.#database
      .prepare(
        `SELECT urls.id AS id, ${this.#columns} FROM ${TABLES} WHERE ${this.#listed()} AND (pages.id IS NULL OR (urls.flags & ${UrlFlag.listedLate}) <> 0 ${waits})
           AND urls.id > ? ORDER BY urls.id LIMIT ?`,
      )
      .all(beyond, limit);
    return { pages: rows.map(({ result }) => this.#result(JSON.parse(result))), last: rows.at(-1)?.id ?? null };
  }

  /** Whether what `pages` lists is of so many origins at most. */
  hasOrigins(atMost: number): boolean {
    const origins = `SELECT DISTINCT origin FROM urls WHERE ${this.#listed()} LIMIT ${atMost + 1}`;
    return this.#database.prepare(origins).all().length <= atMost;
  }

  /** The seeds, and what they redirect to, as far as something has become of them. */
  seedPages(): IterableIterator<PageResult> {
    return this.#results(
      `SELECT ${this.#columns} FROM ${TABLES} WHERE urls.kind = ${UrlKind.page} AND urls.state IN (${BECOME}) AND (urls.flags & ${UrlFlag.seed}) <> 0`,
    );
  }

  /** Condition of what is listed. */
  #listed(): string {
    return listedWhere(this.ended());
  }

  *#results(select: string): IterableIterator<PageResult> {
    for (const { result } of this.#database.prepare(select).iterate()) {
      yield this.#result(JSON.parse(result));
    }
  }

  /** What an output says about the crawl as a whole. */
  remarks(): string[] {
    const truncated = this.ended()?.truncated ?? null;
    const withoutRobots = this.hosts.withoutRobots();
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
  edges(): IterableIterator<EdgeResult> {
    const rows = this.#database
      .prepare('SELECT edges.*, urls.url AS url FROM edges JOIN urls ON urls.id = edges.page ORDER BY edges.page')
      .iterate();
    return this.#edgesOf(rows);
  }

  /** The edges of the given pages, in the order of the ids. */
  *edgesOf(ids: readonly number[]): IterableIterator<EdgeResult> {
    const select = this.#database.prepare(
      `SELECT edges.*, urls.url AS url FROM json_each(?) AS wanted CROSS JOIN edges ON edges.page = wanted.value JOIN urls ON urls.id = edges.page`,
    );
    for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
      yield* this.#edgesOf(select.all(JSON.stringify(ids.slice(i, i + IDS_AT_ONCE))));
    }
  }

  *#edgesOf(rows: Iterable<Row>): IterableIterator<EdgeResult> {
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
          rel: relOfEdge(word, rels).rel,
          text: texts === null ? null : texts[i >> 1]!,
          outside: target.outside,
        };
      }
    }
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

  /** Pages that a third party was the first to name, and that were there. */
  answeredCandidates(): { certificates: number; commonCrawl: number } {
    const count = (flag: number): number =>
      this.#database
        .prepare(`SELECT count(*) AS n FROM urls WHERE (flags & ${flag}) <> 0 AND state = ${UrlState.done}`)
        .get()!.n;
    return { certificates: count(UrlFlag.fromCertificates), commonCrawl: count(UrlFlag.fromCommonCrawl) };
  }

  /** The names under which pages have data, in alphabetical order. */
  dataNames(): string[] {
    const tables = [...(this.#columnsOfPages.has('data') ? ['pages'] : []), ...(this.#hasGiven ? ['given'] : [])];
    const names = tables.flatMap((table) =>
      this.#database
        .prepare(
          `SELECT DISTINCT each.key AS name FROM ${table}, json_each(${table}.data) AS each WHERE ${table}.data IS NOT NULL`,
        )
        .all()
        .map(({ name }): string => name),
    );
    return [...new Set(names)].sort();
  }

  /** Of each text that the crawl was to look for (`--search`), in that order: on how many pages it stands, and how often in all. */
  foundTexts(): { text: string; pages: number; count: number }[] {
    const { values } = JSON.parse(this.meta().options ?? '{}') as { values?: { searches?: string[] } };
    const searches = values?.searches ?? [];
    if (searches.length === 0 || !this.#columnsOfPages.has('found')) {
      return [];
    }
    const rows = this.#database
      .prepare(
        `SELECT each.value ->> '$.text' AS text, count(*) AS pages, sum(each.value ->> '$.count') AS count
         FROM pages, json_each(pages.found) AS each WHERE pages.found IS NOT NULL GROUP BY 1`,
      )
      .all() as { text: string; pages: number; count: number }[];
    const found = new Map(rows.map((row) => [row.text, row]));
    return [...new Set(searches)].map((text) => found.get(text) ?? { text, pages: 0, count: 0 });
  }

  /** Pages that lead to more than is kept, and the links of theirs that were left out. */
  cutLinks(): { pages: number; links: number } {
    if (!this.#columnsOfPages.has('links_cut')) {
      return { pages: 0, links: 0 };
    }
    return this.#database
      .prepare('SELECT count(*) AS pages, coalesce(sum(links_cut), 0) AS links FROM pages WHERE links_cut > 0')
      .get() as { pages: number; links: number };
  }

  #result([parts, page]: [Parts, PageResult]): PageResult {
    const [id, ownState, ownReason, attempts, flags, redirectTo] = parts;
    const chain = redirectTo === null ? null : this.#redirectChains().endOf(id);
    const problem = chain?.problem ?? null;
    const { state, reason } =
      problem === null ? standing(ownState, ownReason) : { state: 'failed' as const, reason: problem };
    page.state = state;
    page.reason = reason;
    page.finalUrl = chain === null ? finalUrl(page.url, page.status, state) : this.#endUrl(chain);
    // The lease of what robots.txt forbids, or a hook skips, is given back unsent.
    const isUnsent = ownState === UrlState.skipped && (ownReason === 'robots' || ownReason === 'hook');
    page.attempts = isUnsent ? Math.max(0, attempts - 1) : attempts;
    page.external = (flags & UrlFlag.external) !== 0;
    return page;
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

/** URLs that a limit left in the queue count as skipped. */
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
