import { formatCount } from '../base/figures.js';
import { formatMoment } from '../base/text.js';
import type { CrawlOptions } from '../config/options.js';
import type { FrontierEvents } from '../frontier/options.js';
import { MAX_SITEMAP_FILES } from '../store/url-state.js';
import { originOf } from '../url/host.js';
import { hostForPeople } from '../url/host-display.js';
import { allowTrapFlag, isLengthTrap, isTrapByLooks, trapCause } from '../url/traps.js';
import type { EventCode } from '../watch/events.js';

/** How many of each sort are shown while the crawl runs: ten thousand seeds may all redirect, and a hostile site may make a trap of every folder. */
const MOST_TOLD_OF_A_SORT = 20;

const MOST_KEPT = 1_000;

/** The code of each sort, for the log. */
const CODES: Readonly<Record<string, EventCode>> = {
  'seeds that redirect': 'seed_redirected',
  'hosts that are put off': 'host_deferred',
  'hosts with a long Crawl-delay': 'crawl_delay_long',
  'hosts whose robots.txt cannot be reached': 'robots_unanswered',
  'hosts with too many sitemap files': 'sitemaps_cut',
  'threads that died': 'thread_died',
  traps: 'trap_cut',
  'decisions of the governor': 'governed',
};

/** Events that are worth a sentence. */
export class Notices {
  /** Goes into the summary, whatever its sort. */
  readonly kept: string[] = [];
  readonly #tell: (text: string, code: EventCode, trap: string | null) => void;
  readonly #told = new Map<string, number>();

  constructor(tell: (text: string, code: EventCode, trap: string | null) => void) {
    this.#tell = tell;
  }

  /**
   * @param sort what it is about, in words that follow "more of"; null if there can be only few.
   * @param trap the pattern of a trap that a user may let in while the crawl runs
   */
  add(text: string, sort: string | null = null, trap: string | null = null): void {
    if (this.kept.length < MOST_KEPT) {
      this.kept.push(text);
    }
    const told = (this.#told.get(sort ?? '') ?? 0) + 1;
    this.#told.set(sort ?? '', told);
    const code = sort === null ? 'notice' : (CODES[sort] ?? 'notice');
    if (sort === null || told <= MOST_TOLD_OF_A_SORT) {
      this.#tell(text, code, trap);
    } else if (told === MOST_TOLD_OF_A_SORT + 1) {
      this.#tell(
        `and more ${sort}: those that follow are not shown; summary.json has the first ${MOST_KEPT} notices`,
        code,
        null,
      );
    }
  }
}

type Told = Pick<
  FrontierEvents,
  'scopeGrew' | 'hostDeferred' | 'crawlDelayTooLong' | 'robotsUnanswered' | 'trapCut' | 'sitemapsCut'
>;

/**
 * Puts the frontier's decisions into words.
 * @param asksTraps URLs that are cut as traps are requested but not read
 * @param getsHeaders whether the user's headers and passwords go to this origin; null if there are none
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
      const count = `${formatCount(urls)} ${urls === 1 ? 'URL' : 'URLs'}`;
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
          ? `${hostForPeople(host)} has more than ${formatCount(MAX_SITEMAP_FILES)} sitemap files: the others are not read`
          : `${hostForPeople(host)}: ${formatCount(files)} sitemap files were not read: ${formatCount(MAX_SITEMAP_FILES)} of a host are`,
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
        isTrapByLooks(pattern) ? null : pattern,
      ),
  };
}
