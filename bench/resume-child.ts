/** Goes on with a crawl that `resume.ts` has left, and tells how long after its start the process asked for the first page. */
import { completeOptions } from '../src/config/resolve.js';
import { CrawlSession } from '../src/crawl/session.js';
import { OPTIONS, SEED } from './queued-crawl.js';

const [directory] = process.argv.slice(2) as [string];
const session = await CrawlSession.open({
  resolved: completeOptions(OPTIONS),
  directory,
  seeds: null,
  storedSeeds: [SEED],
  events: {},
  fetch: () => {
    process.stdout.write(`${JSON.stringify({ ms: performance.now(), bytes: process.memoryUsage.rss() })}\n`);
    process.exit(0);
  },
  resolve: (href) => href,
});
await session.run();
