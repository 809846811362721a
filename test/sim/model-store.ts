import { Standing } from '../../src/store/standing.js';
import type {
  BulkMove,
  CommitAnswer,
  HostSnapshot,
  NewUrl,
  QueuedUrl,
  QueueLoad,
  SettledUrl,
  StorePort,
  StoreSnapshot,
  Transaction,
} from '../../src/store/transaction.js';
import { QueueClass, UrlFlag, UrlKind, UrlState } from '../../src/store/url-state.js';
import { type ModelHost, ModelTables, type ModelUrl } from './model-tables.js';
import type { VirtualClock } from './virtual-clock.js';

/** Told of each transaction when it is handed over, and when it is durable. */
export interface StoreListener {
  submitted(transaction: Transaction): void;
  committed(transaction: Transaction): void;
}

/** How long the store takes for so many rows, at that time. */
export type StoreLatency = (rows: number, at: number) => number;

/** 200 rows 2 ms, 2,000 rows 15 ms: what SQLite with a synchronous log takes. */
export const diskLatency: StoreLatency = (rows) => 0.5 + rows * 0.0073;
export const noLatency: StoreLatency = () => 0;

export const EMPTY_SNAPSHOT: StoreSnapshot = {
  run: 1,
  resumed: false,
  refetched: 0,
  abandoned: 0,
  suspects: 0,
  nextId: 1,
  nextSeq: 1,
  unclean: false,
  meta: {},
  hosts: [],
  parkedHosts: 0,
  counts: {},
  bytes: 0,
  seedUse: [],
  spilledSegments: [],
  seeds: [],
};

const LEASED_FROM = [UrlState.queued];
/** It is asked again when its time is over. */
const ROBOTS_LEASED_FROM = [UrlState.queued, UrlState.done, UrlState.failed];

/**
 * The store as a model: in memory, with the answers of the real one, after a time. It refuses every move that is not legal, a
 * URL that is leased twice and one that is settled for good twice.
 */
export class ModelStore implements StorePort {
  readonly tables: ModelTables;
  readonly #clock: VirtualClock;
  readonly #latency: StoreLatency;
  readonly #listener: StoreListener;
  /** By kind: a sitemap that is also linked as a page is another URL. */
  readonly #ids: Record<UrlKind, Map<string, number>> = [new Map(), new Map(), new Map(), new Map(), new Map()];
  readonly #patterns = new Set<string>();
  #busyUntil = 0;

  constructor(
    clock: VirtualClock,
    latency: StoreLatency,
    delayMsFor: (hostName: string) => number,
    listener: StoreListener,
  ) {
    this.tables = new ModelTables(delayMsFor);
    this.#clock = clock;
    this.#latency = latency;
    this.#listener = listener;
  }

