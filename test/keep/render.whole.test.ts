import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { appSite, plainPage } from '../render/app.js';
import { docsBox, pagesOf, renderings } from '../render/docs-box.js';
import { html } from '../web/site.js';

const box = docsBox();
const PAGES = {
  '/': { title: 'Start', links: ['/one', '/two'] },
  '/one': { title: 'One', links: ['/three'] },
  '/two': { title: 'Two' },
  '/three': { title: 'Three' },
};

const hitsIn = async (directory: string, word: string): Promise<string[]> => {
  const run = await inProcess(['search', directory, word, '--json']);
  return (JSON.parse(run.stdout) as { url: string }[]).map(({ url }) => new URL(url).pathname);
};

it.each(['text', 'body'])(
  '--keep %s keeps pages as a browser has drawn them, and each is told of once',
  async (keep) => {
    box.web.site('app.test', appSite({ pages: PAGES }));
    const run = await box.crawl(['http://app.test/'], ['--render', 'auto', '--keep', keep]);
    expect(run.code, run.stderr).toBe(0);
    expect(Object.keys(pagesOf(run.directory))).toHaveLength(4);
    expect(Object.values(renderings(run.directory))).toEqual(['rendered', 'rendered', 'rendered', 'rendered']);
    expect(await hitsIn(run.directory, 'Three')).toContain('/three');
    if (keep === 'body') {
      box.web.clearLog();
      const output = join(run.directory, '..', 'drawn');
      const docs = await inProcess(['docs', run.directory, '--output', output]);
      expect(docs.stderr).toContain('Saved 4 pages');
      expect(box.web.log).toEqual([]);
    }
  },
);

it('a page that no browser has seen is kept as it came', async () => {
  const thin = html('<!doctype html><title>Thin</title><p>Search</p><script src="/app.js"></script>');
  const names = ['/a', '/b', '/c', '/thin'];
  box.web.site('odd.test', {
    handle: ({ path }) =>
      path === '/thin' ? thin : ['/', ...names].includes(path) ? plainPage(path, names) : html('', 404),
  });
  const run = await box.crawl(['http://odd.test/'], ['--render', 'auto', '--keep', 'text']);
  expect(renderings(run.directory)['/thin']).toBe('untried');
  expect(await hitsIn(run.directory, 'Thin')).toContain('/thin');
});
