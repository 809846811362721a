import type { Random } from './random.js';

/**
 * Other ways to write a URL that is in normal form. `sameUrl` gives hrefs that WHATWG parsing, without the fragment and with
 * percent-escapes in upper case, leads back to it; `nearUrls` gives URLs that look alike and must never be merged with it.
 */
type Spelling = (to: URL, base: URL) => string | null;

const pathAndQuery = (url: URL): string => url.href.slice(url.origin.length);
/** `//x` at the start of an href would be read as a host. */
const hasEmptySegment = (url: URL): boolean => url.pathname.includes('//');
const sameOrigin = (to: URL, base: URL): boolean => to.origin === base.origin;

const rootRelative: Spelling = (to, base) => (sameOrigin(to, base) && !hasEmptySegment(to) ? pathAndQuery(to) : null);

const relative: Spelling = (to, base) => {
  if (!sameOrigin(to, base) || hasEmptySegment(to) || hasEmptySegment(base)) {
    return null;
  }
  const here = base.pathname.split('/').slice(1, -1);
  const there = to.pathname.split('/').slice(1);
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) {
    shared++;
  }
  const rest = there.slice(shared).join('/');
  const query = pathAndQuery(to).slice(to.pathname.length);
  return `${'../'.repeat(here.length - shared) || './'}${rest}${query}`;
};

/** Applies a change to the path as written from the root; the query stays. */
const withPath =
  (change: (pathname: string) => string): Spelling =>
  (to, base) => {
    if (!sameOrigin(to, base) || hasEmptySegment(to)) {
      return null;
    }
    const changed = change(to.pathname);
    return changed === to.pathname ? null : changed + pathAndQuery(to).slice(to.pathname.length);
  };

const withFragment: Spelling = (to) => `${to.href}#section-2`;
const upperCaseHost: Spelling = (to) => `HTTP://${to.host.toUpperCase()}${pathAndQuery(to)}`;

const SAME: readonly Spelling[] = [
  rootRelative,
  rootRelative,
  relative,
  relative,
  (to) => to.href,
  withFragment,
  upperCaseHost,
  (to) => `http://${to.host}:80${pathAndQuery(to)}`,
  (to) => `//${to.host}${pathAndQuery(to)}`,
  (to) => `http://%${to.host.charCodeAt(0).toString(16)}${to.host.slice(1)}${pathAndQuery(to)}`,
  (to) => `  ${to.href}\n`,
  (to) => `${to.href.slice(0, 9)}\t${to.href.slice(9)}`,
  (to, base) => (relative(to, base) === null ? null : `${relative(to, base)}#`),
  withPath((pathname) => `/./${pathname.slice(1)}`),
  withPath((pathname) => `/detour/..${pathname}`),
  withPath((pathname) => `/%2e${pathname}`),
  withPath((pathname) => `/detour/%2E%2e${pathname}`),
  withPath((pathname) => pathname.replaceAll('/', '\\')),
  withPath((pathname) => pathname.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())),
  withPath((pathname) => pathname.replaceAll('%C3%A9', 'é').replaceAll('%20', ' ')),
];

/** What a Location header can hold: neither white space nor letters beyond ASCII. */
const SAME_IN_HEADER: readonly Spelling[] = [(to) => to.href, rootRelative, relative, withFragment, upperCaseHost];

const respell = (spelling: Spelling, to: URL, base: URL): string =>
  spelling(to, base) ?? rootRelative(to, base) ?? to.href;

export const sameUrl = (random: Random, to: string, base: string): string =>
  respell(random.pick(SAME), new URL(to), new URL(base));

export const sameLocation = (random: Random, to: string, base: string): string =>
  respell(random.pick(SAME_IN_HEADER), new URL(to), new URL(base));

const nearPaths: readonly ((path: string) => string)[] = [
  (path) => path.replace(/(?<!%|%.)[a-z](?=[^/?]*$)/, (letter) => letter.toUpperCase()),
  (path) => (path.includes('?') ? path : path.endsWith('/') ? path.slice(0, -1) : `${path}/`),
  (path) => (path.includes('?') ? path : `${path}?`),
  (path) => path.replace('~', '%7E'),
  (path) => path.replace(/\?([^&]+)&([^&]+)$/, '?$2&$1'),
  (path) => (path.endsWith('/') ? `${path}index.html` : path),
  (path) => path.replace(/(?<=.)\/(?=[^/?]+$)/, '//'),
  (path) => path.replace(/(?<=.)\/(?=[^/?]+$)/, '%2F'),
  (path) => (path.includes('?') ? `${path}&x=` : `${path};v=2`),
];

/** Different URLs of the same origin that a careless crawler would fold into this one. */
export function nearUrls(url: string): string[] {
  const { origin } = new URL(url);
  const path = url.slice(origin.length);
  const near = nearPaths.map((change) => change(path)).filter((changed) => changed !== path && changed !== '');
  return near.map((changed) => origin + changed);
}
