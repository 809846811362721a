import type { Database } from './sqlite.js';
import { UrlFlag, UrlKind, UrlState } from './url-state.js';

/**
 * A finished crawl is to be brought up to date: all that was asked for is asked for again, and what is known of it stands until there is
 * something new. What pages load while they are rendered is asked for when one of them is. Its caller has begun a transaction.
 */
export function renewAll(database: Database): void {
  const asked = `kind IN (${UrlKind.page}, ${UrlKind.sitemap}) AND (state IN (${UrlState.done}, ${UrlState.failed}, ${UrlState.deferred}) OR reason IN ('robots', 'limit'))`;
  database.exec(`UPDATE urls SET state = ${UrlState.queued}, reason = NULL, attempts = 0, lost = 0, not_before = 0, class = max(class, 1),
      flags = (flags | ${UrlFlag.renew}) & ~${UrlFlag.rangedGet} WHERE ${asked};
    UPDATE urls SET state = ${UrlState.unlisted}, reason = 'asset', attempts = 0, lost = 0, not_before = 0 WHERE kind = ${UrlKind.asset};
    DELETE FROM attempts;
    UPDATE hosts SET dispatched = 0, sitemap_files = 0, failures = 0, blocked_until = 0, block_reason = NULL, deferred_reason = NULL;
    UPDATE origins SET robots_state = 'unknown', robots_expires_at = 0, sitemaps_sought = 0;
    DELETE FROM meta WHERE key IN ('dispatched', 'ended', 'traps', 'seeding')`);
}
