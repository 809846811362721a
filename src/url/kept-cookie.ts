import { hostnameOf, isIpHost } from './host.js';
import { registrableDomain } from './scope.js';

/** A cookie as it is kept and as it travels between threads. Its value is a secret: it stands in no output, no log and no message. */
export interface KeptCookie {
  /** May be empty: then its value alone is sent. */
  name: string;
  value: string;
  /** Without a dot at its beginning. */
  domain: string;
  /** Only `domain` itself gets it, and no host below. */
  hostOnly: boolean;
  path: string;
  secure: boolean;
  httpOnly: boolean;
  sameSite: 'strict' | 'lax' | 'none' | null;
  /** Milliseconds since 1970; null: it stays as long as the crawl does. */
  expiresAt: number | null;
  createdAt: number;
  /** When it was last set. */
  setAt: number;
}

/** A change to one cookie of a site: `cookie` is null if it is gone. */
export interface CookieChange {
  site: string;
  /** Names the cookie within its site, see `cookieKey`. */
  key: string;
  cookie: KeptCookie | null;
}

/** RFC 6265bis says at least 50 of a domain; browsers have 180. */
export const MOST_COOKIES_OF_SITE = 180;
/** Name and value together, in characters, which are bytes. */
export const LONGEST_COOKIE = 4_096;

/** Two cookies with the same key are one: the later takes the place of the earlier. */
export const cookieKey = ({ domain, path, name }: Pick<KeptCookie, 'domain' | 'path' | 'name'>): string =>
  `${domain};${path};${name}`;

/** The site of cookies that go to every port: a file of cookies knows no ports. */
export const ANY_PORT = '*';

/**
 * The site of a URL: the hosts that can share cookies. It is the registrable domain by the public suffix list (its private part included, so
 * that a.github.io and b.github.io are two), and the port where that is not the usual one.
 */
export function cookieSiteOf(url: string): string {
  const { port } = new URL(url);
  const domain = cookieDomainOf(hostnameOf(url));
  return port === '' ? domain : `${domain}:${port}`;
}

/** The site of a cookie that goes to every port of its host. */
export const anyPortSiteOf = (hostname: string): string => `${cookieDomainOf(hostname)}:${ANY_PORT}`;

/** The site with all ports to which this one belongs. */
export function withAnyPort(site: string): string {
  const domain = site.endsWith(']') ? site : site.replace(/:(?:\d+|\*)$/, '');
  return `${domain}:${ANY_PORT}`;
}

const cookieDomainOf = (hostname: string): string => (isIpHost(hostname) ? hostname : registrableDomain(hostname));
