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
  /**
   * What a link becomes: a path to another file, the URL itself, or null for no link at all. `url` is absolute and without its
   * fragment, `fragment` is as the page wrote it, without `#`. Also asked for images.
   */
  linkFor(url: string, fragment: string): string | null;
}

/** What hrefs are relative to. */
export function baseOf({ pageUrl, baseHref }: LinkOptions): string {
  if (baseHref === null || baseHref === undefined || !URL.canParse(baseHref, pageUrl)) return pageUrl;
  const base = new URL(baseHref, pageUrl);
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : pageUrl;
}

const withoutFragment = (url: string): string => {
  const hash = url.indexOf('#');
  return hash === -1 ? url : url.slice(0, hash);
};

export function decodedFragment(fragment: string): string {
  if (!fragment.includes('%')) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The id that an href leads to on the page itself, '' for its top; null where it leads elsewhere. */
export function fragmentOf(href: string, pageUrl: string, base: string): string | null {
  const trimmed = href.trim();
  const hash = trimmed.indexOf('#');
  if (hash === -1 || trimmed.length > LONGEST_URL) return null;
  const isOwn = hash === 0 && base === pageUrl;
  if (
    !isOwn &&
    (!URL.canParse(trimmed, base) || withoutFragment(new URL(trimmed, base).href) !== withoutFragment(pageUrl))
  )
    return null;
  return decodedFragment(trimmed.slice(hash + 1));
}

/** Makes the links of one page. */
export class LinkMaker {
  readonly #options: LinkOptions;
  readonly #base: string;
  readonly #page: string;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#base = baseOf(options);
    this.#page = withoutFragment(options.pageUrl);
  }

  /** Null where there is nothing to link to: no href, one that cannot be read, or one that would run something. */
  make(href: string | null, byId: ReadonlyMap<string, Element>): string | null {
    const url = this.#resolve(href);
    if (url === null) return null;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return url.href;
    const fragment = url.hash.slice(1);
    const target = withoutFragment(url.href);
    if (target === this.#page && fragment !== '' && byId.has(decodedFragment(fragment))) return `#${fragment}`;
    return this.#options.linkFor(target, fragment);
  }

  /** Pictures that are in the page itself are of no use in a text. */
  makeImage(src: string | null): string | null {
    const url = this.#resolve(src);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
    return this.#options.linkFor(withoutFragment(url.href), url.hash.slice(1));
  }

  #resolve(href: string | null): URL | null {
    if (href === null) return null;
    const trimmed = href.trim();
    if (trimmed === '' || trimmed.length > LONGEST_URL || !URL.canParse(trimmed, this.#base)) return null;
    const url = new URL(trimmed, this.#base);
    return HARMLESS.has(url.protocol) ? url : null;
  }
}
