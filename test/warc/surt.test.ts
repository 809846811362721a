import { describe, expect, it } from 'vitest';
import { cdxTime, surtOf } from '../../src/warc/surt.js';

/** As the package `surt` of Python has them, by which indexes are made and looked up. */
const KEYS: readonly [url: string, key: string][] = [
  ['https://www.Example.com:8443/A/b?z=1&a=2', 'com,example:8443)/a/b?a=2&z=1'],
  ['http://127.0.0.1:8080/x?', '1,0,0,127:8080)/x'],
  ['http://example.com', 'com,example)/'],
  ['http://example.com/a%2Fb/', 'com,example)/a/b'],
  ['http://example.com/a//b/?', 'com,example)/a/b'],
  ['http://example.com/?utm_source=a&B=C', 'com,example)/?b=c&utm_source=a'],
  ['http://www2.example.com/x/', 'com,example)/x'],
  ['http://[::1]:80/x', '::1)/x'],
  ['http://example.com/x/?a=b/c&a', 'com,example)/x?a&a=b/c'],
  ['http://example.com/%C3%A9', 'com,example)/%c3%a9'],
  ['http://localhost:1234/a/b.html', 'localhost:1234)/a/b.html'],
  [
    'http://example.com/a;jsessionid=0123456789abcdef0123456789abcdef',
    'com,example)/a;jsessionid=0123456789abcdef0123456789abcdef',
  ],
  ['http://example.com/a?phpsessid=0123456789abcdef0123456789abcdef&b=1', 'com,example)/a?b=1'],
  ['http://example.com/a%20b%25c', 'com,example)/a%20b%25c'],
];

describe('the key of an index', () => {
  it.each(KEYS)('of %s', (url, key) => {
    expect(surtOf(url)).toBe(key);
  });

  it('has its time in fourteen digits', () => {
    expect(cdxTime(Date.UTC(2024, 0, 2, 3, 4, 5, 678))).toBe('20240102030405');
  });
});
