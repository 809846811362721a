import { isHttp } from './host.js';

/**
 * Routes of programs that run in a browser: `#/about`, `#!about`, `#!/about`. Where they count as pages (--hash-routes), the URL of one is that of
 * its page with the fragment kept; no other URL in normal form has a `#`. The program is given the route by the browser alone: no server ever sees it.
 */

/** At least one character behind the sign: `#/` alone is the page itself. */
const ROUTE = /^#(?:!?\/|!)[^/]/;

/** The route that an href names, as it stands in a URL; null if it names none. */
export function routeIn(href: string): string | null {
  const hash = href.indexOf('#');
  if (hash < 0 || !ROUTE.test(href.slice(hash))) {
    return null;
  }
  // A parser of URLs escapes what has to be, and drops what cannot stand there.
  const fragment = URL.canParse(href, 'http://page.invalid/') ? new URL(href, 'http://page.invalid/').hash : '';
  const directive = fragment.indexOf(':~:');
  const route = directive < 0 ? fragment : fragment.slice(0, directive);
  return ROUTE.test(route) ? route : null;
}

/** Whether it is a route, of URLs that are in the store. */
export const isRoute = (url: string): boolean => isHttp(url) && url.includes('#');

/** The page that a route belongs to, which is the URL that is requested. */
export function pageOfRoute(url: string): string {
  const hash = isHttp(url) ? url.indexOf('#') : -1;
  return hash < 0 ? url : url.slice(0, hash);
}

/** From the `#` on; empty if it is not a route. */
export const fragmentOfRoute = (url: string): string => url.slice(pageOfRoute(url).length);
