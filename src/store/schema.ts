import { GIVEN_TABLE } from './given-data.js';
import { OUTBOX_TABLES } from './outbox-tables.js';
import { pageColumns } from './page-fields.js';
import { Rendering, STATE_NAMES, UNANSWERED, UrlFlag, UrlKind, UrlState } from './url-state.js';

/**
 * The tables of crawl.sqlite. They are documented for readers in docs/STORE.md; a change here changes SCHEMA_VERSION, but for fields of a page:
 * a store that lacks their columns is read as if they were NULL, and gets them when it is written to; so it is with the table `given`.
 * Times are milliseconds since 1970.
 */
export const SCHEMA_VERSION = 6;
/** What makes a store of each earlier version one of the next. Reading one as it is must go well, too: readers change nothing. */
export const UPGRADES: ReadonlyMap<number, string> = new Map([
  [
    3,
    `ALTER TABLE origins ADD COLUMN robots_tries INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE origins ADD COLUMN robots_retry_at REAL NOT NULL DEFAULT 0;
     CREATE TABLE cookies (url INTEGER PRIMARY KEY, set_here TEXT, sent TEXT);
     UPDATE urls SET flags = flags | ${UrlFlag.candidate} WHERE kind = ${UrlKind.sitemap} AND parent IS NULL
       AND (url LIKE '%/sitemap.xml' OR url LIKE '%/sitemap_index.xml');
     UPDATE hosts SET sitemap_files = 0;
     UPDATE hosts SET sitemap_files = asked.n FROM (
       SELECT origins.host AS host, count(*) AS n FROM urls JOIN origins ON origins.id = urls.origin
       WHERE urls.kind = ${UrlKind.sitemap} AND urls.attempts > 0 GROUP BY origins.host) AS asked WHERE hosts.id = asked.host;
     UPDATE hosts SET dispatched = 0;
     UPDATE hosts SET dispatched = asked.n FROM (
       SELECT origins.host AS host, count(*) AS n FROM urls JOIN origins ON origins.id = urls.origin
       WHERE urls.kind = ${UrlKind.page} AND urls.attempts > (urls.state = ${UrlState.leased}) AND urls.reason IS NOT 'robots'
       GROUP BY origins.host) AS asked WHERE hosts.id = asked.host;`,
  ],
  [
    // Nobody knows the hashes of these bodies: each stays with its own page.
    4,
    `CREATE TABLE contents (id INTEGER PRIMARY KEY, hash BLOB UNIQUE, packed BLOB NOT NULL);
     INSERT INTO contents (id, packed) SELECT page, packed FROM bodies WHERE length(packed) > 0;
     ALTER TABLE bodies ADD COLUMN content INTEGER;
     ALTER TABLE bodies ADD COLUMN answer TEXT;
     UPDATE bodies SET content = page WHERE length(packed) > 0;
     ALTER TABLE bodies DROP COLUMN packed;
     CREATE INDEX bodies_content ON bodies (content) WHERE content IS NOT NULL;`,
  ],
  [5, OUTBOX_TABLES],
]);
/** What gives the `pages` of an earlier store, which has these columns, those that it lacks. */
export const missingPageColumns = (present: ReadonlySet<string>): string =>
  pageColumns()
    .filter((column) => !present.has(column.slice(0, column.indexOf(' '))))
    .map((column) => `ALTER TABLE pages ADD COLUMN ${column};`)
    .join('');
/** "GOSS": marks the file as ours, so that a foreign database is refused and not written to. */
export const APPLICATION_ID = 0x474f5353;

const NAMED_STATES = STATE_NAMES.slice(0, UrlState.deferred)
  .map((name) => `WHEN ${UrlState[name]} THEN '${name}'`)
  .join(' ');

export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE runs (
  run INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL,
  reason TEXT
);

CREATE TABLE hosts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  next_allowed_at REAL NOT NULL DEFAULT 0,
  blocked_until REAL NOT NULL DEFAULT 0,
  block_reason TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  tuned_limit REAL,
  learned_delay_ms REAL NOT NULL DEFAULT 0,
  dispatched INTEGER NOT NULL DEFAULT 0,
  sitemap_files INTEGER NOT NULL DEFAULT 0,
  deferred_reason TEXT,
  address TEXT,
  parked_until REAL
);
CREATE INDEX hosts_parked ON hosts (parked_until) WHERE parked_until IS NOT NULL;

