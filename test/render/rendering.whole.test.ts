import { describe, expect, it } from 'vitest';
import { inStore } from '../kill/killing.js';
import { requestsTo, smallestGap } from '../web/judge.js';
import { html, redirect } from '../web/site.js';
import { appSite, plainPage, script, sentences } from './app.js';
import { docsBox, renderings } from './docs-box.js';

const box = docsBox();
const paths = (host: string): string[] => requestsTo(box.web.log, host).map(({ path }) => path);

describe('pages that build their text in JavaScript', () => {
  it('auto renders them, follows the links that only rendering shows, and asks for each thing once', async () => {
    const pages = {
      '/docs/': { title: 'Welcome', links: ['/docs/one', '/docs/two', '/docs/three', '/docs/four', '/elsewhere'] },
      '/docs/one': { title: 'One' },
      '/docs/two': { title: 'Two' },
      '/docs/three': { title: 'Three' },
      '/docs/four': { title: 'Four', links: ['/docs/five'] },
      '/docs/five': { title: 'Five' },
    };
    box.web.site('app.test', appSite({ pages }));
    const run = await box.docs(['http://app.test/docs/']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.browsers).toBe(1);
    for (const path of ['one', 'two', 'three', 'four', 'five']) {
      for (const sentence of sentences(`/docs/${path}`)) {
        expect(run.page(`docs/${path}.md`), path).toContain(sentence);
      }
    }
    expect(run.page('docs/five.md')).toContain('title: "Five"');
    expect(run.page('docs/five.md')).not.toContain('switch JavaScript on');
    expect(Object.values(renderings(run.directory))).toEqual(Object.keys(pages).map(() => 'rendered'));
    // Each page, its JSON and the script once; nothing out of scope.
    const asked = paths('app.test').filter((path) => !/robots|sitemap/.test(path));
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
    expect(asked.toSorted()).toEqual(
      ['/app.js', ...Object.keys(pages).flatMap((path) => [path, `/data${path}.json`])].toSorted(),
    );
    expect(run.stderr).toContain('Saved 6 pages');
  });

  it('what pages load keeps the delay, obeys robots.txt, and may come from other hosts without being pages', async () => {
    const pages = {
      '/docs/': { title: 'Paced', before: '<script src="/secret/x.js"></script>', links: ['/docs/next'] },
      '/docs/next': { title: 'Next' },
    };
    const robots = 'User-agent: *\nDisallow: /secret/';
    box.web.site(
      'paced.test',
      appSite({ pages, robots, script: 'http://cdn.test/old.js', others: { '/secret/x.js': script('') } }),
    );
    box.web.site('cdn.test', appSite({ pages: {}, others: { '/old.js': redirect('http://cdn.test/app.js') } }));
    const run = await box.docs(['http://paced.test/docs/'], ['--delay', '100']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.page('docs/next.md')).toContain(sentences('/docs/next')[0]);
    expect(paths('paced.test')).not.toContain('/secret/x.js');
    expect(paths('paced.test')).toContain('/data/docs/next.json');
    expect(paths('cdn.test')).toEqual(['/robots.txt', '/old.js', '/app.js']);
    expect(smallestGap(box.web.log, 'paced.test')).toBeGreaterThanOrEqual(100);
    expect(smallestGap(box.web.log, 'cdn.test')).toBeGreaterThanOrEqual(100);
    expect(run.stderr).toContain('Saved 2 pages');
    expect(inStore(run.directory, (all) => all('SELECT url FROM results ORDER BY url').map(({ url }) => url))).toEqual([
      'http://paced.test/docs/',
      'http://paced.test/docs/next',
    ]);
  });

  it('a limit on pages keeps nothing from the pages that were fetched', async () => {
    const pages = {
      '/docs/': { title: 'First', links: ['/docs/second', '/docs/third'] },
      '/docs/second': { title: 'Second' },
      '/docs/third': { title: 'Third' },
    };
    box.web.site('limit.test', appSite({ pages, script: 'http://cdn2.test/app.js' }));
    box.web.site('cdn2.test', appSite({ pages: {} }));
    const run = await box.docs(['http://limit.test/docs/'], ['--max-urls', '2']);
    expect(run.code, run.stderr).toBe(0);
    expect(Object.values(renderings(run.directory))).toEqual(['rendered', 'rendered']);
    expect(run.stderr).toContain('Saved 2 pages');
  });

  it('never renders nothing, always renders pages that have their text too', async () => {
    const others = {
      '/docs/': plainPage('/docs/'),
      '/app.js': script("document.querySelector('h1').textContent = 'Rendered';"),
    };
    box.web.site('modes.test', { handle: ({ path }) => others[path as keyof typeof others] ?? html('', 404) });
    const never = await box.docs(['http://modes.test/docs/'], ['--render', 'never']);
    const always = await box.docs(['http://modes.test/docs/'], ['--render', 'always']);
    expect([never.browsers, always.browsers], always.stderr).toEqual([0, 1]);
    expect(never.page('docs/index.md')).toContain('# /docs/');
    expect(always.page('docs/index.md')).toContain('# Rendered');
  });
});

