/**
 * Prints title, heading and number of images of every page of a site, a line of JSON for each.
 *
 *     node examples/basic-crawl.ts https://example.com/
 */
import { crawl } from 'gossamer';

const [seed = 'https://example.com/'] = process.argv.slice(2);

const run = crawl({
  seeds: [seed],
  maxUrls: 1_000,
  onPage(page, { html, select, selectAll }) {
    // Every page that was asked for comes here: redirects, pictures and failed pages too.
    if (page.state === 'done' && html !== null && html !== '') {
      const heading = select('h1')?.text ?? null;
      console.log(JSON.stringify({ url: page.url, title: page.title, heading, images: selectAll('img').length }));
    }
  },
});

const { summary } = await run.finished;
console.error(`${summary.done} done, ${summary.failed} failed, ${summary.skipped} skipped`);
