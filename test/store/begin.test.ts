import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Reader } from '../../src/store/reader.js';
import { SCHEMA_VERSION } from '../../src/store/schema.js';
import type { Database } from '../../src/store/sqlite.js';
import { Standing } from '../../src/store/standing.js';
import type { Store } from '../../src/store/store.js';
import { openStoreFile, TEMPORARY } from '../../src/store/store-file.js';
import type { Transaction } from '../../src/store/transaction.js';
import { UrlKind, UrlState } from '../../src/store/url-state.js';
import { ATTEMPT, begin, newUrl, reopen, settled, temporaryFolder, transaction, urlRow } from './support.js';

describe('a run that begins where another was killed', () => {
  let path: string;
  let store: Store;

  const commit = (fields: Partial<Transaction>) => store.writer.commit(transaction(fields));
  const row = (id: number) => urlRow(store.database, id);
  /** The process is gone: nothing more is written, and another one opens the file. */
  const killed = () => {
    store.close();
    store = reopen(path);
    return begin(store);
  };

  beforeEach(() => {
    path = join(temporaryFolder(), 'crawl.sqlite');
    openStoreFile(path, { create: true }).close();
    store = reopen(path);
    begin(store);
    commit({ newUrls: [1, 2, 3, 4].map((id) => newUrl(id, `http://h${id}.test/`)) });
    return () => store.close();
  });

  it('goes on with a store of the version before, which readers take as it is', () => {
    commit({ leased: [2] });
    store.database.exec(`UPDATE hosts SET dispatched = 7; UPDATE urls SET attempts = 1 WHERE id = 3; UPDATE origins SET robots_state = 'unreachable', robots_rules = 'kept';
      ALTER TABLE origins DROP COLUMN robots_tries; ALTER TABLE origins DROP COLUMN robots_retry_at;
      ALTER TABLE pages DROP COLUMN note; ALTER TABLE pages DROP COLUMN links_cut; ALTER TABLE pages DROP COLUMN h1;
      ALTER TABLE pages DROP COLUMN word_count; ALTER TABLE pages DROP COLUMN data; ${[
        'h1_count',
        'images',
        'images_without_alt',
        'text_hash',
        'sketch',
        'hreflang',
        'headers',
        'extras',
        'feeds',
        'folded_text_hash',
        'found',
      ]
        .map((column) => `ALTER TABLE pages DROP COLUMN ${column};`)
        .join('')}
      DROP TABLE cookies; DROP TABLE contents; DROP TABLE bodies; DROP TABLE outbox; DROP TABLE peers;
      CREATE TABLE bodies (page INTEGER PRIMARY KEY, type TEXT, packed BLOB NOT NULL, rendering INTEGER NOT NULL DEFAULT 0, text INTEGER, rendered_text INTEGER);
      CREATE INDEX bodies_to_render ON bodies (page) WHERE rendering = 1;
      INSERT INTO bodies (page, type, packed, text) VALUES (1, 'text/html', x'0300', 7), (2, NULL, x'', NULL);
      PRAGMA user_version = 3`);
    const version = (database: Database) => database.prepare('PRAGMA user_version').get()!.user_version;
    const reader = openStoreFile(path, { create: false, readOnly: true });
    expect([version(reader), new Reader(reader).counts().leased]).toEqual([3, 1]);
    expect([[...new Reader(reader).pages()], new Reader(reader).cutLinks()]).toEqual([[], { pages: 0, links: 0 }]);
    reader.close();
    const { hosts } = killed();
    expect(version(store.database)).toBe(SCHEMA_VERSION);
    const counted = store.database.prepare('SELECT dispatched FROM hosts ORDER BY name').all();
    expect(counted.map(({ dispatched }) => dispatched)).toEqual([0, 0, 1, 0]);
    expect(hosts[0]!.origins[0]!.row).toMatchObject({
      ...{ robotsState: 'unknown', robotsRules: 'kept', robotsTries: 0, robotsRetryAt: 0 },
    });
    const columns = (database: Database) =>
      ['origins', 'pages', 'cookies', 'contents', 'outbox', 'peers'].map((table) =>
        database.prepare(`PRAGMA table_info(${table})`).all(),
      );
    const fresh = openStoreFile(TEMPORARY, { create: true });
    expect(columns(store.database)).toEqual(columns(fresh));
    const bodies = store.database.prepare(
      'SELECT page, type, hex(packed) AS packed, hash, text FROM bodies LEFT JOIN contents ON contents.id = content ORDER BY page',
    );
    expect(bodies.all().map((body) => ({ ...body }))).toEqual([
      { page: 1, type: 'text/html', packed: '0300', hash: null, text: 7 },
      { page: 2, type: null, packed: '', hash: null, text: null },
    ]);
    fresh.close();
  });

  it('queues again what was leased, before all others, and counts it over all runs', () => {
    commit({ leased: [2, 3] });
    expect(killed()).toMatchObject({ resumed: true, unclean: true, refetched: 2, abandoned: 0, nextId: 5 });
    expect([1, 2, 3].map((id) => [row(id).state, row(id).class])).toEqual([
      ['queued', 2],
      ['queued', 0],
      ['queued', 0],
    ]);
    commit({ leased: [1, 2] });
    expect(killed().meta.refetched).toBe('4');
  });

  it('does not take the lost lease for an attempt: a server that fails twice is asked as often as without the kill', () => {
    commit({ leased: [1] });
    commit({ settled: [settled(1, { retry: { notBefore: 0, flags: 0, attempt: ATTEMPT } })] });
    commit({ leased: [1] });
    expect(row(1).attempts).toBe(2);
    killed();
    expect(row(1).attempts).toBe(1);
  });

  it('does not count what it leases again twice towards the limits', () => {
    const url = 'http://h1.test/';
    const seed = { seed: 0, url, label: url, scope: 'any', depth: null, maxUrls: 10, fallbacks: [], scopeUrls: [url] };
    store.addSeeds([seed], []);
    commit({ leased: [1, 2], meta: { dispatched: '2' } });
    commit({ settled: [settled(2)] });
    const { meta, seedUse } = killed();
    expect([meta.dispatched, seedUse]).toEqual(['1', [[0, 1]]]);
  });

  it('suspects what was under way at two kills with nothing settled between them, and gives nothing up for that', () => {
    for (const suspects of [0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]) {
      commit({ leased: [1, 2, 3] });
      expect(killed()).toMatchObject({ refetched: 3, abandoned: 0, suspects });
    }
  });

  it('gives up a URL that was under way at ten kills in a row, alone, and nothing settled meanwhile', () => {
    for (let kill = 1; kill < 10; kill++) {
      commit({ leased: [1] });
      expect(killed()).toMatchObject({ refetched: 1, abandoned: 0, suspects: kill < 2 ? 0 : 1 });
    }
    commit({ leased: [1] });
    expect(killed()).toMatchObject({ refetched: 0, abandoned: 1, suspects: 0 });
    expect(row(1)).toMatchObject({ state: 'failed', reason: 'internal' });
  });

  it('gives up a URL that broke three runs from inside, and fetches what was under way with it one at a time', () => {
    const broken = (crashed: number[]) => {
      store.end('error', 5_000);
      store.close();
      store = reopen(path);
      return begin(store, 100, crashed);
    };
    commit({ leased: [1, 2, 3] });
    expect(broken([1, 2])).toMatchObject({ refetched: 3, abandoned: 0, suspects: 3 });
    commit({ leased: [1] });
    expect(broken([1])).toMatchObject({ refetched: 1, abandoned: 0, suspects: 1 });
    commit({ leased: [2] });
    commit({ settled: [settled(2)] });
    commit({ leased: [1] });
    expect(broken([1])).toMatchObject({ refetched: 0, abandoned: 1, suspects: 0 });
    expect([1, 2, 3].map((id) => [row(id).state, row(id).reason])).toEqual([
      ['failed', 'internal'],
      ['done', null],
      ['queued', null],
    ]);
    expect(broken([])).toMatchObject({ suspects: 0 });
  });

  it('suspects none that was only there while the crawl went on, or when it was stopped', () => {
    for (const other of [2, 3]) {
      commit({ leased: [1, other] });
      commit({ settled: [settled(other)] });
      expect(killed()).toMatchObject({ refetched: 1, suspects: 0 });
    }
    for (let stop = 0; stop < 3; stop++) {
      commit({ leased: [1] });
      store.end('interrupted', 5_000);
      expect(killed()).toMatchObject({ refetched: 1, suspects: 0 });
    }
  });

  it('asks for robots.txt from the start, its redirects too, and for those that had not been reached', () => {
    const robots = { kind: UrlKind.robots, state: UrlState.leased };
    commit({
      newUrls: [
        newUrl(5, 'http://h1.test/robots.txt', robots),
        newUrl(6, 'http://h2.test/moved', { kind: UrlKind.robots }),
      ],
    });
    store.database.exec(
      "UPDATE origins SET robots_state = 'fetching' WHERE id = 1; UPDATE origins SET robots_state = 'unreachable' WHERE id = 2",
    );
    const { refetched, hosts } = killed();
    expect(refetched).toBe(1);
    expect([5, 6].map((id) => row(id).state)).toEqual(['failed', 'failed']);
    expect(hosts.flatMap(({ origins }) => origins.map((each) => each.row.robotsState))).toEqual(
      Array(4).fill('unknown'),
    );
  });

  it('tries again what was deferred, and leaves what is settled alone', () => {
    commit({ leased: [1, 2] });
    commit({ settled: [settled(1), settled(2, { state: UrlState.failed, reason: 'timeout' })] });
    commit({ bulk: [{ host: null, origin: 3, from: UrlState.queued, to: UrlState.deferred, reason: 'backoff' }] });
    const { counts, hosts } = killed();
    expect([1, 2, 3, 4].map((id) => row(id).state)).toEqual(['done', 'failed', 'queued', 'queued']);
    expect(counts).toMatchObject({ open: 2, done: 1, failed: 1, deferred: 0 });
    expect(hosts.map(({ host }) => host.name)).toEqual(['h3.test', 'h4.test']);
  });

  it('knows whether the run before ended by itself: then no host has to wait', () => {
    commit({ leased: [1] });
    store.end('interrupted', 5_000);
    expect(killed()).toMatchObject({ unclean: false, refetched: 1 });
    expect(killed()).toMatchObject({ unclean: true, refetched: 0 });
  });

  it('leaves hosts beyond its memory on disk, each due when it may be asked', () => {
    store.database.exec('UPDATE hosts SET next_allowed_at = 10 * id, blocked_until = 0');
    store.close();
    store = reopen(path);
    const { hosts, parkedHosts } = begin(store, 1);
    expect([hosts.length, parkedHosts]).toEqual([1, 3]);
    expect(store.loadDue(20, 10).hosts).toHaveLength(1);
    const rest = store.loadDue(1_000, 1);
    expect([rest.hosts.length, rest.nextDue, rest.parked]).toEqual([1, 40, 1]);
  });

  it('has every key with the depth its URL has now', () => {
    commit({
      found: [{ id: 2, depth: 0, standing: Standing.followed, parent: null }],
      newUrls: [newUrl(5, 'http://h5.test/', { state: UrlState.unlisted, reason: 'scope' })],
    });
    killed();
    const keys: [number, number, Standing][] = [];
    store.eachKey((_key, id, depth, standing) => keys.push([id, depth, standing]));
    expect(keys).toEqual([
      [1, 1, Standing.followed],
      [2, 0, Standing.followed],
      [3, 1, Standing.followed],
      [4, 1, Standing.followed],
      [5, 1, Standing.end],
    ]);
  });
});
