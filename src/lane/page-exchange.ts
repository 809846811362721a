import type { Clock } from '../base/clock.js';
import { type ErrorClass, FetchError } from '../base/errors.js';
import { type Parcel, pack } from '../base/parcel.js';
import { ENDED_EARLY } from '../fetch/body.js';
import type { FetchRequest, FetchResponse } from '../fetch/contract.js';
import { parseRetryAfter } from '../fetch/response-headers.js';
import { failure, type Lease, type Outcome, pageOffer, type RobotsAnswer } from '../frontier/outcome.js';
import { isCssType, isHtmlType } from '../parse/media-type.js';
import { compactRobots } from '../robots/compact.js';
import { parseRobots } from '../robots/parse.js';
import type { KeptAnswer } from '../store/kept-answers.js';
import { type KeptBody, type PageRow, READABLE_TYPE, sealPage } from '../store/page-row.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { readSetCookies } from '../url/cookies.js';
import { hasBinaryExtension, isHttp } from '../url/host.js';
import { isShortened } from '../url/identity.js';
import { pageOfRoute } from '../url/routes.js';
import { ARCHIVED, archive } from '../warc/exchange.js';
import { agrees, type EarlierAnswer } from './earlier-pages.js';
import { refusalHeaders, TELLING_HEADERS } from './link-facts.js';
import type { PageReader } from './page-reader.js';
import {
  type FetchedPage,
  NO_BODY,
  type OutcomeReading,
  type PageReading,
  packBody,
  type ReaderOptions,
  type Reading,
  sha256,
  takeReading,
} from './reading.js';

export interface RequestLimits {
  robotsTimeoutMs: number;
  sitemapMaxBytes: number;
  /** Some URLs are routes: what is asked for is their page. */
  hasRoutes: boolean;
  /** There is no HEAD: each page is asked for once, whatever its name looks like. */
  wholeOnly: boolean;
  /** Exchanges are archived: what is in scope is asked for in full, and only what leaves the scope by HEAD. */
  archives: boolean;
  /** A PDF is a page too. */
  readsPdf: boolean;
}

