import type { Clock } from '../base/clock.js';
import type { FetchRequest } from '../fetch/contract.js';
import type { ResponseHeaders } from '../fetch/response-headers.js';
import type { Lease } from '../frontier/outcome.js';
import { type EarlierContent, EarlierCrawl, type EarlierPage } from '../store/earlier-crawl.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';
import { robotsDirectives } from './robots-directives.js';

/** The crawl whose unchanged pages are carried over (`--since`), as a lane gets it. */
export interface EarlierSetup {
  /** The path of its crawl.sqlite. */
  path: string;
  /** See `EarlierIndex`. */
  cells: Uint32Array;
  /** A page that was answered less long ago is carried over without a request; 0: none is. */
  maxAgeMs: number;
  /** Whether both crawls keep the same parts of pages (`--keep`). */
  withBodies: boolean;
}

/** A page of the earlier crawl that stands for the answer to a lease, if its server says that it has not changed, or if it is young. */
export interface EarlierAnswer {
  readonly isYoung: boolean;
  /** The validators to send to the server; null if there are none. */
  readonly ifModified: FetchRequest['ifModified'] | null;
  /** All that is carried over; null if it can no longer be read. */
  read(): EarlierContent | null;
}

/** URLs that are requested otherwise than a page that is read for the first time, or whose earlier page was of no use (`wholeGet`). */
const ASKED_ELSEWISE =
  UrlFlag.external |
  UrlFlag.rangedGet |
  UrlFlag.wholeGet |
  UrlFlag.asset |
  UrlFlag.secondLook |
  UrlFlag.anchors |
  UrlFlag.beyond |
  UrlFlag.trap;

/** What a lane knows from an earlier crawl. */
export class EarlierPages {
  readonly #crawl: EarlierCrawl;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;

  constructor({ path, cells, maxAgeMs, withBodies }: EarlierSetup, clock: Clock) {
    this.#crawl = new EarlierCrawl(path, cells, withBodies);
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  /** Null if it is to be requested as if there had been no earlier crawl. */
  answerTo(lease: Lease, { method }: FetchRequest): EarlierAnswer | null {
    if (lease.kind !== UrlKind.page || (lease.flags & ASKED_ELSEWISE) !== 0) {
      return null;
    }
    const page = this.#crawl.find(lease.url);
    if (page === null) {
      return null;
    }
    const ageMs = this.#clock.wall() - page.fetchedAt;
    const isYoung = ageMs >= 0 && ageMs < this.#maxAgeMs;
    // A HEAD transfers no body that could be saved.
    const ifModified = method === 'GET' ? validatorsOf(page) : null;
    return isYoung || ifModified !== null ? { isYoung, ifModified, read: () => this.#crawl.read(page) } : null;
  }

  close(): void {
    this.#crawl.close();
  }
}

function validatorsOf({ etag, lastModified }: EarlierPage): NonNullable<FetchRequest['ifModified']> | null {
  return etag === null && lastModified === null
    ? null
    : { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}

/**
 * Whether a page is as the headers of a 304 say. Most servers say little in one; where it names another type, or directives for robots that
 * the page did not have, the page has to be read anew, whatever its body is.
 */
export function agrees({ fields }: EarlierContent, headers: ResponseHeaders, agent: string): boolean {
  const type = headers.get('content-type');
  const { text } = robotsDirectives([], headers.all('x-robots-tag'), agent);
  const hasType = type === null || type === fields.contentType;
  return hasType && (text === null || (fields.robotsMeta ?? '').endsWith(text));
}
