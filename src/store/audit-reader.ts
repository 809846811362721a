import { AUDIT_QUERIES, type AuditQuery, type AuditThresholds, FATE, LISTED_PAGES } from './audit-queries.js';
import { type LaterColumn, makePageTables, OWN, PlaceTable } from './audit-tables.js';
import { clickDepths, UNREACHED } from './click-depths.js';
import { openKept } from './directory.js';
import { leadsReaders } from './found-table.js';
import { nearDuplicates } from './near-duplicates.js';
import { edgeKind, edgesFromBlob } from './page-row.js';
import { Reader } from './reader.js';
import { RedirectChains } from './redirect-chains.js';
import { type Database, Statements } from './sqlite.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/** What links can have wrong with them. */
export type LinkTrouble = 'broken' | 'unreachable' | 'redirected' | 'blocked' | 'mixed' | 'insecure';
const TROUBLES: readonly LinkTrouble[] = ['broken', 'unreachable', 'redirected', 'blocked', 'mixed', 'insecure'];
const BIT = Object.fromEntries(TROUBLES.map((trouble, place) => [trouble, 1 << place])) as Record<LinkTrouble, number>;

/** In SQL: what a name server has said is that there is no such name; another failure of name servers may be over the next time. */
const HAS_NO_NAME = `coalesce((SELECT message LIKE '%there is no such name%' OR message LIKE '%has no address%' OR message LIKE '%not a name that can be looked up%'
  FROM pages WHERE pages.id = urls.id), 1)`;
const BROKEN = `(urls.reason IN ('http_4xx', 'http_5xx', 'connection_refused', 'tls', 'invalid_url', 'redirect_loop', 'redirect_limit')
  OR urls.reason = 'dns' AND ${HAS_NO_NAME})`;
const UNREACHABLE = `(urls.reason IN ('timeout', 'connection_reset', 'too_slow') OR urls.reason = 'dns' AND NOT ${HAS_NO_NAME})`;

/** Numbers of LINK_KINDS. */
const REDIRECT_KIND = 18;
const CANONICAL_KIND = 7;
const ALTERNATE_KIND = 8;
const IFRAME_KINDS = [2, 3];
/** stylesheet, img, srcset, script, media, embed, object, css. A link element is mostly no more than a name, and a form is not loaded. */
const LOADED_KINDS: ReadonlySet<number> = new Set([...IFRAME_KINDS, 10, 11, 12, 13, 14, 15, 16, 19]);
const HOOK_KIND = 20;
const FORM_KIND = 17;
/** These have rules of their own, or are no links of a page. */
const NO_LINKS: ReadonlySet<number> = new Set([CANONICAL_KIND, ALTERNATE_KIND, FORM_KIND, REDIRECT_KIND, HOOK_KIND]);

/** What can be known of a crawl, and so what rules can say of it. */
export interface AuditCoverage {
  /** URLs of the site that something became of. */
  urls: number;
  /** HTML pages that answered, and those of them that search engines take. */
  pages: number;
  indexable: number;
  /** Of the pages those of which this was noted. */
  noted: Readonly<Record<LaterColumn, number>>;
  https: number;
  sitemaps: number;
  /** Whether the crawl asks for them, or has asked for some. */
  externalAsked: boolean;
  assetsAsked: boolean;
  hasLinkTexts: boolean;
}

