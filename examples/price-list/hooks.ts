/**
 * The same price list with code: prices are numbers, images are whole URLs, and only products have data.
 *
 *     gossamer crawl https://shop.example/ --hooks examples/price-list/hooks.ts --data-dir prices
 *     gossamer export prices --format csv --output prices.csv
 */
import { defineHooks } from 'gossamer';

export default defineHooks({
  page(page) {
    const price = page.select('.price');
    if (price === null) {
      return;
    }
    const image = page.select('.photo img')?.attribute('src') ?? null;
    return {
      name: page.select('h1')?.text ?? null,
      price: Number.parseFloat(price.text),
      image: image === null ? null : new URL(image, page.url).href,
      tags: page.selectAll('.tags li').map(({ text }) => text),
    };
  },
  link: ({ url }) => (new URL(url).pathname.startsWith('/cart/') ? { skip: 'shop machinery' } : undefined),
});
