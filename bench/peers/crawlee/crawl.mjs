// Follows every page link from the start pages given as arguments, on their hosts. Runs from a folder that has Crawlee in its node_modules.
import { CheerioCrawler, log } from '@crawlee/cheerio';

const CONCURRENCY = 64;

log.setLevel(log.LEVELS.ERROR);
const crawler = new CheerioCrawler({
  minConcurrency: CONCURRENCY,
  maxConcurrency: CONCURRENCY,
  requestHandler: async ({ enqueueLinks }) => {
    await enqueueLinks({ strategy: 'same-hostname' });
  },
});
await crawler.run(process.argv.slice(2));
