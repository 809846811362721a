import { setImmediate } from 'node:timers/promises';
import { isFollowedKind, LINK_KIND_NUMBER } from '../parse/links.js';
import { edgeKind, edgesFromBlob } from '../store/packed-edges.js';
import { IGNORED_LINK } from '../store/page-row.js';
import type { Database, Row, Statement } from '../store/sqlite.js';
import { fragmentOf } from './fragment.js';

/** One link of a page. */
export interface PageLink {
  target: number;
  kind: number;
  /** Its place among the links of the page. */
  place: number;
  ignored: boolean;
}

const PAGES_A_TURN = 500;
const REMEMBERED_FRAGMENTS = 100_000;
const { iframe: IFRAME, frame: FRAME, form: FORM, redirect: REDIRECT } = LINK_KIND_NUMBER;

/** What a page loads with itself; a form is sent later, and `canonical` and its like are never loaded. */
const isLoaded = (kind: number): boolean =>
  kind === IFRAME || kind === FRAME || (!isFollowedKind(kind) && kind !== FORM && kind !== LINK_KIND_NUMBER.link);

/** All links of a check, counted by where they lead, in one pass over the pages. Memory: ten bytes a URL. */
export class LinkTable {
  /** Links that lead to each URL; those that are marked to be left out. */
  readonly links: Uint32Array;
  readonly ignored: Uint32Array;
  /** A page that came by https loads it by http. */
  readonly mixed: Uint8Array;
  readonly #database: Database;
  readonly #isHttp: Uint8Array;
  readonly #insertFragment: Statement;
  #recent = new Set<string>();

  private constructor(database: Database) {
    const ids = (database.prepare('SELECT max(id) AS id FROM urls').get()?.id ?? 0) + 1;
    this.#database = database;
    this.links = new Uint32Array(ids);
    this.ignored = new Uint32Array(ids);
    this.mixed = new Uint8Array(ids);
    this.#isHttp = new Uint8Array(ids);
    database.exec(`DROP TABLE IF EXISTS temp.fragments;
      CREATE TEMP TABLE fragments (target INTEGER NOT NULL, fragment TEXT NOT NULL, PRIMARY KEY (target, fragment)) WITHOUT ROWID`);
    this.#insertFragment = database.prepare('INSERT OR IGNORE INTO temp.fragments (target, fragment) VALUES (?, ?)');
  }

  /** @param database may be open for reading only: what is gathered goes to temporary tables of it */
  static async build(database: Database): Promise<LinkTable> {
    const table = new LinkTable(database);
    for (const { id } of database.prepare("SELECT id FROM urls WHERE url >= 'http:' AND url < 'http;'").iterate()) {
      table.#isHttp[id] = 1;
    }
    database.exec('BEGIN');
    for await (const row of table.pages()) {
      table.#count(row);
    }
    database.exec('COMMIT');
    return table;
  }

  /** Pages with their links; others get a turn now and then. */
  async *pages(): AsyncIterableIterator<Row> {
    let count = 0;
    for (const row of this.#database
      .prepare(
        'SELECT edges.page AS page, edges.packed AS packed, edges.texts AS texts, link_facts.hrefs AS hrefs, link_facts.places AS places FROM edges LEFT JOIN link_facts ON link_facts.page = edges.page ORDER BY edges.page',
      )
      .iterate()) {
      yield row;
      if (++count % PAGES_A_TURN === 0) {
        await setImmediate();
      }
    }
  }

  #count(row: Row): void {
    const hrefs: string[] | null = row.hrefs?.includes('#') ? JSON.parse(row.hrefs) : null;
    const isSecure = this.#isHttp[row.page] === 0;
    for (const { target, kind, place, ignored } of linksOf(row)) {
      if (ignored) {
        this.ignored[target]!++;
        continue;
      }
      this.links[target]!++;
      if (isSecure && this.#isHttp[target] === 1 && isLoaded(kind)) {
        this.mixed[target] = 1;
      }
      const fragment = hrefs === null ? null : fragmentOf(hrefs[place]!);
      if (fragment !== null) {
        this.#note(target, fragment);
      }
    }
  }

  #note(target: number, fragment: string): void {
    const key = `${target}#${fragment}`;
    if (this.#recent.has(key)) {
      return;
    }
    if (this.#recent.size >= REMEMBERED_FRAGMENTS) {
      this.#recent = new Set();
    }
    this.#recent.add(key);
    this.#insertFragment.run(target, fragment);
  }
}

/** Redirects are no links. */
export function* linksOf(row: Row): IterableIterator<PageLink> {
  const edges = edgesFromBlob(row.packed);
  const places = row.places === null ? null : edgesFromBlob(row.places);
  for (let i = 0; i < edges.length; i += 2) {
    const kind = edgeKind(edges[i + 1]!);
    if (kind !== REDIRECT) {
      yield {
        target: edges[i]!,
        kind,
        place: i >> 1,
        ignored: places !== null && (places[i + 1]! & IGNORED_LINK) !== 0,
      };
    }
  }
}
