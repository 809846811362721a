/**
 * Takes from each page what a page of its kind has: products their price, reviews their stars, the rest nothing.
 *
 *     gossamer crawl https://shop.example/ --hooks examples/router/hooks.ts
 *     gossamer export gossamer-data/shop.example --format csv
 */
import { defineHooks, type HookPage, type PageAnswer } from 'gossamer';

const ROUTES: [RegExp, (page: HookPage) => PageAnswer][] = [
  [/\/product\//, (page) => ({ kind: 'product', price: page.select('.price')?.text ?? null })],
  [/\/review\//, (page) => ({ kind: 'review', stars: page.selectAll('.star').length })],
];

export default defineHooks({
  page: (page) => ROUTES.find(([pattern]) => pattern.test(page.url))?.[1](page),
});
