import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import { baseDelayMs } from '../config/base-delay.js';
import type { StoredPlace, StoredUrl, UrlFacts } from '../store/url-facts.js';
import { UNANSWERED_ROBOTS, UrlFlag } from '../store/url-state.js';
import { isServer } from '../url/host.js';
import type { CrawlRules } from './crawl-rules.js';
import type { WaitingFor } from './explanation.js';

/** Names of the layers of concurrency that a single URL can wait on. */
const LAYERS = {
  1: 'requests in flight',
  2: 'requests in flight per host',
  4: 'delay per host',
  5: 'backoff of failing hosts',
  8: 'robots.txt fetches',
  10: 'hosts held in memory',
} as const;

/** A check asks for a URL in several ways; a second request of these kinds is no sign of a failure. */
const OTHER_REQUESTS = UrlFlag.secondLook | UrlFlag.rangedGet | UrlFlag.wholeGet;

const inWords = (ms: number): string =>
  ms < 1000 ? `${formatCount(ms)} ms` : `${(ms / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;

export interface WaitingParts {
  facts: UrlFacts;
  rules: CrawlRules;
  place: StoredPlace;
  running: boolean;
  /** Wall time. */
  now: number;
}

const on = (layer: keyof typeof LAYERS | null, why: string, until: number | null = null): WaitingFor => ({
  layer,
  name: layer === null ? 'none' : LAYERS[layer],
  why,
  until,
  queued: null,
  waitedMs: null,
});

/** What a queued URL waits for, as the last commit left its host. The first thing that holds it up is named. */
export function waitsOn(url: StoredUrl, { facts, rules, place, running, now }: WaitingParts): WaitingFor {
  const queued = facts.waiting(place.hostId, url, rules.options.order === 'dfs');
  const host = printable(place.host);
  const waiting = (): WaitingFor => {
    if (!running) {
      return on(null, 'the crawl is not running');
    }
    if (place.parkedUntil !== null) {
      return on(10, `${host} is on disk until its time comes`, place.parkedUntil);
    }
    const settled =
      place.robotsState === 'ready' ||
      place.robotsState === UNANSWERED_ROBOTS ||
      rules.options.ignoreRobots ||
      !isServer(place.host);
    if (!settled) {
      return on(8, `robots.txt of ${printable(place.origin)} is not settled yet`);
    }
    if (place.blockedUntil > now) {
      return on(5, `${host} is left alone (${place.blockReason ?? 'backoff'})`, place.blockedUntil);
    }
    if (url.notBefore > now) {
      return on(5, 'it failed and is tried again later (--retry-delay)', url.notBefore);
    }
    return onPace(url, queued.before, { facts, rules, place, running, now });
  };
  return { ...waiting(), queued };
}

function onPace(url: StoredUrl, before: number, { facts, rules, place, now }: WaitingParts): WaitingFor {
  const paced = paceOf(rules, place);
  if (paced !== null) {
    const next = Math.max(now, place.nextAllowedAt);
    return on(4, paced.why, next + before * paced.delayMs);
  }
  const { all, ofHost } = facts.underWay(place.hostId);
  const most = Math.floor(place.tunedLimit ?? inflightOf(rules, place));
  if (ofHost >= most || before > 0) {
    return on(
      2,
      `${ofHost} ${ofHost === 1 ? 'request' : 'requests'} to ${printable(place.host)} under way or about to go out, ${before} of its URLs before it`,
    );
  }
  return all >= rules.options.workers
    ? on(1, `${all} ${all === 1 ? 'request' : 'requests'} under way (--workers ${rules.options.workers})`)
    : on(null, `nothing holds it up: URL ${url.id} goes out next`);
}

/** A URL that is leased is on the wire, unless as many of its host are as may be: then it is next in line. Null: nothing holds it up. */
export function waitsInLine(url: StoredUrl, { facts, rules, place, running }: WaitingParts): WaitingFor | null {
  const most = Math.floor(place.tunedLimit ?? inflightOf(rules, place));
  if (!running || paceOf(rules, place) !== null || facts.leasedBefore(place.hostId, url.id) < most) {
    return null;
  }
  return on(
    2,
    `${most} ${most === 1 ? 'request' : 'requests'} to ${printable(place.host)} under way, and it is next in line`,
  );
}

const inflightOf = (rules: CrawlRules, place: StoredPlace): number =>
  rules.policyOfHost(place.host).maxInflight ?? rules.options.maxInflightPerHost;

/** The delay of the host and where it comes from; null if the host has none. */
function paceOf(rules: CrawlRules, place: StoredPlace): { delayMs: number; why: string } | null {
  const { options, delayIsDefault } = rules;
  const policy = rules.policyOfHost(place.host);
  const own = policy.delayMs ?? baseDelayMs(place.host, options.delayMs, delayIsDefault);
  const asked = options.ignoreRobots ? 0 : (place.crawlDelayMs ?? 0);
  const delayMs = Math.max(own, asked);
  if (delayMs === 0) {
    return null;
  }
  const given = policy.from.delayMs === undefined ? '--delay' : `delay of ${rules.entry(policy.from.delayMs)}`;
  const whose = asked > own ? 'Crawl-delay of its robots.txt' : given;
  return { delayMs, why: `${printable(place.host)} is asked every ${inWords(delayMs)} (${whose})` };
}

/** What held up a URL that was fetched: the time from its discovery to its answer, and what its host is paced by. */
export function waitedOn(url: StoredUrl, fetchedAt: number, { facts, rules, place }: WaitingParts): WaitingFor {
  const foundAt = url.parent === null ? null : facts.fetchedAt(url.parent);
  const waitedMs = foundAt === null ? null : Math.max(0, fetchedAt - foundAt);
  const paced = paceOf(rules, place);
  const hostFailed = foundAt !== null && facts.failedBetween(place.hostId, url.id, foundAt, fetchedAt);
  // Requests that were repeated are kept as attempts, except redirects, which are repeated only to send a cookie. So two attempts without a
  // failed one mean a cookie.
  const waited =
    url.attempts === 2 && (url.flags & OTHER_REQUESTS) === 0 && facts.failedAttempts(url.id).length === 0
      ? on(null, 'a circle of redirects set a cookie, and it was asked once more with it')
      : url.attempts > 1
        ? on(5, `it was asked ${url.attempts} times; between them its host was left alone`)
        : hostFailed
          ? on(5, `${printable(place.host)} failed meanwhile, and was left alone for a while`)
          : paced !== null
            ? on(4, paced.why)
            : on(2, `${printable(place.host)} has no delay, only a limit on its requests in flight`);
  return { ...waited, waitedMs };
}
