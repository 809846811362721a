/**
 * Crawls a site and lists what failed, with the reason, how often it was tried and the page that links to it. Failed pages are results like
 * others: nothing is thrown, and retries (with backoff, and `Retry-After` obeyed) are the crawler's own. The last argument says how many.
 *
 *     node examples/failed-pages.ts https://example.com/ ./failed-crawl 3
 */
import { crawl, readCrawl } from 'gossamer';

const [seed = 'https://example.com/', dataDir = './failed-crawl', retries = '3'] = process.argv.slice(2);

const run = crawl({ seeds: [seed], dataDir, retries: Number(retries), timeoutMs: 20_000, fresh: true });
run.on('retry', ({ url, why, afterMs }) => console.error(`${url}: ${why}; again in ${afterMs} ms`));
await run.finished;

const kept = readCrawl(dataDir);
for (const { state, url, reason, status, attempts, parent } of kept.pages()) {
  if (state === 'failed') {
    console.log(`${status ?? reason} ${url} (attempts: ${attempts}) on ${parent ?? 'the command line'}`);
  }
}
kept.close();
