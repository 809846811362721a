import { urlKey } from '../url/identity.js';
import { hasGivenTable } from './given-data.js';
import { ROW_FIELDS, type RowField } from './page-fields.js';
import { edgeKind, edgesFromBlob, type KeptBody, type PageRow, relOfEdge } from './page-row.js';
import { type Database, openDatabase, type Row, type Statement } from './sqlite.js';
import { columnsOfPages, readMeta } from './store-file.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/**
 * A kept crawl, read by a later one that carries its unchanged pages over (`--since`). Nothing is ever written to it. The store's thread looks
 * through it once, for the pages that can be carried over at all; each lane then has a connection of its own and reads single pages.
 */

/** Stands in `pages.feeds` for more feeds than are kept. */
export const UNKNOWN_FEEDS = '…';

/** A page of the earlier crawl, as far as it takes to ask whether it has changed. */
export interface EarlierPage {
  readonly id: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** All that is carried over of a page. */
export interface EarlierContent {
  readonly fields: Pick<PageRow, RowField>;
  /** In document order; null if it has none. */
  readonly links: EarlierLinks | null;
  /** URLs of the feeds that it names. */
  readonly feeds: readonly string[];
  /** What is kept of it beside that, as it is packed there; null if nothing is asked for. */
  readonly body: KeptBody | null;
}

export interface EarlierLinks {
  /** As they are kept. */
  readonly urls: string[];
  readonly kinds: number[];
  readonly rels: string[];
  readonly texts: string[] | null;
}

/** The result of looking through the earlier crawl. */
export interface EarlierIndex {
  /** What the crawl keeps of itself: options, version and how it ended. */
  readonly meta: Readonly<Record<string, string>>;
  /** False: it was made before all was kept that carrying over takes. */
  readonly isComplete: boolean;
  /** In shared memory, a hash table of two words a page: a part of the key of its URL, and its id; no page where the id is 0. */
  readonly cells: Uint32Array;
  readonly pages: number;
}

/** Columns without which nothing can be carried over. */
const NEEDED = ['feeds', 'folded_text_hash'];
/** It was not read as a page is, or only after something had gone wrong. */
const NOT_PLAINLY_READ =
  UrlFlag.external |
  UrlFlag.rangedGet |
  UrlFlag.asset |
  UrlFlag.secondLook |
  UrlFlag.anchors |
  UrlFlag.beyond |
  UrlFlag.trap;
/** Directives may be cut there (robots-directives.ts), so what is as long may have said more. */
const LONGEST_ROBOTS_META = 1_000;

/**
 * What was read whole, without trouble, and without anything in its record that the user gave. A page that was answered with anything but 200 is
 * asked for in full: it is short, or not what anybody wants to keep.
 */
const carriable = (hasGiven: boolean): string => `urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done}
  AND (urls.flags & ${NOT_PLAINLY_READ}) = 0 AND pages.status = 200 AND pages.redirect_to IS NULL AND pages.fetched_at > 0
  AND pages.malformed IS NULL AND coalesce(pages.links_cut, 0) = 0 AND coalesce(pages.feeds, '') <> '${UNKNOWN_FEEDS}'
  AND coalesce(length(pages.robots_meta), 0) < ${LONGEST_ROBOTS_META}
  ${hasGiven ? 'AND NOT EXISTS (SELECT 1 FROM given WHERE given.url = urls.id)' : ''}`;

/** Half of the cells at most are taken. */
const CELLS_A_PAGE = 2;
const FEWEST_CELLS = 64;

/** Looks through the whole crawl. Memory: 16 to 32 bytes for each page that can be carried over, once for all threads. */
export function indexEarlier(database: Database): EarlierIndex {
  const meta = readMeta(database);
  const columns = columnsOfPages(database);
  if (!NEEDED.every((column) => columns.has(column))) {
    return { meta, isComplete: false, cells: emptyCells(0), pages: 0 };
  }
  const from = `FROM pages JOIN urls ON urls.id = pages.id WHERE ${carriable(hasGivenTable(database))}`;
  const count: number = database.prepare(`SELECT count(*) AS n ${from}`).get()!.n;
  // A crawl that is still under way may have more by the time that they are listed: those are left out.
  const cells = emptyCells(count);
  let pages = 0;
  for (const { id, url } of database.prepare(`SELECT urls.id AS id, urls.url AS url ${from}`).iterate()) {
    if (pages < count) {
      pages++;
      put(cells, keyWords(url), id);
    }
  }
  return { meta, isComplete: true, cells, pages };
}

function emptyCells(pages: number): Uint32Array {
  let count = FEWEST_CELLS;
  while (count < pages * CELLS_A_PAGE) {
    count *= 2;
  }
  return new Uint32Array(new SharedArrayBuffer(count * 2 * Uint32Array.BYTES_PER_ELEMENT));
}

function put(cells: Uint32Array, key: Uint32Array, id: number): void {
  const mask = cells.length / 2 - 1;
  let cell = key[0]! & mask;
  while (cells[cell * 2 + 1] !== 0) {
    cell = (cell + 1) & mask;
  }
  cells[cell * 2] = key[1]!;
  cells[cell * 2 + 1] = id;
}

/** Ids of the pages that may be of this key: mostly one or none. */
function* idsOf(cells: Uint32Array, key: Uint32Array): IterableIterator<number> {
  const mask = cells.length / 2 - 1;
  for (let cell = key[0]! & mask; cells[cell * 2 + 1] !== 0; cell = (cell + 1) & mask) {
    if (cells[cell * 2] === key[1]!) {
      yield cells[cell * 2 + 1]!;
    }
  }
}

function keyWords(url: string): Uint32Array {
  const words = new Uint32Array(4);
  urlKey(url, words, 0);
  return words;
}

/** Most links of a site lead to the same pages: so many targets are remembered. */
const MOST_TARGETS = 50_000;

/** Single pages of the earlier crawl, for one lane. */
export class EarlierCrawl {
  readonly #cells: Uint32Array;
  readonly #database: Database;
  readonly #page: Statement;
  readonly #fields: Statement;
  readonly #edges: Statement;
  readonly #url: Statement;
  readonly #body: Statement | null;
  #targets = new Map<number, string>();

