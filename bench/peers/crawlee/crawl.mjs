// Follows every page link from the start pages given as arguments, on their hosts. Runs from a folder that has Crawlee in its node_modules.
// With BENCH_SELECTORS, an object of names and selectors, it keeps the text of the first match of each.
import { CheerioCrawler, log } from '@crawlee/cheerio';

const CONCURRENCY = 64;
const SELECTORS = Object.entries(JSON.parse(process.env.BENCH_SELECTORS ?? '{}'));

log.setLevel(log.LEVELS.ERROR);
const crawler = new CheerioCrawler({
  minConcurrency: CONCURRENCY,
  maxConcurrency: CONCURRENCY,
  requestHandler: async ({ $, request, enqueueLinks, pushData }) => {
    if (SELECTORS.length > 0) {
      const data = SELECTORS.map(([name, selector]) => [name, $(selector).first().text().trim()]);
      await pushData({ url: request.url, ...Object.fromEntries(data) });
    }
    await enqueueLinks({ strategy: 'same-hostname' });
  },
});
await crawler.run(process.argv.slice(2));
