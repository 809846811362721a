import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { keyOf } from '../../src/frontier/outcome.js';
import { emptyPage, sealPage } from '../../src/store/page-row.js';
import type { Database } from '../../src/store/sqlite.js';
import type { StoreScope, UrlPlace } from '../../src/store/standing.js';
import { Store } from '../../src/store/store.js';
import { openStoreFile, TEMPORARY } from '../../src/store/store-file.js';
import type { NewUrl, SettledUrl, Transaction } from '../../src/store/transaction.js';
import { QueueClass, STATE_NAMES, UrlKind, UrlState } from '../../src/store/url-state.js';
import { originOf } from '../../src/url/host.js';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Hosts that are in scope, and how deep it goes; what widens it is the name of a host. */
export class TestScope implements StoreScope {
  readonly checksOutside: boolean = false;
  readonly checksBeyond: boolean = false;
  readonly seeksSitemaps: boolean = false;
  readonly surveys: boolean = false;
  readonly scopeUrls: string[] = [];
  readonly hosts: Set<string>;
  readonly limit: number;

  constructor(hosts: Iterable<string> = ['a.test'], limit = Number.POSITIVE_INFINITY) {
    this.hosts = new Set(hosts);
    this.limit = limit;
  }

  admits(url: string): boolean {
    return this.hosts.has(new URL(url).hostname);
  }

  place(url: string): UrlPlace {
    return { seed: this.admits(url) ? 0 : -1, depthLimit: this.limit, trap: this.trap(url), isCut: false };
  }

  scopeUrlsOf(): readonly string[] {
    return this.scopeUrls;
  }

  seedsAt(): readonly number[] {
    return [0];
  }

  opensOrigin(origin: string, _seed: number, url: string): boolean {
    return originOf(url) === origin;
  }

  depthLimit(): number {
    return this.limit;
  }

  trap(url: string): string | null {
    return url.includes('/trap/') ? 'a trap' : null;
  }

  trapCause(pattern: string): string {
    return `it is ${pattern}`;
  }

  allowsTrap(): boolean {
    return false;
  }

  widen(_seed: number, scopeUrls: string[]): boolean {
    for (const url of scopeUrls) {
      this.hosts.add(new URL(url).hostname);
    }
    this.scopeUrls.splice(0, this.scopeUrls.length, ...scopeUrls);
    return true;
  }

  key = keyOf;
}

const WRITER = { expectedUrls: 1_000, falsePositiveRate: 0.01, lookupBatch: 512 };

/** A store in SQLite's temporary database, gone with the test. */
export function openStore(scope: StoreScope = new TestScope()): Store {
  const store = new Store(openStoreFile(TEMPORARY, { create: true }), { ...WRITER, scope });
  onTestFinished(() => store.close());
  return store;
}

/** The same file opened anew, as the next process does. */
export function reopen(path: string, scope: StoreScope = new TestScope()): Store {
  return new Store(openStoreFile(path, { create: false }), { ...WRITER, scope });
}

export const begin = (store: Store, hostsInMemory = 100, crashed: number[] = []) =>
  store.begin({ pid: 1, wall: 1_000, hostsInMemory, crashed });

export function transaction(fields: Partial<Transaction>): Transaction {
  return {
    ...{
      at: 0,
      newUrls: [],
      settled: [],
      found: [],
      leased: [],
      returned: [],
      skipped: [],
      unfollowed: [],
      hosts: [],
      origins: [],
    },
    ...{ rendered: [], trapped: [], bulk: [], spilledKeys: [], widened: [], meta: {} },
    ...fields,
  };
}

export function newUrl(id: number, url: string, fields: Partial<NewUrl> = {}): NewUrl {
  return {
    ...{ id, url, kind: UrlKind.page, origin: originOf(url), depth: 1, parent: null, seed: 0, class: QueueClass.rest },
    ...{ state: UrlState.queued, reason: null, hops: 0, flags: 0, key: keyOf(url), unsure: false },
    ...fields,
  };
}

/** The second attempt, which a server in trouble answered. */
export const ATTEMPT = { number: 2, at: 700, status: 503, message: 'busy' };

export function settled(
  id: number,
  { edges, ...fields }: Partial<SettledUrl> & { edges?: Uint32Array } = {},
): SettledUrl {
  const page = edges && sealPage({ ...emptyPage(200), edges: { words: edges, rels: [], texts: null } });
  return {
    ...{ id, state: UrlState.done, reason: null, retry: null, page: page ?? null, redirectTo: null },
    ...{ newIds: [], depth: 1 },
    ...fields,
  };
}

export interface UrlRow {
  state: string;
  reason: string | null;
  depth: number;
  attempts: number;
  lost: number;
  class: number;
}

export function urlRow(database: Database, id: number): UrlRow {
  const {
    state,
    reason,
    depth,
    attempts,
    lost,
    class: place,
  } = database.prepare('SELECT * FROM urls WHERE id = ?').get(id);
  return { state: STATE_NAMES[state as UrlState], reason, depth, attempts, lost, class: place };
}
