import { Cookie, CookieJar, MemoryCookieStore } from 'tough-cookie';
import {
  type CookieChange,
  cookieKey,
  type KeptCookie,
  LONGEST_COOKIE,
  MOST_COOKIES_OF_SITE,
} from '../url/kept-cookie.js';

/** A whole Set-Cookie header: 6265bis ignores attributes of more than 1,024 characters, and a longer line is no honest one. */
const LONGEST_LINE = LONGEST_COOKIE + 4 * 1_024;
/** The Cookie header has so many characters at most, as many cookies as fit, in their order. */
const LONGEST_HEADER = 16 * 1_024;
/** Characters that no header can carry. tough-cookie cuts a line at some of these and accepts others as they are. */
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f]/;
/** A cookie without a name whose value looks like one with a name. */
const NAMELESS_PAIR = /^\s*=[^;]*=/;
const SEPARATOR = '; ';

/**
 * The cookies of one site (url/kept-cookie.ts), by the rules of RFC 6265bis as tough-cookie has them: Domain and the public suffix list, Path, Secure,
 * HttpOnly, Max-Age and Expires, `__Host-` and `__Secure-` names. Beyond it: Secure means https, on loopback too; an http page changes no
 * Secure cookie; `SameSite=None` needs Secure. Every request counts as one that a person typed in, so SameSite keeps nothing back.
 *
 * This module loads tough-cookie: it is imported only if cookies are wanted.
 */
export class SiteJar {
  readonly site: string;
  readonly #store = new MemoryCookieStore();
  readonly #jar = new CookieJar(this.#store, {
    looseMode: true,
    rejectPublicSuffixes: true,
    prefixSecurity: 'silent',
    allowSecureOnLocal: false,
    enforceSecureOriginOnStorage: true,
  });
  readonly #cookies = new Map<string, KeptCookie>();

  constructor(site: string, cookies: Iterable<KeptCookie>) {
    this.site = site;
    for (const cookie of cookies) {
      this.put(cookie);
    }
  }

  get isEmpty(): boolean {
    return this.#cookies.size === 0;
  }

  /** Takes a cookie as it is: it has passed the rules before. */
  put(cookie: KeptCookie): void {
    this.#cookies.set(cookieKey(cookie), cookie);
    void this.#store.putCookie(asTough(cookie));
  }

  /** The Cookie header for a request; null if there is nothing to send. */
  header(url: string, wall: number): string | null {
    if (this.isEmpty) {
      return null;
    }
    // `expire` is off because tough-cookie would go by a clock of its own.
    const cookies = this.#jar.getCookiesSync(url, { expire: false, http: true, sort: true }).filter((each) => {
      const expiresAt = this.#cookies.get(keyOf(each))?.expiresAt ?? null;
      return expiresAt === null || expiresAt > wall;
    });
    let left = LONGEST_HEADER;
    const sent = cookies
      .map((each) => each.cookieString())
      .filter((pair) => {
        const fits = pair !== '' && pair.length + SEPARATOR.length <= left;
        left -= fits ? pair.length + SEPARATOR.length : 0;
        return fits;
      });
    return sent.length === 0 ? null : sent.join(SEPARATOR);
  }

  /** Takes the Set-Cookie headers of an answer, however many its head of 64 KiB holds. Returns the keys of what has changed. */
  take(url: string, lines: readonly string[], wall: number): string[] {
    const changed = new Set<string>();
    for (const line of lines) {
      const key = this.#takeOne(url, line, wall);
      if (key !== null) {
        changed.add(key);
      }
    }
    for (const cookie of this.#tooMany(wall)) {
      this.#remove(cookie);
      changed.add(cookieKey(cookie));
    }
    return [...changed];
  }

  change(key: string): CookieChange {
    return { site: this.site, key, cookie: this.#cookies.get(key) ?? null };
  }

  #takeOne(url: string, line: string, wall: number): string | null {
    const isOdd = line.length > LONGEST_LINE || UNSENDABLE.test(line) || NAMELESS_PAIR.test(line);
    const parsed = isOdd ? undefined : Cookie.parse(line, { loose: true });
    if (parsed === undefined || !isSendable(parsed) || this.#wouldChangeSecure(parsed, url)) {
      return null;
    }
    const now = new Date(wall);
    const set = this.#jar.setCookieSync(parsed, url, { ignoreError: true, http: true, now });
    if (set === undefined) {
      return null;
    }
    const cookie = asKept(set, wall);
    const key = cookieKey(cookie);
    if (cookie.expiresAt !== null && cookie.expiresAt <= wall) {
      const had = this.#cookies.has(key);
      this.#remove(cookie);
      return had ? key : null;
    }
    this.#cookies.set(key, cookie);
    return key;
  }

  /** "Leave secure cookies alone": who sits on an http connection must not put another cookie in the place of a Secure one. */
  #wouldChangeSecure(parsed: Cookie, url: string): boolean {
    const { protocol, hostname } = new URL(url);
    if (protocol === 'https:') {
      return false;
    }
    const domain = parsed.cdomain() ?? hostname;
    const isNear = (other: string): boolean =>
      other === domain || other.endsWith(`.${domain}`) || domain.endsWith(`.${other}`);
    return [...this.#cookies.values()].some((each) => each.secure && each.name === parsed.key && isNear(each.domain));
  }

  /** Those that leave when there are more than a site may have: the ones that are over first, then those without Secure, then the rest, in the order they were set. */
  #tooMany(wall: number): KeptCookie[] {
    const over = this.#cookies.size - MOST_COOKIES_OF_SITE;
    if (over <= 0) {
      return [];
    }
    const worth = ({ expiresAt, secure }: KeptCookie): number =>
      expiresAt !== null && expiresAt <= wall ? 0 : secure ? 2 : 1;
    return [...this.#cookies.values()].sort((a, b) => worth(a) - worth(b) || a.setAt - b.setAt).slice(0, over);
  }

  #remove(cookie: KeptCookie): void {
    this.#cookies.delete(cookieKey(cookie));
    void this.#store.removeCookie(cookie.domain, cookie.path, cookie.name);
  }
}

