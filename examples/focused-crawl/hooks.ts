/**
 * Looks for pages about one subject and asks for the promising ones first: links that name it have the rank 0, those on pages that speak
 * of it more than once the rank 2, all others wait. Machinery of the site is not followed at all. With a limit you get the best pages, not the first ones.
 *
 *     SUBJECT=tea gossamer crawl https://example.com/ --hooks examples/focused-crawl/hooks.ts \
 *       --order priority --anchor-text --max-urls 500
 */
import { defineHooks } from 'gossamer';

const subject = (process.env.SUBJECT ?? 'tea').toLowerCase();
const count = (text: string): number => text.toLowerCase().split(subject).length - 1;

/** Of the page whose links are being judged; each lane has its own, and judges the links of a page at once. */
let mentions = { url: '', count: 0 };

export default defineHooks({
  page(page) {
    return { mentions: count(page.text) };
  },
  link(link, page) {
    if (/\/(?:login|cart|calendar)\b/.test(link.url)) {
      return { skip: 'machinery' };
    }
    if (count(link.url) + count(link.text ?? '') > 0) {
      return 0;
    }
    if (mentions.url !== page.url) {
      mentions = { url: page.url, count: count(page.text) };
    }
    return mentions.count > 1 ? 2 : 6;
  },
});
