import type { ErrorClass } from '../base/errors.js';
import type { RobotsAnswer } from '../frontier/frontier.js';
import { compactRobots, parseRobots } from '../hosts/robots.js';
import type { FetchedPage } from './reading.js';

/** No request for robots.txt can get through: that is the result of each URL of its origin. Anything else is a server that does not answer. */
const HOST_ERRORS: ReadonlySet<ErrorClass> = new Set([
  'dns',
  'connection_refused',
  'tls',
  'blocked_address',
  'invalid_url',
  'internal',
] as const);

/** What the status says (RFC 9309 §2.3.1), and for a 2xx the rules. `url` is where the file was found. */
export function robotsAnswer(page: FetchedPage, agent: string, url: string): RobotsAnswer {
  // Of rules that broke off nobody knows what they would have forbidden.
  if (page.status === 429 || page.status >= 500 || page.truncated) {
    return { standing: 'unreachable' };
  }
  if (page.status < 200 || page.status >= 300 || page.body === null) {
    return { standing: 'rules', rules: null, crawlDelayMs: null, sitemaps: [], maxAgeMs: null };
  }
  const file = parseRobots(page.body, agent, url);
  return {
    standing: 'rules',
    rules: file.rules.length === 0 ? null : compactRobots({ ...file, sitemaps: [] }),
    crawlDelayMs: file.crawlDelayMs,
    sitemaps: file.sitemaps,
    maxAgeMs: null,
  };
}

export const robotsFailure = (errorClass: ErrorClass): RobotsAnswer =>
  HOST_ERRORS.has(errorClass) ? { standing: 'failed', errorClass } : { standing: 'unreachable' };
