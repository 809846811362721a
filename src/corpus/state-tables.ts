/**
 * state.db in DIR.partial: the pages that were handed over, until the corpus is finished. Each is one transaction, so that a kill loses
 * none that was taken. `run` is the last run that named a page; `duplicate_of` and `path` are worked out when all are there, and what is in
 * `entries` then. What is
 * long of a page is in `contents`: a row is written anew as a whole when a part of it changes. `before` and `tombstones` are what the corpus says that is there already.
 * Nothing waits for the disk: all of it is made of what a crawl keeps, and one that a power cut has damaged is begun anew.
 */
export const STATE_VERSION = 2;

export const STATE_TABLES = `
  PRAGMA synchronous = OFF;
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS pages (
    url TEXT PRIMARY KEY,
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    final_url TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    lang TEXT,
    canonical TEXT,
    etag TEXT,
    last_modified TEXT,
    crawled TEXT NOT NULL,
    hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    text_hash TEXT,
    title_key TEXT NOT NULL,
    duplicate_of TEXT,
    duplicate_kind TEXT,
    path TEXT,
    measure TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS contents (
    url TEXT PRIMARY KEY,
    markdown TEXT NOT NULL,
    text TEXT NOT NULL,
    links TEXT NOT NULL,
    chunks TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pages_by_order ON pages (run, ordinal);
  CREATE INDEX IF NOT EXISTS pages_by_final_url ON pages (final_url);
  CREATE INDEX IF NOT EXISTS pages_by_text ON pages (text_hash);
  CREATE INDEX IF NOT EXISTS pages_by_title ON pages (title_key);
  CREATE INDEX IF NOT EXISTS pages_by_kept ON pages (duplicate_of) WHERE duplicate_of IS NOT NULL;
  CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, url TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS pages_by_path ON pages (path);
  CREATE TABLE IF NOT EXISTS entries (ordinal INTEGER PRIMARY KEY, section TEXT NOT NULL, entry TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tombstones (url TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS before (
    url TEXT PRIMARY KEY,
    entry TEXT NOT NULL,
    line_start INTEGER,
    line_length INTEGER,
    chunks_start INTEGER,
    chunks_length INTEGER
  ) STRICT, WITHOUT ROWID;
`;
