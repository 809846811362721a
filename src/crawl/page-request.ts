import type { FetchRequest } from '../fetch/contract.js';
import type { Lease, Outcome } from '../frontier/frontier.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { hasBinaryExtension } from '../url/host.js';

export interface RequestLimits {
  robotsTimeoutMs: number;
  sitemapMaxBytes: number;
  /** There is no HEAD: each page is asked for once, whatever its name looks like. */
  wholeOnly: boolean;
}

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const TEXT = /^\s*(?:text\/|application\/(?:xhtml\+xml|xml|json|javascript|rss|atom)|[^;]+\+(?:xml|json))/i;
/** HEAD is refused, or answered as if the page were not there, by servers that never tested it. */
const HEAD_REFUSALS = new Set([400, 403, 404, 405, 501]);
/** Of robots.txt at least so much is read (RFC 9309 §2.5), whatever --max-body says. */
const ROBOTS_BYTES = 512 * 1024;

/** How a leased URL is asked for: what looks binary, and what is only checked, by HEAD first. */
export function requestFor(lease: Lease, limits: RequestLimits): FetchRequest {
  const { kind, flags } = lease;
  const external = (flags & UrlFlag.external) !== 0;
  const ranged = (flags & UrlFlag.rangedGet) !== 0;
  const whole = (flags & (UrlFlag.wholeGet | UrlFlag.seed)) !== 0;
  const head =
    !limits.wholeOnly && kind === UrlKind.page && !ranged && (external || (!whole && hasBinaryExtension(lease.url)));
  return {
    url: lease.url,
    method: head ? 'HEAD' : 'GET',
    range: ranged,
    accept: kind === UrlKind.robots ? 'text/plain,*/*;q=0.5' : ACCEPT,
    singleConnection: lease.paced,
    wantBody: kind === UrlKind.page ? wantsPageBody : () => true,
    ...(kind === UrlKind.robots ? { timeoutMs: limits.robotsTimeoutMs, leastMaxBodyBytes: ROBOTS_BYTES } : {}),
    ...(kind === UrlKind.sitemap ? { leastMaxBodyBytes: limits.sitemapMaxBytes } : {}),
  };
}

/** What a HEAD leaves open. */
export function afterHead(lease: Lease, status: number, contentType: string | null): Outcome['askAgain'] {
  if (HEAD_REFUSALS.has(status)) {
    return 'ranged';
  }
  const external = (lease.flags & UrlFlag.external) !== 0;
  return !external && status >= 200 && status < 300 && contentType !== null && HTML.test(contentType) ? 'whole' : null;
}

const wantsPageBody = (_status: number, contentType: string | null): boolean =>
  contentType === null || TEXT.test(contentType);
