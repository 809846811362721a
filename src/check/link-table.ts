import { setImmediate } from 'node:timers/promises';
import { isFollowedKind, LINK_KIND_NUMBER } from '../parse/links.js';
import type { CheckReader, PageLinks } from '../store/check-reader.js';
import type { FragmentTable } from '../store/check-tables.js';
import { edgeKind, IGNORED_LINK } from '../store/page-row.js';
import { fragmentOf } from './anchors.js';

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

/** Kinds of links that a browser loads with the page. A form is sent later, and `canonical` and the like are never loaded. */
const isLoaded = (kind: number): boolean =>
  kind === IFRAME || kind === FRAME || (!isFollowedKind(kind) && kind !== FORM && kind !== LINK_KIND_NUMBER.link);

/** All links of a check, counted by where they lead, in one pass over the pages. Memory: ten bytes a URL. */
export class LinkTable {
  /** How many links lead to each URL, and how many of these are marked to be left out. */
  readonly links: Uint32Array;
  readonly ignored: Uint32Array;
  /** Whether a page that was fetched by https loads the URL by http. */
  readonly mixed: Uint8Array;
  /** The fragments that links name on the pages that they lead to. */
  readonly fragments: FragmentTable;
  readonly #store: CheckReader;
  readonly #isHttp: Uint8Array;
  readonly #withRoutes: boolean;
  #recent = new Set<string>();

  private constructor(store: CheckReader, withRoutes: boolean) {
    this.#withRoutes = withRoutes;
    const ids = store.lastId() + 1;
    this.#store = store;
    this.fragments = store.newFragments();
    this.links = new Uint32Array(ids);
    this.ignored = new Uint32Array(ids);
    this.mixed = new Uint8Array(ids);
    this.#isHttp = new Uint8Array(ids);
  }

  /** @param withRoutes routes that links name on other pages are noted among the fragments */
  static async build(store: CheckReader, withRoutes = false): Promise<LinkTable> {
    const table = new LinkTable(store, withRoutes);
    for (const id of store.idsOfHttp()) {
      table.#isHttp[id] = 1;
    }
    for await (const row of table.pages()) {
      table.#count(row);
    }
    table.fragments.complete();
    return table;
  }

  /** Gives the pages with their links, and lets other work run between them. */
  async *pages(): AsyncIterableIterator<PageLinks> {
    let count = 0;
    for (const row of this.#store.pageLinks()) {
      yield row;
      if (++count % PAGES_A_TURN === 0) {
        await setImmediate();
      }
    }
  }

  #count(row: PageLinks): void {
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
      const fragment = hrefs === null ? null : fragmentOf(hrefs[place]!, this.#withRoutes);
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
    this.fragments.add(target, fragment);
  }
}

/** A redirect is stored as an edge, but it is not a link of a page. */
export function* linksOf({ edges, places }: PageLinks): IterableIterator<PageLink> {
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
