import { AnchorSet, DRAWN_BY_SCRIPT, DRAWS_BY_ROUTES, ROUTE_VIEW } from '../parse/anchors.js';
import { isHtmlType, isMarkdownType, isMdxType, isSvgType } from '../parse/media-type.js';
import type { CheckReader } from '../store/check-reader.js';
import type { FragmentTable } from '../store/check-tables.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import { isOutside, UrlFlag, UrlState } from '../store/url-state.js';
import { unescaped } from '../url/identity.js';
import { isRoute, routeIn } from '../url/routes.js';

/** A fragment that links name, and whether the page where they end has it. */
export interface FragmentCheck {
  /** The URL that the links name, and the one where its redirects end. */
  target: number;
  end: number;
  fragment: string;
  /**
   * `drawn`: the page has it not, but is nearly empty until a script draws it. `nameless`: nothing at all has a name there, on a page elsewhere:
   * a program in the browser may well make them. `unread`: the page answers, but it was not read for what
   * fragments can point at. `unknown`: nothing can be said. Of a route: `lost`, it looks like one that cannot exist; `undrawn`, nobody has seen
   * whether it has a view of its own.
   */
  standing: 'there' | 'missing' | 'drawn' | 'nameless' | 'unread' | 'unknown' | 'lost' | 'undrawn';
  /** The URL of a route that has yet to be asked for, or null. */
  newRoute?: string | null;
  /** Whether a redirect names the fragment and not the link. It then counts for all links to the target. */
  byRedirect: boolean;
}

/**
 * All fragments that links name, by target; then those that redirects name.
 *
 * @param asksNobody a kept crawl has answered: a page of which it has no body stays unread, however often it is asked for
 */
export function* checkFragments(
  store: CheckReader,
  fragments: FragmentTable,
  chains: RedirectChains,
  asksNobody = false,
): IterableIterator<FragmentCheck> {
  const pages = new Pages(store, asksNobody);
  let last: { target: number; end: number; page: Page } | undefined;
  for (const { target, fragment } of fragments.all()) {
    if (last?.target !== target) {
      const { id: end, problem } = chains.endOf(target);
      const isEnd: boolean = problem === null && (end === target || !pages.isRenamed(target));
      last = { target, end, page: isEnd ? pages.get(end) : UNKNOWN };
    }
    const { end, page } = last;
    yield ROUTE_SIGN.test(fragment)
      ? { target, fragment, byRedirect: false, ...pages.route(end, page, fragment) }
      : { target, end, fragment, standing: standingOf(page, fragment), byRedirect: false };
  }
  for (const { id } of store.redirects()) {
    const { id: end, problem } = chains.endOf(id);
    const fragment = problem === null ? pages.fragmentOnTheWay(id) : null;
    if (fragment !== null) {
      yield { target: id, end, fragment, standing: standingOf(pages.get(end), fragment), byRedirect: true };
    }
  }
}

const ROUTE_SIGN = /^[/!]/;

