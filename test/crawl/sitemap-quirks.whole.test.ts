import { beforeAll, describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, linkPage, pathSite, urlset, xml } from '../web/site.js';
import { quirkSites, SITEMAP_QUIRKS } from '../web/sitemap-quirks.js';
import { box, type Crawled } from './box.js';
import { start } from './support.js';

describe('sitemaps as they are', () => {
  const own = box();
  let crawled: Crawled;
  const asked = (path: string) =>
    own.web.log.filter((request) => request.path === path && request.host.endsWith('quirks.test')).length;

  beforeAll(async () => {
    for (const [host, site] of Object.entries(quirkSites())) {
      own.web.site(host, site);
    }
    crawled = await own.crawl(['http://quirks.test/']);
  }, 60_000);

  it.each(SITEMAP_QUIRKS)('$name', ({ fetched, never = [] }) => {
    for (const path of fetched) {
      expect(asked(path), path).toBe(1);
    }
    for (const path of never) {
      expect(asked(path), path).toBe(0);
    }
  });

  it('give pages of depth one that are done', () => {
    for (const path of SITEMAP_QUIRKS.flatMap(({ fetched }) => fetched).filter((each) => each !== '/wrong-hosts/sub')) {
      expect(crawled.pages.get(`http://quirks.test${path}`), path).toMatchObject({ state: 'done', depth: 1 });
    }
  });

  it('ask nothing of hosts that are out of scope, but for a sitemap that lies there', () => {
    expect(requestsTo(own.web.log, 'outside.test')).toEqual([]);
    expect(
      requestsTo(own.web.log, 'keeper.test')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['/kept.xml', '/moved.xml', '/robots.txt']);
  });

  it('name at most 50,000 URLs each, and of one that is larger the first are taken', async () => {
    const urls = Array.from({ length: 50_003 }, (_, n) => `http://large.test/p${n}`);
    own.web.site(
      'large.test',
      pathSite({
        '/': html(linkPage('Home', [])),
        '/sitemap.xml': xml(urlset(urls)),
        '/p0': html(linkPage('First', [])),
      }),
    );
    const mappings = own.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const program = start(['crawl', 'http://large.test/', '--data-dir', `${own.folder}/large`, ...mappings]);
    const told = new Promise<void>((resolve) => {
      program.child.stderr.on('data', () => program.stderr().includes('URLs in the sitemap') && resolve());
    });
    await Promise.race([told, program.ended]);
    program.child.kill('SIGKILL');
    await program.ended;
    expect(program.stderr()).toContain('50,000 URLs in the sitemap');
  });
});