  /**
   * @param path of its crawl.sqlite, which `indexEarlier` has looked through
   * @param withBodies what it keeps of pages is carried over too
   */
  constructor(path: string, cells: Uint32Array, withBodies: boolean) {
    const database = openDatabase(path, { readOnly: true });
    const columns = columnsOfPages(database);
    const selected = ROW_FIELDS.map(({ columnName }) =>
      columns.has(columnName) ? columnName : `NULL AS ${columnName}`,
    );
    this.#cells = cells;
    this.#database = database;
    this.#page = database.prepare(
      `SELECT urls.url AS url, etag, last_modified AS lastModified, fetched_at AS fetchedAt
       FROM urls JOIN pages ON pages.id = urls.id WHERE urls.id = ? AND ${carriable(hasGivenTable(database))}`,
    );
    this.#fields = database.prepare(`SELECT ${selected.join(', ')} FROM pages WHERE id = ?`);
    this.#edges = database.prepare('SELECT packed, rels, texts FROM edges WHERE page = ?');
    this.#url = database.prepare('SELECT url FROM urls WHERE id = ?');
    // The hash is that of what is packed there, which need not be what the server sent: it may be its text.
    this.#body = withBodies
      ? database.prepare(
          `SELECT bodies.type AS type, bodies.answer AS answer, bodies.content AS content, contents.packed AS packed, contents.hash AS hash
           FROM bodies LEFT JOIN contents ON contents.id = bodies.content WHERE bodies.page = ?`,
        )
      : null;
  }

  find(url: string): EarlierPage | null {
    for (const id of idsOf(this.#cells, keyWords(url))) {
      const row = this.#page.get(id);
      if (row !== undefined && row.url === url) {
        const { etag, lastModified, fetchedAt } = row;
        return { id, etag, lastModified, fetchedAt };
      }
    }
    return null;
  }

  /** Null if the page has changed by now, because the earlier crawl was resumed. */
  read({ id, etag, lastModified, fetchedAt }: EarlierPage): EarlierContent | null {
    // One moment of the store for all that is read.
    this.#database.exec('BEGIN');
    try {
      const row = this.#fields.get(id);
      if (
        row === undefined ||
        row.etag !== etag ||
        row.last_modified !== lastModified ||
        row.fetched_at !== fetchedAt
      ) {
        return null;
      }
      const edges = this.#edges.get(id);
      return {
        fields: fieldsOf(row),
        links: edges === undefined ? null : this.#links(edges),
        feeds: row.feeds === null ? [] : JSON.parse(row.feeds),
        body: this.#body === null ? null : bodyOf(this.#body.get(id)),
      };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  close(): void {
    this.#database.close();
  }

  #links(row: Row): EarlierLinks {
    const words = edgesFromBlob(row.packed);
    const relTexts: string[] = row.rels === null ? [] : JSON.parse(row.rels);
    const urls: string[] = [];
    const kinds: number[] = [];
    const rels: string[] = [];
    for (let i = 0; i < words.length; i += 2) {
      const word = words[i + 1]!;
      urls.push(this.#target(words[i]!));
      kinds.push(edgeKind(word));
      rels.push(relOfEdge(word, relTexts).rel);
    }
    return { urls, kinds, rels, texts: row.texts === null ? null : JSON.parse(row.texts) };
  }

  #target(id: number): string {
    let url = this.#targets.get(id);
    if (url === undefined) {
      url = this.#url.get(id)!.url as string;
      if (this.#targets.size >= MOST_TARGETS) {
        this.#targets = new Map();
      }
      this.#targets.set(id, url);
    }
    return url;
  }
}

/** Nothing is kept of files that are not text. */
function bodyOf(row: Row | undefined): KeptBody | null {
  if (row === undefined) {
    return null;
  }
  const { type, answer, packed, hash } = row;
  return {
    ...{ type, packed: packed ?? new Uint8Array() },
    ...(hash === null ? {} : { hash: Buffer.from(hash).toString('hex') }),
    ...(answer === null ? {} : { answer }),
  };
}

const fieldsOf = (row: Row): Pick<PageRow, RowField> =>
  Object.fromEntries(
    ROW_FIELDS.map(({ name, columnName, empty }) => [name, row[columnName] ?? empty]),
  ) as unknown as Pick<PageRow, RowField>;
