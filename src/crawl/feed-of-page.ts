import { isHttp, originOf } from '../url/host.js';

/**
 * Whether a feed is about the one page that names it, such as the comments that WordPress has for each post (`/a-post/feed/` of `/a-post/`,
 * `/?feed=rss2&p=1` of `/?p=1`) or the replies of a topic (`/t/1.rss` of `/t/1`): it lies below that page. The page at the root of a host names
 * the feeds of the whole site. What a section names below itself its pages name too, and for them it does not lie below.
 *
 * It goes by the two URLs alone, so the feeds that are read are the same in whatever order pages come.
 */
export function isFeedOfPage(feedUrl: string, pageUrl: string): boolean {
  if (!isHttp(pageUrl) || originOf(feedUrl) !== originOf(pageUrl)) {
    return false;
  }
  const feed = new URL(feedUrl);
  const page = new URL(pageUrl);
  if (page.search !== '') {
    const asked = [...page.searchParams];
    return (
      feed.pathname === page.pathname && asked.every(([name, value]) => feed.searchParams.getAll(name).includes(value))
    );
  }
  const path = page.pathname.replace(/\/$/, '');
  return path !== '' && (feed.pathname.startsWith(`${path}/`) || feed.pathname.startsWith(`${path}.`));
}
