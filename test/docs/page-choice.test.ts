import { expect, it } from 'vitest';
import { Breaks } from '../../src/base/breaks.js';
import { choosePages, type PageChoice } from '../../src/docs/page-choice.js';
import type { DocsReader } from '../../src/store/docs-reader.js';

type Said = { lang?: string; hreflang?: Record<string, string> };

async function chosen(pages: Record<string, Said>, choice: Partial<PageChoice>) {
  const urls = Object.keys(pages).map((path) => `https://example.com${path}`);
  const store = {
    urlOf: (id: number) => urls[id]!,
    languageOf: (id: number) => {
      const { lang = null, hreflang = {} } = Object.values(pages)[id]!;
      return { url: urls[id]!, lang, hreflang };
    },
  } as unknown as DocsReader;
  const wanted: PageChoice = { lang: null, versionPaths: 'all', ...choice };
  const { ids, leftOut } = await choosePages(
    store,
    urls.map((_, id) => id),
    wanted,
    new Breaks(),
  );
  return { paths: ids.map((id) => Object.keys(pages)[id]), leftOut };
}
const without = (...paths: string[]): Record<string, Said> => Object.fromEntries(paths.map((path) => [path, {}]));
const latest = (...paths: string[]) => chosen(without(...paths), { versionPaths: 'latest' });

it('takes pages of a language by what they say, and what says nothing', async () => {
  const { paths, leftOut } = await chosen(
    { '/a': { lang: 'en-GB' }, '/b': { lang: 'de' }, '/c': {}, '/d': { lang: 'EN' } },
    { lang: 'en' },
  );
  expect(paths).toEqual(['/a', '/c', '/d']);
  expect(leftOut.otherLanguages).toBe(1);
});

it('believes hreflang and the path before a page that says the same in all languages', async () => {
  const hreflang = { de: 'https://example.com/seite', 'x-default': 'https://example.com/a' };
  const pages = {
    '/a': { lang: 'en', hreflang },
    '/seite': { lang: 'en' },
    '/de/b': { lang: 'en' },
    '/pt-br/b': { lang: 'en' },
    '/go/b': { lang: 'en' },
  };
  expect((await chosen(pages, { lang: 'de' })).paths).toEqual(['/seite', '/de/b']);
  // Of pt nobody speaks: the folder may be anything.
  expect((await chosen(pages, { lang: 'en' })).paths).toEqual(['/a', '/pt-br/b', '/go/b']);
});

it('does not take pt-BR for pt-PT', async () => {
  const pages = { '/a': { lang: 'pt-BR' }, '/b': { lang: 'pt-PT' }, '/c': { lang: 'pt' } };
  expect((await chosen(pages, { lang: 'pt-BR' })).paths).toEqual(['/a']);
  expect((await chosen(pages, { lang: 'pt' })).paths).toEqual(['/a', '/b', '/c']);
});

it('keeps the newest of versions beside each other, and says what is left out', async () => {
  const { paths, leftOut } = await latest('/', '/v1/a', '/v1/b', '/v2.3/a', '/v2.3/b', '/v2.10/a', '/v2.10/c');
  expect(paths).toEqual(['/', '/v2.10/a', '/v2.10/c']);
  expect(leftOut.versions).toEqual([
    {
      folder: 'example.com/',
      kept: 'v2.10',
      left: [
        { version: 'v2.3', pages: 2 },
        { version: 'v1', pages: 2 },
      ],
    },
  ]);
});

it('takes latest before stable, both before a number, and what is not released last', async () => {
  const pages = (...labels: string[]) => labels.flatMap((label) => [`/en/${label}/a`, `/en/${label}/b`]);
  expect((await latest(...pages('stable', 'latest', '5.0'))).paths).toEqual(pages('latest'));
  expect((await latest(...pages('dev', '4.2', 'stable'))).paths).toEqual(pages('stable'));
  expect((await latest(...pages('main', '4.2'))).paths).toEqual(pages('4.2'));
});

it('takes pages without a version for the newest where they are the same pages', async () => {
  const { paths, leftOut } = await latest(
    '/docs/a',
    '/docs/b',
    '/docs/1.0/a',
    '/docs/1.0/b',
    '/docs/next/a',
    '/docs/next/b',
  );
  expect(paths).toEqual(['/docs/a', '/docs/b']);
  expect(leftOut.versions[0]!.kept).toBe('');
});

it.each([
  ['chapters', ['/book/1/a', '/book/1/b', '/book/2/a', '/book/2/b']],
  ['notes on each release', ['/releases/1.0/', '/releases/1.1/', '/releases/2.0']],
  ['one version alone', ['/docs/3.11/a', '/docs/3.11/b']],
  ['years', ['/blog/2023/a', '/blog/2023/b', '/blog/2024/a', '/blog/2024/b']],
])('leaves %s alone', async (_what, paths) => {
  expect((await latest(...paths)).paths).toEqual(paths);
});
