import { ownCopy } from '../base/text.js';
import { isHttp } from './host.js';
import { ResolveMemo } from './memo.js';
import { type BaseParts, resolvePlain } from './plain-href.js';

/**
 * When two spellings are one URL. The normal form is what WHATWG parsing gives, without fragment and credentials, with the hex
 * digits of escapes in upper case. It is what is stored, compared and requested. Everything in IdentityOptions folds
 * URLs that a server may tell apart, so it is off unless asked for.
 */
export interface IdentityOptions {
  stripQuery: boolean;
  stripTracking: boolean;
  sortQuery: boolean;
}

export const AS_WRITTEN: IdentityOptions = { stripQuery: false, stripTracking: false, sortQuery: false };

export interface Credentials {
  username: string;
  password: string;
}

export interface NormalUrl {
  url: string;
  /** What stood before the `@`, unescaped; it belongs to the URL's origin and is not part of the URL. */
  credentials: Credentials | null;
}

/** Parameters that tell a site where a visitor came from and never what is shown. `utm_*` is tested apart. */
const TRACKING_PARAMETERS = new Set(
  (
    'gclid gclsrc gbraid wbraid dclid fbclid msclkid mc_cid mc_eid yclid twclid ttclid li_fat_id igshid igsh epik ' +
    '_ga _gl _hsenc _hsmi __hstc __hssc __hsfp hsctatracking mkt_tok vero_id vero_conv oly_anon_id oly_enc_id ' +
    'wickedid rb_clickid s_kwcid ml_subscriber ml_subscriber_hash _openstat srsltid'
  ).split(' '),
);

const LOWER_CASE_ESCAPE = /%(?:[a-f][0-9a-fA-F]|[0-9A-F][a-f])/g;

/** null where the text is no URL. A URL that is not http(s) comes back as it is serialised, fragment and all. */
export function normaliseUrl(input: string, options: IdentityOptions = AS_WRITTEN): NormalUrl | null {
  const parsed = parse(input, undefined);
  if (parsed === null) return null;
  const credentials =
    parsed.username === '' && parsed.password === ''
      ? null
      : { username: unescaped(parsed.username), password: unescaped(parsed.password) };
  if (!isHttp(parsed.href)) return { url: parsed.href, credentials: null };
  return { url: fold(serialise(parsed), options), credentials };
}

/** Hrefs longer than this are rare and would make the memo heavy. */
const LONGEST_MEMOISED_HREF = 512;
const DEFAULT_MEMO_CAPACITY = 50_000;

/** Characters that the parser removes wherever they stand, so that nothing can be told from the first ones. */
const REMOVED_CHARACTERS = /[\t\n\r]/;
/** `http:x` and `http:?x` are relative where the base has the same scheme. */
const SCHEME_WITHOUT_SLASH = /^https?:(?![/\\])/i;

/** For a resolver that gives the URLs themselves. */
export const asText = (url: string): string => url;

/**
 * Turns hrefs into URLs in normal form, or into what the caller makes of a URL. Most links of a page have been seen in the same directory
 * before, so there is a memo by directory and href; what is new is mostly plain and needs no parser.
 */
export class UrlResolver<Target> {
  readonly #options: IdentityOptions;
  readonly #folds: boolean;
  readonly #make: (url: string) => Target;
  readonly #memoCapacity: number;
  #memo: ResolveMemo<Target>;
  #baseText: string | null = null;
  #base: BaseParts | null = null;
  /** What is new is remembered. */
  learns = true;

  constructor(options: IdentityOptions, make: (url: string) => Target, memoCapacity = DEFAULT_MEMO_CAPACITY) {
    this.#options = options;
    this.#folds = options.stripQuery || options.stripTracking || options.sortQuery;
    this.#make = make;
    this.#memoCapacity = memoCapacity;
    this.#memo = new ResolveMemo(memoCapacity);
  }

  /** What was made of URLs so far no longer holds. */
  forget(): void {
    this.#memo = new ResolveMemo(this.#memoCapacity);
    this.#baseText = null;
  }

