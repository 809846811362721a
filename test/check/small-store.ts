import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAnchors } from '../../src/parse/anchors.js';
import { LINK_KIND_NUMBER, type LinkKind } from '../../src/parse/links.js';
import { edgeWord, FOLLOWED } from '../../src/store/page-row.js';
import type { Database } from '../../src/store/sqlite.js';
import { openStoreFile, storePath } from '../../src/store/store-file.js';
import { UrlState } from '../../src/store/url-state.js';

interface UrlFacts {
  state?: UrlState;
  reason?: string;
  flags?: number;
  status?: number;
  redirectTo?: number;
  attempts?: number;
}

/** The store of a check that nobody has run. */
export class SmallStore {
  readonly directory = mkdtempSync(join(tmpdir(), 'gossamer-small-'));
  readonly database: Database = openStoreFile(storePath(this.directory), { create: true });

  constructor() {
    this.database.exec(`INSERT INTO hosts (id, name) VALUES (1, 'a.test');
      INSERT INTO origins (id, origin, host) VALUES (1, 'http://a.test', 1)`);
  }

  /** It is `http://a.test/<id>`. */
  put(
    id: number,
    { state = UrlState.done, reason, flags = 0, status = 200, redirectTo, attempts = 1 }: UrlFacts,
  ): void {
    this.database
      .prepare(
        'INSERT INTO urls (id, url, kind, origin, depth, seed, class, state, reason, attempts, flags) VALUES (?, ?, 0, 1, 0, 0, 3, ?, ?, ?, ?)',
      )
      .run(id, `http://a.test/${id}`, state, reason ?? null, attempts, flags);
    if (state === UrlState.done || state === UrlState.failed) {
      this.database
        .prepare("INSERT INTO pages (id, seq, status, redirect_to, content_type) VALUES (?, ?, ?, ?, 'text/html')")
        .run(id, id, status, redirectTo ?? null);
    }
  }

  /** The one link of a page, or where a redirect leads, as written. */
  link(page: number, kind: LinkKind, target: number, href: string): void {
    const words = Uint32Array.of(target, edgeWord(LINK_KIND_NUMBER[kind], FOLLOWED, 0));
    this.database.prepare('INSERT INTO edges (page, packed) VALUES (?, ?)').run(page, new Uint8Array(words.buffer));
    this.database.prepare('INSERT INTO link_facts (page, hrefs) VALUES (?, ?)').run(page, JSON.stringify([href]));
  }

  anchors(page: number, ...names: string[]): void {
    this.database
      .prepare('INSERT INTO link_facts (page, anchors) VALUES (?, ?)')
      .run(page, new Uint8Array(packAnchors(names).buffer));
  }

  get queued(): number[] {
    const rows = this.database.prepare('SELECT id FROM urls WHERE state = 0 AND kind = 0 ORDER BY id').all();
    return rows.map(({ id }) => id);
  }

  close(): void {
    this.database.close();
    rmSync(this.directory, { recursive: true });
  }
}
