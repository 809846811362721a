import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { smallestGap } from '../web/judge.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { chapters, Manual } from './manual.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  web = await openWeb();
  folder = temporaryFolder();
});
afterEach(async () => {
  await web.close();
  folder.remove();
});

const DELAY_MS = 150;
const docs = () =>
  inProcess(['docs', `${web.origin}/docs/`, '--output', join(folder.path, 'corpus'), '--delay', String(DELAY_MS)], {
    cwd: folder.path,
  });

describe('manners', () => {
  it('keeps the delay from the look at the site to its pages, and from one run to the next', async () => {
    web.site('127.0.0.1', new Manual(chapters(5), { sitemap: () => null }));
    expect((await docs()).stderr).toContain('Saved 6 pages');
    const first = web.log.length;
    expect(smallestGap(web.log, '127.0.0.1')).toBeGreaterThanOrEqual(DELAY_MS);
    expect((await docs()).stderr).toContain('Saved 6 pages');
    expect(web.log.length).toBeGreaterThan(first);
    expect(smallestGap(web.log, '127.0.0.1')).toBeGreaterThanOrEqual(DELAY_MS);
  });

  it('asks for nothing that robots.txt forbids, whatever the sitemap names', async () => {
    const robots = 'User-agent: *\nDisallow: /docs/chapter-3\n';
    web.site('127.0.0.1', new Manual(chapters(5), { sitemap: () => null, robots }));
    expect((await docs()).stderr).toContain('Saved 5 pages');
    expect(web.log.some(({ path }) => path.startsWith('/docs/chapter-3'))).toBe(false);
  });

  it('asks for each page once', async () => {
    web.site('127.0.0.1', new Manual(chapters(5)));
    await docs();
    const pages = web.log.map(({ path }) => path).filter((path) => path !== '/docs/chapter-6.html');
    expect(new Set(pages).size).toBe(pages.length);
  });
});
