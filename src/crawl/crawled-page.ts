import type { SettledPage } from '../frontier/embedded/frontier-state.js';
import { openPage } from '../store/page-row.js';
import type { PageResult } from '../store/reader.js';

/**
 * A URL and what became of it, as an iteration gives it. What only the end of a crawl can tell is not in it: the first parent, and where
 * a chain of redirects ends (or that it never does). A kept crawl has both, see `readCrawl`.
 */
export interface CrawledPage extends Omit<PageResult, 'parent' | 'finalUrl'> {
  /** Where it redirects, which is a page of its own. */
  redirectsTo: string | null;
}

export function settledPage({ url, depth, attempts, state, reason, external, outcome }: SettledPage): CrawledPage {
  const page = outcome.page === null ? null : openPage(outcome.page);
  return {
    url,
    state,
    reason,
    status: outcome.status,
    redirectsTo: outcome.redirectUrl,
    depth,
    attempts,
    title: page?.title ?? null,
    description: page?.description ?? null,
    canonical: page?.canonical ?? null,
    lang: page?.lang ?? null,
    robotsMeta: page?.robotsMeta ?? null,
    contentType: page?.contentType ?? null,
    bytes: page?.bytes ?? 0,
    links: page?.links ?? 0,
    hash: page?.hash ?? null,
    lastModified: page?.lastModified ?? null,
    fetchedAt: page?.fetchedAt ?? null,
    ttfbMs: page?.ttfbMs ?? outcome.ttfbMs,
    totalMs: page?.totalMs ?? null,
    malformed: page?.malformed ?? null,
    note: page?.note ?? null,
    linksCut: page?.linksCut ?? 0,
    message: outcome.message ?? page?.message ?? null,
    external,
  };
}

/** One that nothing was settled for. */
export function unaskedPage({ parent: _parent, finalUrl: _finalUrl, ...page }: PageResult): CrawledPage {
  return { ...page, redirectsTo: null };
}
