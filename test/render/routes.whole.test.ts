import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { requestsTo } from '../web/judge.js';
import { html, redirect } from '../web/site.js';
import { sentences } from './app.js';
import { docsBox, keptBytes, pagesOf } from './docs-box.js';

const box = docsBox();
const BIN = join(import.meta.dirname, '../../bin/gossamer.js');
const routes = (directory: string): string[] =>
  Object.keys(pagesOf(directory))
    .filter((url) => url.includes('#'))
    .map((url) => url.slice(url.indexOf('#')))
    .toSorted();

/** A program that draws links by its fragment: those of `linksOf`, for the route that is shown. */
const app = (linksOf: string, listens = "addEventListener('hashchange', draw);"): ReturnType<typeof html> =>
  html(`<!doctype html><title>App</title><div id="root"></div><script>
    const linksOf = ${linksOf};
    const draw = () => {
      document.title = 'At ' + location.hash;
      document.getElementById('root').innerHTML = '<h1>' + (location.hash || 'Home') + '</h1><p>${sentences('/app').join(' ')}</p>'
        + linksOf(location.hash).map((href) => '<a href="' + href + '">' + href + '</a>').join(' ');
    };
    ${listens}
    draw();
  </script>`);

describe('a crawl with --hash-routes', () => {
  it('takes the routes of a page that draws by them for pages, each drawn by itself, and asks for their page once', async () => {
    const page = app(
      "(hash) => hash === '' ? ['#/one', '#!two', '#/', '#top', 'other.html#/far'] : hash === '#/one' ? ['#/one/deep', '/plain'] : []",
    );
    box.web.site('app.test', {
      handle: ({ path }) =>
        path === '/app/'
          ? page
          : path === '/plain'
            ? html('<title>Plain</title>')
            : path === '/robots.txt'
              ? // No server is asked for a route, so no rule can be meant for one.
                { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /*/one' }
              : html('<title>x</title>', 404),
    });
    const run = await box.crawl(['http://app.test/app/'], ['--render', 'auto', '--hash-routes']);
    expect(run.code, run.stderr).toBe(0);
    expect(routes(run.directory)).toEqual(['#!two', '#/one', '#/one/deep']);
    const pages = pagesOf(run.directory);
    expect(pages['http://app.test/app/#/one']).toMatchObject({ title: 'At #/one', h1: '#/one', depth: 1, status: 200 });
    expect(pages['http://app.test/app/#/one/deep']).toMatchObject({ depth: 2, parent: 'http://app.test/app/#/one' });
    expect(pages['http://app.test/plain']).toMatchObject({ title: 'Plain', parent: 'http://app.test/app/#/one' });
    const asked = requestsTo(box.web.log, 'app.test').map(({ path }) => path);
    expect(asked.filter((path) => path === '/app/')).toHaveLength(2);
    expect(asked.filter((path) => path.includes('#') || path.includes('%23'))).toEqual([]);
    expect(keptBytes(run.directory)).toBe(0);
    const why = await promisify(execFile)(process.execPath, [
      BIN,
      'explain',
      run.directory,
      'http://app.test/app/#/one/deep',
    ]);
    expect(why.stdout).toContain('http://app.test/app/#/one/deep');
    expect(readFileSync(join(run.directory, 'sitemap.xml'), 'utf8')).not.toContain('#');
    const summary = JSON.parse(readFileSync(join(run.directory, 'summary.json'), 'utf8')) as { requests: number };
    expect(summary.requests).toBe(requestsTo(box.web.log, 'app.test').length);
  });

  it('without it, and on a page that does not listen, a route is a place on its page', async () => {
    box.web.site('deaf.test', { handle: () => app("() => ['#/one']", '') });
    box.web.site('off.test', { handle: () => app("() => ['#/one']") });
    const deaf = await box.crawl(['http://deaf.test/'], ['--render', 'always', '--hash-routes', '--depth', '3']);
    const off = await box.crawl(['http://off.test/'], ['--render', 'always']);
    expect([deaf.code, off.code], deaf.stderr + off.stderr).toEqual([0, 0]);
    expect([...routes(deaf.directory), ...routes(off.directory)]).toEqual([]);
  });

  it('keeps to depth, limits, patterns and robots.txt', async () => {
    const page = app("(hash) => ['#/n' + (Number(hash.slice(3) || 0) + 1), '#/secret']");
    box.web.site('endless.test', { handle: ({ path }) => (path === '/' ? page : html('', 404)) });
    const args = ['--render', 'always', '--hash-routes', '--exclude', '**/#/secret', '--seeding-strategy', 'none'];
    const deep = await box.crawl(['http://endless.test/'], [...args, '--depth', '3']);
    expect(deep.code, deep.stderr).toBe(0);
    const fetched = Object.values(pagesOf(deep.directory)).filter(({ state }) => state === 'done');
    expect(fetched.map(({ url }) => url)).toEqual(
      ['', '#/n1', '#/n2', '#/n3'].map((route) => `http://endless.test/${route}`),
    );
    box.web.site('forbidden.test', {
      handle: ({ path }) =>
        path === '/robots.txt'
          ? { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /app' }
          : path === '/'
            ? redirect('http://forbidden.test/app#/x')
            : page,
    });
    const forbidden = await box.crawl(['http://forbidden.test/'], args);
    expect(requestsTo(box.web.log, 'forbidden.test').map(({ path }) => path)).not.toContain('/app');
    expect(Object.values(pagesOf(forbidden.directory)).at(-1)).toMatchObject({ state: 'skipped', reason: 'robots' });
  });

  it('cuts routes without end that show nothing new', async () => {
    const page = html(`<!doctype html><title>App</title><div id="root"></div><script>
      const draw = () => {
        const n = Number(location.hash.slice(3)) || 0;
        document.getElementById('root').innerHTML = '<h1>Calendar</h1><p>${sentences('/').join(' ')}</p><a href="#/d' + (n + 1) + '">next</a>';
      };
      addEventListener('hashchange', draw);
      draw();
    </script>`);
    box.web.site('calendar.test', { handle: ({ path }) => (path === '/' ? page : html('', 404)) });
    const run = await box.crawl(
      ['http://calendar.test/'],
      ['--render', 'always', '--hash-routes', '--max-shape-variants', '5', '--seeding-strategy', 'none'],
    );
    expect(run.code, run.stderr).toBe(0);
    const pages = Object.values(pagesOf(run.directory));
    expect(pages.filter(({ reason }) => reason === 'trap')).toHaveLength(1);
    expect(pages.length).toBeLessThan(20);
  });
});