const keyOf = (cookie: Cookie): string =>
  cookieKey({ domain: cookie.cdomain() ?? '', path: cookie.path ?? '/', name: cookie.key });

function isSendable(cookie: Cookie): boolean {
  if (cookie.key.length + cookie.value.length > LONGEST_COOKIE) {
    return false;
  }
  // Sent without a name, such a value would be taken for another cookie.
  if (cookie.key === '' && (cookie.value === '' || /=|^__(?:secure|host)-/i.test(cookie.value))) {
    return false;
  }
  return !(cookie.sameSite === 'none' && !cookie.secure);
}

function asKept(cookie: Cookie, wall: number): KeptCookie {
  const { creation } = cookie;
  const expiry = cookie.expiryTime(new Date(wall)) ?? Number.POSITIVE_INFINITY;
  return {
    name: cookie.key,
    value: cookie.value,
    domain: cookie.cdomain() ?? '',
    hostOnly: cookie.hostOnly ?? true,
    path: cookie.path ?? '/',
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    sameSite: (['strict', 'lax', 'none'] as const).find((each) => each === cookie.sameSite) ?? null,
    expiresAt: Number.isFinite(expiry) ? expiry : expiry < 0 ? 0 : null,
    createdAt: creation instanceof Date ? creation.getTime() : wall,
    setAt: wall,
  };
}

function asTough(cookie: KeptCookie): Cookie {
  return new Cookie({
    key: cookie.name,
    value: cookie.value,
    domain: cookie.domain,
    hostOnly: cookie.hostOnly,
    path: cookie.path,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    ...(cookie.sameSite === null ? {} : { sameSite: cookie.sameSite }),
    expires: cookie.expiresAt === null ? 'Infinity' : new Date(cookie.expiresAt),
    creation: new Date(cookie.createdAt),
    lastAccessed: new Date(cookie.setAt),
  });
}
