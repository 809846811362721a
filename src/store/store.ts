import { StateError } from '../base/errors.js';
import { forgetCookies } from './cookie-gates.js';
import type { StoreScope } from './rediscovery.js';
import { Reopening } from './reopening.js';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, UPGRADES } from './schema.js';
import { type Database, openDatabase, type Row } from './sqlite.js';
import { type Standing, standingOf } from './standing.js';
import type { BadSeed, HostSnapshot, QueuedUrl, QueueLoad, SeedRow, StoreSnapshot } from './transaction.js';
import { Rendering, UNANSWERED, UNANSWERED_ROBOTS, UrlFlag, UrlKind } from './url-state.js';
import { Writer, type WriterOptions } from './writer.js';

/** A URL that was under way at so many kills in a row, with nothing settled between them, may be what takes the process down. */
const LOSSES_UNTIL_SUSPECT = 2;
/** And one that was, the last time alone, is given up. Many more than it takes to be sure: whoever kills at a bad moment is no proof. */
const LOSSES_UNTIL_ABANDONED = 10;
/** A URL that broke the run from inside so many times is given up: there a run knows what it was settling. */
const CRASHES_UNTIL_ABANDONED = 3;

/** A column for each page would cost a look-up for each URL of a crawl that has none. */
const VALIDATORS = `, (SELECT etag FROM pages WHERE pages.id = urls.id) AS etag,
  (SELECT last_modified FROM pages WHERE pages.id = urls.id) AS lastModified`;

/** SQLite's name for a private temporary database, gone with its connection. */
export const TEMPORARY = '';

/** Opens or creates the file, and refuses what is not a store of ours. Nothing is written to a file that is refused. */
export function openStoreFile(path: string, options: { create: boolean; readOnly?: boolean }): Database {
  let database: Database;
  try {
    database = openDatabase(path, { readOnly: options.readOnly ?? false });
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw new StateError('store_open', `cannot open ${path}: ${(error as Error).message}`, { cause: error });
  }
  try {
    if (options.create) {
      create(database);
    } else {
      const version = verify(database, path);
      if (!options.readOnly) {
        upgrade(database, version);
      }
    }
    if (!options.readOnly) {
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16384',
      );
    }
    return database;
  } catch (error) {
    database.close();
    if (error instanceof StateError) {
      throw error;
    }
    throw new StateError('store_corrupt', `${path} is not a readable store: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function create(database: Database): void {
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(
    `BEGIN; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; ${SCHEMA} COMMIT;`,
  );
}

/** Returns the version of its tables. */
function verify(database: Database, path: string): number {
  const applicationId = database.prepare('PRAGMA application_id').get()?.application_id;
  const version = database.prepare('PRAGMA user_version').get()?.user_version;
  if (applicationId !== APPLICATION_ID) {
    throw new StateError('store_foreign', `${path} is an SQLite file, but not one of Gossamer's; it was left as it is`);
  }
  if (version !== SCHEMA_VERSION && !UPGRADES.has(version)) {
    throw new StateError(
      'store_version',
      `${path} has store version ${version}; this Gossamer reads version ${SCHEMA_VERSION}`,
    );
  }
  const check = database.prepare('PRAGMA quick_check(1)').get();
  const verdict = check === undefined ? 'no answer' : Object.values(check)[0];
  if (verdict !== 'ok') {
    throw new StateError('store_corrupt', `${path} is damaged: ${verdict}`);
  }
  return version;
}

