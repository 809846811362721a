import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { compilePattern } from '../../src/url/pattern.js';

const matches = (pattern: string, path: string) =>
  compilePattern(pattern, 'include')(path.startsWith('/') ? `https://example.com${path}` : path);

describe('an international host', () => {
  const URL_IN_BOOKS = 'https://shop.xn--bcher-kva.example/caf%C3%A9?x=1';

  it.each([
    'https://shop.bücher.example/**',
    'https://shop.xn--bcher-kva.example/**',
    'https://*.BÜCHER.example/café*',
    'https://*.bu\u0308cher.example/**',
    '*://*.bü*.example/**',
    'https://{a,shop}.{bücher,x}.example/**',
    'https://shop.{bücher,xn--strae-oqa}.example/**',
    '**bücher.example/**',
    '**café*',
    're:^https://shop\\.bücher\\.example/',
    're:^https://shop\\.xn--bcher-kva\\.example/',
  ])('%s matches it', (pattern) => {
    expect(matches(pattern, URL_IN_BOOKS)).toBe(true);
  });

  it.each([
    'https://bücher.example/**',
    'https://shop.bucher.example/**',
    'https://shop.büchern.example/**',
    'https://shop.bücher.example/',
    're:^https://bücher',
    're:büch$',
  ])('%s does not', (pattern) => {
    expect(matches(pattern, URL_IN_BOOKS)).toBe(false);
  });

  it('in both forms within one pattern', () => {
    const pattern = 'https://{straße,xn--bcher-kva}.example/';
    expect(matches(pattern, 'https://xn--strae-oqa.example/')).toBe(true);
    expect(matches(pattern, 'https://xn--bcher-kva.example/')).toBe(true);
  });
});

describe('globs', () => {
  it.each([
    ['/blog/*', '/blog/post'],
    ['/blog/*', '/blog/post/'],
    ['/blog/*', '/blog/post?page=2&back=/x/y'],
    ['/blog/*', '/blog/?page=2'],
    ['/blog/*/edit', '/blog/post/edit'],
    ['/blog/**', '/blog'],
    ['/blog/**', '/blog?x=1'],
    ['/blog/**', '/blog/a/b/c?d=e/f'],
    ['/**/print', '/print'],
    ['/**/print', '/a/b/print'],
    ['/a*z', '/abcz'],
    ['/search?q=*', '/search?q=a/b'],
    ['/list?x[]=1', '/list?x[]=1'],
    ['/Foo_(bar)', '/Foo_(bar)'],
    ['/c++/$x.y', '/c++/$x.y'],
    ['/{de,fr/ch}/**', '/fr/ch/x'],
    ['/page[0-9]', '/page7'],
    ['/page[!0-9]', '/pagex'],
    ['/a\\*b', '/a*b'],
    ['/café', '/caf%C3%A9'],
    ['*.pdf', '/a/b.pdf'],
    ['**?**', '/a/b?c'],
    ['https://Example.COM/x', 'https://example.com/x'],
    ['*://*.example.com/**', 'http://www.example.com/x/y'],
    ['**/tag/**', 'https://example.com/a/tag/b'],
    ['**', '/anything?at=/all'],
  ])('%s matches %s', (pattern, url) => {
    expect(matches(pattern, url)).toBe(true);
  });

  it.each([
    ['/blog/*', '/blog'],
    ['/blog/*', '/blog/'],
    ['/blog/*', '/blog/a/b'],
    ['/blog/*', '/blogs/a'],
    ['/blog/*/edit', '/blog//edit'],
    ['/blog/**', '/blog-old/x'],
    ['/blog', '/blog/x'],
    ['/blog', '/x/blog'],
    ['/search?q=*', '/searchXq=1'],
    ['**?**', '/a/b'],
    ['*.pdf', '/a/b.pdfx'],
    ['*.pdf', '/b.pdf/c'],
    ['/page[!0-9]', '/page/'],
    ['/a.c', '/abc'],
    ['http://example.com/**', 'https://example.com/x'],
  ])('%s does not match %s', (pattern, url) => {
    expect(matches(pattern, url)).toBe(false);
  });
});

it('searches the whole URL for an expression', () => {
  expect(matches('re:[?&]page=\\d{3,}', '/list?page=1000')).toBe(true);
  expect(matches('re:^https://example\\.com/$', '/')).toBe(true);
  expect(matches('re:[?&]page=\\d{3,}', '/list?page=10')).toBe(false);
});

it('is not held up by a URL made to hold it up', () => {
  const url = `https://example.com/${'-'.repeat(4000)}/`;
  expect(matches('/*-*-*-*-*-*-*-*x', url)).toBe(false);
  expect(matches('re:(-+)+x', url)).toBe(false);
});

it.each(['', 're:', 're:(', 're:(?=a)', '/a[b', '/{a,b', '!/a', '/a\\'])(
  'names the pattern %j that is none',
  (pattern) => {
    const compile = () => compilePattern(pattern, 'exclude');
    expect(compile).toThrow(UsageError);
    expect(compile).toThrow(`exclude pattern "${pattern}": `);
  },
);
