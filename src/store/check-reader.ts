import { FindingRows, FragmentTable } from './check-tables.js';
import { edgesFromBlob } from './page-row.js';
import { Reader } from './reader.js';
import { RedirectChains } from './redirect-chains.js';
import { type Database, Statements } from './sqlite.js';
import { openStoreFile, storePath } from './store-file.js';
import { ROBOTS_LOOKS, UNANSWERED, UrlFlag, UrlKind, UrlState } from './url-state.js';

/** No other URL in normal form has a fragment, but for those that are no URLs of the web. */
const IS_ROUTE = "(instr(urls.url, '#') > 0 AND urls.url LIKE 'http%')";

/** A URL as a check sees it. */
export interface CheckedUrl {
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

/** A request that something else followed. */
export interface EarlierLook {
  /** Whether it belongs to the first look or to the second. */
  look: number;
  at: number;
  status: number | null;
  reason: string | null;
  message: string | null;
}

/** The links of a page as they are kept. */
export interface PageLinks {
  page: number;
  /** Two words an edge, see page-row.ts. */
  edges: Uint32Array;
  /** Two words an edge: line, and column with the mark of a link that is to be left out; null if places were not requested. */
  places: Uint32Array | null;
  /** In JSON, as few who go through the pages need them: what is written in each link, and its text. */
  hrefs: string | null;
  texts: string | null;
}

/** What a page has for fragments to point at. */
export interface AnchoredPage {
  state: UrlState;
  reason: string | null;
  flags: number;
  contentType: string | null;
  /** Packed names; null if the page was not read for them. */
  anchors: Uint32Array | null;
}

export interface RedirectHop {
  next: number;
  /** What its Location says, in JSON as the only link; null if that was not kept. */
  hrefs: string | null;
}

/** What a site said for a page that it cannot have. */
export interface StoredProbe {
  id: number;
  url: string;
  state: UrlState;
  redirectTo: number | null;
  title: string | null;
  textHash: number | null;
}

/** A page in scope that answered with HTML. */
export interface AnsweredPage {
  id: number;
  url: string;
  origin: number;
  depth: number;
  seed: number;
  title: string | null;
}

/** What is known of a URL that only a HEAD has answered for, or that a GET was sent to after it. */
export interface HeadAnswer {
  host: number;
  contentType: string | null;
  state: UrlState;
  status: number | null;
}

/** In SQL: the robots.txt of this row of `origins` let both its looks run out of time. */
export const ROBOTS_WAS_SILENT = `(origins.robots_state = 'failed' AND origins.robots_tries >= ${ROBOTS_LOOKS}
  AND EXISTS (SELECT 1 FROM urls AS robots WHERE robots.id = origins.robots_id AND robots.reason IN ('timeout', 'too_slow')))`;

/** In SQL: this row of `urls` failed with it, and was never asked for itself. Nothing of it is left to look at. */
export const FAILED_WITH_ROBOTS = `(urls.reason IN ('timeout', 'too_slow') AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.id = urls.id)
  AND EXISTS (SELECT 1 FROM origins WHERE origins.id = urls.origin AND ${ROBOTS_WAS_SILENT}))`;

/** Of a URL that shares the fate of its host there is no page of its own: what is known is what robots.txt met with. */
const CHECKED_URL = `SELECT urls.id AS id, urls.url AS url, urls.state AS state, urls.reason AS reason, urls.flags AS flags, origins.host AS host,
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

const ASKED_BY_GET =
  UrlFlag.rangedGet | UrlFlag.wholeGet | UrlFlag.secondLook | UrlFlag.anchors | UrlFlag.seed | UrlFlag.candidate;

/** A redirect to what is no page of the web, such as mailto:. */
const LEADS_AWAY = `EXISTS (SELECT 1 FROM pages JOIN urls AS ends ON ends.id = pages.redirect_to
  WHERE pages.id = urls.id AND ends.reason = 'scheme')`;

/** What a check reads of its store: between two rounds, and at the end for its verdicts. */
export class CheckReader {
  readonly #database: Database;
  readonly #statements: Statements;
  #routes: Map<string, number> | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  /** Opens the store of a check for reading. Whoever opens it closes it. */
  static open(directory: string): CheckReader {
    return new CheckReader(openStoreFile(storePath(directory), { create: false, readOnly: true }));
  }

  close(): void {
    this.#database.close();
  }

  /** What any crawl can be asked, of the same store. */
  crawl(): Reader {
    return new Reader(this.#database);
  }

  redirectChains(maxRedirects: number): RedirectChains {
    return new RedirectChains(this.#database, maxRedirects);
  }

  /** An empty one; what was in another of this connection is gone. */
  newFragments(): FragmentTable {
    return new FragmentTable(this.#database);
  }

  newFindings(): FindingRows {
    return new FindingRows(this.#database);
  }

  /** The highest id that any URL has; 0 where there is none. */
  lastId(): number {
    return this.#database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0;
  }

  urlOf(id: number): string {
    return this.#statements.of('SELECT url FROM urls WHERE id = ?').get(id)!.url;
  }

  reasonOf(id: number): string | null {
    return this.#statements.of('SELECT reason FROM urls WHERE id = ?').get(id)!.reason;
  }

  flagsOf(id: number): number {
    return this.#statements.of('SELECT flags FROM urls WHERE id = ?').get(id)!.flags;
  }

  isDone(id: number): boolean {
    return this.#statements.of('SELECT state FROM urls WHERE id = ?').get(id)?.state === UrlState.done;
  }

  /** Why a URL failed; null if it did not. */
  failureOf(id: number): string | null {
    return (
      this.#statements.of(`SELECT reason FROM urls WHERE id = ? AND state = ${UrlState.failed}`).get(id)?.reason ?? null
    );
  }

  /** All that links can lead to, in the order in which they were found. */
  targets(): IterableIterator<CheckedUrl> {
    return this.#database
      .prepare(`${CHECKED_URL} WHERE urls.kind = ${UrlKind.page} AND NOT ${UNANSWERED} ORDER BY urls.id`)
      .iterate() as IterableIterator<CheckedUrl>;
  }

  /** Sitemaps that were not read, or not wholly, but for those that are only guessed; and feeds, where the link to one does not tell. */
  unreadSitemaps(): IterableIterator<CheckedUrl> {
    return this.#database
      .prepare(
        `${CHECKED_URL} WHERE urls.kind = ${UrlKind.sitemap} AND NOT ${UNANSWERED}
           AND (pages.malformed IS NOT NULL OR (urls.state <> ${UrlState.done} AND parents.kind IS NOT ${UrlKind.page})) ORDER BY urls.id`,
      )
      .iterate() as IterableIterator<CheckedUrl>;
  }

  checkedUrl(id: number): CheckedUrl {
    return this.#statements.of(`${CHECKED_URL} WHERE urls.id = ?`).get(id) as unknown as CheckedUrl;
  }

  /** Requests that were followed by others, in their order. */
  earlierLooks(id: number): EarlierLook[] {
    return this.#statements
      .of('SELECT look, at, status, reason, message FROM attempts WHERE url = ? ORDER BY look, attempt')
      .all(id) as EarlierLook[];
  }

  /** Hosts that answer 403 to all that they are asked, and how many URLs that was: where it is no fewer than the given number. */
  forbiddingHosts(fewest: number): Map<number, number> {
    const rows = this.#database
      .prepare(
        `SELECT origins.host AS host, count(*) AS asked FROM urls JOIN pages ON pages.id = urls.id JOIN origins ON origins.id = urls.origin
         WHERE urls.kind = ${UrlKind.page} AND pages.status IS NOT NULL GROUP BY origins.host
         HAVING count(*) >= ? AND sum(pages.status <> 403) = 0`,
      )
      .all(fewest);
    return new Map(rows.map(({ host, asked }) => [host, asked]));
  }

  *idsOfHttp(): IterableIterator<number> {
    for (const { id } of this.#database
      .prepare("SELECT id FROM urls WHERE url >= 'http:' AND url < 'http;'")
      .iterate()) {
      yield id;
    }
  }

  /** All pages that have links, in the order in which they were found. */
  *pageLinks(): IterableIterator<PageLinks> {
    for (const { page, packed, texts, hrefs, places } of this.#database
      .prepare(
        `SELECT edges.page AS page, edges.packed AS packed, edges.texts AS texts, link_facts.hrefs AS hrefs, link_facts.places AS places
         FROM edges LEFT JOIN link_facts ON link_facts.page = edges.page ORDER BY edges.page`,
      )
      .iterate()) {
      yield {
        ...{ page, texts, hrefs, edges: edgesFromBlob(packed) },
        places: places === null ? null : edgesFromBlob(places),
      };
    }
  }

  /** Pages of which links were left out. */
  cutPages(): { id: number; links: number }[] {
    return this.#database.prepare('SELECT id, links_cut AS links FROM pages WHERE links_cut > 0').all() as {
      id: number;
      links: number;
    }[];
  }

  /** Pages that redirect. */
  redirects(): IterableIterator<{ id: number; flags: number }> {
    return this.#database
      .prepare(
        `SELECT pages.id AS id, urls.flags AS flags FROM pages JOIN urls ON urls.id = pages.id
         WHERE pages.redirect_to IS NOT NULL AND urls.kind = ${UrlKind.page}`,
      )
      .iterate() as IterableIterator<{ id: number; flags: number }>;
  }

  redirectHop(id: number): RedirectHop | undefined {
    return this.#statements
      .of(
        `SELECT pages.redirect_to AS next, link_facts.hrefs AS hrefs
         FROM pages LEFT JOIN link_facts ON link_facts.page = pages.id WHERE pages.id = ? AND pages.redirect_to IS NOT NULL`,
      )
      .get(id) as RedirectHop | undefined;
  }

  anchoredPage(id: number): AnchoredPage | null {
    const row = this.#statements
      .of(
        `SELECT urls.state AS state, urls.reason AS reason, urls.flags AS flags, pages.content_type AS contentType, link_facts.anchors AS anchors
         FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN link_facts ON link_facts.page = urls.id WHERE urls.id = ?`,
      )
      .get(id);
    return row === undefined ? null : { ...row, anchors: row.anchors === null ? null : edgesFromBlob(row.anchors) };
  }

  /** Pages that are routes, as far as they are drawn. */
  routes(): number[] {
    return this.#database
      .prepare(`SELECT id FROM urls WHERE kind = ${UrlKind.page} AND state = ${UrlState.done} AND ${IS_ROUTE}`)
      .all()
      .map(({ id }) => id);
  }

  /** The route that has this URL, or null. */
  routeAt(url: string): number | null {
    this.#routes ??= new Map(
      this.#database
        .prepare(`SELECT url, id FROM urls WHERE kind = ${UrlKind.page} AND ${IS_ROUTE}`)
        .all()
        .map((row) => [row.url, row.id]),
    );
    return this.#routes.get(url) ?? null;
  }

  probes(): StoredProbe[] {
    return this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, urls.state AS state, pages.redirect_to AS redirectTo, pages.title AS title,
           link_facts.text_hash AS textHash
         FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN link_facts ON link_facts.page = urls.id WHERE urls.kind = ${UrlKind.probe}`,
      )
      .all() as StoredProbe[];
  }

  /** Pages in scope that answered 200 with HTML, and do not redirect; routes are drawn by one of them. */
  answeredPages(): IterableIterator<AnsweredPage> {
    return this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, urls.origin AS origin, urls.depth AS depth, urls.seed AS seed, pages.title AS title
         FROM urls JOIN pages ON pages.id = urls.id
         WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done} AND (urls.flags & ${UrlFlag.external | UrlFlag.asset}) = 0
           AND pages.status = 200 AND pages.redirect_to IS NULL AND NOT ${IS_ROUTE}
           AND (pages.content_type LIKE 'text/html%' OR pages.content_type LIKE 'application/xhtml%')`,
      )
      .iterate() as IterableIterator<AnsweredPage>;
  }

  textHashOf(id: number): number | null {
    return this.#statements.of('SELECT text_hash AS hash FROM link_facts WHERE page = ?').get(id)?.hash ?? null;
  }

  /** What came of asking once more where HEAD had said that all is well. */
  askedAfterGoodHead(): IterableIterator<HeadAnswer> {
    return this.#database
      .prepare(
        `SELECT DISTINCT origins.host AS host, pages.content_type AS contentType, urls.state AS state, pages.status AS status
         FROM attempts JOIN urls ON urls.id = attempts.url JOIN origins ON origins.id = urls.origin JOIN pages ON pages.id = urls.id
         WHERE attempts.look = 1 AND attempts.reason IS NULL AND attempts.status BETWEEN 200 AND 299 AND urls.kind = ${UrlKind.page}`,
      )
      .iterate() as IterableIterator<HeadAnswer>;
  }

  /** Hosts on which something is there that HEAD said is gone. */
  hostsThatHeadDenied(): number[] {
    return this.#database
      .prepare(
        `SELECT DISTINCT origins.host AS host FROM attempts JOIN urls ON urls.id = attempts.url JOIN origins ON origins.id = urls.origin
         WHERE attempts.look = 1 AND attempts.status IN (404, 410) AND urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}
           AND (urls.flags & ${UrlFlag.rangedGet}) <> 0`,
      )
      .all()
      .map(({ host }) => host);
  }

  /** URLs that only a HEAD has answered for, by name. */
  knownByHead(): IterableIterator<{ id: number; origin: string; host: number; contentType: string | null }> {
    return this.#database
      .prepare(
        `SELECT urls.id AS id, origins.origin AS origin, origins.host AS host, pages.content_type AS contentType FROM urls
           JOIN pages ON pages.id = urls.id JOIN origins ON origins.id = urls.origin
         WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done} AND pages.status BETWEEN 200 AND 299 AND pages.hash IS NULL
           AND (urls.flags & ${UrlFlag.external | UrlFlag.asset}) <> 0 AND (urls.flags & ${ASKED_BY_GET}) = 0
         ORDER BY urls.url`,
      )
      .iterate() as IterableIterator<{ id: number; origin: string; host: number; contentType: string | null }>;
  }

  /** Pages that wait and were never requested. */
  countNeverAsked(): number {
    return this.#count(`FROM urls WHERE state = ${UrlState.queued} AND kind = ${UrlKind.page} AND attempts = 0`);
  }

  /** Pages in scope that answered, but for redirects to what is no page. */
  countReached(): number {
    return this.#count(
      `FROM urls WHERE kind = ${UrlKind.page} AND state = ${UrlState.done} AND (flags & ${UrlFlag.external}) = 0 AND NOT ${LEADS_AWAY}`,
    );
  }

  /** Pages in scope of which the links or ids were read. */
  countRead(): number {
    return this.#count(
      `FROM link_facts JOIN urls ON urls.id = link_facts.page JOIN pages ON pages.id = link_facts.page
       WHERE (anchors IS NOT NULL OR places IS NOT NULL) AND pages.redirect_to IS NULL
         AND coalesce(pages.content_type, '') NOT LIKE 'image/svg+xml%' AND (urls.flags & ${UrlFlag.external}) = 0`,
    );
  }

  #count(from: string): number {
    return this.#database.prepare(`SELECT count(*) AS n ${from}`).get()!.n;
  }
}
