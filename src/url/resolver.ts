import { ownCopy } from '../base/text.js';
import { isHttp } from './host.js';
import { fold, type IdentityOptions, parse, serialise } from './identity.js';

/** Hrefs longer than this are rare and would make the memo heavy. */
const LONGEST_MEMOISED_HREF = 512;
const DEFAULT_MEMO_CAPACITY = 50_000;

/** Characters that the parser removes wherever they stand, so that nothing can be told from the first ones. */
const REMOVED_CHARACTERS = /[\t\n\r]/;
/** `http:x` and `http:?x` are relative where the base has the same scheme. */
const SCHEME_WITHOUT_SLASH = /^https?:(?![/\\])/i;

/** For a resolver that returns the URLs themselves. */
export const asText = (url: string): string => url;

/**
 * Turns hrefs into URLs in normal form, or into what the caller makes of a URL. Most links of a page were seen in the same directory before,
 * so there is a memo by directory and href; a new one is mostly plain and needs no parser.
 */
export class UrlResolver<Target> {
  readonly #options: IdentityOptions;
  readonly #folds: boolean;
  readonly #make: (url: string) => Target;
  readonly #memoCapacity: number;
  #memo: ResolveMemo<Target>;
  #baseText: string | null = null;
  #base: BaseParts | null = null;
  /** Whether new hrefs are remembered. */
  learns = true;

  constructor(options: IdentityOptions, make: (url: string) => Target, memoCapacity = DEFAULT_MEMO_CAPACITY) {
    this.#options = options;
    this.#folds = options.stripQuery || options.stripTracking || options.sortQuery;
    this.#make = make;
    this.#memoCapacity = memoCapacity;
    this.#memo = new ResolveMemo(memoCapacity);
  }

  /** Drops the memo, because what was made of URLs so far no longer holds. */
  forget(): void {
    this.#memo = new ResolveMemo(this.#memoCapacity);
    this.#baseText = null;
  }

  /** null if the two make no URL; a URL that is not http(s) counts as it is serialised (see isHttp). */
  resolve(href: string, base: string): Target | null {
    if (base !== this.#baseText) {
      this.#enter(base);
    }
    const parts = this.#base;
    if (parts === null) {
      return this.#made(this.#parse(href, base));
    }

    const hash = href.indexOf('#');
    const bare = hash < 0 ? href : href.slice(0, hash);
    const first = bare.length === 0 ? 0 : bare.charCodeAt(0);
    // An empty, blank or `?…` href depends on the page, not only on its directory.
    if (first <= 0x20 || first === 0x3f) {
      return this.#made(this.#compute(ownCopy(bare), parts) ?? this.#parse(href, base));
    }
    const known = this.#memo.get(bare);
    return known === undefined ? this.#resolveNew(href, ownCopy(bare), base, parts) : known;
  }

  /** The same for a link that is remembered elsewhere: nothing is looked up here, and nothing is kept. */
  resolveOnce(href: string, base: string): Target | null {
    if (base !== this.#baseText) {
      this.#enter(base);
    }
    const hash = href.indexOf('#');
    const bare = ownCopy(hash < 0 ? href : href.slice(0, hash));
    const plain = this.#base === null || bare === '' ? null : this.#compute(bare, this.#base);
    return this.#made(plain ?? this.#parse(href, base));
  }

  #resolveNew(href: string, bare: string, base: string, parts: BaseParts): Target | null {
    const plain = this.#compute(bare, parts);
    const url = plain ?? this.#parse(href, base);
    const made = this.#made(url);
    const memoisable =
      bare.length <= LONGEST_MEMOISED_HREF &&
      // The parser cuts blanks and control characters off the end of a href, but not before its fragment.
      bare.charCodeAt(bare.length - 1) > 0x20 &&
      (plain !== null ||
        (!REMOVED_CHARACTERS.test(bare) &&
          !SCHEME_WITHOUT_SLASH.test(bare) &&
          // The fragment of mailto: and the like is part of the URL, while the memo goes by what stands before it.
          (url === null ? bare.length === href.length : isHttp(url))));
    if (memoisable && this.learns) {
      this.#memo.set(bare, made);
    }
    return made;
  }

  #made(url: string | null): Target | null {
    return url === null ? null : this.#make(url);
  }

  #enter(base: string): void {
    this.#baseText = base;
    const parsed = parse(base, undefined);
    this.#base = parsed !== null && isHttp(parsed.href) ? partsOf(serialise(parsed)) : null;
    if (this.#base !== null) {
      this.#memo.enter(this.#base.directory);
    }
  }

  #compute(bare: string, parts: BaseParts): string | null {
    const url = resolvePlain(bare, parts);
    return url !== null && this.#folds ? fold(url, this.#options) : url;
  }

  #parse(href: string, base: string): string | null {
    const parsed = parse(href, base);
    if (parsed === null) {
      return null;
    }
    return isHttp(parsed.href) ? fold(serialise(parsed), this.#options) : parsed.href;
  }
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

/**
 * What a href in a directory resolved to, bounded by two generations: when the young one is full it becomes the old one and
 * the old one is dropped, so that what is in use stays and nothing has to be ordered. Holds at most twice `capacity`.
 */
export class ResolveMemo<Target> {
  readonly #capacity: number;
  #young = new Map<string, Map<string, Target | null>>();
  #old = new Map<string, Map<string, Target | null>>();
  #youngSize = 0;
  #directory = '';
  #here: Map<string, Target | null> | undefined;
  #hereOld: Map<string, Target | null> | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Selects the directory that the following calls are about. */
  enter(directory: string): void {
    this.#directory = directory;
    this.#here = this.#young.get(directory);
    this.#hereOld = this.#old.get(directory);
  }

