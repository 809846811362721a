import type { HostRow, HostSnapshot, OriginRow, QueuedUrl } from '../../src/store/transaction.js';
import { LEGAL_MOVES, QUEUE_CLASSES, STATE_NAMES, UrlState } from '../../src/store/url-state.js';
import { hostOfOrigin } from '../../src/url/host.js';

export interface ModelUrl extends QueuedUrl {
  readonly origin: ModelOrigin;
  state: UrlState;
  reason: string | null;
  settledForGood: boolean;
}

/** What the host has seen of the crawler, and may expect of it. */
export interface HostOnWire {
  readonly delayMs: number;
  inFlight: number;
  awaitingHeaders: number;
  answeredAt: number;
  crawlDelayMs: number;
  robotsSettled: boolean;
  /** It asked to be left alone until then. */
  notBefore: number;
}

export interface ModelHost {
  readonly name: string;
  readonly wire: HostOnWire;
  readonly origins: ModelOrigin[];
  row: HostRow;
}

export interface ModelOrigin {
  readonly text: string;
  readonly host: ModelHost;
  readonly urls: ModelUrl[];
  /** By class; ids ascend, but for the urgent ones. What is no longer queued is still there. */
  readonly lists: ModelUrl[][];
  readonly queued: number[];
  deferred: number;
  row: OriginRow;
}

/** By id: ids are given out one after the other. */
class UrlTable {
  readonly #rows: (ModelUrl | undefined)[] = [];

  get(id: number): ModelUrl | undefined {
    return this.#rows[id];
  }

  set(id: number, url: ModelUrl): void {
    while (this.#rows.length < id) {
      this.#rows.push(undefined);
    }
    this.#rows[id] = url;
  }

  *[Symbol.iterator](): IterableIterator<ModelUrl> {
    for (const url of this.#rows) {
      if (url !== undefined) {
        yield url;
      }
    }
  }
}

/** Rows of URLs, hosts and origins, and the one place where a URL changes its state. */
export class ModelTables {
  readonly urls = new UrlTable();
  readonly origins: ModelOrigin[] = [];
  readonly hosts: ModelHost[] = [];
  readonly #byText = new Map<string, ModelOrigin>();
  readonly #byName = new Map<string, ModelHost>();
  /** Queued or leased: what the frontier's counter has to say. */
  outstanding = 0;
  parked = 0;
  readonly #delayMsFor: (hostName: string) => number;

  constructor(delayMsFor: (hostName: string) => number) {
    this.#delayMsFor = delayMsFor;
  }

  ensureOrigin(text: string): ModelOrigin {
    let origin = this.#byText.get(text);
    if (origin === undefined) {
      const host = this.#ensureHost(hostOfOrigin(text));
      const id = this.origins.length + 1;
      origin = {
        text,
        host,
        urls: [],
        lists: Array.from({ length: QUEUE_CLASSES }, () => []),
        queued: new Array(QUEUE_CLASSES).fill(0),
        deferred: 0,
        row: newOriginRow(id),
      };
      this.origins.push(origin);
      host.origins.push(origin);
      this.#byText.set(text, origin);
    }
    return origin;
  }

  #ensureHost(name: string): ModelHost {
    let host = this.#byName.get(name);
    if (host === undefined) {
      const wire = {
        delayMs: this.#delayMsFor(name),
        inFlight: 0,
        awaitingHeaders: 0,
        answeredAt: Number.NEGATIVE_INFINITY,
        crawlDelayMs: 0,
        robotsSettled: false,
        notBefore: 0,
      };
      host = { name, wire, origins: [], row: newHostRow(this.hosts.length + 1) };
      this.hosts.push(host);
      this.#byName.set(name, host);
    }
    return host;
  }

  origin(id: number): ModelOrigin {
    return this.origins[id - 1]!;
  }

  host(id: number): ModelHost {
    return this.hosts[id - 1]!;
  }

  insert(url: ModelUrl): void {
    this.urls.set(url.id, url);
    url.origin.urls.push(url);
    this.#count(url, 1);
    if (url.state === UrlState.queued) {
      url.origin.lists[url.class]!.push(url);
    }
  }

  /** Throws where the move is not legal, or the URL is not where it should be. */
  move(id: number, from: readonly UrlState[], to: UrlState): ModelUrl {
    const url = this.urls.get(id);
    const name = to === UrlState.queued ? 'queued again' : STATE_NAMES[to];
    if (url === undefined) {
      throw new Error(`URL ${id} is to be ${name}, and is not in the store`);
    }
    if (!from.includes(url.state) || !LEGAL_MOVES[url.state].anytime.includes(to)) {
      throw new Error(`${url.url} is to be ${name}, and is ${STATE_NAMES[url.state]}`);
    }
    this.#count(url, -1);
    url.state = to;
    this.#count(url, 1);
    return url;
  }

  requeue(id: number, change: Partial<QueuedUrl>): void {
    const url = this.move(id, [UrlState.leased], UrlState.queued);
    this.#count(url, -1);
    Object.assign(url, change);
    this.#count(url, 1);
    url.origin.lists[url.class]!.push(url);
  }

  #count(url: ModelUrl, by: 1 | -1): void {
    const { origin, state } = url;
    if (state === UrlState.queued) {
      origin.queued[url.class]! += by;
      this.outstanding += by;
    } else if (state === UrlState.leased) {
      this.outstanding += by;
    } else if (state === UrlState.deferred) {
      origin.deferred += by;
    }
  }

  saveHost(row: HostRow): void {
    const host = this.host(row.id);
    this.#park(host, row.parkedUntil);
    host.row = row;
  }

  /** What is asked for comes into memory, so it is no longer parked. */
  snapshot(host: ModelHost): HostSnapshot {
    this.#park(host, null);
    host.row = { ...host.row, parkedUntil: null };
    return {
      host: { ...host.row, name: host.name },
      origins: host.origins.map(({ row, text, queued, deferred }) => ({
        row,
        origin: text,
        queued: [...queued],
        deferred,
      })),
    };
  }

  #park(host: ModelHost, until: number | null): void {
    this.parked += Number(until !== null) - Number(host.row.parkedUntil !== null);
  }
}

const newHostRow = (id: number): HostRow => ({
  id,
  nextAllowedAt: 0,
  blockedUntil: 0,
  blockReason: null,
  failures: 0,
  tunedLimit: null,
  learnedDelayMs: 0,
  dispatched: 0,
  sitemapFiles: 0,
  deferredReason: null,
  address: null,
  parkedUntil: null,
});

const newOriginRow = (id: number): OriginRow => ({
  id,
  robotsId: null,
  robotsState: 'unknown',
  robotsRules: null,
  robotsAt: null,
  robotsExpiresAt: null,
  crawlDelayMs: null,
  sitemapsSought: false,
  robotsTries: 0,
  robotsRetryAt: 0,
});
