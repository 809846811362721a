import { mkdirSync } from 'node:fs';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { UrlState } from '../../src/store/url-state.js';

/** Of every ten pages of a made store: done, failed or queued. */
const STATES: readonly UrlState[] = [
  ...Array<UrlState>(7).fill(UrlState.done),
  ...[UrlState.failed, UrlState.queued, UrlState.queued],
];

/** The name of the n-th host, from 1. */
export const hostName = (host: number): string => `host-${String(host).padStart(7, '0')}.example`;

/**
 * A store that no crawl has made: rows as a crawl would leave them, by direct inserts. Page n stands on host 1 + (n - 1) % hosts; every
 * hundredth has a rare word in its title.
 */
export function makeStore(directory: string, hosts: number, pages: number): void {
  mkdirSync(directory, { recursive: true });
  const database = openStoreFile(storePath(directory), { create: true });
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const meta = database.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
  meta.run('command', 'crawl');
  meta.run('options', '{}');
  const host = database.prepare(
    'INSERT INTO hosts (id, name, dispatched, failures, learned_delay_ms, blocked_until) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const origin = database.prepare("INSERT INTO origins (id, origin, host, robots_state) VALUES (?, ?, ?, 'ready')");
  for (let id = 1; id <= hosts; id++) {
    host.run(id, hostName(id), (id * 7919) % 1000, id % 50 === 0 ? 3 : 0, id % 10, 0);
    origin.run(id, `http://${hostName(id)}`, id);
  }
  const url = database.prepare(
    'INSERT INTO urls (id, url, kind, origin, depth, parent, seed, class, state, reason) VALUES (?, ?, 0, ?, ?, NULL, 0, 2, ?, ?)',
  );
  const page = database.prepare(
    'INSERT INTO pages (id, seq, status, title, bytes, ttfb_ms, fetched_at) VALUES (?, ?, ?, ?, 1234, 56, 1700000000000)',
  );
  for (let id = 1; id <= pages; id++) {
    const on = 1 + ((id - 1) % hosts);
    const state = STATES[id % 10]!;
    const isFailed = state === UrlState.failed;
    url.run(id, `http://${hostName(on)}/page/${id}`, on, id % 7, state, isFailed ? 'http_4xx' : null);
    if (state !== UrlState.queued) {
      page.run(
        id,
        id,
        isFailed ? 404 : 200,
        id % 100 === 0 ? `Rare kumquat ${id}` : `Page ${id} <script>alert(1)</script>`,
      );
    }
  }
  database.exec('COMMIT');
  database.close();
}
