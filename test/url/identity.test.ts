import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AS_WRITTEN, type IdentityOptions, normaliseUrl } from '../../src/url/identity.js';
import { asText, UrlResolver } from '../../src/url/resolver.js';
import { BASES, expected, messyHref, plainHref } from './hrefs.js';

describe('UrlResolver', () => {
  it('gives what the URL standard gives, for any href, asked once or again, in any order of pages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof(messyHref, plainHref), fc.constantFrom(...BASES)), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 20 }),
        (questions, capacity) => {
          const resolver = new UrlResolver(AS_WRITTEN, asText, capacity);
          for (const [href, base] of [...questions, ...questions]) {
            expect(resolver.resolve(href, base)).toBe(expected(href, base));
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('tells the pages of one directory apart where the href means the page itself', () => {
    const resolver = new UrlResolver(AS_WRITTEN, asText);
    for (const page of ['http://h.test/d/one?a=1', 'http://h.test/d/two?b=2']) {
      for (const href of ['', '#x', ' ', '\t#x', '?q', ' ?q', '\n?q', 'http:', 'http:?q', 'ht\ntp:#x', 'HTTP:?z']) {
        expect(resolver.resolve(href, page), JSON.stringify(href)).toBe(expected(href, page));
      }
    }
  });

  it('does not let a blank or a control character at the end of a href answer for one before a fragment', () => {
    for (const end of [' ', '\u0001', '\u001f', '\t', '\n', ' \t']) {
      for (const order of [
        [`x${end}`, `x${end}#f`],
        [`x${end}#f`, `x${end}`],
      ]) {
        const resolver = new UrlResolver(AS_WRITTEN, asText);
        for (const href of order) {
          expect(resolver.resolve(href, 'http://h.test/d/'), JSON.stringify(order)).toBe(
            expected(href, 'http://h.test/d/'),
          );
        }
      }
    }
  });

  it('does not let the fragment of a mail address answer for another', () => {
    const resolver = new UrlResolver(AS_WRITTEN, asText);
    for (const href of ['mailto:a', 'mailto:a#1', 'mailto:a#2', 'javascript:x#1', 'javascript:x']) {
      expect(resolver.resolve(href, 'http://h.test/')).toBe(href);
    }
  });

  it('gives null for what is no URL, again and again', () => {
    const resolver = new UrlResolver(AS_WRITTEN, asText);
    for (let time = 0; time < 2; time++) {
      expect(resolver.resolve('http://a b/', 'http://h.test/')).toBeNull();
      expect(resolver.resolve('x', 'no base')).toBeNull();
    }
  });

  it('says the same of a link that it does not remember', () => {
    const resolver = new UrlResolver({ stripQuery: false, stripTracking: true, sortQuery: true }, asText);
    const base = fc.constantFrom('http://h.test/d/p?q', 'http://h.test/', 'mailto:a', 'no base');
    fc.assert(
      fc.property(messyHref, base, (href, page) => {
        expect(resolver.resolveOnce(href, page), JSON.stringify([href, page])).toBe(resolver.resolve(href, page));
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes a base that is not in normal form for what it means', () => {
    const resolver = new UrlResolver(AS_WRITTEN, asText);
    expect(resolver.resolve('x', 'HTTP://u:p@Example.COM:80/a/%2e%2e/b#frag')).toBe('http://example.com/x');
    expect(resolver.resolve('', 'http://u:p@example.com/a#frag')).toBe('http://example.com/a');
  });

  it('folds new links as it was asked to, plain or not', () => {
    const resolver = new UrlResolver({ stripQuery: false, stripTracking: true, sortQuery: true }, asText);
    expect(resolver.resolve('x?b=2&utm_source=n&a=1', 'http://h.test/')).toBe('http://h.test/x?a=1&b=2');
    expect(resolver.resolve('x?b=%c3&utm_source=n&a=1', 'http://h.test/')).toBe('http://h.test/x?a=1&b=%C3');
    expect(resolver.resolve('', 'http://h.test/x?b&a')).toBe('http://h.test/x?a&b');
    expect(resolver.resolveOnce('x?b=2&utm_source=n&a=1#f', 'http://h.test/')).toBe('http://h.test/x?a=1&b=2');
  });
});

describe('normaliseUrl', () => {
  const normal = (text: string, options: Partial<IdentityOptions> = {}) =>
    normaliseUrl(text, { ...AS_WRITTEN, ...options })?.url;

  it('is a fixed point of itself', () => {
    fc.assert(
      fc.property(messyHref, fc.boolean(), fc.boolean(), fc.boolean(), (href, stripQuery, stripTracking, sortQuery) => {
        const options = { stripQuery, stripTracking, sortQuery };
        const first = normaliseUrl(`http://example.com/${href}`, options);
        if (first !== null) {
          expect(normaliseUrl(first.url, options)).toEqual({ url: first.url, credentials: null });
        }
      }),
    );
  });

  it.each([
    ['HTTP://EXAMPLE.com:80/A/../B?C#d', 'http://example.com/B?C'],
    ['https://example.com:443', 'https://example.com/'],
    ['http://example.com/%c3%a9?%c3%A9', 'http://example.com/%C3%A9?%C3%A9'],
    ['http://example.com/%7Euser', 'http://example.com/%7Euser'],
    ['http://example.com/%zz%', 'http://example.com/%zz%'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://example.com?', 'http://example.com/?'],
    ['http:\\\\example.com\\a', 'http://example.com/a'],
  ])('spells %s as %s', (text, url) => {
    expect(normal(text)).toBe(url);
  });

  it('never merges what differs in the case of the path, a slash at the end, an index page or an empty query', () => {
    const spellings = [
      '/A',
      '/a',
      '/a/',
      '/a/index.html',
      '/a?',
      '/a?x',
      '/a?x=',
      '/a?y&x',
      '/a?x&y',
      '/%61',
      '/a//b',
      '/a/b',
    ];
    expect(new Set(spellings.map((path) => normal(`http://h.test${path}`))).size).toBe(spellings.length);
  });

  it('keeps user and password out of the URL and hands them over unescaped', () => {
    expect(normaliseUrl('http://me:s%40cret@h.test/x')).toEqual({
      url: 'http://h.test/x',
      credentials: { username: 'me', password: 's@cret' },
    });
    expect(normaliseUrl('http://me:100%@h.test/')?.credentials).toEqual({ username: 'me', password: '100%' });
  });

  it('strips, cleans and sorts the query only where asked', () => {
    const url = 'http://h.test/?b=2&utm_Campaign=x&a=2&GCLID=1&a=1&utmost=1';
    expect(normal(url)).toBe(url);
    expect(normal(url, { stripQuery: true })).toBe('http://h.test/');
    expect(normal(url, { stripTracking: true })).toBe('http://h.test/?b=2&a=2&a=1&utmost=1');
    expect(normal(url, { sortQuery: true })).toBe('http://h.test/?GCLID=1&a=2&a=1&b=2&utm_Campaign=x&utmost=1');
    expect(normal('http://h.test/?fbclid=1', { stripTracking: true })).toBe('http://h.test/');
    expect(normal('http://h.test/?', { stripTracking: true })).toBe('http://h.test/?');
  });

  it('leaves other schemes as they are and refuses what is no URL', () => {
    expect(normal('mailto:x@y.test?subject=a#b')).toBe('mailto:x@y.test?subject=a#b');
    expect(normal('ftp://h.test/x')).toBe('ftp://h.test/x');
    expect(normal('no url')).toBeUndefined();
  });
});
