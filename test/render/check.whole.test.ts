import { describe, expect, it } from 'vitest';
import { type Checked, HASTY, readReport } from '../check/checking.js';
import { requestsTo } from '../web/judge.js';
import { html } from '../web/site.js';
import { script } from './app.js';
import { docsBox, keptBytes } from './docs-box.js';

const box = docsBox();
const SURE = [...HASTY, '--seeding-strategy', 'none', '--format', 'json'];

async function checked(url: string, args: readonly string[]): Promise<Checked & { directory: string }> {
  const run = await box.check([url], [...SURE, ...args]);
  return { ...readReport(run), directory: run.directory };
}

/** A frame that a script fills with this HTML. */
const drawn = (inner: string): string =>
  `<!doctype html><title>Frame</title>\n<a href="/in-source-gone">gone</a><div id="root"></div><script src="/draw.js" data-inner="${Buffer.from(inner).toString('base64')}"></script>`;
const DRAW = `document.getElementById('root').innerHTML = atob(document.currentScript.dataset.inner);`;
const WORDS = 'words that are drawn '.repeat(40);

function site(host: string, pages: Readonly<Record<string, string>>): void {
  box.web.site(host, {
    handle: ({ path }) => {
      const page = pages[path];
      return path === '/draw.js'
        ? script(DRAW)
        : page === undefined
          ? html('<!doctype html><title>Not found</title>', 404)
          : html(page);
    },
  });
}

describe('a check that renders', () => {
  const PAGES = {
    '/': drawn(
      `<h1 id="top-of-it">Start</h1><p>${WORDS}</p><a href="/dead">dead</a> <a href="/other#there">there</a> <a href="/other#nowhere">nowhere</a>`,
    ),
    '/other': drawn(`<h2 id="there">Other</h2><p>${WORDS}</p>`),
  };

  it('finds dead links that a script draws, and knows the places that it draws', async () => {
    site('drawn.test', PAGES);
    const { byUrl, directory, run } = await checked('http://drawn.test/', ['--render', 'auto']);
    expect(byUrl.get('http://drawn.test/dead'), run.stderr).toMatchObject({ verdict: 'dead', fails: true });
    expect(byUrl.get('http://drawn.test/other')).toMatchObject({ verdict: 'ok' });
    expect(byUrl.get('http://drawn.test/other#nowhere')).toMatchObject({ verdict: 'missing_fragment', fails: true });
    expect(byUrl.has('http://drawn.test/other#there')).toBe(false);
    expect(keptBytes(directory)).toBe(0);
    // Where a link stands in the file is said of what stands there, and of nothing that a script has drawn.
    expect(byUrl.get('http://drawn.test/in-source-gone')!.sources[0]).toMatchObject({ line: 2 });
    expect(byUrl.get('http://drawn.test/dead')!.sources[0]).toMatchObject({ line: null, page: 'http://drawn.test/' });
  });

  it('without a browser says that it cannot tell', async () => {
    site('undrawn.test', { ...PAGES, '/': `<!doctype html><title>Links</title><a href="/other#nowhere">nowhere</a>` });
    const { byUrl } = await checked('http://undrawn.test/', []);
    expect(byUrl.get('http://undrawn.test/other#nowhere')).toMatchObject({ verdict: 'unverifiable' });
  });
});

/** A program that draws by its fragment, as most such programs do. */
const router = (
  views: Readonly<Record<string, string>>,
  otherwise: string,
): string => `<!doctype html><title>App</title>
<div id="root"></div><script>
const views = ${JSON.stringify(views)};
const draw = () => {
  const name = location.hash.replace(/^#!?\\/?/, '');
  const own = Object.hasOwn(views, name) ? views[name] : ${JSON.stringify(otherwise)}.replace('NAME', name);
  document.getElementById('root').innerHTML = own;
};
addEventListener('hashchange', draw);
draw();
</script>`;
const menu =
  '<a href="#/">home</a> <a href="#/about">about</a> <a href="#/lost">lost</a> <a href="#/item/1?x=2">item</a>';
const VIEWS = {
  '': `<h1>Home</h1><p>${WORDS}</p>${menu}`,
  about: '<h1 id="us">About</h1><p>Who we are.</p><a href="/gone">gone</a>',
  'item/1?x=2': '<h1>Item</h1>',
  far: '<h1>Far</h1>',
};

describe('routes', () => {
  it('of a page that draws by them are checked by what they draw', async () => {
    site('routes.test', { '/app/': router(VIEWS, '<h1>Nothing here</h1><p>There is no NAME.</p>') });
    const { byUrl, run, directory } = await checked('http://routes.test/app/', ['--render', 'auto', '--hash-routes']);
    expect(byUrl.get('http://routes.test/app/#/about'), run.stderr).toMatchObject({ verdict: 'ok' });
    expect(byUrl.get('http://routes.test/app/#/item/1?x=2')).toMatchObject({ verdict: 'ok' });
    expect(byUrl.get('http://routes.test/app/#/lost')).toMatchObject({ verdict: 'soft_404' });
    // Found on a route, and nowhere else.
    expect(byUrl.get('http://routes.test/gone')).toMatchObject({
      verdict: 'dead',
      sources: [{ page: 'http://routes.test/app/#/about' }],
    });
    expect(keptBytes(directory)).toBe(0);
    const asked = requestsTo(box.web.log, 'routes.test').map(({ path }) => path);
    expect(asked.filter((path) => path.includes('#'))).toEqual([]);
    // The page itself, once more for all of its routes, and the second look at the one that seems lost.
    expect(asked.filter((path) => path === '/app/').length).toBeLessThanOrEqual(3);
  });

  it('of a program that shows its first view for all that it does not know cannot be told', async () => {
    site('first.test', { '/app/': router(VIEWS, VIEWS['']) });
    const { byUrl } = await checked('http://first.test/app/', ['--render', 'auto', '--hash-routes']);
    expect(byUrl.get('http://first.test/app/#/about')).toMatchObject({ verdict: 'ok' });
    expect(byUrl.get('http://first.test/app/#/lost')).toMatchObject({ verdict: 'unverifiable', fails: false });
  });

  it('that other pages name are drawn too', async () => {
    site('named.test', {
      '/': `<!doctype html><title>Home</title><p>${WORDS}</p><a href="/app/#/far">far</a> <a href="/app/#/nowhere">nowhere</a> <a href="/plain#/x">x</a>`,
      '/app/': router(VIEWS, '<h1>Nothing here</h1>'),
      '/plain': `<!doctype html><title>Plain</title><p>${WORDS}</p>`,
    });
    const { byUrl, run } = await checked('http://named.test/', ['--render', 'always', '--hash-routes']);
    expect(byUrl.get('http://named.test/app/#/nowhere'), run.stderr).toMatchObject({ verdict: 'soft_404' });
    expect(byUrl.has('http://named.test/app/#/far')).toBe(false);
    expect([...byUrl.keys()].filter((url) => url.includes('plain'))).toEqual(['http://named.test/plain']);
  });

  it('need a browser', async () => {
    const run = await box.check(['http://routes.test/app/'], ['--hash-routes']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--hash-routes needs --render auto or always');
  });
});
