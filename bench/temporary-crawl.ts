/** Crawls the given URLs with a store that leaves nothing: the program has no option for that, the library has. */
import { completeOptions } from '../src/config/resolve.js';
import { CrawlSession } from '../src/crawl/session.js';

const seeds = process.argv.slice(2).map((url, seed) => ({
  seed,
  url,
  label: url,
  scope: 'subdomains',
  depth: null,
  maxUrls: null,
  fallbacks: [],
  scopeUrls: [url],
}));
const resolved = completeOptions({ maxInflightPerHost: 64, autoTune: false });
const session = await CrawlSession.open({ resolved, directory: null, seeds, events: {} });
await session.run();
process.exit(0);