  /** undefined where nothing is known; null is an answer. */
  get(href: string): Target | null | undefined {
    const known = this.#here?.get(href);
    if (known !== undefined) {
      return known;
    }
    const old = this.#hereOld?.get(href);
    if (old !== undefined) {
      this.set(ownCopy(href), old);
    }
    return old;
  }

  set(href: string, target: Target | null): void {
    if (this.#youngSize >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
      this.enter(this.#directory);
    }
    if (this.#here === undefined) {
      this.#here = new Map();
      this.#young.set(this.#directory, this.#here);
    }
    this.#here.set(href, target);
    this.#youngSize++;
  }

  get size(): number {
    let size = this.#youngSize;
    for (const entries of this.#old.values()) {
      size += entries.size;
    }
    return size;
  }
}

/**
 * Resolves the usual hrefs by string operations alone. Every character that is let through stands for itself in WHATWG URL
 * parsing at the place where it is let through, so what comes out is what `new URL` gives; anything else (escapes, spaces,
 * backslashes, colons, inner dot segments, ports, names that IDNA or IPv4 parsing may change) is left to `new URL`.
 */

/** A base URL in normal form, cut up once for all the links of its page. */
interface BaseParts {
  /** The whole, query included: what '' and '#x' mean. */
  readonly url: string;
  /** Scheme and authority: what '/x' is added to. */
  readonly origin: string;
  /** Scheme, authority and path up to the last slash. */
  readonly directory: string;
  /** Scheme, authority and path: what '?q' is added to. */
  readonly page: string;
}

const PATH = 1;
const QUERY = 2;
const HOST = 4;

const CLASSES = new Uint8Array(128);
function allow(characters: string, flags: number): void {
  for (const character of characters) {
    CLASSES[character.charCodeAt(0)]! |= flags;
  }
}
allow('abcdefghijklmnopqrstuvwxyz0123456789-', PATH | QUERY | HOST);
allow('ABCDEFGHIJKLMNOPQRSTUVWXYZ_.~/!$&()*+,;=@', PATH | QUERY);
allow('?:', QUERY);

const SLASH = 0x2f;
const DOT = 0x2e;
const QUESTION = 0x3f;
const HYPHEN = 0x2d;

/**
 * @param href without its fragment
 * @returns null where only the full parser can tell
 */
function resolvePlain(href: string, base: BaseParts): string | null {
  if (href.length === 0) {
    return base.url;
  }
  const first = href.charCodeAt(0);
  if (first === QUESTION) {
    return isPlainQuery(href, 1) ? base.page + href : null;
  }
  if (first === SLASH) {
    return href.charCodeAt(1) !== SLASH && isPlainPath(href, 1) ? base.origin + href : null;
  }
  if (href.startsWith('http://')) {
    return resolvePlainAbsolute(href, 7);
  }
  if (href.startsWith('https://')) {
    return resolvePlainAbsolute(href, 8);
  }
  if (first !== DOT) {
    return isPlainPath(href, 0) ? base.directory + href : null;
  }
  return resolveDotted(href, base);
}

function resolveDotted(href: string, base: BaseParts): string | null {
  let directory = base.directory;
  let at = 0;
  for (;;) {
    if (href.startsWith('../', at)) {
      at += 3;
      directory = parentOf(directory, base.origin.length);
    } else if (href.startsWith('./', at)) {
      at += 2;
    } else {
      break;
    }
  }
  return isPlainPath(href, at) ? directory + href.slice(at) : null;
}

/** The folder that holds this one; the root is its own parent. */
function parentOf(directory: string, originLength: number): string {
  const slash = directory.lastIndexOf('/', directory.length - 2);
  return slash < originLength ? directory : directory.slice(0, slash + 1);
}

/** From `start`, the first character of a segment: plain characters, no dot segment, perhaps a plain query. */
function isPlainPath(href: string, start: number): boolean {
  let segmentStart = true;
  for (let at = start; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code === QUESTION) {
      return isPlainQuery(href, at + 1);
    }
    if (code > 127 || (CLASSES[code]! & PATH) === 0) {
      return false;
    }
    if (segmentStart && code === DOT) {
      return false;
    }
    segmentStart = code === SLASH;
  }
  return true;
}

function isPlainQuery(href: string, start: number): boolean {
  for (let at = start; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code > 127 || (CLASSES[code]! & QUERY) === 0) {
      return false;
    }
  }
  return true;
}

function resolvePlainAbsolute(href: string, hostStart: number): string | null {
  let at = hostStart;
  let labelStart = at;
  for (; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (code === DOT) {
      if (at === labelStart) {
        return null;
      }
      labelStart = at + 1;
    } else if (code === SLASH || code === QUESTION) {
      break;
    } else if (code > 127 || (CLASSES[code]! & HOST) === 0) {
      return null;
    }
    // `xn--` needs IDNA.
    else if (code === HYPHEN && href.charCodeAt(at - 1) === HYPHEN) {
      return null;
    }
  }
  // The URL parser may read a host whose last label begins with a digit as an IPv4 address, so that is left to it.
  const top = href.charCodeAt(labelStart);
  if (at === labelStart || !(top >= 0x61 && top <= 0x7a)) {
    return null;
  }
  if (at === href.length) {
    return `${href}/`;
  }
  if (href.charCodeAt(at) === QUESTION) {
    return isPlainQuery(href, at + 1) ? `${href.slice(0, at)}/${href.slice(at)}` : null;
  }
  return isPlainPath(href, at + 1) ? href : null;
}
