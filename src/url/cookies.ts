import { isHttp, originOf, pathOf } from './host.js';

/** A cookie that a redirect set. */
export interface SetCookie {
  /** May be empty: then its value alone is sent. */
  name: string;
  /** Null deletes the cookie. */
  value: string | null;
  path: string;
}

const MOST_COOKIES = 50;
const LONGEST_COOKIE = 4_096;
/** The most bytes of names, values and paths that are kept of one answer: a server can set any number of cookies on any number of redirects. */
const MOST_OF_ANSWER = 4_096;
const LONGEST_HEADER = 8_192;
const SEPARATOR = '; ';
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*$/;
/** A value must not end the header or the cookie. */
const VALUE = /^[\x20-\x3a\x3c-\x7e\x80-\xff]*$/;

/**
 * Reads the Set-Cookie headers of an answer. Their cookies are sent to the answer's own origin alone, whatever `Domain` says. A cookie that
 * its origin must not set, or that cannot be sent as it is, is left out.
 */
export function readSetCookies(lines: readonly string[], url: string, now: number): SetCookie[] {
  if (!isHttp(url)) {
    return [];
  }
  const cookies = lines.slice(0, MOST_COOKIES).map((line) => readSetCookie(line, url, now));
  return fitting(
    cookies.filter((cookie) => cookie !== null),
    ({ name, value, path }) => name.length + (value?.length ?? 0) + path.length,
    MOST_OF_ANSWER,
  );
}

/** Keeps the order; one that does not fit into the room left does not keep out those behind it. */
function fitting<T>(all: readonly T[], lengthOf: (each: T) => number, most: number): T[] {
  let left = most;
  return all.filter((each) => {
    const length = lengthOf(each);
    const fits = length <= left;
    left -= fits ? length : 0;
    return fits;
  });
}

function readSetCookie(line: string, url: string, now: number): SetCookie | null {
  const [pair = '', ...rest] = line.split(';');
  // Without an equals sign all of it is the value, as in browsers.
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, equals)).trim();
  const value = pair.slice(equals + 1).trim();
  if (line.length > LONGEST_COOKIE || !NAME.test(name) || !VALUE.test(value)) {
    return null;
  }
  // A cookie like this would be taken for another one when it is sent without a name.
  if (name === '' && (value === '' || /=|^__(?:secure|host)-/i.test(value))) {
    return null;
  }
  const attributes = new Map(
    rest.map((text) => {
      const at = text.indexOf('=');
      const key = (at < 0 ? text : text.slice(0, at)).trim().toLowerCase();
      return [key, at < 0 ? '' : text.slice(at + 1).trim()] as const;
    }),
  );
  const domain = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
  const { hostname, protocol } = new URL(url);
  if (domain !== '' && hostname !== domain && !hostname.endsWith(`.${domain}`)) {
    return null;
  }
  const isSecure = attributes.has('secure');
  if (isSecure && protocol !== 'https:') {
    return null;
  }
  if (/^__(?:secure|host)-/i.test(name) && !isSecure) {
    return null;
  }
  const given = attributes.get('path') ?? '';
  if (/^__host-/i.test(name) && (domain !== '' || given !== '/')) {
    return null;
  }
  const path = given.startsWith('/') ? given : defaultPath(url);
  return { name, value: isOver(attributes, now) ? null : value, path };
}

function isOver(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const maxAge = attributes.get('max-age');
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) {
    return Number(maxAge) <= 0;
  }
  // An invalid date gives NaN, which is not before anything.
  return Date.parse(attributes.get('expires') ?? '') < now;
}

const bare = (url: string): string => pathOf(url).replace(/\?.*$/s, '');

/** RFC 6265, 5.1.4. */
function defaultPath(url: string): string {
  const path = bare(url);
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

const covers = (path: string, asked: string): boolean =>
  asked === path || (asked.startsWith(path) && (path.endsWith('/') || asked[path.length] === '/'));

/**
 * The Cookie header of a request, made of the cookies that answers of its own origin set, in their order, as far as they fit; null if there
 * is nothing to send.
 */
export function cookieHeader(
  answers: readonly { url: string; cookies: readonly SetCookie[] }[],
  url: string,
): string | null {
  const origin = originOf(url);
  const asked = bare(url);
  const jar = new Map<string, SetCookie>();
  for (const answer of answers) {
    if (originOf(answer.url) !== origin) {
      continue;
    }
    for (const cookie of answer.cookies) {
      const key = `${cookie.name};${cookie.path}`;
      if (cookie.value === null) {
        jar.delete(key);
      } else {
        jar.set(key, cookie);
      }
    }
  }
  const sent = [...jar.values()]
    .filter(({ path }) => covers(path, asked))
    .sort((a, b) => b.path.length - a.path.length)
    .map(({ name, value }) => (name === '' ? `${value}` : `${name}=${value}`));
  return fitting(sent, ({ length }) => length + SEPARATOR.length, LONGEST_HEADER).join(SEPARATOR) || null;
}