/** The queries of an audit to a store. The caller that opens it closes it. */
export class AuditReader {
  readonly crawl: Reader;
  readonly #database: Database;
  readonly #statements: Statements;
  #inlinks: Int32Array | null = null;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.crawl = new Reader(database);
  }

  static open(directory: string): AuditReader {
    const database = openKept(directory);
    try {
      return new AuditReader(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** Has to come first. */
  begin(): PlaceTable {
    makePageTables(this.#database);
    return new PlaceTable(this.#database);
  }

  coverage(): AuditCoverage {
    const row = this.#database
      .prepare(
        `SELECT count(*) AS pages, coalesce(sum(indexable = 'yes'), 0) AS indexable, count(h1_count) AS h1_count, count(word_count) AS word_count,
           count(text_hash) AS text_hash, count(images_without_alt) AS images_without_alt, coalesce(sum(url LIKE 'https:%'), 0) AS https
         FROM temp.audited`,
      )
      .get()!;
    const count = (from: string): number => this.#database.prepare(`SELECT count(*) AS n ${from}`).get()!.n;
    const { h1_count, word_count, text_hash, images_without_alt } = row;
    const meta = this.crawl.meta();
    const { values = {} } = JSON.parse(meta.inForce ?? meta.options ?? '{}') as { values?: Record<string, unknown> };
    const asks = (option: 'external' | 'assets'): boolean => values[option] === true;
    return {
      urls: count(`FROM urls WHERE ${OWN} AND state IN (${UrlState.done}, ${UrlState.failed}, ${UrlState.skipped})`),
      pages: row.pages,
      indexable: row.indexable,
      // A page may have no header that is kept, and no other language: what else was noted with them tells.
      noted: { h1_count, word_count, text_hash, images_without_alt, hreflang: h1_count, headers: h1_count },
      https: row.https,
      sitemaps: count(
        `FROM urls JOIN pages ON pages.id = urls.id WHERE urls.kind = ${UrlKind.sitemap} AND urls.state = ${UrlState.done} AND pages.links > 0`,
      ),
      // A site may have none: what the crawl was told counts then.
      externalAsked:
        asks('external') || count(`FROM urls WHERE (flags & ${UrlFlag.external}) <> 0 AND attempts > 0`) > 0,
      assetsAsked:
        asks('assets') ||
        count(
          `FROM urls JOIN pages ON pages.id = urls.id WHERE urls.kind = ${UrlKind.page} AND urls.attempts > 0 AND (pages.content_type LIKE 'image/%' OR pages.content_type LIKE 'text/css%' OR pages.content_type LIKE '%javascript%')`,
        ) > 0,
      hasLinkTexts:
        this.#database.prepare('SELECT 1 AS yes FROM edges WHERE texts IS NOT NULL LIMIT 1').get() !== undefined,
    };
  }

  selectFor(query: AuditQuery, thresholds: AuditThresholds): string {
    return AUDIT_QUERIES[query](thresholds);
  }

  /** Codes that pages name languages by. */
  languageCodes(): string[] {
    return this.#database
      .prepare('SELECT DISTINCT code FROM temp.languages ORDER BY code')
      .all()
      .map(({ code }) => code);
  }

  /** Pages that name a language by this code. */
  *pagesWithCode(code: string): IterableIterator<{ page: number; target: number | null }> {
    for (const { page, target } of this.#statements
      .of(
        `SELECT languages.page AS page, named.id AS target FROM temp.languages AS languages LEFT JOIN temp.named ON named.url = languages.url
         WHERE languages.code = ? ORDER BY languages.page`,
      )
      .iterate(code)) {
      yield { page, target };
    }
  }

  /** Pages with nearly the same text as another whose text is not the very same, those of a group one after the other. */
  *nearDuplicates(share: number): IterableIterator<{ page: number; group: number }> {
    const groups = nearDuplicates(this.#database, share);
    this.#database.exec(
      'DROP TABLE IF EXISTS temp.alike; CREATE TEMP TABLE alike (id INTEGER PRIMARY KEY, alike INTEGER, text TEXT)',
    );
    const insert = this.#database.prepare('INSERT INTO temp.alike (id, alike, text) VALUES (?, ?, ?)');
    for (const { id, text } of this.#database
      .prepare(
        "SELECT id, text_hash AS text FROM temp.audited WHERE indexable = 'yes' AND text_hash IS NOT NULL ORDER BY id",
      )
      .iterate()) {
      if ((groups[id] ?? 0) !== 0) {
        insert.run(id, groups[id]!, text);
      }
    }
    const several = 'SELECT alike FROM temp.alike GROUP BY alike HAVING count(DISTINCT text) > 1';
    for (const { page, alike } of this.#database
      .prepare(`SELECT id AS page, alike FROM temp.alike WHERE alike IN (${several}) ORDER BY alike, id`)
      .iterate()) {
      yield { page, group: alike };
    }
  }

  /**
   * Redirects of the site that nothing redirects to; and those that never end, each circle once, from its URL that sorts first, so that it does not
   * matter which was found first. Every hop is looked at once, however many redirects lead to it.
   */
  *redirects(): IterableIterator<Redirects> {
    const next = new Map<number, number>();
    const own = new Set<number>();
    for (const { id, to, flags } of this.#database
      .prepare(
        `SELECT pages.id AS id, pages.redirect_to AS "to", urls.flags AS flags FROM pages JOIN urls ON urls.id = pages.id
         WHERE pages.redirect_to IS NOT NULL AND urls.kind = ${UrlKind.page}`,
      )
      .iterate()) {
      next.set(id, to);
      if ((flags & (UrlFlag.external | UrlFlag.asset)) === 0) {
        own.add(id);
      }
    }
    const led = new Set(next.values());
    const { ends, circles } = endsOf(next);
    for (const circle of circles) {
      const urls = circle.map((id) => (own.has(id) ? this.urlOf(id) : null));
      const first = urls.reduce(
        (least, url, at) => (url !== null && (least < 0 || url < urls[least]!) ? at : least),
        -1,
      );
      if (first >= 0) {
        const turned = [...circle.slice(first), ...circle.slice(0, first)];
        yield { first: turned[0]!, hops: turned.length, end: null, shown: firstHops(turned[0]!, next) };
      }
    }
    for (const first of next.keys()) {
      const { hops, end } = ends.get(first)!;
      if (end !== null && own.has(first) && !led.has(first)) {
        yield { first, hops, end, shown: firstHops(first, next) };
      }
    }
  }

  urlOf(id: number): string {
    return this.#statements.of('SELECT url FROM urls WHERE id = ?').get(id)?.url ?? '';
  }

  /** Pages that a sitemap names and no page links to. `links` has to be called first. */
  *orphans(): IterableIterator<number> {
    for (const { id } of this.#database.prepare(LISTED_PAGES).iterate()) {
      if (this.#inlinks![id] === 0) {
        yield id;
      }
    }
  }

  /**
   * One pass over all links of the site: what is wrong with any of them, one entry for a page and what it leads to. On the way it counts who is
   * linked to. One byte for what is wrong, and eight bytes to count, for each URL that is known.
   */
  *links(maxRedirects: number): IterableIterator<LinkPlace> {
    const marks = this.#markTargets(maxRedirects);
    const inlinks = new Int32Array(marks.length);
    const lastFrom = new Int32Array(marks.length);
    const rows = this.#database
      .prepare(
        `SELECT edges.page AS page, edges.packed AS packed, urls.url AS url, urls.flags AS flags FROM edges JOIN urls ON urls.id = edges.page
         WHERE urls.kind = ${UrlKind.page} ORDER BY edges.page`,
      )
      .iterate();
    for (const { page, packed, url, flags } of rows) {
      const isSecure = url.startsWith('https:');
      const edges = edgesFromBlob(packed);
      const found = new Map<string, LinkPlace & { place: number }>();
      for (let i = 0; i < edges.length; i += 2) {
        const to = edges[i]!;
        const word = edges[i + 1]!;
        if (to !== page && lastFrom[to] !== page && leadsReaders(word)) {
          lastFrom[to] = page;
          inlinks[to]!++;
        }
        const mark = marks[to] ?? 0;
        if (mark !== 0 && (flags & UrlFlag.external) === 0) {
          addTroubles(found, page, to, mark, edgeKind(word), isSecure, i >> 1);
        }
      }
      if (found.size > 0) {
        const texts = this.#textsOf(page);
        for (const { place, ...link } of found.values()) {
          yield { ...link, text: texts?.[place] ?? null };
        }
      }
    }
    this.#inlinks = inlinks;
  }

  #textsOf(page: number): string[] | null {
    const texts: string | null = this.#statements.of('SELECT texts FROM edges WHERE page = ?').get(page)!.texts;
    return texts === null ? null : JSON.parse(texts);
  }

  /** By id, what is wrong with a link that leads there. */
  #markTargets(maxRedirects: number): Uint8Array {
    const ids = (this.#database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
    const marks = new Uint8Array(ids);
    const mark = (trouble: LinkTrouble, where: string): void => {
      for (const { id } of this.#database.prepare(`SELECT urls.id AS id FROM urls WHERE ${where}`).iterate()) {
        marks[id]! |= BIT[trouble];
      }
    };
    const isPage = `urls.kind = ${UrlKind.page}`;
    mark('broken', `${isPage} AND urls.state = ${UrlState.failed} AND ${BROKEN}`);
    mark('unreachable', `${isPage} AND urls.state = ${UrlState.failed} AND ${UNREACHABLE}`);
    mark('blocked', `${OWN} AND urls.state = ${UrlState.skipped} AND urls.reason = 'robots'`);
    mark('mixed', `urls.url >= 'http:' AND urls.url < 'http;'`);
    // Hosts that answered over https: http: is the long way there.
    mark(
      'insecure',
      `urls.url >= 'http:' AND urls.url < 'http;' AND substr(urls.url, 8, instr(substr(urls.url, 8) || '/', '/') - 1) IN (
         SELECT substr(origin, 9) FROM origins WHERE origin LIKE 'https:%' AND id IN (SELECT origin FROM temp.audited))`,
    );
    const chains = new RedirectChains(this.#database, maxRedirects);
    const redirects = `SELECT pages.id AS id FROM pages JOIN urls ON urls.id = pages.id WHERE pages.redirect_to IS NOT NULL AND ${isPage}`;
    for (const { id } of this.#database.prepare(redirects).iterate()) {
      const end = chains.endOf(id);
      const worst = end.problem === null ? marks[end.id]! & (BIT.broken | BIT.unreachable) : BIT.broken;
      marks[id]! |= worst === 0 ? BIT.redirected : worst;
    }
    return marks;
  }

  /** What the target of a link met with: `404`, `timeout`, `301 to …`. */
  fateOf(target: number, maxRedirects: number): string {
    this.#chains ??= new RedirectChains(this.#database, maxRedirects);
    const own = this.#fate(target);
    if (own.to === null) {
      return own.said;
    }
    const end = this.#chains.endOf(target);
    const status = own.said === '' ? '' : `${own.said} `;
    if (end.problem !== null) {
      return `${status}${end.problem}`;
    }
    const said = this.#fate(end.id);
    const isFine = said.state === UrlState.done || said.state === UrlState.unlisted || said.state === UrlState.skipped;
    return `${status}to ${this.urlOf(end.id)}${isFine ? '' : `, ${said.said}`}`;
  }

  #chains: RedirectChains | null = null;

  #fate(id: number): { said: string; to: number | null; state: UrlState } {
    const row = this.#statements
      .of(
        `SELECT ${FATE} AS said, pages.redirect_to AS "to", urls.state AS state FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE urls.id = ?`,
      )
      .get(id)!;
    return { said: String(row.said ?? ''), to: row.to, state: row.state };
  }

  /** Pages that more than so many clicks part from the seeds, the deepest first. */
  *deepPages(most: number): IterableIterator<{ page: number; depth: number }> {
    const depths = clickDepths(this.#database);
    const select = this.#database.prepare(
      "SELECT audited.id AS id, urls.depth AS depth FROM temp.audited AS audited JOIN urls ON urls.id = audited.id WHERE audited.indexable = 'yes'",
    );
    this.#database.exec(
      'DROP TABLE IF EXISTS temp.deep; CREATE TEMP TABLE deep (id INTEGER PRIMARY KEY, depth INTEGER)',
    );
    const insert = this.#database.prepare('INSERT INTO temp.deep (id, depth) VALUES (?, ?)');
    for (const { id, depth } of select.iterate()) {
      const clicks = depths === null ? depth : depths[id]!;
      if (clicks > most && clicks !== UNREACHED) {
        insert.run(id, clicks);
      }
    }
    for (const { id, depth } of this.#database
      .prepare('SELECT id, depth FROM temp.deep ORDER BY depth DESC, id')
      .iterate()) {
      yield { page: id, depth };
    }
  }
}

/** One thing that is wrong with what a page leads to. */
export interface LinkPlace {
  trouble: LinkTrouble;
  page: number;
  target: number;
  text: string | null;
  times: number;
}

function addTroubles(
  found: Map<string, LinkPlace & { place: number }>,
  page: number,
  target: number,
  mark: number,
  kind: number,
  isSecure: boolean,
  place: number,
): void {
  for (const trouble of TROUBLES) {
    if ((mark & BIT[trouble]) === 0 || !concerns(trouble, kind, isSecure)) {
      continue;
    }
    const key = `${trouble} ${target}`;
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, { trouble, page, target, text: null, times: 1, place });
    } else {
      known.times++;
    }
  }
}

