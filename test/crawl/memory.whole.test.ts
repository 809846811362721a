import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ctServer } from '../web/ct-server.js';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, type Site, text } from '../web/site.js';
import { SITEMAP_BOMBS } from '../web/sitemap-bombs.js';
import { box } from './box.js';
import { gossamer } from './support.js';

const PEAK = fileURLToPath(new URL('./peak-memory.mjs', import.meta.url));
/** For the objects of JavaScript: less than twice a sitemap of 50 MB. */
const HEAP_MIB = 96;
/** For all of the process: itself, the body, its text, and what unpacking made of it, each at most 50 MB and copied once. */
const MOST_MIB = 450;

describe('memory is bounded', () => {
  const own = box();
  let crawls = 0;

  async function peakOf(args: string[]): Promise<{ mib: number; stderr: string }> {
    const run = await gossamer(
      [
        ...['crawl', 'http://bomb.test/', '--data-dir', `${own.folder}/memory-${crawls++}`, '--delay', '0'],
        ...['--connect-to', own.web.connectTo[0]!, ...args],
      ],
      { env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB} --import=${PEAK}` } },
    );
    expect(run.code, run.stderr).toBe(0);
    return { mib: Number(/^peak (\d+) KiB$/m.exec(run.stderr)![1]) / 1024, stderr: run.stderr };
  }

  const home = (sitemap: Site['handle']): Site => ({
    handle: (request) =>
      request.path === '/'
        ? html(linkPage('Home', []))
        : request.path === '/sitemap.xml'
          ? sitemap(request)
          : text('', 404),
  });

  it.each(Object.keys(SITEMAP_BOMBS))('with a sitemap that is %s', async (name) => {
    const bomb = SITEMAP_BOMBS[name]!();
    own.web.site(
      'bomb.test',
      home(() => bomb),
    );
    own.web.clearLog();
    const { mib } = await peakOf([]);
    expect(requestsTo(own.web.log, 'bomb.test', '/sitemap.xml')).toHaveLength(1);
    expect(mib).toBeLessThan(MOST_MIB);
  });

  it('with an answer of a third party that is much larger than memory should be', async () => {
    own.web.site(
      'bomb.test',
      home(() => text('', 404)),
    );
    // 600,000 certificates, 170 MB.
    own.web.site('ct.test', ctServer({ certificates: ['a.bomb.test'], filler: 600_000, gzip: true }));
    const { mib, stderr } = await peakOf([
      '--seeding-strategy',
      'ct',
      '--ct-url',
      'http://ct.test',
      '--retries',
      '0',
      '--max-wait',
      '1',
    ]);
    expect(stderr).toContain('1 name, 1 in scope');
    expect(mib).toBeLessThan(250);
  });
});
