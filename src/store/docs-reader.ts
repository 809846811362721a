import { createHash } from 'node:crypto';
import type { Breaks } from '../base/breaks.js';
import { LinkedIds, NamedPlaces, NamedUrls, UrlIndex } from './docs-tables.js';
import { edgeKind, edgesFromBlob, relOfEdge } from './page-row.js';
import { RedirectChains } from './redirect-chains.js';
import { type Database, Statements } from './sqlite.js';
import { openStoreFile, readSeeds, storePath } from './store-file.js';
import type { SeedRow } from './transaction.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/** The result of a page that may belong to a corpus. */
export interface PageFate {
  url: string;
  state: UrlState;
  flags: number;
  status: number | null;
  bytes: number | null;
  redirectTo: number | null;
  robots: string | null;
  /** Whether its body is kept. */
  isKept: boolean;
}

/** A page with its body, as it is converted. */
export interface PageToConvert {
  url: string;
  title: string | null;
  description: string | null;
  lang: string | null;
  canonical: string | null;
  etag: string | null;
  lastModified: string | null;
  fetchedAt: number;
  type: string | null;
  /** Deflated. */
  packed: Uint8Array;
}

/** A page as it is converted, with a hash in the place of its body. */
export interface KeptFacts extends Omit<PageToConvert, 'packed' | 'fetchedAt'> {
  hash: string;
}

/** A page that a sample has requested. */
export interface SampledPage {
  url: string;
  state: UrlState;
  redirectTo: number | null;
  robots: string | null;
  type: string | null;
  /** Deflated; null if nothing is kept of it. */
  packed: Uint8Array | null;
  /** A seed, or named in a sitemap. */
  isGiven: boolean;
}

export interface KeptSitemap {
  id: number;
  url: string;
  parent: number | null;
}

/** States of a URL that may be a page of a corpus, or lead to one. */
const ASKED = `kind = ${UrlKind.page} AND state IN (${UrlState.done}, ${UrlState.failed}, ${UrlState.deferred})`;

/** It could not be had this time, which says nothing about what it names; one that is gone names nothing any more. */
const MISSED = `urls.state IN (${UrlState.failed}, ${UrlState.deferred}) AND coalesce(pages.status, 0) NOT IN (404, 410)`;

const NOFOLLOW = /(?:^|[\s,])(?:nofollow|none)(?:[\s,]|$)/i;

const MOST_ASSET_HOPS = 10;

/** Deflated nothing. */
const EMPTY = Uint8Array.of(3, 0);

