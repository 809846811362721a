import type { Breaks } from '../base/breaks.js';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import { edgeFollowed, edgeKind, edgesFromBlob, edgeZone } from '../store/packed-edges.js';
import type { Database, Statement } from '../store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import type { IdentityOptions } from '../url/identity.js';
import { SitemapPages } from './sitemap-pages.js';
import { indexUrls } from './url-index.js';

const { redirect: REDIRECT } = LINK_KIND_NUMBER;

/** States of a URL that may be a page of a corpus, or lead to one. */
const ASKED = `${UrlState.done}, ${UrlState.failed}, ${UrlState.deferred}`;

/** What has happened to a page, in one byte each. */
const GIVEN = 1;
const [QUEUED_WITHIN, SEEN_WITHIN] = [2, 4];
const [QUEUED_ACROSS, SEEN_ACROSS] = [8, 16];

/**
 * The pages of a crawl in the order of the site itself: as its sitemaps name them, then as they are come by from the seed, level after level,
 * from each page in the order in which its table of contents, its navigation, its text and its footer name them. It depends on what the pages
 * say, not on which came first. What nothing leads to any more is left out.
 *
 * It is worked out once for all seeds: each sitemap is read once and each page is looked at twice, however many seeds there are.
 */
export class PageOrder {
  /** The seed that a page belongs to, by its id and one too high; 0 where it is none. */
  readonly #seedOf: Int32Array;
  readonly #marks: Uint8Array;
  readonly #places = new Map<number, number[]>();
  readonly #database: Database;
  readonly #breaks: Breaks;
  readonly #redirect: Statement;
  readonly #edges: Statement;
  /** Pages that belong to a seed and are not given. */
  #left = 0;

  private constructor(database: Database, breaks: Breaks) {
    this.#database = database;
    this.#breaks = breaks;
    const { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM urls').get()!;
    this.#seedOf = new Int32Array(last + 1);
    this.#marks = new Uint8Array(last + 1);
    this.#redirect = database.prepare('SELECT redirect_to AS "to" FROM pages WHERE id = ?');
    this.#edges = database.prepare('SELECT packed FROM edges WHERE page = ?');
  }

  static async of(database: Database, identity: IdentityOptions, breaks: Breaks): Promise<PageOrder> {
    const order = new PageOrder(database, breaks);
    await order.#readSeeds();
    await order.#bySitemaps(identity);
    await order.#byLinks('within');
    // Seeds may lie in each other's folders: what links from one seed do not lead to may be linked from another.
    if (order.#left > 0 && order.#places.size > 1) await order.#byLinks('across');
    return order;
  }

  /** How many there are of all seeds. */
  get pages(): number {
    let pages = 0;
    for (const { length } of this.#places.values()) pages += length;
    return pages;
  }

  /** Those that belong to a seed. */
  ofSeed(seed: number): readonly number[] {
    return this.#places.get(seed) ?? [];
  }

  async #readSeeds(): Promise<void> {
    const rows = this.#database
      .prepare(`SELECT id, seed FROM urls WHERE kind = ${UrlKind.page} AND state IN (${ASKED})`)
      .iterate();
    for (const { id, seed } of rows) {
      this.#seedOf[id] = seed + 1;
      this.#left++;
      if (this.#breaks.isDue()) await this.#breaks.take();
    }
  }

  async #bySitemaps(identity: IdentityOptions): Promise<void> {
    let byUrl: Statement | null = null;
    for (const { url } of new SitemapPages(this.#database, identity).all()) {
      byUrl ??= await this.#urlIndex();
      for (const id of this.#withRedirects(byUrl.get(url)?.id)) this.#give(id);
      if (this.#breaks.isDue()) await this.#breaks.take();
    }
  }

  async #urlIndex(): Promise<Statement> {
    await indexUrls(this.#database, `kind = ${UrlKind.page} AND state IN (${ASKED})`, this.#breaks);
    return this.#database.prepare('SELECT id FROM temp.by_url WHERE url = ?');
  }

  /** From all seeds at once; `within`: only from pages of a seed to pages of the same seed. */
  async #byLinks(how: 'within' | 'across'): Promise<void> {
    const [queued, seen] = how === 'within' ? [QUEUED_WITHIN, SEEN_WITHIN] : [QUEUED_ACROSS, SEEN_ACROSS];
    const first = this.#database
      .prepare(
        `SELECT id FROM urls WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0 AND parent IS NULL ORDER BY seed, url`,
      )
      .all();
    let level: number[] = first.map(({ id }) => id);
    while (level.length > 0) {
      const next: number[] = [];
      for (const start of level) {
        for (const id of this.#withRedirects(start)) {
          const isOther = how === 'within' && this.#seedOf[id] !== this.#seedOf[start];
          if (isOther || this.#has(id, seen)) continue;
          this.#mark(id, seen);
          this.#give(id);
          for (const target of targetsOf(this.#edges.get(id)?.packed)) {
            if (this.#has(target, seen | queued) || this.#seedOf[target] === 0) continue;
            if (how === 'within' && this.#seedOf[target] !== this.#seedOf[id]) continue;
            this.#mark(target, queued);
            next.push(target);
          }
          if (this.#breaks.isDue()) await this.#breaks.take();
        }
      }
      level = next;
    }
  }

  /** A page, and where it leads to at once if it redirects. */
  *#withRedirects(from: number | null | undefined): IterableIterator<number> {
    const seen = new Set<number>();
    for (let id = from ?? null; id !== null && !seen.has(id); id = this.#redirect.get(id)?.to ?? null) {
      seen.add(id);
      yield id;
    }
  }

  #give(id: number): void {
    const seed = this.#seedOf[id]! - 1;
    if (seed < 0 || this.#has(id, GIVEN)) return;
    this.#mark(id, GIVEN);
    this.#left--;
    const places = this.#places.get(seed);
    if (places === undefined) this.#places.set(seed, [id]);
    else places.push(id);
  }

  #has(id: number, marks: number): boolean {
    return (this.#marks[id]! & marks) !== 0;
  }

  #mark(id: number, mark: number): void {
    this.#marks[id]! |= mark;
  }
}

/** Where the links of a page lead, zone after zone. */
function targetsOf(packed: Uint8Array | undefined): number[] {
  const words = packed === undefined ? [] : edgesFromBlob(packed);
  const zones: number[][] = [[], [], [], []];
  for (let i = 0; i < words.length; i += 2) {
    const word = words[i + 1]!;
    if (edgeFollowed(word) && edgeKind(word) !== REDIRECT) {
      zones[edgeZone(word)]!.push(words[i]!);
    }
  }
  return zones.flat();
}
