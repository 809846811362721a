import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveOptions } from '../src/config/resolve.js';
import { optionsToStore } from '../src/config/stored.js';
import { KeyWriter } from '../src/store/copied-rows.js';
import { openDatabase } from '../src/store/sqlite.js';
import { createTables, writeMeta } from '../src/store/store-file.js';
import { UrlState } from '../src/store/url-state.js';

export interface KeptStoreSize {
  urls: number;
  hosts: number;
  /** Of the URLs, those that were fetched and have links. */
  pages: number;
  linksAPage: number;
}

/** So many URLs before and after a page are what most of its links lead to, as on a site; the others lead anywhere. */
const NEAR = 2_000;

/** Leaves the store of a crawl behind that nobody has made: a finished one, of many hosts. */
export function makeKeptStore(directory: string, { urls, hosts, pages, linksAPage }: KeptStoreSize): void {
  mkdirSync(directory, { recursive: true });
  const database = openDatabase(join(directory, 'crawl.sqlite'));
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  createTables(database);
  database.exec('BEGIN');
  const host = database.prepare('INSERT INTO hosts (id, name) VALUES (?, ?)');
  const origin = database.prepare("INSERT INTO origins (id, origin, host, robots_state) VALUES (?, ?, ?, 'ready')");
  for (let id = 1; id <= hosts; id++) {
    host.run(id, `host-${id}.test`);
    origin.run(id, `http://host-${id}.test`, id);
  }
  const url = database.prepare(
    'INSERT INTO urls (id, url, kind, origin, depth, parent, seed, class, state, reason, attempts) VALUES (?, ?, 0, ?, ?, ?, 0, 2, ?, ?, ?)',
  );
  const page = database.prepare(
    `INSERT INTO pages (id, seq, status, title, content_type, bytes, links, hash, fetched_at, ttfb_ms, total_ms)
     VALUES (?, ?, 200, ?, 'text/html; charset=utf-8', 40000, ?, ?, ?, 20, 30)`,
  );
  const edge = database.prepare('INSERT INTO edges (page, packed, rels, texts) VALUES (?, ?, \'["nofollow"]\', NULL)');
  const keys = new KeyWriter(database);
  const every = Math.max(1, Math.floor(urls / pages));
  let seq = 0;
  for (let id = 1; id <= urls; id++) {
    const place = ((id * 7) % hosts) + 1;
    const text = `http://host-${place}.test/section/${id % 97}/an-article-of-some-length-${id}.html`;
    const isPage = id % every === 0 && seq < pages;
    const parent = id === 1 ? null : Math.max(1, Math.floor(id / 2));
    url.run(
      id,
      text,
      place,
      Math.min(id - 1, 1 + (id % 9)),
      parent,
      isPage ? UrlState.done : UrlState.skipped,
      isPage ? null : 'limit',
      isPage ? 1 : 0,
    );
    const digest = createHash('sha256').update(text).digest();
    keys.write(new Uint32Array(Uint8Array.from(digest.subarray(0, 16)).buffer), id);
    if (isPage) {
      seq++;
      page.run(id, seq, `An article of some length, number ${id}`, linksAPage, digest.toString('hex'), 1.7e12 + seq);
      const words = new Uint32Array(linksAPage * 2);
      for (let link = 0; link < linksAPage; link++) {
        const near = id - NEAR + ((id * 31 + link * 977) % (2 * NEAR));
        words[link * 2] =
          link % 10 === 0 ? 1 + ((id * 7919 + link * 104_729) % urls) : Math.min(urls, Math.max(1, near));
        words[link * 2 + 1] = 32;
      }
      edge.run(id, new Uint8Array(words.buffer));
    }
  }
  keys.end();
  database
    .prepare('INSERT INTO seeds (seed, url, label, scope, fallbacks, scope_urls) VALUES (0, ?, ?, ?, ?, ?)')
    .run('http://host-1.test/', 'host-1.test', 'any', '[]', '["http://host-1.test/"]');
  database.exec("INSERT INTO runs (run, pid, started_at, ended_at, reason) VALUES (1, 1, 1, 2, 'complete')");
  const resolved = resolveOptions({ command: 'crawl', flags: {}, env: {}, configFile: null });
  writeMeta(database, {
    options: JSON.stringify(optionsToStore(resolved, 'crawl')),
    command: 'crawl',
    // Written from the store by whoever goes on with it: nothing of this is measured here.
    ended: JSON.stringify({ reason: 'complete', truncated: null, isWritten: false }),
  });
  database.exec('COMMIT');
  database.close();
}
