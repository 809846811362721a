import { formatMoment } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import type { FrontierEvents } from '../frontier/embedded/frontier-state.js';
import { MAX_SITEMAP_FILES } from '../store/url-state.js';
import { originOf } from '../url/host.js';
import { hostForPeople } from '../url/host-display.js';
import { allowTrapFlag, isLengthTrap, trapCause } from '../url/traps.js';
import type { Notices } from './notices.js';

type Told = Pick<
  FrontierEvents,
  'scopeGrew' | 'hostDeferred' | 'crawlDelayTooLong' | 'robotsUnanswered' | 'trapCut' | 'sitemapsCut'
>;

/**
 * What the frontier decides, in words for people.
 * @param asksTraps what is cut as a trap is asked for, and not read
 * @param getsHeaders whether headers and passwords of the user's go to this origin; null where there are none
 */
export function frontierWords(
  notices: Notices,
  options: CrawlOptions,
  asksTraps: boolean,
  getsHeaders: ((origin: string) => boolean) | null,
): Told {
  return {
    scopeGrew: ({ label, scopeUrls }) => {
      const origin = originOf(scopeUrls.at(-1)!);
      const unsent =
        getsHeaders === null || getsHeaders(origin)
          ? ''
          : `; your -H and --user are not sent there: name it as the seed, or use -H '${origin}|Name: value'`;
      notices.add(
        `${label} redirects to ${scopeUrls.at(-1)}: its scope counts that too${unsent}`,
        'seeds that redirect',
      );
    },
    hostDeferred: (host, reason, urls, until) => {
      const end = until > 0 ? `, until ${formatMoment(until)}` : '';
      const count = `${urls.toLocaleString('en-US')} ${urls === 1 ? 'URL' : 'URLs'}`;
      notices.add(`${hostForPeople(host)}: ${count} deferred (${reason}${end})`, 'hosts that are put off');
    },
    crawlDelayTooLong: (host, delayMs) =>
      notices.add(
        `${hostForPeople(host)} asks for a Crawl-delay of ${delayMs / 1000} s, more than --max-crawl-delay: one page at that pace, the rest deferred`,
        'hosts with a long Crawl-delay',
      ),
    robotsUnanswered: (origin) =>
      notices.add(
        `${origin}: robots.txt cannot be reached, and its pages are asked for all the same (--robots-unreachable allow)`,
        'hosts whose robots.txt cannot be reached',
      ),
    sitemapsCut: (host, files) =>
      notices.add(
        files === null
          ? `${hostForPeople(host)} has more than ${MAX_SITEMAP_FILES.toLocaleString('en-US')} sitemap files: the others are not read`
          : `${hostForPeople(host)}: ${files.toLocaleString('en-US')} sitemap files were not read: ${MAX_SITEMAP_FILES.toLocaleString('en-US')} of a host are`,
        'hosts with too many sitemap files',
      ),
    trapCut: (pattern) =>
      notices.add(
        isLengthTrap(pattern)
          ? `${pattern} is cut: ${trapCause(pattern, options)}; only the beginning is kept: a new crawl with ${allowTrapFlag(pattern)} fetches it`
          : asksTraps
            ? `trap: ${pattern} is asked for and not read: ${trapCause(pattern, options)}; ${allowTrapFlag(pattern)} reads it all the same`
            : `trap: ${pattern} is cut: ${trapCause(pattern, options)}; ${allowTrapFlag(pattern)} fetches it all the same`,
        'traps',
      ),
  };
}
