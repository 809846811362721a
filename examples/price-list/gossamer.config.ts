/**
 * A price list as CSV, without code: each line of `extract` is a column.
 *
 *     gossamer crawl https://shop.example/ --config examples/price-list/gossamer.config.ts --data-dir prices
 *     gossamer export prices --format csv --output prices.csv
 */
import { defineConfig } from 'gossamer';

export default defineConfig({
  extract: [
    'name=h1',
    String.raw`price=re:([0-9]+\.[0-9]{2}) <abbr>EUR`,
    'sku=jsonld:@Product.sku',
    'image=.photo img@src',
    'tags[]=.tags li',
  ],
  exclude: ['/cart/**'],
});