/** What commands read besides the headers that have a field of their own. No cookie and nothing that a login gave is among them. */
const KEPT_HEADERS: ReadonlySet<string> = new Set(['location', 'x-robots-tag', 'retry-after', ...TELLING_HEADERS]);

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
  const url = limits.hasRoutes ? pageOfRoute(lease.url) : lease.url;
  const firstBytes = wantedBytes(lease);
  const whole =
    (flags & (UrlFlag.wholeGet | UrlFlag.seed | UrlFlag.added | UrlFlag.secondLook | UrlFlag.anchors)) !== 0;
  const checkedOnly = (flags & (UrlFlag.external | UrlFlag.asset)) !== 0;
  const isArchived = limits.archives && ((flags & UrlFlag.external) === 0 || (flags & UrlFlag.asset) !== 0);
  const head =
    !limits.wholeOnly &&
    !isArchived &&
    kind === UrlKind.page &&
    firstBytes === null &&
    !whole &&
    (checkedOnly || hasBinaryExtension(url));
  return {
    url,
    method: head ? 'HEAD' : 'GET',
    ...(firstBytes === null ? {} : { firstBytes }),
    accept: kind === UrlKind.robots ? 'text/plain,*/*;q=0.5' : kind === UrlKind.asset ? '*/*' : ACCEPT,
    singleConnection: lease.paced,
    ...(lease.cookie === undefined ? {} : { cookie: lease.cookie }),
    ...((flags & UrlFlag.secondLook) === 0 ? {} : { freshConnection: true }),
    ...(lease.ifModified === undefined ? {} : { ifModified: lease.ifModified }),
    ...(limits.archives ? { keepsWire: true } : {}),
    wantBody:
      kind === UrlKind.page || kind === UrlKind.probe ? (limits.readsPdf ? wantsPdfToo : wantsPageBody) : () => true,
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
const statusOf = (request: FetchRequest, status: number): number =>
  (status === 416 || status === 206) && request.firstBytes !== undefined ? 200 : status;

/** What a HEAD leaves open. */
function afterHead(lease: Lease, status: number, contentType: string | null, readsCss: boolean): Outcome['askAgain'] {
  if (isHeadRefused(status)) {
    return 'ranged';
  }
  const external = (lease.flags & UrlFlag.external) !== 0;
  const isRead = isHtmlType(contentType) || (readsCss && isCssType(contentType));
  return !external && status >= 200 && status < 300 && isRead ? 'whole' : null;
}

const wantsPageBody = (_status: number, contentType: string | null): boolean =>
  contentType === null || TEXT.test(contentType);

const wantsPdfToo = (status: number, contentType: string | null): boolean =>
  wantsPageBody(status, contentType) || /^\s*application\/pdf\b/i.test(contentType ?? '');

export const RENDERED_TYPE = 'text/html; charset=utf-8';

/** Makes the outcome of a lease of what came back for it. Whatever goes wrong in it is the outcome too, and takes no lane down. */
export class ResponseReader {
  readonly #options: ReaderOptions;
  readonly #pages: PageReader;
  readonly #clock: Clock;
  readonly #wholeOnly: boolean;
  readonly #asksNobody: boolean;
  /** Of the scope that links are judged by now. */
  scopeVersion = 0;

  /**
   * @param wholeOnly pages come from a source that knows no HEAD
   * @param asksNobody they come from a crawl that is kept
   */
  constructor(options: ReaderOptions, pages: PageReader, clock: Clock, wholeOnly: boolean, asksNobody = false) {
    this.#options = options;
    this.#pages = pages;
    this.#clock = clock;
    this.#wholeOnly = wholeOnly;
    this.#asksNobody = asksNobody;
  }

  /**
   * @param totalMs from the request to the last byte
   * @param earlier what the server was asked with, where an earlier crawl has the page
   */
  *read(
    lease: Lease,
    request: FetchRequest,
    response: FetchResponse,
    totalMs: number,
    earlier: EarlierAnswer | null = null,
  ): OutcomeReading {
    try {
      const at = response.answeredAt ?? this.#clock.wall();
      const archived = response.wire === undefined ? null : archiveOf(lease, request, response, totalMs, at);
      const outcome = yield* this.#read(lease, request, { ...response, answeredAt: at }, totalMs, earlier);
      return archived === null ? outcome : Object.assign(outcome, { archived });
    } catch (error) {
      return failure(lease, this.#clock.now(), 'internal', messageOf(error));
    }
  }

  /** A page of an earlier crawl that is young enough: nobody was asked. */
  *readYoung(lease: Lease, earlier: EarlierAnswer): OutcomeReading {
    const outcome = failure(lease, this.#clock.now(), null, null);
    outcome.scopeVersion = this.scopeVersion;
    outcome.fromCache = true;
    try {
      return yield* this.#carryOver(lease, earlier, outcome, null);
    } catch (error) {
      return failure(lease, this.#clock.now(), 'internal', messageOf(error));
    }
  }

  /**
   * The page as the earlier crawl has it becomes the outcome. Where it cannot be had any more, or the answer says that more than its body counts, it
   * is asked for once more and in full.
   */
  *#carryOver(
    lease: Lease,
    earlier: EarlierAnswer,
    outcome: Outcome,
    answered: { response: FetchResponse; totalMs: number } | null,
  ): OutcomeReading {
    const content = earlier.read();
    if (
      content === null ||
      (answered !== null && !agrees(content, answered.response.headers, this.#pages.agentFor(lease.url)))
    ) {
      outcome.askAgain = 'whole';
      return outcome;
    }
    const reading = yield* this.#pages.readEarlier(lease, content);
    const { page: row } = reading;
    if (answered !== null) {
      const { headers, ttfbMs } = answered.response;
      row.etag = headers.get('etag') ?? row.etag;
      row.lastModified = headers.get('last-modified') ?? row.lastModified;
      row.fetchedAt = this.#clock.wall();
      row.ttfbMs = ttfbMs;
      row.totalMs = answered.totalMs;
    }
    outcome.status = row.status;
    outcome.isCarriedOver = true;
    takeReading(outcome, reading);
    outcome.page = sealPage(row);
    return outcome;
  }

  /** A page that is fetched already, as a browser left it, or as it came. */
  *readRendered(
    lease: Lease,
    { status, type, body, isAsItCame }: { status: number; type: string | null; body: Uint8Array; isAsItCame: boolean },
    robots: string | null,
    rendered: NonNullable<FetchedPage['rendered']>,
  ): OutcomeReading {
    const outcome = failure(lease, this.#clock.now(), null, null);
    outcome.scopeVersion = this.scopeVersion;
    try {
      const reading = yield* this.#pages.read(lease, {
        ...{
          status,
          contentType: type,
          body,
          robotsTags: robots === null ? [] : [robots],
        },
        ...{
          location: null,
          lastModified: null,
          etag: null,
          links: null,
          truncated: false,
          damage: null,
          refusalHeaders: null,
          headers: null,
        },
        rendered,
      });
      const { page: row, text } = reading;
      if (this.#options.keep === 'body' && !isAsItCame) {
        row.body = packBody(body, type, sha256(body));
      } else if (text !== undefined) {
        row.body = keptText(text);
      }
      takeReading(outcome, reading);
      outcome.page = sealPage(row);
      return outcome;
    } catch (error) {
      return failure(lease, this.#clock.now(), 'internal', messageOf(error));
    }
  }

  /** Nothing came back. */
  failed(lease: Lease, error: unknown): Outcome {
    const errorClass = error instanceof FetchError ? error.errorClass : 'internal';
    const outcome = failure(lease, this.#clock.now(), errorClass, messageOf(error));
    outcome.scopeVersion = this.scopeVersion;
    if (this.#asksNobody || errorClass === 'not_cached') {
      outcome.fromCache = true;
    }
    if (lease.kind === UrlKind.robots) {
      outcome.robots = robotsFailure(errorClass);
    }
    return outcome;
  }

  *#read(
    lease: Lease,
    request: FetchRequest,
    response: FetchResponse,
    totalMs: number,
    earlier: EarlierAnswer | null,
  ): OutcomeReading {
    const { headers } = response;
    const status = statusOf(request, response.status);
    const contentType = headers.get('content-type');
    const outcome = failure(lease, response.endedAt, null, null);
    outcome.status = status;
    outcome.headersAt = response.headersAt;
    outcome.ttfbMs = response.ttfbMs;
    outcome.address = response.remoteAddress;
    if (response.cached) {
      outcome.fromCache = true;
    }
    outcome.retryAfterMs = parseRetryAfter(headers.get('retry-after'), this.#clock.wall());
    outcome.askAgain =
      request.method === 'HEAD' ? afterHead(lease, status, contentType, this.#options.linkFacts) : null;
    outcome.scopeVersion = this.scopeVersion;
    if (status === 304 && lease.ifModified !== undefined) {
      outcome.unchanged = true;
      return outcome;
    }
    if (status === 304 && earlier !== null && request.ifModified !== undefined) {
      return yield* this.#carryOver(lease, earlier, outcome, { response, totalMs });
    }
    const page: FetchedPage = {
      status,
      contentType,
      location: headers.url('location'),
      robotsTags: headers.all('x-robots-tag'),
      lastModified: headers.get('last-modified'),
      etag: headers.get('etag'),
      body: response.body,
      links: (response as { links?: string[] }).links ?? null,
      truncated: response.truncated,
      damage: response.damage,
      refusalHeaders: this.#options.linkFacts && status >= 400 ? refusalHeaders(headers) : null,
      headers,
    };
    const reading = yield* lease.kind === UrlKind.robots
      ? this.#readRobots(lease, page, outcome)
      : this.#readPage(lease, page);
    if (response.endedEarly && lease.kind !== UrlKind.robots && status >= 200 && status < 300) {
      // As if the connection had been reset: asked again, and at last failed, with what could be read of it.
      reading.errorClass = 'connection_reset';
      reading.message = ENDED_EARLY;
      reading.page.malformed = null;
      if (!this.#options.keepsBodies) {
        // It is asked for again: no browser needs this one.
        reading.page.body = null;
        delete reading.measured;
      }
    } else if (status > 599) {
      reading.message ??= `HTTP has no status ${status}`;
    }
    const keepsCookies = lease.kind === UrlKind.page || lease.kind === UrlKind.robots;
    if (reading.redirect !== null && keepsCookies && !this.#wholeOnly) {
      const cookies = readSetCookies(headers.all('set-cookie'), lease.url, this.#clock.wall());
      if (cookies.length > 0) {
        outcome.cookies = cookies;
      }
    }
    const { page: row, text } = reading;
    row.fetchedAt = response.answeredAt!;
    row.ttfbMs = response.ttfbMs;
    row.totalMs = totalMs;
    row.message = reading.message;
    const before = row.body;
    if (this.#options.keep === 'body') {
      row.body = keptBody(row, response);
    } else if (text !== undefined && before?.measured?.needsBrowser !== true) {
      row.body = keptText(text);
    }
    if (row.body !== null && before?.measured !== undefined) {
      row.body.measured = before.measured;
    }
    takeReading(outcome, reading);
    outcome.page = sealPage(row);
    return outcome;
  }

  #readPage(lease: Lease, page: FetchedPage): PageReading {
    if (lease.kind === UrlKind.asset) {
      return atOnce(this.#pages.readAsset(lease, page));
    }
    return lease.kind === UrlKind.sitemap ? this.#pages.readSitemap(lease, page) : this.#pages.read(lease, page);
  }

  *#readRobots(lease: Lease, page: FetchedPage, outcome: Outcome): PageReading {
    const reading = yield* this.#pages.read({ ...lease, flags: UrlFlag.external }, page);
    const { redirect, redirectUrl } = reading;
    if (redirect !== null && redirectUrl !== null && isHttp(redirectUrl) && !isShortened(redirectUrl)) {
      reading.offers = [pageOffer(redirectUrl, 0)];
      reading.redirect = { offer: 0 };
      return reading;
    }
    reading.redirect = null;
    reading.offers = [];
    reading.errorClass = null;
    const answer = robotsAnswer(page, this.#pages.agentFor(lease.robotsOf ?? lease.url), lease.url);
    outcome.robots =
      answer.standing === 'rules'
        ? { ...answer, sitemaps: this.#pages.sitemapUrls(answer.sitemaps, lease.url) }
        : answer;
    return reading;
  }
}

// biome-ignore lint/correctness/useYield: read like the others, without pieces.
function* atOnce(reading: Reading): PageReading {
  return reading;
}

/** The exchange as it was on the wire, as records of an archive. */
function archiveOf(
  { url, depth }: Lease,
  { method }: FetchRequest,
  { status, headers, wire, remoteAddress, ttfbMs }: FetchResponse,
  totalMs: number,
  at: number,
): Parcel {
  const { path, requestHeaders, body, truncated } = wire!;
  const exchange = archive(
    {
      ...{ url: pageOfRoute(url), method, path, requestHeaders: pairsOf(requestHeaders), status, body, truncated },
      ...{ head: headers.head, responseHeaders: headers.list(), ip: remoteAddress, isHttp2: headers.head === null },
    },
    { at, depth, ttfbMs, totalMs },
  );
  return pack(ARCHIVED, exchange);
}

function pairsOf(flat: readonly string[]): [string, string][] {
  return flat.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, flat[i + 1]!]] : []));
}

/** All that is needed to read the answer again. Of what could not be read whole, what there is. */
function keptBody({ hash, contentType }: PageRow, response: FetchResponse): KeptBody {
  const { body, headers, endedEarly, truncated, damage } = response;
  const kept: KeptAnswer = {};
  const others = headers.list().filter(([name]) => KEPT_HEADERS.has(name));
  if (others.length > 0) {
    kept.headers = others;
  }
  if (endedEarly) {
    kept.endedEarly = true;
  }
  if (truncated) {
    kept.truncated = true;
  }
  if (damage !== null) {
    kept.damage = damage;
  }
  return {
    ...(body === null ? { type: contentType, packed: NO_BODY } : packBody(body, contentType, hash ?? sha256(body))),
    ...(Object.keys(kept).length === 0 ? {} : { answer: JSON.stringify(kept) }),
  };
}

function keptText(text: string): KeptBody {
  const bytes = Buffer.from(text);
  return packBody(bytes, READABLE_TYPE, sha256(bytes));
}

/** Whatever is thrown has a message; what cannot even be turned into text must not take the lane down. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, 500);
  } catch {
    return 'something without a text was thrown';
  }
}

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
function robotsAnswer(page: FetchedPage, agent: string, url: string): RobotsAnswer {
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

/** Where nobody is asked, no rule is needed that says who may be: whatever else is in the cache is told. */
const NO_RULES: RobotsAnswer = { standing: 'rules', rules: null, crawlDelayMs: null, sitemaps: [], maxAgeMs: null };

const robotsFailure = (errorClass: ErrorClass): RobotsAnswer =>
  errorClass === 'not_cached' || errorClass === 'not_kept'
    ? NO_RULES
    : HOST_ERRORS.has(errorClass)
      ? { standing: 'failed', errorClass }
      : { standing: 'unreachable' };
