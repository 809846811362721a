import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import { resumeCommand } from '../store/directory.js';
import type { PageResult } from '../store/page-types.js';
import type { Reader } from '../store/reader.js';
import type { TrapResult } from '../store/traps.js';
import type { StoredPlace, StoredUrl } from '../store/url-facts.js';
import { MAX_SITEMAP_DEPTH, MAX_SITEMAP_FILES, UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { allowTrapFlag, isLengthTrap, queryPatternOf, shapeOf, trapCause } from '../url/traps.js';
import { type CrawlRules, decidingRule, keptRobotsLine, robotsTroubleAt } from './crawl-rules.js';
import type { DecidingRule, ExplainedState, Explanation, RobotsSays } from './explanation.js';

/** What became of a URL, and what decided it. */
type Fate = Pick<Explanation, 'state' | 'reason' | 'what' | 'rule' | 'remedy'>;

interface FateParts {
  rules: CrawlRules;
  row: StoredUrl;
  page: PageResult;
  place: StoredPlace | null;
  trap: TrapResult | null;
  robots: RobotsSays | null;
  heldBack: number;
  /** What the hook `link` said of the links that it skipped. */
  hookWords: readonly string[];
  /** Only forms lead to the URL. */
  onlyForms: boolean;
  crawl: Explanation['crawl'];
}

export function fateOf(parts: FateParts): Fate {
  const { row, crawl } = parts;
  switch (row.state) {
    case UrlState.queued:
    case UrlState.leased:
      return crawl.truncated === null ? waits(parts) : leftBehind(parts, crawl.truncated);
    case UrlState.done:
    case UrlState.failed:
      return answered(parts);
    case UrlState.skipped:
      return skipped(parts);
    case UrlState.deferred:
      return deferred(parts);
    case UrlState.unlisted:
      return unlisted(parts);
  }
}

/** The rule that lets the URL in. */
function admitted({ rules, row }: FateParts): DecidingRule {
  const isSeed = (row.flags & UrlFlag.seed) !== 0 && row.depth === 0;
  const decision = rules.scope(row.url);
  if (isSeed && (row.parent === null || !decision.admits)) {
    return decidingRule('seed', row.parent === null ? 'it is a seed' : 'a seed redirects to it');
  }
  if ((row.flags & UrlFlag.added) !== 0 && !decision.admits) {
    return decidingRule(
      'added',
      row.parent === null ? 'it was added by hand' : 'a URL that was added by hand redirects to it',
    );
  }
  return (row.flags & UrlFlag.external) !== 0
    ? decidingRule('scope', `--external: ${decision.rule.text}`)
    : decision.rule;
}

function waits(parts: FateParts): Fate {
  const { row, crawl } = parts;
  const isLeased = row.state === UrlState.leased && crawl.running;
  const state: ExplainedState = isLeased ? 'leased' : 'queued';
  const what = isLeased ? 'being fetched' : row.attempts > 0 ? 'waits to be asked again' : 'waits to be fetched';
  return {
    state,
    reason: null,
    what,
    rule: admitted(parts),
    remedy: crawl.running ? null : resumeCommand(crawl.directory),
  };
}

const LIMIT_FLAGS: Readonly<Record<string, (rules: CrawlRules) => string>> = {
  max_urls: ({ options }) => `--max-urls ${options.maxUrls}`,
  duration: ({ options }) => `--duration ${(options.durationMs ?? 0) / 1000}s`,
  max_bytes: ({ options }) => `--max-bytes ${options.maxBytes}`,
};

/** A limit on the whole crawl ended it while the URL was in the queue. */
function leftBehind({ rules, crawl }: FateParts, truncated: string): Fate {
  const text = LIMIT_FLAGS[truncated]?.(rules) ?? truncated;
  const flag = truncated === 'max_urls' ? `--max-urls ${(rules.options.maxUrls ?? 0) * 2}` : '';
  return {
    state: 'skipped',
    reason: 'limit',
    what: `not fetched: ${text} ended the crawl before its turn came`,
    rule: decidingRule('limit', text),
    remedy: resumeCommand(crawl.directory, flag),
  };
}

function answered(parts: FateParts): Fate {
  const { page, row, place } = parts;
  const { state, reason, status, message } = page;
  const done = { state, reason, remedy: null } as const;
  const http = status === null ? '' : `HTTP ${status}`;
  const said = message === null ? '' : `: ${printable(message)}`;
  if (state === 'done') {
    const leads = status !== null && status >= 300 && status < 400 && page.finalUrl !== row.url;
    if (parts.trap !== null) {
      return { ...done, ...trapFate(parts), what: `asked for: ${http}; its links were not read, it is part of a trap` };
    }
    const what = leads ? `fetched: ${http}, a redirect to ${printable(page.finalUrl ?? '')}` : `fetched: ${http}`;
    return { ...done, what, rule: admitted(parts) };
  }
  if (reason === 'redirect_loop') {
    return {
      ...done,
      what: `failed: ${http}, and its redirects go in a circle`,
      rule: decidingRule('redirects', 'a circle of redirects'),
    };
  }
  if (reason === 'redirect_limit') {
    const text = `--max-redirects ${parts.rules.options.maxRedirects}`;
    return { ...done, what: `failed: more redirects than ${text} allows`, rule: decidingRule('redirects', text) };
  }
  if (status !== null) {
    return { ...done, what: `failed (${reason}): ${http}${said}`, rule: decidingRule('answer', http) };
  }
  if (row.attempts === 0) {
    const why = place?.robotsMessage == null ? reason : printable(place.robotsMessage);
    const text = `robots.txt of ${printable(place?.origin ?? '')} cannot be had (${why}), and so nothing of it`;
    return { ...done, what: `failed (${reason}): ${text}`, rule: decidingRule('host', text) };
  }
  if (reason === 'internal' && message === null) {
    const text = 'each time fetched, the process was killed';
    return { ...done, what: `failed (internal): ${text}`, rule: decidingRule('crash', text) };
  }
  return {
    ...done,
    what: `failed (${reason})${said}`,
    rule: decidingRule('answer', message === null ? String(reason) : printable(message)),
  };
}

function skipped(parts: FateParts): Fate {
  const { row, page, rules, robots, crawl } = parts;
  const { reason } = row;
  const cut = { state: 'skipped', reason } as const;
  switch (reason) {
    case 'robots': {
      const line = keptRobotsLine(page.message) ?? robots;
      const text = line?.why ?? 'robots.txt';
      return {
        ...cut,
        what: `not fetched: robots.txt forbids it`,
        rule: decidingRule('robots', text, line?.line ?? null),
        remedy: null,
      };
    }
    case 'depth': {
      if (row.kind === UrlKind.sitemap) {
        return unreadSitemap(cut, `sitemap indexes nested deeper than ${MAX_SITEMAP_DEPTH} are not followed`);
      }
      const { text, isOfSeed } = rules.depthLimit(row.seed, row.url);
      const remedy = isOfSeed ? null : resumeCommand(crawl.directory, `--depth ${row.depth}`);
      return {
        ...cut,
        what: `not fetched: it is ${row.depth} ${row.depth === 1 ? 'link' : 'links'} away from a seed`,
        rule: decidingRule('depth', text),
        remedy,
      };
    }
    case 'nofollow': {
      const which = parts.heldBack === 1 ? 'the one link to it is' : `all ${parts.heldBack} links to it are`;
      return {
        ...cut,
        what: `not fetched: ${which} marked nofollow`,
        rule: decidingRule('nofollow', '--nofollow obey'),
        remedy: null,
      };
    }
    case 'hook':
      return {
        ...cut,
        what: 'not fetched: the hook request skipped it',
        rule: decidingRule('hook', page.message === null ? 'request' : `request: ${printable(page.message)}`),
        remedy: null,
      };
    case 'link_hook':
      return {
        ...cut,
        what: 'not fetched: the hook link wanted no link to it followed',
        rule: decidingRule('hook', ['link', wordsOfHook(parts.hookWords)].filter(Boolean).join(': ')),
        remedy: null,
      };
    case 'trap':
      return { ...cut, ...trapFate(parts), what: 'not fetched: it is part of what was taken for a trap' };
    default:
      return limited(parts);
  }
}

const MOST_HOOK_WORDS = 3;

/** Pages may differ in why: the first few of what was said. */
function wordsOfHook(words: readonly string[]): string {
  const more = words.length > MOST_HOOK_WORDS ? [`and ${words.length - MOST_HOOK_WORDS} other reasons`] : [];
  return [...words.slice(0, MOST_HOOK_WORDS).map(printable), ...more].join('; ');
}

const unreadSitemap = (cut: Pick<Fate, 'state' | 'reason'>, text: string): Fate => ({
  ...cut,
  what: `not read: ${text}`,
  rule: decidingRule('limit', text),
  remedy: null,
});

function trapFate({ trap, crawl }: FateParts): Pick<Fate, 'rule' | 'remedy'> {
  const text = trap === null ? 'a trap' : `${printable(trap.pattern)}: ${printable(trap.cause)}`;
  return {
    rule: decidingRule('trap', text),
    // Only the beginning of a URL that is too long is kept, so resuming this crawl cannot ask for it.
    remedy:
      trap === null || isLengthTrap(trap.pattern) ? null : resumeCommand(crawl.directory, allowTrapFlag(trap.pattern)),
  };
}

/** A limit on the URL's host or on its seed skipped it. */
function limited({ rules, row, place, crawl }: FateParts): Fate {
  if (row.kind === UrlKind.sitemap) {
    const most = formatCount(MAX_SITEMAP_FILES);
    return unreadSitemap({ state: 'skipped', reason: row.reason }, `${most} sitemap files of a host are read, no more`);
  }
  const own = rules.policyOfHost(place?.host ?? '');
  const perHost = own.maxUrls ?? rules.options.maxUrlsPerHost;
  const ofHost =
    own.maxUrls === undefined
      ? `--max-urls-per-host ${perHost}`
      : `${rules.entry(own.from.maxUrls!)} max-urls=${own.maxUrls}`;
  const isHost = perHost !== null && (place?.dispatched ?? 0) >= perHost;
  const seed = rules.seeds[row.seed];
  const text = isHost
    ? ofHost
    : seed?.maxUrls != null
      ? `max-urls=${seed.maxUrls} of the seed ${printable(seed.label)}`
      : ofHost;
  return {
    state: 'skipped',
    reason: row.reason,
    what: `not fetched: ${text} was reached before its turn came`,
    rule: decidingRule('limit', text),
    // An entry of `hosts` is changed where it stands.
    remedy:
      isHost && own.maxUrls === undefined ? resumeCommand(crawl.directory, `--max-urls-per-host ${perHost * 2}`) : null,
  };
}

const PUT_OFF: Readonly<Record<string, string>> = {
  backoff: 'it fails, and is left alone for longer than --max-wait',
  retry_after: 'its Retry-After is longer than --max-wait',
  quarantine: 'it failed --quarantine-after times in a row',
  crawl_delay: 'its Crawl-delay is longer than --max-crawl-delay',
  held: 'you put its host off while the crawl ran',
};

function deferred({ row, place, crawl }: FateParts): Fate {
  const isRobots = row.reason === 'robots_unreachable';
  const cause =
    isRobots && place !== null
      ? `${robotsTroubleAt(place)}, so nothing may be asked for`
      : (PUT_OFF[row.reason ?? ''] ?? String(row.reason));
  const until = place?.blockedUntil ?? 0;
  const hasEnd = until > 0 && ['backoff', 'retry_after', 'quarantine'].includes(row.reason ?? '');
  const end = hasEnd ? `, until ${new Date(until).toISOString()}` : '';
  const text = `${printable(place?.host ?? '')}: ${cause}${end}`;
  return {
    state: 'deferred',
    reason: row.reason,
    what: `put off with its host, ${text}`,
    rule: decidingRule('host', text),
    // Any resume tries a deferred URL again; only this one asks for it even if robots.txt stays unreachable.
    remedy: resumeCommand(crawl.directory, isRobots ? '--robots-unreachable allow' : ''),
  };
}

function unlisted({ row, rules, onlyForms }: FateParts): Fate {
  const fate = { state: 'unlisted', reason: row.reason, remedy: null } as const;
  if (row.reason === 'asset' && onlyForms) {
    return {
      ...fate,
      what: 'not fetched: only forms lead to it',
      rule: decidingRule('asset', 'forms are recorded and never sent'),
    };
  }
  if (row.reason === 'asset') {
    return {
      ...fate,
      what: 'not fetched: it is linked only as a picture, script, style sheet or the like',
      rule: decidingRule('asset', '--assets was not given'),
    };
  }
  if (row.reason === 'sitemap') {
    return {
      ...fate,
      what: 'not fetched: its site has a sitemap, which does not name it',
      rule: decidingRule(
        'sitemap',
        '--seeding-strategy auto: links are followed only where sitemaps yield nothing or lack many pages',
      ),
    };
  }
  const { rule: decided } = rules.scope(row.url);
  const what = row.reason === 'scheme' ? 'not fetched: it is no web page' : 'not fetched: it is out of scope';
  return { ...fate, what, rule: decided };
}

const NEVER = 'never seen: no page that was fetched links to it, and no sitemap lists it';

/** The sentence for a URL that no kept link leads to. Where links were left out of pages, the URL may be behind one of those. */
function notSeen(reader: Reader): string {
  const { links, pages } = reader.cutLinks();
  if (links === 0) {
    return NEVER;
  }
  const count = (n: number, what: string) => `${formatCount(n)} ${what}${n === 1 ? '' : 's'}`;
  return `not seen: no link that was kept leads to it, and no sitemap lists it; it may be behind one of the ${count(links, 'link')} that were left out of ${count(pages, 'page')} (too_many_links)`;
}

/** What would happen to a URL if a crawled page linked to it, asked in the order in which a crawl asks. */
export function judgeUnseen(
  url: string,
  { rules, reader, robots }: { rules: CrawlRules; reader: Reader; robots: RobotsSays | null },
): Pick<Explanation, 'state' | 'reason' | 'what' | 'rule' | 'trap'> {
  const never = notSeen(reader);
  const unseen = (reason: string | null, would: string, decided: DecidingRule, trap: Explanation['trap'] = null) =>
    ({ state: 'unseen', reason, what: `${never}; ${would}`, rule: decided, trap }) as const;
  const scope = rules.scope(url);
  if (!scope.admits) {
    return scope.reason === 'scope' && rules.options.external
      ? unseen(null, 'a link to it would be checked once', decidingRule('scope', `--external: ${scope.rule.text}`))
      : unseen(scope.reason, 'it would not be fetched', scope.rule);
  }
  const looks = rules.trap(url);
  const trap =
    looks === null
      ? cutAlready(url, reader)
      : { pattern: looks, cause: trapCause(looks, rules.options), count: 0, examples: [] };
  if (trap !== null) {
    const decided = decidingRule('trap', `${printable(trap.pattern)}: ${printable(trap.cause)}`);
    return unseen('trap', 'it would be cut as a trap', decided, { ...trap, allow: allowTrapFlag(trap.pattern) });
  }
  if (robots !== null && !robots.allowed) {
    return unseen('robots', 'it would not be fetched', decidingRule('robots', robots.why, robots.line));
  }
  const unknown = robots === null ? '; its robots.txt is not known yet' : '';
  return unseen(null, `it would be fetched if one did${unknown}`, scope.rule);
}

/** A pattern that is cut already and that the URL would fall under. */
function cutAlready(url: string, reader: Reader): TrapResult | null {
  const patterns = [queryPatternOf(url), shapeOf(url)].filter((pattern) => pattern !== null && pattern !== url);
  return patterns.map((pattern) => reader.traps.named(pattern!)).find((trap) => trap !== null) ?? null;
}
