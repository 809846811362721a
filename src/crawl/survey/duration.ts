/** How much one host has to answer, and how long that takes. */
export interface HostLoad {
  pages: number;
  /** robots.txt and sitemaps: they go out before its pages. */
  others: number;
  /** From the headers of one answer to the next request. */
  delayMs: number;
  /** From a request to the headers of its answer. */
  headersMs: number;
  /** From a request to the end of its answer. */
  answerMs: number;
  /** The delay is what robots.txt asks for, and longer than --delay. */
  asksForDelay: boolean;
  /** Its Crawl-delay is longer than the crawl waits: one page, the rest later. */
  putOff: boolean;
  /** Its entry in `hosts`; left out if only the general settings apply. The delay is already the entry's, and --delay does not change it. */
  own?: { readonly delayMs?: number; readonly maxInflight?: number; readonly maxUrls?: number };
}

export interface CrawlLimits {
  workers: number;
  maxInflightPerHost: number;
  autoTune: boolean;
  /** Null means no limit, here and below. */
  maxUrls: number | null;
  maxUrlsPerHost: number | null;
  durationMs: number | null;
}

/** How long something would take. */
export interface Forecast {
  /** How long it would take. */
  durationMs: number;
  /** Pages that are asked for in that time. */
  pages: number;
  /** The limit that ends it, or null. */
  cutBy: 'max_urls' | 'duration' | null;
  /** What decides how long it takes. */
  decidedBy: 'delay' | 'crawl_delay' | 'answers' | 'workers';
}

/** Requests of a host without a delay that are in flight at the start, and answers after which there is one more. */
const FIRST_IN_FLIGHT = 2;
const ANSWERS_A_PLACE = 10;
const STEPS = 60;

/** How long a crawl of these hosts takes: all at once, each at its own pace, no more in flight than there are workers. */
export function forecast(hosts: readonly HostLoad[], limits: CrawlLimits): Forecast {
  const tracks = hosts.map((host) => trackOf(host, limits)).filter(({ requests }) => requests > 0);
  const all = tracks.reduce((sum, { pages }) => sum + pages, 0);
  const wanted = Math.min(all, limits.maxUrls ?? Number.POSITIVE_INFINITY);
  const occupied = tracks.reduce((sum, { requests, answerMs }) => sum + requests * answerMs, 0);
  const byWorkers = (occupied / limits.workers) * (all === 0 ? 1 : wanted / all);
  const byHosts =
    wanted < all
      ? earliest(tracks, wanted)
      : tracks.reduce((longest, track) => Math.max(longest, track.timeFor(track.requests)), 0);
  const neededMs = Math.max(byHosts, byWorkers);
  const isCut = limits.durationMs !== null && limits.durationMs < neededMs;
  const durationMs = isCut ? limits.durationMs! : neededMs;
  // Where workers are few, each host comes along more slowly than it could.
  const share = byHosts === 0 ? 1 : Math.min(1, byHosts / neededMs);
  return {
    durationMs,
    pages: isCut ? Math.floor(Math.min(wanted, pagesAt(tracks, durationMs * share))) : Math.round(wanted),
    cutBy: isCut ? 'duration' : wanted < all ? 'max_urls' : null,
    decidedBy: byWorkers > byHosts ? 'workers' : pacedBy(tracks),
  };
}

interface Track {
  requests: number;
  pages: number;
  others: number;
  delayMs: number;
  asksForDelay: boolean;
  answerMs: number;
  /** Until so many requests are answered. */
  timeFor(requests: number): number;
}

function trackOf(host: HostLoad, limits: CrawlLimits): Track {
  const most = host.putOff ? 1 : (host.own?.maxUrls ?? limits.maxUrlsPerHost ?? Number.POSITIVE_INFINITY);
  const maxInflightPerHost = host.own?.maxInflight ?? limits.maxInflightPerHost;
  const pages = Math.min(host.pages, most);
  const { others, delayMs, asksForDelay, headersMs, answerMs } = host;
  const timeFor =
    delayMs > 0
      ? (requests: number) => requests * headersMs + Math.max(0, requests - 1) * delayMs + (answerMs - headersMs)
      : (requests: number) => answerMs * inTurns(requests, { ...limits, maxInflightPerHost });
  return { requests: pages + others, pages, others, delayMs, asksForDelay, answerMs, timeFor };
}

/** So many requests after each other take as long as all of these, with as many in flight as the host is given. */
function inTurns(requests: number, { maxInflightPerHost: most, autoTune }: CrawlLimits): number {
  if (!autoTune || most <= FIRST_IN_FLIGHT) {
    return Math.max(1, requests / most);
  }
  const growing = Math.min(requests, (most - FIRST_IN_FLIGHT) * ANSWERS_A_PLACE);
  const start = ANSWERS_A_PLACE * Math.log(1 + growing / ANSWERS_A_PLACE / FIRST_IN_FLIGHT);
  return Math.max(1, start + (requests - growing) / most);
}

/** When so many pages are answered, all hosts together. */
function earliest(tracks: Track[], pages: number): number {
  let low = 0;
  let high = tracks.reduce((longest, track) => Math.max(longest, track.timeFor(track.requests)), 0);
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (pagesAt(tracks, middle) >= pages) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

function pagesAt(tracks: Track[], ms: number): number {
  return tracks.reduce(
    (sum, track) => sum + Math.min(track.pages, Math.max(0, answeredBy(track, ms) - track.others)),
    0,
  );
}

/** Requests that are answered after so long; `timeFor` grows with them. */
function answeredBy(track: Track, ms: number): number {
  if (track.timeFor(track.requests) <= ms) {
    return track.requests;
  }
  let low = 0;
  let high = track.requests;
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (track.timeFor(middle) <= ms) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/** What the slowest host waits for. */
function pacedBy(tracks: Track[]): Forecast['decidedBy'] {
  let last: Track | null = null;
  for (const track of tracks) {
    last = last === null || track.timeFor(track.requests) > last.timeFor(last.requests) ? track : last;
  }
  return last === null || last.delayMs === 0 ? 'answers' : last.asksForDelay ? 'crawl_delay' : 'delay';
}
