import { AnchorSet, DRAWN_BY_SCRIPT } from '../parse/anchor-hash.js';
import { isHtmlType, isMarkdownType, isMdxType, isSvgType } from '../parse/media-type.js';
import { edgesFromBlob } from '../store/packed-edges.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import type { Database, Statement } from '../store/sqlite.js';
import { isOutside, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { fragmentOf, namesOf } from './fragment.js';

/** A fragment that links name, and whether the page where they end has it. */
export interface FragmentCheck {
  /** The URL that the links name, and the one where its redirects end. */
  target: number;
  end: number;
  fragment: string;
  /**
   * `drawn`: the page has it not, but is nearly empty until a script draws it. `nameless`: nothing at all has a name there, on a page elsewhere:
   * a program in the browser may well make them. `unread`: the page answers, but it was not read for what
   * fragments can point at. `unknown`: nothing can be said.
   */
  standing: 'there' | 'missing' | 'drawn' | 'nameless' | 'unread' | 'unknown';
  /** A redirect on the way names it, and not the link: it counts for all links to the target. */
  byRedirect: boolean;
}

/** All fragments that links name, by target. Needs the temporary table of a LinkTable. */
export function* checkFragments(database: Database, chains: RedirectChains): IterableIterator<FragmentCheck> {
  const pages = new Pages(database);
  let last: { target: number; end: number; page: Page } | null = null;
  for (const { target, fragment } of database
    .prepare('SELECT target, fragment FROM temp.fragments ORDER BY target, fragment')
    .iterate()) {
    if (last?.target !== target) {
      const { id: end, problem } = chains.endOf(target);
      const isEnd = problem === null && (end === target || !pages.isRenamed(target));
      last = { target, end, page: isEnd ? pages.get(end) : UNKNOWN };
    }
    const { end, page } = last!;
    yield { target, end, fragment, standing: standingOf(page, fragment), byRedirect: false };
  }
  for (const { id } of database
    .prepare(
      `SELECT pages.id AS id FROM pages JOIN urls ON urls.id = pages.id WHERE pages.redirect_to IS NOT NULL AND urls.kind = ${UrlKind.page}`,
    )
    .iterate()) {
    const { id: end, problem } = chains.endOf(id);
    const fragment = problem === null ? pages.fragmentOnTheWay(id) : null;
    if (fragment !== null) {
      yield { target: id, end, fragment, standing: standingOf(pages.get(end), fragment), byRedirect: true };
    }
  }
}

function standingOf(page: Page, fragment: string): FragmentCheck['standing'] {
  if (typeof page === 'string') {
    return page;
  }
  return hasOne(page, fragment) ? 'there' : page.has(DRAWN_BY_SCRIPT) ? 'drawn' : 'missing';
}

type Page = AnchorSet | 'nameless' | 'unread' | 'unknown';
const UNKNOWN: Page = 'unknown';

function hasOne(anchors: AnchorSet, fragment: string): boolean {
  for (const name of namesOf(fragment)) {
    if (anchors.has(name)) {
      return true;
    }
  }
  return false;
}

class Pages {
  readonly #select: Statement;
  readonly #redirect: Statement;

  constructor(database: Database) {
    this.#redirect = database.prepare(
      `SELECT pages.redirect_to AS next, link_facts.hrefs AS hrefs
       FROM pages LEFT JOIN link_facts ON link_facts.page = pages.id WHERE pages.id = ? AND pages.redirect_to IS NOT NULL`,
    );
    this.#select = database.prepare(
      `SELECT urls.state AS state, urls.reason AS reason, urls.flags AS flags, pages.content_type AS type, link_facts.anchors AS anchors
       FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN link_facts ON link_facts.page = urls.id WHERE urls.id = ?`,
    );
  }

  /** Whether a redirect on the way names a place itself: browsers go there, and forget the one that the link names. */
  isRenamed(target: number): boolean {
    for (let hop = this.#redirect.get(target); hop !== undefined; hop = this.#redirect.get(hop.next)) {
      if (hop.hrefs?.includes('#')) {
        return true;
      }
    }
    return false;
  }

  /** The place that the last redirect to name one leads to, as a link's would; null where none does. */
  fragmentOnTheWay(target: number): string | null {
    let fragment: string | null = null;
    for (let hop = this.#redirect.get(target); hop !== undefined; hop = this.#redirect.get(hop.next)) {
      const [location] = hop.hrefs === null ? [] : (JSON.parse(hop.hrefs) as string[]);
      fragment = location?.includes('#') ? fragmentOf(location) : fragment;
    }
    return fragment;
  }

  get(id: number): Page {
    const row = this.#select.get(id);
    if (row?.reason === 'known') {
      return 'unread';
    }
    if (row === undefined || row.state !== UrlState.done) {
      return 'unknown';
    }
    if (row.anchors !== null) {
      const anchors = new AnchorSet(edgesFromBlob(row.anchors));
      return anchors.size === 0 && isOutside(row.flags) ? 'nameless' : anchors;
    }
    if (isSvgType(row.type)) {
      // It is read for its ids whether pages link to it or load it.
      return (row.flags & UrlFlag.anchors) === 0 ? 'unread' : 'unknown';
    }
    const readable = row.type === null || isHtmlType(row.type) || isMarkdownType(row.type) || isMdxType(row.type);
    return readable && (row.flags & (UrlFlag.anchors | UrlFlag.asset)) === 0 ? 'unread' : 'unknown';
  }
}
