import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, type SiteAnswer, urlset, xml } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { readIndex, words } from './manual.js';

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

const page = (title: string, hrefs: readonly string[] = []): SiteAnswer =>
  html(
    linkPage(
      title,
      [...hrefs],
      words(
        [...title].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7),
        60,
      ),
    ),
  );
const paths = (folderName: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `/docs/${folderName}/${n}`);
const sitemap = (urls: readonly string[]) => xml(urlset(urls.map((path) => web.origin + path)));
const asked = () => web.log.map(({ path }) => path).filter((path) => path.startsWith('/docs'));

async function docs(output: string, ...more: string[]) {
  const run = await inProcess(
    [
      'docs',
      `${web.origin}/docs/`,
      '--output',
      join(folder.path, output),
      '--data-dir',
      join(folder.path, `${output}-data`),
    ].concat(more),
    { cwd: folder.path },
  );
  const index = readIndex(join(folder.path, output));
  return { said: run.stderr, out: run.stdout, pages: index.documents.length as number };
}

/** Thirty named pages; one of them, which is in the sample, leads to `unnamed` others. */
function site(unnamed: number, others: readonly string[] = []): void {
  const named = paths('named', 30);
  const hidden = paths('hidden', unnamed);
  web.site(
    '127.0.0.1',
    pathSite({
      '/sitemap.xml': sitemap(['/docs/', ...named]),
      '/docs/': page('Docs', named),
      ...Object.fromEntries(named.map((path) => [path, page(path, path === named[0] ? [...hidden, ...others] : [])])),
      ...Object.fromEntries(hidden.map((path) => [path, page(path, [`${path}/deep`])])),
      ...Object.fromEntries(hidden.map((path) => [`${path}/deep`, page(`${path}/deep`)])),
    }),
  );
}

it('follows links where pages lead to many that no sitemap names, and says so; each page is asked for once', async () => {
  site(12);
  const { said, out, pages } = await docs('corpus', '--json');
  expect(pages).toBe(31 + 24);
  expect(said).toMatch(
    /the sitemap of \S+\/docs\/ is incomplete: 20 pages lead to 30 that it names and 12 that it does not, so links were followed too \(--seeding-strategy sitemap-only does not\)/,
  );
  expect(JSON.parse(out).corpora[0].sitemapLacks).toEqual({ pages: 20, named: 30, unnamed: 12 });
  expect(asked()).toHaveLength(new Set(asked()).size);
});

it('leaves links alone where nine pages are missing, or where what is missing are downloads and forms', async () => {
  const files = Array.from({ length: 30 }, (_, n) => [`/docs/file-${n}.zip`, `/docs/edit?page=${n}`]).flat();
  site(9, files);
  const { said, pages } = await docs('corpus');
  expect(pages).toBe(31);
  expect(said).not.toContain('incomplete');
  expect(asked()).not.toContain('/docs/hidden/0');
});

it('takes another spelling of a page in the sitemap for that page', async () => {
  const named = paths('named', 15);
  web.site(
    '127.0.0.1',
    pathSite({
      '/sitemap.xml': sitemap(named.map((path) => `${path}/`)),
      '/docs/': page(
        'Docs',
        named.flatMap((path) => [path, `${path}/index.html`, `${path}.html`]),
      ),
      ...Object.fromEntries(named.map((path) => [`${path}/`, page(path)])),
    }),
  );
  expect((await docs('corpus')).said).not.toContain('incomplete');
});

it('never follows links with --seeding-strategy sitemap-only', async () => {
  site(12);
  const { said, pages } = await docs('corpus', '--seeding-strategy', 'sitemap-only');
  expect(pages).toBe(31);
  expect(said).not.toContain('incomplete');
  expect(asked().some((path) => path.includes('hidden'))).toBe(false);
});

it('decides anew with each sync, and comes to the corpus of a fresh run', async () => {
  site(9);
  await docs('corpus');
  site(12);
  const synced = await docs('corpus');
  await docs('fresh');
  expect(synced.said).toContain('incomplete');
  expect(textsOf('corpus')).toEqual(textsOf('fresh'));
  site(9);
  const back = await docs('corpus');
  await docs('fresh-again');
  expect(back.said).not.toContain('incomplete');
  expect(textsOf('corpus')).toEqual(textsOf('fresh-again'));
});

it('finds a scope that the survey has opened as incomplete as any other', async () => {
  const named = paths('', 12).map((path) => path.replace('//', '/'));
  const hidden = paths('hidden', 12);
  web.site(
    '127.0.0.1',
    pathSite({
      '/sitemap.xml': sitemap(named),
      '/docs/intro': page('Intro'),
      ...Object.fromEntries(named.map((path) => [path, page(path, hidden)])),
      ...Object.fromEntries(hidden.map((path) => [path, page(path)])),
    }),
  );
  const output = join(folder.path, 'intro');
  const run = await inProcess(['docs', `${web.origin}/docs/intro`, '--output', output], { cwd: folder.path });
  expect(run.stderr).toContain('13 pages lead to 0 that it names and 12 that it does not');
  expect(readIndex(output).documents).toHaveLength(25);
  expect(asked()).toHaveLength(new Set(asked()).size);
});

function textsOf(name: string): Record<string, string> {
  const root = join(folder.path, name);
  return Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /llms.*\.txt$|\.md$/.test(path))
      .sort()
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
}