/** A store of an earlier version becomes one of this version, all of it or nothing. Its caller holds the lock. */
function upgrade(database: Database, from: number): void {
  for (let version = from; version < SCHEMA_VERSION; version++) {
    database.exec(`BEGIN IMMEDIATE; ${UPGRADES.get(version)} PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}

/** The store of one crawl, open for its run. */
export class Store {
  readonly database: Database;
  readonly writer: Writer;
  readonly #scope: StoreScope;

  constructor(database: Database, options: WriterOptions) {
    this.database = database;
    this.#scope = options.scope;
    this.writer = new Writer(database, options);
  }

  /**
   * Before a run begins: what earlier ones cut by options that have changed since (their keys), and would not be cut now, is queued
   * again. Returns how many URLs that are.
   */
  lookAgain(changed: ReadonlySet<string>, inForce: string): number {
    this.database.exec('BEGIN IMMEDIATE');
    const queued = new Reopening(this.database, this.#scope).take(changed);
    writeMeta(this.database, {
      inForce,
      // Lines of the streamed file say that they are skipped: it is written anew from the store.
      ...(queued > 0 ? { pagesStream: JSON.stringify({ offset: 0, seq: 0 }) } : {}),
    });
    this.database.exec('COMMIT');
    return queued;
  }

  /** Pages that are kept as they came wait for a browser. */
  renderAll(): void {
    this.database.exec(
      `UPDATE bodies SET rendering = ${Rendering.wanted} WHERE rendering IN (${Rendering.none}, ${Rendering.futile})
         AND (type IS NULL OR type LIKE 'text/html%' OR type LIKE 'application/xhtml%')
         AND page IN (SELECT id FROM urls WHERE kind = ${UrlKind.page})`,
    );
  }

  /** Begins a run: what was leased when the last one ended is queued again, and counted. */
  begin(options: { pid: number; wall: number; hostsInMemory: number; crashed: readonly number[] }): StoreSnapshot {
    const { database } = this;
    const last = database.prepare('SELECT run, ended_at FROM runs ORDER BY run DESC LIMIT 1').get();
    database.exec('BEGIN IMMEDIATE');
    const { leased, suspects } = this.#countLosses(last?.ended_at === null);
    this.#uncountLost();
    // A robots.txt that was being fetched is asked for from the start: its redirects too.
    const robots = Number(database.prepare('UPDATE urls SET state = 3 WHERE state = 1 AND kind = 1').run().changes);
    database.exec('UPDATE urls SET state = 3 WHERE state = 0 AND kind = 1');
    const crashes = this.#countCrashes(options.crashed);
    const abandoned =
      this.#giveUp(crashes) +
      Number(
        database
          .prepare(
            "UPDATE urls SET state = 3, reason = 'internal' WHERE state = 1 AND kind = 0 AND lost >= ? AND ? = 1",
          )
          .run(LOSSES_UNTIL_ABANDONED, leased).changes,
      );
    const refetched = Number(
      // The lease that was lost is no attempt: a server that fails twice is asked as often as without the kill.
      database.prepare('UPDATE urls SET state = 0, class = 0, attempts = attempts - 1 WHERE state = 1').run().changes,
    );
    writeMeta(this.database, { refetched: String(Number(this.meta().refetched ?? 0) + refetched + robots) });
    // On resume each host that was put off is probed again.
    database.exec(`UPDATE urls SET state = 0, reason = NULL WHERE state = 5;
      UPDATE hosts SET deferred_reason = NULL, parked_until = NULL;
      UPDATE origins SET robots_state = 'unknown' WHERE robots_state IN ('unreachable', 'fetching')
        OR (robots_state = '${UNANSWERED_ROBOTS}'
          AND EXISTS (SELECT 1 FROM urls INDEXED BY urls_queued WHERE urls.state = 0 AND urls.origin = origins.id))`);
    // Their tries are kept: a robots.txt that was given up is asked for once, to see, and one that is still being tried goes on where it was.
    database.exec("DELETE FROM meta WHERE key = 'ended'");
    const run = (last?.run ?? 0) + 1;
    database.prepare('INSERT INTO runs (run, pid, started_at) VALUES (?, ?, ?)').run(run, options.pid, options.wall);
    database.exec('COMMIT');
    const { hosts, parkedHosts } = this.#hostsWithWork(options.hostsInMemory);
    return {
      run,
      resumed: last !== undefined,
      refetched: refetched + robots,
      abandoned,
      // One of them broke the run, and alone it will be found.
      suspects: crashes.size > 0 ? refetched : Math.max(0, suspects - abandoned),
      unclean: last !== undefined && last.ended_at === null,
      nextId: (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1,
      nextSeq: (database.prepare('SELECT max(seq) AS seq FROM pages').get()?.seq ?? 0) + 1,
      meta: this.meta(),
      hosts,
      parkedHosts,
      counts: this.counts(),
      bytes: database.prepare('SELECT coalesce(sum(bytes), 0) AS n FROM pages').get()!.n,
      seedUse: this.#seedUse(),
      spilledSegments: JSON.parse(this.meta().spilledSegments ?? '[]'),
      seeds: this.seeds(),
    };
  }

  /** A page that takes the process down keeps the crawl from going on; where pages were settled since, the kill came from elsewhere. */
  #countLosses(killed: boolean): { leased: number; suspects: number } {
    const seq = String(this.writer.lastSeq);
    const stuck = killed && this.meta().seqAtStart === seq;
    writeMeta(this.database, { seqAtStart: seq });
    this.database.exec(`UPDATE urls SET lost = ${stuck ? 'lost + 1' : killed ? '1' : '0'} WHERE state = 1`);
    return this.database
      .prepare('SELECT count(*) AS leased, count(*) FILTER (WHERE lost >= ?) AS suspects FROM urls WHERE state = 1')
      .get(LOSSES_UNTIL_SUSPECT);
  }

  /** How often each URL that is still under way was being settled when a run broke. */
  #countCrashes(crashed: readonly number[]): Map<number, number> {
    const before = new Map<number, number>(JSON.parse(this.meta().crashes ?? '[]'));
    const isOpen = this.database.prepare('SELECT 1 AS yes FROM urls WHERE id = ? AND state IN (0, 1)');
    const counts = new Map([...before].filter(([id]) => isOpen.get(id) !== undefined));
    for (const id of crashed) {
      if (isOpen.get(id) !== undefined) {
        counts.set(id, (before.get(id) ?? 0) + 1);
      }
    }
    writeMeta(this.database, { crashes: JSON.stringify([...counts]) });
    return counts;
  }

  #giveUp(crashes: ReadonlyMap<number, number>): number {
    const fail = this.database.prepare(
      `UPDATE urls SET state = 3, reason = 'internal' WHERE id = ? AND state IN (0, 1) AND kind <> ${UrlKind.robots}`,
    );
    const abandoned = [...crashes].filter(([, count]) => count >= CRASHES_UNTIL_ABANDONED);
    return abandoned.reduce((sum, [id]) => sum + Number(fail.run(id).changes), 0);
  }

  /** What was leased for the first time and lost is counted when it is leased again: limits count URLs, not leases. */
  #uncountLost(): void {
    // The row of a host does not count its pages before they are settled.
    const lost = this.#lostOfHosts(UrlKind.page).reduce((sum, { n }) => sum + n, 0);
    for (const { host, n } of this.#lostOfHosts(UrlKind.sitemap)) {
      this.database.prepare('UPDATE hosts SET sitemap_files = max(0, sitemap_files - ?) WHERE id = ?').run(n, host);
    }
    writeMeta(this.database, { dispatched: String(Math.max(0, Number(this.meta().dispatched ?? 0) - lost)) });
  }

  #lostOfHosts(kind: UrlKind): { host: number; n: number }[] {
    return this.database
      .prepare(
        `SELECT origins.host AS host, count(*) AS n FROM urls JOIN origins ON origins.id = urls.origin
         WHERE urls.state = 1 AND urls.kind = ? AND urls.attempts = 1 GROUP BY origins.host`,
      )
      .all(kind) as { host: number; n: number }[];
  }

  /** What robots.txt forbade was leased, but never asked for. */
  #seedUse(): [number, number][] {
    return this.database
      .prepare(
        `SELECT seed, count(*) AS urls FROM urls WHERE kind = 0 AND attempts > 0 AND reason IS NOT 'robots'
           AND seed IN (SELECT seed FROM seeds WHERE max_urls IS NOT NULL) GROUP BY seed`,
      )
      .all()
      .map(({ seed, urls }) => [seed, urls]);
  }

  end(reason: string, wall: number): void {
    this.database.prepare('UPDATE runs SET ended_at = ?, reason = ? WHERE ended_at IS NULL').run(wall, reason);
    forgetCookies(this.database);
  }

  addSeeds(seeds: SeedRow[], bad: BadSeed[]): void {
    const insert = this.database.prepare(
      'INSERT INTO seeds (seed, url, label, scope, depth, max_urls, fallbacks, scope_urls) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.database.exec('BEGIN IMMEDIATE');
    for (const seed of seeds) {
      const { fallbacks, scopeUrls } = seed;
      insert.run(
        seed.seed,
        seed.url,
        seed.label,
        seed.scope,
        seed.depth,
        seed.maxUrls,
        JSON.stringify(fallbacks),
        JSON.stringify(scopeUrls),
      );
    }
    const insertBad = this.database.prepare('INSERT INTO bad_seeds (place, text, problem) VALUES (?, ?, ?)');
    for (const { place, text, problem } of bad) {
      insertBad.run(place, text, problem);
    }
    this.database.exec('COMMIT');
  }

  seeds(): SeedRow[] {
    return readSeeds(this.database);
  }

  setMeta(values: Record<string, string>): void {
    this.database.exec('BEGIN IMMEDIATE');
    writeMeta(this.database, values);
    this.database.exec('COMMIT');
  }

  meta(): Record<string, string> {
    return readMeta(this.database);
  }

  /** Pages by state; `open` counts all that is queued, sitemaps and candidates too. */
  counts(): Record<string, number> {
    return readCounts(this.database);
  }

  /** All keys with what is known of how their URLs are led to, for the table in memory. */
  eachKey(take: (key: Uint32Array, id: number, depth: number, standing: Standing) => void): void {
    const depths = this.database.prepare('SELECT id, depth, state, reason, flags FROM urls ORDER BY id').iterate();
    let row: Row | undefined = depths.next().value;
    for (const { packed } of this.database.prepare('SELECT packed FROM keys ORDER BY first').iterate()) {
      const words = new Uint32Array(packed.byteLength >> 2);
      new Uint8Array(words.buffer).set(packed);
      for (let i = 0; i < words.length; i += 5) {
        const id = words[i + 4]!;
        while (row !== undefined && row.id < id) {
          row = depths.next().value;
        }
        if (row?.id === id) {
          take(words.subarray(i, i + 4), id, row.depth, standingOf(row as Parameters<typeof standingOf>[0]));
        }
      }
    }
  }

  loadQueue(loads: QueueLoad[]): QueuedUrl[][] {
    return loads.map((load) => {
      const side = load.newestFirst ? 'id < ? ORDER BY id DESC' : 'id > ? ORDER BY id';
      const rows = this.database
        .prepare(
          `SELECT id, url, kind, depth, seed, class, attempts, not_before AS notBefore, hops, flags${load.renews ? VALIDATORS : ''}
           FROM urls INDEXED BY urls_queued
           WHERE state = 0 AND origin = ? AND class = ? AND ${side} LIMIT ?`,
        )
        .all(load.origin, load.class, load.beyond, load.limit);
      return rows.map((row) => this.#withCookie(row as QueuedUrl));
    });
  }

  #withCookie(row: QueuedUrl): QueuedUrl {
    return (row.flags & UrlFlag.gate) === 0
      ? row
      : { ...row, cookie: this.database.prepare('SELECT sent FROM cookies WHERE url = ?').get(row.id)?.sent ?? null };
  }

  loadDue(wall: number, limit: number): { hosts: HostSnapshot[]; nextDue: number | null; parked: number } {
    return this.writer.hosts.due(wall, limit);
  }

  close(): void {
    try {
      // What was deleted for good must not stand in the log.
      this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Somebody still reads: the log goes with the last who does.
    }
    this.database.close();
  }

  #hostsWithWork(limit: number): { hosts: HostSnapshot[]; parkedHosts: number } {
    const rows = this.database
      .prepare(
        'SELECT DISTINCT host FROM origins WHERE id IN (SELECT DISTINCT origin FROM urls INDEXED BY urls_queued WHERE state = 0)',
      )
      .all();
    const hosts = rows.slice(0, limit).map((row) => this.writer.hosts.snapshot(row.host));
    const rest = rows.slice(limit);
    const park = this.database.prepare(
      'UPDATE hosts SET parked_until = max(next_allowed_at, blocked_until) WHERE id = ?',
    );
    this.database.exec('BEGIN IMMEDIATE');
    for (const row of rest) {
      park.run(row.host);
    }
    this.database.exec('COMMIT');
    return { hosts, parkedHosts: rest.length };
  }
}

/** Its caller has begun a transaction. */
export function writeMeta(database: Database, values: Readonly<Record<string, string>>): void {
  const set = database.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  for (const [key, value] of Object.entries(values)) {
    set.run(key, value);
  }
}

export function readMeta(database: Database): Record<string, string> {
  return Object.fromEntries(
    database
      .prepare('SELECT key, value FROM meta')
      .all()
      .map((row) => [row.key, row.value]),
  );
}

export function readSeeds(database: Database): SeedRow[] {
  return database
    .prepare('SELECT * FROM seeds ORDER BY seed')
    .all()
    .map((row) => ({
      seed: row.seed,
      url: row.url,
      label: row.label,
      scope: row.scope,
      depth: row.depth,
      maxUrls: row.max_urls,
      fallbacks: JSON.parse(row.fallbacks),
      scopeUrls: JSON.parse(row.scope_urls),
    }));
}

export function readCounts(database: Database): Record<string, number> {
  const open = database.prepare('SELECT count(*) AS n FROM urls INDEXED BY urls_queued WHERE state = 0').get()!.n;
  const counts: Record<string, number> = { open, queued: 0, leased: 0, done: 0, failed: 0, skipped: 0, deferred: 0 };
  const names = ['queued', 'leased', 'done', 'failed', 'skipped', 'deferred'];
  for (const row of database
    .prepare(`SELECT state, count(*) AS n FROM urls WHERE kind = 0 AND state <> 6 AND NOT ${UNANSWERED} GROUP BY state`)
    .iterate()) {
    counts[names[row.state]!] = row.n;
  }
  return counts;
}

export type { StoreScope };
