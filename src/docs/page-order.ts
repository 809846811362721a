import type { Breaks } from '../base/breaks.js';
import { LINK_KIND_NUMBER } from '../parse/links.js';
import type { DocsReader } from '../store/docs-reader.js';
import type { UrlIndex } from '../store/docs-tables.js';
import { edgeFollowed, edgeKind, edgeZone } from '../store/page-row.js';
import type { IdentityOptions } from '../url/identity.js';
import { SitemapPages } from './sitemap-pages.js';

const { redirect: REDIRECT } = LINK_KIND_NUMBER;

/** Marks of a page, one byte for each page. */
const GIVEN = 1;
const [QUEUED_WITHIN, SEEN_WITHIN] = [2, 4];
const [QUEUED_ACROSS, SEEN_ACROSS] = [8, 16];

/**
 * The pages of a crawl in the order of the site itself: as its sitemaps name them, then as they are come by from the seed, level after level,
 * from each page in the order in which its table of contents, its navigation, its text and its footer name them. It depends on what the pages
 * say, not on which came first. Last come those that are come by only from what the sitemaps name. What nothing leads to any more is left out.
 *
 * It is worked out once for all seeds: each sitemap is read once and each page is looked at twice, however many seeds there are.
 */
export class PageOrder {
  /** The seed that each page belongs to, plus one, by the id of the page; 0 where the URL is no page. */
  readonly #seedOf: Int32Array;
  readonly #marks: Uint8Array;
  readonly #places = new Map<number, number[]>();
  readonly #store: DocsReader;
  readonly #breaks: Breaks;
  /** How many pages belong to a seed and have no place in the order yet. */
  #left = 0;

  private constructor(store: DocsReader, breaks: Breaks) {
    this.#store = store;
    this.#breaks = breaks;
    const ids = store.lastId() + 1;
    this.#seedOf = new Int32Array(ids);
    this.#marks = new Uint8Array(ids);
  }

  static async of(store: DocsReader, identity: IdentityOptions, breaks: Breaks): Promise<PageOrder> {
    const order = new PageOrder(store, breaks);
    await order.#readSeeds();
    await order.#bySitemaps(identity);
    const named = [...order.#places.values()].flat();
    await order.#byLinks('within', store.seedPages());
    // A page may be linked from a page alone that no link leads to.
    if (order.#left > 0) {
      await order.#byLinks('within', named);
    }
    // Seeds may lie in each other's folders: what links from one seed do not lead to may be linked from another.
    if (order.#left > 0 && order.#places.size > 1) {
      await order.#byLinks('across', [...store.seedPages(), ...named]);
    }
    return order;
  }

  /** How many pages all seeds have together. */
  get pages(): number {
    let pages = 0;
    for (const { length } of this.#places.values()) {
      pages += length;
    }
    return pages;
  }

  /** Those that belong to a seed. */
  ofSeed(seed: number): readonly number[] {
    return this.#places.get(seed) ?? [];
  }

  async #readSeeds(): Promise<void> {
    for (const { id, seed } of this.#store.askedPages()) {
      this.#seedOf[id] = seed + 1;
      this.#left++;
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  async #bySitemaps(identity: IdentityOptions): Promise<void> {
    let index: UrlIndex | null = null;
    for (const { url } of new SitemapPages(this.#store, identity).all()) {
      index ??= await this.#store.indexUrls('asked', this.#breaks);
      for (const id of this.#withRedirects(index.idOf(url))) {
        this.#give(id);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
  }

  /** From all these pages at once; `within`: only from pages of a seed to pages of the same seed. */
  async #byLinks(how: 'within' | 'across', starts: readonly number[]): Promise<void> {
    const [queued, seen] = how === 'within' ? [QUEUED_WITHIN, SEEN_WITHIN] : [QUEUED_ACROSS, SEEN_ACROSS];
    let level = starts;
    while (level.length > 0) {
      const next: number[] = [];
      for (const start of level) {
        for (const id of this.#withRedirects(start)) {
          const isOther = how === 'within' && this.#seedOf[id] !== this.#seedOf[start];
          if (isOther || this.#has(id, seen)) {
            continue;
          }
          this.#mark(id, seen);
          this.#give(id);
          for (const target of targetsOf(this.#store.edgesOf(id))) {
            if (this.#has(target, seen | queued) || this.#seedOf[target] === 0) {
              continue;
            }
            if (how === 'within' && this.#seedOf[target] !== this.#seedOf[id]) {
              continue;
            }
            this.#mark(target, queued);
            next.push(target);
          }
          if (this.#breaks.isDue()) {
            await this.#breaks.take();
          }
        }
      }
      level = next;
    }
  }

  /** Gives a page and, directly after it, the pages that it redirects to. */
  *#withRedirects(from: number | null | undefined): IterableIterator<number> {
    const seen = new Set<number>();
    for (let id = from ?? null; id !== null && !seen.has(id); id = this.#store.redirectOf(id)) {
      seen.add(id);
      yield id;
    }
  }

  #give(id: number): void {
    const seed = this.#seedOf[id]! - 1;
    if (seed < 0 || this.#has(id, GIVEN)) {
      return;
    }
    this.#mark(id, GIVEN);
    this.#left--;
    const places = this.#places.get(seed);
    if (places === undefined) {
      this.#places.set(seed, [id]);
    } else {
      places.push(id);
    }
  }

  #has(id: number, marks: number): boolean {
    return (this.#marks[id]! & marks) !== 0;
  }

  #mark(id: number, mark: number): void {
    this.#marks[id]! |= mark;
  }
}

/** Where the links of a page lead, zone after zone. */
function targetsOf(words: Uint32Array): number[] {
  const zones: number[][] = [[], [], [], []];
  for (let i = 0; i < words.length; i += 2) {
    const word = words[i + 1]!;
    if (edgeFollowed(word) && edgeKind(word) !== REDIRECT) {
      zones[edgeZone(word)]!.push(words[i]!);
    }
  }
  return zones.flat();
}
