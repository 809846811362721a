import { inflateRawSync } from 'node:zlib';
import type { DocsReader } from '../store/docs-reader.js';

/** Programs that draw a whole site of Markdown files into one page. */
const DOCSIFY = /\$docsify\b|\bdocsify(?:@[\w.]*)?(?:\/[\w./]*)?(?:\.min)?\.js/i;
/** A link to a route of the page that it stands on. */
const ROUTE = /\bhref\s*=\s*["']?[^\s"'>#]{0,200}#(?:!?\/|!)[^/\s"'>]/gi;
const FEWEST_ROUTES = 3;
const MOST_PAGES = 5;

/** What is said of a site whose pages are routes of one page: a corpus has that page alone. Null if it is no such site. */
export function routesHint(store: DocsReader, pages: readonly number[]): string | null {
  for (const id of pages.slice(0, MOST_PAGES)) {
    const packed = store.fateOf(id).isKept ? store.bodyOf(id) : null;
    const html = packed === null ? '' : inflateRawSync(packed).toString('latin1');
    const isDocsify = DOCSIFY.test(html);
    if (isDocsify || [...html.matchAll(ROUTE)].length >= FEWEST_ROUTES) {
      const files = isDocsify ? '; the Markdown files that it shows can be given by their URLs with --one' : '';
      return `the pages of ${store.urlOf(id)} are routes behind # (such as #/guide), which a corpus does not follow: \`gossamer crawl --render always --hash-routes\` visits them${files}`;
    }
  }
  return null;
}
