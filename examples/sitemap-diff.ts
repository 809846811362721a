/**
 * Says what has changed on a site since the last time: the first run keeps a crawl, each further one makes a new one, compares the two and
 * keeps the new one in the place of the old.
 *
 *     node examples/sitemap-diff.ts https://example.com/ ./watched
 */
import { existsSync, renameSync } from 'node:fs';
import { crawl, deleteCrawl, readCrawl } from 'gossamer';

const [seed = 'https://example.com/', folder = './watched'] = process.argv.slice(2);
const [last, now] = [`${folder}/last`, `${folder}/now`];

// `resume`: where this program was killed in the middle of a crawl, it goes on with it.
const { reason } = await crawl({ seeds: [seed], dataDir: now, resume: true }).finished;
if (reason !== 'complete') {
  throw new Error(`the crawl ended early (${reason}): what is missing there may still be on the site`);
}

if (existsSync(last)) {
  const [before, after] = [contentOf(last), contentOf(now)];
  for (const [url, hash] of after) {
    if (!before.has(url)) {
      console.log(`+ ${url}`);
    } else if (before.get(url) !== hash) {
      console.log(`~ ${url}`);
    }
  }
  for (const url of before.keys()) {
    if (!after.has(url)) {
      console.log(`- ${url}`);
    }
  }
  deleteCrawl(last);
} else {
  console.log(`${contentOf(now).size} pages kept; run it again to see what changes`);
}
renameSync(now, last);

/** The pages that are there, in the order of their URLs, with the hash of their bytes. */
function contentOf(directory: string): Map<string, string | null> {
  const kept = readCrawl(directory);
  const pages: [string, string | null][] = [];
  for (const { url, state, status, hash } of kept.pages()) {
    if (state === 'done' && status === 200) {
      pages.push([url, hash]);
    }
  }
  kept.close();
  return new Map(pages.sort(([a], [b]) => (a < b ? -1 : 1)));
}
