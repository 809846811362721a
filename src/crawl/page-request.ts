import type { FetchRequest } from '../fetch/contract.js';
import type { Lease, Outcome } from '../frontier/frontier.js';
import { isCssType, isHtmlType } from '../parse/media-type.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { hasBinaryExtension } from '../url/host.js';

export interface RequestLimits {
  robotsTimeoutMs: number;
  sitemapMaxBytes: number;
  /** There is no HEAD: each page is asked for once, whatever its name looks like. */
  wholeOnly: boolean;
}

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const TEXT = /^\s*(?:text\/|application\/(?:xhtml\+xml|xml|json|javascript|rss|atom)|[^;]+\+(?:xml|json))/i;
/** HEAD is refused, or answered as if the page were not there, by servers that never tested it; only "too fast" means what it says. */
const isHeadRefused = (status: number): boolean => status >= 400 && status !== 429;
/** So much of what is looked at a second time, and not crawled. */
const SECOND_LOOK_BYTES = 64 * 1024;
/** Of robots.txt at least so much is read (RFC 9309 §2.5), whatever --max-body says. */
const ROBOTS_BYTES = 512 * 1024;

/** How a leased URL is asked for: what looks binary, and what is only checked, by HEAD first. */
export function requestFor(lease: Lease, limits: RequestLimits): FetchRequest {
  const { kind, flags } = lease;
  const firstBytes = wantedBytes(lease);
  const whole = (flags & (UrlFlag.wholeGet | UrlFlag.seed | UrlFlag.secondLook | UrlFlag.anchors)) !== 0;
  const checkedOnly = (flags & (UrlFlag.external | UrlFlag.asset)) !== 0;
  const head =
    !limits.wholeOnly &&
    kind === UrlKind.page &&
    firstBytes === null &&
    !whole &&
    (checkedOnly || hasBinaryExtension(lease.url));
  return {
    url: lease.url,
    method: head ? 'HEAD' : 'GET',
    ...(firstBytes === null ? {} : { firstBytes }),
    accept: kind === UrlKind.robots ? 'text/plain,*/*;q=0.5' : kind === UrlKind.asset ? '*/*' : ACCEPT,
    singleConnection: lease.paced,
    ...(lease.cookie === undefined ? {} : { cookie: lease.cookie }),
    ...((flags & UrlFlag.secondLook) === 0 ? {} : { freshConnection: true }),
    ...(lease.ifModified === undefined ? {} : { ifModified: lease.ifModified }),
    wantBody: kind === UrlKind.page || kind === UrlKind.probe ? wantsPageBody : () => true,
    ...(kind === UrlKind.robots ? { timeoutMs: limits.robotsTimeoutMs, leastMaxBodyBytes: ROBOTS_BYTES } : {}),
    ...(kind === UrlKind.sitemap ? { leastMaxBodyBytes: limits.sitemapMaxBytes } : {}),
  };
}

/** Null: all of it. */
function wantedBytes({ kind, flags }: Lease): number | null {
  if ((flags & UrlFlag.rangedGet) !== 0) {
    return 1;
  }
  const isSecond = (flags & (UrlFlag.secondLook | UrlFlag.anchors)) === UrlFlag.secondLook;
  const isPage = kind === UrlKind.page && (flags & (UrlFlag.external | UrlFlag.asset)) === 0;
  return kind === UrlKind.probe || (isSecond && !isPage) ? SECOND_LOOK_BYTES : null;
}

/** A file that is there and empty has no first byte; and a part of it says that all of it is there. */
export const statusOf = (request: FetchRequest, status: number): number =>
  (status === 416 || status === 206) && request.firstBytes !== undefined ? 200 : status;

/** What a HEAD leaves open. */
export function afterHead(
  lease: Lease,
  status: number,
  contentType: string | null,
  readsCss: boolean,
): Outcome['askAgain'] {
  if (isHeadRefused(status)) {
    return 'ranged';
  }
  const external = (lease.flags & UrlFlag.external) !== 0;
  const isRead = isHtmlType(contentType) || (readsCss && isCssType(contentType));
  return !external && status >= 200 && status < 300 && isRead ? 'whole' : null;
}

const wantsPageBody = (_status: number, contentType: string | null): boolean =>
  contentType === null || TEXT.test(contentType);