/** Whether this can be wrong with a link of this kind. */
function concerns(trouble: LinkTrouble, kind: number, isSecure: boolean): boolean {
  switch (trouble) {
    case 'mixed':
      return isSecure && LOADED_KINDS.has(kind);
    case 'insecure':
      return isSecure && leadsReaders(kind) && !IFRAME_KINDS.includes(kind);
    case 'blocked':
      return leadsReaders(kind);
    default:
      return !NO_LINKS.has(kind);
  }
}

/** A chain of redirects, or a circle of them. */
export interface Redirects {
  first: number;
  hops: number;
  /** Where it ends; null if nowhere. */
  end: number | null;
  /** Where the first hops lead. */
  shown: number[];
}

/** How many hops are listed. */
const MOST_HOPS_SHOWN = 5;

/** For each redirecting URL the number of hops to the end, or null if there is no end; and the circles, each once. */
function endsOf(next: ReadonlyMap<number, number>): {
  ends: Map<number, { hops: number; end: number | null }>;
  circles: number[][];
} {
  const ends = new Map<number, { hops: number; end: number | null }>();
  const circles: number[][] = [];
  for (const first of next.keys()) {
    const path: number[] = [];
    const places = new Map<number, number>();
    let at = first;
    while (next.has(at) && !ends.has(at) && !places.has(at)) {
      places.set(at, path.length);
      path.push(at);
      at = next.get(at)!;
    }
    const place = places.get(at);
    if (place !== undefined) {
      circles.push(path.slice(place));
    }
    let { hops, end } = place === undefined ? (ends.get(at) ?? { hops: 0, end: at }) : { hops: 0, end: null };
    for (const id of path.reverse()) {
      hops++;
      ends.set(id, { hops, end });
    }
  }
  return { ends, circles };
}

function firstHops(first: number, next: ReadonlyMap<number, number>): number[] {
  const hops: number[] = [];
  for (let at = next.get(first); at !== undefined && hops.length < MOST_HOPS_SHOWN; at = next.get(at)) {
    hops.push(at);
    if (at === first) {
      break;
    }
  }
  return hops;
}
