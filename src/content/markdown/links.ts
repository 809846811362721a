import { inEncodingOfPage } from '../../parse/encodings.js';
import type { Element } from '../element.js';

/** Schemes that may stand in a file that people click in; all others run something or lead nowhere. */
const HARMLESS = new Set([
  'http:',
  'https:',
  'mailto:',
  'ftp:',
  'ftps:',
  'tel:',
  'sms:',
  'news:',
  'irc:',
  'ircs:',
  'xmpp:',
  'geo:',
]);
const LONGEST_URL = 4096;

export interface LinkOptions {
  /** Where the page was found. */
  readonly pageUrl: string;
  /** The `href` of its `<base>`, if it has one. */
  readonly baseHref?: string | null;
  /** Of the page, by its canonical name: queries of its links are written in it. UTF-8 unless told. */
  readonly encoding?: string;
  /**
   * What a link becomes: a path to another file, the URL itself, or null for no link at all. `url` is absolute and without its
   * fragment, `fragment` is as the page wrote it, without `#`. Also asked for images.
   */
  linkFor(url: string, fragment: string): string | null;
  /** Of images only the words that stand for them stay. */
  readonly dropsImages?: boolean;
}

function parsed(href: string, base: string): URL | null {
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}

const isHttp = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

/** What hrefs of a page are read by. */
export interface LinkBase {
  readonly url: string;
  readonly encoding: string;
}

export type PagePlace = Pick<LinkOptions, 'pageUrl' | 'baseHref' | 'encoding'>;

export function baseOf({ pageUrl, baseHref, encoding = 'utf-8' }: PagePlace): LinkBase {
  const base = baseHref === null || baseHref === undefined ? null : parsed(baseHref, pageUrl);
  return { url: base !== null && isHttp(base) ? base.href : pageUrl, encoding };
}

const parsedIn = (href: string, { url, encoding }: LinkBase): URL | null =>
  parsed(inEncodingOfPage(href, encoding), url);

/** Null if there is nothing that may be linked to. */
export function resolvedHref(href: string, base: LinkBase): URL | null {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.length > LONGEST_URL) {
    return null;
  }
  const url = parsedIn(trimmed, base);
  return url !== null && HARMLESS.has(url.protocol) ? url : null;
}

const withoutFragment = (url: string): string => {
  const hash = url.indexOf('#');
  return hash === -1 ? url : url.slice(0, hash);
};

export function decodedFragment(fragment: string): string {
  if (!fragment.includes('%')) {
    return fragment;
  }
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** What an element may be called that a fragment names: as it is written, and with its escapes decoded. */
export function idsNamedBy(fragment: string): string[] {
  const decoded = decodedFragment(fragment);
  return decoded === fragment ? [fragment] : [fragment, decoded];
}

const lastSegment = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** The fragment of an href that leads to a place on the page itself, '' for its top; null if it leads elsewhere. */
export function fragmentOf(href: string, pageUrl: string, base: LinkBase): string | null {
  const trimmed = href.trim();
  const hash = trimmed.indexOf('#');
  if (hash === -1 || trimmed.length > LONGEST_URL) {
    return null;
  }
  const isOwn = hash === 0 && withoutFragment(base.url) === withoutFragment(pageUrl);
  if (!isOwn) {
    // Most links that lead elsewhere show it by their last segment, and need not be parsed.
    const segment = lastSegment(trimmed.slice(0, hash));
    if (hash > 0 && /^[\w-]+\.[\w.]*$/.test(segment) && segment !== lastSegment(withoutFragment(pageUrl))) {
      return null;
    }
    const url = parsedIn(trimmed, base);
    if (url === null || withoutFragment(url.href) !== withoutFragment(pageUrl)) {
      return null;
    }
  }
  return trimmed.slice(hash + 1);
}

/** Makes the links of one page. */
export class LinkMaker {
  readonly #options: LinkOptions;
  readonly #base: LinkBase;
  readonly #page: string;
  readonly #byId: ReadonlyMap<string, Element>;
  readonly #made = new Map<string, string | null>();

  /** @param byId what fragments of the page itself can lead to */
  constructor(options: LinkOptions, byId: ReadonlyMap<string, Element>) {
    this.#options = options;
    this.#base = baseOf(options);
    this.#page = withoutFragment(options.pageUrl);
    this.#byId = byId;
  }

  /** Null if there is nothing to link to: no href, one that cannot be read, or one that would run something. */
  make(href: string | null): string | null {
    if (href === null) {
      return null;
    }
    const known = this.#made.get(href);
    if (known !== undefined) {
      return known;
    }
    const made = this.#make(href);
    this.#made.set(href, made);
    return made;
  }

  #make(href: string): string | null {
    const url = resolvedHref(href, this.#base);
    if (url === null) {
      return null;
    }
    if (!isHttp(url)) {
      return url.href;
    }
    const fragment = url.hash.slice(1);
    const target = withoutFragment(url.href);
    if (target === this.#page && fragment !== '') {
      if (idsNamedBy(fragment).some((id) => this.#byId.has(id))) {
        return `#${fragment}`;
      }
      // The top of a page needs no id.
      if (/^top$/i.test(fragment)) {
        return this.#options.linkFor(target, '');
      }
    }
    return this.#options.linkFor(target, fragment);
  }

  /** Whether a link leads to a place on the page itself, be it there or not. */
  leadsHere(href: string | null): boolean {
    return href !== null && fragmentOf(href, this.#page, this.#base) !== null;
  }

  /** Pictures that are in the page itself are of no use in a text. */
  makeImage(src: string | null): string | null {
    const url = src === null ? null : resolvedHref(src, this.#base);
    return url === null || !isHttp(url) || this.#options.dropsImages === true
      ? null
      : this.#options.linkFor(withoutFragment(url.href), url.hash.slice(1));
  }
}
