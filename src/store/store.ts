import { forgetCookies } from './cookie-gates.js';
import { Reopening } from './reopening.js';
import type { Database, Row } from './sqlite.js';
import type { StoreScope } from './standing.js';
import { type Standing, standingOf } from './standing.js';
import { readCounts, readMeta, readSeeds, writeMeta } from './store-file.js';
import type { BadSeed, HostSnapshot, QueuedUrl, QueueLoad, SeedRow, StoreSnapshot } from './transaction.js';
import { moveAll, UrlMove } from './url-moves.js';
import { QueueClass, Rendering, UNANSWERED_ROBOTS, UrlFlag, UrlKind, UrlState } from './url-state.js';
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
   * again, and `meta` is written with them. Returns how many URLs that are.
   */
  lookAgain(changed: ReadonlySet<string>, inForce: string, meta: Readonly<Record<string, string>> = {}): number {
    this.database.exec('BEGIN IMMEDIATE');
    const queued = new Reopening(this.database, this.#scope).take(changed);
    writeMeta(this.database, { inForce, ...(queued > 0 ? meta : {}) });
    this.database.exec('COMMIT');
    return queued;
  }

  /** Pages that are kept as they came wait for a browser. */
  renderAll(): void {
    this.database.exec(
      `UPDATE bodies SET rendering = ${Rendering.wanted} WHERE rendering IN (${Rendering.none}, ${Rendering.futile}) AND content IS NOT NULL
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
    const isRobots = `kind = ${UrlKind.robots}`;
    const robots = moveAll(database, { from: UrlState.leased, to: UrlState.failed, where: isRobots });
    moveAll(database, { from: UrlState.queued, to: UrlState.failed, where: isRobots });
    const crashes = this.#countCrashes(options.crashed);
    const abandoned =
      this.#giveUp(crashes) +
      (leased === 1
        ? moveAll(database, {
            ...{ from: UrlState.leased, to: UrlState.failed, set: "reason = 'internal'" },
            where: `kind = ${UrlKind.page} AND lost >= ${LOSSES_UNTIL_ABANDONED}`,
          })
        : 0);
    // The lease that was lost is no attempt: a server that fails twice is asked as often as without the kill.
    const refetched = moveAll(database, {
      ...{ from: UrlState.leased, to: UrlState.queued },
      set: `class = ${QueueClass.urgent}, attempts = attempts - 1`,
    });
    writeMeta(this.database, { refetched: String(Number(this.meta().refetched ?? 0) + refetched + robots) });
    if (last?.ended_at === null && this.meta().hostsAreLate !== undefined) {
      this.#countPagesOfHosts();
    }
    // On resume each host that was put off is probed again.
    moveAll(database, { from: UrlState.deferred, to: UrlState.queued, set: 'reason = NULL' });
    database.exec(`UPDATE hosts SET deferred_reason = NULL, parked_until = NULL;
      UPDATE origins SET robots_state = 'unknown' WHERE robots_state IN ('unreachable', 'fetching')
        OR (robots_state = '${UNANSWERED_ROBOTS}'
          AND EXISTS (SELECT 1 FROM urls INDEXED BY urls_queued WHERE urls.state = ${UrlState.queued} AND urls.origin = origins.id))`);
    // Their tries are kept: a robots.txt that was given up is asked for once, to see, and one that is still being tried goes on where it was.
    writeMeta(database, { ended: null });
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
      knownHosts: database.prepare('SELECT max(id) AS id FROM hosts').get()?.id ?? 0,
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
    this.database.exec(
      `UPDATE urls SET lost = ${stuck ? 'lost + 1' : killed ? '1' : '0'} WHERE state = ${UrlState.leased}`,
    );
    return this.database
      .prepare(
        `SELECT count(*) AS leased, count(*) FILTER (WHERE lost >= ?) AS suspects FROM urls WHERE state = ${UrlState.leased}`,
      )
      .get(LOSSES_UNTIL_SUSPECT);
  }

  /** How often each URL that is still under way was being settled when a run broke. */
  #countCrashes(crashed: readonly number[]): Map<number, number> {
    const before = new Map<number, number>(JSON.parse(this.meta().crashes ?? '[]'));
    const isOpen = this.database.prepare(
      `SELECT 1 AS yes FROM urls WHERE id = ? AND state IN (${UrlState.queued}, ${UrlState.leased})`,
    );
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
    const fail = new UrlMove(this.database, {
      ...{ from: [UrlState.queued, UrlState.leased], to: UrlState.failed, set: "reason = 'internal'" },
      where: `kind <> ${UrlKind.robots}`,
    });
    const abandoned = [...crashes].filter(([, count]) => count >= CRASHES_UNTIL_ABANDONED);
    return abandoned.filter(([id]) => fail.try(id)).length;
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

  /** Their rows were not written with each page. */
  #countPagesOfHosts(): void {
    this.database.exec(
      `UPDATE hosts SET dispatched = 0;
       UPDATE hosts SET dispatched = asked.pages FROM (
         SELECT origins.host AS host, count(*) AS pages FROM urls JOIN origins ON origins.id = urls.origin
         WHERE urls.kind = ${UrlKind.page} AND urls.attempts > 0 AND NOT (urls.state = ${UrlState.skipped} AND urls.reason IN ('robots', 'hook')) GROUP BY origins.host
       ) AS asked WHERE asked.host = hosts.id`,
    );
  }

  #lostOfHosts(kind: UrlKind): { host: number; n: number }[] {
    return this.database
      .prepare(
        `SELECT origins.host AS host, count(*) AS n FROM urls JOIN origins ON origins.id = urls.origin
         WHERE urls.state = ${UrlState.leased} AND urls.kind = ? AND urls.attempts = 1 GROUP BY origins.host`,
      )
      .all(kind) as { host: number; n: number }[];
  }

  /** What robots.txt forbade was leased, but never asked for. */
  #seedUse(): [number, number][] {
    return this.database
      .prepare(
        `SELECT seed, count(*) AS urls FROM urls WHERE kind = ${UrlKind.page} AND attempts > 0 AND NOT (state = ${UrlState.skipped} AND reason IN ('robots', 'hook'))
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
           WHERE state = ${UrlState.queued} AND origin = ? AND class = ? AND ${side} LIMIT ?`,
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
        `SELECT DISTINCT host FROM origins
         WHERE id IN (SELECT DISTINCT origin FROM urls INDEXED BY urls_queued WHERE state = ${UrlState.queued})`,
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