CREATE TABLE origins (
  id INTEGER PRIMARY KEY,
  origin TEXT NOT NULL UNIQUE,
  host INTEGER NOT NULL,
  robots_id INTEGER,
  robots_state TEXT NOT NULL DEFAULT 'unknown',
  robots_rules TEXT,
  robots_at REAL,
  robots_expires_at REAL,
  crawl_delay_ms REAL,
  sitemaps_sought INTEGER NOT NULL DEFAULT 0,
  robots_tries INTEGER NOT NULL DEFAULT 0,
  robots_retry_at REAL NOT NULL DEFAULT 0
);
CREATE INDEX origins_host ON origins (host);

CREATE TABLE urls (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  kind INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  depth INTEGER NOT NULL,
  parent INTEGER,
  seed INTEGER NOT NULL,
  class INTEGER NOT NULL,
  state INTEGER NOT NULL,
  reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  lost INTEGER NOT NULL DEFAULT 0,
  not_before REAL NOT NULL DEFAULT 0,
  hops INTEGER NOT NULL DEFAULT 0,
  flags INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX urls_queued ON urls (origin, class, id) WHERE state = ${UrlState.queued};
CREATE INDEX urls_leased ON urls (id) WHERE state = ${UrlState.leased};
CREATE INDEX urls_deferred ON urls (origin) WHERE state = ${UrlState.deferred};

CREATE TABLE pages (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  redirect_to INTEGER,
  ${pageColumns().join(',\n  ')}
);

CREATE TABLE edges (
  page INTEGER PRIMARY KEY,
  packed BLOB NOT NULL,
  rels TEXT,
  texts TEXT
);

CREATE TABLE link_facts (
  page INTEGER PRIMARY KEY,
  hrefs TEXT,
  places BLOB,
  anchors BLOB,
  headers TEXT,
  text_hash INTEGER
);

CREATE TABLE bodies (
  page INTEGER PRIMARY KEY,
  type TEXT,
  content INTEGER,
  answer TEXT,
  rendering INTEGER NOT NULL DEFAULT 0,
  text INTEGER,
  rendered_text INTEGER
);
CREATE INDEX bodies_content ON bodies (content) WHERE content IS NOT NULL;
CREATE TABLE contents (id INTEGER PRIMARY KEY, hash BLOB UNIQUE, packed BLOB NOT NULL);
CREATE INDEX bodies_to_render ON bodies (page) WHERE rendering = ${Rendering.wanted};

CREATE TABLE attempts (
  url INTEGER NOT NULL,
  look INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  at REAL NOT NULL,
  status INTEGER,
  reason TEXT,
  message TEXT,
  PRIMARY KEY (url, look, attempt)
) WITHOUT ROWID;

CREATE TABLE traps (trap INTEGER PRIMARY KEY, pattern TEXT NOT NULL UNIQUE, cause TEXT NOT NULL);
CREATE TABLE trapped (trap INTEGER NOT NULL, url INTEGER NOT NULL, PRIMARY KEY (trap, url)) WITHOUT ROWID;
CREATE TABLE sitemap_finds (url INTEGER PRIMARY KEY, sitemap INTEGER NOT NULL);

CREATE TABLE cookies (url INTEGER PRIMARY KEY, set_here TEXT, sent TEXT);
${GIVEN_TABLE}
${OUTBOX_TABLES}
CREATE TABLE keys (first INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE seen (key BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE seeds (
  seed INTEGER PRIMARY KEY, url TEXT NOT NULL, label TEXT NOT NULL, scope TEXT NOT NULL, depth INTEGER, max_urls INTEGER,
  fallbacks TEXT NOT NULL, scope_urls TEXT NOT NULL
);
CREATE TABLE bad_seeds (place TEXT NOT NULL, text TEXT NOT NULL, problem TEXT NOT NULL);

CREATE VIEW results AS
SELECT urls.id AS id, urls.url AS url,
  CASE urls.state ${NAMED_STATES} ELSE 'deferred' END AS state,
  urls.reason AS reason, pages.status AS status, urls.depth AS depth, parents.url AS parent, pages.title AS title,
  pages.content_type AS content_type, pages.bytes AS bytes, pages.links AS links, pages.hash AS hash, urls.attempts AS attempts
FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN urls AS parents ON parents.id = urls.parent
WHERE urls.kind = ${UrlKind.page} AND urls.state <> ${UrlState.unlisted} AND NOT ${UNANSWERED};
`;