/** What a browser saw of a route, where it was asked. */
export function viewOf(anchors: Uint32Array | null): keyof typeof ROUTE_VIEW | null {
  const names = anchors === null ? null : new AnchorSet(anchors);
  return (['own', 'unknown', 'untold'] as const).find((view) => names?.has(ROUTE_VIEW[view])) ?? null;
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
  readonly #store: CheckReader;
  /** A page that has these was asked for, and is not unread. */
  readonly #askedFlags: number;

  constructor(store: CheckReader, asksNobody: boolean) {
    this.#store = store;
    this.#askedFlags = asksNobody ? UrlFlag.asset : UrlFlag.anchors | UrlFlag.asset;
  }

  /** Whether a redirect on the way names a place itself: browsers go there, and forget the one that the link names. */
  isRenamed(target: number): boolean {
    for (let hop = this.#store.redirectHop(target); hop !== undefined; hop = this.#store.redirectHop(hop.next)) {
      if (hop.hrefs?.includes('#')) {
        return true;
      }
    }
    return false;
  }

  /** The place that the last redirect to name one leads to, as a link's would; null if none does. */
  fragmentOnTheWay(target: number): string | null {
    let fragment: string | null = null;
    for (let hop = this.#store.redirectHop(target); hop !== undefined; hop = this.#store.redirectHop(hop.next)) {
      const [location] = hop.hrefs === null ? [] : (JSON.parse(hop.hrefs) as string[]);
      fragment = location?.includes('#') ? fragmentOf(location) : fragment;
    }
    return fragment;
  }

  /** Where a link of another page names a route of this one: what became of that route. */
  route(id: number, page: Page, fragment: string): Pick<FragmentCheck, 'end' | 'standing' | 'newRoute'> {
    const pageUrl = this.#store.urlOf(id);
    if (typeof page === 'string' || isRoute(pageUrl) || !page.has(DRAWS_BY_ROUTES)) {
      return { end: id, standing: 'unknown' };
    }
    const route = routeIn(`#${fragment}`);
    if (route === null) {
      return { end: id, standing: 'there' };
    }
    const url = pageUrl + route;
    const end = this.#store.routeAt(url);
    if (end === null) {
      return { end: id, standing: 'undrawn', newRoute: url };
    }
    const view = viewOf(this.#store.anchoredPage(end)?.anchors ?? null);
    return { end, standing: view === 'own' ? 'there' : view === 'unknown' ? 'lost' : 'undrawn' };
  }

  get(id: number): Page {
    const row = this.#store.anchoredPage(id);
    if (row?.reason === 'known') {
      return 'unread';
    }
    if (row === null || row.state !== UrlState.done) {
      return 'unknown';
    }
    if (row.anchors !== null) {
      const anchors = new AnchorSet(row.anchors);
      return anchors.size === 0 && isOutside(row.flags) ? 'nameless' : anchors;
    }
    if (isSvgType(row.contentType)) {
      // An SVG file is read for its ids, whether pages link to it or load it.
      return (row.flags & UrlFlag.anchors) === 0 ? 'unread' : 'unknown';
    }
    const type = row.contentType;
    const readable = type === null || isHtmlType(type) || isMarkdownType(type) || isMdxType(type);
    return readable && (row.flags & this.#askedFlags) === 0 ? 'unread' : 'unknown';
  }
}

/** Line numbers of a source viewer, such as `L10-L20`: a program on the page makes them. */
const LINES = /^L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?$/;

/** A part of a picture or a sound and no name: `svgView(…)` of SVG, and the times and areas of Media Fragments. */
const PART = /^(?:svgView\(|(?:t=(?:[a-z][a-z\d-]*:)?[\d.:,]|xywh=(?:pixel:|percent:)?\d))/;
/** SVG 2: a name may be followed by such a part. */
const PART_AFTER_NAME = /&(?:t|xywh)=.*$/s;

/**
 * The name that the fragment of an href points at, or null if there is nothing to look for: the top of the page, a piece of its text
 * (`#:~:text=`), the route of an application (`#/…`, `#!…`) unless those are wanted, a part of a picture or a sound (`#t=10`).
 */
export function fragmentOf(written: string, withRoutes = false): string | null {
  // As every parser of URLs does.
  const href = written.replace(/[\t\n\r]/g, '');
  const hash = href.indexOf('#');
  if (hash < 0 || href.endsWith('…')) {
    return null;
  }
  const directive = href.indexOf(':~:', hash);
  const fragment = href.slice(hash + 1, directive < 0 ? undefined : directive).trim();
  const first = fragment[0];
  if (withRoutes && (first === '/' || first === '!')) {
    return fragment;
  }
  if (first === undefined || first === '/' || first === '!' || LINES.test(fragment) || PART.test(fragment)) {
    return null;
  }
  return fragment.toLowerCase() === 'top' ? null : fragment;
}

/** The names under which a page may have it: as written, unescaped, without the part of it that is wanted, and as code hosts prefix what their users write. */
export function* namesOf(fragment: string): IterableIterator<string> {
  const plain = unescaped(fragment);
  for (const name of new Set([fragment, plain, plain.replace(PART_AFTER_NAME, '')])) {
    yield name;
    yield `user-content-${name}`;
  }
}
