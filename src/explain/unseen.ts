import { printable } from '../base/text.js';
import type { Reader } from '../store/reader.js';
import type { TrapResult } from '../store/trap-reader.js';
import { allowTrapFlag, queryPatternOf, shapeOf, trapCause } from '../url/traps.js';
import { type CrawlRules, rule } from './crawl-rules.js';
import type { DecidingRule, Explanation, RobotsSays } from './explanation.js';

const NEVER = 'never seen: no page that was fetched links to it, and no sitemap lists it';

/** Where links were left out, nobody knows what they lead to. */
function notSeen(reader: Reader): string {
  const { links, pages } = reader.cutLinks();
  if (links === 0) {
    return NEVER;
  }
  const count = (n: number, what: string) => `${n.toLocaleString('en-US')} ${what}${n === 1 ? '' : 's'}`;
  return `not seen: no link that was kept leads to it, and no sitemap lists it; it may be behind one of the ${count(links, 'link')} that were left out of ${count(pages, 'page')} (too_many_links)`;
}

/** What would become of a URL if a page that is crawled linked to it. In the order in which a crawl asks. */
export function judgeAfresh(
  url: string,
  { rules, reader, robots }: { rules: CrawlRules; reader: Reader; robots: RobotsSays | null },
): Pick<Explanation, 'state' | 'reason' | 'what' | 'rule' | 'trap'> {
  const never = notSeen(reader);
  const unseen = (reason: string | null, would: string, decided: DecidingRule, trap: Explanation['trap'] = null) =>
    ({ state: 'unseen', reason, what: `${never}; ${would}`, rule: decided, trap }) as const;
  const scope = rules.scope(url);
  if (!scope.admits) {
    return scope.reason === 'scope' && rules.options.external
      ? unseen(null, 'a link to it would be checked once', rule('scope', `--external: ${scope.rule.text}`))
      : unseen(scope.reason, 'it would not be fetched', scope.rule);
  }
  const looks = rules.trap(url);
  const trap =
    looks === null
      ? cutAlready(url, reader)
      : { pattern: looks, cause: trapCause(looks, rules.options), count: 0, examples: [] };
  if (trap !== null) {
    const decided = rule('trap', `${printable(trap.pattern)}: ${printable(trap.cause)}`);
    return unseen('trap', 'it would be cut as a trap', decided, { ...trap, allow: allowTrapFlag(trap.pattern) });
  }
  if (robots !== null && !robots.allowed) {
    return unseen('robots', 'it would not be fetched', rule('robots', robots.why, robots.line));
  }
  const unknown = robots === null ? '; its robots.txt is not known yet' : '';
  return unseen(null, `it would be fetched if one did${unknown}`, scope.rule);
}

/** The pattern of a quarantine that the URL would fall under. */
function cutAlready(url: string, reader: Reader): TrapResult | null {
  const patterns = [queryPatternOf(url), shapeOf(url)].filter((pattern) => pattern !== null && pattern !== url);
  return patterns.map((pattern) => reader.traps.named(pattern!)).find((trap) => trap !== null) ?? null;
}
