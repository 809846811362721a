import { describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html } from '../web/site.js';
import { appSite, plainPage } from './app.js';
import { docsBox, keptBytes, renderings } from './docs-box.js';

const box = docsBox();
const NOWHERE = { CHROME_PATH: '/nowhere/chromium' };
const PAGES = { '/docs/': { title: 'Start', links: ['/docs/a'] }, '/docs/a': { title: 'A' } };

describe('where there is no browser', () => {
  it('always is refused before anything is fetched, with how to get one', async () => {
    box.web.site('always.test', appSite({ pages: PAGES }));
    const run = await box.docs(['http://always.test/docs/'], ['--render', 'always'], { env: NOWHERE });
    expect(run.code).toBe(3);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(run.stderr).toMatch(/there is no browser: install Chromium or Chrome, or name one in CHROME_PATH$/m);
    expect(requestsTo(box.web.log, 'always.test')).toEqual([]);
  });

  it('auto goes on without, and says once how many pages wait and how to get one; with one they are rendered', async () => {
    box.web.site('auto.test', appSite({ pages: PAGES }));
    const run = await box.docs(['http://auto.test/docs/'], [], { name: 'auto', env: NOWHERE });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr.match(/nearly empty without JavaScript/g)).toHaveLength(1);
    expect(run.stderr).toMatch(/1 page is nearly empty without JavaScript .*there is no browser: install Chromium/);
    expect(renderings(run.directory)).toEqual({ '/docs/': 'wanted' });
    const again = await box.docs(['http://auto.test/docs/'], [], { name: 'auto' });
    expect(again.code, again.stderr).toBe(0);
    expect(Object.values(renderings(again.directory))).toEqual(['rendered', 'rendered']);
  });

  it('auto says nothing where pages have their text', async () => {
    box.web.site('quiet.test', { handle: ({ path }) => (path === '/docs/' ? plainPage(path) : html('', 404)) });
    const run = await box.docs(['http://quiet.test/docs/'], [], { env: NOWHERE });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).not.toMatch(/browser|JavaScript|render/);
  });

  it('one that does not start is named, not its stack', async () => {
    box.web.site('broken.test', appSite({ pages: PAGES }));
    const run = await box.docs(['http://broken.test/docs/'], ['--render', 'always'], {
      env: { CHROME_PATH: '/bin/false' },
    });
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/\/bin\/false does not start/);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each(['crawl', 'check'] as const)(
    '%s is refused where all pages are to be rendered, and goes on by itself else',
    async (command) => {
      const host = `${command}.test`;
      box.web.site(host, appSite({ pages: PAGES }));
      const always = await box[command]([`http://${host}/docs/`], ['--render', 'always'], { env: NOWHERE });
      expect(always.code).toBe(3);
      expect(always.stderr.trim().split('\n')).toHaveLength(1);
      expect(always.stderr).toMatch(/there is no browser: install Chromium or Chrome, or name one in CHROME_PATH$/m);
      expect(requestsTo(box.web.log, host)).toEqual([]);
      const auto = await box[command]([`http://${host}/docs/`], ['--render', 'auto', '--seeding-strategy', 'none'], {
        env: NOWHERE,
      });
      expect(auto.code, auto.stderr).toBe(0);
      expect(auto.stderr.match(/1 page is nearly empty without JavaScript/g)).toHaveLength(1);
      expect(renderings(auto.directory)).toEqual({ '/docs/': 'untried' });
      expect(keptBytes(auto.directory)).toBe(0);
    },
  );
});