describe('which pages are worth a browser', () => {
  it('a site whose pages have their text starts none, whatever scripts they load and however thin one of them is', async () => {
    const names = ['/docs/a', '/docs/b', '/docs/c'];
    const site: Record<string, ReturnType<typeof html>> = {
      '/docs/search': html(
        '<!doctype html><title>Search</title><p>Search needs JavaScript</p><script src="/app.js"></script>',
      ),
    };
    box.web.site('plain.test', {
      handle: ({ path }) =>
        site[path] ??
        (path === '/docs/' || names.includes(path) ? plainPage(path, [...names, '/docs/search']) : html('', 404)),
    });
    const run = await box.docs(['http://plain.test/docs/']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.browsers).toBe(0);
    expect(run.page('docs/a.md')).toContain(sentences('/docs/a')[0]);
    expect(paths('plain.test')).not.toContain('/app.js');
  });

  it('three pages of a shape decide for the others', async () => {
    const links = Array.from({ length: 9 }, (_, i) => `/docs/dull/${i}`);
    const dull = html(
      '<!doctype html><title>Dull</title><h1>Dull</h1><p>Short, and all there is.</p><script src="/noop.js"></script>',
    );
    box.web.site('sample.test', {
      handle: ({ path }) => {
        if (path === '/docs/') {
          return plainPage('/docs/', links);
        }
        if (links.includes(path)) {
          return dull;
        }
        return path === '/noop.js' ? script('window.done = true;') : html('', 404);
      },
    });
    const run = await box.docs(['http://sample.test/docs/']);
    expect(run.code, run.stderr).toBe(0);
    expect(run.browsers).toBe(1);
    const states = inStore(run.directory, (all) =>
      all(
        "SELECT rendering, rendered_text IS NOT NULL AS seen, count(*) AS n FROM bodies JOIN urls ON urls.id = page WHERE url LIKE '%dull%' GROUP BY 1, 2",
      ),
    );
    expect(states.map((row) => ({ ...row }))).toEqual([
      { rendering: 3, seen: 0, n: 6 },
      { rendering: 3, seen: 1, n: 3 },
    ]);
  });
});

describe('a second run', () => {
  it('keeps what was rendered where a page is as it was, and renders what has changed', async () => {
    const pages = {
      '/docs/': { title: 'Start', links: ['/docs/same', '/docs/new'] },
      '/docs/same': { title: 'Same' },
      '/docs/new': { title: 'New' },
    };
    const app = appSite({ pages });
    let version = 1;
    box.web.site('sync.test', {
      async handle(request) {
        const etag = `"${request.path === '/docs/new' || request.path.startsWith('/data') ? version : 1}"`;
        if (request.headers['if-none-match'] === etag) {
          return { status: 304 };
        }
        const answer = await app.handle(request);
        return 'headers' in answer ? { ...answer, headers: { ...answer.headers, etag } } : answer;
      },
    });
    const first = await box.docs(['http://sync.test/docs/'], [], { name: 'sync' });
    expect(first.stderr).toContain('Saved 3 pages');
    box.web.clearLog();
    version = 2;
    pages['/docs/new'].title = 'Newer';
    const second = await box.docs(['http://sync.test/docs/'], [], { name: 'sync' });
    expect(second.code, second.stderr).toBe(0);
    expect(second.browsers).toBe(1);
    expect(second.page('docs/same.md')).toContain(sentences('/docs/same')[0]);
    expect(second.page('docs/new.md')).toContain('# Newer');
    expect(paths('sync.test')).toContain('/data/docs/new.json');
    expect(paths('sync.test')).not.toContain('/data/docs/same.json');
    expect(second.stderr).toContain('0 added, 1 changed, 0 removed, 2 unchanged');
  });
});
