/**
 * Asks another place about each product while the crawl runs: the URL is added with data of the page that it is about, and both come back
 * together. What is added is kept at once and survives a kill; robots.txt and delays hold for it.
 *
 *     node examples/add-urls.ts https://shop.example/ https://stock.example/of?product=
 */
import { crawl } from 'gossamer';

const [seed = 'https://shop.example/', stock = 'https://stock.example/of?product='] = process.argv.slice(2);

const run = crawl({
  seeds: [seed],
  contentTypes: ['application/json'],
  onPage(page, content) {
    // Only pages that were added have data here.
    if (page.data !== null) {
      console.log(JSON.stringify({ ...page.data, stock: page.state === 'done' ? content.json : null }));
    }
  },
});

// Each is in the store when `add` resolves, so what was added survives a kill.
for await (const page of run) {
  if (page.state === 'done' && page.data === null && new URL(page.url).pathname.startsWith('/p/')) {
    const name = page.h1 ?? page.url;
    await run.add(stock + encodeURIComponent(name), { data: { name, url: page.url } });
  }
}