  commit(transaction: Transaction): Promise<CommitAnswer> {
    this.#listener.submitted(transaction);
    const { newUrls, settled, leased, hosts, origins, skipped } = transaction;
    const rows = newUrls.length + settled.length + leased.length + hosts.length + origins.length + skipped.length;
    return this.#later(rows, (commitMs) => {
      const answer = { ...this.#apply(transaction), commitMs };
      this.#listener.committed(transaction);
      return answer;
    });
  }

  loadQueue(loads: QueueLoad[]): Promise<QueuedUrl[][]> {
    return this.#later(loads.length, () => loads.map((load) => this.#load(load)));
  }

  loadDue(wall: number, limit: number): Promise<{ hosts: HostSnapshot[]; nextDue: number | null; parked: number }> {
    return this.#later(limit, () => {
      const untilOf = (host: ModelHost) => host.row.parkedUntil ?? Number.POSITIVE_INFINITY;
      const parked = this.tables.hosts.filter((host) => host.row.parkedUntil !== null);
      const due = parked.filter((host) => untilOf(host) <= wall).sort((a, b) => untilOf(a) - untilOf(b));
      const hosts = due.slice(0, limit).map((host) => this.tables.snapshot(host));
      const nextDue = Math.min(...parked.map(untilOf));
      return { hosts, nextDue: Number.isFinite(nextDue) ? nextDue : null, parked: this.tables.parked };
    });
  }

  /** One thing after the other, as a thread does. */
  #later<T>(rows: number, work: (ms: number) => T): Promise<T> {
    const startAt = Math.max(this.#clock.now(), this.#busyUntil);
    const ms = this.#latency(rows, startAt);
    this.#busyUntil = startAt + ms;
    return new Promise((resolve, reject) => {
      this.#clock.at(this.#busyUntil, () => {
        try {
          resolve(work(ms));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #apply(transaction: Transaction): CommitAnswer {
    const { tables } = this;
    const answer: CommitAnswer = {
      hosts: [],
      known: [],
      change: { queued: 0, done: 0, skipped: 0, failed: 0, deferred: 0 },
      reflagged: [],
      widened: [],
      unsought: [],
      queued: [],
      reloaded: new Set(),
      trapped: [],
      lowered: [],
      moved: [],
      lookups: { asked: 0, saved: 0, hits: 0 },
      commitMs: 0,
    };
    const entering = new Set<ModelHost>();
    for (const url of transaction.newUrls) {
      this.#insert(url, entering, answer);
    }
    for (const settled of transaction.settled) {
      this.#settle(settled);
    }
    for (const { id, depth, standing, candidate } of transaction.found) {
      const url = tables.urls.get(id)!;
      url.depth = Math.min(url.depth, depth);
      if (standing === Standing.followed && candidate === undefined && (url.flags & UrlFlag.candidate) !== 0) {
        this.#vouch(url, answer);
      }
    }
    for (const id of transaction.returned) {
      this.#giveBack(tables.urls.get(id)!);
    }
    for (const { id } of transaction.skipped) {
      this.#settledForGood(tables.move(id, [UrlState.queued], UrlState.skipped));
    }
    for (const { pattern } of [...transaction.trapped, ...transaction.unfollowed, ...transaction.skipped]) {
      if (pattern !== null && !this.#patterns.has(pattern)) {
        this.#patterns.add(pattern);
        answer.trapped.push(pattern);
      }
    }
    for (const id of transaction.leased) {
      tables.move(id, tables.urls.get(id)?.kind === UrlKind.robots ? ROBOTS_LEASED_FROM : LEASED_FROM, UrlState.leased)
        .attempts++;
    }
    for (const row of transaction.hosts) {
      tables.saveHost(row);
    }
    for (const row of transaction.origins) {
      tables.origin(row.id).row = row;
    }
    for (const move of transaction.bulk) {
      answer.moved.push(this.#moveAll(move, entering));
    }
    answer.hosts = [...entering].map((host) => tables.snapshot(host));
    return answer;
  }

  #insert(url: NewUrl, entering: Set<ModelHost>, answer: CommitAnswer): void {
    const origin =
      typeof url.origin === 'number' ? this.tables.origin(url.origin) : this.tables.ensureOrigin(url.origin);
    if (url.kind !== UrlKind.robots) {
      const known = this.#ids[url.kind].get(url.url);
      if (known !== undefined) {
        if (!url.unsure) {
          throw new Error(`${url.url} is new a second time`);
        }
        answer.known.push([url.id, known]);
        return;
      }
      this.#ids[url.kind].set(url.url, url.id);
    }
    if (typeof url.origin === 'string' && url.state !== UrlState.unlisted) {
      entering.add(origin.host);
    }
    this.tables.insert({
      id: url.id,
      url: url.url,
      kind: url.kind,
      depth: url.depth,
      seed: url.seed,
      class: url.class,
      attempts: url.state === UrlState.leased ? 1 : 0,
      notBefore: 0,
      hops: url.hops,
      flags: url.flags,
      origin,
      state: url.state,
      reason: url.reason,
      settledForGood: false,
    });
  }

  /** A page leads to a candidate: it counts, whatever has become of it. */
  #vouch(url: ModelUrl, answer: CommitAnswer): void {
    url.flags &= ~UrlFlag.candidate;
    if (url.state === UrlState.queued || url.state === UrlState.leased) {
      answer.reflagged.push([url.id, url.flags]);
    }
    answer.change.failed += Number(url.state === UrlState.failed);
    answer.change.skipped += Number(url.state === UrlState.skipped);
    answer.change.deferred += Number(url.state === UrlState.deferred);
  }

  /** robots.txt itself is no work that waits: its origin asks for it again. */
  #giveBack(url: ModelUrl): void {
    if (url.kind === UrlKind.robots && url.hops === 0) {
      this.tables.move(url.id, [UrlState.leased], UrlState.failed);
      return;
    }
    this.tables.requeue(url.id, { class: QueueClass.urgent, attempts: url.attempts - 1 });
  }

  #settle({ id, state, reason, retry }: SettledUrl): void {
    if (retry !== null) {
      this.tables.requeue(id, { notBefore: retry.notBefore, flags: retry.flags, class: QueueClass.urgent });
      return;
    }
    const url = this.tables.move(id, [UrlState.leased], state);
    url.reason = reason;
    if (url.kind !== UrlKind.robots) {
      this.#settledForGood(url);
    }
  }

  #settledForGood(url: ModelUrl): void {
    if (url.settledForGood) {
      throw new Error(`${url.url} was settled twice`);
    }
    url.settledForGood = true;
  }

  #moveAll({ host, origin, from, to, reason }: BulkMove, entering: Set<ModelHost>): { urls: number; pages: number } {
    const origins = origin !== null ? [this.tables.origin(origin)] : this.tables.host(host!).origins;
    const moved = { urls: 0, pages: 0 };
    for (const { urls, lists } of origins) {
      for (const url of urls) {
        if (url.state === from && url.kind !== UrlKind.robots) {
          this.tables.move(url.id, [from], to);
          url.reason = reason;
          moved.urls++;
          moved.pages += url.kind === UrlKind.page && (url.flags & UrlFlag.candidate) === 0 ? 1 : 0;
        }
      }
      if (to === UrlState.queued) {
        for (const place of [0, 1, 2] as const) {
          lists[place] = urls.filter((url) => url.class === place && url.state === UrlState.queued);
        }
      }
    }
    if (to === UrlState.queued && host !== null) {
      entering.add(this.tables.host(host));
    }
    return moved;
  }

  #load({ origin, class: place, beyond, newestFirst, limit }: QueueLoad): QueuedUrl[] {
    const list = this.tables.origin(origin).lists[place]!;
    const rows = list.filter(
      (url) =>
        url.class === place && url.state === UrlState.queued && (newestFirst ? url.id < beyond : url.id > beyond),
    );
    const unique = [...new Set(rows)].sort((a, b) => (newestFirst ? b.id - a.id : a.id - b.id)).slice(0, limit);
    return unique.map(({ id, url, kind, depth, seed, attempts, notBefore, hops, flags, class: itsClass }) => {
      return { id, url, kind, depth, seed, attempts, notBefore, hops, flags, class: itsClass };
    });
  }
}