  /** null where the two make no URL; a URL that is not http(s) counts as it is serialised (see isHttp). */
  resolve(href: string, base: string): Target | null {
    if (base !== this.#baseText) this.#enter(base);
    const parts = this.#base;
    if (parts === null) return this.#made(this.#parse(href, base));

    const hash = href.indexOf('#');
    const bare = hash < 0 ? href : href.slice(0, hash);
    const first = bare.length === 0 ? 0 : bare.charCodeAt(0);
    // Empty, blank or `?…`: the answer depends on the page, not only on its directory.
    if (first <= 0x20 || first === 0x3f) {
      return this.#made(this.#compute(ownCopy(bare), parts) ?? this.#parse(href, base));
    }
    const known = this.#memo.get(bare);
    return known === undefined ? this.#resolveNew(href, ownCopy(bare), base, parts) : known;
  }

  #resolveNew(href: string, bare: string, base: string, parts: BaseParts): Target | null {
    const plain = this.#compute(bare, parts);
    const url = plain ?? this.#parse(href, base);
    const made = this.#made(url);
    const memoisable =
      bare.length <= LONGEST_MEMOISED_HREF &&
      // Blanks and control characters are cut off at the end of a href, and not before its fragment.
      bare.charCodeAt(bare.length - 1) > 0x20 &&
      (plain !== null ||
        (!REMOVED_CHARACTERS.test(bare) &&
          !SCHEME_WITHOUT_SLASH.test(bare) &&
          // The fragment of mailto: and the like is kept, and the memo goes by what stands before it.
          (url === null ? bare.length === href.length : isHttp(url))));
    if (memoisable && this.learns) this.#memo.set(bare, made);
    return made;
  }

  #made(url: string | null): Target | null {
    return url === null ? null : this.#make(url);
  }

  #enter(base: string): void {
    this.#baseText = base;
    const parsed = parse(base, undefined);
    this.#base = parsed !== null && isHttp(parsed.href) ? partsOf(serialise(parsed)) : null;
    if (this.#base !== null) this.#memo.enter(this.#base.directory);
  }

  #compute(bare: string, parts: BaseParts): string | null {
    const url = resolvePlain(bare, parts);
    return url !== null && this.#folds ? fold(url, this.#options) : url;
  }

  #parse(href: string, base: string): string | null {
    const parsed = parse(href, base);
    if (parsed === null) return null;
    return isHttp(parsed.href) ? fold(serialise(parsed), this.#options) : parsed.href;
  }
}

function parse(href: string, base: string | undefined): URL | null {
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}

/** Without credentials and fragment, escapes in upper case. Only for http(s). */
function serialise(parsed: URL): string {
  if (parsed.username !== '' || parsed.password !== '') {
    parsed.username = '';
    parsed.password = '';
  }
  const href = parsed.href;
  const hash = href.indexOf('#');
  const url = hash < 0 ? href : href.slice(0, hash);
  // Host names hold no escapes, so this only ever touches path and query.
  return url.includes('%') ? url.replace(LOWER_CASE_ESCAPE, (found) => found.toUpperCase()) : url;
}

function partsOf(url: string): BaseParts {
  const query = url.indexOf('?');
  const page = query < 0 ? url : url.slice(0, query);
  return {
    url,
    page,
    directory: page.slice(0, page.lastIndexOf('/') + 1),
    origin: url.slice(0, url.indexOf('/', 8)),
  };
}

function fold(url: string, options: IdentityOptions): string {
  const query = url.indexOf('?');
  if (query < 0) return url;
  const page = url.slice(0, query);
  if (options.stripQuery) return page;
  if (!options.stripTracking && !options.sortQuery) return url;
  const before = url.slice(query + 1).split('&');
  const parameters = options.stripTracking ? before.filter((parameter) => !isTracking(parameter)) : before;
  if (options.sortQuery) parameters.sort(byName);
  // A query that is empty because nothing is left of it goes; one that was written empty stays.
  return parameters.length === 0 ? page : `${page}?${parameters.join('&')}`;
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}

function isTracking(parameter: string): boolean {
  const name = nameOf(parameter).toLowerCase();
  return name.startsWith('utm_') || TRACKING_PARAMETERS.has(name);
}

function byName(left: string, right: string): number {
  const a = nameOf(left);
  const b = nameOf(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The text without its percent-escapes; as it is where they make no sense. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
