import type { Database } from './sqlite.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

const ASKED = `(state IN (${UrlState.done}, ${UrlState.failed}, ${UrlState.deferred}) OR reason IN ('robots', 'limit'))`;
const AGAIN = `state = ${UrlState.queued}, reason = NULL, attempts = 0, lost = 0, not_before = 0,
  flags = (flags | ${UrlFlag.renew}) & ~${UrlFlag.rangedGet | UrlFlag.gate}`;

/**
 * A finished crawl is to be brought up to date: what it begins with is asked for again, and what is known of it stands until there is
 * something new. What pages load while they are rendered is asked for when one of them is. Its caller has begun a transaction, here and below.
 */
export function renewFirst(database: Database): void {
  database.exec(`UPDATE urls SET flags = flags & ~${UrlFlag.renew} WHERE (flags & ${UrlFlag.renew}) <> 0;
    UPDATE urls SET ${AGAIN}, class = 1
      WHERE (kind = ${UrlKind.sitemap} OR (kind = ${UrlKind.page} AND (flags & ${UrlFlag.seed}) <> 0)) AND ${ASKED};
    UPDATE urls SET state = ${UrlState.unlisted}, reason = 'asset', attempts = 0, lost = 0, not_before = 0 WHERE kind = ${UrlKind.asset};
    DELETE FROM attempts;
    UPDATE hosts SET dispatched = 0, sitemap_files = 0, failures = 0, blocked_until = 0, block_reason = NULL, deferred_reason = NULL;
    UPDATE origins SET robots_state = 'unknown', robots_expires_at = 0, sitemaps_sought = 0, robots_tries = 0, robots_retry_at = 0;
    DELETE FROM meta WHERE key IN ('dispatched', 'ended', 'traps', 'seeding')`);
}

/**
 * Then all other pages. One that has nothing to be asked with, and that its sitemap says has not changed since it was fetched, is believed to
 * be as it was: `temp.named` says until when each may have changed.
 */
export function renewPages(database: Database): void {
  database.exec(`UPDATE urls SET ${AGAIN}, class = max(class, 1)
    WHERE kind = ${UrlKind.page} AND (flags & ${UrlFlag.renew}) = 0 AND ${ASKED} AND NOT EXISTS (
      SELECT 1 FROM pages JOIN temp.named ON named.url = urls.url
      WHERE pages.id = urls.id AND urls.state = ${UrlState.done} AND pages.etag IS NULL AND pages.last_modified IS NULL
        AND named.until < pages.fetched_at)`);
}
