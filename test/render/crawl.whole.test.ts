import { describe, expect, it } from 'vitest';
import { requestsTo, smallestGap } from '../web/judge.js';
import { html } from '../web/site.js';
import { appSite, plainPage, script, sentences } from './app.js';
import { docsBox, keptBytes, pagesOf, renderings } from './docs-box.js';

const box = docsBox();
const paths = (host: string): string[] => requestsTo(box.web.log, host).map(({ path }) => path);

const PAGES = {
  '/': { title: 'Start', links: ['/one', '/two'] },
  '/one': { title: 'One', links: ['/three'] },
  '/two': { title: 'Two' },
  '/three': { title: 'Three' },
};

describe('a crawl that renders', () => {
  it('follows links that only a browser sees, tells of each page once and as it was drawn, and keeps no body', async () => {
    box.web.site('app.test', appSite({ pages: PAGES }));
    const run = await box.crawl(['http://app.test/'], ['--render', 'auto']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.browsers).toBe(1);
    const pages = pagesOf(run.directory);
    expect(Object.keys(pages).toSorted()).toEqual(
      Object.keys(PAGES)
        .map((path) => `http://app.test${path}`)
        .toSorted(),
    );
    expect(pages['http://app.test/three']).toMatchObject({
      title: 'Three',
      h1: 'Three',
      state: 'done',
      depth: 2,
      links: 1,
    });
    expect(pages['http://app.test/']!.wordCount).toBeGreaterThan(50);
    expect(Object.values(renderings(run.directory))).toEqual(['rendered', 'rendered', 'rendered', 'rendered']);
    expect(keptBytes(run.directory)).toBe(0);
    // Each page, its JSON and the script once; nothing else.
    const asked = paths('app.test').filter((path) => !/robots|sitemap/.test(path));
    expect(asked.toSorted()).toEqual(
      ['/app.js', ...Object.keys(PAGES).flatMap((path) => [path, `/data${path}.json`])].toSorted(),
    );
  });

  it('starts no browser unless asked to, nor for pages that have their text', async () => {
    const site = { '/': plainPage('/', ['/a']), '/a': plainPage('/a') };
    box.web.site('plain.test', { handle: ({ path }) => site[path as keyof typeof site] ?? html('', 404) });
    box.web.site('frames.test', appSite({ pages: PAGES }));
    const auto = await box.crawl(['http://plain.test/'], ['--render', 'auto']);
    const never = await box.crawl(['http://frames.test/']);
    expect([auto.browsers, never.browsers, auto.code, never.code], auto.stderr).toEqual([0, 0, 0, 0]);
    expect(Object.keys(pagesOf(auto.directory))).toHaveLength(2);
    expect(Object.keys(pagesOf(never.directory))).toEqual(['http://frames.test/']);
    expect(keptBytes(auto.directory)).toBe(0);
  });

  it('a page that nothing speaks for is told of as it came, and its body goes too', async () => {
    const thin = html('<!doctype html><title>Thin</title><p>Search</p><script src="/app.js"></script>');
    const names = ['/a', '/b', '/c', '/thin'];
    box.web.site('odd.test', {
      handle: ({ path }) =>
        path === '/thin' ? thin : ['/', ...names].includes(path) ? plainPage(path, names) : html('', 404),
    });
    const run = await box.crawl(['http://odd.test/'], ['--render', 'auto']);
    expect([run.code, run.browsers], run.stderr).toEqual([0, 0]);
    expect(pagesOf(run.directory)['http://odd.test/thin']).toMatchObject({ title: 'Thin', state: 'done' });
    expect(renderings(run.directory)['/thin']).toBe('untried');
    expect(keptBytes(run.directory)).toBe(0);
  });

  it('renders the pages of one host by its entry, and leaves those of the others as they come', async () => {
    box.web.site('drawn.test', appSite({ pages: { '/': { title: 'Drawn' } } }));
    box.web.site('left.test', appSite({ pages: { '/': { title: 'Drawn too' } } }));
    const seeds = ['http://drawn.test/', 'http://left.test/'];
    const one = await box.crawl(seeds, ['--host', 'drawn.test render=always']);
    expect([one.code, one.browsers], one.stderr).toEqual([0, 1]);
    expect(pagesOf(one.directory)['http://drawn.test/']).toMatchObject({ title: 'Drawn' });
    expect(pagesOf(one.directory)['http://left.test/']).toMatchObject({ title: 'App' });
    const all = await box.crawl(seeds, ['--render', 'always', '--host', 'left.test render=never']);
    expect([all.code, all.browsers], all.stderr).toEqual([0, 1]);
    expect(pagesOf(all.directory)['http://drawn.test/']).toMatchObject({ title: 'Drawn' });
    expect(pagesOf(all.directory)['http://left.test/']).toMatchObject({ title: 'App' });
  });

  it('what pages load keeps the delay and obeys robots.txt; it is no page', async () => {
    const pages = {
      '/': { title: 'Paced', before: '<script src="/secret/x.js"></script>', links: ['/next', '/secret/page'] },
      '/next': { title: 'Next' },
    };
    const others = { '/secret/x.js': script(''), '/secret/page': html('<title>No</title>') };
    box.web.site('paced.test', appSite({ pages, robots: 'User-agent: *\nDisallow: /secret/', others }));
    const run = await box.crawl(['http://paced.test/'], ['--render', 'always', '--delay', '100']);
    expect(run.code, run.stderr).toBe(0);
    expect(paths('paced.test').filter((path) => path.startsWith('/secret'))).toEqual([]);
    expect(paths('paced.test')).toContain('/data/next.json');
    expect(smallestGap(box.web.log, 'paced.test')).toBeGreaterThanOrEqual(100);
    const told = pagesOf(run.directory);
    expect(told['http://paced.test/next']).toMatchObject({ title: 'Next' });
    expect(told['http://paced.test/secret/page']).toMatchObject({ state: 'skipped', reason: 'robots' });
    expect(Object.keys(told)).toHaveLength(3);
  });

  it('sentences of a drawn page are words of it', async () => {
    box.web.site('words.test', appSite({ pages: { '/': { title: 'Words' } } }));
    const run = await box.crawl(['http://words.test/'], ['--render', 'always']);
    const words = sentences('/').join(' ').split(' ').length;
    expect(pagesOf(run.directory)['http://words.test/']!.wordCount).toBe(words + 1);
  });
});
