/** Why a link was not looked at, or not wholly. The order is that of the closing line. */
export const UNCHECKED_CAUSES = [
  'too_long',
  'too_many_links',
  'sitemap',
  'robots',
  'robots_unreachable',
  'put_off',
  'blocked_address',
  'cache',
  'not_kept',
  'offline',
  'trap',
  'limit',
  'stop',
] as const;
/** Why a link was not looked at. */
export type UncheckedCause = (typeof UNCHECKED_CAUSES)[number];

/** Links by cause; only those that there are. */
export type UncheckedCounts = Partial<Record<UncheckedCause, number>>;

/** As it follows a number. */
export const UNCHECKED_WORDS: Readonly<Record<UncheckedCause, string>> = {
  too_long: 'too long',
  too_many_links: 'cut from pages that lead to too much',
  sitemap: 'sitemap unread',
  robots: 'robots.txt',
  robots_unreachable: 'robots.txt out of reach',
  put_off: 'host put off',
  blocked_address: 'blocked address',
  cache: 'cache missing',
  not_kept: 'not in the crawl',
  offline: 'on the net',
  trap: 'page of a trap unread',
  limit: 'beyond a limit',
  stop: 'stopped',
};

/** Causes for which only the number of links is reported: there may be very many, all for one reason. */
const ONLY_COUNTED: ReadonlySet<UncheckedCause | null> = new Set([
  'not_kept',
  'offline',
  'trap',
  'limit',
  'stop',
] as const);
export const isOnlyCounted = (cause: UncheckedCause | null): boolean => ONLY_COUNTED.has(cause);

/** Of a page in scope: links that stand on it, or are behind it, may have been seen by another run. */
const HIDES_LINKS: ReadonlySet<UncheckedCause | null> = new Set([
  'too_long',
  'sitemap',
  'robots',
  'blocked_address',
  'cache',
  'not_kept',
  'robots_unreachable',
  'put_off',
  'trap',
  'limit',
  'stop',
] as const);
export const hidesLinks = (cause: UncheckedCause | null): boolean => HIDES_LINKS.has(cause);

export const uncheckedTotal = (counts: UncheckedCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
