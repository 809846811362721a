/**
 * Reads a JSON API page by page: each answer names the next, and its items are the data of the record.
 *
 *     gossamer crawl 'https://api.example.com/items?page=1' --hooks examples/json-api/hooks.ts --content-types application/json
 */
import { defineHooks } from 'gossamer';

interface ItemList {
  items: { id: number; name: string }[];
  next?: string;
}

export default defineHooks({
  request: ({ kind }) => (kind === 'page' ? { headers: { Accept: 'application/json' } } : undefined),
  page(page, { add }) {
    if (page.html !== null) {
      return;
    }
    const { items, next } = page.json as ItemList;
    if (next !== undefined) {
      // Relative URLs are resolved; robots.txt, delay and limits hold for what is added.
      add(next);
    }
    return { items };
  },
});
