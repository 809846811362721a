import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorsOf } from '../check/json-schema.js';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { html, linkPage, notFound, pathSite, redirect, type SiteAnswer, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { readIndex, words } from './manual.js';

const SCHEMA = JSON.parse(readFileSync(new URL('../../docs/schemas/corpus-1.json', import.meta.url), 'utf8'));

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

const page = (title: string, ...hrefs: string[]): SiteAnswer =>
  html(linkPage(title, hrefs, words(title.length * 31 + title.charCodeAt(title.length - 1), 60)));

async function docs(seed: string, ...more: string[]): Promise<{ paths: string[]; said: string }> {
  const output = join(folder.path, 'corpus');
  const run = await inProcess(['docs', web.origin + seed, '--output', output, ...more], { cwd: folder.path });
  expect(run.stderr).toContain('Saved ');
  const index = readIndex(output);
  expect(errorsOf(index, SCHEMA)).toEqual([]);
  const documents: { url: string }[] = index.documents;
  return { paths: documents.map(({ url }) => url.slice(web.origin.length)), said: run.stderr };
}
const asked = () => web.log.map(({ path }) => path).filter((path) => !/robots|sitemap/.test(path));

describe('which pages a corpus has', () => {
  const site = {
    '/guide': page('Guide', '/guide/one', '/guide-old', '/other/', '/'),
    '/guide/': notFound,
    '/guide/one': page('One', '/guide/two', '/guide'),
    '/guide/two': page('Two', '/elsewhere'),
    '/guide-old': page('Old guide'),
    '/other/': page('Other'),
    '/': page('Home', '/guide'),
    '/elsewhere': page('Elsewhere'),
  };

  it('is what lies under the path of the seed, where there is anything', async () => {
    web.site('127.0.0.1', pathSite(site));
    const { paths } = await docs('/guide');
    expect(paths).toEqual(['/guide', '/guide/one', '/guide/two']);
    expect(asked().sort()).toEqual(['/guide', '/guide/one', '/guide/two']);
  });

  it('is the folder of the seed where nothing lies under its path', async () => {
    web.site(
      '127.0.0.1',
      pathSite({
        '/docs/intro': page('Intro', '/docs/install', '/blog/', '/docs/'),
        '/docs/install': page('Install', '/docs/intro', '/docs/deep/usage'),
        '/docs/deep/usage': page('Usage'),
        '/docs/': page('Docs home'),
        '/blog/': page('Blog'),
      }),
    );
    const { paths } = await docs('/docs/intro');
    expect([...paths].sort()).toEqual(['/docs/', '/docs/deep/usage', '/docs/install', '/docs/intro']);
    expect(asked()).not.toContain('/blog/');
    // The seed is fetched once, though its scope was found out by it.
    expect(asked().filter((path) => path === '/docs/intro')).toHaveLength(1);
  });

  it('counts what a sitemap names under the path as lying there', async () => {
    web.site(
      '127.0.0.1',
      pathSite({
        '/book': page('Book'),
        '/book/a': page('A'),
        '/book/b': page('B'),
        '/x': page('X'),
        '/sitemap.xml': xml(urlset(['/book/b', '/book/a', '/x'].map((path) => web.origin + path))),
      }),
    );
    const { paths } = await docs('/book');
    expect(paths).toEqual(['/book/b', '/book/a', '/book']);
  });

  it('takes what a sitemap names in the wider folder, once the scope is that', async () => {
    web.site(
      '127.0.0.1',
      pathSite({
        '/docs/intro': page('Intro', '/docs/linked'),
        '/docs/named': page('Named'),
        '/docs/linked': page('Linked'),
        '/sitemap.xml': xml(urlset(['/docs/named', '/docs/intro', '/blog'].map((path) => web.origin + path))),
      }),
    );
    const { paths } = await docs('/docs/intro');
    expect(paths).toEqual(['/docs/named', '/docs/intro']);
    expect(asked().sort()).toEqual(['/docs/intro', '/docs/named']);
  });

  it('is the nearest seed, where seeds lie in each other', async () => {
    web.site(
      '127.0.0.1',
      pathSite({
        '/docs/': page('Docs', '/docs/a', '/docs/api/linked'),
        '/docs/a': page('A'),
        '/docs/api/': page('Reference', '/docs/api/own', '/docs/b'),
        '/docs/api/linked': page('Linked'),
        '/docs/api/own': page('Own'),
        '/docs/b': page('B'),
      }),
    );
    const output = join(folder.path, 'corpora');
    await inProcess(['docs', `${web.origin}/docs/`, `${web.origin}/docs/api/`, '--output', output], {
      cwd: folder.path,
    });
    const [api, all] = readdirSync(output)
      .sort()
      .map((name) => readIndex(join(output, name)).documents.map(({ path }: { path: string }) => path));
    expect(api).toEqual(['docs/api/index.md', 'docs/api/own.md', 'docs/api/linked.md']);
    expect(all).toEqual(['docs/index.md', 'docs/a.md', 'docs/b.md']);
  });

  it('says what one folder up would give where there are next to none', async () => {
    web.site('127.0.0.1', pathSite({ ...site, '/guide/two/': page('Two', '/guide/one', '/guide', '/guide/three') }));
    const { said } = await docs('/guide/two/');
    expect(said).toMatch(/only 1 page is in scope; http:\/\/127\.0\.0\.1:\d+\/guide\/ would give 3 or more/);
  });

  it('goes on where a seed redirects to', async () => {
    web.site(
      '127.0.0.1',
      pathSite({
        '/start/': redirect('/manual/en/', 302),
        '/manual/en/': page('Manual', '/manual/en/one', '/manual/de/'),
        '/manual/en/one': page('One'),
        '/manual/de/': page('Handbuch'),
      }),
    );
    const { paths } = await docs('/start/');
    expect(paths).toEqual(['/manual/en/', '/manual/en/one']);
  });
});

describe('where the pages come from', () => {
  const answers = (): Record<string, SiteAnswer> => ({
    '/docs/': page('Home', '/docs/linked', '/docs/named'),
    '/docs/linked': page('Linked', '/docs/deeper'),
    '/docs/deeper': page('Deeper'),
    '/docs/named': page('Named', '/docs/deeper'),
    '/sitemap.xml': xml(urlset(['/docs/named', '/blog/x'].map((path) => web.origin + path))),
  });

  it('is the sitemap alone, where it names any', async () => {
    web.site('127.0.0.1', pathSite(answers()));
    expect((await docs('/docs/')).paths).toEqual(['/docs/named', '/docs/']);
    expect(asked().sort()).toEqual(['/docs/', '/docs/named']);
  });

  it('is links, where the sitemap names none of them', async () => {
    web.site('127.0.0.1', pathSite({ ...answers(), '/sitemap.xml': xml(urlset([`${web.origin}/blog/x`])) }));
    expect((await docs('/docs/')).paths).toEqual(['/docs/', '/docs/linked', '/docs/named', '/docs/deeper']);
  });

  it('is both with --seeding-strategy sitemap, and links alone with none', async () => {
    web.site('127.0.0.1', pathSite(answers()));
    const both = await docs('/docs/', '--seeding-strategy', 'sitemap');
    expect(both.paths).toEqual(['/docs/named', '/docs/', '/docs/linked', '/docs/deeper']);
    web.clearLog();
    const links = await docs('/docs/', '--seeding-strategy', 'none');
    expect(links.paths).toEqual(['/docs/', '/docs/linked', '/docs/named', '/docs/deeper']);
    expect(web.log.some(({ path }) => path.includes('sitemap'))).toBe(false);
  });
});

describe('the order of the pages', () => {
  const zones = `<!doctype html><title>Home</title>
    <footer><a href="/d/imprint">Imprint</a></footer>
    <main><p>${words(1, 50)} <a href="/d/text">text</a> <a href="/d/both">both</a></p></main>
    <nav><a href="/d/nav">nav</a></nav>
    <div class="sphinxsidebar"><div><a href="/d/toc">toc</a> <a href="/d/both">both</a></div></div>
    <p><a href="/d/after">after</a></p>`;
  const rest = Object.fromEntries(
    ['imprint', 'text', 'both', 'nav', 'toc', 'after'].map((name, n) => [
      `/d/${name}`,
      html(`<!doctype html><title>${name}</title><main><h1>${name}</h1><p>${words(n + 300, 60)}</p></main>`),
    ]),
  );

  it('is that of table of contents, navigation, text and footer', async () => {
    web.site('127.0.0.1', pathSite({ '/d/': html(zones), ...rest }));
    const { paths } = await docs('/d/');
    expect(paths).toEqual(['/d/', '/d/toc', '/d/both', '/d/nav', '/d/text', '/d/after', '/d/imprint']);
  });

  it('is the one in which they are asked for too', async () => {
    web.site('127.0.0.1', pathSite({ '/d/': html(zones), ...rest }));
    await docs('/d/', '--workers', '1');
    expect(asked()).toEqual(['/d/', '/d/both', '/d/toc', '/d/nav', '/d/text', '/d/after', '/d/imprint']);
  });
});
