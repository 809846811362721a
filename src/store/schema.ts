import { UNANSWERED } from './url-state.js';

/**
 * The tables of crawl.sqlite. They are documented for readers in docs/STORE.md; a change here changes SCHEMA_VERSION.
 * Times are milliseconds since 1970.
 */
export const SCHEMA_VERSION = 4;
/** What makes a store of each earlier version one of the next. Reading one as it is must go well, too: readers change nothing. */
export const UPGRADES: ReadonlyMap<number, string> = new Map([
  [
    3,
    `ALTER TABLE origins ADD COLUMN robots_tries INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE origins ADD COLUMN robots_retry_at REAL NOT NULL DEFAULT 0;
     ALTER TABLE pages ADD COLUMN note TEXT;
     ALTER TABLE pages ADD COLUMN links_cut INTEGER;
     CREATE TABLE cookies (url INTEGER PRIMARY KEY, set_here TEXT, sent TEXT);
     UPDATE urls SET flags = flags | 16 WHERE kind = 2 AND parent IS NULL
       AND (url LIKE '%/sitemap.xml' OR url LIKE '%/sitemap_index.xml');
     UPDATE hosts SET sitemap_files = 0;
     UPDATE hosts SET sitemap_files = asked.n FROM (
       SELECT origins.host AS host, count(*) AS n FROM urls JOIN origins ON origins.id = urls.origin
       WHERE urls.kind = 2 AND urls.attempts > 0 GROUP BY origins.host) AS asked WHERE hosts.id = asked.host;
     UPDATE hosts SET dispatched = 0;
     UPDATE hosts SET dispatched = asked.n FROM (
       SELECT origins.host AS host, count(*) AS n FROM urls JOIN origins ON origins.id = urls.origin
       WHERE urls.kind = 0 AND urls.attempts > (urls.state = 1) AND urls.reason IS NOT 'robots'
       GROUP BY origins.host) AS asked WHERE hosts.id = asked.host;`,
  ],
]);
/** "GOSS": marks the file as ours, so that a foreign database is refused and not written to. */
export const APPLICATION_ID = 0x474f5353;

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
CREATE INDEX urls_queued ON urls (origin, class, id) WHERE state = 0;
CREATE INDEX urls_leased ON urls (id) WHERE state = 1;
CREATE INDEX urls_deferred ON urls (origin) WHERE state = 5;

CREATE TABLE pages (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  status INTEGER,
  message TEXT,
  redirect_to INTEGER,
  content_type TEXT,
  bytes INTEGER,
  links INTEGER,
  title TEXT,
  description TEXT,
  canonical TEXT,
  lang TEXT,
  robots_meta TEXT,
  hash TEXT,
  last_modified TEXT,
  etag TEXT,
  fetched_at REAL,
  ttfb_ms REAL,
  total_ms REAL,
  malformed TEXT,
  note TEXT,
  links_cut INTEGER
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
  packed BLOB NOT NULL,
  rendering INTEGER NOT NULL DEFAULT 0,
  text INTEGER,
  rendered_text INTEGER
);
CREATE INDEX bodies_to_render ON bodies (page) WHERE rendering = 1;

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
CREATE TABLE keys (first INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE seen (key BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE seeds (
  seed INTEGER PRIMARY KEY, url TEXT NOT NULL, label TEXT NOT NULL, scope TEXT NOT NULL, depth INTEGER, max_urls INTEGER,
  fallbacks TEXT NOT NULL, scope_urls TEXT NOT NULL
);
CREATE TABLE bad_seeds (place TEXT NOT NULL, text TEXT NOT NULL, problem TEXT NOT NULL);

CREATE VIEW results AS
SELECT urls.id AS id, urls.url AS url,
  CASE urls.state WHEN 0 THEN 'queued' WHEN 1 THEN 'leased' WHEN 2 THEN 'done' WHEN 3 THEN 'failed' WHEN 4 THEN 'skipped' ELSE 'deferred' END AS state,
  urls.reason AS reason, pages.status AS status, urls.depth AS depth, parents.url AS parent, pages.title AS title,
  pages.content_type AS content_type, pages.bytes AS bytes, pages.links AS links, pages.hash AS hash, urls.attempts AS attempts
FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN urls AS parents ON parents.id = urls.parent
WHERE urls.kind = 0 AND urls.state <> 6 AND NOT ${UNANSWERED};
`;
