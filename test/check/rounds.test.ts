import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFragments } from '../../src/check/anchors.js';
import { LinkTable } from '../../src/check/link-table.js';
import { prepareRound, reopenBroken } from '../../src/check/rounds.js';
import { packAnchors } from '../../src/parse/anchor-hash.js';
import { LINK_KIND_NUMBER, type LinkKind } from '../../src/parse/links.js';
import { storePath } from '../../src/store/directory.js';
import { edgeWord, FOLLOWED } from '../../src/store/packed-edges.js';
import { RedirectChains } from '../../src/store/redirect-chains.js';
import type { Database } from '../../src/store/sqlite.js';
import { openStoreFile } from '../../src/store/store.js';
import { UrlFlag, UrlState } from '../../src/store/url-state.js';

interface Row {
  state?: UrlState;
  reason?: string;
  flags?: number;
  status?: number;
  redirectTo?: number;
}

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gossamer-rounds-'));
  atStore((database) => database.exec("INSERT INTO hosts (id, name) VALUES (1, 'a.test')"), true);
  atStore((database) => database.exec("INSERT INTO origins (id, origin, host) VALUES (1, 'http://a.test', 1)"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function atStore<T>(work: (database: Database) => T, create = false): T {
  const database = openStoreFile(storePath(directory), { create });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function put(id: number, { state = UrlState.done, reason, flags = 0, status = 200, redirectTo }: Row): void {
  atStore((database) => {
    database
      .prepare(
        'INSERT INTO urls (id, url, kind, origin, depth, seed, class, state, reason, attempts, flags) VALUES (?, ?, 0, 1, 0, 0, 3, ?, ?, 1, ?)',
      )
      .run(id, `http://a.test/${id}`, state, reason ?? null, flags);
    if (state === UrlState.done || state === UrlState.failed) {
      database
        .prepare("INSERT INTO pages (id, seq, status, redirect_to, content_type) VALUES (?, ?, ?, ?, 'text/html')")
        .run(id, id, status, redirectTo ?? null);
    }
  });
}

/** One link of a page, or where a redirect leads, as written. */
function link(page: number, kind: LinkKind, target: number, href: string): void {
  const words = Uint32Array.of(target, edgeWord(LINK_KIND_NUMBER[kind], FOLLOWED, 0));
  atStore((database) => {
    database.prepare('INSERT INTO edges (page, packed) VALUES (?, ?)').run(page, new Uint8Array(words.buffer));
    database.prepare('INSERT INTO link_facts (page, hrefs) VALUES (?, ?)').run(page, JSON.stringify([href]));
  });
}

function anchors(page: number, ...names: string[]): void {
  atStore((database) =>
    database
      .prepare('INSERT INTO link_facts (page, anchors) VALUES (?, ?)')
      .run(page, new Uint8Array(packAnchors(names).buffer)),
  );
}

const queued = (): number[] =>
  atStore((database) =>
    database
      .prepare('SELECT id FROM urls WHERE state = 0 AND kind = 0 ORDER BY id')
      .all()
      .map(({ id }) => id),
  );

const prepare = () => prepareRound({ directory, round: 1, maxRedirects: 10, truncated: null, ownOrigins: [] });

async function standings(): Promise<string[]> {
  const database = openStoreFile(storePath(directory), { create: false });
  try {
    await LinkTable.build(database);
    return [...checkFragments(database, new RedirectChains(database, 10))].map(({ standing }) => standing);
  } finally {
    database.close();
  }
}

const FAILED = { state: UrlState.failed, reason: 'http_4xx', status: 404 };

describe('a second look', () => {
  it('asks again for an external link that a HEAD was redirected to an error page', async () => {
    put(1, { status: 302, flags: UrlFlag.external, redirectTo: 2 });
    put(2, { ...FAILED, flags: UrlFlag.external });
    await prepare();
    expect(queued()).toEqual([1, 2]);
  });

  it('does not ask again for what a GET was redirected from, or where the end is well', async () => {
    put(1, { status: 302, redirectTo: 2 });
    put(2, FAILED);
    put(3, { status: 302, flags: UrlFlag.external, redirectTo: 4 });
    put(4, { flags: UrlFlag.external });
    await prepare();
    expect(queued()).toEqual([2]);
  });

  it('asks for a page that an earlier run knows where a link names a place on it', async () => {
    const known = { state: UrlState.skipped, reason: 'known', flags: UrlFlag.external };
    put(1, { flags: UrlFlag.wholeGet });
    put(2, known);
    put(3, known);
    link(1, 'a', 2, 'http://a.test/2#part');
    await prepare();
    expect(queued()).toEqual([2]);
  });
});

describe('a recheck', () => {
  it('asks for redirects that led to something broken, and for those of a loop', async () => {
    put(1, { status: 301, redirectTo: 2 });
    put(2, FAILED);
    put(3, { status: 301, redirectTo: 4 });
    put(4, { status: 301, redirectTo: 3 });
    put(5, { status: 301, redirectTo: 6 });
    put(6, {});
    expect(await reopenBroken(directory, 10)).toBe(4);
    expect(queued()).toEqual([1, 2, 3, 4]);
  });
});

describe('a fragment of a link that redirects', () => {
  it.each([
    ['/3', 'missing'],
    ['/3#other', 'unknown'],
    ['/3#', 'unknown'],
  ])('to %s is %s', async (location, standing) => {
    put(1, {});
    put(2, { status: 301, redirectTo: 3 });
    put(3, {});
    link(1, 'a', 2, '/2#part');
    if (location.includes('#')) {
      link(2, 'redirect', 3, location);
    }
    anchors(3, 'other');
    expect(await standings()).toEqual([standing]);
  });
});
