/**
 * Asks for the pages that a site's sitemaps name, and for no others: links are read and kept, but not followed. Sitemaps are found by
 * robots.txt and the usual names; indexes, gzip and feeds are read too. The limits of a crawl hold.
 *
 *     gossamer crawl https://example.com/ --hooks examples/sitemap-only/hooks.ts
 */
import { defineHooks } from 'gossamer';

export default defineHooks({
  link: () => ({ skip: 'not from a sitemap' }),
});
