import { setImmediate } from 'node:timers/promises';
import { SiteMemory } from '../content/extract/site-memory.js';
import type { CorpusInput } from '../corpus/document.js';
import type { Database, Row } from '../store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { LinkedIds } from './linked-ids.js';
import { factsOf, type KeptPage, readPage } from './page-content.js';

const PAGES_A_TURN = 20;
const NOINDEX = /(?:^|[\s,])(?:noindex|none)(?:[\s,]|$)/i;
/** What a server says of a page that is gone. */
const GONE: ReadonlySet<number | null> = new Set([404, 410]);

const PAGE = `SELECT urls.url AS url, urls.state AS state, urls.flags AS flags, pages.status AS status, pages.title AS title,
    pages.description AS description, pages.lang AS lang, pages.canonical AS canonical, pages.etag AS etag,
    pages.last_modified AS lastModified, pages.fetched_at AS fetchedAt, pages.redirect_to AS redirectTo,
    pages.robots_meta AS robots, bodies.type AS type, bodies.packed AS packed
  FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN bodies ON bodies.page = urls.id`;

/** The pages of a crawl that kept them, ready for a corpus, in the order of the site. */
export class Documents {
  readonly #database: Database;
  /** Of the corpus that is there: pages that could not be had this time stay as they are. */
  readonly #known: ReadonlySet<string>;
  readonly #linkedIds: LinkedIds;
  failed = 0;

  /** @param linkEnd the URL that a link leads to in the end */
  constructor(database: Database, known: ReadonlySet<string>, linkEnd: (url: string) => string) {
    this.#database = database;
    this.#known = known;
    this.#linkedIds = new LinkedIds(database, linkEnd);
  }

  /** Of one site, in the order in which they are named. */
  async *inOrder(ids: Iterable<number>, seed: number): AsyncIterableIterator<CorpusInput> {
    const memory = await this.#learn(seed);
    const select = this.#database.prepare(`${PAGE} WHERE urls.id = ?`);
    let count = 0;
    for (const id of ids) {
      const input = this.#inputOf(select.get(id)!, memory);
      if (input !== null) {
        yield input;
      }
      if (++count % PAGES_A_TURN === 0) {
        await setImmediate();
      }
    }
  }

  /** What many pages of the site say is no page's own; what some page links to is found on the page that has it. */
  async #learn(seed: number): Promise<SiteMemory> {
    const memory = new SiteMemory();
    const rows = this.#database
      .prepare(
        `SELECT urls.url AS url, bodies.type AS type, bodies.packed AS packed FROM bodies JOIN urls ON urls.id = bodies.page
         WHERE urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done} AND urls.seed = ?`,
      )
      .iterate(seed);
    for (const row of rows) {
      const { fingerprints, linked } = factsOf(row as KeptPage);
      memory.learn(fingerprints);
      this.#linkedIds.add(linked);
      if (memory.pages % PAGES_A_TURN === 0) {
        await setImmediate();
      }
    }
    return memory;
  }

  #inputOf(row: Row, memory: SiteMemory): CorpusInput | null {
    const { url, state, flags, status, redirectTo, packed } = row;
    if ((flags & UrlFlag.external) !== 0 || redirectTo !== null) {
      return null;
    }
    if (state === UrlState.failed || state === UrlState.deferred) {
      this.failed++;
      return this.#known.has(url) && !GONE.has(status) ? { url, isKnown: true } : null;
    }
    if (state !== UrlState.done || packed === null || NOINDEX.test(row.robots ?? '')) {
      return null;
    }
    const { title, markdown, text } = readPage(row, memory, this.#linkedIds.of(url));
    return {
      url,
      finalUrl: url,
      title: title || row.title || url,
      description: row.description,
      lang: row.lang,
      markdown,
      text,
      canonical: row.canonical,
      etag: row.etag,
      lastModified: row.lastModified,
      crawledAt: new Date(row.fetchedAt).toISOString(),
    };
  }
}
