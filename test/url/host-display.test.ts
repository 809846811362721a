import { domainToASCII } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hostForPeople, unicodeHost, withUnicodeHost } from '../../src/url/host-display.js';

describe('a host name that is shown in both forms', () => {
  it.each([
    ['bücher.example', 'bücher.example (xn--bcher-kva.example)'],
    ['straße.de', 'straße.de (xn--strae-oqa.de)'],
    ['россия.рф', 'россия.рф (xn--h1alffa9f.xn--p1ai)'],
    ['ελληνικά.gr', 'ελληνικά.gr (xn--hxargifdar.gr)'],
    ['日本.jp', '日本.jp (xn--wgv71a.jp)'],
    ['한국.kr', '한국.kr (xn--3e0b707e.kr)'],
    ['भारत.example', 'भारत.example (xn--h2brj9c.example)'],
    ['bücher-24.example', 'bücher-24.example (xn--bcher-24-65a.example)'],
    // Each label for itself.
    ['www.日本.россия.example', 'www.日本.россия.example (www.xn--wgv71a.xn--h1alffa9f.example)'],
  ])('%s', (name, shown) => {
    expect(hostForPeople(domainToASCII(name))).toBe(shown);
  });

  it('keeps the port that a host on loopback has', () => {
    expect(hostForPeople('xn--bcher-kva.localhost:8080')).toBe('bücher.localhost:8080 (xn--bcher-kva.localhost:8080)');
  });
});

describe('a host name that is shown in ASCII only', () => {
  it.each([
    ['example.com', 'it has no other form'],
    ['[2001:db8::1]', 'nor has an address'],
    [domainToASCII('paypаl.com'), 'Latin with a Cyrillic а'],
    [domainToASCII('bücherя.com'), 'Latin and Cyrillic'],
    [domainToASCII('аррӏе.com'), 'Cyrillic that looks like "apple"'],
    [domainToASCII('ορτ.example'), 'Greek that looks like "opt"'],
    [domainToASCII('日本の.jp'), 'Han and Hiragana'],
    [domainToASCII('עברית.example'), 'written from right to left'],
    [domainToASCII('مثال.example'), 'written from right to left'],
    [domainToASCII('न्‍ज.example'), 'with an invisible joiner'],
    [domainToASCII('a·b.example'), 'with a dot that is none'],
    [domainToASCII('i̇x.example'), 'with a mark on another letter'],
    [domainToASCII('☃.example'), 'no letters at all'],
    ['xn--google-.example', 'decodes to plain ASCII'],
    ['xn--a.example', 'decodes to nothing'],
    ['xn--999999999.example', 'not Punycode'],
  ])('%s: %s', (name) => {
    expect(name).not.toBe('');
    expect([unicodeHost(name), hostForPeople(name)]).toEqual([null, name]);
  });

  it('label by label: one that is confusable keeps its form beside one that is not', () => {
    expect(unicodeHost(domainToASCII('paypаl.bücher.example'))).toBe('xn--paypl-7ve.bücher.example');
  });
});

it('for patterns every host is given in Unicode, and nothing else of the URL is touched', () => {
  expect(withUnicodeHost('https://xn--paypl-7ve.com:8443/xn--paypl-7ve.com?xn--paypl-7ve.com')).toBe(
    'https://paypаl.com:8443/xn--paypl-7ve.com?xn--paypl-7ve.com',
  );
  expect(withUnicodeHost('https://example.com/xn--bcher-kva')).toBe('https://example.com/xn--bcher-kva');
  expect(withUnicodeHost('db:xn--bcher-kva')).toBe('db:xn--bcher-kva');
});