/** What `docs` reads of its store: what the survey has found, and the pages that were kept. */
export class DocsReader {
  readonly #database: Database;
  readonly #statements: Statements;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = new Statements(database);
  }

  /** Opens the store of a corpus, or of a preview of one, for reading. Whoever opens it closes it. */
  static open(directory: string): DocsReader {
    return new DocsReader(openStoreFile(storePath(directory), { create: false, readOnly: true }));
  }

  close(): void {
    this.#database.close();
  }

  redirectChains(maxRedirects: number): RedirectChains {
    return new RedirectChains(this.#database, maxRedirects);
  }

  /** Of pages that were asked for, or of all that are listed. */
  indexUrls(which: 'asked' | 'listed', breaks: Breaks): Promise<UrlIndex> {
    const listed = `kind = ${UrlKind.page} AND state <> ${UrlState.unlisted}`;
    return UrlIndex.of(this.#database, which === 'asked' ? ASKED : listed, breaks);
  }

  newNamedUrls(): NamedUrls {
    return new NamedUrls(this.#database);
  }

  newNamedPlaces(): NamedPlaces {
    return new NamedPlaces(this.#database);
  }

  newLinkedIds(): LinkedIds {
    return new LinkedIds(this.#database);
  }

  seeds(): SeedRow[] {
    return readSeeds(this.#database);
  }

  /** The highest id that any URL has; 0 where there is none. */
  lastId(): number {
    return this.#database.prepare('SELECT coalesce(max(id), 0) AS id FROM urls').get()!.id;
  }

  /** Number of the page that was settled last, or null. */
  lastSeq(): number | null {
    return this.#database.prepare('SELECT max(seq) AS seq FROM pages').get()!.seq;
  }

  urlOf(id: number): string {
    return this.#statements.of('SELECT url FROM urls WHERE id = ?').get(id)!.url;
  }

  /** Where a URL redirects to, or null. */
  redirectOf(id: number): number | null {
    return this.#statements.of('SELECT redirect_to AS "to" FROM pages WHERE id = ?').get(id)?.to ?? null;
  }

  /** Two words an edge, see page-row.ts; none where the page has no links. */
  edgesOf(id: number): Uint32Array {
    const row = this.#statements.of('SELECT packed FROM edges WHERE page = ?').get(id);
    return row === undefined ? new Uint32Array() : edgesFromBlob(row.packed);
  }

  /** The id of a page with this URL, or null. */
  pageAt(url: string): number | null {
    return this.#statements.of(`SELECT id FROM urls WHERE url = ? AND kind = ${UrlKind.page}`).get(url)?.id ?? null;
  }

  /** What the links of some kinds of a page that was read lead to; null if it was not read. Those that may not be followed are left out where that is obeyed. */
  linksOf(id: number, kinds: ReadonlySet<number>, obeyNofollow: boolean): number[] | null {
    const row = this.#statements
      .of(
        `SELECT edges.packed AS packed, edges.rels AS rels, pages.robots_meta AS robots
         FROM pages JOIN urls ON urls.id = pages.id LEFT JOIN edges ON edges.page = pages.id
         WHERE pages.id = ? AND urls.state = ${UrlState.done} AND pages.redirect_to IS NULL`,
      )
      .get(id);
    if (row === undefined) {
      return null;
    }
    if (row.packed === null || (obeyNofollow && NOFOLLOW.test(row.robots ?? ''))) {
      return [];
    }
    const words = edgesFromBlob(row.packed);
    const rels: string[] | null = row.rels === null ? null : JSON.parse(row.rels);
    const targets: number[] = [];
    for (let i = 0; i < words.length; i += 2) {
      const word = words[i + 1]!;
      if (kinds.has(edgeKind(word)) && !(obeyNofollow && NOFOLLOW.test(relOfEdge(word, rels).rel))) {
        targets.push(words[i]!);
      }
    }
    return targets;
  }

  /** Requested pages, and the seed that each belongs to. */
  askedPages(): IterableIterator<{ id: number; seed: number }> {
    return this.#database.prepare(`SELECT id, seed FROM urls WHERE ${ASKED}`).iterate() as IterableIterator<{
      id: number;
      seed: number;
    }>;
  }

  /** Ids of the seeds, in their order. */
  seedPages(): number[] {
    return this.#database
      .prepare(
        `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0 AND parent IS NULL ORDER BY seed, url`,
      )
      .all()
      .map(({ id }) => id);
  }

  /** Ids of the pages that a seed stands for: it, and what it redirects to. */
  seedPagesOf(seed: number): number[] {
    return this.#database
      .prepare(
        `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0 AND seed = ? ORDER BY url`,
      )
      .all(seed)
      .map(({ id }) => id);
  }

  /** Those that count, by URL. One that waits to be read once more says until then what it said. */
  keptSitemaps(): KeptSitemap[] {
    return this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, urls.parent AS parent FROM urls JOIN bodies ON bodies.page = urls.id
           LEFT JOIN pages ON pages.id = urls.id
         WHERE urls.kind = ${UrlKind.sitemap} AND (urls.state IN (${UrlState.done}, ${UrlState.queued}, ${UrlState.leased}) OR ${MISSED})
         ORDER BY urls.url`,
      )
      .all() as KeptSitemap[];
  }

  /** Deflated. */
  bodyOf(id: number): Uint8Array {
    return (
      this.#statements
        .of('SELECT packed FROM bodies JOIN contents ON contents.id = bodies.content WHERE page = ?')
        .get(id)?.packed ?? EMPTY
    );
  }

  fateOf(id: number): PageFate {
    const row = this.#statements
      .of(
        `SELECT urls.url AS url, urls.state AS state, urls.flags AS flags, pages.status AS status, pages.bytes AS bytes,
           pages.redirect_to AS redirectTo, pages.robots_meta AS robots, bodies.page IS NOT NULL AS isKept
         FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id WHERE urls.id = ?`,
      )
      .get(id)!;
    return { ...row, isKept: row.isKept === 1 };
  }

  pageToConvert(id: number): PageToConvert | null {
    const row = this.#statements
      .of(
        `SELECT urls.url AS url, pages.title AS title, pages.description AS description, pages.lang AS lang,
           pages.canonical AS canonical, pages.etag AS etag, pages.last_modified AS lastModified, pages.fetched_at AS fetchedAt,
           bodies.type AS type, contents.packed AS packed
         FROM urls JOIN pages ON pages.id = urls.id JOIN bodies ON bodies.page = urls.id
           JOIN contents ON contents.id = bodies.content WHERE urls.id = ?`,
      )
      .get(id);
    return (row as PageToConvert | undefined) ?? null;
  }

  /** All that is kept of a page but its bytes, of which `hash` tells whether they are the same; null if they have none, or nothing is kept. */
  keptFactsOf(id: number): KeptFacts | null {
    const row = this.#statements
      .of(
        `SELECT urls.url AS url, pages.title AS title, pages.description AS description, pages.lang AS lang,
           pages.canonical AS canonical, pages.etag AS etag, pages.last_modified AS lastModified, bodies.type AS type,
           hex(contents.hash) AS hash
         FROM urls JOIN pages ON pages.id = urls.id JOIN bodies ON bodies.page = urls.id
           JOIN contents ON contents.id = bodies.content WHERE urls.id = ? AND contents.hash IS NOT NULL`,
      )
      .get(id);
    return (row as KeptFacts | undefined) ?? null;
  }

  /** In the order in which they were answered. */
  *sampledPages(): IterableIterator<SampledPage> {
    for (const { given, ...page } of this.#database
      .prepare(
        `SELECT urls.url AS url, urls.state AS state, pages.redirect_to AS redirectTo, pages.robots_meta AS robots,
           bodies.type AS type, contents.packed AS packed, parents.id IS NULL OR parents.kind = ${UrlKind.sitemap} AS given
         FROM pages JOIN urls ON urls.id = pages.id LEFT JOIN urls AS parents ON parents.id = urls.parent
           LEFT JOIN bodies ON bodies.page = urls.id LEFT JOIN contents ON contents.id = bodies.content
         WHERE urls.kind = ${UrlKind.page} AND urls.state IN (${UrlState.done}, ${UrlState.failed}) ORDER BY pages.seq`,
      )
      .iterate()) {
      yield { ...page, isGiven: given === 1 };
    }
  }

  /** All that redirects. */
  redirects(): IterableIterator<{ id: number; url: string }> {
    return this.#database
      .prepare(
        'SELECT urls.id AS id, urls.url AS url FROM urls JOIN pages ON pages.id = urls.id WHERE pages.redirect_to IS NOT NULL',
      )
      .iterate() as IterableIterator<{ id: number; url: string }>;
  }

  /** Stands for all redirects, by which links know where they lead. */
  redirectsHash(): string {
    const hash = createHash('sha256');
    for (const { id } of this.redirects()) {
      hash.update(`${id} ${this.redirectOf(id)}\n`);
    }
    return hash.digest('hex');
  }

  /** Of pages that belong to these seeds, those that were answered with something to read: what failed or leads elsewhere becomes nothing. */
  countReadable(seeds: readonly number[]): number {
    return this.#database
      .prepare(
        `SELECT count(*) AS n FROM urls JOIN pages ON pages.id = urls.id WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}
           AND pages.redirect_to IS NULL AND urls.seed IN (SELECT value FROM json_each(?))`,
      )
      .get(JSON.stringify(seeds))!.n;
  }

  /** What a page says of its own language, and of the language of others, by URL. */
  languageOf(id: number): { url: string; lang: string | null; hreflang: Record<string, string> } {
    const row = this.#statements
      .of(
        `SELECT urls.url AS url, pages.lang AS lang, pages.hreflang AS hreflang
         FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE urls.id = ?`,
      )
      .get(id)!;
    return { url: row.url, lang: row.lang, hreflang: row.hreflang === null ? {} : JSON.parse(row.hreflang) };
  }

  /** What the pages that are kept show: the ends of their links of this kind. */
  *shownUrls(kind: number): IterableIterator<string> {
    const rows = this.#database
      .prepare(
        `SELECT edges.packed AS packed FROM edges JOIN urls ON urls.id = edges.page JOIN bodies ON bodies.page = urls.id
         WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}`,
      )
      .iterate();
    const told = new Set<number>();
    for (const { packed } of rows) {
      const words = edgesFromBlob(packed);
      for (let i = 0; i < words.length; i += 2) {
        const id = words[i]!;
        if (edgeKind(words[i + 1]!) === kind && !told.has(id)) {
          told.add(id);
          yield this.urlOf(id);
        }
      }
    }
  }

  /** What was loaded beside pages, by its URL, as it came, deflated; null if it was not asked for, `failed` where it could not be had. */
  assetAt(url: string): { packed: Uint8Array; type: string | null } | 'failed' | null {
    const found = this.#statements.of(
      `SELECT urls.id AS id, urls.state AS state, pages.redirect_to AS redirect, bodies.type AS type, contents.packed AS packed
       FROM temp.asset_urls JOIN urls ON urls.id = temp.asset_urls.id LEFT JOIN pages ON pages.id = urls.id
         LEFT JOIN bodies ON bodies.page = urls.id LEFT JOIN contents ON contents.id = bodies.content
       WHERE temp.asset_urls.url = ?`,
    );
    const byId = this.#statements.of('SELECT url FROM urls WHERE id = ?');
    let at: string | null = url;
    for (let hops = 0; at !== null && hops <= MOST_ASSET_HOPS; hops++) {
      const row = found.get(at);
      if (row === undefined) {
        return hops === 0 ? null : 'failed';
      }
      if (row.redirect === null) {
        return row.state === UrlState.done && row.packed !== null && row.packed.length > 0
          ? { packed: row.packed, type: row.type }
          : 'failed';
      }
      at = byId.get(row.redirect)!.url;
    }
    return 'failed';
  }

  /** Makes `assetAt` quick. Returns what stands for all that was loaded beside pages. */
  indexAssets(): string {
    this.#database.exec(
      `CREATE TEMP TABLE asset_urls (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
       INSERT OR REPLACE INTO temp.asset_urls SELECT url, id FROM urls WHERE kind = ${UrlKind.asset} AND state <> ${UrlState.unlisted} ORDER BY id`,
    );
    const hash = createHash('sha256');
    const rows = this.#database
      .prepare(
        `SELECT temp.asset_urls.url AS url, urls.state AS state, pages.hash AS hash FROM temp.asset_urls
         JOIN urls ON urls.id = temp.asset_urls.id LEFT JOIN pages ON pages.id = urls.id ORDER BY temp.asset_urls.url`,
      )
      .iterate();
    for (const row of rows) {
      hash.update(`${row.url} ${row.state} ${row.hash}\n`);
    }
    return hash.digest('hex');
  }

  /** Files in scope of these seeds that are PDF. */
  countPdfs(seeds: readonly number[]): number {
    return this.#database
      .prepare(
        `SELECT count(*) AS n FROM urls JOIN pages ON pages.id = urls.id WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}
           AND pages.content_type LIKE 'application/pdf%' AND urls.seed IN (SELECT value FROM json_each(?))`,
      )
      .get(JSON.stringify(seeds))!.n;
  }

  /** Null if the page gave nothing. */
  titleOf(id: number): { url: string; title: string | null } | null {
    return (
      this.#statements
        .of('SELECT urls.url AS url, pages.title AS title FROM urls JOIN pages ON pages.id = urls.id WHERE urls.id = ?')
        .get(id) ?? null
    );
  }
}
