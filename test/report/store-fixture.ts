import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { edgeWord, FOLLOWED } from '../../src/store/page-row.js';
import { Reader } from '../../src/store/reader.js';
import type { Database, SqlValue } from '../../src/store/sqlite.js';
import { openStoreFile } from '../../src/store/store-file.js';
import { UrlState } from '../../src/store/url-state.js';
import { hostKeyOf, isHttp, originOf } from '../../src/url/host.js';

export interface FixtureUrl {
  url: string;
  /** Done unless told. */
  state?: UrlState;
  reason?: string;
  flags?: number;
  parent?: number;
  depth?: number;
  /** Columns of `pages`; those of an HTML page that was found unless told. Null: it has no row there. */
  page?: Record<string, SqlValue> | null;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store made by hand. Ids are given in order, from 1; gone when the test is. */
export class StoreFixture {
  readonly database: Database;
  readonly reader: Reader;
  #seq = 0;

  constructor(urls: readonly FixtureUrl[] = []) {
    this.database = openStoreFile(join(temporaryFolder(), 'crawl.sqlite'), { create: true });
    this.database.exec('PRAGMA synchronous = OFF');
    onTestFinished(() => this.database.close());
    this.reader = new Reader(this.database);
    for (const url of urls) {
      this.add(url);
    }
  }

  /** Reads everything anew, as another process would. */
  freshReader(): Reader {
    return new Reader(this.database);
  }

  add({ url, state = UrlState.done, reason, flags = 0, parent, depth = 0, page = {} }: FixtureUrl): number {
    const row = this.#insert('urls', {
      url,
      kind: 0,
      origin: this.#origin(url),
      depth,
      parent: parent ?? null,
      seed: 0,
      class: 2,
      state,
      reason: reason ?? null,
      attempts: 1,
      flags,
    });
    if (page !== null) {
      this.#insert('pages', {
        id: row,
        seq: ++this.#seq,
        status: 200,
        content_type: 'text/html; charset=utf-8',
        bytes: 10,
        links: 0,
        fetched_at: Date.UTC(2024, 0, 2, 3, 4, 5, 678),
        ...page,
      });
    }
    return row;
  }

  addSeed(seed: {
    url: string;
    scope?: string;
    depth?: number;
    maxUrls?: number;
    fallbacks?: string[];
    scopeUrls?: string[];
  }): void {
    this.#insert('seeds', {
      url: seed.url,
      label: 'argument',
      scope: seed.scope ?? 'subdomains',
      depth: seed.depth ?? null,
      max_urls: seed.maxUrls ?? null,
      fallbacks: JSON.stringify(seed.fallbacks ?? []),
      scope_urls: JSON.stringify(seed.scopeUrls ?? [seed.url]),
    });
  }

  addEdges(
    page: number,
    edges: { to: number; kind: number; rel?: number }[],
    rels: string[],
    texts: string[] | null,
  ): void {
    const words = Uint32Array.from(edges.flatMap(({ to, kind, rel }) => [to, edgeWord(kind, FOLLOWED, rel ?? 0)]));
    this.#insert('edges', {
      page,
      packed: new Uint8Array(words.buffer),
      rels: JSON.stringify(rels),
      texts: texts === null ? null : JSON.stringify(texts),
    });
  }

  /** URLs that were cut under one pattern. */
  addTrap(pattern: string, cause: string, urls: readonly string[]): void {
    const trap = this.#insert('traps', { pattern, cause });
    for (const url of urls) {
      const id = this.add({ url, state: UrlState.skipped, reason: 'trap', page: null });
      this.#insert('trapped', { trap, url: id });
    }
  }

  setMeta(key: string, value: string): void {
    this.database.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value);
  }

  #origin(url: string): number {
    const origin = isHttp(url) ? originOf(url) : 'none';
    const known = this.database.prepare('SELECT id FROM origins WHERE origin = ?').get(origin);
    if (known !== undefined) {
      return known.id;
    }
    const name = isHttp(url) ? hostKeyOf(url) : 'none';
    this.database.prepare('INSERT INTO hosts (name) VALUES (?) ON CONFLICT DO NOTHING').run(name);
    const host = this.database.prepare('SELECT id FROM hosts WHERE name = ?').get(name)!.id;
    return this.#insert('origins', { origin, host });
  }

  #insert(table: string, values: Record<string, SqlValue>): number {
    const columns = Object.keys(values);
    const places = columns.map(() => '?').join(', ');
    const statement = this.database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
    return Number(statement.run(...Object.values(values)).lastInsertRowid);
  }
}
