import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { compilePattern } from '../../src/url/pattern.js';

const matches = (pattern: string, path: string) =>
  compilePattern(pattern, 'include')(path.startsWith('/') ? `https://example.com${path}` : path);

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
