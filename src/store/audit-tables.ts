import { type HostNames, renamedUrl } from './host-names.js';
import { INDEXABLE } from './page-lines.js';
import type { Database, Statement } from './sqlite.js';
import { columnsOfPages } from './store-file.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/**
 * Temporary tables of an audit. They belong to the connection, which may be open for reading only, and go with it: memory does not grow with the
 * crawl or with what is found.
 */

/** In SQL: a page of the site, whatever became of it. */
export const OWN = `urls.kind = ${UrlKind.page} AND (urls.flags & ${UrlFlag.external | UrlFlag.asset}) = 0`;
/** In SQL: an HTML page of the site that answered and does not redirect. */
export const IS_HTML = `${OWN} AND urls.state = ${UrlState.done} AND pages.redirect_to IS NULL AND pages.status BETWEEN 200 AND 299
  AND (pages.content_type LIKE 'text/html%' OR pages.content_type LIKE 'application/xhtml%' OR pages.content_type IS NULL AND pages.title IS NOT NULL)`;
/** In SQL: a sitemap or feed names it. */
export const IN_SITEMAP = `(EXISTS (SELECT 1 FROM sitemap_finds WHERE sitemap_finds.url = urls.id)
  OR EXISTS (SELECT 1 FROM urls AS parents WHERE parents.id = urls.parent AND parents.kind = ${UrlKind.sitemap}))`;

/** Columns of `pages` that an earlier Gossamer did not write. */
const LATER = ['h1_count', 'word_count', 'text_hash', 'images_without_alt', 'hreflang', 'headers'] as const;
export type LaterColumn = (typeof LATER)[number];

/** The pages that rules are about, with no more than they ask for; and the URLs that these name in their heads. */
export function makePageTables(database: Database): void {
  const present = columnsOfPages(database);
  const later = LATER.map((name) => (present.has(name) ? `pages.${name} AS ${name}` : `NULL AS ${name}`)).join(', ');
  database.exec(`
    DROP TABLE IF EXISTS temp.audited;
    CREATE TEMP TABLE audited AS SELECT urls.id AS id, urls.url AS url, urls.origin AS origin, ${INDEXABLE} AS indexable,
      pages.title AS title, pages.description AS description, pages.canonical AS canonical, pages.bytes AS bytes, pages.total_ms AS total_ms,
      pages.hash AS hash, ${later}
    FROM urls JOIN pages ON pages.id = urls.id WHERE ${IS_HTML} ORDER BY urls.id;
    CREATE UNIQUE INDEX temp.audited_id ON audited (id);
    DROP TABLE IF EXISTS temp.languages;
    CREATE TEMP TABLE languages AS SELECT audited.id AS page, each.key AS code, each.value AS url
      FROM temp.audited AS audited, json_each(audited.hreflang) AS each WHERE audited.hreflang IS NOT NULL;
    CREATE INDEX temp.languages_page ON languages (page, url);
    DROP TABLE IF EXISTS temp.named;
    CREATE TEMP TABLE named (url TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
    INSERT OR IGNORE INTO temp.named (url) SELECT canonical FROM temp.audited WHERE canonical <> url;
    INSERT OR IGNORE INTO temp.named (url) SELECT url FROM temp.languages;
    INSERT OR REPLACE INTO temp.named (url, id) SELECT urls.url, urls.id FROM urls
      WHERE urls.kind = ${UrlKind.page} AND urls.url IN (SELECT url FROM temp.named);
  `);
}

/** A place where a rule has found something. */
export interface FoundPlace {
  /** The page that it is about, or on which it stands. */
  page: number;
  /** What it leads to or names, where it does. */
  target?: number | null;
  detail?: string | null;
  /** The text of a link. */
  text?: string | null;
  /** How often it is there. */
  times?: number;
}

/** The same as reports want it. */
export interface NamedPlace {
  /** The page that it is about, or on which it stands. */
  url: string;
  /** What it leads to or names; null if it does neither. */
  target: string | null;
  /** What applies only to this place, such as a status. */
  detail: string | null;
  /** The text of a link; null if it is not a link, or if texts were not kept. */
  text: string | null;
  /** How often it is there. */
  times: number;
}

/** What all rules have found, by the number of the rule. */
export class PlaceTable {
  readonly #database: Database;
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#database = database;
    database.exec(`DROP TABLE IF EXISTS temp.places;
      CREATE TEMP TABLE places (rule INTEGER NOT NULL, page INTEGER NOT NULL, target INTEGER, detail TEXT, text TEXT, times INTEGER NOT NULL);
      BEGIN`);
    this.#insert = database.prepare(
      'INSERT INTO temp.places (rule, page, target, detail, text, times) VALUES (?, ?, ?, ?, ?, ?)',
    );
  }

  add(rule: number, { page, target = null, detail = null, text = null, times = 1 }: FoundPlace): void {
    this.#insert.run(rule, page, target, detail, text, times);
  }

  /** `select` gives page, target, detail and times, in the order in which they are to be listed. */
  addAll(rule: number, select: string): void {
    this.#database.exec(
      `INSERT INTO temp.places (rule, page, target, detail, times) SELECT ${rule}, page, target, detail, times FROM (${select})`,
    );
  }

  /** Nothing more is added. */
  complete(): void {
    this.#database.exec('COMMIT; CREATE INDEX temp.places_rule ON places (rule)');
  }

  /** By rule, how many places it has. */
  counts(): Map<number, number> {
    const rows = this.#database.prepare('SELECT rule, count(*) AS n FROM temp.places GROUP BY rule').all();
    return new Map(rows.map(({ rule, n }) => [rule, n]));
  }

  /** In the order in which they were added. */
  *ofRule(rule: number, from = 0, most = Number.MAX_SAFE_INTEGER): IterableIterator<NamedPlace> {
    const select = this.#database.prepare(
      `SELECT urls.url AS url, targets.url AS target, places.detail AS detail, places.text AS text, places.times AS times
       FROM temp.places AS places JOIN urls ON urls.id = places.page LEFT JOIN urls AS targets ON targets.id = places.target
       WHERE places.rule = ? ORDER BY places.rowid LIMIT ? OFFSET ?`,
    );
    for (const { url, target, detail, text, times } of select.iterate(rule, most, from)) {
      yield { url, target, detail, text, times };
    }
  }
  /**
   * By the bytes of page and target as another crawl would call them, nothing twice. SQLite sorts on disk where they are many.
   *
   * @param isOfSite the page stands for its whole site, and is named by that
   */
  *sorted(rule: number, isOfSite: boolean, names: HostNames): IterableIterator<NamedPlace> {
    const page = isOfSite
      ? `${renamedUrl(this.#database, names, 'sites', 'origin')} || '/'`
      : renamedUrl(this.#database, names, 'urls');
    const target = renamedUrl(this.#database, names, 'targets');
    const select = this.#database.prepare(
      `SELECT ${page} AS url, ${target} AS target, min(places.detail) AS detail, places.text AS text, sum(places.times) AS times
       FROM temp.places AS places JOIN urls ON urls.id = places.page JOIN origins AS sites ON sites.id = urls.origin
         LEFT JOIN urls AS targets ON targets.id = places.target
       WHERE places.rule = ? GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    for (const { url, target, detail, text, times } of select.iterate(rule)) {
      yield { url, target, detail, text, times };
    }
  }
}
