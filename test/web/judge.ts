import type { LoggedRequest } from './log.js';

/** Questions to a request log. None of them asks the crawler. */

/** The smallest distance in ms between the starts of two requests of a host that follow one another; Infinity below two. */
export function smallestGap(log: readonly LoggedRequest[], host: string): number {
  const starts = log.filter((request) => request.host === host).map((request) => request.at);
  starts.sort((a, b) => a - b);
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 1; i < starts.length; i++) {
    smallest = Math.min(smallest, starts[i]! - starts[i - 1]!);
  }
  return smallest;
}

export function requestsTo(log: readonly LoggedRequest[], host: string, path?: string): LoggedRequest[] {
  return log.filter((request) => request.host === host && (path === undefined || request.path === path));
}

/** The URL of a request, as the client must have seen it. */
export function urlOf(request: LoggedRequest): string {
  const host = (request.headers.host ?? request.host).toLowerCase().replace(/:80$/, '');
  return `http://${host}${request.path}`;
}

const SERVICE_PATH = /^\/(robots\.txt|[^?]*sitemap[^/?]*\.(xml|txt)(\.gz)?)$/i;

/** GETs per URL, without robots.txt and sitemaps. */
export function hitsPerUrl(log: readonly LoggedRequest[]): Map<string, number> {
  const hits = new Map<string, number>();
  for (const request of log) {
    if (request.method !== 'GET' || SERVICE_PATH.test(request.path)) {
      continue;
    }
    const url = urlOf(request);
    hits.set(url, (hits.get(url) ?? 0) + 1);
  }
  return hits;
}

/** The most requests that were open at one time, of one host or of all. One that has not ended is open for ever. */
export function peakConcurrency(log: readonly LoggedRequest[], host?: string): number {
  const changes: { at: number; by: number }[] = [];
  for (const request of log) {
    if (host !== undefined && request.host !== host) {
      continue;
    }
    changes.push({ at: request.at, by: 1 });
    if (request.endedAt !== null) {
      changes.push({ at: request.endedAt, by: -1 });
    }
  }
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let open = 0;
  let peak = 0;
  for (const change of changes) {
    open += change.by;
    peak = Math.max(peak, open);
  }
  return peak;
}
